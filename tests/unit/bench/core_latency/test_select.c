/* SPDX-License-Identifier: MIT */
/* Measurements as hosts were seen to produce them: what becomes of a pair, and what a run of few or many pairs may promise. */
#include "test.h"

#include "scene.h"

/* The first pair's. */
static const struct latency_cell *conclude(void)
{
    latency_conclude(&s.matrix);
    return cas_of(0);
}

/* Of all pairs, or one; -1: whatever the distance. */
static struct latency_selected cas_at(int pair, int distance)
{
    latency_conclude(&s.matrix);
    return latency_select(&s.matrix, (struct latency_selection){SERIES_CAS, SERIES_COUNT, pair, distance});
}

TEST(a_pair_that_stays_is_plain)
{
    scene_make();
    scene_set_all(0, SWEEPS, 27.9, 27.7);
    for (size_t sweep = 0; sweep < SWEEPS; sweep++)
        scene_set(sweep, 1, NAN, NAN);
    const struct latency_cell *cell = conclude();
    assert_int_equal(cell->flags, 0);
    assert_int_equal(cell->distance, 0);
    assert_int_equal(cell->rounds, SWEEPS);
    assert_float_equal(cell->value, 27.7, 0.6);
    assert_true(isnan(cas_of(1)->value)); /* never measured */
    const struct latency_selected selected = cas_at(0, 0);
    assert_int_equal(selected.verdict.trust, TRUST_HIGH);
    assert_float_equal(selected.estimate.value, cell->value, 1e-4);
}

/* A CAS reads 22 ns between siblings and 26 between cores: only the transfer tells that they were moved. */
TEST(a_pair_that_was_moved_has_a_value_at_each_distance)
{
    scene_make();
    scene_set_all(0, 80, 4.1, 22);
    scene_set_all(80, SWEEPS, 24, 26);
    const struct latency_cell *cell = conclude();
    assert_int_equal(cell->flags, FLAG_REGIME);
    assert_int_equal(cell->distance, 1);
    assert_int_equal(cell->rounds, SWEEPS - 80);
    assert_float_equal(cell->value, 26, 0.6);
    const struct latency_selected near = cas_at(3, 0), far = cas_at(3, 1);
    assert_float_equal(near.estimate.value, 22, 0.5);
    assert_int_equal(near.count, 80);
    assert_float_equal(far.estimate.value, 26, 0.5);
    assert_int_equal(far.count, SWEEPS - 80);
}

/* Longer and shorter ways at one distance, 4 % apart: the value is that of the median pair, and no spread. */
TEST(pairs_at_one_distance_are_scaled_to_the_median_pair)
{
    scene_make();
    for (size_t i = 0; i < SWEEPS * PAIRS; i++)
        scene_set(i / PAIRS, i % PAIRS, 28, 24 + (double)(i % PAIRS) + 0.01 * (double)(i / PAIRS % 7));
    const struct latency_selected selected = cas_at(ALL_PAIRS, 0);
    assert_float_equal(selected.estimate.value, 26.5, 0.1);
    assert_true(selected.estimate.high - selected.estimate.low < 0.1);
    assert_int_equal(selected.estimate.summary.count, SWEEPS * PAIRS);
}

/* All of a run may fall into one regime; it shows where it contradicts the topology. */
TEST(each_flag_has_its_limit)
{
    static const struct {
        double transfer;
        int core, l2, l3; /* of the second CPU; the first has 0 */
        uint64_t dropped; /* of a hundred samples */
        unsigned flags;
    } rows[] = {{5.3, 1, 1, 0, 0, FLAG_PLACEMENT},
                {5.3, 0, 0, 0, 0, 0},
                {5.3, 1, 0, 0, 0, 0},
                {27.9, 1, 1, 0, 0, 0},
                {124.6, 1, 1, 0, 0, FLAG_PLACEMENT},
                {124.6, 1, 1, 1, 0, 0},
                {15.9, 0, 0, 0, 5, 0},
                {16.1, 0, 0, 0, 5, FLAG_PLACEMENT}, /* four times the L2 */
                {15.9, 0, 0, 0, 6, FLAG_PREEMPTED}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        scene_make();
        for (size_t sweep = 0; sweep < SWEEPS; sweep++)
            scene_set(sweep, 0, rows[i].transfer, rows[i].transfer);
        s.place[1].core = rows[i].core;
        s.place[1].l2 = rows[i].l2;
        s.place[1].l3 = rows[i].l3;
        cas_of(0)->samples = 100;
        cas_of(0)->dropped = rows[i].dropped;
        assert_int_equal(conclude()->flags, rows[i].flags);
    }
}

