/* SPDX-License-Identifier: MIT */
/* A mispredicted branch: rows of branches by fresh random bits, half of which no predictor can know,
 * against the same by constant ones. x is the number of expected misses, so that a slope is the time from one
 * to the next. */
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

static const enum bits fresh = FRESH, zeros = ZEROS, ones = ONES;
static const struct series series[] = {
    {.name = "ready",
     .kernel = "branch_ready",
     .range = {SHORT * BITS / 2, LONG *BITS / 2, (LONG - SHORT) * BITS / 2},
     .row = &fresh},
    {.name = "loaded",
     .kernel = "branch_loaded",
     .range = {SHORT * BITS / 2, LONG *BITS / 2, (LONG - SHORT) * BITS / 2},
     .row = &fresh},
    {.name = "multiplied",
     .kernel = "branch_multiplied",
     .range = {SHORT * BITS / 2, LONG *BITS / 2, (LONG - SHORT) * BITS / 2},
     .row = &fresh},
    {.name = "zeros",
     .kernel = "branch_ready",
     .range = {SHORT * BITS, LONG *BITS, (LONG - SHORT) * BITS},
     .row = &zeros},
    {.name = "ones",
     .kernel = "branch_ready",
     .range = {SHORT * BITS, LONG *BITS, (LONG - SHORT) * BITS},
     .row = &ones},
    {0}};

/* Two predicted branches are taken off each miss: one of either way. */
static const struct metric metrics[] = {
    {.key = "zeros", .unit = "cycles", .kind = METRIC_SLOPE, .series = "zeros"},
    {.key = "ones", .unit = "cycles", .kind = METRIC_SLOPE, .series = "ones"},
    {.key = "ready", .unit = "cycles", .kind = METRIC_SLOPE, .series = "ready"},
    {.key = "above ready", .unit = "cycles", .kind = METRIC_DIFFERENCE, .metrics = {"ready", "zeros"}},
    {.key = "cost.mispredict",
     .label = "mispredicted branch",
     .unit = "cycles",
     .kind = METRIC_DIFFERENCE,
     .metrics = {"above ready", "ones"},
     .at_least = 1,
     .operand = "mispredict",
     .published = "mispredict",
     .differs = "some count from the front end",
     .sheet_cell = "core/cost",
     .in_quick = true},
    {.key = "loaded", .unit = "cycles", .kind = METRIC_SLOPE, .series = "loaded"},
    {.key = "above loaded", .unit = "cycles", .kind = METRIC_DIFFERENCE, .metrics = {"loaded", "zeros"}},
    {.key = "cost.mispredict_load",
     .label = "mispredicted branch behind a load",
     .unit = "cycles",
     .kind = METRIC_DIFFERENCE,
     .metrics = {"above loaded", "ones"},
     .at_least = 1,
     .operand = "mispredict"},
    {.key = "multiplied", .unit = "cycles", .kind = METRIC_SLOPE, .series = "multiplied"},
    {.key = "above multiplied",
     .unit = "cycles",
     .kind = METRIC_DIFFERENCE,
     .metrics = {"multiplied", "zeros"}},
    {.key = "cost.mispredict_multiply",
     .label = "mispredicted branch behind 3 multiplications",
     .unit = "cycles",
     .kind = METRIC_DIFFERENCE,
     .metrics = {"above multiplied", "ones"},
     .at_least = 1,
     .operand = "mispredict"},
    {0},
};

const struct experiment mispredict_experiment = {
    .name = "mispredict",
    .series = series,
    .metrics = metrics,
    .context_bytes = sizeof(struct branch_words),
    .prepare = prepare,
    .work = work,
    .iterations = WORDS / 16 / LONG,
    .pace = {120, 60, 1},
    .curve = {VIEW_LIST, "time of branches by random and by constant bits", "count", "branches"}};
