/* SPDX-License-Identifier: MIT */
/* The tables of `ram`: RAMOMETER's columns in its order and wording, then ours; and what people see of them. */
#include <math.h>
#include <stdio.h>

#include "ram.h"

enum column_index {
    C_SIZE,
    C_TASK,
    C_METHOD,
    C_LOAD,
    C_STORE,
    C_EL_BYTES,
    C_EL_BITS,
    C_DURATION,
    C_MIS,
    C_MIBS,
    C_GIBS,
    C_SET,
    C_FOOTPRINT,
    C_LEVEL,
    C_THREADS,
    C_TRAFFIC,
    C_TRAFFIC_GIBS,
    C_PER_CYCLE,
    C_GHZ,
    C_PAGE,
    C_KERNEL,
    C_DATA,
    C_VERIFIED,
    C_LATENCY,
    C_CYCLES,
    COLUMN_COUNT
};

static const char *const data_names[] = {"non-zero", "zero", NULL};

static const struct column columns[COLUMN_COUNT] = {
    [C_SIZE] = {"buffer_size", "buffer size", "Byte", CELL_SIZE, ROLE_PARAMETER, 0},
    [C_TASK] = {"task", "task", NULL, CELL_CLASS, ROLE_PARAMETER, 0, ram_task_names},
    [C_METHOD] = {"method", "method", NULL, CELL_CLASS, ROLE_PARAMETER, 0, method_names},
    [C_LOAD] = {"load_mode", "load mode", NULL, CELL_CLASS, ROLE_PARAMETER, 0, access_names},
    [C_STORE] = {"store_mode", "store mode", NULL, CELL_CLASS, ROLE_PARAMETER, 0, access_names},
    [C_EL_BYTES] = {"element_bytes", "el size", "Byte", CELL_SIZE, ROLE_PARAMETER, 0},
    [C_EL_BITS] = {"element_bits", "el size", "Bit", CELL_INTEGER, ROLE_PARAMETER, 0},
    [C_DURATION] = {"duration", "duration", "s", CELL_SUMMARY, ROLE_MEASURE, 9},
    [C_MIS] = {"speed_mis", "speed", "mis", CELL_REAL, ROLE_MEASURE, 1},
    [C_MIBS] = {"speed_mib", "speed", "MiByte/s", CELL_REAL, ROLE_MEASURE, 1},
    [C_GIBS] = {"speed_gib", "speed", "GiByte/s", CELL_SUMMARY, ROLE_MEASURE, 1},
    [C_SET] = {"set", "working set", NULL, CELL_CLASS, ROLE_LABEL, 0},
    [C_FOOTPRINT] = {"footprint", "footprint", "Byte", CELL_SIZE, ROLE_LABEL, 0},
    [C_LEVEL] = {"level", "level", NULL, CELL_CLASS, ROLE_LABEL, 0},
    [C_THREADS] = {"threads", "threads", NULL, CELL_INTEGER, ROLE_PARAMETER, 0},
    [C_TRAFFIC] = {"traffic", "traffic", "Byte", CELL_SIZE, ROLE_LABEL, 0},
    [C_TRAFFIC_GIBS] = {"traffic_gib", "traffic", "GiByte/s", CELL_REAL, ROLE_MEASURE, 1},
    [C_PER_CYCLE] = {"bytes_per_cycle", "speed", "bytes/core cycle", CELL_SUMMARY, ROLE_MEASURE, 1,
                     .is_clocked = true},
    [C_GHZ] = {"core_ghz", "core clock", "GHz", CELL_REAL, ROLE_MEASURE, 2, .is_clocked = true},
    [C_PAGE] = {"page_size", "page size", "Byte", CELL_SIZE, ROLE_LABEL, 0},
    [C_KERNEL] = {"kernel", "kernel", NULL, CELL_CLASS, ROLE_LABEL, 0},
    [C_DATA] = {"data", "data", NULL, CELL_CLASS, ROLE_PARAMETER, 0, data_names},
    [C_VERIFIED] = {"verified", "verified", NULL, CELL_BOOL, ROLE_LABEL, 0},
    [C_LATENCY] = {"latency", "latency", "ns", CELL_SUMMARY, ROLE_MEASURE, 1},
    [C_CYCLES] = {"latency_cycles", "latency", "core cycles", CELL_SUMMARY, ROLE_MEASURE, 1,
                  .is_clocked = true},
};

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

enum best_index { B_TASK, B_SIZE, B_GIBS, B_SPREAD, B_KERNEL, B_COUNT };