TEST(without_a_transfer_nothing_is_held_against_the_topology)
{
    scene_make();
    scene_set_all(0, 3, NAN, 5.3);
    s.matrix.setup.measures[SERIES_TRANSFER] = false;
    const struct latency_cell *cell = conclude();
    assert_int_equal(cell->flags, 0);
    assert_float_equal(cell->value, 5.3, 0.2);
    assert_int_equal(cell->rounds, 3);
    assert_int_equal(cas_at(0, 0).verdict.trust, TRUST_LOW); /* of few */
}

/* The last sweeps of all are disturbed, from `quiet` on. */
static void disturb(size_t quiet)
{
    scene_make();
    scene_set_all(0, SWEEPS, 27.9, 27.7);
    for (size_t i = quiet; i <= SWEEPS; i++)
        s.moment[i].switches = i - quiet;
}

TEST(disturbed_looks_are_left_out_and_flagged)
{
    disturb(100);
    assert_int_equal(conclude()->flags, 0);
    disturb(99);
    assert_int_equal(conclude()->flags, FLAG_PREEMPTED);
    disturb(40);
    assert_int_equal(conclude()->rounds, 40); /* a fifth is enough */
    disturb(39);
    assert_int_equal(conclude()->rounds, SWEEPS);
}

/* Busy siblings make it slower; where they were idle in a tenth of the looks, only those count. */
TEST(idle_siblings_are_preferred)
{
    static const struct {
        size_t idle;
        enum state state;
        double value;
    } rows[] = {
        {SWEEPS, STATE_IDLE, 72}, {20, STATE_IDLE, 72}, {19, STATE_ACTIVE, 77}, {0, STATE_ACTIVE, 77}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        scene_make();
        scene_set_all(0, rows[i].idle, 90, 72);
        scene_set_all(rows[i].idle, SWEEPS, 94, 77);
        for (size_t k = 0; k < SWEEPS * POINTS; k++)
            s.value[k][STATE_COLUMN] = (float)(k / POINTS < rows[i].idle ? STATE_IDLE : STATE_ACTIVE);
        for (int pair = ALL_PAIRS; pair <= 0; pair++) {
            const struct latency_selected found = cas_at(pair, -1);
            assert_float_equal(found.estimate.value, rows[i].value, 2);
            assert_int_equal(found.estimate.state, rows[i].state);
            assert_int_equal(found.count, pair < 0 ? PAIRS * SWEEPS : SWEEPS);
            /* One spell of one neighbour proves nothing for the next. */
            assert_true(rows[i].state == STATE_IDLE || found.verdict.trust == TRUST_LOW);
        }
    }
}

TEST(no_time_beyond_a_core_is_promised_in_a_guest)
{
    scene_make();
    scene_set_all(0, 80, 5.3, 10.3);
    scene_set_all(80, SWEEPS, 27.9, 27.7);
    for (int guest = 0; guest < 2; guest++) {
        s.matrix.guest = guest;
        assert_int_equal(cas_at(0, 0).verdict.trust, TRUST_HIGH);
        assert_int_equal(cas_at(0, 1).verdict.trust, guest ? TRUST_LOW : TRUST_HIGH);
    }
}

/* A tenth of the mean, where nothing else is wrong with the pair. */
TEST(directions_apart_are_flagged)
{
    for (int i = 0; i < 2; i++) {
        scene_make();
        scene_set_all(0, SWEEPS, 27.9, 27.7);
        cas_of(0)->forward = 1000;
        cas_of(0)->backward = i ? 1106 : 1104;
        assert_int_equal(conclude()->flags, i ? FLAG_ASYMMETRIC : 0);
        scene_set_all(0, 80, 4.1, 22);
        assert_int_equal(conclude()->flags & FLAG_ASYMMETRIC, 0);
    }
}

/* Compare-and-swaps of 100 ns that take so much longer in the second half of the run. */
TEST(a_tenth_apart_is_noisy)
{
    static const double apart[] = {1.055, 1.063}; /* 9 % to either side; 11 % */
    for (int i = 0; i < 2; i++) {
        scene_make();
        for (size_t sweep = 0; sweep < SWEEPS; sweep++)
            scene_set(sweep, 0, 30, 2 * sweep < SWEEPS ? 100 : 100 * apart[i]);
        assert_int_equal(conclude()->flags, i ? FLAG_NOISY : 0);
    }
}

