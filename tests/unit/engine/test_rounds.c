/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "engine/engine_internal.h"

enum { POINTS = 3, ORDER = 1024 };

/* A scripted machine: a sample takes 0.4 ms, a probe 1 us. */
struct script {
    char order[ORDER]; /* points as letters, probes as |, re-mappings as digits */
    size_t taken, calls;
    double now_s, sample_s, probe_s;
    double waits_s;                     /* how much longer some probes take: */
    size_t probes, waits_at, each;      /* this one, or one in `each` */
    size_t interrupt_after, fail_after; /* samples; 0: never */
    double noise, last_done;
    size_t stop_at, move_after;    /* samples; 0: never */
    double stopped_s, waits_share; /* of the time another program has the CPU */
    enum status failure;           /* 0: STATUS_FAILED */
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

static void progress(void *context, double done)
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

static bool not_b_after_the_first(void *context, size_t first, uint64_t round)
{
    return first != 1 || round == 0;
}

static bool b_in_one_of_three(void *context, size_t first, uint64_t round)
{
    return first != 1 || round == ENGINE_LATER || round % 3 == 0;
}

static double half_a_second(void *context, size_t first)
{
    return 0.5;
}

static bool seven_rounds(void *context, const struct engine_data *data)
{
    return data->rounds >= 7;
}

static uint64_t waited(void *context)
{
    const struct script *script = context;
    return (uint64_t)(script->now_s * script->waits_share * 1e9);
}

static bool joins_in_round_two(void *context, size_t first, uint64_t round)
{
    return first != 1 || round >= 2;
}

static bool note_round(void *context, uint64_t round, struct fault *fault)
{
    note(context, (char)('A' + round));
    return true;
}

static const size_t a_and_b_together[] = {0, 2};

struct wish {
    struct script script;
    struct engine_effort effort;
    struct engine_bench bench; /* beyond points and samples */
    enum engine_end end;
    const char *order;            /* the beginning; NULL: any */
    uint64_t rounds, rounds_most; /* exactly so many, or at least and at most */
    size_t calls, values, probes; /* of samples; samples that count; least number of probes; 0: any */
    double seconds, seconds_most;
};

/* Runs a wish; its script records the events. */
static struct engine_data run(struct wish *wish, enum status status)
{
    struct script *script = &wish->script;
    const struct engine_machine machine = {
        script, now, probe, is_interrupted, in_place, stood_still, .progress = progress, .waited_ns = waited};
    struct engine_bench bench = wish->bench;
    struct engine_data data = {0};
    struct fault fault = {0};
    bench.context = script;
    bench.points = POINTS;
    bench.width = 1;
    bench.sample = take;
    bench.remap = remap;
    assert_int_equal(engine_run(&bench, &machine, &wish->effort, &data, &fault), wish->end);
    assert_int_equal(fault.status, status);
    return data;
}

static void assert_as_wished(const struct wish *wish, const struct engine_data *data)
{
    const struct script *script = &wish->script;
    size_t values = 0;
    for (size_t i = 0; i < data->kept * POINTS; i++)
        if (!isnan(data->value[i])) {
            assert_true(fabs((double)data->value[i] - 10 * (double)(i % POINTS + 1)) <= script->noise + 1e-5);
            values++;
        }
    if (wish->order)
        assert_memory_equal(script->order, wish->order, strlen(wish->order));
    if (wish->rounds)
        assert_in_range(data->rounds, wish->rounds, wish->rounds_most ? wish->rounds_most : wish->rounds);
    assert_true(!wish->calls || script->calls == wish->calls);
    assert_true(!wish->values || values == wish->values);
    assert_true(data->moments >= wish->probes);
    assert_true(data->seconds >= wish->seconds);
    assert_true(wish->seconds_most <= 0 || data->seconds < wish->seconds_most);
    assert_true(wish->end != ENGINE_ROUNDS || script->last_done > 0.9);
    assert_true(fabs(script->stopped_s - (script->stop_at ? 3 : 0)) < 0.01 + script->sample_s);
}

static void all_as_wished(const struct wish *wishes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct wish wish = wishes[i];
        print_message("row %zu\n", i);
        struct engine_data data = run(&wish, wish.end == ENGINE_FAILED ? STATUS_FAILED : STATUS_OK);
        assert_as_wished(&wish, &data);
        engine_data_free(&data);
    }
}

