/* SPDX-License-Identifier: MIT */
/* Traces of rounds as hosts were seen to produce them, and what is said of the pair. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "bench/core_latency/findings.h"
#include "bench/core_latency/matrix.h"

enum { MAX = 16 };

/* Two CPUs of one L3 and the rounds of one pair. */
struct scene {
    struct cpu_place place[2];
    struct pair pair;
    struct latency_params params;
    struct latency_cell cas, transfer;
    struct cell_round cas_round[MAX], transfer_round[MAX];
    struct latency_matrix matrix;
};

static void fill(struct latency_cell *cell, struct cell_round *round, const double *value, size_t count)
{
    cell->round = round;
    latency_cell_clear(cell);
    for (size_t i = 0; i < count; i++)
        round[i] = (struct cell_round){.value = (float)value[i], .samples = 64};
    cell->rounds = (uint8_t)count;
}

static void set_scene(struct scene *scene, const double *cas, const double *transfer, size_t count)
{
    *scene = (struct scene){.place = {{.id = 0}, {.id = 1, .core = 1, .l2 = 1}}, .pair = {0, 1}};
    fill(&scene->cas, scene->cas_round, cas, count);
    fill(&scene->transfer, scene->transfer_round, transfer, count);
    scene->params.benches = 1u << BENCH_CAS;
    scene->matrix = (struct latency_matrix){.params = &scene->params,
                                            .benches = 1u << BENCH_CAS | 1u << BENCH_TRANSFER,
                                            .place = scene->place,
                                            .count = 2,
                                            .plan = {.pair = &scene->pair, .pair_count = 1},
                                            .own = {.l2_ns = 4}};
    scene->matrix.cell[SERIES_CAS] = &scene->cas;
    scene->matrix.cell[SERIES_TRANSFER] = &scene->transfer;
}

static struct cell_verdict cas_verdict(const struct scene *scene)
{
    return latency_final_verdict(&scene->matrix, SERIES_CAS, 0);
}

static void test_one_regime_is_plain(void **state)
{
    const double cas[] = {29, 29.1, 29.5, 29}, transfer[] = {23.4, 23.9, 23.5, 24};
    struct scene scene;

    (void)state;
    set_scene(&scene, cas, transfer, 4);
    assert_int_equal(cas_verdict(&scene).flags, 0);
    assert_true(cas_verdict(&scene).settled);
    assert_float_equal(cas_verdict(&scene).value, 29.15, 1e-4);
}

/* A CAS reads 22 ns between siblings and 26 between cores: only the chase tells that they were moved. */
static void test_cas_is_flagged_by_what_the_chase_saw(void **state)
{
    const double cas[] = {22, 22.2, 26, 26.2, 26.1}, transfer[] = {4.1, 4.2, 23.4, 23.9, 23.5};
    struct scene scene;

    (void)state;
    set_scene(&scene, cas, transfer, 5);
    assert_true(cas_verdict(&scene).flags & FLAG_REGIME);
    assert_false(cas_verdict(&scene).settled);
    assert_int_equal(cas_verdict(&scene).rounds, 3);
    assert_float_equal(cas_verdict(&scene).value, 26.1, 1e-4);
    scene.matrix.cell[SERIES_TRANSFER] = NULL;
    assert_false(cas_verdict(&scene).flags & FLAG_REGIME); /* what would be said without it */
}

/* All of a short run may fall into another regime; it shows where it contradicts the topology. */
static void test_whole_run_among_siblings_contradicts_the_topology(void **state)
{
    const double cas[] = {22, 22.2, 22.1}, transfer[] = {4.1, 4.2, 4.1};
    struct scene scene;

    (void)state;
    set_scene(&scene, cas, transfer, 3);
    assert_int_equal(cas_verdict(&scene).flags, FLAG_PLACEMENT);
    scene.place[1].core = 0; /* unless it says that they are siblings, */
    assert_int_equal(cas_verdict(&scene).flags, 0);
    scene.place[1].core = 1;
    scene.place[1].l2 = 0; /* share an L2, */
    assert_int_equal(cas_verdict(&scene).flags, 0);
    scene.place[1].l2 = 1;
    scene.matrix.own.l2_ns = NAN; /* or nothing is known of the L2 */
    assert_int_equal(cas_verdict(&scene).flags, 0);
}

/* Guests are often shown siblings that share nothing. */
static void test_siblings_that_are_none(void **state)
{
    const double cas[] = {60, 60.1, 60.2}, transfer[] = {79, 79.1, 79.2};
    struct scene scene;

    (void)state;
    set_scene(&scene, cas, transfer, 3);
    assert_int_equal(cas_verdict(&scene).flags, 0);
    scene.place[1].core = 0;
    assert_int_equal(cas_verdict(&scene).flags, FLAG_PLACEMENT);
}

static void test_far_spell(void **state)
{
    const double cas[] = {29, 130, 131, 29.2, 29.1, 29}, transfer[] = {23, 110, 111, 23.1, 23.2, 23};
    struct scene scene;

    (void)state;
    set_scene(&scene, cas, transfer, 6);
    assert_true(cas_verdict(&scene).flags & FLAG_REGIME);
    assert_float_equal(cas_verdict(&scene).value, 29.075, 1e-3);
}

static void test_failed_witness_excuses_nothing(void **state)
{
    const double cas[] = {29, 29, 29}, transfer[] = {NAN, NAN, NAN};
    struct scene scene;

    (void)state;
    set_scene(&scene, cas, transfer, 3);
    assert_int_equal(cas_verdict(&scene).flags, 0);
    assert_float_equal(cas_verdict(&scene).value, 29, 1e-4);
}

static void test_restored_cell(void **state)
{
    const double cas[] = {29}, transfer[] = {4};
    struct scene scene;

    (void)state;
    set_scene(&scene, cas, transfer, 1);
    scene.transfer.rounds = 0;
    scene.cas.restored = true;
    scene.cas.flags = FLAG_NOISY;
    scene.cas.restored_rounds = 7;
    assert_int_equal(cas_verdict(&scene).flags, FLAG_NOISY);
    assert_int_equal(cas_verdict(&scene).rounds, 7);
    assert_true(cas_verdict(&scene).settled);
}

static void test_series_and_rules(void **state)
{
    (void)state;
    for (int series = 0; series < SERIES_COUNT; series++) {
        struct latency_matrix matrix = {0};
        assert_false(latency_wants(&matrix, (enum handover_series)series));
        matrix.benches = 1u << series_bench((enum handover_series)series);
        assert_true(latency_wants(&matrix, (enum handover_series)series));
        bool median = series != SERIES_CAS && series != SERIES_READWRITE;
        assert_int_equal(latency_rules(&matrix, (enum handover_series)series)->use_median, median);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_regime_is_plain),
        cmocka_unit_test(test_cas_is_flagged_by_what_the_chase_saw),
        cmocka_unit_test(test_whole_run_among_siblings_contradicts_the_topology),
        cmocka_unit_test(test_siblings_that_are_none),
        cmocka_unit_test(test_far_spell),
        cmocka_unit_test(test_failed_witness_excuses_nothing),
        cmocka_unit_test(test_restored_cell),
        cmocka_unit_test(test_series_and_rules),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
