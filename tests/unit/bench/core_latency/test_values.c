/* SPDX-License-Identifier: MIT */
/* Measurements as hosts were seen to produce them, and what becomes of the pair. */
#include "test.h"

#include "scene.h"

static const struct latency_cell *conclude(struct scene *scene)
{
    latency_conclude(&scene->matrix);
    distances_free(&scene->matrix.distances);
    return &scene->cas[0];
}

TEST(a_pair_that_stays_is_plain)
{
    struct scene scene;

    set_scene(&scene, 3);
    set_all(&scene, 0, DISTANT_SWEEPS, 27.9, 27.7);
    const struct latency_cell *cell = conclude(&scene);
    assert_int_equal(cell->flags, 0);
    assert_int_equal(cell->verdict.trust, TRUST_HIGH);
    assert_int_equal(cell->distance, 0);
    assert_int_equal(cell->rounds, DISTANT_SWEEPS);
    assert_float_equal(cell->value, 27.7, 0.6);
    assert_true(cell->low <= cell->value && cell->value <= cell->high);
}

/* A CAS reads 22 ns between siblings and 26 between cores: only the transfer tells that they were moved. */
TEST(the_value_is_of_the_distance_at_which_it_mostly_was)
{
    struct scene scene;

    set_scene(&scene, 3);
    set_all(&scene, 0, 80, 4.1, 22);
    set_all(&scene, 80, DISTANT_SWEEPS, 24, 26);
    const struct latency_cell *cell = conclude(&scene);
    assert_int_equal(cell->flags, FLAG_REGIME);
    assert_int_equal(cell->verdict.trust, TRUST_LOW);
    assert_int_equal(cell->distance, 1);
    assert_int_equal(cell->rounds, DISTANT_SWEEPS - 80);
    assert_float_equal(cell->value, 26, 0.6);
}

/* Values are freed; counts and state stay. */
static double value_at(const struct latency_matrix *matrix, int distance, struct latency_selected *selected)
{
    const struct latency_selection wanted = {SERIES_CAS, SERIES_COUNT, 3, 1, distance};
    *selected = latency_select(matrix, &wanted);
    latency_selected_free(selected);
    return selected->estimate.value;
}

TEST(values_at_each_distance)
{
    struct scene scene;
    struct latency_selected found;

    set_scene(&scene, 3);
    set_all(&scene, 0, 80, 27.9, 27.7);
    set_all(&scene, 80, DISTANT_SWEEPS, 124.6, 105);
    latency_conclude(&scene.matrix);
    assert_float_equal(value_at(&scene.matrix, 0, &found), 27.7, 0.5);
    assert_int_equal(found.count, 80);
    assert_float_equal(value_at(&scene.matrix, 1, &found), 105, 2);
    assert_int_equal(found.count, DISTANT_SWEEPS - 80);
    distances_free(&scene.matrix.distances);
}

