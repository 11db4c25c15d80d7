/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "bench/ram/ram.h"

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
