/* SPDX-License-Identifier: MIT */
/* Measurements as hosts were seen to produce them: the answers of pairs, and the trust of a run. */
#include "test.h"

#include "scene.h"

static void release_record(void *record, size_t count)
{
    record_free(record);
}

/* Made by scene_make and filled. */
static void conclude(void)
{
    struct fault fault = {0};
    s.run.record = own(record_new(), 1, release_record);
    distances_find(&s.matrix);
    latency_answers(&s.matrix);
    latency_report(&s.matrix, &fault);
}

/* Of the row of a pair. */
static const struct cell *cell_of(size_t pair, const char *key)
{
    const struct record_table *cas = &s.run.record->tables.of[0];
    int column = 0;
    while (strcmp(cas->spec->columns[column].key, key) != 0)
        column++;
    return record_cell(cas, pair, column);
}

static const struct answer *found(const char *key)
{
    return record_answer_find(s.run.record, key, NULL);
}

/* NaN: there is no such answer. */
static double value_of(const char *key)
{
    return found(key) ? cell_number(&found(key)->value) : NAN;
}

enum { ALL = -1, L = (int)TRUST_LOW, M = (int)TRUST_MEDIUM, H = (int)TRUST_HIGH };

enum { REGIME = 1, NOISY = 2, PREEMPTED = 4, PLACEMENT = 8 };

/* ns that pairs read from one round to before another: of a transfer and a compare-and-swap. */
static const struct story {
    struct {
        size_t first, last;
        int pair;
        double transfer, cas;
    } spell[4];
    bool guest, cut;
    int64_t flags; /* of the first pair */
    struct {
        const char *key;
        double value; /* give or take 3 %; NaN: not answered */
        int trust;    /* enum trust */
    } answer[6];
} stories[] = {
    /* A pair that stays is plain. */
    {.spell = {{0, 200, 0, 27.9, 27.7}}, .answer = {{"cas.one_l3", 27.7, H}, {"placement.changes", NAN}}},
    {.spell = {{0, 7, 0, 27.9, 27.7}}, .answer = {{"cas.one_l3", 27.7, L}}}, /* of few */
    /* A CAS reads 22 ns between siblings and 26 between cores: only the transfer shows that they were moved. */
    {.spell = {{0, 80, ALL, 4.1, 22}, {80, 200, ALL, 24, 26}},
     .flags = REGIME,
     .answer = {{"cas.one_core", 22, H},
                {"cas.one_l3", 26, H},
                {"transfer.per_cas.one_l3", 24 / 26.0, M},
                {"placement.changes", 6, L},
                {"placement.shared_core", 0.4, L},
                {"placement.hidden_l3", NAN}}},
    /* In a guest one choice of cores promises no time beyond a core. */
    {.spell = {{0, 80, ALL, 5.3, 10.3}, {80, 200, ALL, 27.9, 27.7}},
     .guest = true,
     .flags = REGIME,
     .answer = {{"cas.one_core", 10.3, H},
                {"cas.one_l3", 27.7, L},
                {"queue.transfer.one_l3", 27.9, L},
                {"placement.share_one_core", 40, L}}},
    /* A run that was cut promises no more than medium. */
    {.spell = {{0, 200, ALL, 27.9, 27.7}}, .cut = true, .answer = {{"cas.one_l3", 27.7, M}}},
    /* Pairs shown below one L3 that were found beyond it; a pair of neighbours is one group. */
    {.spell = {{0, 200, ALL, 124.6, 105}},
     .flags = PLACEMENT,
     .answer = {{"cas.beyond_one_l3", 105, H}, {"placement.hidden_l3", 4, L}}},
    {.spell = {{0, 200, ALL, 124.6, 105}, {0, 200, 0, 27.9, 27.7}},
     .answer = {{"cas.beyond_one_l3", 105, H}, {"placement.hidden_l3", 3, L}}},
};

