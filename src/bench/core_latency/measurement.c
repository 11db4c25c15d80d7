/* SPDX-License-Identifier: MIT */
#include "measurement.h"

#include <math.h>
#include <sched.h>
#include <string.h>

#include "uarchprobe/engine.h"
#include "uarchprobe/pin.h"
#include "uarchprobe/random.h"

enum { SPINS_BETWEEN_LOOKS = 20000, DISTURBED_FACTOR = 4 };

/* A yield next to a busy process is a time slice away from the CPU, and the partner, who comes in the meantime, goes away in
 * its turn: a pair that meets forty times in a measurement of 3 ms then took 0.7 s for it. Both have the CPU together only
 * when neither gives it away. But two sides on one CPU have to. */
static const uint64_t YIELD_AFTER_NS = 2000000;

/* Two modes lie further apart than this. */
static const double SWITCH_GAP = 0.5;

const char *const latency_bench_names[] = {"cas", "readwrite", "transfer", NULL};
const char *const latency_series_names[] = {"cas", "readwrite", "transfer", "transfer_rmw", NULL};
const enum latency_bench series_bench[SERIES_COUNT] = {BENCH_CAS, BENCH_READWRITE, BENCH_TRANSFER,
                                                       BENCH_TRANSFER};
const enum operation series_operation[SERIES_COUNT] = {OPERATION_PINGPONG_CAS, OPERATION_PINGPONG_WORDS,
                                                       OPERATION_LATENCY, OPERATION_CHASE_RMW};

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
    m->plain_own = NAN;
    for (int side = SIDE_FROM; side <= SIDE_TO; side++) {
        m->switches[side] = 0;
        m->state[side] = STATE_UNKNOWN;
        atomic_store(&m->met[side], 0);
    }
    atomic_store(&m->failed, false);
}

bool measurement_is_moved(const struct measurement *m, enum side side)
{
    return m->cpu[side] >= 0 && sched_getcpu() != m->cpu[side];
}

bool measurement_is_late(const struct measurement *m, uint64_t now)
{
    return m->setup->deadline_ticks && now >= m->setup->deadline_ticks;
}

/* An emulator's clock has steps of a microsecond, and its operations take long anyway. */
uint64_t own_laps(double resolution_ns, uint64_t operations)
{
    const double steps = 50, most = 64;
    return (uint64_t)fmin(most, fmax(1, ceil(steps * resolution_ns / (double)operations)));
}

double measurement_ns(const struct measurement *m, uint64_t ticks)
{
    return (double)ticks * m->setup->clock->ns_per_tick;
}

/* Patience is a time: a yield takes less than a microsecond on an idle CPU, and a time slice next to a busy process. */
static bool has_patience(const struct measurement *m, enum side side, uint64_t since_ns)
{
    const uint64_t waited_ns = clock_now_ns() - since_ns;

    if (waited_ns > YIELD_AFTER_NS)
        sched_yield();
    return waited_ns <= m->setup->meet_ns && !measurement_is_moved(m, side) &&
           !measurement_is_late(m, clock_ticks());
}

bool measurement_meet(struct measurement *m, enum side side)
{
    atomic_uint *theirs = &m->met[1 - side];
    const unsigned count = atomic_fetch_add(&m->met[side], 1) + 1;
    uint64_t since_ns = 0;

    for (unsigned spins = 0; atomic_load_explicit(theirs, memory_order_acquire) < count; spins++) {
        if (atomic_load_explicit(&m->failed, memory_order_relaxed))
            return false;
        if (spins % SPINS_BETWEEN_LOOKS < SPINS_BETWEEN_LOOKS - 1)
            continue;
        if (since_ns == 0)
            since_ns = clock_now_ns();
        if (!has_patience(m, side, since_ns))
            atomic_store(&m->failed, true);
    }
    return !atomic_load_explicit(&m->failed, memory_order_relaxed);
}

static unsigned char *page_of(const struct measurement *m, int line)
{
    return m->page + (size_t)line * m->setup->page_bytes;
}

unsigned char *measurement_line(const struct measurement *m, int line, enum latency_bench bench)
{
    return page_of(m, line) + 1024 * (bench == BENCH_READWRITE) + LINE_BYTES * (line % 3);
}

static void touch_pages(const struct measurement *m, enum side side)
{
    for (int i = 0; i < m->setup->effort.lines; i++) {
        if (m->setup->one_writer ? side == SIDE_FROM : i % 2 == (int)side)
            memset(page_of(m, i), 0, m->setup->page_bytes);
    }
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

static bool lies_above(const double *upper, size_t upper_count, const double *lower, size_t lower_count)
{
    double least = INFINITY, most = -INFINITY;

    for (size_t i = 0; i < upper_count; i++)
        least = fmin(least, upper[i]);
    for (size_t i = 0; i < lower_count; i++)
        most = fmax(most, lower[i]);
    return least > most * (1 + SWITCH_GAP);
}

bool values_switched(const double *value, size_t count)
{
    for (size_t i = (count + 3) / 4; count >= 2 && 4 * (count - i) >= count; i++) {
        if (lies_above(value, i, value + i, count - i) || lies_above(value + i, count - i, value, i))
            return true;
    }
    return false;
}

static bool run_bench(struct measurement *m, enum side side, enum latency_bench bench)
{
    if (!measurement_meet(m, side))
        return false;
    if (bench == BENCH_TRANSFER)
        return transfer_run(m, side);
    return pingpong_run(m, side, bench == BENCH_CAS ? SERIES_CAS : SERIES_READWRITE);
}

/* The deadline may cut it. */
static void run_alone(struct measurement *m)
{
    touch_pages(m, SIDE_TO);
    if (m->wanted >> BENCH_CAS & 1 && !pingpong_run_alone(m))
        return;
    if (m->wanted >> BENCH_TRANSFER & 1)
        transfer_run_alone(m);
}

static void run_pair(struct measurement *m, enum side side)
{
    uint64_t state = m->seed;
    bool going = true;

    if (side == SIDE_FROM)
        random_order(&state, m->order, (size_t)m->setup->effort.lines);
    for (int bench = 0; going && bench < BENCH_COUNT; bench++) {
        if (m->wanted >> bench & 1)
            going = run_bench(m, side, (enum latency_bench)bench);
    }
    if (!going)
        atomic_store(&m->failed, true);
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
    if (measurement_is_moved(m, side))
        atomic_store(&m->failed, true);
    else if (m->from == m->to)
        run_alone(m);
    else
        run_pair(m, side);
    const enum state last = sibling_sample(m->witness[side]);
    if (first != STATE_UNKNOWN && last != STATE_UNKNOWN)
        m->state[side] = first == last ? first : STATE_MIXED;
    m->switches[side] = pin_involuntary_switches() - before;
}
