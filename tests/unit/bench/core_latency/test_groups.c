/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "distant.h"

/* CPUs 0 and 1, and 2 and 3, are near to each other; from sweep `moved` on 0 and 2, and 1 and 3. The pair `unseen` is not measured. */
static struct cpu_groups find(double seconds, size_t moved, size_t unseen, int *label)
{
    struct distant d;
    struct distances distances = {0};
    const struct pair_plan plan = {.pair = d.pair, .pair_count = DISTANT_PAIRS};

    distant_make(&d, seconds);
    for (size_t sweep = 0; sweep < DISTANT_SWEEPS; sweep++) {
        for (size_t i = 0; i < DISTANT_PAIRS; i++) {
            const struct pair *pair = &d.pair[i];
            const bool near = sweep < moved ? pair->from / 2 == pair->to / 2 : pair->from % 2 == pair->to % 2;
            distant_set(&d, sweep, i, i == unseen ? NAN : near ? 28 : 105, 1);
        }
    }
    distances_find(&distances, &d.data, &d.rules);
    assert_int_equal(distances.count, 2);
    const struct cpu_groups found = groups_find(&distances, seconds, &plan, DISTANT_CPUS, 0, label);
    distances_free(&distances);
    return found;
}

/* Three seconds, and nine in ten measurements. */
TEST(groups_hold_that_last)
{
    static const struct {
        double seconds;
        size_t moved, unseen;
        int count, most;
    } rows[] = {
        {3, 200, 9, 2, 2}, {2.8, 200, 9, 0, 2}, {3, 181, 9, 2, 2}, {3, 179, 9, 0, 2}, {3, 200, 3, 0, 0}};
    int label[DISTANT_CPUS];

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct cpu_groups found = find(rows[i].seconds, rows[i].moved, rows[i].unseen, label);
        assert_int_equal(found.count, rows[i].count);
        assert_int_equal(found.most, rows[i].most);
        if (found.most)
            assert_true(label[0] == label[1] && label[2] == label[3] && label[0] != label[2]);
    }
}

enum { MAX = 16 };

static int label_by(int cpus, bool (*same)(int, int), int *label)
{
    struct pair pair[MAX * MAX];
    bool near[MAX * MAX];
    size_t count = 0;

    for (int i = 0; i < cpus; i++) {
        for (int j = i + 1; j < cpus; j++) {
            near[count] = same(i, j);
            pair[count++] = (struct pair){i, j};
        }
    }
    return groups_label(pair, near, count, cpus, label);
}

static bool by_fours(int i, int j)
{
    return i / 4 == j / 4;
}

static bool by_parity(int i, int j)
{
    return i % 2 == j % 2;
}

static bool neighbours(int i, int j)
{
    return j - i == 1;
}

static bool always(int i, int j)
{
    return true;
}

static bool never(int i, int j)
{
    return false;
}

TEST(labels_are_the_first_of_each_group)
{
    const int fours[] = {0, 0, 0, 0, 4, 4, 4, 4, 8, 8, 8, 8}, parity[] = {0, 1, 0, 1, 0, 1};
    int label[MAX];

    assert_int_equal(label_by(12, by_fours, label), 3);
    assert_memory_equal(label, fours, sizeof fours);
    assert_int_equal(label_by(6, by_parity, label), 2);
    assert_memory_equal(label, parity, sizeof parity);
    assert_int_equal(label_by(12, always, label), 1);
    assert_int_equal(label_by(12, never, label), 12);
}

/* A chain of near neighbours is no group: the first and the last of it are far from each other. */
TEST(a_chain_is_no_group)
{
    int label[MAX];
    assert_int_equal(label_by(8, neighbours, label), 0);
}