#define ALL_AS_WISHED(...)                                                                                   \
    all_as_wished((const struct wish[]){__VA_ARGS__},                                                        \
                  sizeof(const struct wish[]){__VA_ARGS__} / sizeof(struct wish))
#define SAMPLES_OF(s) .script = {.sample_s = s}

TEST(every_point_once_then_all_again)
{
    ALL_AS_WISHED(
        {SAMPLES_OF(1e-5),
         {.rounds = 2},
         .end = ENGINE_ROUNDS,
         .order = "|abcabc|",
         .rounds = 2,
         .values = 6},
        {SAMPLES_OF(1e-5), {.rounds = 2, .samples = 3}, .end = ENGINE_ROUNDS, .rounds = 2, .values = 18},
        {SAMPLES_OF(1e-5),
         {.rounds = 4, .placements = 2},
         .end = ENGINE_ROUNDS,
         .order = "|abcabc|1|abcabc|"},
        {SAMPLES_OF(1e-5),
         {.rounds = 1},
         {.group = a_and_b_together, .groups = 2},
         .end = ENGINE_ROUNDS,
         .order = "|abc|",
         .calls = 2,
         .values = 3});
}

/* Seldom wanted points still get their samples: the eighth comes in round 21. */
TEST(points_that_are_not_wanted_are_left_out_and_delay_no_end)
{
    ALL_AS_WISHED({SAMPLES_OF(1e-5),
                   {.least = 10, .most = 20, .settled = 0.01},
                   {.wants = not_b_after_the_first},
                   .end = ENGINE_SETTLED,
                   .order = "|abcacac"},
                  {SAMPLES_OF(1e-6),
                   {.least = 8, .most = 100, .settled = 0.01},
                   {.wants = b_in_one_of_three},
                   .end = ENGINE_SETTLED,
                   .order = "|abcacacabc",
                   .rounds = 22,
                   .rounds_most = 49});
}

/* The budget binds every round but the first, or all, and no sample begins that would end beyond it. Patience
 * binds the rounds beyond the least. */
TEST(budget_and_patience_bind)
{
    const struct engine_effort patient = {.least = 3, .most = 24, .duration_s = 3, .patience_s = 5};
    ALL_AS_WISHED(
        {SAMPLES_OF(1), {.rounds = 5, .budget_s = 1.5}, .end = ENGINE_BUDGET, .rounds = 1, .values = 3},
        {SAMPLES_OF(1),
         {.rounds = 5, .budget_s = 1.5},
         {.budget_binds_all = true},
         .end = ENGINE_BUDGET,
         .calls = 2},
        {SAMPLES_OF(0.5),
         {.rounds = 5, .budget_s = 1.2},
         {.expected_s = half_a_second},
         .end = ENGINE_BUDGET,
         .calls = 2},
        {SAMPLES_OF(1), patient, .end = ENGINE_BUDGET, .rounds = 3},
        {SAMPLES_OF(0.3), patient, .end = ENGINE_BUDGET, .rounds = 4, .rounds_most = 23, .seconds = 4.9,
         .seconds_most = 5.4},
        {SAMPLES_OF(0.04), patient, .end = ENGINE_ROUNDS, .rounds = 24, .rounds_most = 99,
         .seconds_most = 3.2});
}

