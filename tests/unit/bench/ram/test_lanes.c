/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "bench/ram/ram.h"

/* Rates add up, also of unequal threads; those that were not together for nine tenths of the time spoil the sample. */
TEST(rates_of_threads_that_run_together_add_up)
{
    static const struct {
        struct lane_time lane[2];
        double ns; /* NAN: none */
    } cases[] = {{{{100, 1100, 1000}, {110, 1110, 1000}}, 1000},
                 {{{0, 1000, 1000}, {0, 3000, 3000}}, 1500},
                 {{{0, 1000, 1000}, {80, 1080, 1000}}, 1000},
                 {{{0, 1000, 1000}, {120, 1120, 1000}}, NAN},
                 {{{0, 1000, 1000}, {2000, 3000, 1000}}, NAN}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const double ns = lanes_ns(cases[i].lane, 2);
        assert_true(isnan(cases[i].ns) ? isnan(ns) : fabs(ns - cases[i].ns) < 1e-9);
    }
}
