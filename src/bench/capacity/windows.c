/* SPDX-License-Identifier: MIT */
/* How many instructions of a kind are in flight, by the time that one more takes between two misses. */
#include <stdlib.h>

#include "base/text.h"
#include "capacity.h"
#include "uarchprobe/chase.h"
#include "uarchprobe/interrupt.h"
#include "uarchprobe/memory.h"
#include "uarchprobe/topology.h"

/* Each of the two chains has CHAIN_BYTES. Where memory is short it may have less, but must not fit into the
 * last cache: a load that hits there is over before many instructions are in flight. LEAST_BYTES: where no
 * cache is shown. */
static const uint64_t LINE = 64, CHAIN_BYTES = UINT64_C(64) << 20, LEAST_BYTES = UINT64_C(4) << 20;

/* Of a chain at a time. */
static const uint64_t LINKED = 1 << 16;

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

/* Of both chains. */
static uint64_t least_bytes(const struct run *run, const void *own)
{
    const uint64_t cache = topology_largest_last(run->topology, run->cpus.id, run->cpus.count).bytes,
                   least = cache > LEAST_BYTES ? cache : LEAST_BYTES;
    return 2 * (least < CHAIN_BYTES ? least : CHAIN_BYTES);
}

static enum status open_chains(struct run *run, void **context, struct fault *fault)
{
    struct own *own = *context = memory_zeroed(1, sizeof *own);
    const uint64_t bytes = memory_halved(2 * CHAIN_BYTES, least_bytes(run, NULL)) / (2 * LINE) * (2 * LINE);
    const struct memory_request request = {.bytes = bytes, .pages = PAGES_AUTO, .node = -1};
    if (memory_map(&own->memory, &request, fault) != STATUS_OK ||
        memory_touch(&own->memory, 1, fault) != STATUS_OK) {
        memory_release(&own->memory);
        free(own);
        return fault->status;
    }
    if (bytes < 2 * CHAIN_BYTES)
        record_warning(
            run->record, "chains",
            "memory is short: chains have %llu MiB, not %llu, and more of their loads hit the last "
            "cache",
            (unsigned long long)(bytes / 2 >> 20), (unsigned long long)(CHAIN_BYTES >> 20));
    for (uint64_t i = 0; i < 2; i++) {
        const struct chase chase = {.data = own->memory.data + i * (bytes / 2),
                                    .count = bytes / 2 / LINE,
                                    .stride = LINE,
                                    .seed = 1 + i};
        /* A loop through all its lines takes a tenth of a second, next to other work seconds. */
        for (uint64_t first = 0; first < chase.count && !interrupt_came(); first += LINKED)
            chase_link_some(&chase, first, first + LINKED < chase.count ? first + LINKED : chase.count);
        own->chain[i] = chase_node(&chase, 0);
    }
    if (!interrupt_came())
        return STATUS_OK;
    memory_release(&own->memory);
    free(own);
    return fault_set(fault, STATUS_FAILED, "signal %d came before the chains were linked",
                     interrupt_signal());
}

static void close_chains(void *context)
{
    struct own *own = context;
    memory_release(&own->memory);
    free(own);
}

#define FILLER(which)                                                                                        \
    {                                                                                                        \
        .name = which, .kernel = "window_" which, .first = 1                                                 \
    }
#define REGISTERS(which)                                                                                     \
    {                                                                                                        \
        .key = which, .kind = CLAIM_STEP, .from = which, .classes = true                                     \
    }
#define STEP(which)                                                                                          \
    {                                                                                                        \
        .key = which, .kind = CLAIM_STEP, .from = which                                                      \
    }
/* An instruction, and another that takes the same. */
#define TWICE(MAKE, which) MAKE(which), MAKE(which "_2")
static const struct series series[] = {
    TWICE(FILLER, "branches"),
    TWICE(FILLER, "jumps"),
    TWICE(FILLER, "integers"),
    TWICE(FILLER, "vectors"),
    TWICE(FILLER, "flags"),
    TWICE(FILLER, "flags_apart"),
    TWICE(FILLER, "loads"),
    FILLER("loads_3"),
    TWICE(FILLER, "waiting"),
    FILLER("waiting_3"),
    TWICE(FILLER, "mixed"),
    FILLER("zeros"),
    FILLER("nops"),
    {0},
};

