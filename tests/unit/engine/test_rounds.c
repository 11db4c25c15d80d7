/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "uarchprobe/engine.h"

enum { POINTS = 3, ORDER = 1024 };

/* Everything is scripted: a sample takes 0.4 ms, a probe 1 us. */
struct script {
    char order[ORDER]; /* points as letters, probes as |, re-mappings as digits */
    size_t taken, calls;
    double now_s, sample_s, probe_s;
    double waits_s;                     /* how much longer some probes take: */
    size_t probes, waits_at, each;      /* that one, or one in so many */
    size_t interrupt_after, fail_after; /* samples; 0: never */
    double noise, last_done;
    size_t stop_at, move_after; /* samples; 0: never */
    double stopped_s;
    enum status failure; /* 0: STATUS_FAILED */
};

static void note(struct script *script, char what)
{
    assert_true(script->taken + 1 < ORDER);
    script->order[script->taken++] = what;
}

static uint64_t now(void *context)
{
    return (uint64_t)(((struct script *)context)->now_s * 1e9 + 0.5);
}

static void probe(void *context, struct moment *moment)
{
    struct script *script = context;
    const size_t at = ++script->probes;
    script->now_s += script->probe_s > 0 ? script->probe_s : 1e-6;
    script->now_s += at == script->waits_at || (script->each && at % script->each == 0) ? script->waits_s : 0;
    moment->reading = (struct reading){64, 64, true};
    moment->ghz = 2;
    note(script, '|');
}

static bool is_interrupted(void *context)
{
    const struct script *script = context;
    return script->interrupt_after && script->calls >= script->interrupt_after;
}

static bool take(void *context, size_t first, size_t count, double *value, struct fault *fault)
{
    struct script *script = context;
    if (script->fail_after && script->calls == script->fail_after)
        return fault_set(fault, script->failure ? script->failure : STATUS_FAILED, "scripted") == STATUS_OK;
    script->calls++;
    script->now_s += script->sample_s > 0 ? script->sample_s : 4e-4;
    if (script->stop_at && script->calls == script->stop_at)
        script->now_s += 3;
    for (size_t i = 0; i < count; i++) {
        note(script, (char)('a' + first + i));
        value[i] = 10 * (double)(first + i + 1) + (script->calls % 2 ? script->noise : -script->noise);
    }
    return true;
}

static bool remap(void *context, unsigned placement, struct fault *fault)
{
    note(context, (char)('0' + placement));
    return true;
}

static void progress(void *context, double done, double eta_s)
{
    struct script *script = context;
    assert_true(done >= 0 && done <= 1);
    script->last_done = done;
}

static bool in_place(void *context)
{
    const struct script *script = context;
    return !script->move_after || script->calls < script->move_after;
}

static void stood_still(void *context, double seconds)
{
    ((struct script *)context)->stopped_s += seconds;
}

static enum engine_end run_with(struct script *script, const struct engine_bench *bench,
                                const struct engine_effort *effort, struct engine_data *data,
                                struct fault *fault)
{
    const struct engine_machine machine = {script, now, probe, is_interrupted, in_place, stood_still};
    *data = (struct engine_data){0};
    return engine_run(bench, &machine, effort, data, fault);
}

static enum engine_end run(struct script *script, const struct engine_effort *effort,
                           struct engine_data *data)
{
    const struct engine_bench bench = {.context = script,
                                       .points = POINTS,
                                       .width = 1,
                                       .sample = take,
                                       .remap = remap,
                                       .progress = progress};
    struct fault fault = {0};
    const enum engine_end end = run_with(script, &bench, effort, data, &fault);
    assert_int_equal(fault.status, STATUS_OK);
    return end;
}

TEST(every_point_once_then_all_again)
{
    struct script script = {.sample_s = 1e-5};
    struct engine_data data;
    assert_int_equal(run(&script, &(struct engine_effort){.rounds = 2}, &data), ENGINE_ROUNDS);
    assert_string_equal(script.order, "|abcabc|");
    assert_int_equal(data.rounds, 2);
    assert_int_equal(data.sweeps, 2);
    assert_true(script.last_done == 1);
    engine_data_free(&data);
}

TEST(samples_are_of_a_point_and_round)
{
    struct script script = {.sample_s = 1e-5};
    struct engine_data data;
    run(&script, &(struct engine_effort){.rounds = 2, .samples = 3}, &data);
    assert_int_equal(data.rounds, 2);
    assert_int_equal(data.sweeps, 6);
    engine_data_free(&data);
}

