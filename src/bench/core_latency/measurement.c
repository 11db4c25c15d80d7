/* SPDX-License-Identifier: MIT */
#include "measurement.h"

#include <math.h>
#include <sched.h>
#include <string.h>

#include "uarchprobe/engine.h"
#include "uarchprobe/pin.h"
#include "uarchprobe/random.h"

const char *const latency_bench_names[] = {"cas", "readwrite", "transfer", NULL};
const struct series latency_series[SERIES_COUNT] = {
    [SERIES_CAS] = {"cas", BENCH_CAS, OPERATION_PINGPONG_CAS, pingpong_run},
    [SERIES_READWRITE] = {"readwrite", BENCH_READWRITE, OPERATION_PINGPONG_WORDS, pingpong_run},
    [SERIES_TRANSFER] = {"transfer", BENCH_TRANSFER, OPERATION_LATENCY, transfer_run},
    [SERIES_TRANSFER_RMW] = {"transfer_rmw", BENCH_TRANSFER, OPERATION_CHASE_RMW, transfer_run},
    [SERIES_OWN_LLSC] = {"cas", BENCH_CAS, OPERATION_PINGPONG_CAS, pingpong_run},
};

enum { SPINS_BETWEEN_CHECKS = 20000, DISTURBED_FACTOR = 4 };

/* A yield next to a busy process is a time slice away from the CPU, and the partner, who comes in the meantime, goes away in
 * its turn: a pair that meets forty times in a measurement of 3 ms then took 0.7 s for it. Both have the CPU together only
 * when neither gives it away. But two sides on one CPU have to. */
static const uint64_t YIELD_AFTER_NS = 2000000;

bool meeting_is_moved(const struct measurement *m, enum side side)
{
    return m->cpu[side] >= 0 && sched_getcpu() != m->cpu[side];
}

bool meeting_is_late(const struct measurement *m, uint64_t now)
{
    return m->setup->deadline_ticks && now >= m->setup->deadline_ticks;
}

/* Patience is a time: a yield takes less than a microsecond on an idle CPU, and a time slice next to a busy process. */
bool meeting_wait(struct measurement *m, enum side side)
{
    atomic_uint *theirs = &m->met[1 - side];
    const unsigned count = atomic_fetch_add(&m->met[side], 1) + 1;
    uint64_t since_ns = 0;

    if (measurement_is_alone(m))
        return !meeting_is_late(m, clock_ticks());
    for (unsigned spins = 0; atomic_load_explicit(theirs, memory_order_acquire) < count; spins++) {
        if (atomic_load_explicit(&m->failed, memory_order_relaxed))
            return false;
        if (spins % SPINS_BETWEEN_CHECKS < SPINS_BETWEEN_CHECKS - 1)
            continue;
        const uint64_t now_ns = clock_now_ns();
        since_ns = since_ns ? since_ns : now_ns;
        if (now_ns - since_ns > YIELD_AFTER_NS)
            sched_yield();
        if (now_ns - since_ns > m->setup->meet_ns || meeting_is_moved(m, side) ||
            meeting_is_late(m, clock_ticks()))
            atomic_store(&m->failed, true);
    }
    return !atomic_load_explicit(&m->failed, memory_order_relaxed);
}

/* What surrounds a sample took 0.1 to 0.3 of 9 cycles of a compare-and-swap at 500 of them, another part in each build. An
 * emulator's clock has steps of a microsecond, and its operations take long anyway. */
uint64_t measurement_laps(const struct measurement *m, uint64_t operations)
{
    const double steps = 50, least = 2000, most = 64;
    const double needed = fmax(steps * m->setup->clock->resolution_ns, least) / (double)operations;
    return measurement_is_alone(m) ? (uint64_t)fmin(most, fmax(1, ceil(needed))) : 1;
}

size_t drop_disturbed(double *value, size_t count, double median)
{
    size_t kept = 0;

    for (size_t i = 0; i < count; i++) {
        if (median <= 0 || !(value[i] > DISTURBED_FACTOR * median))
            value[kept++] = value[i];
    }
    return kept;
}

size_t measurement_room(const struct latency_setup *setup)
{
    const size_t samples = (size_t)setup->effort.lines * setup->effort.samples;
    return samples > PASSES_MAX ? samples : PASSES_MAX;
}

void measurement_reset(struct measurement *m)
{
    for (int series = 0; series < SERIES_COUNT; series++)
        m->result[series] = (struct latency_result){
            .value = NAN, .forward = NAN, .backward = NAN, .line_low = NAN, .line_high = NAN};
    for (int side = SIDE_FROM; side <= SIDE_TO; side++) {
        m->switches[side] = 0;
        m->state[side] = STATE_UNKNOWN;
        atomic_store(&m->met[side], 0);
    }
    atomic_store(&m->failed, false);
}

enum state measurement_state(const struct measurement *m)
{
    const enum state from = m->state[SIDE_FROM], to = measurement_is_alone(m) ? from : m->state[SIDE_TO];

    if (from == STATE_UNKNOWN || to == STATE_UNKNOWN)
        return STATE_UNKNOWN;
    if (from == STATE_MIXED || to == STATE_MIXED)
        return STATE_MIXED;
    return from == STATE_IDLE && to == STATE_IDLE ? STATE_IDLE : STATE_ACTIVE;
}

void measurement_run(struct measurement *m, enum side side)
{
    const struct latency_setup *setup = m->setup;
    const uint64_t before = pin_involuntary_switches(), lines = (uint64_t)setup->effort.lines;
    const bool alone = measurement_is_alone(m);
    uint64_t random = m->seed;

    for (uint64_t i = 0; i < lines; i++) {
        if (alone || (setup->one_writer ? side == SIDE_FROM : i % 2 == side))
            memset(m->page + i * setup->page_bytes, 0, setup->page_bytes);
    }
    if (side == SIDE_FROM)
        random_order(&random, m->order, lines);
    const enum state first = sibling_sample(m->witness[side]);
    bool going = !meeting_is_moved(m, side);
    for (enum latency_series i = 0; going && i < SERIES_COUNT; i++) {
        const bool has_meaning = alone ? i != SERIES_READWRITE && setup->kernel[i] : i != SERIES_OWN_LLSC;
        if (has_meaning && m->wanted >> latency_series[i].bench & 1)
            going = meeting_wait(m, side) && latency_series[i].run(m, side, i);
    }
    if (!going)
        atomic_store(&m->failed, true);
    const enum state last = sibling_sample(m->witness[side]);
    if (first != STATE_UNKNOWN && last != STATE_UNKNOWN)
        m->state[side] = first == last ? first : STATE_MIXED;
    m->switches[side] = pin_involuntary_switches() - before;
}
