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

/* An instruction, and another that takes the same. */
static const struct series series[] = {
    {.name = "branches", .kernel = "window_branches", .range.first = 1},
    {.name = "branches_2", .kernel = "window_branches_2", .range.first = 1},
    {.name = "jumps", .kernel = "window_jumps", .range.first = 1},
    {.name = "jumps_2", .kernel = "window_jumps_2", .range.first = 1},
    {.name = "integers", .kernel = "window_integers", .range.first = 1},
    {.name = "integers_2", .kernel = "window_integers_2", .range.first = 1},
    {.name = "vectors", .kernel = "window_vectors", .range.first = 1},
    {.name = "vectors_2", .kernel = "window_vectors_2", .range.first = 1},
    {.name = "flags", .kernel = "window_flags", .range.first = 1},
    {.name = "flags_2", .kernel = "window_flags_2", .range.first = 1},
    {.name = "flags_apart", .kernel = "window_flags_apart", .range.first = 1},
    {.name = "flags_apart_2", .kernel = "window_flags_apart_2", .range.first = 1},
    {.name = "loads", .kernel = "window_loads", .range.first = 1},
    {.name = "loads_2", .kernel = "window_loads_2", .range.first = 1},
    {.name = "loads_3", .kernel = "window_loads_3", .range.first = 1},
    {.name = "waiting", .kernel = "window_waiting", .range.first = 1},
    {.name = "waiting_2", .kernel = "window_waiting_2", .range.first = 1},
    {.name = "waiting_3", .kernel = "window_waiting_3", .range.first = 1},
    {.name = "mixed", .kernel = "window_mixed", .range.first = 1},
    {.name = "mixed_2", .kernel = "window_mixed_2", .range.first = 1},
    {.name = "zeros", .kernel = "window_zeros", .range.first = 1},
    {.name = "nops", .kernel = "window_nops", .range.first = 1},
    {0},
};