TEST(a_probe_ends_each_batch)
{
    struct script script = {0};
    struct engine_data data;
    run(&script, &(struct engine_effort){.rounds = 2}, &data);
    assert_string_equal(script.order, "|abc|abc|");
    assert_int_equal(data.before[0], 0);
    assert_int_equal(data.before[POINTS], 1);
    assert_int_equal(data.moments, 3);
    assert_true(fabs(data.probing_s - 3e-6) < 1e-8);
    engine_data_free(&data);
}

TEST(probes_take_a_tenth_of_the_time)
{
    struct script script = {.probe_s = 1e-3};
    struct engine_data data;
    run(&script, &(struct engine_effort){.rounds = 100}, &data);
    assert_true(data.probing_s <=
                0.1 * data.seconds + 2e-3); /* the first and the last are there in any case */
    assert_true(data.probing_s > 0.08 * data.seconds);
    engine_data_free(&data);
}

/* As next to a busy loop. */
TEST(probes_that_wait_for_the_cpu_are_fewer)
{
    struct script script = {.probe_s = 1e-4, .sample_s = 4e-3, .waits_s = 5e-3, .each = 2};
    struct engine_data data;
    run(&script, &(struct engine_effort){.rounds = 160}, &data);
    assert_true(data.probing_s <= 0.1 * data.seconds + 2 * 5.1e-3);
    assert_true(data.probing_s > 0.08 * data.seconds);
    engine_data_free(&data);
}

TEST(one_probe_that_was_stopped_forbids_no_others)
{
    struct script script = {.probe_s = 1e-4, .sample_s = 4e-3, .waits_s = 0.2, .waits_at = 20};
    struct engine_data data;
    run(&script, &(struct engine_effort){.rounds = 50}, &data);
    assert_true(data.moments > 120);
    assert_true(data.seconds < 1);
    engine_data_free(&data);
}

TEST(groups_are_sampled_side_by_side)
{
    static const size_t group[] = {0, 2};
    struct script script = {.sample_s = 1e-5};
    struct engine_data data;
    struct fault fault = {0};
    const struct engine_bench bench = {
        .context = &script, .points = POINTS, .width = 1, .group = group, .groups = 2, .sample = take};
    run_with(&script, &bench, &(struct engine_effort){.rounds = 1}, &data, &fault);
    assert_string_equal(script.order, "|abc|");
    assert_int_equal(script.calls, 2);
    assert_true(data.value[2] == 30);
    engine_data_free(&data);
}

static bool not_b_after_the_first(void *context, size_t first, uint64_t round)
{
    return first != 1 || round == 0;
}

TEST(what_is_not_wanted_is_left_out_and_delays_no_end)
{
    struct script script = {.sample_s = 1e-5};
    struct engine_data data;
    struct fault fault = {0};
    const struct engine_bench bench = {
        .context = &script, .points = POINTS, .width = 1, .sample = take, .wants = not_b_after_the_first};
    const struct engine_effort effort = {.least = 10, .most = 20, .settled = 0.01};
    assert_int_equal(run_with(&script, &bench, &effort, &data, &fault), ENGINE_SETTLED);
    assert_memory_equal(script.order, "|abcacac", 8);
    assert_true(isnan(data.value[POINTS + 1]));
    engine_data_free(&data);
}

static bool b_in_one_of_three(void *context, size_t first, uint64_t round)
{
    return first != 1 || round == ENGINE_LATER || round % 3 == 0;
}

/* Its eighth sample is of round 21. */
TEST(what_is_seldom_wanted_has_its_samples_too)
{
    struct script script = {.sample_s = 1e-6};
    struct engine_data data;
    struct fault fault = {0};
    const struct engine_bench bench = {
        .context = &script, .points = POINTS, .width = 1, .sample = take, .wants = b_in_one_of_three};
    const struct engine_effort effort = {.least = 8, .most = 100, .settled = 0.01};
    assert_int_equal(run_with(&script, &bench, &effort, &data, &fault), ENGINE_SETTLED);
    assert_memory_equal(script.order, "|abcacacabc", 11);
    assert_true(data.rounds >= 22 && data.rounds < 50);
    engine_data_free(&data);
}

TEST(placements_are_spread_over_the_rounds)
{
    struct script script = {.sample_s = 1e-5};
    struct engine_data data;
    run(&script, &(struct engine_effort){.rounds = 4, .placements = 2}, &data);
    assert_string_equal(script.order, "|abcabc|1|abcabc|");
    assert_int_equal(data.moment[data.before[0]].placement, 0);
    assert_int_equal(data.moment[data.before[3 * POINTS]].placement, 1);
    engine_data_free(&data);
}