TEST(what_a_run_comes_to)
{
    for (const struct story *story = stories; story < stories + COUNT_OF(stories); story++) {
        const int number = (int)(story - stories);
        scene_make();
        for (size_t i = 0; i < COUNT_OF(story->spell); i++)
            for (int pair = 0; pair < PAIRS; pair++)
                if (story->spell[i].pair == ALL || story->spell[i].pair == pair)
                    scene_set_pair(story->spell[i].first, story->spell[i].last, (size_t)pair,
                                   story->spell[i].transfer, story->spell[i].cas);
        s.matrix.guest = story->guest;
        s.matrix.complete = !story->cut;
        conclude();
        if (cell_of(0, "flags")->integer != story->flags)
            fail_msg("%d: flags %d", number, (int)cell_of(0, "flags")->integer);
        for (size_t i = 0; i < COUNT_OF(story->answer) && story->answer[i].key; i++) {
            const double value = value_of(story->answer[i].key), expected = story->answer[i].value;
            if (isnan(expected) ? !isnan(value) : !(fabs(value - expected) <= 0.03 * expected))
                fail_msg("%d: %s is %g", number, story->answer[i].key, value);
            if (!isnan(value) && (int)found(story->answer[i].key)->trust != story->answer[i].trust)
                fail_msg("%d: trust in %s", number, story->answer[i].key);
        }
    }
}

/* And the matrix has the value of the answer. A part of the pairs is no value of all. */
TEST(the_larger_share_of_the_run_comes_first)
{
    for (size_t core = 60; core <= 140; core += 80) {
        const char *const keys[] = {"cas.one_l3", "cas.one_core"};
        scene_make();
        scene_set_all(0, core, 5.3, 10.3);
        scene_set_all(core, ROUNDS, 27.9, 27.7);
        for (size_t pair = 1; pair < PAIRS; pair++)
            scene_set_pair(0, ROUNDS, pair, NAN, NAN);
        conclude();
        assert_string_equal(s.run.record->answers.of[0].key, keys[core == 140]);
        assert_string_equal(s.run.record->answers.of[1].key, keys[core == 60]);
        assert_float_equal(value_of(keys[core == 140]), cell_number(cell_of(0, "latency_ns")), 1e-4);
        assert_int_equal(cell_of(0, "rounds")->integer, core == 60 ? ROUNDS - core : core);
        assert_true(isnan(cell_number(cell_of(1, "latency_ns")))); /* never measured */
        assert_true(s.run.left_out);
        s.matrix.data.rounds = 0;
        conclude();
        assert_null(found("cas.one_l3"));
    }
}

/* Longer and shorter ways at one distance, 4 % apart: the value is that of the median pair, and no spread. */
TEST(pairs_at_one_distance_are_scaled_to_the_median_pair)
{
    scene_make();
    for (size_t i = 0; i < ROUNDS * PAIRS; i++)
        scene_set(i / PAIRS, i % PAIRS, 28, 24 + (double)(i % PAIRS) + 0.01 * (double)(i / PAIRS % 7));
    conclude();
    const struct answer *answer = found("cas.one_l3");
    assert_float_equal(cell_number(&answer->value), 26.5, 0.1);
    assert_float_equal(value_of("cas.matrix_mean"), 26.5, 0.1);
    assert_true(cell_number(&answer->high) - cell_number(&answer->low) < 0.1);
    assert_int_equal(answer->samples, ROUNDS * PAIRS);
}

/* A whole run may fall into one regime, which shows where it contradicts the topology. */
TEST(each_flag_has_its_limit)
{
    static const struct {
        double transfer;
        int core, l2, l3; /* of the second CPU; the first has 0 */
        uint64_t dropped; /* of a hundred samples */
        int64_t flags;
        bool blind; /* no transfer is measured, which is held against the topology */
    } rows[] = {{5.3, 1, 1, 0, 0, PLACEMENT},  {5.3, 1, 1, 0, 0, 0, true},   {5.3, 0, 0, 0, 0, 0},
                {5.3, 1, 0, 0, 0, 0},          {27.9, 1, 1, 0, 0, 0},        {124.6, 1, 1, 0, 0, PLACEMENT},
                {124.6, 1, 1, 1, 0, 0},        {15.9, 0, 0, 0, 5, 0}, /* four times the L2 */
                {16.1, 0, 0, 0, 5, PLACEMENT}, {15.9, 0, 0, 0, 6, PREEMPTED}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        scene_make();
        scene_set_pair(0, ROUNDS, 0, rows[i].transfer, rows[i].transfer);
        s.place[1].core = rows[i].core;
        s.place[1].l2 = rows[i].l2;
        s.place[1].l3 = rows[i].l3;
        if (rows[i].blind) {
            s.matrix.setup.measures[SERIES_TRANSFER] = false;
            s.matrix.l2 = s.matrix.l3 = (struct own_ns){NAN, NAN};
        }
        s.tally[0].samples[SERIES_CAS] = 100;
        s.tally[0].dropped[SERIES_CAS] = rows[i].dropped;
        conclude();
        assert_int_equal(cell_of(0, "flags")->integer, rows[i].flags);
    }
}

