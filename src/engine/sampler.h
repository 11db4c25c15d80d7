/* SPDX-License-Identifier: MIT */
/* Samples points in rounds: every point once, then all again, because noise comes in bursts and consecutive
 * samples would share one. Knows neither clock nor machine: both are handed in, so tests script them. */
#ifndef ENGINE_SAMPLER_H
#define ENGINE_SAMPLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "uarchprobe/stats.h"
#include "uarchprobe/status.h"

struct sampler {
    size_t points;
    uint64_t min_rounds, max_rounds; /* max_rounds 0: none but the budget */
    uint64_t samples;                /* of each point in a round; 0: one */
    double budget_s;  /* the first round is finished unless interrupted or expected_s is set; 0: none */
    double tolerance; /* stop when every point is stable: its last two rounds change the estimate by less than
                         this share */
    void *context;
    /* Takes one sample of a point; false with *fault set ends everything. */
    bool (*sample)(void *context, size_t point, double *value, struct fault *fault);
    /* What a sample of the point is expected to take: none begins that would end beyond the budget. NULL: they
     * are short, and the first round is whole. */
    double (*expected_s)(void *context, size_t point);
    /* The estimate whose stability is asked for; NULL: the median. */
    double (*estimate)(const double *value, size_t count);
    /* After each round; NULL: nothing. */
    void (*between)(void *context, uint64_t round);
    uint64_t (*now_ns)(void *context);
    bool (*interrupted)(void *context);
    void (*progress)(void *context, double done, double eta_s); /* or NULL */
};

enum sampler_end { SAMPLER_STABLE, SAMPLER_ROUNDS, SAMPLER_BUDGET, SAMPLER_INTERRUPTED, SAMPLER_FAILED };

/* samples: one per point, zero-initialised, owned by the caller. Whole rounds only, save where interrupted or
 * out of time: a point then may have a round more than the others, or no sample. */
enum sampler_end sampler_run(const struct sampler *sampler, struct samples *samples, struct fault *fault);

/* The number of iterations, a power of two times `start`, at which measure(context, iterations) reaches
 * target_ns. measure returns ns, and is called at least twice: the first call is a warm-up. limit: never
 * beyond. */
uint64_t autoscale(double (*measure)(void *context, uint64_t iterations), void *context, uint64_t start,
                   uint64_t limit, double target_ns);

#endif
