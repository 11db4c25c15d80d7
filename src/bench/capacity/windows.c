/* SPDX-License-Identifier: MIT */
/* How many instructions of a kind are in flight, by the time that one more takes between two misses. */
#include <stdlib.h>

#include "base/text.h"
#include "capacity.h"
#include "uarchprobe/chase.h"
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

static enum status open_chains(struct run *run, void **context, struct fault *fault)
{
    const struct memory_request request = {.bytes = 2 * CHAIN_BYTES, .pages = PAGES_AUTO, .node = -1};
    struct own *own = *context = memory_zeroed(1, sizeof *own);
    if (memory_map(&own->memory, &request, fault) != STATUS_OK) {
        free(own);
        return fault->status;
    }
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

static void close_chains(void *context)
{
    struct own *own = context;
    memory_release(&own->memory);
    free(own);
}

enum { MOST = 500 };
#define FILLER(which) .name = which, .kernel = "window_" which, .first = 1, .last = MOST
static const struct series series[] = {
    {FILLER("branches")},
    {FILLER("integers")},
    {FILLER("vectors")},
    {FILLER("flags")},
    {FILLER("loads")},
    {FILLER("mixed")},
    {.name = "nops", .kernel = "window_nops", .first = 1, .last = 2 * MOST - 1, .step = 2},
    {0},
};

#define WINDOW(which, words, asked)                                                                          \
    .key = "capacity." which, .label = words, .unit = "instructions", .kind = CLAIM_STEP, .from = which,     \
    .slot = "core/" which, .operand = asked
static const struct claim claims[] = {
    {WINDOW("branches", "branches in flight", "branches-in-flight")},
    {WINDOW("integers", "results in general registers", "int-registers")},
    {WINDOW("vectors", "results in vector registers", "vector-registers")},
    {WINDOW("flags", "results in flags alone", "flags")},
    {WINDOW("loads", "loads in flight", "load-queue")},
    {WINDOW("mixed", "results of three kinds", "reorder-buffer")},
    {WINDOW("nops", "no-operations", "reorder-buffer")},
    {0},
};

const struct experiment windows_experiment = {
    .name = "instructions in flight",
    .series = series,
    .claims = claims,
    .open = open_chains,
    .close = close_chains,
    .work = work,
    .rounds = 100,
    .quick_rounds = 30,
    .seconds = 8,
    .memory_bytes = 2 * (UINT64_C(64) << 20),
    .curve = {VIEW_CURVE, "time of two misses with instructions between them", "count", "instructions"}};
