/* SPDX-License-Identifier: MIT */
/* What the benchmarks of a pair share: how the two sides meet, where their lines are, which samples count. */
#include <math.h>
#include <sched.h>

#include "measurement.h"

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

unsigned char *meeting_line(const struct measurement *m, int line, enum latency_bench bench)
{
    return m->page + (size_t)line * m->setup->page_bytes + 1024 * (bench == BENCH_READWRITE) +
           LINE_BYTES * (line % 3);
}

/* What surrounds a sample took 0.1 to 0.3 of 9 cycles of a compare-and-swap at 500 of them, another part in each build. An
 * emulator's clock has steps of a microsecond, and its operations take long anyway. */
uint64_t own_laps(double resolution_ns, uint64_t operations)
{
    const double steps = 50, least = 2000, most = 64;
    return (uint64_t)fmin(most, fmax(1, ceil(fmax(steps * resolution_ns, least) / (double)operations)));
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
