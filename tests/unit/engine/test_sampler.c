/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/sampler.h"

enum { POINTS = 3 };

/* A machine of which everything is scripted: each sample takes a second. */
struct script {
    char order[256]; /* points in the order they were sampled */
    size_t taken;
    uint64_t now_ns;
    size_t interrupt_after, fail_after; /* samples; 0: never */
    double noise;                       /* alternates around 100 */
    uint64_t rounds_seen;
    double last_done;
};

static bool take(void *context, size_t point, double *value, struct fault *fault)
{
    struct script *script = context;
    if (script->fail_after && script->taken == script->fail_after) {
        fault_set(fault, STATUS_FAILED, "scripted");
        return false;
    }
    script->order[script->taken++] = (char)('a' + point);
    script->now_ns += 1000000000;
    const uint64_t round = (script->taken - 1) / POINTS;
    *value = 100 + (round % 2 ? script->noise : -script->noise) * (double)(round + 1);
    return true;
}

static uint64_t now(void *context)
{
    return ((struct script *)context)->now_ns;
}

static bool is_interrupted(void *context)
{
    const struct script *script = context;
    return script->interrupt_after && script->taken >= script->interrupt_after;
}

static void between(void *context, uint64_t round)
{
    struct script *script = context;
    assert_int_equal(round, script->rounds_seen);
    script->rounds_seen++;
}

static void progress(void *context, double done, double eta_s)
{
    struct script *script = context;
    assert_true(done >= 0 && done <= 1);
    assert_true(done >= script->last_done);
    script->last_done = done;
}

static enum sampler_end run(struct script *script, struct sampler sampler, size_t *counts)
{
    struct samples samples[POINTS] = {{0}};
    struct fault fault = {0};
    sampler.points = POINTS;
    sampler.context = script;
    sampler.sample = take;
    sampler.between = between;
    sampler.now_ns = now;
    sampler.interrupted = is_interrupted;
    sampler.progress = progress;
    const enum sampler_end end = sampler_run(&sampler, samples, &fault);
    for (size_t i = 0; i < POINTS; i++) {
        counts[i] = samples[i].count;
        samples_free(&samples[i]);
    }
    assert_int_equal(end == SAMPLER_FAILED, fault.status != STATUS_OK);
    return end;
}

static void rounds_take_every_point_before_any_again(void **state)
{
    struct script script = {0};
    size_t counts[POINTS];
    assert_int_equal(run(&script, (struct sampler){.min_rounds = 3, .max_rounds = 3}, counts),
                     SAMPLER_ROUNDS);
    assert_string_equal(script.order, "abcabcabc");
    assert_int_equal(script.rounds_seen, 3);
}

static void a_quiet_machine_stops_when_stable(void **state)
{
    struct script script = {0};
    size_t counts[POINTS];
    const struct sampler sampler = {.min_rounds = 2, .max_rounds = 50, .tolerance = 0.01};
    assert_int_equal(run(&script, sampler, counts), SAMPLER_STABLE);
    assert_int_equal(counts[0], 3); /* stability of a point needs three samples */
}

static void a_noisy_machine_goes_on_to_the_last_round(void **state)
{
    struct script script = {.noise = 20};
    size_t counts[POINTS];
    const struct sampler sampler = {.min_rounds = 2, .max_rounds = 7, .tolerance = 0.01};
    assert_int_equal(run(&script, sampler, counts), SAMPLER_ROUNDS);
    assert_int_equal(counts[2], 7);
}

static void without_a_tolerance_only_rounds_and_budget_stop(void **state)
{
    struct script script = {0};
    size_t counts[POINTS];
    assert_int_equal(run(&script, (struct sampler){.max_rounds = 9}, counts), SAMPLER_ROUNDS);
    assert_int_equal(counts[0], 9);
}

static void the_budget_never_cuts_the_first_round(void **state)
{
    struct script script = {0};
    size_t counts[POINTS];
    assert_int_equal(run(&script, (struct sampler){.budget_s = 0.5}, counts), SAMPLER_BUDGET);
    assert_string_equal(script.order, "abc");
}