TEST(disturbed_measurements_are_left_out_and_flagged)
{
    static const struct {
        size_t quiet, used; /* of all: up to where nothing else ran; the compared sample */
        int64_t flags;
    } rows[] = {{100, 100, 0},
                {99, 99, PREEMPTED},
                {4, 4, PREEMPTED},
                {1, 1, PREEMPTED},
                {0, ROUNDS, PREEMPTED}}; /* in the table only */
    for (size_t row = 0; row < COUNT_OF(rows); row++) {
        scene_make();
        scene_set_all(0, ROUNDS, 27.9, 27.7);
        for (size_t i = rows[row].quiet; i <= ROUNDS; i++)
            s.moment[i].switches = i - rows[row].quiet;
        conclude();
        assert_int_equal(cell_of(0, "flags")->integer, rows[row].flags);
        assert_int_equal(cell_of(0, "rounds")->integer, rows[row].used);
        const struct answer *answer = record_answer_find(s.run.record, "cas.one_l3", NULL);
        assert_int_equal(cell_has_value(&answer->value), rows[row].quiet > 0);
        const bool has_range = rows[row].quiet > 0 && answer->samples > 3;
        assert_int_equal(cell_has_value(&answer->low), has_range);
        assert_true(has_range || (answer->trust == TRUST_LOW && answer->remark));
    }
}

/* Compare-and-swaps of 100 ns that take so much longer in the second half of the run. */
TEST(a_tenth_apart_is_noisy)
{
    static const double apart[] = {1.055, 1.063}; /* 9 % to either side; 11 % */
    for (int i = 0; i < 2; i++) {
        scene_make();
        for (size_t round = 0; round < ROUNDS; round++)
            scene_set(round, 0, 30, 2 * round < ROUNDS ? 100 : 100 * apart[i]);
        conclude();
        assert_int_equal(cell_of(0, "flags")->integer, i ? NOISY : 0);
    }
}

/* A key is one quantity, whatever else a run has. */
TEST(a_queue_has_a_key_for_each_consumer)
{
    scene_make();
    scene_set_all(0, ROUNDS, 27.9, NAN);
    s.params.benches = 1u << BENCH_READWRITE;
    s.matrix.setup.measures[SERIES_READWRITE] = true;
    s.matrix.setup.measures[SERIES_CAS] = false;
    for (size_t i = 0; i < ROUNDS * POINTS; i++)
        s.value[i][SERIES_READWRITE] = 2 * s.value[i][SERIES_TRANSFER];
    conclude();
    assert_float_equal(value_of("queue.transfer.one_l3"), 27.9, 0.6);
    assert_float_equal(value_of("queue.readwrite.one_l3"), 2 * 27.9, 1.2);
    assert_float_equal(value_of("transfer.per_readwrite.one_l3"), 0.5, 1e-4);
    assert_float_equal(value_of("transfer.one_l3"), 27.9, 0.6); /* measured, though it was not asked for */
}

/* Each answer that holds at one distance has it in its key: 124 ns beyond an L3 and 28 ns within one are two quantities. */
TEST(a_key_names_its_distance)
{
    static const double ns[] = {5.3, 27.9, 124.6};
    static const char *const ends[] = {".one_core", ".one_l3", ".beyond_one_l3"};
    for (size_t i = 0; i < COUNT_OF(ns); i++) {
        scene_make();
        scene_set_all(0, ROUNDS, ns[i], ns[i]);
        conclude();
        size_t at_a_distance = 0;
        for (size_t k = 0; k < s.run.record->answers.count; k++) {
            const struct answer *answer = &s.run.record->answers.of[k];
            for (const char *const *name = distance_names; answer->state && *name; name++) {
                const size_t length = strlen(answer->key), end = strlen(ends[i]);
                if (strcmp(answer->state, *name) != 0)
                    continue;
                at_a_distance++;
                if (length <= end || strcmp(answer->key + length - end, ends[i]) != 0)
                    fail_msg("%s is found at %s", answer->key, answer->state);
            }
        }
        assert_true(at_a_distance >= 3);
    }
}

