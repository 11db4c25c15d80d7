/* SPDX-License-Identifier: MIT */
/* Atomics on a line that a second CPU works on, too. */
#include <math.h>
#include <stdatomic.h>

#include "cost.h"

enum { UNITS = 64, ITERATIONS = 64, TURNS_LEAST = ITERATIONS / 4 };
/* Longer than another process has the other CPU. */
static const uint64_t PATIENCE_NS = 20000000;

/* The time follows the address, maybe by the part of the L3 that is its home: a line of another page in each turn. */
struct contended {
    struct cost_pages pages;
    _Atomic(const struct kernel *) kernel;
    _Atomic(uint8_t *) line;
    atomic_ulong turns; /* of the other CPU */
};

static void work_too(void *context)
{
    struct contended *own = context;
    const struct kernel *kernel = atomic_load(&own->kernel);
    if (kernel)
        kernel_call(kernel, atomic_load(&own->line), NULL, UNITS, 1);
    atomic_fetch_add(&own->turns, kernel != NULL);
}

/* NaN: the other CPU was away. */
static double sample(const struct point *point)
{
    struct contended *own = point->own;
    uint8_t *const line = own->pages.page[own->pages.turn];
    atomic_store(&own->line, line);
    atomic_store(&own->kernel, point->kernel);
    const uint64_t asked_ns = clock_now_ns();
    const unsigned long asked = atomic_load(&own->turns);
    while (atomic_load(&own->turns) < asked + 2)
        if (clock_now_ns() - asked_ns > PATIENCE_NS)
            return NAN;
    const unsigned long before = atomic_load(&own->turns);
    const uint64_t begin = clock_ticks();
    kernel_call(point->kernel, line, NULL, point->x, point->iterations);
    const double ns = (double)(clock_ticks() - begin) * point->clock->ns_per_tick;
    return atomic_load(&own->turns) - before > TURNS_LEAST ? ns / (double)(UNITS * ITERATIONS) : NAN;
}

static const struct series series[] = {
    {.name = "atomic_add", .kernel = "cost_atomic_add", .range = {UNITS, UNITS}},
    {.name = "atomic_cas", .kernel = "cost_atomic_cas", .range = {UNITS, UNITS}},
    {.name = "atomic_swap", .kernel = "cost_atomic_swap", .range = {UNITS, UNITS}},
    {0}};

/* Ranges: adds took 27.0 to 28.1 ns in one run, 12.9 to 20.9 in another a quarter of an hour later (Zen 3
 * guest). */
static const struct claim claims[] = {{.key = "cost.contended.atomic_add",
                                       .label = "atomic add, 2 CPUs",
                                       .unit = "ns",
                                       .kind = METRIC_VALUE,
                                       .series = "atomic_add",
                                       .range = true,
                                       .beyond = true,
                                       .operand = "contended"},
                                      {.key = "cost.contended.atomic_cas",
                                       .label = "compare and swap, 2 CPUs",
                                       .unit = "ns",
                                       .kind = METRIC_VALUE,
                                       .series = "atomic_cas",
                                       .range = true,
                                       .beyond = true,
                                       .operand = "contended"},
                                      {.key = "cost.contended.atomic_swap",
                                       .label = "exchange, 2 CPUs",
                                       .unit = "ns",
                                       .kind = METRIC_VALUE,
                                       .series = "atomic_swap",
                                       .range = true,
                                       .beyond = true,
                                       .operand = "contended"},
                                      {0}};

const struct experiment contended_experiment = {.name = "contended",
                                                .context_bytes = sizeof(struct contended),
                                                .partner = work_too,
                                                .series = series,
                                                .claims = claims,
                                                .sample = sample,
                                                .move = cost_move,
                                                .iterations = ITERATIONS,
                                                .pace = {60, 36, 0.5, 0.2}};
