/* SPDX-License-Identifier: MIT */
/* The time of one instruction in a row of its like. */
#include "cost.h"
#include "uarchprobe/kernel.h"

static _Alignas(64) uint64_t line[8];

static void work(const struct point *point)
{
    kernel_call(point->kernel, line, NULL, point->x, point->iterations);
}

enum { SHORT = 16, LONG = 112 };
#define ROW(which) .name = which, .kernel = "cost_" which, .first = SHORT, .last = LONG, .step = LONG - SHORT
static const struct series series[] = {{ROW("atomic_add")},
                                       {ROW("atomic_cas")},
                                       {ROW("atomic_swap")},
                                       {ROW("full_fence")},
                                       {ROW("store_fence")},
                                       {ROW("timer")},
                                       {0}};

/* quantity: of data/cores.tsv, by x86_64's instruction */
#define COST(which, words, asked, least, quantity)                                                           \
    .key = "cost." which, .label = words, .unit = "cycles", .kind = CLAIM_SLOPE, .from = which,              \
    .at_least = least, .published = quantity, .slot = "core/cost", .operand = asked
static const struct claim claims[] = {
    {COST("atomic_add", "atomic add, own line", "atomic-add", 1, "lock_add"), .in_quick = true},
    {COST("atomic_cas", "compare and swap, own line", "compare-and-swap", 1, NULL)},
    {COST("atomic_swap", "exchange, own line", "exchange", 1, "xchg")},
    {COST("full_fence", "full fence", "full-fence", 0.1, "mfence")},
    {COST("store_fence", "store fence", "store-fence", 0.1, "sfence")},
    {COST("timer", "read of the time stamp counter", "timer", 1, "rdtsc")},
    {0},
};

const struct experiment atomics_experiment = {
    .name = "instructions",
    .series = series,
    .claims = claims,
    .work = work,
    .rounds = 120,
    .quick_rounds = 60,
    .seconds = 1,
    .curve = {VIEW_LIST, "time of a row of instructions", "count", "instructions"}};
