/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "bench/ram/ram.h"

/* Rates add up, also of unequal threads; those that were not together for nine tenths of the time spoil the sample. */
TEST(rates_of_threads_that_run_together_add_up)
{
    static const struct {
        struct {
            uint64_t begin_ns, end_ns;
        } lane[2]; /* a pass each */
        double ns; /* NAN: none */
    } cases[] = {{{{100, 1100}, {110, 1110}}, 1000},
                 {{{0, 1000}, {0, 3000}}, 1500},
                 {{{0, 1000}, {80, 1080}}, 1000},
                 {{{0, 1000}, {120, 1120}}, NAN},
                 {{{0, 1000}, {2000, 3000}}, NAN}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ram_lane lane[2] = {{.begin_ns = 0}};
        for (int k = 0; k < 2; k++) {
            lane[k].begin_ns = cases[i].lane[k].begin_ns;
            lane[k].end_ns = cases[i].lane[k].end_ns;
            lane[k].ns = (double)(lane[k].end_ns - lane[k].begin_ns);
        }
        const double ns = ram_lanes_ns(lane, 2);
        assert_true(isnan(cases[i].ns) ? isnan(ns) : fabs(ns - cases[i].ns) < 1e-9);
    }
}
