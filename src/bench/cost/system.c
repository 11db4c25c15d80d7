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

enum { YIELDS = 16 };

struct call {
    long (*make)(uint64_t times);
};

/* A function that makes a system call again and again. */
#define CALL(name, expression)                                                                               \
    static long name(uint64_t times)                                                                         \
    {                                                                                                        \
        long result = 0;                                                                                     \
        for (; times > 0; times--)                                                                           \
            result = (expression);                                                                           \
        return result;                                                                                       \
    }
CALL(make_no_call, syscall(-1))
CALL(make_parent, syscall(SYS_getppid))
CALL(make_read_clock, clock_gettime(CLOCK_MONOTONIC, &(struct timespec){0}))
CALL(make_wake_nobody, syscall(SYS_futex, &(uint32_t){0}, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0))
CALL(make_yield, sched_yield())

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

static void count_yields(struct point *point)
{
    point->iterations = YIELDS;
}

static void make_yields(const struct point *point)
{
    make_yield(YIELDS);
}

static const struct timed_work yields = {.work = make_yields, .prepare = count_yields};

/* NaN where somebody waits, who keeps the CPU for milliseconds. */
static double sample_yield(const struct point *point)
{
    const uint64_t switches = pin_involuntary_switches();
    make_yield(1);
    if (pin_involuntary_switches() != switches)
        return NAN;
    const double ns = time_work(point, &yields);
    return pin_involuntary_switches() == switches ? ns : NAN;
}

/* A run of these experiments outlasts modes of the kernel of some 10 ms. `classes` in this file, pages.c
 * and wake.c: other modes outlast a run. Of high trust were a first touch of 1735 and 1848 ns, and a wake of
 * 2437 and 2578; the way into the kernel took 351 and 390 cycles at medium trust, 1 of 20,604 pairs (Zen 3
 * guest). */
const struct series cost_once[] = {{.name = "once", .range = {1, 1}}, {0}};

static const struct call parent = {.make = make_parent};
static const struct metric parent_metrics[] = {{.key = "cost.system_call",
                                                .label = "system call",
                                                .unit = "cycles",
                                                .kind = METRIC_VALUE,
                                                .series = "once",
                                                .beyond = true,
                                                .classes = true,
                                                .at_least = 1,
                                                .sheet_cell = "core/cost",
                                                .in_quick = true,
                                                .operand = "system-call"},
                                               {0}};
const struct experiment parent_experiment = {.name = "system call",
                                             .context_bytes = sizeof parent,
                                             .context_template = &parent,
                                             .series = cost_once,
                                             .metrics = parent_metrics,
                                             .pace = {400, 80, 0.25, 0.06},
                                             .open = open_call,
                                             .work = work,
                                             .has_call = true,
                                             .iterations = 32};

static const struct call no_call = {.make = make_no_call};
static const struct metric no_call_metrics[] = {{.key = "cost.system_call.entry",
                                                 .label = "kernel entry and exit",
                                                 .unit = "cycles",
                                                 .kind = METRIC_VALUE,
                                                 .series = "once",
                                                 .beyond = true,
                                                 .classes = true,
                                                 .at_least = 1,
                                                 .operand = "system-call"},
                                                {0}};
const struct experiment no_call_experiment = {.name = "kernel entry and exit",
                                              .context_bytes = sizeof no_call,
                                              .context_template = &no_call,
                                              .series = cost_once,
                                              .metrics = no_call_metrics,
                                              .pace = {400, 80, 0.25, 0.06},
                                              .open = open_call,
                                              .work = work,
                                              .has_call = true,
                                              .iterations = 32};

static const struct call read_clock = {.make = make_read_clock};
static const struct metric read_clock_metrics[] = {{.key = "cost.clock_gettime",
                                                    .label = "clock_gettime",
                                                    .unit = "ns",
                                                    .kind = METRIC_VALUE,
                                                    .series = "once",
                                                    .beyond = true,
                                                    .at_least = 1,
                                                    .operand = "clock-gettime"},
                                                   {0}};
const struct experiment read_clock_experiment = {.name = "clock_gettime",
                                                 .context_bytes = sizeof read_clock,
                                                 .context_template = &read_clock,
                                                 .series = cost_once,
                                                 .metrics = read_clock_metrics,
                                                 .pace = {400, 80, 0.25, 0.06},
                                                 .open = open_call,
                                                 .work = work,
                                                 .has_call = true,
                                                 .iterations = 32};

/* Ranges: without a waiter 219 ns for a whole run, 239 to 246 in others; 40 % of the pairs of yields of
 * high trust were broken, 555 ns and, while others wait without being next, 610 to 645 (Zen 3 guest). */
static const struct call wake_nobody = {.make = make_wake_nobody};
static const struct metric wake_nobody_metrics[] = {{.key = "cost.futex.nobody",
                                                     .label = "futex wake, nobody waits",
                                                     .unit = "ns",
                                                     .kind = METRIC_VALUE,
                                                     .series = "once",
                                                     .beyond = true,
                                                     .classes = true,
                                                     .at_least = 1,
                                                     .range = true,
                                                     .operand = "futex"},
                                                    {0}};
const struct experiment wake_nobody_experiment = {.name = "futex wake, nobody waits",
                                                  .context_bytes = sizeof wake_nobody,
                                                  .context_template = &wake_nobody,
                                                  .series = cost_once,
                                                  .metrics = wake_nobody_metrics,
                                                  .pace = {400, 80, 0.25, 0.06},
                                                  .open = open_call,
                                                  .work = work,
                                                  .has_call = true,
                                                  .iterations = 32};

static const struct call yield = {.make = make_yield};
static const struct metric yield_metrics[] = {{.key = "cost.yield",
                                               .label = "yield, nobody waits",
                                               .unit = "ns",
                                               .kind = METRIC_VALUE,
                                               .series = "once",
                                               .beyond = true,
                                               .classes = true,
                                               .at_least = 1,
                                               .range = true,
                                               .operand = "yield"},
                                              {0}};
const struct experiment yield_experiment = {.name = "yield, nobody waits",
                                            .context_bytes = sizeof yield,
                                            .context_template = &yield,
                                            .series = cost_once,
                                            .metrics = yield_metrics,
                                            .pace = {400, 80, 0.25, 0.06},
                                            .open = open_call,
                                            .sample = sample_yield};
