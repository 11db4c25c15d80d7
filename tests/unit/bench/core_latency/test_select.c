/* SPDX-License-Identifier: MIT */
/* Pairs of cores below one L3 that are not alike, and a host that shows a run few or many of them. */
#include "test.h"

#include "scene.h"

static const double cas_ns = 25;

/* Noise of 2 % at most, whatever the sweep before had. */
static void set_ratio(struct scene *scene, size_t first, size_t last, size_t pair, double ratio)
{
    for (size_t sweep = first; sweep < last; sweep++)
        distant_set(&scene->distant, sweep, pair, cas_ns * ratio * (0.98 + 0.004 * (double)(sweep * 7 % 11)),
                    cas_ns);
}

/* Of what was measured as a transfer, as if it were a ratio of that series. */
static struct verdict judge(struct scene *scene, enum latency_series series, bool guest, struct estimate *e)
{
    scene->matrix.guest = guest;
    latency_conclude(&scene->matrix);
    struct latency_selection wanted = {SERIES_TRANSFER, SERIES_CAS, 0, DISTANT_PAIRS,
                                       (int)scene->matrix.distances.count - 1};
    struct latency_selected selected = latency_select(&scene->matrix, &wanted);
    assert_true(selected.known);
    *e = selected.estimate;
    wanted.series = series;
    const struct verdict verdict = latency_judge(&scene->matrix, &wanted, e);
    latency_selected_free(&selected);
    distances_free(&scene->matrix.distances);
    return verdict;
}

static void set_pairs(struct scene *scene, size_t pairs, size_t sweeps, const double *ratio)
{
    set_scene(scene, 3);
    for (size_t pair = 0; pair < pairs; pair++)
        set_ratio(scene, 0, sweeps, pair, ratio[pair]);
}

/* Each sweep is slower than the one before, in both series alike. */
TEST(ratios_hold_where_times_do_not)
{
    struct scene scene;
    struct estimate e;

    set_scene(&scene, 3);
    for (size_t sweep = 0; sweep < DISTANT_SWEEPS; sweep++) {
        for (size_t pair = 0; pair < DISTANT_PAIRS; pair++)
            distant_set(&scene.distant, sweep, pair, 25 + 0.02 * (double)sweep, 20 + 0.016 * (double)sweep);
    }
    distant_set(&scene.distant, 7, 3, 25, NAN);
    assert_int_equal(judge(&scene, SERIES_READWRITE, true, &e).trust, TRUST_HIGH);
    assert_int_equal(e.summary.count, DISTANT_PAIRS * DISTANT_SWEEPS - 1);
    assert_float_equal(e.value, 1.25, 1e-4);
    assert_float_equal(e.high, e.low, 1e-4);
}

/* All of 200 looks at one pair of cores tell nothing of the next one; without a host the pair stays that pair. */
TEST(a_guest_that_saw_few_pairs_promises_nothing)
{
    static const double alike[] = {1.08, 1.08, 1.08, 1.08};
    struct scene scene;
    struct estimate e;

    for (size_t pairs = 1; pairs <= 4; pairs++) {
        const bool enough = pairs == 4;
        set_pairs(&scene, pairs, DISTANT_SWEEPS, alike);
        assert_int_equal(judge(&scene, SERIES_READWRITE, true, &e).trust, enough ? TRUST_HIGH : TRUST_LOW);
        assert_int_equal(e.placements, pairs);
        assert_int_equal(judge(&scene, SERIES_TRANSFER, true, &e).trust, enough ? TRUST_MEDIUM : TRUST_LOW);
        assert_int_equal(judge(&scene, SERIES_READWRITE, false, &e).trust, TRUST_HIGH);
    }
}

/* As on Zen 4: 25 ns and 27, or 29.6 and 26.6. */
TEST(pairs_that_are_not_alike_are_a_range)
{
    static const double apart[] = {1.08, 0.9, 1.07, 0.91}, near[] = {1.08, 1.12, 1.07, 1.11};
    struct scene scene;
    struct estimate e;

    set_pairs(&scene, 4, DISTANT_SWEEPS, apart);
    assert_int_equal(judge(&scene, SERIES_READWRITE, true, &e).trust, TRUST_LOW);
    assert_true(e.low < 0.95 && e.high > 1.05);
    set_pairs(&scene, 4, DISTANT_SWEEPS, near);
    assert_int_equal(judge(&scene, SERIES_READWRITE, true, &e).trust, TRUST_MEDIUM);
}

/* Six pairs, half of them so much above the middle and half below. */
TEST(the_promise_of_high_is_five_percent)
{
    static const double off[] = {0.016, 0.024};
    struct scene scene;
    struct estimate e;

    for (int i = 0; i < 2; i++) {
        double ratio[6];
        for (int pair = 0; pair < 6; pair++)
            ratio[pair] = 2.2 * (pair % 2 ? 1 + off[i] : 1 - off[i]);
        set_pairs(&scene, 6, DISTANT_SWEEPS, ratio);
        assert_int_equal(judge(&scene, SERIES_READWRITE, true, &e).trust, i ? TRUST_MEDIUM : TRUST_HIGH);
    }
}

/* What comes back is other cores: four stays of eight looks are four placements, of seven they are none. */
TEST(each_stay_is_a_placement)
{
    struct scene scene;
    struct estimate e;

    for (size_t looks = 7; looks <= 8; looks++) {
        set_scene(&scene, 3);
        for (size_t stay = 0; stay < 4; stay++) {
            const size_t first = 20 * stay;
            set_ratio(&scene, first, first + looks, 0, 1.08);
            for (size_t sweep = first + looks; sweep < first + 20; sweep++)
                distant_set(&scene.distant, sweep, 0, 5.3, 10.3);
        }
        assert_int_equal(judge(&scene, SERIES_TRANSFER, true, &e).trust,
                         looks == 8 ? TRUST_MEDIUM : TRUST_LOW);
        assert_int_equal(e.placements, looks == 8 ? 4 : 0);
    }
}

/* Two runs lie 1.41 times as far apart as one from the truth: 4.8 and 5.2 %. */
TEST(a_ratio_promises_five_percent)
{
    static const struct latency_matrix matrix = {.guest = false};

    for (int i = 0; i < 2; i++) {
        const double half = i ? 0.037 : 0.034;
        const struct estimate e = {.state = STATE_IDLE,
                                   .summary = {.count = 100},
                                   .value = 1,
                                   .low = 1 - half,
                                   .high = 1 + half,
                                   .first = 1,
                                   .second = 1};
        const struct latency_selection wanted = {SERIES_READWRITE, SERIES_CAS, 0, 1, -1};
        assert_int_equal(latency_judge(&matrix, &wanted, &e).trust, i ? TRUST_MEDIUM : TRUST_HIGH);
    }
}
