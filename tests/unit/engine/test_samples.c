/* SPDX-License-Identifier: MIT */
/* A run of very many rounds keeps a part of them, and says the same as one that keeps all: both see the same machine; and
 * each sample has the state that was seen around it. */
#include "test.h"

#include "engine/samples.h"
#include "moments.h"
#include "simulated.h"

enum { ROUNDS = 40000, ROUNDS_OF_FIRST = 4, BYTES_MOST = 256 << 10 };

static const double point_cycles[SIM_POINTS] = {5, 40, 0.67};

static bool sample(void *context, size_t first, size_t count, double *value, struct fault *fault)
{
    struct sim *sim = context;
    const double smt = first == 1 ? 0.5 : 0, placed = first == 2 ? sim->placement[sim->placed % 32] : 1;
    const double operations = 100e3 * sim_ghz / point_cycles[first];
    const double seconds = sim_work(sim, point_cycles[first] * placed * operations, 0, smt);
    *value = seconds * 1e9 / operations * (1 + 0.005 * sim_normal(sim));
    return true;
}

static bool remap(void *context, unsigned placement, struct fault *fault)
{
    ((struct sim *)context)->placed = placement;
    return true;
}

static bool last_point_in_the_first_rounds(void *context, size_t first, uint64_t round)
{
    return first < SIM_POINTS - 1 || round < ROUNDS_OF_FIRST;
}

struct wish {
    struct sim_script script;
    bool few; /* samples of the last point */
    size_t bytes_most;
    uint64_t least;
};

static void run(const struct wish *wish, struct sim *sim, struct engine_data *data)
{
    const struct engine_machine machine = {sim, sim_now_ns, sim_probe, sim_interrupted};
    const struct engine_bench bench = {.context = sim,
                                       .points = SIM_POINTS,
                                       .width = 1,
                                       .cycles = true,
                                       .sample = sample,
                                       .remap = remap,
                                       .wants = wish->few ? last_point_in_the_first_rounds : NULL};
    const struct engine_effort effort = {
        .least = wish->least, .most = ROUNDS, .placements = 16, .bytes_most = wish->bytes_most};
    struct fault fault = {0};
    *data = (struct engine_data){0};
    sim_start(sim, &wish->script, 7);
    assert_int_equal(engine_run(&bench, &machine, &effort, data, &fault), ENGINE_ROUNDS);
}

static size_t bytes_of(const struct engine_data *data)
{
    return data->sweeps * (data->cells * sizeof *data->value + data->points * sizeof *data->before +
                           sizeof *data->number) +
           data->moments * sizeof *data->moment;
}

/* Every sample that is kept lies between the two probes that it lay between, in their order. */
static void assert_whole(const struct engine_data *data)
{
    for (size_t i = 0; i + 1 < data->moments; i++)
        assert_true(data->moment[i].end_ns <= data->moment[i + 1].begin_ns);
    for (size_t sweep = 0; sweep < data->sweeps; sweep++) {
        assert_true(sweep == 0 || data->number[sweep] > data->number[sweep - 1]);
        for (size_t point = 0; point < data->points; point++)
            assert_true(data->before[sweep * data->points + point] + 1 < data->moments);
    }
}

static void assert_same(const struct engine_data *all, const struct engine_data *part, size_t cell)
{
    const struct promise promise = {.relative = 0.02,
                                    .absolute = 0.02 * point_cycles[cell],
                                    .placements = cell == 2 ? 8 : 0,
                                    .at_least = NAN,
                                    .at_most = NAN};
    const enum state state = engine_main_state(all);
    struct estimate a, b;
    assert_int_equal(engine_main_state(part), state);
    assert_true(engine_estimate(all, cell, state, 0.5, &a));
    assert_true(engine_estimate(part, cell, state, 0.5, &b));
    assert_int_equal(trust_judge(&a, &promise).trust, trust_judge(&b, &promise).trust);
    assert_true(fabs(a.value - b.value) <= 0.02 * a.value);
    assert_int_equal(a.placements, b.placements);
    /* Of the probes all count. */
    assert_true(engine_share(all, state) == engine_share(part, state));
    assert_true(b.summary.count < a.summary.count);
    assert_true(fabs((double)b.disturbed / (double)b.summary.count -
                     (double)a.disturbed / (double)a.summary.count) < 0.05);
}