#define BESIDE(share) .script = {.sample_s = 0.05, .waits_share = share}
/* Limits that nobody typed are of one's own time, and end after three times as much wall time; the user's is wall time. */
TEST(load_costs_time_and_no_rounds)
{
    const struct engine_effort patient = {.least = 3, .patience_s = 5}, bound = {.least = 3, .budget_s = 5},
                               typed = {.least = 3, .budget_s = 5, .is_wall = true};
    ALL_AS_WISHED({BESIDE(0), patient, .end = ENGINE_BUDGET, .seconds = 4.9, .seconds_most = 5.1},
                  {BESIDE(0), bound, .end = ENGINE_BUDGET, .seconds = 4.9, .seconds_most = 5.1},
                  {BESIDE(0.5), patient, .end = ENGINE_BUDGET, .seconds = 9.9, .seconds_most = 10.1},
                  {BESIDE(0.5), bound, .end = ENGINE_BUDGET, .seconds = 9.9, .seconds_most = 10.1},
                  {BESIDE(0.5), typed, .end = ENGINE_BUDGET, .seconds = 4.9, .seconds_most = 5.1},
                  {BESIDE(0.66), bound, .end = ENGINE_BUDGET, .seconds = 14.6, .seconds_most = 14.8},
                  {BESIDE(0.67), bound, .end = ENGINE_BUDGET, .seconds = 14.9, .seconds_most = 15.1},
                  {BESIDE(0.9), patient, .end = ENGINE_BUDGET, .seconds = 14.9, .seconds_most = 15.1});
}

#define STOPPED(share) .script = {.sample_s = 0.05, .stop_at = 10, .waits_share = share}
/* A stop of 3 s is no time of one's own, either; where it was waited for a CPU meanwhile, that counts
 * once. */
TEST(a_stop_costs_time_and_no_rounds)
{
    const struct engine_effort bound = {.least = 3, .budget_s = 5}, patient = {.least = 3, .patience_s = 5},
                               typed = {.least = 3, .budget_s = 5, .is_wall = true};
    ALL_AS_WISHED({STOPPED(0), bound, .end = ENGINE_BUDGET, .seconds = 7.9, .seconds_most = 8.1},
                  {STOPPED(0), patient, .end = ENGINE_BUDGET, .seconds = 7.9, .seconds_most = 8.1},
                  {STOPPED(0), typed, .end = ENGINE_BUDGET, .seconds = 4.9, .seconds_most = 5.1},
                  {STOPPED(0.5), bound, .end = ENGINE_BUDGET, .seconds = 12, .seconds_most = 13});
}

TEST(a_bench_prepares_what_joins_in_a_round)
{
    ALL_AS_WISHED({SAMPLES_OF(1e-5),
                   {.rounds = 3},
                   {.wants = joins_in_round_two, .begins = note_round},
                   .end = ENGINE_ROUNDS,
                   .order = "|AacBacCabc|"});
}

TEST(it_ends_when_settled_and_not_before_its_duration)
{
    ALL_AS_WISHED({SAMPLES_OF(0.01),
                   {.least = 2, .most = 2, .duration_s = 0.2},
                   .end = ENGINE_ROUNDS,
                   .rounds = 3,
                   .rounds_most = 99,
                   .seconds = 0.2,
                   .seconds_most = 0.3},
                  {SAMPLES_OF(0.01), {.rounds = 2, .duration_s = 0.2}, .end = ENGINE_ROUNDS, .rounds = 2},
                  {{.noise = 0.01, .sample_s = 1e-5},
                   {.least = 10, .most = 100, .settled = 0.01},
                   .end = ENGINE_SETTLED,
                   .rounds = 10},
                  {{.noise = 0.01, .sample_s = 1e-5},
                   {.least = 10, .most = 100, .settled = 0.01, .duration_s = 1e-3},
                   .end = ENGINE_SETTLED,
                   .rounds = 11,
                   .rounds_most = 99},
                  {{.noise = 5, .sample_s = 1e-5},
                   {.least = 4, .most = 40, .settled = 0.01},
                   .end = ENGINE_ROUNDS,
                   .rounds = 40},
                  {{.noise = 5, .sample_s = 1e-5}, /* asks the bench after 4, 6 and 8 rounds */
                   {.least = 4, .most = 40},
                   {.enough = seven_rounds},
                   .end = ENGINE_SETTLED,
                   .rounds = 8});
}

