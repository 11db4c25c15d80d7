/* SPDX-License-Identifier: MIT */

#include "bench/core_latency/pairs.h"

#include "test.h"

/* A machine of equal parts. */
struct shape {
    int packages, nodes, l3, cores, smt; /* each per the one before */
    int hole;                            /* every hole-th CPU is missing; 0: none */
    bool no_l3;
};

static int cpu_count(const struct shape *shape)
{
    return shape->packages * shape->nodes * shape->l3 * shape->cores * shape->smt;
}

/* Siblings are numbered as on Linux: all first ones, then all second ones. */
static struct cpu_place *machine(const struct shape *shape, int *count)
{
    int all = cpu_count(shape), cores = all / shape->smt;
    struct cpu_place *place = calloc((size_t)all, sizeof *place);

    *count = 0;
    for (int id = 0; id < all; id++) {
        int core = id % cores, l3 = core / shape->cores, node = l3 / shape->l3;
        if (shape->hole && id % shape->hole == shape->hole - 1)
            continue;
        place[(*count)++] = (struct cpu_place){.id = id,
                                               .core = core,
                                               .l2 = core,
                                               .l3 = shape->no_l3 ? -1 : l3,
                                               .node = node,
                                               .package = node / shape->nodes,
                                               .sibling = id / cores,
                                               .kind = -1};
    }
    qsort(place, (size_t)*count, sizeof *place, pairs_compare_places);
    return place;
}

static struct pair_plan plan_of(const struct cpu_place *place, int count, enum pair_set set, bool serial)
{
    struct pair_plan plan;
    struct fault fault = {0};

    assert_int_equal(pairs_plan(&plan, place, count, set, serial, &fault), STATUS_OK);
    return plan;
}

static void assert_each_pair_once(const struct pair_plan *plan, int count, enum pair_set set)
{
    unsigned char *seen = calloc((size_t)count * (size_t)count, 1);

    for (size_t i = 0; i < plan->pair_count; i++) {
        const int from = plan->pair[i].from, to = plan->pair[i].to;
        assert_true(from >= 0 && from < count && to >= 0 && to < count);
        assert_true(set == PAIRS_UNORDERED ? !seen[to * count + from] : set == PAIRS_ALL || from != to);
        assert_int_equal(seen[from * count + to]++, 0);
        assert_int_equal(plan->at[from * count + to], i + 1);
    }
    const size_t n = (size_t)count;
    assert_int_equal(plan->pair_count, set == PAIRS_UNORDERED ? n * (n - 1) / 2
                                       : set == PAIRS_ORDERED ? n * (n - 1)
                                                              : n * n);
    free(seen);
}

/* Marks what an end of a pair occupies; fails where another pair of the batch has it. */
static void occupy(int *owner, int index, int pair, int batch_mark)
{
    assert_false(owner[index] > batch_mark && owner[index] != batch_mark + 1 + pair);
    owner[index] = batch_mark + 1 + pair;
}

static void assert_batches_disjoint(const struct pair_plan *plan, const struct cpu_place *place)
{
    enum { GROUPS = 8192 };
    int *core = calloc(GROUPS, sizeof *core), *l3 = calloc(GROUPS, sizeof *l3), mark = 0;

    assert_int_equal(plan->start[0], 0);
    assert_int_equal(plan->start[plan->batch_count], plan->pair_count);
    assert_int_equal(plan->start[plan->start_count], plan->point_count);
    assert_int_equal(plan->pair[plan->point_count - 1].from, plan->pair[plan->point_count - 1].to);
    /* What runs in parallel is measured by itself, too: 12 of the pairs or one in 25, at most 500. */
    const size_t checked = plan->point_count - 1 - plan->pair_count;
    assert_true(plan->widest > 1 ? checked >= (plan->pair_count < 12 ? plan->pair_count : 12) : checked == 0);
    assert_true(checked <= CHECKED_MOST && (checked < 24 || checked <= plan->pair_count / 25 + 1));
    for (size_t point = plan->pair_count; point < plan->pair_count + checked; point++)
        assert_true(pairs_index(plan, point) < plan->pair_count);
    for (size_t batch = 0; batch < plan->batch_count; batch++) {
        int width = (int)(plan->start[batch + 1] - plan->start[batch]);
        assert_in_range(width, 1, plan->widest);
        for (int i = 0; i < width; i++) {
            const struct pair *pair = &plan->pair[plan->start[batch] + (size_t)i];
            const struct cpu_place *end[] = {&place[pair->from], &place[pair->to]};
            for (int side = 0; side < 2; side++) {
                occupy(core, end[side]->core, i, mark);
                occupy(l3, end[side]->l3 >= 0 ? end[side]->l3 : GROUPS / 2 + end[side]->package, i, mark);
            }
        }
        mark += width;
    }
    free(core);
    free(l3);
}

