/* SPDX-License-Identifier: MIT */
/* `uarchprobe cost`: the time of one instruction in a row of its like. */
#include "uarchprobe/command.h"
#include "uarchprobe/experiment.h"

static void work(const struct point *point)
{
    kernel_call(point->kernel, point->own, NULL, point->x, point->iterations);
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
#define COST(which, words, least, quantity)                                                                  \
    .key = "cost." which, .label = words, .unit = "cycles", .kind = CLAIM_SLOPE, .from = which,              \
    .at_least = least, .published = quantity, .slot = "core/cost"
static const struct claim claims[] = {
    {COST("atomic_add", "atomic add, own line", 1, "lock_add")},
    {COST("atomic_cas", "compare and swap, own line", 1, NULL)},
    {COST("atomic_swap", "exchange, own line", 1, "xchg")},
    {COST("full_fence", "full fence", 0.1, "mfence")},
    {COST("store_fence", "store fence", 0.1, "sfence")},
    {COST("timer", "read of the time stamp counter", 1, "rdtsc")},
    {0},
};

static const struct experiment cost = {
    .series = series,
    .claims = claims,
    .work = work,
    .rounds = 120,
    .quick_rounds = 60,
    .seconds = 1,
    .curve = {VIEW_LIST, "time of a row of instructions", "count", "instructions"}};

static enum status run_cost(struct run *run, struct fault *fault)
{
    static _Alignas(64) uint64_t line[8];
    return experiment_run(&cost, 1, run, line, fault);
}

extern const struct command cost_command;
const struct command cost_command = {
    .name = "cost",
    .summary = "how many cycles do atomics, fences and the timer take?",
    .method =
        "Rows of one instruction in two lengths, in bursts of three lengths; the difference of the rows is "
        "the cost: loop and clock cancel. It is the cost among equal instructions, on a line that the core "
        "owns already: x86_64 lock add, lock cmpxchg, xchg, mfence, sfence, rdtsc; aarch64 ldaddal, casal, "
        "swpal, dmb ish, dmb ishst, "
        "cntvct_el0.",
    .examples = {"uarchprobe cost", "uarchprobe cost --kernel 'cost_atomic*'",
                 "uarchprobe cost -f json -o cost.json"},
    .honours = HONOURS_MEASURING | HONOURS_KERNEL,
    .measures = true,
    .by_itself = true,
    .run = run_cost,
};
