/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "scene.h"

/* CPUs 0 and 1, and 2 and 3, are near to each other, and from round `moved` on 0 and 2, and 1 and 3; the pair `unseen` is not measured.
 * Three seconds, nine in ten measurements, all pairs. */
TEST(groups_hold_that_last)
{
    static const struct {
        double seconds;
        size_t moved, unseen;
        bool held;
        int groups;
    } rows[] = {{3, 200, 9, true, 2},
                {2.8, 200, 9, false, 2},
                {3, 181, 9, true, 2},
                {3, 179, 9, false, 2},
                {3, 200, 3, false, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int label[CPUS];
        bool held;
        scene_make();
        for (size_t k = 0; k < ROUNDS * PAIRS; k++) {
            const struct pair *pair = &s.pair[k % PAIRS];
            const bool near =
                k / PAIRS < rows[i].moved ? pair->from / 2 == pair->to / 2 : pair->from % 2 == pair->to % 2;
            scene_set(k / PAIRS, k % PAIRS, k % PAIRS == rows[i].unseen ? NAN : near ? 28 : 105, 30);
        }
        s.matrix.data.seconds = rows[i].seconds;
        s.run.record = record_new();
        latency_conclude(&s.matrix);
        assert_int_equal(groups_find(&s.matrix, 0, label, &held), rows[i].groups);
        assert_int_equal(held, rows[i].held);
        if (rows[i].groups)
            assert_true(label[0] == label[1] && label[2] == label[3] && label[0] != label[2]);
        /* No level of the topology shown has them; then the L2 has. */
        latency_placement_answers(&s.matrix);
        const struct answer *groups = record_answer_find(s.run.record, "placement.groups_one_l3", NULL);
        const struct answer *hidden = record_answer_find(s.run.record, "placement.hidden_l3", NULL);
        assert_int_equal(groups != NULL, rows[i].held);
        assert_int_equal(hidden->trust, rows[i].held ? TRUST_MEDIUM : TRUST_LOW);
        record_free(s.run.record);
        s.run.record = record_new();
        for (int cpu = 0; cpu < CPUS; cpu++)
            s.place[cpu].l2 = cpu / 2;
        latency_placement_answers(&s.matrix);
        assert_null(record_answer_find(s.run.record, "placement.groups_one_l3", NULL));
        record_free(s.run.record);
    }
}

static bool by_fours(int i, int j)
{
    return i / 4 == j / 4;
}

static bool by_parity(int i, int j)
{
    return i % 2 == j % 2;
}

/* A chain of near neighbours is no group: the first and the last of it are far from each other. */
static bool neighbours(int i, int j)
{
    return j - i == 1;
}

static bool never(int i, int j)
{
    return false;
}

TEST(labels_are_the_first_of_each_group)
{
    static const struct {
        bool (*same)(int, int);
        int cpus, groups, last; /* label of the last CPU */
    } rows[] = {{by_fours, 12, 3, 8}, {by_parity, 6, 2, 1}, {never, 12, 12, 11}, {neighbours, 8, 0, 0}};
    struct pair pair[12 * 12];
    bool near[12 * 12];
    int label[12];
    for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
        struct pair_plan plan = {.pair = pair};
        for (int i = 0; i < rows[row].cpus; i++) {
            for (int j = i + 1; j < rows[row].cpus; j++) {
                near[plan.pair_count] = rows[row].same(i, j);
                pair[plan.pair_count++] = (struct pair){i, j};
            }
        }
        assert_int_equal(groups_label(&plan, near, rows[row].cpus, label), rows[row].groups);
        assert_int_equal(label[rows[row].cpus - 1], rows[row].last);
    }
}
