/* SPDX-License-Identifier: MIT */
/* Pairs that a host moves between one core, one L3 and another, and pairs that stay. */
#include "test.h"

#include "scene.h"

static const double transfer_ns[] = {5.3, 27.9, 124.6};

/* Every pair stays 20 rounds where it is, and goes on to any of the three. */
static void move_pairs(void)
{
    uint64_t random = 1;
    scene_make();
    for (size_t pair = 0; pair < PAIRS; pair++) {
        uint64_t at = pair % 3;
        for (size_t round = 0; round < ROUNDS; round++) {
            if (round % 20 == 19)
                at = random_below(&random, 3);
            scene_set(round, pair, near_to(&random, transfer_ns[at]), 1);
        }
    }
}

static const char *name_of(int index)
{
    return distance_names[s.matrix.distances.of[index].name];
}

/* A measurement in whose middle the pair was moved lies anywhere. */
TEST(three_distances_of_pairs_that_move)
{
    const struct distances *found = &s.matrix.distances;
    move_pairs();
    scene_set(7, 2, 60, 60);
    scene_set(9, 2, NAN, NAN);
    distances_find(&s.matrix);
    assert_int_equal(found->count, 3);
    for (int i = 0; i < 3; i++)
        assert_true(fabs(found->of[i].ns - transfer_ns[i]) < 0.02 * transfer_ns[i]);
    assert_string_equal(name_of(0), "one core");
    assert_string_equal(name_of(1), "one L3");
    assert_string_equal(name_of(2), "beyond one L3");
    assert_string_equal(distance_names[found->of[2].name], "beyond one L3");
    assert_int_equal(found->seen, PAIRS * ROUNDS - 1);
    assert_int_equal(found->of[0].found + found->of[1].found + found->of[2].found, found->seen - 1);
    assert_true(found->changes > 20 && found->changes <= PAIRS * ROUNDS / 20);
    assert_int_equal(distances_at(&s.matrix, 7, 2), -1);
    assert_int_equal(distances_at(&s.matrix, 9, 2), -1);
}

/* All pairs at one distance, or the last two at another: the kind of the first, and how many there are. */
static enum distance_kind kind_at(double ns, double other_ns, struct own_ns l3, bool guest, size_t count)
{
    scene_make();
    s.matrix.l3 = l3;
    s.matrix.guest = guest;
    for (size_t round = 0; round < ROUNDS; round++)
        for (size_t pair = 0; pair < PAIRS; pair++)
            scene_set(round, pair, pair < 4 ? ns : other_ns, ns);
    distances_find(&s.matrix);
    assert_int_equal(s.matrix.distances.count, count);
    return s.matrix.distances.of[distances_at(&s.matrix, 0, 0)].kind;
}

/* All CPUs of a guest may sit below different L3: then only the own L3's latency shows that a distance is beyond it. */
TEST(names_of_a_single_distance)
{
    static const struct {
        double ns;
        struct own_ns l3;
        enum distance_kind guest, own;
    } rows[] = {{5.3, {13, 13}, DISTANCE_CORE, DISTANCE_CORE},
                {27.9, {NAN, NAN}, DISTANCE_UNNAMED, DISTANCE_L3},
                {124.6, {NAN, NAN}, DISTANCE_UNNAMED, DISTANCE_L3},
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
        assert_int_equal(kind_at(rows[i].ns, rows[i].ns, rows[i].l3, true, 1), rows[i].guest);
        assert_int_equal(kind_at(rows[i].ns, rows[i].ns, rows[i].l3, false, 1), rows[i].own);
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
            const enum distance_kind near = kind_at(27.9, 27.9, l3, true, 1),
                                     far = kind_at(120, 120, l3, true, 1);
            assert_true(near == DISTANCE_L3 || (near == DISTANCE_UNNAMED && l3.most >= 20));
            assert_true(far == DISTANCE_BEYOND || (far == DISTANCE_UNNAMED && l3.most >= 20));
        }
    }
}

