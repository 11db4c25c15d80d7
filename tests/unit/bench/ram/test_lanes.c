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

/* A part of memory follows others that fill the last cache, where there are such; a whole set follows none. */
TEST(parts_of_memory_follow_what_fills_the_cache)
{
    enum { MIB = 1 << 20 };
    static const struct {
        enum operation operation;
        int level;
        uint64_t kernel_mib, cache_mib, parts, before;
    } cases[] = {{OPERATION_READ, 4, 128, 32, 4, 1},    {OPERATION_COPY, 4, 64, 32, 2, 1},
                 {OPERATION_READ, 4, 128, 63, 4, 1},    {OPERATION_READ, 4, 256, 64, 8, 2},
                 {OPERATION_READ, 4, 128, 4, 4, 1},     {OPERATION_READ, 4, 96, 96, 3, 2},
                 {OPERATION_READ, 4, 1024, 256, 32, 4}, {OPERATION_READ, 4, 63, 32, 1, 0},
                 {OPERATION_READ, 0, 128, 32, 1, 0},    {OPERATION_TRIAD, 4, 128, 32, 1, 0},
                 {OPERATION_DRAW, 4, 128, 32, 1, 0},    {OPERATION_READ, 3, 64, 128, 1, 0}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const struct kernel kernel = {.operation = cases[i].operation};
        const struct ram_crew crew = {.threads = 1, .beyond = cases[i].cache_mib * MIB};
        const struct working_set set = {.crew = &crew, .level = cases[i].level};
        const struct ram_point point = {
            .kernel = &kernel, .set = &set, .kernel_bytes = cases[i].kernel_mib * MIB};
        const struct ram_plan plan = {.last_level = 3};
        assert_int_equal(ram_parts(&plan, &point), cases[i].parts);
        assert_int_equal(ram_parts_before(&plan, &point), cases[i].before);
    }
}
