/* SPDX-License-Identifier: MIT */
#include "pairs.h"

#include <stdlib.h>

#include "base/text.h"

/* What two groups of CPUs, or one by itself, measure one after the other; the meetings of a round run in parallel. */
struct meeting {
    int first_a, count_a, first_b, count_b; /* places; the same twice: one group by itself */
    int distance, i;                        /* of the next pair */
};

int pairs_compare_places(const void *a, const void *b)
{
    const struct cpu_place *x = a, *y = b;
    const int key_x[] = {x->package, x->l3, x->node, x->l2, x->core, x->sibling, x->id};
    const int key_y[] = {y->package, y->l3, y->node, y->l2, y->core, y->sibling, y->id};

    for (size_t i = 0; i < sizeof key_x / sizeof *key_x; i++) {
        if (key_x[i] != key_y[i])
            return key_x[i] < key_y[i] ? -1 : 1;
    }
    return 0;
}

/* Within a group near neighbours come first; between two, each CPU is used as often as any other at any time. */
static bool next_pair(struct meeting *m, struct pair *pair)
{
    const bool within = m->first_a == m->first_b;

    if (m->i >= m->count_a - (within ? m->distance : 0)) {
        m->i = 0;
        m->distance++;
    }
    if (m->distance >= m->count_b)
        return false;
    const int other = within ? m->i + m->distance : (m->i + m->distance) % m->count_b;
    *pair = (struct pair){m->first_a + m->i++, m->first_b + other};
    return true;
}

static bool close_batch(struct pair_plan *plan)
{
    const int width = (int)(plan->pair_count - plan->start[plan->batch_count]);

    plan->widest = width > plan->widest ? width : plan->widest;
    if (width > 0)
        plan->start[++plan->batch_count] = plan->pair_count;
    return width > 0;
}

/* The n-th pairs of all meetings run together, then the same the other way round. */
static void add_round(struct pair_plan *plan, struct meeting *meeting, int meetings, bool both)
{
    for (;;) {
        const size_t begin = plan->pair_count;
        for (int i = 0; i < meetings; i++)
            plan->pair_count += next_pair(&meeting[i], &plan->pair[plan->pair_count]);
        const size_t end = plan->pair_count;
        if (!close_batch(plan))
            return;
        for (size_t i = begin; both && i < end; i++) {
            const struct pair pair = plan->pair[i];
            if (pair.from != pair.to)
                plan->pair[plan->pair_count++] = (struct pair){pair.to, pair.from};
        }
        close_batch(plan);
    }
}

/* First each group by itself. Then groups 0 to count - 2 sit on a circle, the last one in its middle; an odd number is filled
 * up with a group that does not exist. In round r, the middle meets r, and r + k meets r - k. */
static void make_rounds(struct pair_plan *plan, const struct pair_request *request, int *group,
                        struct meeting *meeting)
{
    const struct cpu_place *place = request->place;
    const bool both = request->set != PAIRS_UNORDERED;
    int groups = 0;

    for (int i = 0; i < request->count; i++) {
        if (i == 0 || place[i].package != place[i - 1].package || place[i].l3 != place[i - 1].l3)
            group[groups++] = i;
    }
    group[groups] = request->count;
    for (int i = 0; i < groups; i++) {
        const int count = group[i + 1] - group[i];
        meeting[i] = (struct meeting){group[i], count, group[i], count, request->set != PAIRS_ALL, 0};
    }
    add_round(plan, meeting, groups, both);
    const int seats = groups + groups % 2, circle = seats - 1;
    for (int round = 0; groups > 1 && round < circle; round++) {
        int meetings = 0;
        for (int k = 0; k < seats / 2; k++) {
            const int x = k == 0 ? circle : (round + k) % circle, y = (round - k + circle) % circle;
            const int a = x < y ? x : y, b = x < y ? y : x;
            if (b < groups)
                meeting[meetings++] = (struct meeting){
                    group[a], group[a + 1] - group[a], group[b], group[b + 1] - group[b], 0, 0};
        }
        add_round(plan, meeting, meetings, both);
    }
}

enum status pairs_plan(struct pair_plan *plan, const struct pair_request *request, struct fault *fault)
{
    const size_t count = (size_t)request->count, room = count * count + 1;

    *plan = (struct pair_plan){0};
    if (request->count < 2)
        return fault_set(fault, STATUS_NO_RESOURCE,
                         "core-latency needs two CPUs, and only %d may be used here: allow more (taskset, "
                         "cpuset) or name more with --cpus",
                         request->count);
    plan->pair = memory_zeroed(room, sizeof *plan->pair);
    plan->start = memory_zeroed(room, sizeof *plan->start);
    int *group = memory_zeroed(count + 1, sizeof *group);
    struct meeting *meeting = memory_zeroed(count, sizeof *meeting);
    make_rounds(plan, request, group, meeting);
    if (request->serial)
        pairs_make_serial(plan);
    free(group);
    free(meeting);
    return STATUS_OK;
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
