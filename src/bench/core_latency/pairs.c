/* SPDX-License-Identifier: MIT */
#include "pairs.h"

#include <stdlib.h>

/* A meeting is what two groups, or one by itself, measure one after the other; those of a round run at the same time. */
struct maker {
    const struct pair_request *request;
    int *group; /* group g is places group[g] to group[g + 1] - 1 */
    int groups;
    struct pair *pair; /* of this round */
    size_t *begin;     /* meeting m is pairs begin[m] to begin[m + 1] - 1 */
    int meetings;
};

static int compare_ints(int a, int b)
{
    return (a > b) - (a < b);
}

int pairs_compare_places(const void *a, const void *b)
{
    const struct cpu_place *x = a, *y = b;
    const int key_x[] = {x->package, x->l3, x->node, x->l2, x->core, x->sibling, x->id};
    const int key_y[] = {y->package, y->l3, y->node, y->l2, y->core, y->sibling, y->id};

    for (size_t i = 0; i < sizeof key_x / sizeof *key_x; i++) {
        const int order = compare_ints(key_x[i], key_y[i]);
        if (order)
            return order;
    }
    return 0;
}

static void find_groups(struct maker *maker)
{
    const struct cpu_place *place = maker->request->place;

    for (int i = 0; i < maker->request->count; i++) {
        if (i == 0 || place[i].package != place[i - 1].package || place[i].l3 != place[i - 1].l3)
            maker->group[maker->groups++] = i;
    }
    maker->group[maker->groups] = maker->request->count;
}

static void begin_meeting(struct maker *maker)
{
    maker->meetings++;
    maker->begin[maker->meetings] = maker->begin[maker->meetings - 1];
}

static void add_pair(struct maker *maker, int from, int to)
{
    size_t *end = &maker->begin[maker->meetings];

    maker->pair[(*end)++] = (struct pair){from, to};
    if (maker->request->set != PAIRS_UNORDERED && from != to)
        maker->pair[(*end)++] = (struct pair){to, from};
}

/* Near neighbours first. */
static void meet_within(struct maker *maker, int group)
{
    const int first = maker->group[group], count = maker->group[group + 1] - first;

    begin_meeting(maker);
    for (int distance = maker->request->set == PAIRS_ALL ? 0 : 1; distance < count; distance++) {
        for (int i = 0; i + distance < count; i++)
            add_pair(maker, first + i, first + i + distance);
    }
}

/* Each CPU is used as often as any other at any time. */
static void meet_between(struct maker *maker, int group_a, int group_b)
{
    const int *a = &maker->group[group_a < group_b ? group_a : group_b];
    const int *b = &maker->group[group_a < group_b ? group_b : group_a];
    const int count_a = a[1] - a[0], count_b = b[1] - b[0];

    begin_meeting(maker);
    for (int shift = 0; shift < count_b; shift++) {
        for (int i = 0; i < count_a; i++)
            add_pair(maker, a[0] + i, b[0] + (i + shift) % count_b);
    }
}

static void close_batch(struct pair_plan *plan)
{
    const int width = (int)(plan->pair_count - plan->start[plan->batch_count]);

    plan->widest = width > plan->widest ? width : plan->widest;
    plan->start[++plan->batch_count] = plan->pair_count;
}

/* The n-th pairs of all meetings run together. */
static void add_round(struct pair_plan *plan, struct maker *maker)
{
    bool more = true;

    for (size_t n = 0; more; n++) {
        more = false;
        for (int i = 0; i < maker->meetings; i++) {
            if (maker->begin[i] + n >= maker->begin[i + 1])
                continue;
            plan->pair[plan->pair_count++] = maker->pair[maker->begin[i] + n];
            more = true;
        }
        if (more)
            close_batch(plan);
    }
    maker->meetings = 0;
}

/* Groups 0 to count - 2 sit on a circle, the last one in its middle; an odd number is filled up with a group
 * that does not exist. In round r, the middle meets r, and r + k meets r - k. */
static void make_rounds(struct pair_plan *plan, struct maker *maker)
{
    const int seats = maker->groups + maker->groups % 2, circle = seats - 1;

    for (int i = 0; i < maker->groups; i++)
        meet_within(maker, i);
    add_round(plan, maker);
    for (int round = 0; maker->groups > 1 && round < circle; round++) {
        for (int k = 0; k < seats / 2; k++) {
            const int a = k == 0 ? circle : (round + k) % circle, b = (round - k + circle) % circle;
            if (a < maker->groups && b < maker->groups)
                meet_between(maker, a, b);
        }
        add_round(plan, maker);
    }
}

enum status pairs_plan(struct pair_plan *plan, const struct pair_request *request, struct fault *fault)
{
    const size_t count = request->count > 1 ? (size_t)request->count : 1, room = count * count + 1;
    struct maker maker = {.request = request,
                          .group = calloc(count + 1, sizeof *maker.group),
                          .pair = calloc(room, sizeof *maker.pair),
                          .begin = calloc(count + 1, sizeof *maker.begin)};

    *plan = (struct pair_plan){.pair = calloc(room, sizeof *plan->pair),
                               .start = calloc(room, sizeof *plan->start)};
    if (request->count < 2)
        fault_set(fault, STATUS_NO_RESOURCE,
                  "core-latency needs two CPUs, and only %d may be used here: allow more (taskset, cpuset) "
                  "or name more with --cpus",
                  request->count);
    else if (!maker.group || !maker.pair || !maker.begin || !plan->pair || !plan->start)
        fault_set(fault, STATUS_NO_RESOURCE, "out of memory for the pairs of %d CPUs: name fewer with --cpus",
                  request->count);
    if (fault->status == STATUS_OK) {
        find_groups(&maker);
        make_rounds(plan, &maker);
        if (request->serial)
            pairs_make_serial(plan);
    } else {
        pairs_free(plan);
    }
    free(maker.group);
    free(maker.pair);
    free(maker.begin);
    return fault->status;
}

void pairs_make_serial(struct pair_plan *plan)
{
    for (size_t i = 0; i <= plan->pair_count; i++)
        plan->start[i] = i;
    plan->batch_count = plan->pair_count;
    plan->widest = 1;
}

void pairs_free(struct pair_plan *plan)
{
    free(plan->pair);
    free(plan->start);
    *plan = (struct pair_plan){0};
}

double pairs_time(const struct pair_plan *plan, const struct cpu_place *place, const double *cost_ns)
{
    double sum = 0;

    for (size_t batch = 0; batch < plan->batch_count; batch++) {
        double longest = 0;
        for (size_t i = plan->start[batch]; i < plan->start[batch + 1]; i++) {
            const struct pair *pair = &plan->pair[i];
            const double ns = cost_ns[place_relation(&place[pair->from], &place[pair->to])];
            longest = ns > longest ? ns : longest;
        }
        sum += longest;
    }
    return sum;
}
