/* SPDX-License-Identifier: MIT */
/* Atomics on a line that a second CPU works on, too. */
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/text.h"
#include "cost.h"
#include "engine/companion.h"

enum { UNITS = 64, ITERATIONS = 64 };
/* Of waiting until the other CPU works: longer than a time slice that another process has. */
static const double PATIENCE_S = 0.02;

struct own {
    _Alignas(64) uint8_t bytes[COST_BYTES];
    _Alignas(64) _Atomic(const struct kernel *) kernel;
    atomic_ullong turns; /* of the other CPU, with that kernel */
    struct companion *companion;
    const struct clock *clock;
};

static void work_too(void *context)
{
    struct own *own = context;
    const struct kernel *kernel = atomic_load(&own->kernel);
    if (!kernel)
        return;
    kernel_call(kernel, own->bytes, NULL, UNITS, 1);
    atomic_fetch_add(&own->turns, 1);
}

/* NaN: the other CPU was away. */
static double sample(const struct point *point)
{
    struct own *own = point->own;
    atomic_store(&own->kernel, point->kernel);
    const uint64_t asked_ns = clock_now_ns();
    const unsigned long long asked = atomic_load(&own->turns);
    while (atomic_load(&own->turns) < asked + 2)
        if ((double)(clock_now_ns() - asked_ns) > PATIENCE_S * 1e9)
            return NAN;
    const unsigned long long before = atomic_load(&own->turns);
    const uint64_t begin = clock_ticks();
    kernel_call(point->kernel, own->bytes, NULL, point->x, point->iterations);
    const uint64_t end = clock_ticks();
    const bool was_there = atomic_load(&own->turns) - before > ITERATIONS / 4;
    return was_there
               ? (double)(end - begin) * own->clock->ns_per_tick / (double)(point->x * point->iterations)
               : NAN;
}

static void close_contended(void *context)
{
    struct own *own = context;
    companion_free(own->companion);
    free(own);
}

static enum status open_contended(struct run *run, void **own, struct fault *fault)
{
    const int first = run->cpus.id[0];
    int other = -1;
    for (int i = 1; i < run->cpus.count && other < 0; i++)
        if (topology_relation(run->topology, first, run->cpus.id[i]) > SAME_CORE)
            other = run->cpus.id[i];
    if (other < 0)
        return fault_set(fault, STATUS_UNSUPPORTED, "contended atomics need two CPUs of different cores");
    struct own *opened = aligned_alloc(64, sizeof *opened);
    *opened = (struct own){.clock = run->clock};
    opened->companion = companion_with(other, work_too, opened, fault);
    *own = opened;
    if (opened->companion)
        return STATUS_OK;
    free(opened);
    return fault->status;
}

#define ROW(which)                                                                                           \
    {                                                                                                        \
        .name = which, .kernel = "cost_" which, .first = UNITS, .last = UNITS                                \
    }
static const struct series series[] = {ROW("atomic_add"), ROW("atomic_cas"), ROW("atomic_swap"), {0}};

#define CLAIM(which, words)                                                                                  \
    {                                                                                                        \
        .key = "cost.contended." which, .label = words, .unit = "ns", .kind = CLAIM_VALUE, .from = which,    \
        .range = true, .operand = "contended"                                                                \
    }
static const struct claim claims[] = {CLAIM("atomic_add", "atomic add, 2 CPUs"),
                                      CLAIM("atomic_cas", "compare and swap, 2 CPUs"),
                                      CLAIM("atomic_swap", "exchange, 2 CPUs"),
                                      {0}};

const struct experiment contended_experiment = {.name = "contended",
                                                .open = open_contended,
                                                .close = close_contended,
                                                .series = series,
                                                .claims = claims,
                                                .sample = sample,
                                                .iterations = ITERATIONS,
                                                .rounds = 60,
                                                .quick_rounds = 30,
                                                .seconds = 0.5,
                                                .quick_seconds = 0.2};
