/* SPDX-License-Identifier: MIT */
/* Pairs that a host moves between one core, one L3 and another, and pairs that stay. */
#include "test.h"

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

TEST(three_distances_of_pairs_that_move)
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

TEST(pairs_that_stay_change_nothing)
{
    struct distant d;
    struct distances found = {0};
    double share;

    distant_make(&d, 3);
    move_pairs(&d, DISTANT_SWEEPS + 1, 3);
    distances_find(&found, &d.data, &d.rules);
    assert_int_equal(found.changes, 0);
    assert_int_equal(found.moved, 0);
    for (size_t pair = 0; pair < DISTANT_PAIRS; pair++) {
        assert_int_equal(distances_main(&found, pair, &share), (int)(pair % 3));
        assert_float_equal(share, 1, 0);
    }
    assert_int_equal(distances_main(&found, DISTANT_PAIRS, &share), -1); /* the CPU alone */
    distances_free(&found);
}

/* A look in whose middle the pair was moved lies anywhere. */
TEST(looks_between_two_distances_are_at_none)
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

/* All pairs at one distance, or the last two at another. */
static enum distance_kind kind_at(double ns, double other_ns, struct own_ns l3, bool guest)
{
    struct distant d;
    struct distances found = {0};
    distant_make(&d, 3);
    for (size_t sweep = 0; sweep < DISTANT_SWEEPS; sweep++) {
        for (size_t pair = 0; pair < DISTANT_PAIRS; pair++)
            distant_set(&d, sweep, pair, pair < 4 ? ns : other_ns, ns);
    }
    d.rules.l3 = l3;
    d.rules.guest = guest;
    distances_find(&found, &d.data, &d.rules);
    const int at = distances_at(&found, 0, 0);
    const enum distance_kind kind = at < 0 ? DISTANCE_UNNAMED : found.of[at].kind;
    distances_free(&found);
    return kind;
}

/* All of a guest may sit below different L3: then only a hit of the own L3 tells that this is not one. */
TEST(names_of_a_single_distance)
{
    static const struct {
        double ns;
        struct own_ns l3;
        enum distance_kind guest, own;
    } rows[] = {{5.3, {13, 13}, DISTANCE_CORE, DISTANCE_CORE},
                {27.9, {13, 13}, DISTANCE_L3, DISTANCE_L3},
                {124.6, {13, 13}, DISTANCE_BEYOND, DISTANCE_BEYOND},
                {27.9, {NAN, NAN}, DISTANCE_UNNAMED, DISTANCE_L3},
                {124.6, {NAN, NAN}, DISTANCE_UNNAMED, DISTANCE_L3},
                {80, {35, 35}, DISTANCE_L3, DISTANCE_L3},
                {80, {30, 40}, DISTANCE_UNNAMED, DISTANCE_L3}, /* readings apart by more than 1.3 */
                {80, {30, 38}, DISTANCE_L3, DISTANCE_L3},
                {7.9, {13, 13}, DISTANCE_CORE, DISTANCE_CORE}, /* twice 4 ns of the L2 */
                {8.1, {13, 13}, DISTANCE_L3, DISTANCE_L3},
                {51.9, {13, 15}, DISTANCE_L3, DISTANCE_L3}, /* four times either reading */
                {52.1, {13, 15}, DISTANCE_UNNAMED, DISTANCE_UNNAMED},
                {59.9, {13, 15}, DISTANCE_UNNAMED, DISTANCE_UNNAMED},
                {60.1, {13, 15}, DISTANCE_BEYOND, DISTANCE_BEYOND},
                {95.9, {30, 30}, DISTANCE_L3, DISTANCE_L3}, /* 24 times the L2 */
                {96.1, {30, 30}, DISTANCE_UNNAMED, DISTANCE_L3}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(kind_at(rows[i].ns, rows[i].ns, rows[i].l3, true), rows[i].guest);
        assert_int_equal(kind_at(rows[i].ns, rows[i].ns, rows[i].l3, false), rows[i].own);
    }
}

/* What was read of an L3 of 15 to 17 ns, in 42 runs of a guest: whichever two readings a run has of these, another L3 is
 * never called this one, nor this one another. */
TEST(wrong_readings_of_the_l3_name_nothing_wrongly)
{
    static const double ns[] = {14.8, 14.9, 15.3, 15.7, 30.7, 51.8, 56.4, 58.5, 62, 75.6, 76.2, 77.6, 137};
    for (size_t i = 0; i < sizeof ns / sizeof *ns; i++) {
        for (size_t k = 0; k < sizeof ns / sizeof *ns; k++) {
            const struct own_ns l3 = {fmin(ns[i], ns[k]), fmax(ns[i], ns[k])};
            const enum distance_kind near = kind_at(27.9, 27.9, l3, true), far = kind_at(120, 120, l3, true);
            assert_true(near == DISTANCE_L3 || near == DISTANCE_UNNAMED);
            assert_true(far == DISTANCE_BEYOND || far == DISTANCE_UNNAMED);
            if (l3.most < 20) {
                assert_int_equal(near, DISTANCE_L3);
                assert_int_equal(far, DISTANCE_BEYOND);
            }
        }
    }
}

/* What is twice as far as one L3 lies beyond it. */
TEST(the_nearest_one_names_the_next)
{
    assert_int_equal(kind_at(55, 28, (struct own_ns){20, 20}, true), DISTANCE_L3);
    assert_int_equal(kind_at(57, 28, (struct own_ns){20, 20}, true), DISTANCE_BEYOND);
    assert_int_equal(kind_at(120, 28, (struct own_ns){15, 77}, true), DISTANCE_UNNAMED);
}

/* What the topology shows apart is beyond, without L3 nothing has a name, and several of a kind have numbers. */
TEST(the_topology_helps_to_name)
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
    d.rules.l3 = (struct own_ns){40, 40};
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

TEST(a_handful_may_be_one_distance)
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

static size_t distances_of(double ns, double other_ns)
{
    struct distant d;
    struct distances found = {0};

    distant_make(&d, 3);
    for (size_t sweep = 0; sweep < DISTANT_SWEEPS; sweep++)
        for (size_t pair = 0; pair < DISTANT_PAIRS; pair++)
            distant_set(&d, sweep, pair, pair < 3 ? ns : other_ns, ns);
    distances_find(&found, &d.data, &d.rules);
    const size_t count = found.count;
    distances_free(&found);
    return count;
}

TEST(a_quarter_more_is_another_distance)
{
    assert_int_equal(distances_of(100, 122), 1);
    assert_int_equal(distances_of(100, 128), 2);
}