TEST(the_budget_binds_every_round_but_the_first)
{
    struct script script = {.sample_s = 1};
    struct engine_data data;
    assert_int_equal(run(&script, &(struct engine_effort){.rounds = 5, .budget_s = 1.5}, &data),
                     ENGINE_BUDGET);
    assert_int_equal(data.rounds, 1);
    assert_false(isnan(data.value[POINTS - 1]));
    engine_data_free(&data);
}

TEST(patience_binds_the_rounds_beyond_the_least)
{
    struct script script = {.sample_s = 1};
    struct engine_data data;
    const struct engine_effort effort = {.least = 3, .most = 24, .duration_s = 3, .patience_s = 5};
    assert_int_equal(run(&script, &effort, &data), ENGINE_BUDGET);
    assert_int_equal(data.rounds, 3); /* of 3 s each */
    engine_data_free(&data);
    script = (struct script){.sample_s = 0.3};
    assert_int_equal(run(&script, &effort, &data), ENGINE_BUDGET);
    assert_true(data.rounds > 3 && data.seconds > 4.9 && data.seconds < 5.4);
    engine_data_free(&data);
    script = (struct script){.sample_s = 0.04};
    assert_int_equal(run(&script, &effort, &data), ENGINE_ROUNDS);
    assert_true(data.rounds >= 24 && data.seconds < 3.2);
    engine_data_free(&data);
}

TEST(the_budget_binds_all_where_that_is_asked_for)
{
    struct script script = {.sample_s = 1};
    struct engine_data data;
    struct fault fault = {0};
    const struct engine_bench bench = {
        .context = &script, .points = POINTS, .width = 1, .sample = take, .budget_binds_all = true};
    assert_int_equal(
        run_with(&script, &bench, &(struct engine_effort){.rounds = 5, .budget_s = 1.5}, &data, &fault),
        ENGINE_BUDGET);
    assert_int_equal(script.calls, 2);
    engine_data_free(&data);
}

static double half_a_second(void *context, size_t first)
{
    return 0.5;
}

TEST(no_sample_begins_that_would_end_beyond_the_budget)
{
    struct script script = {.sample_s = 0.5};
    struct engine_data data;
    struct fault fault = {0};
    const struct engine_bench bench = {
        .context = &script, .points = POINTS, .width = 1, .sample = take, .expected_s = half_a_second};
    const struct engine_effort effort = {.rounds = 5, .budget_s = 1.2};
    assert_int_equal(run_with(&script, &bench, &effort, &data, &fault), ENGINE_BUDGET);
    assert_int_equal(script.calls, 2);
    assert_int_equal(data.rounds, 0);
    engine_data_free(&data);
}

TEST(most_rounds_do_not_end_it_before_its_duration)
{
    struct script script = {.sample_s = 0.01};
    struct engine_data data;
    assert_int_equal(run(&script, &(struct engine_effort){.least = 2, .most = 2, .duration_s = 0.2}, &data),
                     ENGINE_ROUNDS);
    assert_true(data.rounds > 2 && data.seconds >= 0.2 && data.seconds < 0.3);
    assert_true(script.last_done > 0.9);
    engine_data_free(&data);
    script = (struct script){.sample_s = 0.01};
    run(&script, &(struct engine_effort){.rounds = 2, .duration_s = 0.2}, &data);
    assert_int_equal(data.rounds, 2);
    engine_data_free(&data);
}

static bool seven_rounds(void *context, const struct engine_data *data)
{
    return data->rounds >= 7;
}

TEST(the_bench_may_say_what_is_enough)
{
    struct script script = {.noise = 5, .sample_s = 1e-5};
    struct engine_data data;
    struct fault fault = {0};
    const struct engine_bench bench = {
        .context = &script, .points = POINTS, .width = 1, .sample = take, .enough = seven_rounds};
    const struct engine_effort effort = {.least = 4, .most = 40};
    assert_int_equal(run_with(&script, &bench, &effort, &data, &fault), ENGINE_SETTLED);
    assert_int_equal(data.rounds, 8); /* asked after 4, 6 and 8 */
    engine_data_free(&data);
}

