/* SPDX-License-Identifier: MIT */
/* `uarchprobe capacity`: how many instructions of a kind the core holds, by the time that one more takes. */
#include "uarchprobe/chase.h"
#include "uarchprobe/command.h"
#include "uarchprobe/experiment.h"
#include "uarchprobe/memory.h"

/* CHAIN_BYTES: of each of the two chains, more than the L3 of any core. */
static const uint64_t LINE = 64, CHAIN_BYTES = UINT64_C(64) << 20;

struct own {
    struct memory memory;
    void *chain[2];
    uint64_t scratch;
};

static void work(const struct point *point)
{
    struct own *own = point->own;
    point->kernel->entry(own->chain, &own->scratch, point->x, point->iterations, 1, 0);
}

enum { MOST = 500, CALLS_MOST = 80, FEWER_CALLS = 64 };
#define FILLER(which) .name = which, .kernel = "window_" which, .first = 1, .last = MOST
static const struct series series[] = {
    {.name = "calls", .kernel = "call_depth", .first = 2, .last = CALLS_MOST},
    {FILLER("branches")},
    {FILLER("integers")},
    {FILLER("vectors")},
    {FILLER("flags")},
    {FILLER("loads")},
    {FILLER("mixed")},
    {.name = "nops", .kernel = "window_nops", .first = 1, .last = 2 * MOST - 1, .step = 2},
    {0},
};

#define WINDOW(which, words)                                                                                 \
    .key = "capacity." which, .label = words, .unit = "instructions", .kind = CLAIM_STEP, .from = which,     \
    .slot = "core/" which
static const struct claim claims[] = {
    {.key = "fewer calls", .kind = CLAIM_BEND, .from = "calls", .last = FEWER_CALLS},
    {.key = "capacity.return_stack",
     .label = "return stack",
     .unit = "entries",
     .kind = CLAIM_BEND,
     .from = "calls",
     .agrees = {"fewer calls"},
     .published = "return_stack",
     .slot = "core/return-stack"},
    {WINDOW("branches", "branches in flight")},
    {WINDOW("integers", "results in general registers")},
    {WINDOW("vectors", "results in vector registers")},
    {WINDOW("flags", "results in flags alone")},
    {WINDOW("loads", "loads in flight")},
    {WINDOW("mixed", "results of three kinds")},
    {WINDOW("nops", "no-operations")},
    {0},
};

static const struct experiment capacity = {
    .series = series,
    .claims = claims,
    .work = work,
    .rounds = 100,
    .quick_rounds = 30,
    .seconds = 8,
    .memory_bytes = 2 * (UINT64_C(64) << 20),
    .curve = {VIEW_CURVE, "time of two misses with instructions between them", "count", "instructions"}};

static enum status open_chains(struct own *own, struct fault *fault)
{
    const struct memory_request request = {.bytes = 2 * CHAIN_BYTES, .pages = PAGES_AUTO, .node = -1};
    if (memory_map(&own->memory, &request, fault) != STATUS_OK)
        return fault->status;
    memory_touch(&own->memory, 1);
    for (uint64_t i = 0; i < 2; i++) {
        const struct chase chase = {.data = own->memory.data + i * CHAIN_BYTES,
                                    .count = CHAIN_BYTES / LINE,
                                    .stride = LINE,
                                    .seed = 1 + i};
        chase_link(&chase);
        own->chain[i] = chase_node(&chase, 0);
    }
    return STATUS_OK;
}

static enum status run_capacity(struct run *run, struct fault *fault)
{
    struct own own = {0};
    if (run->common->dry_run || open_chains(&own, fault) == STATUS_OK)
        experiment_run(&capacity, 1, run, &own, fault);
    memory_release(&own.memory);
    return fault->status;
}

extern const struct command capacity_command;
const struct command capacity_command = {
    .name = "capacity",
    .summary = "how many instructions are in flight, how many calls?",
    .method =
        "Between two loads that miss and do not depend on each other stand N instructions. While they fit "
        "into the core, both misses overlap; with one too many the time rises by a whole miss (H. Wong, "
        "2013). Calls within calls get slower once the return stack is full.\n"
        "Each kind fills the structure that is smallest for it, which one kind alone cannot name: integers "
        "end "
        "at the register file, branches at the reorder buffer or its own limit, no-operations may share "
        "entries.",
    .examples = {"uarchprobe capacity", "uarchprobe capacity --kernel call_depth",
                 "uarchprobe capacity --kernel 'window_*'"},
    .honours = HONOURS_MEASURING | HONOURS_KERNEL,
    .measures = true,
    .by_itself = true,
    .run = run_capacity,
};
