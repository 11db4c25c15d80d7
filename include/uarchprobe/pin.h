/* SPDX-License-Identifier: MIT */
/* Threads that stay where they are put. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "uarchprobe/status.h"

/* Pins the calling thread to one CPU and verifies that it runs there. */
enum status pin_self(int cpu, struct fault *fault);
/* Whether a thread (of gettid; 0: the calling one) may still run on that CPU and on no other, which
 * cpusets and other processes change. Fault: STATUS_NO_RESOURCE. */
enum status pin_check(int thread, int cpu, struct fault *fault);
/* Lets the calling thread run on each of these CPUs, as before it was pinned. */
void pin_release(const int *cpu, int count);
/* The CPU to which the calling thread was pinned; -1: none. */
int pin_wanted(void);

/* Disturbances of the calling thread (switches) and the machine (steal) since a start. */
struct disturbance {
    uint64_t involuntary_switches; /* of the calling thread */
    uint64_t steal_ticks;          /* of all CPUs, USER_HZ */
    bool counts_steal;             /* false: /proc/stat cannot be read, or counts nothing */
    uint64_t throttled;            /* cgroup quota periods in which this group was throttled */
};
/* Reads /proc/stat and the cgroup: about 0.1 ms, so around a round or a run, not around a sample. */
void disturbance_read(struct disturbance *now);
struct disturbance disturbance_since(const struct disturbance *start);
/* Of the calling thread, since it began; one system call, cheap enough for every sample. */
uint64_t pin_involuntary_switches(void);
/* Takes those since `before` off, as the calling thread made way for one that it woke. */
void pin_forgive_switches(uint64_t before);

/* A team of persistent threads, member i pinned to cpu[i]; member 0 is one of them too, never the caller. */
struct team;
typedef void team_task(void *context, int member);

/* NULL with *fault set when a thread cannot be made or pinned, or does not start, or when two on different
 * CPUs never run at the same time, as in a sandbox that keeps affinity to itself. */
struct team *team_new(const int *cpu, int count, struct fault *fault);
/* Runs task(context, member) on the given members, all different, or on the first ones (member NULL); all
 * leave a spin barrier together, the others sleep on. Waits for all of them, at most ten times as long as
 * planned (and five seconds at least), and only a part of a second once a signal ends the run. False where
 * the task was not run by all: some were moved to another CPU and did not meet, or came too late. A late
 * member is stopped for ever, wherever it is, so that the context can be freed; the team then runs nothing
 * any more. team_begin and team_end are its two halves. */
void team_begin(struct team *team, const int *member, int count, team_task *task, void *context);
bool team_end(struct team *team, double planned_s);
/* Between them: waits so long, or until a signal comes. True: all members are back. */
bool team_wait(struct team *team, double seconds);
static inline bool team_run(struct team *team, const int *member, int count, team_task *task, void *context,
                            double planned_s)
{
    team_begin(team, member, count, task, context);
    return team_end(team, planned_s);
}
/* The last of these alone, for threads on two CPUs that are no team. cpu -1, or the same CPU twice: nothing
 * to prove. */
enum status pin_prove(int cpu, int other, struct fault *fault);
/* pin_check of all members of all teams, whoever has them. */
enum status teams_check(struct fault *fault);
/* Never blocks. */
void team_free(struct team *team);
