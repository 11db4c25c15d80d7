/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "distant.h"

/* CPUs 0 and 1, and 2 and 3, are near to each other; from sweep `moved` on 0 and 2, and 1 and 3. */
static void set_pairs(struct distant *d, size_t moved)
{
    for (size_t sweep = 0; sweep < DISTANT_SWEEPS; sweep++) {
        for (size_t i = 0; i < DISTANT_PAIRS; i++) {
            const struct pair *pair = &d->pair[i];
            const bool near = sweep < moved ? pair->from / 2 == pair->to / 2 : pair->from % 2 == pair->to % 2;
            distant_set(d, sweep, i, near ? 28 : 105, 1);
        }
    }
}

static struct cpu_groups find(struct distant *d, int *label)
{
    struct distances distances = {0};
    const struct pair_plan plan = {.pair = d->pair, .pair_count = DISTANT_PAIRS};
    distances_find(&distances, &d->data, &d->rules);
    assert_int_equal(distances.count, 2);
    const struct cpu_groups found = groups_find(&distances, &d->data, &plan, DISTANT_CPUS, 0, label);
    distances_free(&distances);
    return found;
}

TEST(groups_that_hold_for_three_seconds)
{
    struct distant d;
    int label[DISTANT_CPUS];

    distant_make(&d, 3);
    set_pairs(&d, DISTANT_SWEEPS);
    const struct cpu_groups found = find(&d, label);
    assert_int_equal(found.count, 2);
    assert_int_equal(found.most, 2);
    assert_true(label[0] == label[1] && label[2] == label[3] && label[0] != label[2]);
}

TEST(groups_of_a_short_run_are_not_known_to_hold)
{
    struct distant d;
    int label[DISTANT_CPUS];

    distant_make(&d, 0.5);
    set_pairs(&d, DISTANT_SWEEPS);
    const struct cpu_groups found = find(&d, label);
    assert_int_equal(found.count, 0);
    assert_int_equal(found.most, 2);
}

TEST(groups_that_change_do_not_hold)
{
    struct distant d;
    int label[DISTANT_CPUS];

    distant_make(&d, 3);
    set_pairs(&d, DISTANT_SWEEPS * 4 / 5);
    assert_int_equal(find(&d, label).count, 0);
    assert_int_equal(find(&d, label).most, 2);
}

/* In one look a pair was not seen at all. */
TEST(a_pair_that_is_not_seen_holds_nothing)
{
    struct distant d;
    int label[DISTANT_CPUS];

    distant_make(&d, 3);
    set_pairs(&d, DISTANT_SWEEPS);
    for (size_t sweep = 80; sweep < 120; sweep++)
        distant_set(&d, sweep, 3, NAN, NAN);
    assert_int_equal(find(&d, label).count, 0);
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
