/* SPDX-License-Identifier: MIT */
/* A mispredicted branch: rows of branches by fresh random bits, half of which no predictor can know, against the same by
 * constant ones. x is the number of expected misses, so that a slope is the time from one to the next. */
#include "cost.h"
#include "uarchprobe/random.h"

enum bits { FRESH, ZEROS, ONES };
enum { BITS = 32, WORDS = 4096, SHORT = 1, LONG = 4, TRAINED = 64 };

struct branch_words {
    uint32_t words[WORDS + 1];
    uint64_t seed;
};

static uint64_t count_of(const struct point *point)
{
    const bool fresh = *(const enum bits *)point->series->row == FRESH;
    return point->iterations * point->x / (fresh ? BITS / 2 : BITS);
}

/* New bits for each burst, of any length: a predictor remembers what it has seen before. */
static void prepare(struct point *point)
{
    struct branch_words *own = point->own;
    const enum bits bits = *(const enum bits *)point->series->row;
    while (count_of(point) > WORDS)
        point->iterations /= 2;
    for (uint64_t i = 0; i < count_of(point); i++)
        own->words[i] = bits == FRESH  ? (uint32_t)(random_next(&own->seed) >> 32)
                        : bits == ONES ? UINT32_MAX
                                       : 0;
    if (bits != FRESH)
        kernel_call(point->kernel, own->words, NULL, 0, TRAINED);
}

static void work(const struct point *point)
{
    kernel_call(point->kernel, ((struct branch_words *)point->own)->words, NULL, 0, count_of(point));
}

#define ROW(title, which, value, branches)                                                                   \
    {                                                                                                        \
        .name = title, .kernel = which,                                                                      \
        .range = {SHORT * (branches), LONG * (branches), (LONG - SHORT) * (branches)},                       \
        .row = &(const enum bits)                                                                            \
        {                                                                                                    \
            value                                                                                            \
        }                                                                                                    \
    }
static const struct series series[] = {ROW("ready", "branch_ready", FRESH, BITS / 2),
                                       ROW("loaded", "branch_loaded", FRESH, BITS / 2),
                                       ROW("multiplied", "branch_multiplied", FRESH, BITS / 2),
                                       ROW("zeros", "branch_ready", ZEROS, BITS),
                                       ROW("ones", "branch_ready", ONES, BITS),
                                       {0}};

/* Two predicted branches are taken off each miss: one of either way. */
#define PART(name, how, ...)                                                                                 \
    {                                                                                                        \
        .key = name, .unit = "cycles", .kind = how, __VA_ARGS__                                              \
    }
#define MISS(suffix, of, words, ...)                                                                         \
    PART(of, METRIC_SLOPE, .series = of), PART("above " of, METRIC_DIFFERENCE, .metrics = {of, "zeros"}),    \
    {                                                                                                        \
        .key = "cost.mispredict" suffix, .label = words, .unit = "cycles", .kind = METRIC_DIFFERENCE,        \
        .metrics = {"above " of, "ones"}, .at_least = 1, .operand = "mispredict", __VA_ARGS__                \
    }
static const struct claim claims[] = {
    PART("zeros", METRIC_SLOPE, .series = "zeros"),
    PART("ones", METRIC_SLOPE, .series = "ones"),
    MISS("", "ready", "mispredicted branch", .published = "mispredict",
         .differs = "some count from the front end", .slot = "core/cost", .in_quick = true),
    MISS("_load", "loaded", "mispredicted branch behind a load"),
    MISS("_multiply", "multiplied", "mispredicted branch behind 3 multiplications"),
    {0},
};

const struct experiment mispredict_experiment = {
    .name = "mispredict",
    .series = series,
    .claims = claims,
    .context_bytes = sizeof(struct branch_words),
    .prepare = prepare,
    .work = work,
    .iterations = WORDS / 16 / LONG,
    .pace = {120, 60, 1},
    .curve = {VIEW_LIST, "time of branches by random and by constant bits", "count", "branches"}};
