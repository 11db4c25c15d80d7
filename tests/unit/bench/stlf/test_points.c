/* SPDX-License-Identifier: MIT */
/* Points that rows stand for, their order, and the rows of a table. */
#include "test.h"

#include "sets.h"

/* A predictor that has learnt to rename must not forget it within a round. Every kernel that can run has its points. */
TEST(what_may_be_renamed_is_sampled_last)
{
    static const struct {
        const struct stlf_sweep *sweep;
        size_t series, points; /* of scalar kernels: those that every CPU has */
    } rows[] = {{&stlf_forwards, 11, 53}, {&stlf_chains, 3, 192}, {&stlf_renaming, 4, 36},
                {&stlf_alias, 2, 30},     {&stlf_silent, 2, 8},   {&stlf_waits, 3, 12}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        sets_begin(rows[i].sweep);
        stlf_points_add(&sets.part, rows[i].sweep->series);
        bool renamed = false;
        size_t points = 0, series = 0;
        for (; sets.part.series[series].name; series++) {
            const struct stlf_point *first = sets.part.series[series].row;
            assert_ptr_equal(first, &sets.part.point[points]);
            assert_false(renamed && !stlf_may_be_renamed(first));
            renamed = stlf_may_be_renamed(first);
            points += sets.part.series[series].range.last;
        }
        assert_int_equal(series, rows[i].series);
        assert_int_equal(points, rows[i].points);
        assert_int_equal(sets.part.count, rows[i].points);
        free(sets.part.point);
        free(sets.part.estimate);
    }
}

/* Renamed is below nine tenths of L1's latency; accesses without overlap have no verdict. */
TEST(a_row_says_whether_its_load_is_renamed)
{
    static const struct kernel kernel = {.operation = OPERATION_FORWARD_FA, .bits = 64, .load_bits = 32};
    static const struct {
        long load;
        double cycles;
        bool renamed;
    } rows[] = {{0, 3.5, true}, {0, 3.7, false}, {32, 0.5, false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        sets_begin(&stlf_renaming);
        sets_add(0, &(struct stlf_point){.kernel = &kernel, .load = rows[i].load}, rows[i].cycles);
        stlf_rows(&sets.part);
        assert_int_equal(cell_has_value(record_cell(&sets.run.record->tables.of[0], 0, C_VERDICT)),
                         rows[i].renamed);
    }
}
