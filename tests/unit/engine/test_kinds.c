/* SPDX-License-Identifier: MIT */
/* The table of kinds, and that each row of an experiment sets what its kind reads, and nothing else. */
#include "test.h"

#include "bench/capacity/capacity.h"
#include "bench/cost/cost.h"
#include "bench/ram/modes.h"
#include "engine/metrics.h"

static const struct experiment *const experiments[] = {
    &return_stack_experiment, &windows_experiment,   &misses_experiment,
    &cache_misses_experiment, &first_tlb_experiment, &second_tlb_experiment,
    &branches_experiment,     &atomics_experiment,   &mispredict_experiment};

static bool is_correct(const struct metric *metric)
{
    return metric_members(metric) == type_of(metric)->members;
}

TEST(rows_set_what_their_kind_reads)
{
    for (size_t i = 0; i < COUNT_OF(experiments); i++)
        for (const struct metric *metric = experiments[i]->metrics; metric->key; metric++)
            if (!is_correct(metric))
                fail_msg("%s is a %s: members %x instead of %x", metric->key, type_of(metric)->name,
                         metric_members(metric), type_of(metric)->members);
}

TEST(a_row_with_members_of_another_kind_is_found)
{
    const struct metric rows[] = {
        {.kind = METRIC_DIFFERENCE, .series = "a"},     {.kind = METRIC_VALUE, .series = "a", .threshold = 1},
        {.kind = METRIC_THRESHOLD, .series = "a"},      {.kind = METRIC_CROSSING, .series = "a"},
        {.kind = METRIC_CACHE_SIZE, .series = "a"},     {.kind = METRIC_LEAST, .metrics = {"a"}},
        {.kind = METRIC_STRUCTURE_SIZE, .series = "a"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        assert_false(is_correct(&rows[i]));
}

/* A kind that a round answers has a value of it, and every answer has a tolerance. */
TEST(every_kind_has_a_whole_row)
{
    for (int kind = METRIC_VALUE; kind <= METRIC_STRUCTURE_SIZE; kind++) {
        const struct metric_type *type = type_of(&(struct metric){.kind = (enum metric_kind)kind});
        assert_non_null(type->name);
        assert_non_null(type->tolerance);
        assert_true(type->members != 0);
        assert_true(type->answer || type->members == OF_STRUCTURE);
        assert_true(!type->is_between || type->is_place);
    }
}
