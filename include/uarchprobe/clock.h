/* SPDX-License-Identifier: MIT */
/* Time. Ticks are of the TSC or CNTVCT, read between serialising fences; they are converted to ns against
 * CLOCK_MONOTONIC_RAW and are never called cycles. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct clock {
    const char *source; /* "tsc", "cntvct", "clock_gettime" */
    double ns_per_tick;
    double resolution_ns; /* granularity: the step by which readings differ */
    double overhead_ns;   /* of an empty interval */
    bool invariant;       /* the CPU metrics the same rate on all CPUs and in all power states */
};

/* Takes about 20 ms; pins nothing. */
void clock_calibrate(struct clock *clock);
/* Everything before it has completed, nothing after it has begun. */
uint64_t clock_ticks(void);
/* The counter at that tick as an instruction of a kernel reads it: another number where a build makes
 * ticks coarser. */
uint64_t clock_counter_at(uint64_t ticks);
/* Returns when all earlier stores have left the core's buffers, streaming ones too. */
void clock_drain_stores(void);
/* CLOCK_MONOTONIC_RAW in ns; for deadlines, budgets and long intervals. */
uint64_t clock_now_ns(void);
