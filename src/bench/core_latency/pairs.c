/* SPDX-License-Identifier: MIT */
#include "pairs.h"

#include <stdlib.h>

#include "base/text.h"

/* One pair in CHECKED_SHARE is measured by itself, too, or as many more or fewer as these bounds allow. */
enum { CHECKED_LEAST = 12, CHECKED_SHARE = 25 };

/* The nth pairs of all meetings of a round run at the same time. */
struct planned {
    struct pair pair;
    int round, nth;
};

static int compare_keys(const int *a, const int *b, int count)
{
    for (int i = 0; i < count; i++)
        if (a[i] != b[i])
            return a[i] < b[i] ? -1 : 1;
    return 0;
}

int pairs_compare_places(const void *a, const void *b)
{
    const struct cpu_place *x = a, *y = b;
    const int key_x[] = {x->package, x->l3, x->node, x->l2, x->core, x->sibling, x->id};
    const int key_y[] = {y->package, y->l3, y->node, y->l2, y->core, y->sibling, y->id};
    return compare_keys(key_x, key_y, 7);
}

static int compare_planned(const void *a, const void *b)
{
    const struct planned *x = a, *y = b;
    const int key_x[] = {x->round, x->nth, x->pair.from}, key_y[] = {y->round, y->nth, y->pair.from};
    return compare_keys(key_x, key_y, 3);
}

/* Two groups that meet, or one by itself: within it near neighbours come first; between two, each CPU is used as often as any
 * other at any time. A pair that is taken both ways is so right after each other. */
static size_t meet(const int *a, const int *b, int round, enum pair_set set, struct planned *planned)
{
    const bool within = a == b;
    const int count_a = a[1] - a[0], count_b = b[1] - b[0];
    size_t count = 0;
    int nth = 0;
    for (int distance = within && set != PAIRS_ALL; distance < count_b; distance++) {
        for (int i = 0; i < count_a - (within ? distance : 0); i++, nth += 2) {
            const int from = a[0] + i, to = b[0] + (within ? i + distance : (i + distance) % count_b);
            planned[count++] = (struct planned){{from, to}, round, nth};
            if (set != PAIRS_UNORDERED && from != to)
                planned[count++] = (struct planned){{to, from}, round, nth + 1};
        }
    }
    return count;
}

/* First each group by itself. Then, of groups that sit on a circle, those meet in a round that stand as far to either side of it: the sum
 * of their seats is the same. Where they are even, the last one sits in the middle and meets who is left over. */
static size_t meet_all(const struct cpu_place *place, int count, enum pair_set set, struct planned *planned)
{
    int *group = memory_zeroed((size_t)count + 1, sizeof *group), groups = 0;
    size_t pairs = 0;
    for (int i = 0; i < count; i++)
        if (i == 0 || place[i].package != place[i - 1].package || place[i].l3 != place[i - 1].l3)
            group[groups++] = i;
    group[groups] = count;
    const int circle = groups - 1 + groups % 2;
    for (int a = 0; a < groups; a++)
        for (int b = a; b < groups; b++) {
            const int round = a == b ? 0 : 1 + (b == circle ? 2 * a : a + b) % circle;
            pairs += meet(group + a, group + b, round, set, planned + pairs);
        }
    free(group);
    qsort(planned, pairs, sizeof *planned, compare_planned);
    return pairs;
}

enum status pairs_plan(struct pair_plan *plan, const struct cpu_place *place, int count, enum pair_set set,
                       bool serial, struct fault *fault)
{
    const size_t most = (size_t)count * (size_t)count, room = most + CHECKED_MOST + 2;
    *plan = (struct pair_plan){.cpus = (size_t)count};
    if (count < 2)
        return fault_set(fault, STATUS_NO_RESOURCE,
                         "core-latency needs two CPUs, and only %d may be used here: allow more (taskset, "
                         "cpuset) or name more with --cpus",
                         count);
    struct planned *planned = memory_zeroed(most, sizeof *planned);
    const size_t pairs = meet_all(place, count, set, planned);
    plan->at = memory_zeroed(most, sizeof *plan->at);
    plan->pair = memory_zeroed(room, sizeof *plan->pair);
    plan->start = memory_zeroed(room, sizeof *plan->start);
    for (size_t i = 0; i < pairs; i++) {
        plan->pair[i] = planned[i].pair;
        plan->at[(size_t)plan->pair[i].from * plan->cpus + (size_t)plan->pair[i].to] = (uint32_t)i + 1;
        if (i > 0 &&
            (serial || planned[i].round != planned[i - 1].round || planned[i].nth != planned[i - 1].nth))
            plan->start[++plan->batch_count] = i;
        const int width = (int)(i + 1 - plan->start[plan->batch_count]);
        plan->widest = width > plan->widest ? width : plan->widest;
    }
    free(planned);
    plan->start_count = ++plan->batch_count;
    plan->point_count = plan->pair_count = pairs;
    size_t stride = pairs / CHECKED_LEAST < CHECKED_SHARE ? pairs / CHECKED_LEAST : CHECKED_SHARE;
    while (stride < 1 || pairs / stride >= CHECKED_MOST)
        stride++;
    for (size_t i = stride / 2; plan->widest > 1 && i < pairs; i += stride) {
        plan->start[plan->start_count++] = plan->point_count;
        plan->pair[plan->point_count++] = plan->pair[i];
    }
    plan->start[plan->start_count++] = plan->point_count++;
    plan->start[plan->start_count] = plan->point_count;
    return STATUS_OK;
}

size_t pairs_index(const struct pair_plan *plan, size_t point)
{
    return plan->at[(size_t)plan->pair[point].from * plan->cpus + (size_t)plan->pair[point].to] - 1;
}

void pairs_free(struct pair_plan *plan)
{
    free(plan->at);
    free(plan->pair);
    free(plan->start);
}
