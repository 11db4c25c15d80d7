/* SPDX-License-Identifier: MIT */
/* Limits of time that a busy machine does not shorten. */
#pragma once

#include "uarchprobe/clock.h"

/* Time of one's own: wall time less the time for which a thread was ready to run and other programs had its
 * CPU, and a third of the wall time at least. On a quiet machine it is the wall time. Limits that nobody
 * typed are limits of it, so that load costs time and no answers, up to three times as much of it. */
double own_seconds(double wall_s, double waited_s);
/* ns for which this process has waited so far: of the thread that waited longest since the call before, as
 * threads wait side by side. Where the kernel does not show it, all time in which the process used no CPU.
 * For one thread at a time. */
uint64_t clock_waited_ns(void);
/* ns for which the calling thread, which does not sleep, has waited since another call. */
uint64_t clock_thread_waited_ns(void);

struct stopwatch {
    uint64_t begin_ns, waited_ns;
};
static inline struct stopwatch stopwatch_start(void)
{
    return (struct stopwatch){clock_now_ns(), clock_waited_ns()};
}
/* Seconds of the process's own since the start. */
double stopwatch_own_s(const struct stopwatch *since);
/* The same for a thread that works without a break. */
static inline struct stopwatch stopwatch_start_thread(void)
{
    return (struct stopwatch){clock_now_ns(), clock_thread_waited_ns()};
}
double stopwatch_thread_s(const struct stopwatch *since);

/* The time that something may take, from a start on; 0: as long as it takes. */
struct time_limit {
    double seconds;
    bool is_wall; /* the user's --time-budget; else time of one's own */
    struct stopwatch since;
};
/* INFINITY: there is no limit. */
double time_left_s(const struct time_limit *limit);