/* Of a machine: who meets, and how many at once. widest and batches 0: whatever comes out. */
static const struct {
    struct shape shape;
    bool unordered_only;
    int widest;
    size_t batches;
} rows[] = {
    {{1, 1, 1, 2, 1, 0, false}},                          /* a small guest */
    {{1, 1, 1, 1, 2, 0, false}},                          /* two siblings */
    {{1, 1, 1, 3, 1, 0, false}},                          /* odd */
    {{1, 1, 1, 8, 2, 0, false}},                          /* desktop */
    {{1, 1, 2, 8, 2, 0, false}},                          /* two dies */
    {{1, 1, 3, 4, 2, 0, false}},                          /* an odd number of L3s */
    {{2, 1, 1, 16, 2, 0, false}},                         /* two packages */
    {{2, 4, 3, 2, 2, 0, false}},                          /* many nodes */
    {{2, 1, 4, 4, 2, 3, false}},                          /* offline CPUs */
    {{1, 1, 8, 8, 2, 7, false}},                          /* holes, unequal groups */
    {{2, 1, 1, 16, 1, 0, true}},                          /* L3 unknown */
    {{1, 1, 16, 4, 2, 0, false}, true, 16, 28 + 15 * 64}, /* 28 batches within, then 15 rounds of 64 */
    {{2, 3, 25, 2, 2, 0, false}, true, 150, 0},           /* 600 CPUs */
    {{1, 1, 1, 300, 2, 0, true}, true, 1, 600 * 599 / 2},
};

TEST(each_pair_once_and_batches_disjoint)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        for (int set = PAIRS_UNORDERED; set <= (rows[i].unordered_only ? PAIRS_UNORDERED : PAIRS_ALL);
             set++) {
            int count;
            struct cpu_place *place = machine(&rows[i].shape, &count);
            struct pair_plan plan = plan_of(place, count, (enum pair_set)set, false);
            assert_each_pair_once(&plan, count, (enum pair_set)set);
            assert_batches_disjoint(&plan, place);
            if (rows[i].widest)
                assert_int_equal(plan.widest, rows[i].widest);
            if (rows[i].batches)
                assert_int_equal(plan.batch_count, rows[i].batches);
            pairs_free(&plan);
            free(place);
        }
    }
}

TEST(every_count_of_one_machine_and_one_at_a_time)
{
    struct shape shape = {2, 1, 3, 4, 2, 0, false};
    int count;
    struct cpu_place *place = machine(&shape, &count);

    for (int n = 2; n <= count; n++) {
        struct pair_plan plan = plan_of(place, n, PAIRS_UNORDERED, false);
        assert_each_pair_once(&plan, n, PAIRS_UNORDERED);
        assert_batches_disjoint(&plan, place);
        pairs_free(&plan);
    }
    struct pair_plan plan = plan_of(place, count, PAIRS_UNORDERED, true);
    assert_each_pair_once(&plan, count, PAIRS_UNORDERED);
    assert_int_equal(plan.batch_count, plan.pair_count);
    assert_int_equal(plan.widest, 1);
    pairs_free(&plan);
    free(place);
}

/* Performance cores with siblings, efficiency cores in fours behind one L2. */
TEST(cores_of_two_kinds)
{
    struct cpu_place place[8] = {0};

    for (int i = 0; i < 8; i++) {
        bool fast = i < 4;
        place[i] = (struct cpu_place){.id = i,
                                      .core = fast ? i / 2 : i,
                                      .l2 = fast ? i / 2 : 2,
                                      .sibling = fast ? i % 2 : 0,
                                      .kind = fast};
    }
    struct pair_plan plan = plan_of(place, 8, PAIRS_UNORDERED, false);
    assert_each_pair_once(&plan, 8, PAIRS_UNORDERED);
    assert_batches_disjoint(&plan, place);
    pairs_free(&plan);
}

TEST(too_few_cpus)
{
    struct cpu_place place = {0};

    for (int count = 0; count < 2; count++) {
        struct pair_plan plan;
        struct fault fault = {0};
        assert_int_equal(pairs_plan(&plan, &place, count, PAIRS_UNORDERED, false, &fault),
                         STATUS_NO_RESOURCE);
        assert_non_null(strstr(fault.text, "two CPUs"));
    }
}

TEST(places_in_the_order_of_the_machine)
{
    struct shape shape = {2, 1, 1, 2, 2, 0, false};
    int count, id[8];
    struct cpu_place *place = machine(&shape, &count);

    for (int i = 0; i < count; i++)
        id[i] = place[i].id;
    const int expected[] = {0, 4, 1, 5, 2, 6, 3, 7};
    assert_memory_equal(id, expected, sizeof expected);
    free(place);
}
