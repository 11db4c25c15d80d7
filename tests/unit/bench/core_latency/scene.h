/* SPDX-License-Identifier: MIT */
/* A matrix over measurements of which the truth is known. */
#pragma once

#include "bench/core_latency/core_latency.h"
#include "distant.h"

/* Cells over a scripted run: transfer first, then compare-and-swap. */
struct scene {
    struct distant distant;
    struct latency_params params;
    struct latency_cell transfer[DISTANT_PAIRS], cas[DISTANT_PAIRS];
    struct latency_matrix matrix;
};

static inline void set_scene(struct scene *scene, double seconds)
{
    struct latency_matrix *matrix = &scene->matrix;

    *scene = (struct scene){.params = {.benches = 1u << BENCH_CAS}};
    distant_make(&scene->distant, seconds);
    matrix->params = &scene->params;
    matrix->benches = 1u << BENCH_CAS | 1u << BENCH_TRANSFER;
    matrix->place = scene->distant.place;
    matrix->count = DISTANT_CPUS;
    matrix->plan = (struct pair_plan){.pair = scene->distant.pair, .pair_count = DISTANT_PAIRS};
    matrix->l2 = (struct own_ns){4, 4};
    matrix->l3 = (struct own_ns){13, 13};
    matrix->data = scene->distant.data;
    matrix->width = 3;
    matrix->state_column = 2;
    for (int i = 0; i < SERIES_COUNT; i++)
        matrix->column[i] = i == SERIES_TRANSFER ? 0 : i == SERIES_CAS ? 1 : -1;
    matrix->cell[SERIES_TRANSFER] = scene->transfer;
    matrix->cell[SERIES_CAS] = scene->cas;
    for (size_t i = 0; i < DISTANT_PAIRS; i++) {
        latency_cell_clear(&scene->transfer[i]);
        latency_cell_clear(&scene->cas[i]);
        scene->transfer[i].measured = scene->cas[i].measured = 1;
    }
}

/* All pairs from one sweep to before another. */
static inline void set_all(struct scene *scene, size_t first, size_t last, double transfer, double cas)
{
    uint64_t random = first + 1;
    for (size_t sweep = first; sweep < last; sweep++) {
        for (size_t pair = 0; pair < DISTANT_PAIRS; pair++)
            distant_set(&scene->distant, sweep, pair, distant_near(&random, transfer),
                        distant_near(&random, cas));
    }
}