/* All of a run may fall into one regime; it shows where it contradicts the topology. */
TEST(what_contradicts_the_topology_is_flagged)
{
    static const struct {
        double transfer;
        int core, l2, l3; /* of the second CPU; the first has 0 */
        unsigned flags;
    } rows[] = {{5.3, 1, 1, 0, FLAG_PLACEMENT},
                {5.3, 0, 0, 0, 0},
                {5.3, 1, 0, 0, 0},
                {27.9, 1, 1, 0, 0},
                {27.9, 0, 0, 0, FLAG_PLACEMENT},
                {124.6, 1, 1, 0, FLAG_PLACEMENT},
                {124.6, 1, 1, 1, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct scene scene;
        set_scene(&scene, 3);
        set_all(&scene, 0, DISTANT_SWEEPS, rows[i].transfer, rows[i].transfer);
        scene.distant.place[1].core = rows[i].core;
        scene.distant.place[1].l2 = rows[i].l2;
        scene.distant.place[1].l3 = rows[i].l3;
        assert_int_equal(conclude(&scene)->flags, rows[i].flags);
    }
}

TEST(without_a_transfer_nothing_is_held_against_the_topology)
{
    struct scene scene;

    set_scene(&scene, 3);
    set_all(&scene, 0, DISTANT_SWEEPS, NAN, 5.3);
    scene.matrix.column[SERIES_TRANSFER] = -1;
    scene.matrix.cell[SERIES_TRANSFER] = NULL;
    assert_int_equal(latency_witness(&scene.matrix), SERIES_CAS);
    const struct latency_cell *cell = conclude(&scene);
    assert_int_equal(cell->flags, 0);
    assert_float_equal(cell->value, 5.3, 0.2);
}

TEST(few_looks_earn_no_trust)
{
    struct scene scene;

    set_scene(&scene, 3);
    set_all(&scene, 0, 3, 27.9, 27.7);
    const struct latency_cell *cell = conclude(&scene);
    assert_int_equal(cell->rounds, 3);
    assert_int_equal(cell->verdict.trust, TRUST_LOW);
    assert_int_equal(cell->flags, 0);
}

TEST(disturbed_looks_are_flagged)
{
    struct scene scene;

    set_scene(&scene, 3);
    set_all(&scene, 0, DISTANT_SWEEPS, 27.9, 27.7);
    for (size_t i = 0; i < DISTANT_SWEEPS + 1; i++)
        scene.distant.moment[i].switches = i < 60 ? i : 60;
    assert_int_equal(conclude(&scene)->flags, 0);
    for (size_t i = 0; i < DISTANT_SWEEPS + 1; i++)
        scene.distant.moment[i].switches = i;
    assert_int_equal(conclude(&scene)->flags, FLAG_PREEMPTED);
    for (size_t i = 0; i < DISTANT_SWEEPS + 1; i++)
        scene.distant.moment[i].switches = 0;
    scene.cas[0].samples = 100;
    scene.cas[0].dropped = 10;
    assert_int_equal(conclude(&scene)->flags, FLAG_PREEMPTED);
}

TEST(a_pair_without_a_look_has_no_value)
{
    struct scene scene;

    set_scene(&scene, 3);
    set_all(&scene, 0, DISTANT_SWEEPS, 27.9, 27.7);
    for (size_t sweep = 0; sweep < DISTANT_SWEEPS; sweep++)
        distant_set(&scene.distant, sweep, 0, NAN, NAN);
    const struct latency_cell *cell = conclude(&scene);
    assert_true(isnan(cell[0].value));
    assert_float_equal(cell[1].value, 27.7, 1);
}

/* Siblings at work make it slower; where they idled in a tenth of the looks, only those count. */
TEST(idle_siblings_are_preferred)
{
    static const struct {
        size_t idle;
        enum state state;
        double value;
    } rows[] = {{DISTANT_SWEEPS, STATE_IDLE, 72},
                {20, STATE_IDLE, 72},
                {19, STATE_ACTIVE, 77},
                {0, STATE_ACTIVE, 77}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct scene scene;
        struct latency_selected found;
        set_scene(&scene, 3);
        set_all(&scene, 0, rows[i].idle, 90, 72);
        set_all(&scene, rows[i].idle, DISTANT_SWEEPS, 94, 77);
        for (size_t sweep = 0; sweep < DISTANT_SWEEPS; sweep++)
            distant_set_state(&scene.distant, sweep, 3, sweep < rows[i].idle ? STATE_IDLE : STATE_ACTIVE);
        latency_conclude(&scene.matrix);
        assert_float_equal(value_at(&scene.matrix, -1, &found), rows[i].value, 2);
        assert_int_equal(found.state, rows[i].state);
        assert_int_equal(found.all, DISTANT_SWEEPS);
        assert_int_equal(found.visits, rows[i].idle < DISTANT_SWEEPS);
        /* One spell of one neighbour proves nothing for the next. */
        if (rows[i].state == STATE_ACTIVE)
            assert_int_equal(scene.cas[3].verdict.trust, TRUST_LOW);
        distances_free(&scene.matrix.distances);
    }
}

/* What lies between the cores is slower by a third in half of the moments. */
TEST(slow_moments_are_held_against_the_fastest)
{
    double value[400], fastest = 0;
    uint64_t random = 1;

    for (size_t i = 0; i < 400; i++)
        value[i] = distant_near(&random, i / 50 % 2 ? 60 : 80);
    assert_float_equal(latency_slower(value, 400, &fastest), 80 / 60.0, 0.05);
    assert_float_equal(fastest, 59, 1);
    assert_false(isnan(latency_slower(value, 16, &fastest)));
    assert_true(isnan(latency_slower(value, 15, &fastest)));
}

TEST(no_time_beyond_a_core_is_promised_in_a_guest)
{
    const struct estimate sure = {
        .value = 60, .low = 59.9, .high = 60.1, .first = 60, .second = 60, .summary = {.count = 100}};
    struct scene scene;

    set_scene(&scene, 3);
    set_all(&scene, 0, 80, 5.3, 10.3);
    set_all(&scene, 80, DISTANT_SWEEPS, 27.9, 27.7);
    latency_conclude(&scene.matrix);
    for (int guest = 0; guest < 2; guest++) {
        scene.matrix.guest = guest;
        for (int beyond = 0; beyond < 2; beyond++) {
            const struct latency_selection wanted = {SERIES_CAS, SERIES_COUNT, 0, 1, beyond};
            assert_int_equal(latency_judge(&scene.matrix, &wanted, &sure).trust,
                             guest && beyond ? TRUST_LOW : TRUST_HIGH);
        }
    }
    distances_free(&scene.matrix.distances);
}

/* Of a pair of siblings, with so many of a hundred samples dropped. */
static unsigned flags_at(double ns, uint64_t dropped)
{
    struct scene scene;

    set_scene(&scene, 3);
    for (size_t sweep = 0; sweep < DISTANT_SWEEPS; sweep++)
        distant_set(&scene.distant, sweep, 0, ns, 100);
    scene.distant.place[1].core = scene.distant.place[1].l2 = 0;
    scene.cas[0].samples = 100;
    scene.cas[0].dropped = dropped;
    return conclude(&scene)->flags;
}

TEST(each_flag_has_its_limit)
{
    assert_int_equal(flags_at(15.9, 5), 0);
    assert_int_equal(flags_at(16.1, 5), FLAG_PLACEMENT); /* four times the L2 */
    assert_int_equal(flags_at(15.9, 6), FLAG_PREEMPTED);
}

/* Compare-and-swaps of 100 ns that take so much longer in the second half of the run. */
static bool is_noisy(double apart)
{
    struct scene scene;

    set_scene(&scene, 3);
    for (size_t sweep = 0; sweep < DISTANT_SWEEPS; sweep++)
        distant_set(&scene.distant, sweep, 0, 30, 2 * sweep < DISTANT_SWEEPS ? 100 : 100 * (1 + apart));
    return conclude(&scene)->flags & FLAG_NOISY;
}

TEST(a_tenth_apart_is_noisy)
{
    assert_false(is_noisy(0.055)); /* 9 % to either side */
    assert_true(is_noisy(0.063));  /* 11 % */
}

/* How many of all that were seen count, where all but the first few were disturbed. */
static size_t counted(size_t quiet)
{
    struct scene scene;
    struct latency_selected found;

    set_scene(&scene, 3);
    set_all(&scene, 0, DISTANT_SWEEPS, 27.9, 27.7);
    for (size_t i = quiet; i <= DISTANT_SWEEPS; i++)
        scene.distant.moment[i].switches = i - quiet;
    latency_conclude(&scene.matrix);
    value_at(&scene.matrix, 0, &found);
    distances_free(&scene.matrix.distances);
    return found.count;
}

TEST(a_fifth_undisturbed_is_enough)
{
    assert_int_equal(counted(40), 40);
    assert_int_equal(counted(39), DISTANT_SWEEPS);
}
