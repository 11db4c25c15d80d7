/* SPDX-License-Identifier: MIT */
/* The proof that a kernel moved the bytes that it metrics. */
#include "test.h"

#include "bench/ram/ram.h"

static uint64_t left_out; /* bytes at the end */

static uint64_t copy(void *a, const void *b, uint64_t n, uint64_t m, uint64_t x, uint64_t y)
{
    memcpy(a, b, n - left_out);
    return 0;
}

static uint64_t fill(void *a, const void *b, uint64_t n, uint64_t m, uint64_t x, uint64_t y)
{
    memset(a, (int)(uintptr_t)b, n - left_out);
    return 0;
}

static uint64_t compare(void *a, const void *b, uint64_t n, uint64_t m, uint64_t x, uint64_t y)
{
    return memcmp(a, b, n - left_out) != 0;
}

static uint64_t combine(void *a, const void *b, uint64_t n, uint64_t m, uint64_t x, uint64_t y)
{
    uint64_t all = 0;
    for (uint64_t i = 0; i < n - left_out; i++)
        all |= (uint64_t)((const unsigned char *)a)[i] << i % 8 * 8;
    return all;
}

TEST(a_byte_that_is_left_out_is_seen)
{
    static const struct kernel kernel[] = {{.operation = OPERATION_COPY, .entry = copy},
                                           {.operation = OPERATION_WRITE, .entry = fill},
                                           {.operation = OPERATION_COMPARE, .entry = compare},
                                           {.operation = OPERATION_AGG_OR, .entry = combine, .bits = 64}};
    unsigned char source[64], target[64];
    for (size_t i = 0; i < 8; i++) {
        memset(source, 1, sizeof source);
        left_out = i % 2;
        const struct ram_work work = {
            .kernel = &kernel[i / 2], .source = source, .target = target, .bytes = sizeof source};
        assert_int_equal(ram_proves(&work), left_out == 0);
    }
    left_out = 0;
}

/* What a kernel of doubles makes of one element, so that a wrong one can be made. */
static double (*mix)(double a, double b, double x, double y);

static uint64_t mix_all(void *a, const void *b, uint64_t n, uint64_t m, uint64_t x, uint64_t y)
{
    double *const target = a;
    const double *const source = b, *const second = (const double *)(uintptr_t)x;
    double factor;
    memcpy(&factor, &y, sizeof factor);
    for (uint64_t i = 0; i < (n - left_out) / sizeof(double); i++)
        target[i] = mix(target[i], source[i], second[i], factor);
    return 0;
}

static double updated(double a, double b, double x, double y)
{
    return y * a;
}

static double scaled(double a, double b, double x, double y)
{
    return y * b;
}

static double added(double a, double b, double x, double y)
{
    return b + x;
}

static double triad(double a, double b, double x, double y)
{
    return b + y * x;
}

static double copied(double a, double b, double x, double y)
{
    return b;
}

static double doubled(double a, double b, double x, double y)
{
    return 2 * a;
}

/* Each task is right by its own arithmetic alone, and to the last element. */
TEST(doubles_are_proved_one_by_one)
{
    static double (*const mixes[])(double, double, double, double) = {updated, scaled, added,
                                                                      triad,   copied, doubled};
    double buffer[3][8], *const source = buffer[1], *const second = buffer[2];
    for (enum operation operation = OPERATION_UPDATE; operation <= OPERATION_TRIAD; operation++)
        for (size_t i = 0; i < sizeof mixes / sizeof *mixes; i++)
            for (left_out = 0; left_out <= 8; left_out += 8) {
                const struct kernel kernel = {.operation = operation, .entry = mix_all};
                const struct ram_work work = {&kernel, (unsigned char *)source, (unsigned char *)buffer[0],
                                              sizeof buffer[0]};
                memset(source, 0x7f, sizeof buffer[1]); /* no number */
                memset(second, 0, sizeof buffer[2]);
                for (size_t k = 0; k < 8; k++)
                    memset((unsigned char *)&second[k] + k, 0x15, 1);
                mix = mixes[i];
                const bool same = operation == OPERATION_UPDATE && mixes[i] == scaled; /* of a copy */
                const bool right = i == (size_t)(operation - OPERATION_UPDATE) || same;
                assert_int_equal(ram_proves(&work), right && left_out == 0);
            }
    left_out = 0;
}

/* However many passes a sample has. */
TEST(updates_stay_in_range)
{
    static const struct kernel kernel = {.operation = OPERATION_UPDATE, .entry = mix_all};
    double buffer[3][8] = {{0}}, *const target = buffer[0];
    const struct ram_work work = {&kernel, (unsigned char *)buffer[1], (unsigned char *)target,
                                  sizeof buffer[0]};
    mix = updated;
    ram_begin(&work, true);
    for (unsigned pass = 0; pass < 5000; pass++) {
        assert_true(ram_is_right(&work, 0));
        ram_call(&work, 1);
    }
    target[7] = -target[7];
    assert_false(ram_is_right(&work, 0));
}