/* Large and small cores are places of their own at each distance, next to that of all. */
TEST(pairs_of_two_kinds_of_core_have_answers_by_kind)
{
    static const struct {
        const char *key;
        double ns;
    } answers[] = {{"cas.one_l3.p-p", 20}, {"cas.one_l3.p-e", 22}, {"cas.one_l3.e-e", 24}};
    static struct topology topology = {.kind_count = 2, .kind = {{.rank = 0}, {.rank = 1}}};
    scene_make();
    s.run.topology = &topology;
    s.matrix.l3 = (struct own_ns){13, 13};
    for (int i = 0; i < CPUS; i++)
        s.place[i].kind = i < CPUS / 2 ? 1 : 0;
    for (size_t pair = 0; pair < PAIRS; pair++) {
        const int large = (s.pair[pair].from < CPUS / 2) + (s.pair[pair].to < CPUS / 2);
        scene_set_pair(0, ROUNDS, pair, 28, 24 - 2 * large);
    }
    conclude();
    for (size_t i = 0; i < COUNT_OF(answers); i++) {
        if (!(fabs(value_of(answers[i].key) / answers[i].ns - 1) < 0.03))
            fail_msg("%s: %g", answers[i].key, value_of(answers[i].key));
    }
    assert_true(value_of("cas.one_l3") > 0);
    for (int i = 0; i < CPUS; i++)
        s.place[i].kind = 0;
    conclude();
    assert_true(isnan(value_of("cas.one_l3.e-e")) && value_of("cas.one_l3") > 0);
}

/* One instruction, and LL/SC where there is another; at 2 GHz. */
TEST(own_lines_are_counted_in_cycles)
{
    uint64_t random = 1;
    scene_make();
    s.matrix.setup.measures[SERIES_OWN_LLSC] = true;
    for (size_t round = 0; round < ROUNDS; round++) {
        scene_set(round, POINTS - 1, NAN, near_to(&random, 40));
        s.value[round * POINTS + POINTS - 1][SERIES_OWN_LLSC] = (float)near_to(&random, 8);
    }
    conclude();
    assert_float_equal(value_of("cas.own_line"), 80, 3);
    assert_float_equal(value_of("cas.llsc"), 16, 0.6);
    assert_int_equal(found("cas.llsc")->trust, TRUST_HIGH);
}

/* Transfers by compare-and-swaps of 25 ns at the distance beyond a core, as if they were loads and stores; noise of 2 % at most. */
static void set_ratio(size_t first, size_t last, size_t pair, double ratio)
{
    for (size_t round = first; round < last; round++)
        scene_set(round, pair, 25 * ratio * (0.98 + 0.004 * (double)(round * 7 % 11)), 25);
}

/* At the one distance that there is. */
static const struct answer *found_at_any(const char *prefix)
{
    for (size_t i = 0; i < s.run.record->answers.count; i++)
        if (strncmp(s.run.record->answers.of[i].key, prefix, strlen(prefix)) == 0)
            return &s.run.record->answers.of[i];
    return NULL;
}

static const struct answer *ratio_of(const char *key, bool guest)
{
    s.matrix.guest = guest;
    s.matrix.setup.measures[SERIES_READWRITE] = true;
    for (size_t i = 0; i < ROUNDS * POINTS; i++)
        s.value[i][SERIES_READWRITE] = s.value[i][SERIES_TRANSFER];
    conclude();
    return found_at_any(key);
}

/* Each round is slower than the one before, in both series alike. */
TEST(ratios_hold_where_times_do_not)
{
    scene_make();
    for (size_t i = 0; i < ROUNDS * PAIRS; i++)
        scene_set(i / PAIRS, i % PAIRS, 25 + 0.02 * (double)(i / PAIRS), 20 + 0.016 * (double)(i / PAIRS));
    scene_set(7, 3, 25, NAN);
    const struct answer *ratio = ratio_of("readwrite.per_cas", true);
    assert_int_equal(ratio->trust, TRUST_HIGH);
    assert_int_equal(ratio->samples, PAIRS * ROUNDS - 1);
    assert_float_equal(cell_number(&ratio->value), 1.25, 1e-4);
    assert_float_equal(cell_number(&ratio->low), cell_number(&ratio->high), 1e-4);
}

/* All of 200 measurements of one pair of cores say nothing of the next one, and not all are alike: on Zen 4 25 ns and 27, or 29.6 and 26.6.
 * The promise of high is 5 %: half of six so much above the middle, and half below. Without a host the pair stays that pair. */
