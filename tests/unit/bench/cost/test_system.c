/* SPDX-License-Identifier: MIT */
#include "test.h"

#include <math.h>
#include <sched.h>

#include "bench/cost/cost.h"
#include "engine/arena.h"
#include "engine/companion.h"
#include "uarchprobe/pin.h"

TEST(test_a_yield_to_somebody_who_waits_is_no_value)
{
    static const struct clock clock = {.ns_per_tick = 1};
    struct run run = {.clock = &clock};
    struct fault fault = {0};
    void *own = context_new(&yield_experiment, NULL);
    const int here = sched_getcpu();
    assert_int_equal(pin_self(here, &fault), STATUS_OK);
    struct companion *companion = companion_new(here, &fault);
    assert_int_equal(yield_experiment.open(&run, &own, &fault), STATUS_OK);
    while (!isnan(yield_experiment.sample(&(struct point){.own = own, .clock = &clock})))
        continue;
    companion_free(companion);
    context_free(&yield_experiment, own);
}

/* libc's system call holds a mispredicted return: who asks for it gets the bare instruction, too. */
TEST(test_a_system_call_has_a_row_of_the_bare_instruction)
{
    const struct metric *metric = atomics_experiment.metrics;
    while (metric->key && strcmp(metric->key, "cost.system_call.instruction") != 0)
        metric++;
    assert_non_null(metric->key);
    assert_string_equal(metric->operand, parent_experiment.metrics->operand);
    assert_true(metric->range);
}