TEST(an_interruption_keeps_what_there_is)
{
    struct script script = {.interrupt_after = 4};
    struct engine_data data;
    assert_int_equal(run(&script, &(struct engine_effort){.rounds = 5}, &data), ENGINE_INTERRUPTED);
    assert_int_equal(data.rounds, 1);
    assert_int_equal(data.sweeps, 2);
    assert_false(isnan(data.value[POINTS]));
    assert_true(isnan(data.value[POINTS + 1]));
    engine_data_free(&data);
}

TEST(a_fault_ends_everything)
{
    struct script script = {.fail_after = 4};
    struct engine_data data;
    struct fault fault = {0};
    const struct engine_bench bench = {.context = &script, .points = POINTS, .width = 1, .sample = take};
    assert_int_equal(run_with(&script, &bench, &(struct engine_effort){.rounds = 5}, &data, &fault),
                     ENGINE_FAILED);
    assert_int_equal(fault.status, STATUS_FAILED);
    engine_data_free(&data);
}

TEST(what_was_sampled_before_threads_were_moved_stays)
{
    struct script script = {.move_after = 2 * POINTS + 1};
    struct engine_data data;
    assert_int_equal(run(&script, &(struct engine_effort){.rounds = 50}, &data), ENGINE_INTERRUPTED);
    assert_true(script.calls < 4 * POINTS);
    assert_int_equal(data.sweeps, 2);
    for (size_t i = 0; i < 2 * POINTS; i++)
        assert_false(isnan(data.value[i]));
    engine_data_free(&data);
}

TEST(in_the_middle_of_a_sweep_its_first_points_stay)
{
    struct script script = {.move_after = POINTS + 2, .sample_s = 1.1e-3};
    struct engine_data data;
    assert_int_equal(run(&script, &(struct engine_effort){.rounds = 50}, &data), ENGINE_INTERRUPTED);
    assert_int_equal(data.sweeps, 2);
    assert_false(isnan(data.value[POINTS]));
    assert_true(isnan(data.value[POINTS + 1]));
    engine_data_free(&data);
}

/* A team that does not meet any more fails in the sample; what is wrong with a kernel has nothing to do with it. */
TEST(a_sample_that_fails_as_threads_were_moved_is_no_fault)
{
    const struct engine_effort effort = {.rounds = 5};
    struct script script = {.fail_after = 4, .move_after = 4, .failure = STATUS_NO_RESOURCE};
    struct engine_data data;
    assert_int_equal(run(&script, &effort, &data), ENGINE_INTERRUPTED);
    engine_data_free(&data);
    struct script wrong = {.fail_after = 4, .move_after = 4};
    struct fault fault = {0};
    const struct engine_bench bench = {.context = &wrong, .points = POINTS, .width = 1, .sample = take};
    assert_int_equal(run_with(&wrong, &bench, &effort, &data, &fault), ENGINE_FAILED);
    assert_int_equal(fault.status, STATUS_FAILED);
    engine_data_free(&data);
}

TEST(a_sample_that_was_stopped_is_none)
{
    struct script script = {.sample_s = 1e-3, .stop_at = 2 * POINTS + 1};
    struct engine_data data;
    run(&script, &(struct engine_effort){.rounds = 5}, &data);
    assert_true(fabs(script.stopped_s - 3) < 0.01);
    assert_true(isnan(data.value[2 * POINTS]));
    assert_false(isnan(data.value[2 * POINTS + 1]));
    assert_int_equal(data.rounds, 5);
    engine_data_free(&data);
}

TEST(it_ends_when_settled_and_not_before_its_duration)
{
    struct script script = {.noise = 0.01, .sample_s = 1e-5};
    struct engine_data data;
    const struct engine_effort effort = {.least = 10, .most = 100, .settled = 0.01};
    assert_int_equal(run(&script, &effort, &data), ENGINE_SETTLED);
    assert_int_equal(data.rounds, 10);
    engine_data_free(&data);
    struct script longer = {.noise = 0.01, .sample_s = 1e-5};
    const struct engine_effort lasting = {.least = 10, .most = 100, .settled = 0.01, .duration_s = 1e-3};
    assert_int_equal(run(&longer, &lasting, &data), ENGINE_SETTLED);
    assert_true(data.rounds > 10);
    engine_data_free(&data);
}

TEST(noise_runs_to_the_most_rounds)
{
    struct script script = {.noise = 5, .sample_s = 1e-5};
    struct engine_data data;
    const struct engine_effort effort = {.least = 4, .most = 40, .settled = 0.01};
    assert_int_equal(run(&script, &effort, &data), ENGINE_ROUNDS);
    assert_int_equal(data.rounds, 40);
    engine_data_free(&data);
}