#define REORDER_BUFFER "capacity.reorder_buffer"
#define INTEGERS "capacity.integer_registers"
#define VECTORS "capacity.vector_registers"
#define ENTRIES(name, words, of_what, asked)                                                                 \
    .key = "capacity." name, .label = words, .unit = of_what, .kind = CLAIM_ENTRIES, .operand = asked
static const struct claim claims[] = {
    TWICE(STEP, "branches"),
    TWICE(STEP, "jumps"),
    TWICE(REGISTERS, "integers"),
    TWICE(REGISTERS, "vectors"),
    TWICE(REGISTERS, "flags"),
    TWICE(REGISTERS, "flags_apart"),
    TWICE(STEP, "loads"),
    STEP("loads_3"),
    TWICE(STEP, "waiting"),
    STEP("waiting_3"),
    TWICE(STEP, "mixed"),
    STEP("zeros"),
    STEP("nops"),
    {ENTRIES("reorder_buffer", "reorder buffer", "entries", "reorder-buffer"),
     .of = {"branches", "mixed", "mixed_2"}, .sharers = {"zeros", "nops"},
     .below = {NULL, "integers", "vectors"}, .own = 4, .splits = true, .published = "reorder_buffer",
     .slot = "core/reorder-buffer"},
    {.key = "capacity.nops",
     .label = "no-operations in flight",
     .unit = "nops",
     .kind = CLAIM_STEP,
     .from = "nops",
     .per = REORDER_BUFFER,
     .published = "reorder_buffer_nops",
     .operand = "reorder-buffer"},
    {ENTRIES("integer_registers", "integer registers", "registers", "int-registers"),
     .of = {"integers", "integers_2"}, .below = {REORDER_BUFFER}, .published = "integer_registers_free",
     .slot = "core/integer-registers"},
    {ENTRIES("vector_registers", "vector registers", "registers", "vector-registers"),
     .of = {"vectors", "vectors_2"}, .below = {REORDER_BUFFER}, .published = "vector_registers_free",
     .slot = "core/vector-registers"},
    {ENTRIES("flag_registers", "flag registers", "registers", "flags"),
     .of = {"flags_apart", "flags_apart_2"}, .sharers = {"flags", "flags_2"},
     .below = {REORDER_BUFFER, INTEGERS, VECTORS}, .instructions = 2, .published = "flag_registers",
     .slot = "core/flag-registers"},
    {ENTRIES("load_queue", "load queue", "entries", "load-queue"), .of = {"loads", "loads_2", "loads_3"},
     .below = {REORDER_BUFFER, INTEGERS, VECTORS}, .own = 2, .published = "load_queue",
     .slot = "core/load-queue"},
    {ENTRIES("loads_waiting", "loads that wait for data", "entries", "load-queue"),
     .of = {"waiting", "waiting_2", "waiting_3"}, .below = {REORDER_BUFFER, INTEGERS, VECTORS}, .own = 2,
     .published = "loads_waiting", .slot = "core/loads-waiting"},
    {ENTRIES("branches_taken", "branches in flight, taken", "branches", "branches-in-flight"),
     .of = {"jumps", "jumps_2"}, .below = {REORDER_BUFFER}, .own = 2, .splits = true,
     .published = "branches_in_flight_taken", .slot = "core/branches-taken"},
    {ENTRIES("branches_not_taken", "branches in flight, not taken", "branches", "branches-in-flight"),
     .of = {"branches", "branches_2"}, .below = {REORDER_BUFFER}, .own = 2, .splits = true,
     .published = "branches_in_flight_not_taken", .slot = "core/branches-not-taken"},
    {0},
};

const struct experiment windows_experiment = {
    .name = "instructions in flight",
    .series = series,
    .claims = claims,
    .open = open_chains,
    .close = close_chains,
    .work = work,
    .pace = {100, 20, 4.5, 0.9},
    .both_states = true,
    .memory_bytes = 2 * (UINT64_C(64) << 20),
    .memory_least = least_bytes,
    .curve = {VIEW_CURVE, "time of two misses with instructions between them", "count", "instructions"}};
