/* SPDX-License-Identifier: MIT */
/* Rows of pages take a sample of this kernel, or none where it has no huge page. */
#include "test.h"

#include <math.h>

#include "bench/cost/cost.h"
#include "engine/arena.h"

TEST(test_each_row_takes_a_sample)
{
    static const struct experiment *const rows[] = {&page_fault_experiment, &unmap_page_experiment,
                                                    &protect_page_experiment, &huge_fault_experiment};
    static const struct clock clock = {.ns_per_tick = 1};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct run run = {.clock = &clock};
        struct fault fault = {0};
        void *own = context_new(rows[i], NULL);
        if (rows[i]->open(&run, &own, &fault) != STATUS_OK) {
            assert_ptr_equal(rows[i], &huge_fault_experiment);
            assert_int_equal(fault.status, STATUS_UNSUPPORTED);
            context_free(rows[i], own);
            continue;
        }
        const double ns = rows[i]->sample(&(struct point){.own = own, .clock = &clock});
        assert_true(ns > 0 || (isnan(ns) && rows[i] == &huge_fault_experiment));
        context_free(rows[i], own);
    }
}
