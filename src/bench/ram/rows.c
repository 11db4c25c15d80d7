/* SPDX-License-Identifier: MIT */
/* The tables of `ram`: RAMOMETER's columns in its order and wording, then ours; and what people see of them. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ram.h"

static const char *const data_names[] = {"non-zero", "zero", NULL};

/* Parameters and labels with their cells (add_row), measures with their values and digits (measures_of); then key, title, unit, type. */
#define COLUMNS(P, L, M)                                                                                     \
    P(SIZE, INTEGER_CELL(point->bytes), "buffer_size", "buffer size", "Byte", CELL_SIZE)                     \
    P(TASK, INTEGER_CELL(kernel->operation), "task", "task", NULL, CELL_CLASS, .names = ram_task_names)      \
    P(METHOD, INTEGER_CELL(kernel->method), "method", "method", NULL, CELL_CLASS, .names = method_names)     \
    P(LOAD, INTEGER_CELL(kernel->load), "load_mode", "load mode", NULL, CELL_CLASS, .names = access_names)   \
    P(STORE, INTEGER_CELL(kernel->store), "store_mode", "store mode", NULL, CELL_CLASS,                      \
      .names = access_names)                                                                                 \
    P(EL_BYTES, INTEGER_CELL(bits / 8), "element_bytes", "el size", "Byte", CELL_SIZE)                       \
    P(EL_BITS, INTEGER_CELL(bits), "element_bits", "el size", "Bit", CELL_INTEGER)                           \
    M(DURATION, s, 9, "duration", "duration", "s", CELL_SUMMARY)                                             \
    M(MIS, bytes / 4e6 / s, 1, "speed_mis", "speed", "mis", CELL_REAL)                                       \
    M(MIBS, bytes / 0x1p20 / s, 1, "speed_mib", "speed", "MiByte/s", CELL_REAL)                              \
    M(GIBS, bytes / 0x1p30 / s, 1, "speed_gib", "speed", "GiByte/s", CELL_SUMMARY)                           \
    L(SET, TEXT_CELL(set), "set", "working set", NULL, CELL_CLASS)                                           \
    L(FOOTPRINT, INTEGER_CELL(point->footprint), "footprint", "footprint", "Byte", CELL_SIZE)                \
    L(LEVEL, TEXT_CELL(level), "level", "level", NULL, CELL_CLASS)                                           \
    P(THREADS, INTEGER_CELL(plan->threads), "threads", "threads", NULL, CELL_INTEGER)                        \
    L(TRAFFIC, INTEGER_CELL(traffic), "traffic", "traffic", "Byte", CELL_SIZE)                               \
    M(TRAFFIC_GIBS, traffic / 0x1p30 / s, 1, "traffic_gib", "traffic", "GiByte/s", CELL_REAL)                \
    M(PER_CYCLE, bytes / threads / cycles, 1, "bytes_per_cycle", "speed", "bytes/core cycle", CELL_SUMMARY,  \
      .is_clocked = true)                                                                                    \
    M(GHZ, cycles / s * 1e-9, 2, "core_ghz", "core clock", "GHz", CELL_REAL, .is_clocked = true)             \
    L(PAGE, INTEGER_CELL(page_bytes), "page_size", "page size", "Byte", CELL_SIZE)                           \
    L(KERNEL, TEXT_CELL(name), "kernel", "kernel", NULL, CELL_CLASS)                                         \
    P(DATA, data_is, "data", "data", NULL, CELL_CLASS, .names = data_names)                                  \
    L(VERIFIED, verified, "verified", "verified", NULL, CELL_BOOL)                                           \
    M(LATENCY, of_chain ? value[RAM_NS] : NAN, 1, "latency", "latency", "ns", CELL_SUMMARY)                  \
    M(CYCLES, of_chain ? value[RAM_CYCLES] : NAN, 1, "latency_cycles", "latency", "core cycles",             \
      CELL_SUMMARY, .is_clocked = true)
#define INDEX(name, ...) C_##name,
#define PARAMETER(name, cell, ...) {__VA_ARGS__, .role = ROLE_PARAMETER},
#define LABEL(name, cell, ...) {__VA_ARGS__, .role = ROLE_LABEL},
#define MEASURE(name, of, decimals, ...) {__VA_ARGS__, .role = ROLE_MEASURE, .digits = decimals},
#define CELL(name, is, ...) [C_##name] = is,
#define NOTHING(...)
enum { COLUMNS(INDEX, INDEX, INDEX) COLUMN_COUNT };
static const struct column columns[COLUMN_COUNT] = {COLUMNS(PARAMETER, LABEL, MEASURE)};

