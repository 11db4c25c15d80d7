/* SPDX-License-Identifier: MIT */
/* A set of points: the time that it may take, and which of its points are measured again, alone. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lab.h"

enum {
    FEW_PASSES = 10,
    LONGER = 16 /* times the pairs in a sample of points that are measured again */
};

bool stlf_set_init(struct stlf_set *set, size_t count)
{
    *set = (struct stlf_set){
        .count = count,
        .point = calloc(count, sizeof *set->point),
        .cycles = calloc(count, sizeof *set->cycles),
        .spread = calloc(count, sizeof *set->spread),
        .active = calloc(count, sizeof *set->active),
        .steady = calloc(count, sizeof *set->steady),
    };
    if (set->point && set->cycles && set->spread && set->active && set->steady)
        return true;
    stlf_set_free(set);
    return false;
}

void stlf_set_free(struct stlf_set *set)
{
    free(set->point);
    free(set->cycles);
    free(set->spread);
    free(set->active);
    free(set->steady);
    memset(set, 0, sizeof *set);
}

void stlf_lab_limit(struct stlf_lab *lab, double seconds, size_t sets)
{
    const double ticks = fmax(0, seconds) * 1e9 / lab->run->clock->ns_per_tick;
    lab->deadline_ticks = clock_ticks() + (uint64_t)ticks;
    lab->sets_left = sets;
}

/* An equal part of the time that is left, so that every set has some. */
static void begin_share(struct stlf_lab *lab)
{
    const uint64_t now = clock_ticks();
    if (lab->deadline_ticks == UINT64_MAX)
        return;
    const double left = lab->deadline_ticks > now ? (double)(lab->deadline_ticks - now) : 0;
    const size_t sets = lab->sets_left ? lab->sets_left-- : 1;
    lab->share_ends_ns = clock_now_ns() + (uint64_t)(left * lab->run->clock->ns_per_tick / (double)sets);
}

bool stlf_share_is_over(const struct stlf_lab *lab)
{
    return lab->share_ends_ns && clock_now_ns() >= lab->share_ends_ns;
}

static void copy_marked(struct stlf_set *set, const struct stlf_set *few, const bool *marked)
{
    for (size_t i = 0, at = 0; i < set->count; i++) {
        if (!marked[i])
            continue;
        set->cycles[i] = few->cycles[at];
        set->spread[i] = few->spread[at];
        set->active[i] = few->active[at];
        set->steady[i] = few->steady[at++];
    }
    set->rounds = few->rounds > set->rounds ? few->rounds : set->rounds;
    set->passes += few->passes;
    set->idle += few->idle;
    set->busy += few->busy;
}

/* The marked points, in passes of their own. */
static enum status measure_marked(struct stlf_lab *lab, struct stlf_set *set, const bool *marked,
                                  unsigned total, const struct stlf_effort *effort, struct fault *fault)
{
    struct stlf_set few;
    size_t count = 0, at = 0;
    for (size_t i = 0; i < set->count; i++)
        count += marked[i];
    if (count == 0)
        return STATUS_OK;
    if (!stlf_set_init(&few, count))
        return fault_set(fault, STATUS_NO_RESOURCE, "out of memory for %zu points", count);
    few.total = total;
    for (size_t i = 0; i < set->count; i++) {
        if (marked[i])
            few.point[at++] = set->point[i];
    }
    if (stlf_measure_once(lab, &few, effort, fault) == STATUS_OK && few.complete)
        copy_marked(set, &few, marked);
    set->complete = set->complete && few.complete;
    stlf_set_free(&few);
    return fault->status;
}

static void count_steady(struct stlf_set *set)
{
    size_t steady = 0;
    for (size_t i = 0; i < set->count; i++)
        steady += set->steady[i];
    set->agreement = set->count ? (double)steady / (double)set->count : 0;
    if (set->passes < FEW_PASSES) /* whose agreement proves little */
        set->agreement = fmin(set->agreement, 0.995);
}

/* Where the addresses agree, a predictor may learn to rename the load, and it forgets as soon as the same
 * code is run with others: such points are measured by themselves. */
static enum status measure_parts(struct stlf_lab *lab, struct stlf_set *set, const struct stlf_effort *effort,
                                 bool *marked, struct fault *fault)
{
    for (int renamed = 0; renamed < 2 && set->complete; renamed++) {
        for (size_t i = 0; i < set->count; i++)
            marked[i] = stlf_may_be_renamed(&set->point[i]) == renamed;
        if (measure_marked(lab, set, marked, set->total, effort, fault))
            return fault->status;
    }
    count_steady(set);
    return STATUS_OK;
}

/* Some pairs have two rhythms and keep to one for thousands of repetitions: their samples lie far apart. */
static bool has_two_rhythms(const struct stlf_set *set, size_t point)
{
    return set->cycles[point] > 1.5 && set->spread[point] > fmax(0.35, 0.05 * set->cycles[point]);
}

enum status stlf_measure(struct stlf_lab *lab, struct stlf_set *set, const struct stlf_effort *effort,
                         struct fault *fault)
{
    size_t count = 0;
    bool *marked = calloc(set->count + 1, sizeof *marked);
    if (!marked)
        return fault_set(fault, STATUS_NO_RESOURCE, "out of memory for %zu points", set->count);
    set->complete = true;
    set->rounds = set->passes = set->idle = set->busy = 0;
    begin_share(lab);
    measure_parts(lab, set, effort, marked, fault);
    lab->thin_sets += set->complete && set->rounds < effort->first && stlf_share_is_over(lab);
    for (size_t i = 0; i < set->count; i++) {
        marked[i] = !set->steady[i] || has_two_rhythms(set, i);
        count += marked[i];
    }
    /* More than a twentieth are no outliers but a noisy machine, of which the agreement tells. */
    if (fault->status == STATUS_OK && set->complete && count * 20 <= set->count)
        stlf_measure_again(lab, set, marked, effort, fault);
    free(marked);
    return fault->status;
}

enum status stlf_measure_again(struct stlf_lab *lab, struct stlf_set *set, const bool *marked,
                               const struct stlf_effort *effort, struct fault *fault)
{
    const unsigned total = set->total ? set->total : STLF_PAIRS_A_SAMPLE;
    const bool complete = set->complete; /* as it is without a second look */
    if (!stlf_share_is_over(lab) &&
        measure_marked(lab, set, marked, total * LONGER, effort, fault) == STATUS_OK)
        count_steady(set);
    set->complete = complete;
    return fault->status;
}
