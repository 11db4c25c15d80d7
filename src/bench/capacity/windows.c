/* SPDX-License-Identifier: MIT */
/* How many instructions of a kind are in flight, by the time that one more takes between two misses. */
#include "capacity.h"
#include "uarchprobe/chase.h"
#include "uarchprobe/interrupt.h"
#include "uarchprobe/topology.h"

/* Each of the two chains has CHAIN_BYTES. Where memory is short it may have less, but must not fit into the
 * last cache: a load that hits there is over before many instructions are in flight. LEAST_BYTES: where no
 * cache is shown. */
#define CHAIN_BYTES (UINT64_C(64) << 20)
static const uint64_t LINE = 64, LEAST_BYTES = UINT64_C(4) << 20;

/* So many lines of a chain are linked before the loop asks for a signal again. */
static const uint64_t LINKED = 1 << 16;

struct windows {
    void *chain[2];
    uint64_t scratch;
};

static void work(const struct point *point)
{
    struct windows *windows = point->own;
    point->kernel->entry(windows->chain, &windows->scratch, point->x, point->iterations, 1, 0);
}

/* Returns the bytes of both chains. */
static uint64_t least_bytes(const struct run *run, const void *own)
{
    const uint64_t cache = topology_largest_last(run->topology, run->cpus.id, run->cpus.count).bytes,
                   least = cache > LEAST_BYTES ? cache : LEAST_BYTES;
    return 2 * (least < CHAIN_BYTES ? least : CHAIN_BYTES);
}

/* A loop through all lines of a chain takes a tenth of a second, and seconds while other work runs. */
static void link_chains(const struct run *run, void *own, const struct memory *memory)
{
    struct windows *windows = own;
    const uint64_t lines = memory->bytes / 2 / LINE;
    for (uint64_t i = 0; i < 2; i++) {
        const struct chase chase = {
            .data = memory->data + i * lines * LINE, .count = lines, .stride = LINE, .seed = 1 + i};
        for (uint64_t first = 0; first < lines && !interrupt_came(); first += LINKED)
            chase_link_some(&chase, first, first + LINKED < lines ? first + LINKED : lines);
        windows->chain[i] = chase_node(&chase, 0);
    }
}

static const struct memory_row chains = {.bytes = 2 * CHAIN_BYTES,
                                         .least = least_bytes,
                                         .content = MEMORY_FILLED,
                                         .if_short = "more loads of the chains hit the last cache",
                                         .lay_out = link_chains};

#define FILLER(which)                                                                                        \
    {                                                                                                        \
        .name = which, .kernel = "window_" which, .range.first = 1                                           \
    }
#define REGISTERS(which)                                                                                     \
    {                                                                                                        \
        .key = which, .kind = METRIC_JUMP, .series = which, .classes = true                                  \
    }
#define STEP(which)                                                                                          \
    {                                                                                                        \
        .key = which, .kind = METRIC_JUMP, .series = which                                                   \
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
    .key = "capacity." name, .label = words, .unit = of_what, .kind = METRIC_STRUCTURE_SIZE, .operand = asked
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
     .structure.fillers = {"branches", "mixed", "mixed_2"}, .structure.sharers = {"zeros", "nops"},
     .structure.limits = {NULL, "integers", "vectors"}, .structure.fixed_entries = 4,
     .structure.is_halved_by_smt = true, .published = "reorder_buffer", .slot = "core/reorder-buffer"},
    {.key = "capacity.nops",
     .label = "no-operations in flight",
     .unit = "nops",
     .kind = METRIC_JUMP,
     .series = "nops",
     .per = REORDER_BUFFER,
     .published = "reorder_buffer_nops",
     .operand = "reorder-buffer"},
    {ENTRIES("integer_registers", "integer registers", "registers", "int-registers"),
     .structure.fillers = {"integers", "integers_2"}, .structure.limits = {REORDER_BUFFER},
     .published = "integer_registers_free", .slot = "core/integer-registers"},
    {ENTRIES("vector_registers", "vector registers", "registers", "vector-registers"),
     .structure.fillers = {"vectors", "vectors_2"}, .structure.limits = {REORDER_BUFFER},
     .published = "vector_registers_free", .slot = "core/vector-registers"},
    {ENTRIES("flag_registers", "flag registers", "registers", "flags"),
     .structure.fillers = {"flags_apart", "flags_apart_2"}, .structure.sharers = {"flags", "flags_2"},
     .structure.limits = {REORDER_BUFFER, INTEGERS, VECTORS}, .structure.instructions = 2,
     .published = "flag_registers", .slot = "core/flag-registers"},
    {ENTRIES("load_queue", "load queue", "entries", "load-queue"),
     .structure.fillers = {"loads", "loads_2", "loads_3"},
     .structure.limits = {REORDER_BUFFER, INTEGERS, VECTORS}, .structure.fixed_entries = 2,
     .published = "load_queue", .slot = "core/load-queue"},
    {ENTRIES("loads_waiting", "loads that wait for data", "entries", "load-queue"),
     .structure.fillers = {"waiting", "waiting_2", "waiting_3"},
     .structure.limits = {REORDER_BUFFER, INTEGERS, VECTORS}, .structure.fixed_entries = 2,
     .published = "loads_waiting", .slot = "core/loads-waiting"},
    {ENTRIES("branches_taken", "branches in flight, taken", "branches", "branches-in-flight"),
     .structure.fillers = {"jumps", "jumps_2"}, .structure.limits = {REORDER_BUFFER},
     .structure.fixed_entries = 2, .structure.is_halved_by_smt = true,
     .published = "branches_in_flight_taken", .slot = "core/branches-taken"},
    {ENTRIES("branches_not_taken", "branches in flight, not taken", "branches", "branches-in-flight"),
     .structure.fillers = {"branches", "branches_2"}, .structure.limits = {REORDER_BUFFER},
     .structure.fixed_entries = 2, .structure.is_halved_by_smt = true,
     .published = "branches_in_flight_not_taken", .slot = "core/branches-not-taken"},
    {0},
};

const struct experiment windows_experiment = {
    .name = "instructions in flight",
    .series = series,
    .claims = claims,
    .context_bytes = sizeof(struct windows),
    .work = work,
    .pace = {100, 20, 4.5, 0.9},
    .both_states = true,
    .memory = &chains,
    .curve = {VIEW_CURVE, "time of two misses with instructions between them", "count", "instructions"}};
