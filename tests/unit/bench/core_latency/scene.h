/* SPDX-License-Identifier: MIT */
/* A run of which the truth is known: four separate cores below one L3, and what each pair of them read in each round. */
#pragma once

#include <math.h>
#include <stdlib.h>

#include "bench/core_latency/core_latency.h"
#include "uarchprobe/random.h"

enum { CPUS = 4, PAIRS = 6, ROUNDS = 200, POINTS = PAIRS + 1 /* CPU 0 alone */ };

/* One for all tests of a file, each of which makes it anew. */
static struct scene {
    struct run run;
    struct common common;
    struct core_clock core_clock;
    struct latency_params params;
    struct latency_matrix matrix;
    struct cpu_place place[CPUS];
    struct pair pair[POINTS];
    struct pair_tally tally[PAIRS];
    float value[ROUNDS * POINTS][SERIES_COUNT];
    uint32_t before[ROUNDS * POINTS];
    struct moment moment[ROUNDS + 1];
} s;

static inline void scene_set(size_t round, size_t point, double transfer, double cas)
{
    s.value[round * POINTS + point][SERIES_TRANSFER] = (float)transfer;
    s.value[round * POINTS + point][SERIES_CAS] = (float)cas;
}

/* Noise of some per cent. */
static inline double near_to(uint64_t *random, double ns)
{
    return ns * (0.97 + 0.06 * (double)(random_next(random) >> 11) * 0x1p-53);
}

/* From one round to before another. */
static inline void scene_set_pair(size_t first, size_t last, size_t pair, double transfer, double cas)
{
    uint64_t random = first + 1 + pair;
    for (size_t round = first; round < last; round++)
        scene_set(round, pair, near_to(&random, transfer), near_to(&random, cas));
}

static inline void scene_set_all(size_t first, size_t last, double transfer, double cas)
{
    for (size_t pair = 0; pair < PAIRS; pair++)
        scene_set_pair(first, last, pair, transfer, cas);
}

/* Over three seconds at 2 GHz; nothing is measured yet. */
static inline void scene_make(void)
{
    struct latency_matrix *m = &s.matrix;
    size_t pairs = 0;
    free(m->distances.at);
    s = (struct scene){.params = {.benches = 1u << BENCH_CAS}};
    for (int i = 0; i < CPUS; i++) {
        s.place[i] = (struct cpu_place){.id = i, .core = i, .l2 = i};
        for (int k = i + 1; k < CPUS; k++)
            s.pair[pairs++] = (struct pair){i, k};
    }
    for (size_t i = 0; i <= ROUNDS; i++)
        s.moment[i] = (struct moment){.begin_ns = 1 + 15000000 * i, .end_ns = 1 + 15000000 * i, .ghz = 2};
    for (size_t i = 0; i < ROUNDS * POINTS; i++) {
        s.before[i] = (uint32_t)(i / POINTS);
        for (int column = 0; column < SERIES_COUNT; column++)
            s.value[i][column] = NAN;
    }
    s.run = (struct run){.common = &s.common, .core_clock = &s.core_clock};
    *m = (struct latency_matrix){.run = &s.run,
                                 .params = &s.params,
                                 .setup.measures = {[SERIES_CAS] = true, [SERIES_TRANSFER] = true},
                                 .place = s.place,
                                 .count = CPUS,
                                 .pairs = PAIRS,
                                 .width = SERIES_COUNT,
                                 .pair = s.pair,
                                 .tally = s.tally,
                                 .l2 = {4, 4},
                                 .l3 = {13, 13},
                                 .complete = true,
                                 .data = {.cells = SERIES_COUNT * POINTS,
                                          .points = POINTS,
                                          .kept = ROUNDS,
                                          .value = s.value[0],
                                          .before = s.before,
                                          .moment = s.moment,
                                          .moments = ROUNDS + 1,
                                          .rounds = ROUNDS,
                                          .seconds = 3}};
}