/* Noise of 2 % at most, whatever the sweep before had. */
static void set_ratio(size_t first, size_t last, size_t pair, double ratio)
{
    for (size_t sweep = first; sweep < last; sweep++)
        scene_set(sweep, pair, 25 * ratio * (0.98 + 0.004 * (double)(sweep * 7 % 11)), 25);
}

static void set_pairs(size_t pairs, const double *ratio)
{
    scene_make();
    for (size_t pair = 0; pair < pairs; pair++)
        set_ratio(0, SWEEPS, pair, ratio[pair]);
}

/* Of the transfer by cas, at the farthest distance, as if it were that series. */
static enum trust judge(enum latency_series series, bool guest, struct estimate *e)
{
    s.matrix.guest = guest;
    for (size_t i = 0; i < SWEEPS * POINTS; i++)
        s.value[i][series] = s.value[i][SERIES_TRANSFER];
    latency_conclude(&s.matrix);
    const struct latency_selected selected =
        latency_select(&s.matrix, (struct latency_selection){series, SERIES_CAS, ALL_PAIRS,
                                                             (int)s.matrix.distances.classes.count - 1});
    *e = selected.estimate;
    return selected.verdict.trust;
}

/* Each sweep is slower than the one before, in both series alike. */
TEST(ratios_hold_where_times_do_not)
{
    struct estimate e;
    scene_make();
    for (size_t i = 0; i < SWEEPS * PAIRS; i++)
        scene_set(i / PAIRS, i % PAIRS, 25 + 0.02 * (double)(i / PAIRS), 20 + 0.016 * (double)(i / PAIRS));
    scene_set(7, 3, 25, NAN);
    assert_int_equal(judge(SERIES_READWRITE, true, &e), TRUST_HIGH);
    assert_int_equal(e.summary.count, PAIRS * SWEEPS - 1);
    assert_float_equal(e.value, 1.25, 1e-4);
    assert_float_equal(e.high, e.low, 1e-4);
}

/* All of 200 looks at one pair of cores tell nothing of the next one; without a host the pair stays that pair. */
TEST(a_guest_that_saw_few_pairs_promises_nothing)
{
    static const double alike[] = {1.08, 1.08, 1.08, 1.08};
    struct estimate e;
    for (size_t pairs = 1; pairs <= 4; pairs++) {
        set_pairs(pairs, alike);
        assert_int_equal(judge(SERIES_READWRITE, true, &e), pairs == 4 ? TRUST_HIGH : TRUST_LOW);
        assert_int_equal(e.placements, pairs);
        assert_int_equal(judge(SERIES_TRANSFER, true, &e), pairs == 4 ? TRUST_MEDIUM : TRUST_LOW);
        assert_int_equal(judge(SERIES_READWRITE, false, &e), TRUST_HIGH);
    }
}

/* As on Zen 4: 25 ns and 27, or 29.6 and 26.6. The promise of high is 5 %: half of six so much above the middle, and half below. */
TEST(pairs_that_are_not_alike_are_a_range)
{
#define ABOUT(middle, off)                                                                                   \
    middle *(1 - (off)), middle *(1 + (off)), middle *(1 - (off)), middle *(1 + (off)), middle *(1 - (off)), \
        middle *(1 + (off))
    static const struct {
        size_t pairs;
        double ratio[6];
        enum trust trust;
    } rows[] = {{4, {1.08, 0.9, 1.07, 0.91}, TRUST_LOW},
                {4, {1.08, 1.12, 1.07, 1.11}, TRUST_MEDIUM},
                {6, {ABOUT(2.2, 0.016)}, TRUST_HIGH},
                {6, {ABOUT(2.2, 0.024)}, TRUST_MEDIUM}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct estimate e;
        set_pairs(rows[i].pairs, rows[i].ratio);
        assert_int_equal(judge(SERIES_READWRITE, true, &e), rows[i].trust);
        assert_true(i > 0 || (e.low < 0.95 && e.high > 1.05));
    }
}

/* What comes back is other cores: four stays of eight looks are four placements, of seven they are none. */
TEST(each_stay_is_a_placement)
{
    struct estimate e;
    for (size_t looks = 7; looks <= 8; looks++) {
        scene_make();
        for (size_t stay = 0; stay < 4; stay++) {
            const size_t first = 20 * stay;
            set_ratio(first, first + looks, 0, 1.08);
            for (size_t sweep = first + looks; sweep < first + 20; sweep++)
                scene_set(sweep, 0, 5.3, 10.3);
        }
        assert_int_equal(judge(SERIES_TRANSFER, true, &e), looks == 8 ? TRUST_MEDIUM : TRUST_LOW);
        assert_int_equal(e.placements, looks == 8 ? 4 : 0);
    }
}