/* Twice as far as one L3 is beyond it. A quarter more is another distance. */
TEST(the_nearest_one_names_the_next)
{
    const struct own_ns l3 = {20, 20}, wide = {15, 77};
    assert_int_equal(kind_at(55, 28, l3, true, 2), DISTANCE_L3);
    assert_int_equal(kind_at(57, 28, l3, true, 2), DISTANCE_BEYOND);
    assert_int_equal(kind_at(120, 28, wide, true, 2), DISTANCE_UNNAMED);
    kind_at(100, 122, l3, true, 1);
    kind_at(100, 128, l3, true, 2);
}

/* CPUs that the topology shows apart are beyond, without L3 no distance has a name, and several of a kind have numbers. */
TEST(the_topology_helps_to_name)
{
    scene_make();
    for (size_t round = 0; round < ROUNDS; round++)
        for (size_t pair = 0; pair < PAIRS; pair++)
            scene_set(round, pair, pair == 0 || pair == 5 ? 60 : pair < 3 ? 90 : 130, 1);
    s.place[2].l3 = s.place[3].l3 = 1;
    s.matrix.l3 = (struct own_ns){40, 40};
    distances_find(&s.matrix);
    assert_string_equal(name_of(0), "one L3");
    assert_string_equal(name_of(1), "beyond one L3");
    assert_string_equal(distance_names[s.matrix.distances.of[2].name], "beyond one L3 2");
    for (int i = 0; i < CPUS; i++)
        s.place[i].l3 = -1;
    distances_find(&s.matrix);
    assert_string_equal(name_of(1), "distance 2");
}

/* Clusters of two cores below one L2, as of small cores. */
TEST(one_l2_is_named_with_and_without_an_l3)
{
    for (int l3 = -1; l3 <= 0; l3++) {
        scene_make();
        for (size_t round = 0; round < ROUNDS; round++)
            for (size_t pair = 0; pair < PAIRS; pair++)
                scene_set(round, pair, pair == 0 || pair == 5 ? 30 : 60, 1);
        for (int i = 0; i < CPUS; i++) {
            s.place[i].l2 = i / 2;
            s.place[i].l3 = l3;
        }
        s.matrix.l3 = (struct own_ns){20, 20};
        distances_find(&s.matrix);
        assert_string_equal(name_of(0), "one L2");
        assert_string_equal(name_of(1), l3 < 0 ? "beyond one L2" : "one L3");
    }
}

/* A guest is shown one L2 for CPUs that lie anywhere: 24 times a hit of the own L2 (of 4 ns) is no
 * cluster. A distance at which there are CPUs of one L2 and others has no name either. */
TEST(what_contradicts_one_l2_has_no_such_name)
{
    for (int way = 0; way < 3; way++) {
        scene_make();
        for (size_t round = 0; round < ROUNDS; round++)
            for (size_t pair = 0; pair < PAIRS; pair++)
                scene_set(round, pair, way == 0 ? 95.9 : way == 1 ? 96.1 : 60, 1);
        for (int i = 0; i < CPUS; i++) {
            s.place[i].l2 = way == 2 ? i / 2 : 0;
            s.place[i].l3 = -1;
        }
        s.matrix.guest = true;
        distances_find(&s.matrix);
        assert_string_equal(name_of(0), way == 0 ? "one L2" : "distance 1");
    }
}

/* Fewer than four in a row, or than a hundredth of all and one, are strays. But a handful may be one distance. */
TEST(a_distance_has_its_share_of_the_values)
{
    static const struct {
        size_t near, far; /* measurements at 28 and 105 ns */
        size_t count;
    } rows[] = {{1, 0, 1}, {2, 0, 1}, {1, 1, 0},     {3, 1, 0},
                {4, 1, 1}, {4, 4, 2}, {1188, 12, 1}, {1187, 13, 2}};
    for (size_t row = 0; row < COUNT_OF(rows); row++) {
        scene_make();
        for (size_t i = 0; i < rows[row].near + rows[row].far; i++)
            scene_set(i / PAIRS, i % PAIRS, i < rows[row].near ? 28 : 105, 28);
        distances_find(&s.matrix);
        assert_int_equal(s.matrix.distances.count, rows[row].count);
    }
}
