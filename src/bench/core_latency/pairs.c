/* SPDX-License-Identifier: MIT */
#include "pairs.h"

#include <stdlib.h>

#include "base/text.h"

/* Pairs of one round and turn run at the same time. */
struct planned {
    struct pair pair;
    int round, turn;
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
    const int key_x[] = {x->round, x->turn, x->pair.from}, key_y[] = {y->round, y->turn, y->pair.from};
    return compare_keys(key_x, key_y, 3);
}

/* First each group by itself. Then, of groups that sit on a circle, those meet in a round that stand as far to either side of it: the sum
 * of their seats is the same. Where they are even, the last one sits in the middle and meets who is left over. Within a group near
 * neighbours come first; between two, each CPU is used as often as any other at any time. A pair that is taken both ways is so right
 * after each other. */
static size_t meet_all(const struct cpu_place *place, int count, enum pair_set set, struct planned *planned)
{
    int *group = memory_zeroed((size_t)count, sizeof *group), groups = 0, most = 0;
    int *first = memory_zeroed((size_t)count + 1, sizeof *first);
    size_t pairs = 0;
    for (int i = 0; i < count; i++) {
        if (i == 0 || place[i].package != place[i - 1].package || place[i].l3 != place[i - 1].l3)
            first[groups++] = i;
        group[i] = groups - 1;
        most = i + 1 - first[groups - 1] > most ? i + 1 - first[groups - 1] : most;
    }
    first[groups] = count;
    const int circle = groups - 1 + groups % 2;
    for (int from = 0; from < count; from++)
        for (int to = from + (set != PAIRS_ALL); to < count; to++) {
            const int a = group[from], b = group[to], seat = from - first[a], seats = first[b + 1] - first[b];
            const int distance = (to - first[b] - seat % seats + seats) % seats;
            const int round = a == b ? 0 : 1 + (b == circle ? 2 * a : a + b) % circle;
            const int turn = 2 * (distance * most + seat);
            planned[pairs++] = (struct planned){{from, to}, round, turn};
            if (set != PAIRS_UNORDERED && from != to)
                planned[pairs++] = (struct planned){{to, from}, round, turn + 1};
        }
    free(group);
    free(first);
    qsort(planned, pairs, sizeof *planned, compare_planned);
    return pairs;
}

enum status pairs_plan(struct pair_plan *plan, const struct cpu_place *place, int count, enum pair_set set,
                       bool serial, struct fault *fault)
{
    const size_t most = (size_t)count * (size_t)count;
    *plan = (struct pair_plan){.cpus = (size_t)count};
    if (count < 2)
        return fault_set(fault, STATUS_NO_RESOURCE,
                         "core-latency needs two CPUs, and only %d may be used here: allow more (taskset, "
                         "cpuset) or name more with --cpus",
                         count);
    struct planned *planned = memory_zeroed(most, sizeof *planned);
    plan->pair_count = meet_all(place, count, set, planned);
    plan->at = memory_zeroed(most, sizeof *plan->at);
    plan->pair = memory_zeroed(plan->pair_count + 1, sizeof *plan->pair); /* the last: a CPU alone */
    plan->start = memory_zeroed(plan->pair_count + 2, sizeof *plan->start);
    for (size_t i = 0; i < plan->pair_count; i++) {
        const struct planned *next = &planned[i], *last = &planned[i - (i > 0)];
        plan->pair[i] = next->pair;
        plan->at[(size_t)next->pair.from * plan->cpus + (size_t)next->pair.to] = (uint32_t)i + 1;
        if (i > 0 && (serial || next->round != last->round || next->turn != last->turn))
            plan->start[++plan->batch_count] = i;
        const int width = (int)(i + 1 - plan->start[plan->batch_count]);
        plan->widest = width > plan->widest ? width : plan->widest;
    }
    free(planned);
    plan->start[++plan->batch_count] = plan->pair_count;
    plan->start[plan->batch_count + 1] = plan->pair_count + 1;
    return STATUS_OK;
}

void pairs_free(struct pair_plan *plan)
{
    free(plan->at);
    free(plan->pair);
    free(plan->start);
}