static void compare(struct wish wish)
{
    struct sim one, other;
    struct engine_data all, part;
    wish.bytes_most = SIZE_MAX;
    run(&wish, &one, &all);
    wish.bytes_most = BYTES_MOST;
    run(&wish, &other, &part);
    assert_int_equal(all.sweeps, ROUNDS);
    assert_int_equal(all.halvings, 0);
    assert_true(part.halvings > 0);
    assert_true(bytes_of(&part) <= BYTES_MOST + 4096);
    assert_int_equal(part.rounds, ROUNDS);
    assert_int_equal(part.swept, ROUNDS);
    assert_true(part.seconds == all.seconds);
    assert_memory_equal(part.seen, all.seen, sizeof all.seen);
    assert_memory_equal(part.followed, all.followed, sizeof all.followed);
    assert_whole(&all);
    assert_whole(&part);
    for (size_t cell = 0; cell < (size_t)SIM_POINTS - wish.few; cell++)
        assert_same(&all, &part, cell);
    engine_data_free(&all);
    engine_data_free(&part);
}

TEST(a_part_says_the_same_of_a_quiet_machine)
{
    compare((struct wish){.least = 16});
}

TEST(a_part_says_the_same_of_a_busy_one)
{
    compare((struct wish){.script = {.active = 0.5,
                                     .spell_s = 0.05,
                                     .clock_step = 0.1,
                                     .clock_s = 0.5,
                                     .preempted_s = 0.02,
                                     .slice_s = 4e-3},
                          .least = 160});
}

/* As each round has the placement behind that of the round before, one in two would be half of them. */
TEST(no_placement_is_lost)
{
    compare((struct wish){.script = {.placement = 0.3, .bad_placements = 0.3}, .least = 16});
}

TEST(the_whole_run_is_there)
{
    struct sim sim;
    struct engine_data data;
    size_t quarter[4] = {0};
    run(&(struct wish){.bytes_most = BYTES_MOST, .least = 16}, &sim, &data);
    for (size_t sweep = 0; sweep < data.sweeps; sweep++)
        quarter[data.number[sweep] * 4 / ROUNDS]++;
    for (int i = 0; i < 4; i++)
        assert_true(5 * quarter[i] > data.sweeps && 10 * quarter[i] < 3 * data.sweeps);
    engine_data_free(&data);
}

TEST(what_was_sampled_in_the_first_rounds_only_stays)
{
    const struct wish wish = {.few = true, .bytes_most = BYTES_MOST, .least = 16};
    struct sim sim;
    struct engine_data data;
    size_t found = 0;
    run(&wish, &sim, &data);
    assert_true(data.halvings > 0);
    for (size_t sweep = 0; sweep < data.sweeps; sweep++)
        found += !isnan(data.value[sweep * data.cells + SIM_POINTS - 1]);
    assert_int_equal(found, ROUNDS_OF_FIRST);
    engine_data_free(&data);
}

TEST(what_was_sampled_since_the_last_probe_can_be_left_out)
{
    struct sim sim;
    struct engine_data data;
    run(&(struct wish){.bytes_most = BYTES_MOST, .least = 16}, &sim, &data);
    const size_t before = data.sweeps;
    samples_drop(&data); /* the last probe came after all */
    assert_int_equal(data.sweeps, before);
    data.moments--;
    samples_drop(&data);
    for (size_t sweep = 0; sweep < data.sweeps; sweep++)
        for (size_t i = 0; i < SIM_POINTS; i++)
            assert_true(data.before[sweep * data.points + i] + 1 < data.moments ||
                        isnan(data.value[sweep * data.cells + i]));
    assert_true(before - data.sweeps < 64);
    engine_data_free(&data);
}

TEST(a_sample_has_the_state_that_both_probes_saw)
{
    struct row row;
    row_of(&row, "iiaa?");
    assert_int_equal(engine_state(&row.data, 0, 0), STATE_IDLE);
    assert_int_equal(engine_state(&row.data, 1, 0), STATE_MIXED);
    assert_int_equal(engine_state(&row.data, 2, 0), STATE_ACTIVE);
    assert_int_equal(engine_state(&row.data, 3, 0), STATE_MIXED);
}

TEST(a_sample_that_no_probe_followed_is_mixed)
{
    struct row row;
    row_of(&row, "ii");
    row.before[0] = 1;
    assert_int_equal(engine_state(&row.data, 0, 0), STATE_MIXED);
}

