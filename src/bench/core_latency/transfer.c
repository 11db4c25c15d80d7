/* SPDX-License-Identifier: MIT */
/* One CPU writes lines, the other follows pointers through them: what a load, or a locked operation, waits for each. */
#include <math.h>

#include "measurement.h"
#include "uarchprobe/chase.h"
#include "uarchprobe/stats.h"

/* Two modes lie further apart than this. */
static const double SWITCH_GAP = 0.5;

/* A page after the other; the first line of each moves on by one from page to page, so that all sets of an L1
 * are used alike. */
static uint64_t line_offset(const struct chase *chase, uint64_t index)
{
    const uint64_t page = index / NODES_PER_LINE;
    return page * chase->stride + index % NODES_PER_LINE * LINE_BYTES + page % 4 * 64;
}

/* A cycle through all lines in random order. */
static void make_chain(struct measurement *m, size_t nodes)
{
    const struct chase chase = {.data = m->page,
                                .count = nodes,
                                .stride = m->setup->page_bytes,
                                .seed = m->seed,
                                .offset = line_offset};
    chase_link(&chase);
    for (uint64_t i = 0; i < nodes; i++)
        m->node[i] = chase_node(&chase, i);
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

static void conclude_passes(struct measurement *m, struct latency_result *result, size_t passes, bool both)
{
    double way[2][PASSES_MAX / 2];

    for (size_t i = 0; i < passes; i++)
        way[i % 2][i / 2] = m->sample[i];
    result->forward = both ? median_of(way[0], (passes + 1) / 2) : NAN;
    result->backward = both ? median_of(way[1], passes / 2) : NAN;
    const size_t kept = drop_disturbed(m->sample, passes, median_of(m->sample, passes));
    result->samples = passes;
    result->dropped = passes - kept;
    result->value = median_of(m->sample, kept);
    result->mixed = values_switched(m->sample, kept);
}

/* Even passes forward; odd ones backward, where both sides write. A CPU alone writes and reads. */
bool transfer_run(struct measurement *m, enum side side, enum latency_series series)
{
    const struct clock *clock = m->setup->clock;
    const bool alone = measurement_is_alone(m), both = !m->setup->one_writer && !alone;
    const size_t nodes = (size_t)m->setup->effort.lines * NODES_PER_LINE;
    const uint64_t samples = m->setup->effort.samples, loads = nodes * measurement_laps(m, nodes);
    const int passes = samples < 2 ? 4 : samples > PASSES_MAX / 2 ? PASSES_MAX : 2 * (int)samples;

    if (series == SERIES_TRANSFER && side == SIDE_FROM)
        make_chain(m, nodes);
    for (int pass = -WARM_PASSES; pass < passes; pass++) {
        const enum side writer = both && pass % 2 ? SIDE_TO : SIDE_FROM;
        if (!meeting_wait(m, side))
            return false;
        for (size_t i = 0; side == writer && i < nodes; i++)
            atomic_store_explicit((_Atomic uint64_t *)m->node[i] + 1, (uint64_t)(pass + WARM_PASSES),
                                  memory_order_relaxed);
        if (!meeting_wait(m, side))
            return false;
        if (side == writer && !alone)
            continue;
        const uint64_t before = clock_ticks();
        m->setup->kernel[series]->entry(m->node[0], NULL, loads, 0, 0, 0);
        const uint64_t now = clock_ticks();
        /* An emulator's clock can cost more than the walk. */
        const double ns = fmax(0, (double)(now - before) * clock->ns_per_tick - clock->overhead_ns);
        if (pass >= 0)
            m->sample[pass] = ns / (double)loads;
        if (meeting_is_late(m, now))
            return false;
    }
    if (!meeting_wait(m, side))
        return false;
    if (side == SIDE_FROM)
        conclude_passes(m, &m->result[series], (size_t)passes, both);
    return true;
}
