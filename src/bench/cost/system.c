/* SPDX-License-Identifier: MIT */
/* Calls of the kernel that come back at once. */
#include <errno.h>
#include <linux/futex.h>
#include <math.h>
#include <sched.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "system.h"
#include "uarchprobe/pin.h"

struct call {
    long (*make)(uint64_t times);
};

#define CALL(name, expression)                                                                               \
    static long make_##name(uint64_t times)                                                                  \
    {                                                                                                        \
        long result = 0;                                                                                     \
        for (; times > 0; times--)                                                                           \
            result = (expression);                                                                           \
        return result;                                                                                       \
    }                                                                                                        \
    static const struct call name = {make_##name};

CALL(no_call, syscall(-1))
CALL(parent, syscall(SYS_getppid))
CALL(read_clock, clock_gettime(CLOCK_MONOTONIC, &(struct timespec){0}))
CALL(wake_nobody, syscall(SYS_futex, &(uint32_t){0}, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0))
CALL(yield, sched_yield())

/* A filter may end a process for a number that it does not know. */
static enum status open_call(struct run *run, void **own, struct fault *fault)
{
    const struct call *call = *own;
    if (call->make == make_no_call && prctl(PR_GET_SECCOMP) != 0)
        return fault_set(fault, STATUS_UNSUPPORTED, "a filter of system calls might end the program");
    if (call->make != make_no_call && call->make(1) == -1)
        return fault_set(fault, STATUS_UNSUPPORTED, "the call is refused: %s", strerror(errno));
    return STATUS_OK;
}

static void work(const struct point *point)
{
    ((const struct call *)point->own)->make(point->iterations);
}

/* NaN where somebody waits, who keeps the CPU for milliseconds. */
static double sample_yield(const struct point *point)
{
    enum { YIELDS = 16 };
    const uint64_t switches = pin_involuntary_switches();
    make_yield(1);
    const bool is_alone = pin_involuntary_switches() == switches;
    const uint64_t begin = clock_ticks();
    make_yield(is_alone ? YIELDS : 0);
    const double ns = (double)(clock_ticks() - begin) * point->clock->ns_per_tick / YIELDS;
    return pin_involuntary_switches() == switches ? ns : NAN;
}

#define ROW(id, which, words, in, asked, place, modes, ...)                                                  \
    COST_ROW(id, which, words, in, asked, place, modes, __VA_ARGS__, .open = open_call, .work = work,        \
             .has_call = true, .iterations = 32)
ROW(parent, "system_call", "system call", "cycles", "system-call", "core/cost", true, .in_quick = true);
ROW(no_call, "system_call.entry", "kernel entry and exit", "cycles", "system-call", NULL, true,
    .in_quick = false);
ROW(read_clock, "clock_gettime", "clock_gettime", "ns", "clock-gettime", NULL, false, .in_quick = false);
/* Ranges: without a waiter 219 ns for a whole run, 239 to 246 in others; 40 % of the pairs of yields of
 * high trust were broken, 555 ns and, while others wait without being next, 610 to 645 (Zen 3 guest). */
ROW(wake_nobody, "futex.nobody", "futex wake, nobody waits", "ns", "futex", NULL, true, .range = true);
COST_ROW(yield, "yield", "yield, nobody waits", "ns", "yield", NULL, true, .range = true, .open = open_call,
         .sample = sample_yield);
