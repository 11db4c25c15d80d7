/* SPDX-License-Identifier: MIT */
/* Pairs of store and load that take a known time. */
#include "test.h"

#include "../scripted.h"
#include "bench/stlf/stlf.h"

enum { PAIR = 7 };

/* n pairs in a pass, m passes; without a store n loads. */
static uint64_t pairs(void *a, const void *b, uint64_t n, uint64_t m, uint64_t x, uint64_t y)
{
    script_pass(n * m * PAIR);
    return 0;
}

/* An iteration is a pair, whatever the length of the loop: iterations are rounded down to whole passes. */
TEST(an_iteration_is_a_pair)
{
    static unsigned char bytes[8 << 20];
    static const struct memory memory = {.data = bytes, .bytes = sizeof bytes};
    static const struct kernel forward = {.operation = OPERATION_FORWARD_FA, .entry = pairs},
                               load = {.operation = OPERATION_LATENCY, .entry = pairs};
    struct stlf stlf = {.line = 64, .page = 4096, .memory = &memory};
    struct stlf_sweep sweep = {0};
    struct stlf_part part = {.stlf = &stlf, .sweep = &sweep};
    for (unsigned length = 1; length <= STLF_UNROLL_MAX; length++)
        for (int i = 0; i < 2; i++) {
            const struct stlf_point at = {.kernel = i ? &load : &forward, .pairs = length, .load = 64};
            const struct series series = {.name = "scripted", .row = &at};
            struct point point = {
                .own = &part, .series = &series, .x = 1, .iterations = stlf_pairs.iterations};
            script_begin();
            stlf_pairs.prepare(&point);
            assert_true(point.iterations > 0 && point.iterations <= stlf_pairs.iterations);
            const uint64_t before = scripted.ticks;
            stlf_pairs.work(&point);
            assert_int_equal(scripted.ticks - before, point.iterations * PAIR);
        }
}