/* A team whose threads were moved fails in the sample, which interrupts the run; a wrong kernel fails it. */
TEST(an_interrupted_run_keeps_what_there_is)
{
    const struct script moved = {.fail_after = 4, .move_after = 4, .failure = STATUS_NO_RESOURCE};
    ALL_AS_WISHED(
        {{.interrupt_after = 4}, {.rounds = 5}, .end = ENGINE_INTERRUPTED, .rounds = 1, .values = 4},
        {{.move_after = 2 * POINTS + 1}, {.rounds = 50}, .end = ENGINE_INTERRUPTED, .values = 2 * POINTS},
        {{.move_after = POINTS + 2, .sample_s = 1.1e-3},
         {.rounds = 50},
         .end = ENGINE_INTERRUPTED,
         .values = POINTS + 1},
        {{.move_after = 100 * POINTS + 1,
          .sample_s = 2e-3,
          .probe_s = 5}, /* beside load there is hardly a probe */
         {.rounds = 500},
         .end = ENGINE_INTERRUPTED,
         .rounds = 100,
         .values = 100 * POINTS},
        {moved, {.rounds = 5}, .end = ENGINE_INTERRUPTED},
        {{.fail_after = 4, .move_after = 4}, {.rounds = 5}, .end = ENGINE_FAILED},
        {{.fail_after = 4}, {.rounds = 5}, .end = ENGINE_FAILED},
        {{.sample_s = 1e-3, .stop_at = 2 * POINTS + 1}, /* a sample during a stop does not count */
         {.rounds = 5},
         .end = ENGINE_ROUNDS,
         .rounds = 5,
         .values = 5 * POINTS - 1},
        {{.probe_s = 1e-4,
          .sample_s = 4e-3,
          .waits_s = 0.2,
          .waits_at = 20}, /* a stopped probe does not prevent others */
         {.rounds = 50},
         .end = ENGINE_ROUNDS,
         .probes = 121,
         .seconds_most = 1});
}

TEST(a_probe_ends_each_batch)
{
    struct wish wish = {.effort = {.rounds = 2}, .end = ENGINE_ROUNDS};
    struct engine_data data = run(&wish, STATUS_OK);
    assert_string_equal(wish.script.order, "|abc|abc|");
    assert_int_equal(data.before[0], 0);
    assert_int_equal(data.before[POINTS], 1);
    assert_int_equal(data.moments, 3);
    assert_true(fabs(data.probing_s - 3e-6) < 1e-8);
    engine_data_free(&data);
    wish = (struct wish){SAMPLES_OF(1e-5), .effort = {.rounds = 4, .placements = 2}, .end = ENGINE_ROUNDS};
    data = run(&wish, STATUS_OK);
    assert_int_equal(data.moment[data.before[0]].placement, 0);
    assert_int_equal(data.moment[data.before[3 * POINTS]].placement, 1);
    engine_data_free(&data);
}

/* Every run has a first and a last probe. Next to a busy loop probes wait for the CPU and become fewer. */
TEST(probes_take_a_tenth_of_the_time)
{
    static const struct {
        struct script script;
        uint64_t rounds;
        double longest_s;
    } rows[] = {{{.probe_s = 1e-3}, 100, 1e-3},
                {{.probe_s = 1e-4, .sample_s = 4e-3, .waits_s = 5e-3, .each = 2}, 160, 5.1e-3}};
    for (size_t i = 0; i < 2; i++) {
        struct wish wish = {
            .script = rows[i].script, .effort = {.rounds = rows[i].rounds}, .end = ENGINE_ROUNDS};
        struct engine_data data = run(&wish, STATUS_OK);
        assert_true(data.probing_s <= 0.1 * data.seconds + 2 * rows[i].longest_s);
        assert_true(data.probing_s > 0.08 * data.seconds);
        engine_data_free(&data);
    }
}
