/* SPDX-License-Identifier: MIT */
/* How much of each point is sampled. Pure. */
#include <math.h>

#include "ram.h"
#include "uarchprobe/experiment.h"

enum { ROUNDS_LEAST = 8, ROUNDS_MOST = 60, ROUNDS_OF_ALL = 4, LARGE_BYTES = 4 << 20 };

/* A kernel that takes longer than MAY_WIN times the fastest of its task, after the rounds of all, will not be the fastest. Within the core
 * a busy sibling slows the best one by as much as MAY_WIN_NEAR, at times in each of its first samples. */
static const double MAY_WIN = 1.15, MAY_WIN_NEAR = 1.5;

/* The command's own budget binds the rounds after the first one. */
struct engine_effort ram_effort(const struct common *common)
{
    const double own_s = common->repeat ? 0 : common->quick ? 5 : 60;
    struct engine_effort effort = effort_of(common, common->repeat ? common->repeat : ROUNDS_LEAST, own_s);
    effort.budget_s = common->time_budget > 0 ? effort.budget_s : own_s; /* with -s, too */
    effort.most = ROUNDS_MOST;
    effort.placements = RAM_PLACEMENTS;
    effort.settled = 0.02;
    return effort;
}

/* A cache level needs 2 ms to drown the clock reads and a preemption's odds; memory is passed once anyway. */
double ram_sample_ns(const struct common *common, const struct ram_point *point)
{
    const double full = point->footprint <= LARGE_BYTES ? 2e6 : 10e6;
    return common->quick ? full / 4 : full;
}

/* A pass over a large set takes as long as all samples of small ones: after the first round it is part of one in so many. */
static uint64_t stride_of(const struct ram_plan *plan, const struct ram_point *point)
{
    enum { OF_LARGE = 3, OF_MEMORY = 6 };
    if (point->footprint <= LARGE_BYTES)
        return 1;
    return ram_in_cache(plan, point) ? OF_LARGE : OF_MEMORY;
}

/* Answers rest on the fastest kernels, so these get the time that is left once each has a median. Kernels of one task are compared, so
 * they are part of the same rounds; the tasks take turns. Samples of one round were most often taken in one state of the sibling. Within
 * the core that state is what matters, so of the first rounds the best one for this kernel counts; beyond it noise is. */
bool ram_wants(void *context, size_t index, uint64_t round)
{
    const struct ram *ram = context;
    const struct ram_plan *plan = ram->plan;
    const struct ram_point *point = &plan->points[index];
    const uint64_t stride = stride_of(plan, point);
    const uint64_t turn = (uint64_t)point->kernel->operation + (uint64_t)(point->set - plan->sets);
    const bool near = ram_is_near(point);
    if (point->passes == 0 || ram->run->common->repeat || round == 0)
        return point->passes > 0;
    if (round != ENGINE_LATER && (round + turn) % stride != 0)
        return false;
    struct rivals rivals = ram_rivals(plan, &ram->data, point->group, near ? RAM_CYCLES : RAM_NS);
    rivals.pairs = ROUNDS_LEAST;
    for (size_t i = 0; round >= ROUNDS_OF_ALL * stride && i < rivals.count; i++)
        if (rivals_ratio(&rivals, index - plan->groups[point->group].first, i, near ? 0 : 0.5) >
            (near ? MAY_WIN_NEAR : MAY_WIN))
            return false;
    return true;
}

/* As if no kernel were left out. */
double ram_plan_seconds(const struct ram_plan *plan, const struct common *common, double fill_ns_per_byte)
{
    enum { PREPARED = 3 };                       /* as long as so many samples: proof, chain and scaling */
    static const double AROUND_S = 0.3e-3;       /* a sample: warm-up, checks, probes */
    static const double PASS_NS_PER_BYTE = 0.15; /* of memory, at most */
    const struct engine_effort effort = ram_effort(common);
    double prepared_s = (double)ram_plan_memory(plan) / (double)plan->threads * fill_ns_per_byte * 1e-9,
           sampled_s = 0;
    for (size_t i = 0; i < plan->point_count; i++) {
        const struct ram_point *point = &plan->points[i];
        const uint64_t rounds = effort.rounds ? effort.rounds : effort.most / stride_of(plan, point);
        const double pass_ns = (double)point->kernel_bytes * PASS_NS_PER_BYTE;
        const double sample_s = AROUND_S + 1e-9 * fmax(ram_sample_ns(common, point), pass_ns);
        prepared_s += PREPARED * sample_s;
        sampled_s += (double)(rounds * (effort.samples ? effort.samples : 1)) * sample_s;
    }
    if (effort.budget_s > 0)
        sampled_s = fmin(sampled_s, effort.budget_s);
    return common->time_budget > 0 ? fmin(prepared_s + sampled_s, common->time_budget)
                                   : prepared_s + sampled_s;
}
