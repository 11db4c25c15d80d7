/* SPDX-License-Identifier: MIT */
/* Times a work part by part. */
#include <math.h>
#include <stddef.h>

#include "engine/companion.h"
#include "engine/metrics.h"
#include "uarchprobe/stats.h"

static uint64_t ticks_here(void *context)
{
    return clock_ticks();
}

unsigned long partner_turns(const struct point *point)
{
    return point->partner ? companion_turns(point->partner) : 0;
}

/* Waits until the partner has begun and done its work once more, so that it saw what was prepared. False:
 * it is away for longer than another process usually has its CPU. */
static bool await_partner(const struct point *point)
{
    static const uint64_t PATIENCE_NS = 20000000;
    if (!point->partner)
        return false;
    const uint64_t begin_ns = clock_now_ns();
    const unsigned long before = partner_turns(point);
    while (partner_turns(point) < before + 2)
        if (clock_now_ns() - begin_ns > PATIENCE_NS)
            return false;
    return true;
}

/* What the functions of a timed work read fits into a line, with the number of the part. */
enum { LINE = 64 };
_Static_assert(offsetof(struct point, series) <= LINE, "more lines are touched in each part");

/* Sets the ns of an iteration in each part, and when the first one began, unless begin_ns is NULL; returns
 * how many parts there are; 0: the partner was away. The loop over parts touches few lines of the stack and
 * nothing else: what it touches takes room of the caches and TLBs that a work counts. One that read the clock
 * and the machine from where they lie found 95 of 96 entries and 48.5 of 49.1 KiB (Zen 5 guest). */
static unsigned run_parts(const struct point *at, const struct timed_work *timed, double ns[TIMED_PARTS_MOST],
                          uint64_t *begin_ns)
{
    unsigned char scratch[SCRATCH_BYTES] __attribute__((aligned(LINE)));
    struct point point __attribute__((aligned(LINE))) = *at;
    point.iterations = 1;
    point.parts = timed->parts ? timed->parts : 1;
    point.scratch = scratch;
    if (timed->prepare)
        timed->prepare(&point);
    void (*const prepare)(struct point *) = timed->prepares_each ? timed->prepare : NULL;
    void (*const work)(const struct point *) = timed->work;
    uint64_t (*const ticks)(void *) = point.machine ? point.machine->ticks : ticks_here;
    void *const context = point.machine ? point.machine->context : NULL;
    const unsigned parts = point.parts, least = timed->partner_turns;
    if (begin_ns)
        *begin_ns = point.machine->now_ns(context);
    for (point.part = 0; point.part < parts; point.part++) {
        if (prepare && point.part > 0)
            prepare(&point);
        if (least > 0 && !await_partner(&point))
            return 0;
        const unsigned long turns = least > 0 ? partner_turns(&point) : 0;
        const uint64_t begin = ticks(context);
        work(&point);
        ns[point.part] = (double)(ticks(context) - begin);
        if (least > 0 && partner_turns(&point) - turns < least)
            return 0;
    }
    for (unsigned i = 0; i < parts; i++)
        ns[i] *= point.clock->ns_per_tick / (double)point.iterations;
    return parts;
}

double time_parts(const struct point *point, const struct timed_work *timed, uint64_t *begin_ns)
{
    double ns[TIMED_PARTS_MOST];
    const unsigned parts = run_parts(point, timed, ns, begin_ns);
    double least = parts > 0 ? ns[0] : NAN;
    for (unsigned i = 0; i < parts; i++)
        least = fmin(least, ns[i]);
    return timed->is_least ? least : median_of(ns, parts);
}

static uint64_t now_ns_at(const struct point *point)
{
    return point->machine ? point->machine->now_ns(point->machine->context) : clock_now_ns();
}

double point_seconds(const struct point *point)
{
    return (double)(now_ns_at(point) - point->begin_ns) / 1e9;
}

double time_batches(const struct point *point, const struct timed_batches *batches)
{
    struct samples kept = {0};
    const uint64_t first_ns = now_ns_at(point);
    uint64_t end_ns = first_ns;
    while ((double)(end_ns - first_ns) / 1e9 < batches->seconds) {
        double ns[TIMED_PARTS_MOST];
        if (batches->begin)
            batches->begin(point);
        const uint64_t begin_ns = now_ns_at(point);
        const unsigned parts = run_parts(point, batches->timed, ns, NULL);
        const double batch_ns = (double)(now_ns_at(point) - begin_ns);
        const bool counts = !batches->end || batches->end(point, batch_ns);
        for (unsigned i = 0; counts && i < parts; i++)
            samples_add(&kept, ns[i]);
        end_ns = now_ns_at(point);
    }
    const double median = median_of(kept.value, kept.count);
    samples_free(&kept);
    return median;
}

double time_work(const struct point *point, const struct timed_work *timed)
{
    return time_parts(point, timed, NULL);
}

static double time_of(const struct point *point, const struct timed_work *timed)
{
    return point->members ? time_together(point, timed, NULL, 0) : time_work(point, timed);
}

double series_ns(const struct point *point)
{
    const struct series *series = point->series;
    double ns = 0;
    for (size_t i = 0; i < sizeof series->timed / sizeof *series->timed && series->timed[i]; i++)
        ns += time_of(point, series->timed[i]);
    return series->less ? ns - time_of(point, series->less) : ns;
}