TEST(a_ratio_is_of_the_pairs_that_were_seen)
{
#define ABOUT(middle, off)                                                                                   \
    middle *(1 - (off)), middle *(1 + (off)), middle *(1 - (off)), middle *(1 + (off)), middle *(1 - (off)), \
        middle *(1 + (off))
    static const struct {
        size_t pairs;
        double ratio[6];
        int readwrite, transfer; /* enum trust */
    } rows[] = {{1, {1.08}, L, L},
                {3, {1.08, 1.08, 1.08}, L, L},
                {4, {1.08, 1.08, 1.08, 1.08}, H, M},
                {4, {1.08, 0.9, 1.07, 0.91}, L, L},
                {4, {1.08, 1.12, 1.07, 1.11}, M, M},
                {6, {ABOUT(2.2, 0.016)}, H, M},
                {6, {ABOUT(2.2, 0.024)}, M, M}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        scene_make();
        for (size_t pair = 0; pair < rows[i].pairs; pair++)
            set_ratio(0, ROUNDS, pair, rows[i].ratio[pair]);
        assert_int_equal(ratio_of("readwrite.per_cas", true)->trust, rows[i].readwrite);
        assert_int_equal(found_at_any("transfer.per_cas")->trust, rows[i].transfer);
        assert_true(i > 1 || ratio_of("readwrite.per_cas", false)->trust == TRUST_HIGH);
        /* Measured both ways, four pairs are two pairs of cores. */
        s.params.both_ways = true;
        assert_int_equal(ratio_of("readwrite.per_cas", true)->trust, L);
    }
}

/* A distance that comes back is other cores: four stays of eight measurements are four placements, of seven they are none. */
TEST(each_stay_is_a_placement)
{
    for (size_t length = 7; length <= 8; length++) {
        scene_make();
        scene_set_pair(0, ROUNDS, 0, 5.3, 10.3);
        for (size_t stay = 0; stay < 4; stay++)
            set_ratio(20 * stay, 20 * stay + length, 0, 1.08);
        scene_set_pair(80, ROUNDS, 0, NAN, NAN);
        assert_int_equal(ratio_of("transfer.per_cas", true)->trust, length == 8 ? M : L);
    }
}

/* A time in a guest follows the cores that the host chose and the clock of their interconnect: medium
 * trust asks for two stays that agree, behind a spell elsewhere. On Zen 4 cas below one L3 took 25.0 to
 * 28.4 ns from run to run, each steady. Pairs that stay where they are share their moment, so that six of
 * them are one placement. */
TEST(a_time_in_a_guest_is_of_the_stays_that_were_seen)
{
    static const struct {
        size_t pairs, stays, length, away;
        double step; /* of the time, from one stay to the next */
        bool is_bare;
        int trust;
        bool has_reason;
    } rows[] = {{1, 1, 40, 8, 0, false, L, true},     {6, 1, 40, 8, 0, false, L, true},
                {1, 2, 40, 8, 0, false, M, false},    {6, 2, 40, 8, 0, false, M, false},
                {1, 2, 40, 7, 0, false, L, true},     {1, 2, 8, 8, 0, false, M, false},
                {1, 2, 7, 8, 0, false, L, true},      {1, 2, 40, 8, 0.04, false, M, false},
                {1, 2, 40, 8, 0.08, false, L, false}, {1, 4, 40, 8, 0.4, false, M, false},
                {1, 4, 40, 8, 1.1, false, L, false},  {1, 1, 40, 8, 0, true, H, false}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        scene_make();
        for (size_t pair = 0; pair < rows[i].pairs; pair++)
            for (size_t stay = 0, round = 0; stay < rows[i].stays; stay++) {
                for (const size_t end = round + rows[i].length; round < end; round++)
                    scene_set(round, pair, 28, 25 + rows[i].step * (double)stay);
                for (const size_t end = round + rows[i].away; stay + 1 < rows[i].stays && round < end;
                     round++)
                    scene_set(round, pair, 5.3, 10.3);
            }
        s.matrix.guest = !rows[i].is_bare;
        conclude();
        const struct answer *cas = found("cas.one_l3");
        if ((int)cas->trust != rows[i].trust || (cas->remark != NULL) != rows[i].has_reason)
            fail_msg("row %d: trust %d, %s", (int)i, (int)cas->trust, cas->remark ? cas->remark : "-");
    }
}
