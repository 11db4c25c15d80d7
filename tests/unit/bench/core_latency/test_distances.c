/* SPDX-License-Identifier: MIT */
/* Pairs that a host moves between one core, one L3 and another, and pairs that stay. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "distant.h"

static const double transfer_ns[] = {5.3, 27.9, 124.6}, cas_ns[] = {10.3, 27.7, 105};

/* Every pair stays `dwell` sweeps where it is, and goes on to any distance of the first `places`. */
static void move_pairs(struct distant *d, size_t dwell, uint64_t places)
{
    uint64_t random = 1;
    for (size_t pair = 0; pair < DISTANT_PAIRS; pair++) {
        uint64_t at = pair % places;
        for (size_t sweep = 0; sweep < DISTANT_SWEEPS; sweep++) {
            if (sweep % dwell == dwell - 1)
                at = random_below(&random, places);
            distant_set(d, sweep, pair, distant_near(&random, transfer_ns[at]),
                        distant_near(&random, cas_ns[at]));
        }
    }
}

static void three_distances_of_pairs_that_move(void **state)
{
    struct distant d;
    struct distances found = {0};
    char text[32];

    distant_make(&d, 3);
    move_pairs(&d, 20, 3);
    distances_find(&found, &d.data, &d.rules);
    assert_int_equal(found.count, 3);
    for (int i = 0; i < 3; i++)
        assert_true(fabs(found.of[i].ns - transfer_ns[i]) < 0.02 * transfer_ns[i]);
    assert_string_equal(distance_name(&found, 0), "one core");
    assert_string_equal(distance_name(&found, 1), "one L3");
    assert_string_equal(distance_name(&found, 2), "beyond one L3");
    assert_string_equal(distance_key(&found, 2, text, sizeof text), "beyond_one_l3");
    assert_int_equal(found.looks, DISTANT_PAIRS * DISTANT_SWEEPS);
    assert_int_equal(found.of[0].looks + found.of[1].looks + found.of[2].looks, found.looks);
    assert_true(found.changes > 20 && found.changes <= DISTANT_PAIRS * DISTANT_SWEEPS / 20);
    assert_int_equal(found.moved, DISTANT_PAIRS);
    distances_free(&found);
}

static void pairs_that_stay_change_nothing(void **state)
{
    struct distant d;
    struct distances found = {0};
    size_t others;

    distant_make(&d, 3);
    move_pairs(&d, DISTANT_SWEEPS + 1, 3);
    distances_find(&found, &d.data, &d.rules);
    assert_int_equal(found.changes, 0);
    assert_int_equal(found.moved, 0);
    for (size_t pair = 0; pair < DISTANT_PAIRS; pair++) {
        assert_int_equal(distances_main(&found, pair, &others), (int)(pair % 3));
        assert_int_equal(others, 0);
    }
    assert_int_equal(distances_main(&found, DISTANT_PAIRS, &others), -1); /* the CPU alone */
    distances_free(&found);
}

/* A look in whose middle the pair was moved lies anywhere. */
static void looks_between_two_distances_are_at_none(void **state)
{
    struct distant d;
    struct distances found = {0};

    distant_make(&d, 3);
    move_pairs(&d, 20, 3);
    distant_set(&d, 7, 2, 60, 60);
    distant_set(&d, 9, 2, NAN, NAN);
    distances_find(&found, &d.data, &d.rules);
    assert_int_equal(found.count, 3);
    assert_int_equal(distances_at(&found, 7, 2), -1);
    assert_int_equal(distances_at(&found, 9, 2), -1);
    assert_int_equal(found.looks, DISTANT_PAIRS * DISTANT_SWEEPS - 1);
    distances_free(&found);
}

/* All of a guest may sit below different L3: then only a hit of the own L3 tells that this is not one. */
static void names_of_a_single_distance(void **state)
{
    static const struct {
        double ns, l3_ns;
        enum distance_kind kind;
    } rows[] = {{5.3, 13, DISTANCE_CORE},
                {27.9, 13, DISTANCE_L3},
                {124.6, 13, DISTANCE_BEYOND},
                {124.6, NAN, DISTANCE_L3},
                {80, 35, DISTANCE_L3}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct distant d;
        struct distances found = {0};
        distant_make(&d, 3);
        for (size_t pair = 0; pair < DISTANT_PAIRS; pair++)
            distant_set(&d, 0, pair, rows[i].ns, rows[i].ns);
        d.rules.l3_ns = rows[i].l3_ns;
        distances_find(&found, &d.data, &d.rules);
        assert_int_equal(found.count, 1);
        assert_int_equal(found.of[0].kind, rows[i].kind);
        distances_free(&found);
    }
}

/* What the topology shows apart is beyond, without L3 nothing has a name, and several of a kind have numbers. */
static void the_topology_helps_to_name(void **state)
{
    struct distant d;
    struct distances found = {0};
    char text[32];

    distant_make(&d, 3);
    for (size_t sweep = 0; sweep < DISTANT_SWEEPS; sweep++) {
        for (size_t pair = 0; pair < DISTANT_PAIRS; pair++)
            distant_set(&d, sweep, pair, pair == 0 || pair == 5 ? 60 : pair < 3 ? 90 : 130, 1);
    }
    d.place[2].l3 = d.place[3].l3 = 1;
    d.rules.l3_ns = 40;
    distances_find(&found, &d.data, &d.rules);
    assert_int_equal(found.count, 3);
    assert_int_equal(found.of[0].kind, DISTANCE_L3);
    assert_int_equal(found.of[1].kind, DISTANCE_BEYOND);
    assert_string_equal(distance_key(&found, 2, text, sizeof text), "beyond_one_l3_2");
    distances_free(&found);
    for (int i = 0; i < DISTANT_CPUS; i++)
        d.place[i].l3 = -1;
    distances_find(&found, &d.data, &d.rules);
    assert_string_equal(distance_name(&found, 1), "distance 2");
    distances_free(&found);
}

static void a_handful_may_be_one_distance(void **state)
{
    struct distant d;
    struct distances found = {0};

    distant_make(&d, 3);
    distant_set(&d, 0, 0, 28, 28);
    distant_set(&d, 1, 0, 29, 28);
    distances_find(&found, &d.data, &d.rules);
    assert_int_equal(found.count, 1);
    distances_free(&found);
    distant_set(&d, 1, 0, 105, 28);
    distances_find(&found, &d.data, &d.rules);
    assert_int_equal(found.count, 0);
    distances_free(&found);
    distant_make(&d, 3);
    distances_find(&found, &d.data, &d.rules);
    assert_int_equal(found.count, 0);
    assert_int_equal(found.looks, 0);
    distances_free(&found);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(three_distances_of_pairs_that_move),
        cmocka_unit_test(pairs_that_stay_change_nothing),
        cmocka_unit_test(looks_between_two_distances_are_at_none),
        cmocka_unit_test(names_of_a_single_distance),
        cmocka_unit_test(the_topology_helps_to_name),
        cmocka_unit_test(a_handful_may_be_one_distance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
