/* SPDX-License-Identifier: MIT */
#include "bench/core_latency/pairs.h"

#include "test.h"

enum { CPUS_MOST = 600 };

/* A machine of equal parts, each per the one before. */
struct shape {
    int packages, nodes, l3, cores, smt;
    int hole; /* every hole-th CPU is missing; 0: none */
    bool no_l3;
};

/* Siblings are numbered as on Linux: all first ones, then all second ones. Returns how many there are. */
static int machine(const struct shape *shape, struct cpu_place *place)
{
    const int cores = shape->packages * shape->nodes * shape->l3 * shape->cores;
    int count = 0;
    for (int id = 0; id < cores * shape->smt; id++) {
        const int core = id % cores, l3 = core / shape->cores, node = l3 / shape->l3;
        if (shape->hole && id % shape->hole == shape->hole - 1)
            continue;
        place[count++] = (struct cpu_place){.id = id,
                                            .core = core,
                                            .l2 = core,
                                            .l3 = shape->no_l3 ? -1 : l3,
                                            .node = node,
                                            .package = node / shape->nodes,
                                            .sibling = id / cores,
                                            .kind = -1};
    }
    qsort(place, (size_t)count, sizeof *place, pairs_compare_places);
    return count;
}

static void check_each_pair_once(const struct pair_plan *plan, size_t n, enum pair_set set)
{
    unsigned char *seen = calloc(n * n, 1);
    for (size_t i = 0; i < plan->pair_count; i++) {
        const size_t from = (size_t)plan->pair[i].from, to = (size_t)plan->pair[i].to;
        assert_true(from < n && to < n);
        assert_true(set == PAIRS_UNORDERED ? !seen[to * n + from] : set == PAIRS_ALL || from != to);
        assert_int_equal(seen[from * n + to]++, 0);
        assert_int_equal(plan->at[from * n + to], i + 1);
    }
    assert_int_equal(plan->pair_count, set == PAIRS_UNORDERED ? n * (n - 1) / 2
                                       : set == PAIRS_ORDERED ? n * (n - 1)
                                                              : n * n);
    free(seen);
}

/* No two pairs of a batch share an L3 or, where it is unknown, a package. The first CPU alone comes last. */
static void check_batches(const struct pair_plan *plan, const struct cpu_place *place)
{
    for (size_t batch = 0; batch < plan->batch_count; batch++) {
        bool taken[2 * CPUS_MOST] = {false};
        assert_in_range(plan->start[batch + 1] - plan->start[batch], 1, plan->widest);
        for (size_t i = plan->start[batch]; i < plan->start[batch + 1]; i++) {
            const struct cpu_place *x = &place[plan->pair[i].from], *y = &place[plan->pair[i].to];
            const int a = x->l3 >= 0 ? x->l3 : CPUS_MOST + x->package;
            const int b = y->l3 >= 0 ? y->l3 : CPUS_MOST + y->package;
            assert_false(taken[a] || taken[b]);
            taken[a] = taken[b] = true;
        }
    }
    assert_int_equal(plan->start[0], 0);
    assert_int_equal(plan->start[plan->batch_count], plan->pair_count);
    assert_int_equal(plan->start[plan->batch_count + 1], plan->pair_count + 1);
    assert_memory_equal(&plan->pair[plan->pair_count], &((struct pair){0, 0}), sizeof(struct pair));
}

static struct pair_plan check(const struct cpu_place *place, int count, enum pair_set set, bool serial)
{
    struct pair_plan plan;
    struct fault fault = {0};
    assert_int_equal(pairs_plan(&plan, place, count, set, serial, &fault), STATUS_OK);
    check_each_pair_once(&plan, (size_t)count, set);
    check_batches(&plan, place);
    return plan;
}

TEST(each_pair_once_and_batches_disjoint)
{
    static const struct {
        struct shape shape;
        int widest;
        size_t batches; /* 0: whatever comes out */
    } rows[] = {
        {{1, 1, 1, 2, 1, 0, false}, 1, 1},               /* a small guest */
        {{1, 1, 1, 1, 2, 0, false}, 1, 1},               /* two siblings */
        {{1, 1, 1, 3, 1, 0, false}, 1, 3},               /* odd */
        {{1, 1, 1, 8, 2, 0, false}, 1, 120},             /* desktop */
        {{1, 1, 2, 8, 2, 0, false}, 2, 120 + 256},       /* two dies */
        {{1, 1, 3, 4, 2, 0, false}, 3, 28 + 3 * 64},     /* an odd number of L3s */
        {{2, 1, 1, 16, 2, 0, false}, 2, 0},              /* two packages */
        {{2, 4, 3, 2, 2, 0, false}, 24, 0},              /* many nodes */
        {{2, 1, 4, 4, 2, 3, false}, 8, 0},               /* offline CPUs */
        {{1, 1, 8, 8, 2, 7, false}, 8, 0},               /* holes, unequal groups */
        {{2, 1, 1, 16, 1, 0, true}, 2, 0},               /* L3 unknown */
        {{1, 1, 16, 4, 2, 0, false}, 16, 28 + 15 * 64},  /* 28 batches within, then 15 rounds of 64 */
        {{2, 3, 25, 2, 2, 0, false}, 150, 6 + 149 * 16}, /* 600 CPUs */
        {{1, 1, 1, 300, 2, 0, true}, 1, 600 * 599 / 2},
    };
    struct cpu_place place[CPUS_MOST];
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        for (int set = PAIRS_UNORDERED; set <= (i < 12 ? PAIRS_ALL : PAIRS_UNORDERED); set++) {
            struct pair_plan plan = check(place, machine(&rows[i].shape, place), (enum pair_set)set, false);
            assert_int_equal(plan.widest, rows[i].widest);
            if (rows[i].batches && set == PAIRS_UNORDERED)
                assert_int_equal(plan.batch_count, rows[i].batches);
            pairs_free(&plan);
        }
}

TEST(every_count_of_one_machine_and_one_at_a_time)
{
    const struct shape shape = {2, 1, 3, 4, 2, 0, false};
    struct cpu_place place[CPUS_MOST];
    const int count = machine(&shape, place);
    for (int n = 2; n <= count; n++)
        for (int serial = 0; serial < 2; serial++) {
            struct pair_plan plan = check(place, n, PAIRS_UNORDERED, serial);
            assert_true(!serial || plan.batch_count == plan.pair_count);
            pairs_free(&plan);
        }
    for (int n = 0; n < 2; n++) {
        struct pair_plan plan;
        struct fault fault = {0};
        assert_int_equal(pairs_plan(&plan, place, n, PAIRS_UNORDERED, false, &fault), STATUS_NO_RESOURCE);
    }
}

TEST(places_in_the_order_of_the_machine)
{
    static const int expected[] = {0, 4, 1, 5, 2, 6, 3, 7};
    const struct shape shape = {2, 1, 1, 2, 2, 0, false};
    struct cpu_place place[CPUS_MOST];
    assert_int_equal(machine(&shape, place), 8);
    for (int i = 0; i < 8; i++)
        assert_int_equal(place[i].id, expected[i]);
}
