/* SPDX-License-Identifier: MIT */
#include "measurement.h"

#include <math.h>
#include <string.h>

#include "uarchprobe/engine.h"
#include "uarchprobe/pin.h"
#include "uarchprobe/random.h"

const char *const latency_bench_names[] = {"cas", "readwrite", "transfer", NULL};
const struct series latency_series[SERIES_COUNT] = {
    [SERIES_CAS] = {"cas", BENCH_CAS, OPERATION_PINGPONG_CAS},
    [SERIES_READWRITE] = {"readwrite", BENCH_READWRITE, OPERATION_PINGPONG_WORDS},
    [SERIES_TRANSFER] = {"transfer", BENCH_TRANSFER, OPERATION_LATENCY},
    [SERIES_TRANSFER_RMW] = {"transfer_rmw", BENCH_TRANSFER, OPERATION_CHASE_RMW},
    [SERIES_OWN_LLSC] = {"cas", BENCH_CAS, OPERATION_PINGPONG_CAS},
};

size_t measurement_room(const struct latency_setup *setup)
{
    const size_t samples = (size_t)setup->effort.lines * setup->effort.samples;
    const size_t passes = (size_t)2 * PASSES_MAX;
    return samples > passes ? samples : passes;
}

void measurement_reset(struct measurement *m)
{
    for (int series = 0; series < SERIES_COUNT; series++) {
        struct latency_result *result = &m->result[series];
        *result = (struct latency_result){.value = NAN, .forward = NAN, .backward = NAN};
        for (int i = 0; i < LINES_MAX; i++)
            result->line[i] = NAN;
    }
    for (int side = SIDE_FROM; side <= SIDE_TO; side++) {
        m->switches[side] = 0;
        m->state[side] = STATE_UNKNOWN;
        atomic_store(&m->met[side], 0);
    }
    atomic_store(&m->failed, false);
}

static void touch_pages(const struct measurement *m, enum side side)
{
    const uint64_t bytes = m->setup->page_bytes;

    for (int i = 0; i < m->setup->effort.lines; i++) {
        if (m->setup->one_writer ? side == SIDE_FROM : i % 2 == (int)side)
            memset(m->page + (size_t)i * bytes, 0, bytes);
    }
}

static bool run_pair(struct measurement *m, enum side side)
{
    uint64_t state = m->seed;
    bool going = true;

    if (side == SIDE_FROM)
        random_order(&state, m->order, (size_t)m->setup->effort.lines);
    for (int bench = 0; going && bench < BENCH_COUNT; bench++) {
        if (m->wanted >> bench & 1)
            going = meeting_wait(m, side) && (bench == BENCH_TRANSFER ? transfer_run(m, side)
                                              : bench == BENCH_CAS    ? pingpong_run(m, side, SERIES_CAS)
                                                                   : pingpong_run(m, side, SERIES_READWRITE));
    }
    return going;
}

/* The deadline may cut it. */
static void run_alone(struct measurement *m)
{
    const bool llsc = m->setup->kernel[SERIES_OWN_LLSC] != NULL;

    touch_pages(m, SIDE_TO);
    if (m->wanted >> BENCH_CAS & 1 &&
        !(pingpong_run_alone(m, SERIES_CAS) && (!llsc || pingpong_run_alone(m, SERIES_OWN_LLSC))))
        return;
    if (m->wanted >> BENCH_TRANSFER & 1)
        transfer_run_alone(m);
}

enum state measurement_state(const struct measurement *m)
{
    const enum state from = m->state[SIDE_FROM], to = m->from == m->to ? from : m->state[SIDE_TO];

    if (from == STATE_UNKNOWN || to == STATE_UNKNOWN)
        return STATE_UNKNOWN;
    if (from == STATE_MIXED || to == STATE_MIXED)
        return STATE_MIXED;
    return from == STATE_IDLE && to == STATE_IDLE ? STATE_IDLE : STATE_ACTIVE;
}

void measurement_run(struct measurement *m, enum side side)
{
    const uint64_t before = pin_involuntary_switches();

    touch_pages(m, side);
    const enum state first = sibling_sample(m->witness[side]);
    const bool moved = meeting_is_moved(m, side);
    if (!moved && m->from == m->to)
        run_alone(m);
    else if (moved || !run_pair(m, side))
        atomic_store(&m->failed, true);
    const enum state last = sibling_sample(m->witness[side]);
    if (first != STATE_UNKNOWN && last != STATE_UNKNOWN)
        m->state[side] = first == last ? first : STATE_MIXED;
    m->switches[side] = pin_involuntary_switches() - before;
}
