/* SPDX-License-Identifier: MIT */
/* The time of one instruction, or a few, in a row of its like. */
#include "cost.h"
#include "uarchprobe/kernel.h"

bool cost_move(void *own, unsigned turn, struct fault *fault)
{
    struct cost_pages *moved = own;
    moved->turn = turn % (sizeof moved->page / sizeof *moved->page);
    return true;
}

static void work(const struct point *point)
{
    struct cost_pages *pages = point->own;
    kernel_call(point->kernel, pages->page[pages->turn], NULL, point->x, point->iterations);
}

/* So many units, and so many more: the more they take, the fewer. */
#define ROW(which, units, more) .name = which, .kernel = "cost_" which, .range = {units, units + more, more}
static const struct series series[] = {{ROW("multiply", 16, 96)},
                                       {ROW("atomic_add", 16, 96)},
                                       {ROW("atomic_cas", 16, 96)},
                                       {ROW("atomic_cas_fails", 16, 96)},
                                       {ROW("atomic_swap", 16, 96)},
                                       {ROW("full_fence", 4, 24)},
                                       {ROW("load_fence", 16, 96)},
                                       {ROW("store_fence", 16, 96)},
                                       {ROW("stores_full_fence", 4, 24)},
                                       {ROW("stores_load_fence", 8, 48)},
                                       {ROW("stores_store_fence", 8, 48)},
                                       {ROW("barrier_fence", 4, 24)},
                                       {ROW("barrier_stack", 16, 96)},
                                       {ROW("barrier_swap", 16, 96)},
                                       {ROW("pause", 4, 24)},
                                       {ROW("instruction_barrier", 4, 24)},
                                       {ROW("timer", 8, 48)},
                                       {ROW("timer_ordered", 4, 24)},
                                       {ROW("timer_fenced", 4, 24)},
                                       {ROW("timer_after", 4, 24)},
                                       {ROW("cpu_number", 16, 96)},
                                       {ROW("flush", 2, 8)},
                                       {ROW("split_lock", 1, 4)},
                                       {ROW("cpuid", 1, 4)},
                                       {ROW("system_call", 1, 4)},
                                       {0}};

/* quantity: of data/cores.tsv, by x86_64's instruction */
#define DETAIL(loop, id, words, asked, least)                                                                \
    .key = "cost." id, .label = words, .unit = "cycles", .kind = METRIC_SLOPE, .series = loop,               \
    .at_least = least, .operand = asked
#define COST(loop, id, words, asked, least, quantity)                                                        \
    DETAIL(loop, id, words, asked, least), .published = quantity, .slot = "core/cost"
static const struct claim claims[] = {
    {DETAIL("multiply", "multiply", "dependent multiplication", "multiplication", 1)},
    {COST("atomic_add", "atomic_add", "atomic add, own line", "atomic-add", 1, "lock_add"), .in_quick = true},
    {COST("atomic_cas", "atomic_cas", "compare and swap, own line", "compare-and-swap", 1, NULL),
     .in_quick = true},
    {DETAIL("atomic_cas_fails", "atomic_cas_fails", "compare and swap that fails", "compare-and-swap", 1)},
    {COST("atomic_swap", "atomic_swap", "exchange, own line", "exchange", 1, "xchg")},
    /* Classes: in each run steady within a percent, a full fence took 76.1 to 79.6 cycles in 22 runs of
     * high trust (42 of 462 pairs broken), one behind a store 77.7 to 81.4 in 40 (36 of 330), one behind
     * eight stores 85.0 to 86.8 in 12 (2 of 66; Zen 5 guest). */
    {COST("full_fence", "full_fence", "full fence", "full-fence", 0.1, "mfence"), .classes = true,
     .in_quick = true},
    {DETAIL("stores_full_fence", "stores_full_fence", "8 stores, full fence", "full-fence", 1),
     .classes = true},
    {COST("load_fence", "load_fence", "load fence", "load-fence", 0.1, "lfence")},
    {DETAIL("stores_load_fence", "stores_load_fence", "8 stores, load fence", "load-fence", 1)},
    {COST("store_fence", "store_fence", "store fence", "store-fence", 0.1, "sfence")},
    {DETAIL("stores_store_fence", "stores_store_fence", "8 stores, store fence", "store-fence", 1)},
    {DETAIL("barrier_fence", "barrier.fence", "store, full fence", "barrier", 0.1), .classes = true},
    {DETAIL("barrier_stack", "barrier.stack", "store, stack atomic", "barrier", 1)},
    {DETAIL("barrier_swap", "barrier.exchange", "store, exchange", "barrier", 1)},
    {.key = "cost.barrier",
     .label = "cheapest full barrier",
     .unit = "cycles",
     .kind = METRIC_LEAST,
     .key_prefix = "cost.barrier.",
     .at_least = 0.1,
     .slot = "core/cost",
     .operand = "barrier",
     .in_quick = true},
    /* Classes: a pause took 76.9 and 79.0 cycles, both of high trust, and 76.0 for a whole run (Zen 3
     * guest, 40 runs). */
    {COST("pause", "pause", "pause in a spin loop", "pause", 0.1, "pause"), .classes = true,
     .differs = "guest or microcode, open", .in_quick = true},
    {.key = "pause in ns", .unit = "ns", .kind = METRIC_SLOPE, .series = "pause"},
    {.key = "cost.spins",
     .label = "pauses in a microsecond",
     .kind = METRIC_PER_MICROSECOND,
     .metrics = {"pause in ns"},
     .beyond = true,
     .classes = true,
     .operand = "pause"},
    {DETAIL("instruction_barrier", "instruction_barrier", "instruction barrier", "pause", 0.1)},
    {COST("timer", "timer", "read of the time stamp counter", "timer", 1, "rdtsc"), .in_quick = true},
    {DETAIL("timer_ordered", "timer_ordered", "fence and timer", "timer", 1)},
    {DETAIL("timer_fenced", "timer_fenced", "fence, timer and fence", "timer", 1)},
    {DETAIL("timer_after", "timer_after", "timer that waits for earlier loads", "timer", 1)},
    {DETAIL("cpu_number", "cpu_number", "number of the CPU", "cpu-number", 0.1)},
    /* Ranges: a flush took 743 to 1059 cycles in five runs, a lock across two lines 2,500 to 4,300 (Zen 3
     * guest). */
    {COST("flush", "flush", "flush, fence and load", "flush", 10, NULL), .range = true},
    {COST("split_lock", "split_lock", "atomic add across two lines", "split-lock", 1, NULL), .range = true,
     .by_name = true},
    {COST("cpuid", "cpuid", "cpuid", "cpuid", 10, "cpuid"), .beyond = true, .by_name = true,
     .differs = "a hypervisor may answer it"},
    /* A range: in a loop without calls it took 424 or 556 to 579 cycles, by where the code lay (Zen 4 guest). */
    {DETAIL("system_call", "system_call.instruction", "system call, bare instruction", "system-call", 10),
     .range = true},
    {0},
};

const struct experiment atomics_experiment = {
    .name = "instructions",
    .series = series,
    .claims = claims,
    .control = "cost.multiply",
    .context_bytes = sizeof(struct cost_pages),
    .work = work,
    .move = cost_move,
    .pace = {120, 60, 1, 0.3},
    .curve = {VIEW_LIST, "time of a row of instructions", "count", "instructions"}};