static void the_budget_cuts_a_later_round(void **state)
{
    struct script script = {0};
    size_t counts[POINTS];
    assert_int_equal(run(&script, (struct sampler){.budget_s = 4}, counts), SAMPLER_BUDGET);
    assert_string_equal(script.order, "abca");
    assert_int_equal(script.rounds_seen, 1);
}

static void samples_of_a_round_stand_together(void **state)
{
    struct script script = {0};
    size_t counts[POINTS];
    const struct sampler sampler = {.min_rounds = 2, .max_rounds = 2, .samples = 2};
    assert_int_equal(run(&script, sampler, counts), SAMPLER_ROUNDS);
    assert_string_equal(script.order, "aabbccaabbcc");
    assert_int_equal(counts[1], 4);
}

/* As scripted; the last point takes long. */
static double expected(void *context, size_t point)
{
    return point + 1 == POINTS ? 3 : 1;
}

static void what_would_end_beyond_the_budget_does_not_begin(void **state)
{
    struct script script = {0};
    size_t counts[POINTS];
    const struct sampler sampler = {.budget_s = 4.5, .expected_s = expected};
    assert_int_equal(run(&script, sampler, counts), SAMPLER_BUDGET);
    assert_string_equal(script.order, "ab");
    assert_int_equal(counts[2], 0);
}

static void an_interruption_keeps_what_was_taken(void **state)
{
    struct script script = {.interrupt_after = 2};
    size_t counts[POINTS];
    assert_int_equal(run(&script, (struct sampler){.max_rounds = 3}, counts), SAMPLER_INTERRUPTED);
    assert_int_equal(counts[0], 1);
    assert_int_equal(counts[1], 1);
    assert_int_equal(counts[2], 0);
}

static void a_failing_sample_ends_everything_with_its_fault(void **state)
{
    struct script script = {.fail_after = 4};
    size_t counts[POINTS];
    assert_int_equal(run(&script, (struct sampler){.max_rounds = 3}, counts), SAMPLER_FAILED);
    assert_int_equal(counts[0], 2);
}

struct scaled {
    double ns_per_iteration;
    uint64_t largest;
    int calls;
};

static double scripted_time(void *context, uint64_t iterations)
{
    struct scaled *scaled = context;
    scaled->calls++;
    if (iterations > scaled->largest)
        scaled->largest = iterations;
    return scaled->ns_per_iteration * (double)iterations;
}

static void autoscale_reaches_its_target_but_not_four_times_it(void **state)
{
    for (double ns = 0.5; ns < 1e5; ns *= 3) {
        struct scaled scaled = {.ns_per_iteration = ns};
        const uint64_t n = autoscale(scripted_time, &scaled, 1, UINT64_C(1) << 40, 1e6);
        assert_true(ns * (double)n >= 1e6);
        assert_true(ns * (double)n < 4e6 || n == 1);
        assert_int_equal(scaled.largest, n);
    }
}

static void autoscale_stays_at_start_when_one_is_enough_and_below_its_limit(void **state)
{
    struct scaled slow = {.ns_per_iteration = 1e9};
    assert_int_equal(autoscale(scripted_time, &slow, 1, 1000, 1e6), 1);
    assert_int_equal(slow.calls, 2);
    struct scaled stopped = {.ns_per_iteration = 0};
    assert_true(autoscale(scripted_time, &stopped, 1, 1000, 1e6) <= 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rounds_take_every_point_before_any_again),
        cmocka_unit_test(a_quiet_machine_stops_when_stable),
        cmocka_unit_test(a_noisy_machine_goes_on_to_the_last_round),
        cmocka_unit_test(without_a_tolerance_only_rounds_and_budget_stop),
        cmocka_unit_test(the_budget_never_cuts_the_first_round),
        cmocka_unit_test(the_budget_cuts_a_later_round),
        cmocka_unit_test(samples_of_a_round_stand_together),
        cmocka_unit_test(what_would_end_beyond_the_budget_does_not_begin),
        cmocka_unit_test(an_interruption_keeps_what_was_taken),
        cmocka_unit_test(a_failing_sample_ends_everything_with_its_fault),
        cmocka_unit_test(autoscale_reaches_its_target_but_not_four_times_it),
        cmocka_unit_test(autoscale_stays_at_start_when_one_is_enough_and_below_its_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
