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
/* Seconds for which it waited since the start; NaN: the kernel does not show them. */
double stopwatch_waited_s(const struct stopwatch *since);
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

/* What a program and all that it started did with its time. */
struct program_time {
    double wall_s, cpu_s; /* from begin to end; CPU time of all threads */
    /* Of the threads that were seen: their CPU time, and how long they were ready to run without a CPU. */
    double seen_s, seen_wait_s;
    int cpus; /* on which they may run */
};
/* The share that it had of the CPU time that it could use: 1 where nothing else had its CPUs, and where it
 * slept. Threads that wait for each other's CPU lose nothing. NaN: too few of its threads were seen. */
double program_cpu_share(const struct program_time *time);

/* Looks now and then at a program that runs, as the kernel forgets how long a thread waited once it has
 * ended. */
struct program_watch;
struct program_watch *program_watch_new(int process);
/* Returns the seconds until the next look, so that looks take a hundredth of a CPU at most. */
double program_watch_look(struct program_watch *watch);
/* Sets seen_s and seen_wait_s, and cpus where the kernel shows them. Frees. */
void program_watch_end(struct program_watch *watch, struct program_time *time);
