/* SPDX-License-Identifier: MIT */
/* A thread wakes another one, which answers: half of a round trip. */
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <math.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "engine/companion.h"
#include "system.h"
#include "uarchprobe/pin.h"

/* The first trips do not count. */
enum { TRIPS_FIRST = 2, TRIPS = 16, PATIENCE_S = 5 };
enum { ASKS, ANSWERS };

static bool pass(struct wake *wake, int to)
{
    struct wake_post *post = &wake->post[to];
    if (wake->is_pipe)
        return write(post->pipe[1], "", 1) == 1;
    atomic_store(&post->full, 1);
    return syscall(SYS_futex, &post->full, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0) >= 0;
}

/* Without a deadline, which would add to the time. False: it is over, or it was not to be had. What was
 * passed before the end is still there, so the end is never slept through: end_waits sets is_over before it
 * passes to both. */
static bool await(struct wake *wake, int at)
{
    struct wake_post *post = &wake->post[at];
    char byte;
    if (atomic_load(&wake->is_over) || (wake->is_pipe && read(post->pipe[0], &byte, 1) != 1))
        return false;
    while (!wake->is_pipe && !atomic_exchange(&post->full, 0))
        syscall(SYS_futex, &post->full, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
    return !atomic_load(&wake->is_over);
}

/* From now on nobody waits. */
static void end_waits(void *context)
{
    struct wake *wake = context;
    if (atomic_exchange(&wake->is_over, true))
        return;
    pass(wake, ASKS);
    pass(wake, ANSWERS);
}

static void make_trips(struct wake *wake, int count)
{
    for (int trip = 0; trip < count && wake->goes_on; trip++)
        wake->goes_on = pass(wake, ANSWERS) && await(wake, ASKS);
}

static void begin_trips(struct point *point)
{
    struct wake *wake = point->own;
    wake->goes_on = true;
    make_trips(wake, TRIPS_FIRST);
    point->iterations = 2 * TRIPS;
}

static void time_trips(const struct point *point)
{
    make_trips(point->own, TRIPS);
}

static const struct timed_work trips = {.work = time_trips, .prepare = begin_trips};

static void ask(void *context, int member)
{
    struct wake *wake = context;
    const double ns = time_work(wake->point, &trips);
    wake->ns = wake->goes_on ? ns : NAN;
}

static void answer(void *context)
{
    struct wake *wake = context;
    if (await(wake, ANSWERS) && !wake->is_mute)
        pass(wake, ASKS);
}

double wake_ns(const struct point *point, double patience_s)
{
    struct wake *wake = point->own;
    if (atomic_load(&wake->is_over))
        return NAN;
    wake->point = point;
    wake->ns = NAN;
    team_begin(wake->team, NULL, 1, ask, wake);
    if (!team_wait(wake->team, patience_s))
        companion_dismiss(wake->partner);
    return team_end(wake->team, 0) && !atomic_load(&wake->is_over) ? wake->ns : NAN;
}

enum status wake_open(struct wake *wake, const int cpu[2], struct fault *fault)
{
    atomic_store(&wake->is_over, false);
    wake->team = NULL;
    wake->partner = NULL;
    for (int i = 0; i < 2; i++) {
        wake->post[i].pipe[0] = wake->post[i].pipe[1] = -1;
        if (wake->is_pipe && pipe2(wake->post[i].pipe, O_CLOEXEC) != 0)
            fault_set(fault, STATUS_UNSUPPORTED, "no pipe: %s", strerror(errno));
    }
    if (fault->status == STATUS_OK)
        wake->team = team_new(&cpu[ASKS], 1, fault);
    if (wake->team)
        wake->partner = companion_with(cpu[ANSWERS], (struct companion_work){answer, wake, end_waits}, fault);
    if (fault->status != STATUS_OK)
        wake_close(wake);
    return fault->status;
}

void wake_close(void *own)
{
    struct wake *wake = own;
    companion_free(wake->partner);
    team_free(wake->team);
    for (int i = 0; i < 4 && wake->is_pipe; i++)
        close(wake->post[i / 2].pipe[i % 2]);
}

static enum status open_wake(struct run *run, void **own, struct fault *fault)
{
    struct wake *wake = *own;
    const int cpu[] = {run->cpus.id[0], wake->is_far ? run_other_core(run, fault) : run->cpus.id[0]};
    return cpu[1] < 0 ? fault->status : wake_open(wake, cpu, fault);
}

static double sample(const struct point *point)
{
    return wake_ns(point, PATIENCE_S);
}

/* Ranges: a futex on one CPU took 2.02 to 2.07 us and for a whole run 2.92, which broke medium trust in 10
 * of 380 pairs (Zen 4 guest); a pipe 3.1 us in nine runs and 3.9 in one, another CPU 13 us to 3 ms (Zen 3
 * guest, 20 runs). */
static const struct wake futex_near = {.is_far = false, .is_pipe = false};
static const struct metric futex_near_metrics[] = {{.key = "cost.futex.same_cpu",
                                                    .label = "wake by futex, same CPU",
                                                    .unit = "ns",
                                                    .kind = METRIC_VALUE,
                                                    .series = "once",
                                                    .beyond = true,
                                                    .classes = true,
                                                    .at_least = 1,
                                                    .sheet_cell = "core/cost",
                                                    .range = true,
                                                    .operand = "futex"},
                                                   {0}};
const struct experiment futex_near_experiment = {.name = "wake by futex, same CPU",
                                                 .context_bytes = sizeof futex_near,
                                                 .context_template = &futex_near,
                                                 .series = cost_once,
                                                 .metrics = futex_near_metrics,
                                                 .pace = {400, 80, 0.25, 0.06},
                                                 .open = open_wake,
                                                 .close = wake_close,
                                                 .sample = sample};

static const struct wake futex_far = {.is_far = true, .is_pipe = false};
static const struct metric futex_far_metrics[] = {{.key = "cost.futex.other_cpu",
                                                   .label = "wake by futex, other CPU",
                                                   .unit = "ns",
                                                   .kind = METRIC_VALUE,
                                                   .series = "once",
                                                   .beyond = true,
                                                   .classes = true,
                                                   .at_least = 1,
                                                   .sheet_cell = "core/cost",
                                                   .range = true,
                                                   .operand = "futex"},
                                                  {0}};
const struct experiment futex_far_experiment = {.name = "wake by futex, other CPU",
                                                .context_bytes = sizeof futex_far,
                                                .context_template = &futex_far,
                                                .series = cost_once,
                                                .metrics = futex_far_metrics,
                                                .pace = {400, 80, 0.25, 0.06},
                                                .open = open_wake,
                                                .close = wake_close,
                                                .sample = sample,
                                                .two_cpus = true};

static const struct wake pipe_near = {.is_far = false, .is_pipe = true};
static const struct metric pipe_near_metrics[] = {{.key = "cost.pipe.same_cpu",
                                                   .label = "wake by pipe, same CPU",
                                                   .unit = "ns",
                                                   .kind = METRIC_VALUE,
                                                   .series = "once",
                                                   .beyond = true,
                                                   .classes = true,
                                                   .at_least = 1,
                                                   .sheet_cell = "core/cost",
                                                   .range = true,
                                                   .operand = "pipe"},
                                                  {0}};
const struct experiment pipe_near_experiment = {.name = "wake by pipe, same CPU",
                                                .context_bytes = sizeof pipe_near,
                                                .context_template = &pipe_near,
                                                .series = cost_once,
                                                .metrics = pipe_near_metrics,
                                                .pace = {400, 80, 0.25, 0.06},
                                                .open = open_wake,
                                                .close = wake_close,
                                                .sample = sample};

static const struct wake pipe_far = {.is_far = true, .is_pipe = true};
static const struct metric pipe_far_metrics[] = {{.key = "cost.pipe.other_cpu",
                                                  .label = "wake by pipe, other CPU",
                                                  .unit = "ns",
                                                  .kind = METRIC_VALUE,
                                                  .series = "once",
                                                  .beyond = true,
                                                  .classes = true,
                                                  .at_least = 1,
                                                  .sheet_cell = "core/cost",
                                                  .range = true,
                                                  .operand = "pipe"},
                                                 {0}};
const struct experiment pipe_far_experiment = {.name = "wake by pipe, other CPU",
                                               .context_bytes = sizeof pipe_far,
                                               .context_template = &pipe_far,
                                               .series = cost_once,
                                               .metrics = pipe_far_metrics,
                                               .pace = {400, 80, 0.25, 0.06},
                                               .open = open_wake,
                                               .close = wake_close,
                                               .sample = sample,
                                               .two_cpus = true};
