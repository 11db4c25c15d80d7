/* SPDX-License-Identifier: MIT */
/* The proof that a kernel moved the bytes that it claims. */
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
        const struct ram_work work = {&kernel[i / 2], source, target, sizeof source};
        assert_int_equal(ram_proves(&work), left_out == 0);
    }
    left_out = 0;
}
