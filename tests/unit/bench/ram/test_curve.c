/* SPDX-License-Identifier: MIT */
/* The sizes of a curve. */
#include "test.h"

#include "bench/ram/modes.h"

TEST(sizes_are_round_and_within_the_range)
{
    static const struct {
        uint64_t range[2]; /* 0: no --size */
        uint64_t bytes, first, last;
    } known[] = {{{0, 0}, 1 << 30, 2048, 1 << 30},
                 {{2048, 1 << 30}, (1 << 30) - 1, 2048, 768 << 20},
                 {{2048, 1 << 30}, 48 << 20, 2048, 48 << 20},
                 {{2049, 100000}, 1 << 30, 3072, 98304},
                 {{3072, 3072}, 1 << 30, 3072, 3072},
                 {{1, 2048}, 1 << 30, 2048, 2048},
                 {{2049, 3071}, 1 << 30, 0, 0},
                 {{1, 1024}, 1 << 30, 0, 0}};
    for (size_t i = 0; i < COUNT_OF(known); i++) {
        struct series series = {CURVE_SIZES};
        const struct size_list range = {.count = known[i].range[0] ? 2 : 0,
                                        .is_range = true,
                                        .bytes = {known[i].range[0], known[i].range[1]}};
        const bool any = curve_fit(&series, &range, known[i].bytes);
        assert_int_equal(any, known[i].last > 0);
        if (any && (series.range.first != known[i].first || series.range.last != known[i].last))
            fail_msg("%zu: %llu to %llu", i, (unsigned long long)series.range.first,
                     (unsigned long long)series.range.last);
    }
}

TEST(sizes_grow_by_a_third_and_by_half)
{
    static const uint64_t sizes[] = {2048, 3072, 4096, 6144, 8192, 12288};
    size_t count;
    struct x_place *place =
        x_range_places(&(const struct x_range){2048, 12288, .per_octave = 2, .is_rounded = true}, 0, &count);
    assert_int_equal(count, COUNT_OF(sizes));
    for (size_t i = 0; i < COUNT_OF(sizes); i++)
        assert_int_equal(place[i].x, sizes[i]);
    free(place);
}
