/* SPDX-License-Identifier: MIT */
#include "pairs.h"

#include <stdlib.h>

/* Growing arrays; `failed` once memory ran out, after which nothing is added. */
struct builder {
    const struct pair_request *request;
    struct pair *pair;
    size_t pair_count, pair_room;
    size_t *start;
    size_t batch_count, batch_room;
    bool failed;
};

/* CPUs that share an L3, as places in topological order: member[first .. first + count). */
struct group {
    int first, count;
};

struct groups {
    int *member;
    struct group *group;
    int count;
};

/* Pairs that must not run together, in the order in which they are to run. */
struct queue {
    struct pair *pair;
    size_t count, room;
};

static int compare_ints(int a, int b)
{
    return (a > b) - (a < b);
}

int pairs_compare_places(const void *a, const void *b)
{
    const struct cpu_place *x = a, *y = b;
    const int key_x[] = {x->package, x->node, x->l3, x->l2, x->core, x->sibling, x->id};
    const int key_y[] = {y->package, y->node, y->l3, y->l2, y->core, y->sibling, y->id};

    for (size_t i = 0; i < sizeof key_x / sizeof *key_x; i++) {
        int order = compare_ints(key_x[i], key_y[i]);
        if (order)
            return order;
    }
    return 0;
}

static bool same_group(const struct cpu_place *a, const struct cpu_place *b)
{
    return a->package == b->package && a->l3 == b->l3;
}

/* For qsort_r on indices. */
static int compare_members(const void *a, const void *b, void *place)
{
    const struct cpu_place *places = place;
    return pairs_compare_places(&places[*(const int *)a], &places[*(const int *)b]);
}

static int compare_groups_first(const void *a, const void *b, void *place)
{
    const struct cpu_place *x = &((const struct cpu_place *)place)[*(const int *)a];
    const struct cpu_place *y = &((const struct cpu_place *)place)[*(const int *)b];
    int order = compare_ints(x->package, y->package);
    if (!order)
        order = compare_ints(x->l3, y->l3);
    return order ? order : compare_members(a, b, place);
}

static bool groups_make(struct groups *groups, const struct cpu_place *place, int count)
{
    groups->member = malloc((size_t)count * sizeof *groups->member);
    groups->group = malloc((size_t)count * sizeof *groups->group);
    groups->count = 0;
    if (!groups->member || !groups->group)
        return false;
    for (int i = 0; i < count; i++)
        groups->member[i] = i;
    qsort_r(groups->member, (size_t)count, sizeof *groups->member, compare_groups_first, (void *)place);
    for (int i = 0; i < count; i++) {
        if (i == 0 || !same_group(&place[groups->member[i - 1]], &place[groups->member[i]]))
            groups->group[groups->count++] = (struct group){.first = i};
        groups->group[groups->count - 1].count++;
    }
    return true;
}

static void groups_free(struct groups *groups)
{
    free(groups->member);
    free(groups->group);
}

static bool grow(void **array, size_t *room, size_t needed, size_t size)
{
    if (needed <= *room)
        return true;
    size_t larger = needed < 64 ? 64 : needed + needed / 2;
    void *moved = reallocarray(*array, larger, size);
    if (!moved)
        return false;
    *array = moved;
    *room = larger;
    return true;
}

static void queue_pair(struct builder *builder, struct queue *queue, int from, int to)
{
    if (!grow((void **)&queue->pair, &queue->room, queue->count + 2, sizeof *queue->pair)) {
        builder->failed = true;
        return;
    }
    queue->pair[queue->count++] = (struct pair){from, to};
    if (builder->request->set != PAIRS_UNORDERED && from != to)
        queue->pair[queue->count++] = (struct pair){to, from};
}

/* Whether the pair is wanted, given how many of each relation were taken from these groups so far. */
static bool take(const struct pair_request *request, uint64_t *taken, int from, int to)
{
    if (!request->sample)
        return true;
    enum relation relation = place_relation(&request->place[from], &request->place[to]);
    return taken[relation]++ < request->sample;
}

/* All pairs within a group, near neighbours first, and its CPUs with themselves where that is wanted. */
static void queue_within(struct builder *builder, struct queue *queue, const struct groups *groups, int index)
{
    const struct group *group = &groups->group[index];
    const int *member = groups->member + group->first;
    uint64_t taken[RELATIONS] = {0};

    for (int i = 0; builder->request->set == PAIRS_ALL && i < group->count; i++)
        queue_pair(builder, queue, member[i], member[i]);
    for (int distance = 1; distance < group->count; distance++) {
        for (int i = 0; i + distance < group->count; i++) {
            if (take(builder->request, taken, member[i], member[i + distance]))
                queue_pair(builder, queue, member[i], member[i + distance]);
        }
    }
}

