/* SPDX-License-Identifier: MIT */
/* Atomics on a line that a second CPU works on, too. */
#include <stdatomic.h>

#include "cost.h"

enum { UNITS = 64, ITERATIONS = 64 };

/* The time follows the address, maybe by the part of the L3 that is its home: a line of another page in
 * each turn. */
struct contended {
    struct cost_pages pages;
    _Atomic(const struct kernel *) kernel;
    _Atomic(uint8_t *) line;
};

static void work_too(void *context)
{
    struct contended *own = context;
    const struct kernel *kernel = atomic_load(&own->kernel);
    if (kernel)
        kernel_call(kernel, atomic_load(&own->line), NULL, UNITS, 1);
}

static void choose_line(struct point *point)
{
    struct contended *own = point->own;
    atomic_store(&own->line, own->pages.page[own->pages.turn]);
    atomic_store(&own->kernel, point->kernel);
    point->iterations = UNITS * ITERATIONS;
}

static void work(const struct point *point)
{
    struct contended *own = point->own;
    kernel_call(point->kernel, own->pages.page[own->pages.turn], NULL, UNITS, ITERATIONS);
}

static const struct timed_work contends = {
    .work = work, .prepare = choose_line, .partner_turns = ITERATIONS / 4 + 1};
static const struct series series[] = {
    {.name = "atomic_add", .kernel = "cost_atomic_add", .range = {UNITS, UNITS}, .timed = {&contends}},
    {.name = "atomic_cas", .kernel = "cost_atomic_cas", .range = {UNITS, UNITS}, .timed = {&contends}},
    {.name = "atomic_swap", .kernel = "cost_atomic_swap", .range = {UNITS, UNITS}, .timed = {&contends}},
    {0}};

/* Ranges: adds took 27.0 to 28.1 ns in one run, 12.9 to 20.9 in another a quarter of an hour later (Zen 3
 * guest). */
static const struct metric metrics[] = {{.key = "cost.contended.atomic_add",
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
                                                .metrics = metrics,
                                                .move = cost_move,
                                                .pace = {60, 36, 0.5, 0.2}};