TEST(a_sample_is_disturbed_where_the_probes_count_switches)
{
    struct row row;
    row_of(&row, "iii");
    row.moment[2].switches = 1;
    assert_false(engine_disturbed(&row.data, 0, 0));
    assert_true(engine_disturbed(&row.data, 1, 0));
    row.before[1] = 2;
    assert_false(engine_disturbed(&row.data, 1, 0)); /* no probe after it */
}

TEST(shares_are_of_the_probes)
{
    struct row row;
    row_of(&row, "iiia");
    assert_true(engine_share(&row.data, STATE_IDLE) == 0.75);
    assert_true(isnan(engine_share(&(struct engine_data){0}, STATE_IDLE)));
}

TEST(idle_is_reported_where_it_was_there_for_a_tenth)
{
    struct row row;
    row_of(&row, "iaaaaaaaaa");
    assert_int_equal(engine_main_state(&row.data), STATE_IDLE);
    row_of(&row, "iaaaaaaaaaaaa"); /* a thirteenth */
    assert_int_equal(engine_main_state(&row.data), STATE_ACTIVE);
    row_of(&row, "???i");
    assert_int_equal(engine_main_state(&row.data), STATE_UNKNOWN);
}

TEST(what_changes_between_probes_may_change_in_them)
{
    struct row row;
    row_of(&row, "iiiiaaaaiiiiaaaa");
    const double seldom = state_hidden_share(&row.data, STATE_IDLE);
    row_of(&row, "iiaiaaiaiiaaiaia");
    const double often = state_hidden_share(&row.data, STATE_IDLE);
    assert_true(seldom > 0 && often > seldom && often <= 0.9);
    row_of(&row, "iiiiiiii");
    assert_true(state_hidden_share(&row.data, STATE_IDLE) == 0);
    assert_true(state_hidden_share(&row.data, STATE_UNKNOWN) == 0);
}

TEST(probes_without_samples_in_between_say_nothing_of_them)
{
    struct row row;
    row_of(&row, "iiiiaaaa");
    const double share = state_hidden_share(&row.data, STATE_IDLE);
    row.moment[8].reading = row.moment[0].reading;
    row.data.moments = 9;
    state_count(&row.data);
    assert_true(state_hidden_share(&row.data, STATE_IDLE) == share);
    assert_true(engine_share(&row.data, STATE_IDLE) == 5.0 / 9);
}

/* The witness learnt the half, and saw the whole at last. */
TEST(what_a_reading_means_is_known_at_the_end)
{
    struct row row;
    row_of(&row, "aaaaiiaa");
    struct moment *moment = row.moment;
    struct engine_data data = row.data;
    memset(data.seen, 0, sizeof data.seen);
    memset(data.followed, 0, sizeof data.followed);
    data.reading = (struct reading){0};
    for (data.moments = 1; data.moments <= 8; data.moments++) {
        struct moment *last = &moment[data.moments - 1];
        last->reading.whole = data.moments < 6 ? 32 : 64;
        data.sampled = true;
        state_count(&data);
        if (data.moments == 5)
            assert_int_equal(engine_state(&data, 0, 0), STATE_IDLE);
    }
    data.moments = 8;
    for (size_t i = 0; i < 7; i++)
        assert_int_equal(engine_state(&data, i, 0), engine_state(&row.data, i, 0));
    assert_memory_equal(data.seen, row.data.seen, sizeof data.seen);
    assert_memory_equal(data.followed, row.data.followed, sizeof data.followed);
}

TEST(an_idle_sibling_that_nothing_proves_is_flagged)
{
    struct row row;
    struct estimate e;
    row_of(&row, "iiiiiiiiiiaaaaaaaaaa");
    assert_true(engine_estimate(&row.data, 0, STATE_IDLE, 0.5, &e) && !e.unproved);
    assert_int_equal(trust_judge(&e, &promise_core).trust, TRUST_HIGH);
    row.data.reading.sure = false;
    assert_true(engine_estimate(&row.data, 0, STATE_IDLE, 0.5, &e) && e.unproved);
    assert_int_equal(trust_judge(&e, &promise_core).trust, TRUST_MEDIUM);
    assert_int_equal(trust_judge(&e, &promise_core).leg, LEG_PLAUSIBILITY);
    assert_true(engine_estimate(&row.data, 0, STATE_MIXED, 0.5, &e) && !e.unproved);
}
