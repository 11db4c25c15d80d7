/* SPDX-License-Identifier: MIT */
/* One CPU writes lines, the other follows pointers through them: what a load, or a locked operation, waits for each. */
#include <math.h>

#include "measurement.h"
#include "uarchprobe/chase.h"
#include "uarchprobe/stats.h"

/* Two modes lie further apart than this. */
static const double SWITCH_GAP = 0.5;

static size_t node_count(const struct measurement *m)
{
    return (size_t)m->setup->effort.lines * NODES_PER_LINE;
}

/* A page after the other; the first line of each moves on by one from page to page, so that all sets of an L1
 * are used alike. */
static uint64_t line_offset(const struct chase *chase, uint64_t index)
{
    const uint64_t page = index / NODES_PER_LINE;
    return page * chase->stride + index % NODES_PER_LINE * LINE_BYTES + page % 4 * 64;
}

/* A cycle through all lines in random order. */
static void make_chain(struct measurement *m)
{
    const struct chase chase = {.data = m->page,
                                .count = node_count(m),
                                .stride = m->setup->page_bytes,
                                .seed = m->seed,
                                .offset = line_offset};
    chase_link(&chase);
    for (uint64_t i = 0; i < chase.count; i++)
        m->node[i] = chase_node(&chase, i);
}

static void dirty_chain(const struct measurement *m, uint64_t value)
{
    for (size_t i = 0; i < node_count(m); i++) {
        _Atomic uint64_t *word = (_Atomic uint64_t *)m->node[i] + 1;
        atomic_store_explicit(word, value, memory_order_relaxed);
    }
}

/* ns a step. */
static double time_chase(const struct measurement *m, enum latency_series series, uint64_t laps)
{
    const struct clock *clock = m->setup->clock;
    const uint64_t loads = node_count(m) * laps, before = clock_ticks();

    m->setup->kernel[series]->entry(m->node[0], NULL, loads, 0, 0, 0);
    const double ns = (double)(clock_ticks() - before) * clock->ns_per_tick - clock->overhead_ns;
    return fmax(ns, 0) / (double)loads; /* an emulator's clock can cost more than the walk */
}

static int pass_count(const struct measurement *m)
{
    const uint64_t passes = 2 * m->setup->effort.samples;
    return passes < 4 ? 4 : passes > PASSES_MAX ? PASSES_MAX : (int)passes;
}

/* Of every second pass. */
static double median_from(const struct measurement *m, size_t first, size_t count)
{
    double *every_second = m->sample + PASSES_MAX;
    size_t kept = 0;

    for (size_t i = first; i < count; i += 2)
        every_second[kept++] = m->sample[i];
    return median_of(every_second, kept);
}

bool values_switched(const double *value, size_t count)
{
    for (size_t i = (count + 3) / 4; count >= 2 && 4 * (count - i) >= count; i++) {
        double low[2] = {INFINITY, INFINITY}, high[2] = {0, 0}; /* before the moment, and from then on */
        for (size_t k = 0; k < count; k++) {
            low[k >= i] = fmin(low[k >= i], value[k]);
            high[k >= i] = fmax(high[k >= i], value[k]);
        }
        if (low[0] > high[1] * (1 + SWITCH_GAP) || low[1] > high[0] * (1 + SWITCH_GAP))
            return true;
    }
    return false;
}

static void conclude_passes(struct measurement *m, enum latency_series series, bool both)
{
    const size_t count = (size_t)pass_count(m);
    struct latency_result *result = &m->result[series];

    result->forward = both ? median_from(m, 0, count) : NAN;
    result->backward = both ? median_from(m, 1, count) : NAN;
    const size_t kept = drop_disturbed(m->sample, count, median_of(m->sample, count));
    result->samples = count;
    result->dropped = count - kept;
    result->value = median_of(m->sample, kept);
    result->mixed = values_switched(m->sample, kept);
}

/* Even passes forward; odd ones backward, where both sides write. */
static bool run_chases(struct measurement *m, enum side side, enum latency_series series)
{
    const bool both = !m->setup->one_writer;

    for (int pass = -WARM_PASSES; pass < pass_count(m); pass++) {
        const enum side writer = both && pass % 2 ? SIDE_TO : SIDE_FROM;
        if (meeting_is_late(m, clock_ticks()))
            return false;
        if (side == writer)
            dirty_chain(m, (uint64_t)(pass + WARM_PASSES));
        if (!meeting_wait(m, side))
            return false;
        const double ns = side == writer ? 0 : time_chase(m, series, 1);
        if (side != writer && pass >= 0)
            m->sample[pass] = ns;
        if (!meeting_wait(m, side))
            return false;
    }
    if (side == SIDE_FROM)
        conclude_passes(m, series, both);
    return true;
}

bool transfer_run(struct measurement *m, enum side side)
{
    if (side == SIDE_FROM)
        make_chain(m);
    return meeting_wait(m, side) && run_chases(m, side, SERIES_TRANSFER) && meeting_wait(m, side) &&
           run_chases(m, side, SERIES_TRANSFER_RMW);
}

bool transfer_run_alone(struct measurement *m)
{
    const uint64_t laps = own_laps(m->setup->clock->resolution_ns, node_count(m));

    make_chain(m);
    for (int series = SERIES_TRANSFER; series <= SERIES_TRANSFER_RMW; series++) {
        for (int pass = -1; pass < pass_count(m); pass++) {
            dirty_chain(m, 0);
            m->sample[pass < 0 ? 0 : pass] = time_chase(m, (enum latency_series)series, laps);
            if (meeting_is_late(m, clock_ticks()))
                return false;
        }
        conclude_passes(m, (enum latency_series)series, false);
    }
    return true;
}