static const struct table_spec all_table = {
    .name = "bandwidth",
    .title = "Bandwidth, median, GiB/s",
    .note =
        "copy: bytes copied (read and written: twice that). write: bytes written. compare: the first halves "
        "of both buffers, bytes of both. agg-or, read: bytes read. All threads together; bytes/core cycle: "
        "of one thread. Kernels are held against each other round by round; those that cannot be told apart "
        "beyond L2 share one value. L1 and L2: "
        "while the SMT sibling idles, where a tenth of the run saw it idle.",
    .columns = columns,
    .column_count = COLUMN_COUNT,
    .view = {.kind = VIEW_MATRIX,
             .x = C_SET,
             .y = C_KERNEL,
             .value = C_GIBS,
             .series = C_TASK,
             .mark = MARK_COLUMN_MAX,
             .shown = C_DATA, /* no latencies */
             .lines = C_DURATION,
             .duration = C_DURATION},
};

enum { B_TASK, B_SIZE, B_GIBS, B_SPREAD, B_KERNEL, B_COUNT };

static const struct table_spec best_table = {
    .name = "best",
    .title = "Fastest kernel of each task by size, median, GiB/s",
    .note =
        "size: of each buffer, as --size has it; without --size the bytes that one thread keeps touching. "
        "L1 and L2: while the SMT sibling idles, where a tenth of the run saw it idle.",
    .columns = (const struct column[]){{"task", "task", NULL, CELL_CLASS, ROLE_PARAMETER, 0, ram_task_names},
                                       {"size", "size", "Byte", CELL_SIZE, ROLE_PARAMETER, 0},
                                       {"speed_gib", "speed", "GiByte/s", CELL_REAL, ROLE_MEASURE, 1},
                                       {"spread_gib", "p90 - p10", "GiByte/s", CELL_REAL, ROLE_LABEL, 1},
                                       {"kernel", "kernel", NULL, CELL_KERNEL, ROLE_LABEL, 0}},
    .column_count = B_COUNT,
    .view = {.kind = VIEW_CURVE,
             .derived = true,
             .x = B_SIZE,
             .y = B_GIBS,
             .value = B_GIBS,
             .series = B_TASK,
             .spread = B_SPREAD,
             .log_x = true,
             .log_value = true},
};

enum { L_SIZE, L_LATENCY, L_CYCLES, L_LEVEL, L_COUNT };

static const struct table_spec latency_table = {
    .name = "latency",
    .title = "Latency of a dependent load, median, ns",
    .note =
        "one load per cache line in random order, each address taken from the line before; in L1 and L2 32 "
        "pages after each other, and while the SMT sibling idles, where a tenth of the run saw it idle.",
    .columns =
        (const struct column[]){{"buffer_size", "buffer size", "Byte", CELL_SIZE, ROLE_PARAMETER, 0},
                                {"latency", "latency", "ns", CELL_REAL, ROLE_MEASURE, 1},
                                {"latency_cycles", "latency", "core cycles", CELL_REAL, ROLE_MEASURE, 1},
                                {"level", "level", NULL, CELL_CLASS, ROLE_LABEL, 0}},
    .column_count = L_COUNT,
    .view = {.kind = VIEW_CURVE,
             .derived = true,
             .x = L_SIZE,
             .y = L_LATENCY,
             .value = L_LATENCY,
             .log_x = true,
             .log_value = true,
             .series = -1},
};

/* All measures of ns and cycles of a pass or load, each in its column. A pass over a chain is as many loads as it has lines. */
static void measures_of(const struct ram_plan *plan, const struct ram_point *point,
                        const double value[RAM_WIDTH], double of[COLUMN_COUNT])
{
    const bool of_chain = ram_is_latency(point);
    const double loads = of_chain ? (double)(point->bytes / plan->line_bytes) : 1;
    const double s = value[RAM_NS] * loads * 1e-9, cycles = value[RAM_CYCLES] * loads;
    const double threads = (double)plan->threads, bytes = (double)point->bytes * threads,
                 traffic = bytes * ram_tasks[point->kernel->operation].traffic;
    const double all[COLUMN_COUNT] = {COLUMNS(NOTHING, NOTHING, CELL)};
    memcpy(of, all, sizeof all);
}

/* One column of measures: all samples of the point, appended to `all` (or NULL), and a summary of those that its answer rests on. The
 * median is that of the answer, so that size, time and speed agree in every row; the clock is that of all samples. */