static const struct column best_columns[B_COUNT] = {
    [B_TASK] = {"task", "task", NULL, CELL_CLASS, ROLE_PARAMETER, 0, ram_task_names},
    [B_SIZE] = {"size", "size", "Byte", CELL_SIZE, ROLE_PARAMETER, 0},
    [B_GIBS] = {"speed_gib", "speed", "GiByte/s", CELL_REAL, ROLE_MEASURE, 1},
    [B_SPREAD] = {"spread_gib", "p90 - p10", "GiByte/s", CELL_REAL, ROLE_LABEL, 1},
    [B_KERNEL] = {"kernel", "kernel", NULL, CELL_KERNEL, ROLE_LABEL, 0},
};

static const struct table_spec best_table = {
    .name = "best",
    .title = "Fastest kernel of each task by size, median, GiB/s",
    .note =
        "size: of each buffer, as --size has it; without --size the bytes that one thread keeps touching. "
        "L1 and L2: while the SMT sibling idles, where a tenth of the run saw it idle.",
    .columns = best_columns,
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

enum latency_index { L_SIZE, L_LATENCY, L_CYCLES, L_LEVEL, L_COUNT };

static const struct column latency_columns[L_COUNT] = {
    [L_SIZE] = {"buffer_size", "buffer size", "Byte", CELL_SIZE, ROLE_PARAMETER, 0},
    [L_LATENCY] = {"latency", "latency", "ns", CELL_REAL, ROLE_MEASURE, 1},
    [L_CYCLES] = {"latency_cycles", "latency", "core cycles", CELL_REAL, ROLE_MEASURE, 1},
    [L_LEVEL] = {"level", "level", NULL, CELL_CLASS, ROLE_LABEL, 0},
};

static const struct table_spec latency_table = {
    .name = "latency",
    .title = "Latency of a dependent load, median, ns",
    .note =
        "one load per cache line in random order, each address taken from the line before; in L1 and L2 32 "
        "pages after each other, and while the SMT sibling idles, where a tenth of the run saw it idle.",
    .columns = latency_columns,
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

/* A column of measures, of ns and cycles of a pass or load. A pass over a chain is as many loads as it has lines. */
static double measure_of(const struct ram_plan *plan, const struct ram_point *point, int column,
                         const double value[RAM_WIDTH])
{
    const bool latency = ram_is_latency(point);
    const double loads = latency ? (double)(point->bytes / plan->line_bytes) : 1;
    const double seconds = value[RAM_NS] * loads * 1e-9, bytes = (double)(point->bytes * plan->threads);
    switch (column) {
    case C_DURATION:
        return seconds;
    case C_MIS:
        return bytes / sizeof(uint32_t) / 1e6 / seconds;
    case C_MIBS:
        return bytes / (1 << 20) / seconds;
    case C_GIBS:
        return bytes / (1 << 30) / seconds;
    case C_TRAFFIC_GIBS:
        return (double)(point->traffic * plan->threads) / (1 << 30) / seconds;
    case C_PER_CYCLE:
        return (double)point->bytes / (value[RAM_CYCLES] * loads); /* of one thread */
    case C_GHZ:
        return value[RAM_CYCLES] / value[RAM_NS];
    default:
        return !latency ? NAN : value[column == C_CYCLES ? RAM_CYCLES : RAM_NS];
    }
}

/* The median speed is that of the median time, so that size, time and speed agree in every row. */
static struct summary summary_in(const struct ram_plan *plan, const struct ram_point *point, int column)
{
    const struct summary *ns = &point->own[RAM_NS], *cycles = &point->own[RAM_CYCLES];
    const double value[][RAM_WIDTH] = {{ns->min, cycles->min},
                                       {ns->p10, cycles->p10},
                                       {ns->median, cycles->median},
                                       {ns->p90, cycles->p90},
                                       {ns->max, cycles->max}};
    double of[5];
    for (int i = 0; i < 5; i++)
        of[i] = measure_of(plan, point, column, value[i]);
    return (struct summary){.count = columns[column].is_clocked ? cycles->count : ns->count,
                            .min = fmin(of[0], of[4]),
                            .p10 = fmin(of[1], of[3]),
                            .median = of[2],
                            .p90 = fmax(of[1], of[3]),
                            .max = fmax(of[0], of[4]),
                            .mean = NAN,
                            .mad = NAN};
}

/* The clock is that of all samples. */
static void add_measure(struct record *record, size_t table, const struct ram_plan *plan,
                        const struct engine_data *data, size_t index, int column)
{
    const struct ram_point *point = &plan->points[index];
    struct samples values = {0};
    for (size_t sweep = 0; sweep < data->sweeps; sweep++) {
        const double value[RAM_WIDTH] = {engine_value(data, sweep, RAM_WIDTH * index + RAM_NS),
                                         engine_value(data, sweep, RAM_WIDTH * index + RAM_CYCLES)};
        if (!isnan(value[RAM_NS]))
            samples_add(&values, measure_of(plan, point, column, value));
    }
    struct summary summary = summary_in(plan, point, column);
    if (column == C_GHZ)
        summary = (struct summary){.median = median_of(values.value, values.count)};
    record_samples(record, table, column, &values, &summary);
    samples_free(&values);
}

static void add_row(struct record *record, size_t table, const struct ram_plan *plan,
                    const struct engine_data *data, size_t index, uint64_t page_bytes)
{
    const struct ram_point *point = &plan->points[index];
    const struct kernel *kernel = point->kernel;
    const bool latency = ram_is_latency(point);
    const unsigned bits = kernel_bits(kernel);
    char label[96], level[RAM_NAME];
    snprintf(label, sizeof label, "%s%s", kernel->name, point->zero ? " of zeros" : "");
    ram_level(plan, point, level);
    const struct cell cells[COLUMN_COUNT] = {
        [C_SIZE] = INTEGER_CELL(point->bytes),
        [C_TASK] = INTEGER_CELL(kernel->operation),
        [C_METHOD] = INTEGER_CELL(kernel->method),
        [C_LOAD] = INTEGER_CELL(kernel->load),
        [C_STORE] = INTEGER_CELL(kernel->store),
        [C_EL_BYTES] = INTEGER_CELL(bits / 8),
        [C_EL_BITS] = INTEGER_CELL(bits),
        [C_SET] = TEXT_CELL(point->set->label),
        [C_FOOTPRINT] = INTEGER_CELL(point->footprint),
        [C_LEVEL] = TEXT_CELL(level),
        [C_THREADS] = INTEGER_CELL(plan->threads),
        [C_TRAFFIC] = INTEGER_CELL(point->traffic),
        [C_PAGE] = INTEGER_CELL(page_bytes),
        [C_KERNEL] = TEXT_CELL(label),
        [C_DATA] = latency ? NO_CELL : INTEGER_CELL(point->zero),
        /* Loads alone leave nothing behind that could be checked. */
        [C_VERIFIED] = kernel->operation == OPERATION_READ ? NO_CELL : BOOL_CELL(true),
    };
    record_row(record, table, cells);
    for (int i = 0; i < COLUMN_COUNT; i++)
        if (columns[i].role == ROLE_MEASURE && (latency || (i != C_LATENCY && i != C_CYCLES)))
            add_measure(record, table, plan, data, index, i);
}

/* The fastest kernel of each task on each set, and the latencies. */
static void add_views(struct record *record, const struct ram_plan *plan, bool bandwidths, bool latencies)
{
    const size_t best = bandwidths ? record_table_add(record, &best_table) : 0;
    for (int set = 0; set < plan->set_count; set++)
        for (int operation = 0; operation < OPERATION_LATENCY; operation++) {
            const struct ram_point *point = ram_best(plan, (enum operation)operation, &plan->sets[set]);
            if (!point)
                continue;
            const struct summary speed = summary_in(plan, point, C_GIBS);
            const struct cell cells[B_COUNT] = {[B_TASK] = INTEGER_CELL(operation),
                                                [B_SIZE] = INTEGER_CELL(point->set->bytes),
                                                [B_GIBS] = REAL_CELL(speed.median),
                                                [B_SPREAD] = REAL_CELL(speed.p90 - speed.p10),
                                                [B_KERNEL] = TEXT_CELL(point->kernel->name)};
            record_row(record, best, cells);
        }
    const size_t chains = latencies ? record_table_add(record, &latency_table) : 0;
    for (size_t i = 0; i < plan->point_count; i++) {
        const struct ram_point *point = &plan->points[i];
        char level[RAM_NAME];
        if (!ram_is_latency(point) || !point->own[RAM_NS].count)
            continue;
        ram_level(plan, point, level);
        const struct cell cells[L_COUNT] = {[L_SIZE] = INTEGER_CELL(point->bytes),
                                            [L_LATENCY] = REAL_CELL(point->own[RAM_NS].median),
                                            [L_CYCLES] = REAL_CELL(point->own[RAM_CYCLES].median),
                                            [L_LEVEL] = TEXT_CELL(level)};
        record_row(record, chains, cells);
    }
}

void ram_rows(struct record *record, const struct ram_plan *plan, const struct engine_data *data,
              uint64_t page_bytes)
{
    const size_t all = record_table_add(record, &all_table);
    size_t latencies = 0;
    for (size_t i = 0; i < plan->point_count; i++) {
        latencies += ram_is_latency(&plan->points[i]);
        if (plan->points[i].own[RAM_NS].count)
            add_row(record, all, plan, data, i, page_bytes);
    }
    add_views(record, plan, latencies<plan->point_count, latencies> 0);
}
