/* SPDX-License-Identifier: MIT */
/* How many branches the predictor remembers: a pattern of x random bits that is repeated, next to fresh
 * random bits, of which half are missed, and constant ones, of which none is. Their times make the share of
 * misses. */
#include <math.h>
#include <string.h>

#include "capacity.h"
#include "uarchprobe/random.h"

enum { BITS = 32, MOST = 1 << 17, LEAST = 1 << 10, COUNTED = 256, REPEATS = 64, TIMES = 3 };
static const double LOST = 0.15;
struct branches {
    uint32_t pattern[MOST / BITS + 1], others[COUNTED + 1];
    uint64_t seed;
    uint32_t *words; /* that the present work takes its bits from */
    uint64_t count;  /* of them */
    bool is_lost;    /* this round has reached a pattern that the predictor does not remember */
};

static void draw_bits(struct branches *branches, uint32_t *words, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        words[i] = (uint32_t)(random_next(&branches->seed) >> 32);
}

/* A part takes the words again until these are COUNTED, at least. */
static void begin_words(struct point *point, uint32_t *words, uint64_t count)
{
    struct branches *own = point->own;
    const uint64_t passes = count < COUNTED ? COUNTED / count : 1;
    own->words = words;
    own->count = count;
    point->iterations = passes * count;
}

/* Lets the predictor learn a new pattern. */
static void begin_pattern(struct point *point)
{
    struct branches *own = point->own;
    begin_words(point, own->pattern, point->x / BITS);
    draw_bits(own, own->pattern, own->count);
    for (int i = 0; i < REPEATS; i++)
        kernel_call(point->kernel, own->pattern, NULL, 0, own->count);
}

static void begin_fresh(struct point *point)
{
    struct branches *own = point->own;
    begin_words(point, own->others, COUNTED);
    draw_bits(own, own->others, COUNTED);
}

static void begin_constant(struct point *point, int byte)
{
    struct branches *own = point->own;
    begin_words(point, own->others, COUNTED);
    memset(own->others, byte, sizeof own->others);
}

static void begin_zeros(struct point *point)
{
    begin_constant(point, 0);
}

static void begin_ones(struct point *point)
{
    begin_constant(point, 0xff);
}

static void branch(const struct point *point)
{
    const struct branches *own = point->own;
    for (uint64_t done = 0; done < point->iterations; done += own->count)
        kernel_call(point->kernel, own->words, NULL, 0, own->count);
}

/* The least of a few times, as an interrupt takes longer than what is timed. */
static const struct timed_work
    pattern = {.work = branch, .prepare = begin_pattern, .parts = TIMES, .is_least = true},
    fresh = {.work = branch, .prepare = begin_fresh, .prepares_each = true, .parts = TIMES, .is_least = true},
    zeros = {.work = branch, .prepare = begin_zeros, .parts = TIMES, .is_least = true},
    ones = {.work = branch, .prepare = begin_ones, .parts = TIMES, .is_least = true};

static double missed(const struct point *point)
{
    struct branches *own = point->own;
    own->is_lost = own->is_lost && point->x > point->series->range.first;
    if (own->is_lost) /* so is a longer one */
        return NAN;
    const double repeated_ns = time_work(point, &pattern), fresh_ns = time_work(point, &fresh),
                 known_ns = (time_work(point, &zeros) + time_work(point, &ones)) / 2;
    const double share = (repeated_ns - known_ns) / (fresh_ns - known_ns) / 2;
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

static const struct metric of_patterns[] = {
    {.key = "capacity.branches_remembered",
     .label = "branches remembered, in a loop",
     .unit = "branches",
     .kind = METRIC_THRESHOLD,
     .series = "in a loop",
     .threshold = 0.1,
     .published = "branches_remembered",
     .sheet_cell = "core/branches-remembered",
     .operand = "branches-remembered"},
    {.key = "capacity.branches_remembered_apart",
     .label = "branches remembered, in 32 places",
     .unit = "branches",
     .kind = METRIC_THRESHOLD,
     .series = "in 32 places",
     .threshold = 0.1,
     .sheet_cell = "core/branches-remembered",
     .operand = "branches-remembered"},
    {0},
};

const struct experiment branches_experiment = {.name = "branches remembered",
                                               .series = patterns,
                                               .metrics = of_patterns,
                                               .context_bytes = sizeof(struct branches),
                                               .sample = missed,
                                               .pace = {10, 8, 1, 0.4}};