static struct summary measure(const struct ram_plan *plan, size_t index, int column, struct samples *all)
{
    const struct engine_data *data = &plan->data;
    const struct ram_point *point = &plan->points[index];
    const struct ram_group *group = &plan->groups[point->group];
    const enum state state =
        ram_is_near(point) && group->best && column != C_GHZ ? group->estimate[RAM_NS].state : STATE_MIXED;
    struct samples counting = {0};
    double of[COLUMN_COUNT];
    for (int any = 0; any < 2 && counting.count == 0; any++)
        for (size_t sweep = 0; sweep < data->sweeps; sweep++) {
            const size_t cell = RAM_WIDTH * index;
            const double value[RAM_WIDTH] = {engine_value(data, sweep, cell + RAM_NS),
                                             engine_value(data, sweep, cell + RAM_CYCLES)};
            measures_of(plan, point, value, of);
            if (all && !any && !isnan(value[RAM_NS]))
                samples_add(all, of[column]);
            if (!isnan(of[column]) &&
                (any || state == STATE_MIXED ||
                 (engine_state(data, sweep, cell) == state && !engine_disturbed(data, sweep, cell))))
                samples_add(&counting, of[column]);
        }
    struct summary summary = summary_of(counting.value, counting.count);
    measures_of(plan, point, point->value, of);
    if (column != C_GHZ)
        summary.median = of[column];
    samples_free(&counting);
    return summary;
}

static void add_row(struct record *record, size_t table, const struct ram_plan *plan, size_t index,
                    uint64_t page_bytes)
{
    const struct ram_point *point = &plan->points[index];
    const struct kernel *kernel = point->kernel;
    const bool latency = ram_is_latency(point);
    const unsigned bits = kernel_bits(kernel);
    const uint64_t traffic = point->bytes * ram_tasks[kernel->operation].traffic;
    const struct cell data_is = latency ? NO_CELL : INTEGER_CELL(point->zero);
    /* Loads alone leave nothing behind that could be checked. */
    const struct cell verified = kernel->operation == OPERATION_READ ? NO_CELL : BOOL_CELL(true);
    char name[96], level[RAM_NAME], set[RAM_NAME];
    snprintf(name, sizeof name, "%s%s", kernel->name, point->zero ? " of zeros" : "");
    ram_level(plan, point, level);
    ram_set_name(plan, point->set, set);
    record_row(record, table, (const struct cell[COLUMN_COUNT]){COLUMNS(CELL, CELL, NOTHING)});
    for (int i = 0; i < COLUMN_COUNT; i++) {
        struct samples all = {0};
        if (columns[i].role != ROLE_MEASURE || (!latency && (i == C_LATENCY || i == C_CYCLES)))
            continue;
        const struct summary summary = measure(plan, index, i, &all);
        record_samples(record, table, i, &all, &summary);
        samples_free(&all);
    }
}

/* What was sampled too seldom for an answer is a row all the same. */
void ram_rows(struct record *record, const struct ram_plan *plan, uint64_t page_bytes)
{
    const size_t table = record_table_add(record, &all_table);
    size_t latencies = 0;
    for (size_t i = 0; i < plan->point_count; i++) {
        latencies += ram_is_latency(&plan->points[i]);
        if (measure(plan, i, C_DURATION, NULL).count)
            add_row(record, table, plan, i, page_bytes);
    }
    const size_t best = latencies < plan->point_count ? record_table_add(record, &best_table) : 0;
    for (int set = 0; set < plan->set_count; set++)
        for (int task = 0; task < OPERATION_LATENCY; task++) {
            const struct ram_group *group = ram_group_of(plan, (enum operation)task, &plan->sets[set]);
            if (!group)
                continue;
            const struct summary speed = measure(plan, (size_t)(group->best - plan->points), C_GIBS, NULL);
            record_row(record, best,
                       (const struct cell[B_COUNT]){[B_TASK] = INTEGER_CELL(task),
                                                    [B_SIZE] = INTEGER_CELL(plan->sets[set].bytes),
                                                    [B_GIBS] = REAL_CELL(speed.median),
                                                    [B_SPREAD] = REAL_CELL(speed.p90 - speed.p10),
                                                    [B_KERNEL] = TEXT_CELL(group->best->kernel->name)});
        }
    const size_t chains = latencies ? record_table_add(record, &latency_table) : 0;
    for (size_t i = 0; latencies && i < plan->point_count; i++) {
        const struct summary ns = measure(plan, i, C_LATENCY, NULL);
        char level[RAM_NAME];
        if (!ns.count) /* no latency, or left out */
            continue;
        ram_level(plan, &plan->points[i], level);
        record_row(
            record, chains,
            (const struct cell[L_COUNT]){[L_SIZE] = INTEGER_CELL(plan->points[i].bytes),
                                         [L_LATENCY] = REAL_CELL(ns.median),
                                         [L_CYCLES] = REAL_CELL(measure(plan, i, C_CYCLES, NULL).median),
                                         [L_LEVEL] = TEXT_CELL(level)});
    }
}