/* All pairs between two groups, each CPU's turn coming round evenly. */
static void queue_between(struct builder *builder, struct queue *queue, const struct groups *groups,
                          int index_a, int index_b)
{
    const struct group *a = &groups->group[index_a < index_b ? index_a : index_b];
    const struct group *b = &groups->group[index_a < index_b ? index_b : index_a];
    uint64_t taken[RELATIONS] = {0};

    for (int turn = 0; turn < b->count; turn++) {
        for (int i = 0; i < a->count; i++) {
            int from = groups->member[a->first + i], to = groups->member[b->first + (i + turn) % b->count];
            if (take(builder->request, taken, from, to))
                queue_pair(builder, queue, from, to);
        }
    }
}

static void close_batch(struct builder *builder)
{
    if (!grow((void **)&builder->start, &builder->batch_room, builder->batch_count + 2,
              sizeof *builder->start)) {
        builder->failed = true;
        return;
    }
    builder->start[0] = 0;
    builder->start[++builder->batch_count] = builder->pair_count;
}

static void add_pair(struct builder *builder, struct pair pair)
{
    if (!grow((void **)&builder->pair, &builder->pair_room, builder->pair_count + 1, sizeof *builder->pair)) {
        builder->failed = true;
        return;
    }
    builder->pair[builder->pair_count++] = pair;
    if (builder->request->serial)
        close_batch(builder);
}

/* The n-th pairs of all queues run together. */
static void merge_queues(struct builder *builder, struct queue *queue, int count)
{
    bool more = true;

    for (size_t turn = 0; more && !builder->failed; turn++) {
        size_t before = builder->pair_count;
        for (int i = 0; i < count; i++) {
            if (turn < queue[i].count)
                add_pair(builder, queue[i].pair[turn]);
        }
        more = builder->pair_count > before;
        if (more && !builder->request->serial)
            close_batch(builder);
    }
    for (int i = 0; i < count; i++)
        queue[i].count = 0;
}

/* Groups 0 .. count - 2 sit on a circle, the last one in its middle; an odd number is filled up with a group
 * that does not exist. In round r, the middle meets r, and r + k meets r - k. */
static void queue_round(struct builder *builder, struct queue *queue, const struct groups *groups, int round)
{
    int seats = groups->count + groups->count % 2, circle = seats - 1;

    for (int k = 0; k < seats / 2; k++) {
        int a = k == 0 ? circle : (round + k) % circle, b = (round - k + circle) % circle;
        if (a < groups->count && b < groups->count)
            queue_between(builder, &queue[k], groups, a, b);
    }
}

static void build(struct builder *builder, const struct groups *groups)
{
    int seats = groups->count + groups->count % 2;
    struct queue *queue = calloc((size_t)groups->count, sizeof *queue);

    if (!queue) {
        builder->failed = true;
        return;
    }
    for (int i = 0; i < groups->count; i++)
        queue_within(builder, &queue[i], groups, i);
    merge_queues(builder, queue, groups->count);
    for (int round = 0; groups->count > 1 && round < seats - 1; round++) {
        queue_round(builder, queue, groups, round);
        merge_queues(builder, queue, seats / 2);
    }
    for (int i = 0; i < groups->count; i++)
        free(queue[i].pair);
    free(queue);
}

static int widest_batch(const struct pair_plan *plan)
{
    size_t widest = 0;

    for (size_t i = 0; i < plan->batch_count; i++) {
        size_t width = plan->start[i + 1] - plan->start[i];
        widest = width > widest ? width : widest;
    }
    return (int)widest;
}

enum status pairs_plan(struct pair_plan *plan, const struct pair_request *request, struct fault *fault)
{
    struct builder builder = {.request = request};
    struct groups groups;

    *plan = (struct pair_plan){0};
    if (request->count < 2)
        return fault_set(
            fault, STATUS_NO_RESOURCE,
            "core-latency needs two CPUs, and only %d may be used here: allow more (taskset, cpuset) "
            "or name more with --cpus",
            request->count);
    if (groups_make(&groups, request->place, request->count))
        build(&builder, &groups);
    else
        builder.failed = true;
    groups_free(&groups);
    *plan = (struct pair_plan){.pair = builder.pair,
                               .pair_count = builder.pair_count,
                               .start = builder.start,
                               .batch_count = builder.batch_count};
    plan->widest = widest_batch(plan);
    if (!builder.failed)
        return STATUS_OK;
    pairs_free(plan);
    return fault_set(fault, STATUS_NO_RESOURCE,
                     "out of memory for the pairs of %d CPUs: name fewer with --cpus or take --sample",
                     request->count);
}

void pairs_free(struct pair_plan *plan)
{
    free(plan->pair);
    free(plan->start);
    *plan = (struct pair_plan){0};
}

double pairs_time(const struct pair_plan *plan, const struct cpu_place *place, const struct pair_cost *cost)
{
    double sum = 0;

    for (size_t batch = 0; batch < plan->batch_count; batch++) {
        double longest = 0;
        for (size_t i = plan->start[batch]; i < plan->start[batch + 1]; i++) {
            const struct pair *pair = &plan->pair[i];
            double ns = cost->ns[place_relation(&place[pair->from], &place[pair->to])];
            longest = ns > longest ? ns : longest;
        }
        sum += longest;
    }
    return sum;
}