static const struct metric metrics[] = {
    {.key = "branches", .kind = METRIC_JUMP, .series = "branches"},
    {.key = "branches_2", .kind = METRIC_JUMP, .series = "branches_2"},
    {.key = "jumps", .kind = METRIC_JUMP, .series = "jumps"},
    {.key = "jumps_2", .kind = METRIC_JUMP, .series = "jumps_2"},
    {.key = "integers", .kind = METRIC_JUMP, .series = "integers", .classes = true},
    {.key = "integers_2", .kind = METRIC_JUMP, .series = "integers_2", .classes = true},
    {.key = "vectors", .kind = METRIC_JUMP, .series = "vectors", .classes = true},
    {.key = "vectors_2", .kind = METRIC_JUMP, .series = "vectors_2", .classes = true},
    {.key = "flags", .kind = METRIC_JUMP, .series = "flags", .classes = true},
    {.key = "flags_2", .kind = METRIC_JUMP, .series = "flags_2", .classes = true},
    {.key = "flags_apart", .kind = METRIC_JUMP, .series = "flags_apart", .classes = true},
    {.key = "flags_apart_2", .kind = METRIC_JUMP, .series = "flags_apart_2", .classes = true},
    {.key = "loads", .kind = METRIC_JUMP, .series = "loads"},
    {.key = "loads_2", .kind = METRIC_JUMP, .series = "loads_2"},
    {.key = "loads_3", .kind = METRIC_JUMP, .series = "loads_3"},
    {.key = "waiting", .kind = METRIC_JUMP, .series = "waiting"},
    {.key = "waiting_2", .kind = METRIC_JUMP, .series = "waiting_2"},
    {.key = "waiting_3", .kind = METRIC_JUMP, .series = "waiting_3"},
    {.key = "mixed", .kind = METRIC_JUMP, .series = "mixed"},
    {.key = "mixed_2", .kind = METRIC_JUMP, .series = "mixed_2"},
    {.key = "zeros", .kind = METRIC_JUMP, .series = "zeros"},
    {.key = "nops", .kind = METRIC_JUMP, .series = "nops"},
    {.key = "capacity.reorder_buffer",
     .label = "reorder buffer",
     .unit = "entries",
     .kind = METRIC_STRUCTURE_SIZE,
     .structure = {.fillers = {"branches", "mixed", "mixed_2"},
                   .sharers = {"zeros", "nops"},
                   .limits = {NULL, "integers", "vectors"},
                   .fixed_entries = 4,
                   .is_halved_by_smt = true},
     .published = "reorder_buffer",
     .sheet_cell = "core/reorder-buffer",
     .operand = "reorder-buffer"},
    {.key = "capacity.nops",
     .label = "no-operations in flight",
     .unit = "nops",
     .kind = METRIC_JUMP,
     .series = "nops",
     .per = "capacity.reorder_buffer",
     .published = "reorder_buffer_nops",
     .operand = "reorder-buffer"},
    {.key = "capacity.integer_registers",
     .label = "integer registers",
     .unit = "registers",
     .kind = METRIC_STRUCTURE_SIZE,
     .structure = {.fillers = {"integers", "integers_2"}, .limits = {"capacity.reorder_buffer"}},
     .published = "integer_registers_free",
     .sheet_cell = "core/integer-registers",
     .operand = "int-registers"},
    {.key = "capacity.vector_registers",
     .label = "vector registers",
     .unit = "registers",
     .kind = METRIC_STRUCTURE_SIZE,
     .structure = {.fillers = {"vectors", "vectors_2"}, .limits = {"capacity.reorder_buffer"}},
     .published = "vector_registers_free",
     .sheet_cell = "core/vector-registers",
     .operand = "vector-registers"},
    {.key = "capacity.flag_registers",
     .label = "flag registers",
     .unit = "registers",
     .kind = METRIC_STRUCTURE_SIZE,
     .structure = {.fillers = {"flags_apart", "flags_apart_2"},
                   .sharers = {"flags", "flags_2"},
                   .limits = {"capacity.reorder_buffer", "capacity.integer_registers",
                              "capacity.vector_registers"},
                   .instructions = 2},
     .published = "flag_registers",
     .sheet_cell = "core/flag-registers",
     .operand = "flags"},
    {.key = "capacity.load_queue",
     .label = "load queue",
     .unit = "entries",
     .kind = METRIC_STRUCTURE_SIZE,
     .structure = {.fillers = {"loads", "loads_2", "loads_3"},
                   .limits = {"capacity.reorder_buffer", "capacity.integer_registers",
                              "capacity.vector_registers"},
                   .fixed_entries = 2},
     .published = "load_queue",
     .sheet_cell = "core/load-queue",
     .operand = "load-queue"},
    {.key = "capacity.loads_waiting",
     .label = "loads that wait for data",
     .unit = "entries",
     .kind = METRIC_STRUCTURE_SIZE,
     .structure = {.fillers = {"waiting", "waiting_2", "waiting_3"},
                   .limits = {"capacity.reorder_buffer", "capacity.integer_registers",
                              "capacity.vector_registers"},
                   .fixed_entries = 2},
     .published = "loads_waiting",
     .sheet_cell = "core/loads-waiting",
     .operand = "load-queue"},
    {.key = "capacity.branches_taken",
     .label = "branches in flight, taken",
     .unit = "branches",
     .kind = METRIC_STRUCTURE_SIZE,
     .structure = {.fillers = {"jumps", "jumps_2"},
                   .limits = {"capacity.reorder_buffer"},
                   .fixed_entries = 2,
                   .is_halved_by_smt = true},
     .published = "branches_in_flight_taken",
     .sheet_cell = "core/branches-taken",
     .operand = "branches-in-flight"},
    {.key = "capacity.branches_not_taken",
     .label = "branches in flight, not taken",
     .unit = "branches",
     .kind = METRIC_STRUCTURE_SIZE,
     .structure = {.fillers = {"branches", "branches_2"},
                   .limits = {"capacity.reorder_buffer"},
                   .fixed_entries = 2,
                   .is_halved_by_smt = true},
     .published = "branches_in_flight_not_taken",
     .sheet_cell = "core/branches-not-taken",
     .operand = "branches-in-flight"},
    {0},
};

const struct experiment windows_experiment = {
    .name = "instructions in flight",
    .series = series,
    .metrics = metrics,
    .context_bytes = sizeof(struct windows),
    .work = work,
    .pace = {100, 20, 4.5, 0.9},
    .both_states = true,
    .memory = &chains,
    .curve = {VIEW_CURVE, "time of two misses with instructions between them", "count", "instructions"}};
