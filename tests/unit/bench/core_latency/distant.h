/* SPDX-License-Identifier: MIT */
/* A run of which the truth is known: pairs of CPUs, and where each was in each sweep. */
#pragma once

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/core_latency/distances.h"
#include "uarchprobe/random.h"

enum { DISTANT_CPUS = 4, DISTANT_PAIRS = 6, DISTANT_SWEEPS = 200 };

struct distant {
    struct cpu_place place[DISTANT_CPUS];
    struct pair pair[DISTANT_PAIRS + 1];
    float
        value[DISTANT_SWEEPS * (DISTANT_PAIRS + 1) * 3]; /* of a transfer and of a compare-and-swap; state */
    uint32_t before[DISTANT_SWEEPS * (DISTANT_PAIRS + 1)];
    struct moment moment[DISTANT_SWEEPS + 1];
    struct engine_data data;
    struct distance_rules rules;
};

/* Four separate cores below one L3, looked at over so many seconds. */
static inline void distant_make(struct distant *d, double seconds)
{
    size_t pairs = 0;
    memset(d, 0, sizeof *d);
    for (int i = 0; i < DISTANT_CPUS; i++) {
        d->place[i] = (struct cpu_place){.id = i, .core = i, .l2 = i};
        for (int k = i + 1; k < DISTANT_CPUS; k++)
            d->pair[pairs++] = (struct pair){i, k};
    }
    for (size_t i = 0; i <= DISTANT_SWEEPS; i++)
        d->moment[i] =
            (struct moment){.begin_ns = 1000 + (uint64_t)(seconds * 1e9 * (double)i / DISTANT_SWEEPS),
                            .end_ns = 1000 + (uint64_t)(seconds * 1e9 * (double)i / DISTANT_SWEEPS),
                            .ghz = 2};
    for (size_t i = 0; i < DISTANT_SWEEPS * (DISTANT_PAIRS + 1); i++) {
        d->before[i] = (uint32_t)(i / (DISTANT_PAIRS + 1));
        d->value[3 * i] = d->value[3 * i + 1] = d->value[3 * i + 2] = NAN;
    }
    d->data = (struct engine_data){.cells = 3 * (DISTANT_PAIRS + 1),
                                   .points = DISTANT_PAIRS + 1,
                                   .sweeps = DISTANT_SWEEPS,
                                   .value = d->value,
                                   .before = d->before,
                                   .moment = d->moment,
                                   .moments = DISTANT_SWEEPS + 1};
    d->rules = (struct distance_rules){
        .pair = d->pair, .place = d->place, .pairs = DISTANT_PAIRS, .l2_ns = 4, .l3 = {13, 13}};
}

static inline void distant_set(struct distant *d, size_t sweep, size_t pair, double transfer, double cas)
{
    float *value = &d->value[sweep * d->data.cells + 3 * pair];
    value[0] = (float)transfer;
    value[1] = (float)cas;
}

static inline void distant_set_state(struct distant *d, size_t sweep, size_t pair, enum state state)
{
    d->value[sweep * d->data.cells + 3 * pair + 2] = (float)state;
}

/* Noise of some per cent. */
static inline double distant_near(uint64_t *random, double ns)
{
    return ns * (0.97 + 0.06 * (double)(random_next(random) >> 11) * 0x1p-53);
}
