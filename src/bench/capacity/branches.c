/* SPDX-License-Identifier: MIT */
/* How many branches the predictor remembers: a pattern of x random bits that is repeated, next to fresh random bits, of which
 * half are missed, and constant ones, of which none is. Their times make the share of misses. */
#include <math.h>
#include <string.h>

#include "capacity.h"
#include "uarchprobe/clock.h"
#include "uarchprobe/random.h"

enum { BITS = 32, MOST = 1 << 17, LEAST = 1 << 10, COUNTED = 256, REPEATS = 64, TIMES = 3 };
static const double LOST = 0.15;
struct branches {
    uint32_t pattern[MOST / BITS + 1], others[COUNTED + 1];
    uint64_t seed;
    bool is_lost; /* this round has reached a pattern that the predictor does not remember */
};

static void draw_bits(struct branches *branches, uint32_t *words, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        words[i] = (uint32_t)(random_next(&branches->seed) >> 32);
}

/* Ticks of a word, the least of a few times: an interrupt takes longer than what is timed. */
static double ticks_of(struct branches *branches, const struct kernel *kernel, uint32_t *words,
                       uint64_t count, bool are_fresh)
{
    const uint64_t passes = count < COUNTED ? COUNTED / count : 1;
    double least = INFINITY;
    for (int i = 0; i < TIMES; i++) {
        if (are_fresh)
            draw_bits(branches, words, count);
        const uint64_t begin = clock_ticks();
        for (uint64_t pass = 0; pass < passes; pass++)
            kernel_call(kernel, words, NULL, 0, count);
        least = fmin(least, (double)(clock_ticks() - begin) / (double)(passes * count));
    }
    return least;
}

static double ticks_of_constant(struct branches *branches, const struct kernel *kernel, int byte)
{
    memset(branches->others, byte, sizeof branches->others);
    return ticks_of(branches, kernel, branches->others, COUNTED, false);
}

static double missed(const struct point *point)
{
    struct branches *own = point->own;
    const struct kernel *kernel = point->kernel;
    const uint64_t count = point->x / BITS;
    own->is_lost = own->is_lost && point->x > point->series->range.first;
    if (own->is_lost) /* so is a longer one */
        return NAN;
    draw_bits(own, own->pattern, count);
    for (int i = 0; i < REPEATS; i++)
        kernel_call(kernel, own->pattern, NULL, 0, count);
    const double repeated = ticks_of(own, kernel, own->pattern, count, false),
                 fresh = ticks_of(own, kernel, own->others, COUNTED, true),
                 known = (ticks_of_constant(own, kernel, 0) + ticks_of_constant(own, kernel, 0xff)) / 2;
    const double share = (repeated - known) / (fresh - known) / 2;
    own->is_lost = share > LOST;
    return share;
}

static const struct series patterns[] = {
    {.name = "in a loop", .kernel = "branch_loop", .range = {LEAST, MOST, .per_octave = 2}, .apart = true},
    {.name = "in 32 places",
     .kernel = "branch_ready",
     .range = {LEAST, MOST, .per_octave = 2},
     .apart = true},
    {0}};

static const struct claim of_patterns[] = {
    {.key = "capacity.branches_remembered",
     .label = "branches remembered, in a loop",
     .unit = "branches",
     .kind = METRIC_THRESHOLD,
     .series = "in a loop",
     .threshold = 0.1,
     .published = "branches_remembered",
     .slot = "core/branches-remembered",
     .operand = "branches-remembered"},
    {.key = "capacity.branches_remembered_apart",
     .label = "branches remembered, in 32 places",
     .unit = "branches",
     .kind = METRIC_THRESHOLD,
     .series = "in 32 places",
     .threshold = 0.1,
     .slot = "core/branches-remembered",
     .operand = "branches-remembered"},
    {0},
};

const struct experiment branches_experiment = {.name = "branches remembered",
                                               .series = patterns,
                                               .claims = of_patterns,
                                               .context_bytes = sizeof(struct branches),
                                               .sample = missed,
                                               .pace = {10, 8, 1, 0.4}};
