/* SPDX-License-Identifier: MIT */
/* How much of each point is sampled, and what time all of it takes. Pure. */
#include <math.h>

#include "ram.h"

enum { ROUNDS_LEAST = 8, ROUNDS_MOST = 60, ROUNDS_OF_ALL = 4, LARGE_BYTES = 4 << 20 };

/* What is slower than the fastest kernel of its operation by more, after the rounds of all, will not be the fastest. Within the core a busy
 * sibling makes as much of the best one as the latter says, in each of its first samples at times. */
static const double MAY_WIN = 1.15, MAY_WIN_NEAR = 1.5;

/* The command's own budget binds the rounds after the first one. */
struct engine_effort ram_effort(const struct common *common)
{
    return (struct engine_effort){.rounds = common->repeat,
                                  .samples = common->samples,
                                  .least = common->repeat ? common->repeat : ROUNDS_LEAST,
                                  .most = ROUNDS_MOST,
                                  .budget_s = common->repeat  ? 0
                                              : common->quick ? 5
                                                              : 60,
                                  .placements = RAM_PLACEMENTS,
                                  .settled = 0.02};
}

/* A cache level needs 2 ms to drown the clock reads and a preemption's odds; memory is passed once anyway. */
double ram_sample_ns(const struct common *common, const struct ram_point *point)
{
    const double full = point->footprint <= LARGE_BYTES ? 2e6 : 10e6;
    return common->quick ? full / 4 : full;
}

bool ram_rivals(const struct ram_point *a, const struct ram_point *b)
{
    return a->kernel->operation == b->kernel->operation && a->set == b->set && a->zero == b->zero;
}

/* Of one sample: ns, or core cycles where the clock moves all else; NaN: there is none. */
static double cost_of(const struct ram_point *point, size_t sample)
{
    return point->seconds.value[sample] * (ram_is_near(point) ? point->ghz.value[sample] : 1) /
           (double)point->bytes;
}

/* Samples of one round were most often taken in one state of the sibling. Within the core that state is what matters, so the round
 * that is best for `point` counts; beyond it noise is. NaN: unknown. */
static double times_slower(const struct ram_point *point, const struct ram_point *other)
{
    double ratio[ROUNDS_LEAST];
    size_t count = 0;
    for (size_t i = 0; i < ROUNDS_LEAST && i < point->seconds.count && i < other->seconds.count; i++) {
        const double cost = cost_of(point, i) / cost_of(other, i);
        if (!isnan(cost))
            ratio[count++] = cost;
    }
    return quantile_of(ratio, count, ram_is_near(point) ? 0 : 0.5);
}

/* A pass over a large set takes as long as all samples of small ones: after the first round it is part of one in so many. */
static uint64_t stride_of(const struct ram_plan *plan, const struct ram_point *point)
{
    enum { OF_LARGE = 3, OF_MEMORY = 6 };
    if (point->footprint <= LARGE_BYTES)
        return 1;
    return ram_in_cache(plan, point) ? OF_LARGE : OF_MEMORY;
}

/* Kernels of one task are compared, so they are part of the same rounds; the tasks take turns. */
static bool is_part(const struct ram_plan *plan, const struct ram_point *point, uint64_t round)
{
    const uint64_t turn = (uint64_t)point->kernel->operation + (uint64_t)(point->set - plan->sets);
    return round == 0 || round == ENGINE_LATER || (round + turn) % stride_of(plan, point) == 0;
}

/* Answers rest on the fastest kernels, so these get the time that is left once each has a median. */
bool ram_wants(const struct ram_plan *plan, const struct common *common, size_t index, uint64_t round)
{
    const struct ram_point *point = &plan->points[index];
    if (point->passes == 0 || (!common->repeat && !is_part(plan, point, round)))
        return false;
    if (common->repeat || round < ROUNDS_OF_ALL * stride_of(plan, point))
        return true;
    for (size_t i = 0; i < plan->point_count; i++) {
        const struct ram_point *other = &plan->points[i];
        if (ram_rivals(point, other) &&
            times_slower(point, other) > (ram_is_near(point) ? MAY_WIN_NEAR : MAY_WIN))
            return false;
    }
    return true;
}

/* Seconds of what is small next to all else: to start, a look at a line, a reading of the clock, and around a sample. */
/* Looks at the machine take up to a tenth. */
static const double LOOKS = 1.1;
static const double START = 0.06, LOOK_LINE = 10e-9, CLOCK = 2e-6, AROUND = 0.15e-3;

static double lines_of(const struct ram_plan *plan, const struct ram_point *point)
{
    return ram_is_latency(point) ? (double)(point->bytes / plan->line_bytes) : 0;
}

/* The least of those that a dry run takes: what disturbs one of so few would stand for all. */
static double pass_of(const struct ram_point *point)
{
    return point->seconds.count ? quantile_of(point->seconds.value, point->seconds.count, 0) : 0;
}

/* Around it buffers are made equal, warmed and checked. */
static double sample_of(const struct ram_plan *plan, const struct common *common,
                        const struct ram_point *point)
{
    const double pass = pass_of(point), least = ram_is_near(point) ? RAM_SLICES : 1;
    const double passes = pass > 0 ? fmax(ceil(ram_sample_ns(common, point) * 1e-9 / pass), least) : 0;
    const double slices = passes > 0 && passes < RAM_SLICES ? passes * RAM_SLICES : RAM_SLICES;
    const double taken = passes > 0 ? passes * pass : ram_sample_ns(common, point) * 1e-9;
    const double looks = ram_in_cache(plan, point) ? lines_of(plan, point) * LOOK_LINE : 0;
    return taken + slices * CLOCK + AROUND * (double)plan->threads + looks +
           (ram_is_near(point) ? 2 * pass : 0);
}

/* A proof comes to some four passes each way, answer the passes to three samples. */
static double preparation_of(const struct ram_plan *plan, const struct common *common,
                             const struct ram_point *point)
{
    const double passes = ram_is_latency(point) ? 0 : 4 * pass_of(point);
    return 3 * sample_of(plan, common, point) + passes + point->building_s;
}

static double round_of(const struct ram_plan *plan, const struct common *common, uint64_t round)
{
    const struct engine_effort effort = ram_effort(common);
    const uint64_t each = (effort.least + RAM_PLACEMENTS - 1) / RAM_PLACEMENTS;
    double seconds = 0;
    for (size_t i = 0; i < plan->point_count; i++) {
        const struct ram_point *point = &plan->points[i];
        if (!ram_wants(plan, common, i, round))
            continue;
        seconds += sample_of(plan, common, point) * (double)(effort.samples ? effort.samples : 1);
        if (ram_is_near(point) && round % each == 0)
            seconds += point->building_s;
    }
    return seconds;
}

double ram_plan_seconds(const struct ram_plan *plan, const struct common *common, double fill_s_per_byte)
{
    const struct engine_effort effort = ram_effort(common);
    double seconds = START + (double)ram_plan_memory(plan) * fill_s_per_byte, sampling = 0;
    for (size_t i = 0; i < plan->point_count; i++)
        seconds += preparation_of(plan, common, &plan->points[i]);
    for (uint64_t round = 0; round < (effort.rounds ? effort.rounds : effort.most); round++) {
        const double next = LOOKS * round_of(plan, common, round);
        if (round > 0 && effort.budget_s > 0 && sampling + next > effort.budget_s) {
            sampling = fmax(sampling, effort.budget_s);
            break;
        }
        sampling += next;
    }
    seconds += sampling;
    return common->time_budget > 0 ? fmin(seconds, common->time_budget) : seconds;
}
