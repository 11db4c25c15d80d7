/* SPDX-License-Identifier: MIT */
/* The tables of `ram`: RAMOMETER's columns in its order and wording, then ours; and their views. */
#include <math.h>
#include <string.h>

#include "ram.h"

enum {
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
    C_VERIFIED,
    C_ALLOCATED,
    C_ALLOCATED_GIBS,
    C_LATENCY,
    C_CYCLES,
    COLUMN_COUNT
};
static const struct column columns[COLUMN_COUNT] = {
    [C_SIZE] = {"buffer_size", "buffer size", "Byte", CELL_SIZE, ROLE_PARAMETER},
    [C_TASK] = {"task", "task", NULL, CELL_CLASS, ROLE_PARAMETER, .names = ram_task_names},
    [C_METHOD] = {"method", "method", NULL, CELL_CLASS, ROLE_PARAMETER, .names = method_names},
    [C_LOAD] = {"load_mode", "load mode", NULL, CELL_CLASS, ROLE_PARAMETER, .names = access_names},
    [C_STORE] = {"store_mode", "store mode", NULL, CELL_CLASS, ROLE_PARAMETER, .names = access_names},
    [C_EL_BYTES] = {"element_bytes", "el size", "Byte", CELL_SIZE, ROLE_PARAMETER},
    [C_EL_BITS] = {"element_bits", "el size", "Bit", CELL_INTEGER, ROLE_PARAMETER},
    [C_DURATION] = {"duration", "duration", "s", CELL_SUMMARY, ROLE_MEASURE, 9},
    [C_MIS] = {"speed_mis", "speed", "mis", CELL_REAL, ROLE_MEASURE, 1},
    [C_MIBS] = {"speed_mib", "speed", "MiByte/s", CELL_REAL, ROLE_MEASURE, 1},
    [C_GIBS] = {"speed_gib", "speed", "GiByte/s", CELL_SUMMARY, ROLE_MEASURE, 1},
    [C_SET] = {"set", "working set", NULL, CELL_CLASS, ROLE_LABEL},
    [C_FOOTPRINT] = {"footprint", "footprint", "Byte", CELL_SIZE, ROLE_LABEL},
    [C_LEVEL] = {"level", "level", NULL, CELL_CLASS, ROLE_LABEL},
    [C_THREADS] = {"threads", "threads", NULL, CELL_INTEGER, ROLE_PARAMETER},
    [C_TRAFFIC] = {"traffic", "traffic", "Byte", CELL_SIZE, ROLE_LABEL},
    [C_TRAFFIC_GIBS] = {"traffic_gib", "traffic", "GiByte/s", CELL_REAL, ROLE_MEASURE, 1},
    [C_PER_CYCLE] = {"bytes_per_cycle", "speed", "bytes/cycle", CELL_SUMMARY, ROLE_MEASURE, 1,
                     .is_clocked = true},
    [C_GHZ] = {"core_ghz", "core clock", "GHz", CELL_REAL, ROLE_MEASURE, 2, .is_clocked = true},
    [C_PAGE] = {"page_size", "page size", "Byte", CELL_SIZE, ROLE_LABEL},
    [C_KERNEL] = {"kernel", "kernel", NULL, CELL_CLASS, ROLE_LABEL},
    [C_VERIFIED] = {"verified", "verified", NULL, CELL_BOOL, ROLE_LABEL},
    [C_ALLOCATED] = {"traffic_allocated", "traffic with write-allocate", "Byte", CELL_SIZE, ROLE_LABEL},
    [C_ALLOCATED_GIBS] = {"traffic_allocated_gib", "traffic with write-allocate", "GiByte/s", CELL_REAL,
                          ROLE_MEASURE, 1},
    [C_LATENCY] = {"latency", "latency", "ns", CELL_SUMMARY, ROLE_MEASURE, 1},
    [C_CYCLES] = {"latency_cycles", "latency", "cycles", CELL_SUMMARY, ROLE_MEASURE, 1, .is_clocked = true},
};

static const struct table_spec all_table = {
    .name = "bandwidth",
    .title = "Bandwidth, median, GiB/s",
    .note =
        "copy: bytes copied (read and written: twice that). write: bytes written. compare: the first halves "
        "of both buffers, bytes of both. agg-or, read: bytes read. All threads together; bytes/cycle: "
        "of one thread. All statistics of a kernel are of all its samples, whatever the SMT sibling did; the "
        "answers compare kernels round by round.",
    .columns = columns,
    .column_count = COLUMN_COUNT,
    .view = {.kind = VIEW_MATRIX,
             .x = C_SET,
             .y = C_KERNEL,
             .value = C_GIBS,
             .series = C_TASK,
             .panel = C_THREADS,
             .mark = true,
             .shown = C_TRAFFIC, /* no latencies */
             .lines = C_DURATION,
             .duration = C_DURATION}};

static const struct table_spec best_table = {
    .name = "best",
    .title = "Fastest kernel of each task by size, median, GiB/s",
    .note =
        "size: of each buffer, as in --size; without --size the bytes that one thread keeps touching. "
        "L1 and L2: with the SMT sibling idle, if it was idle in a tenth of the run.",
    .columns =
        (const struct column[]){{"task", "task", NULL, CELL_CLASS, ROLE_PARAMETER, 0, ram_task_names, false},
                                {"size", "size", "Byte", CELL_SIZE, ROLE_PARAMETER, 0, NULL, false},
                                {"threads", "threads", NULL, CELL_INTEGER, ROLE_PARAMETER, 0, NULL, false},
                                {"speed_gib", "speed", "GiByte/s", CELL_REAL, ROLE_MEASURE, 1, NULL, false},
                                {"kernel", "kernel", NULL, CELL_TEXT, ROLE_LABEL, 0, NULL, false}},
    .column_count = 5,
    .view = {VIEW_CURVE, .derived = true, .x = 1, .y = 3, .value = 3, .panel = 2, .log_x = true,
             .log_value = true}};

static const struct table_spec latency_table = {
    .name = "latency",
    .title = "Latency of a dependent load, median, ns",
    .note =
        "L1 and L2: one load per cache line in random order, 32 pages after each other, each address taken "
        "from the line before, with the SMT sibling idle, if it was idle in a tenth of the run. Beyond: "
        "lines drawn at random, each by the load before, less the time of drawing.",
    .columns = (const struct column[]){{"buffer_size", "buffer size", "Byte", CELL_SIZE, ROLE_PARAMETER, 0,
                                        NULL, false},
                                       {"latency", "latency", "ns", CELL_REAL, ROLE_MEASURE, 1, NULL, false}},
    .column_count = 2,
    .view = {VIEW_CURVE, .derived = true, .y = 1, .value = 1, .series = -1, .log_x = true,
             .log_value = true}};

/* Bytes that plain stores read, which write whole lines but not in place. NaN: unknown, as for microcode
 * and libraries. */
static double allocated_of(const struct ram_point *point)
{
    const struct kernel *kernel = point->kernel;
    const struct ram_task *task = &ram_tasks[ram_task_of(kernel)];
    const bool known = kernel->method == METHOD_VECTOR || kernel->method == METHOD_SCALAR;
    const bool reads = task->stores && !task->in_place && kernel->store != ACCESS_STREAMING;
    return !task->stores ? 0 : !known ? NAN : reads ? (double)point->bytes : 0;
}

/* Sets all measures from ns and cycles of a pass or load, each in its column. A pass over a chain is as
 * many loads as it has lines. */
static void measures_of(const struct ram_plan *plan, const struct ram_point *point,
                        const double value[RAM_WIDTH], double of[COLUMN_COUNT])
{
    const bool of_chain = ram_is_latency(point);
    const double loads = of_chain ? (double)(point->bytes / plan->line_bytes) : 1;
    const double s = value[RAM_NS] * loads * 1e-9, cycles = value[RAM_CYCLES] * loads;
    const double threads = (double)point->set->crew->threads, bytes = (double)ram_counted(point) * threads,
                 traffic = (double)ram_traffic(point) * threads,
                 allocated = traffic + allocated_of(point) * threads;
    const double all[COLUMN_COUNT] = {
        [C_DURATION] = s,
        [C_MIS] = bytes / 4e6 / s,
        [C_MIBS] = bytes / 0x1p20 / s,
        [C_GIBS] = bytes / 0x1p30 / s,
        [C_TRAFFIC_GIBS] = traffic / 0x1p30 / s,
        [C_PER_CYCLE] = bytes / threads / cycles,
        [C_GHZ] = cycles / s * 1e-9,
        [C_ALLOCATED_GIBS] = allocated / 0x1p30 / s,
        [C_LATENCY] = of_chain ? value[RAM_NS] : NAN,
        [C_CYCLES] = of_chain ? value[RAM_CYCLES] : NAN,
    };
    memcpy(of, all, sizeof all);
}

/* Appends the samples of the point to each column of measures in `all`, and summarises them: all
 * statistics of a row are of the same samples, where the answer may be of one state, or of several kernels.
 * Speeds are those of the median time, so that size, time and speed agree in every row. */
static void measure(const struct ram_plan *plan, size_t index, struct samples all[COLUMN_COUNT],
                    struct summary summary[COLUMN_COUNT])
{
    const struct engine_data *data = &plan->data;
    const struct ram_point *point = &plan->points[index];
    struct samples known[COLUMN_COUNT] = {{0}};
    struct samples ns = {0}, cycles = {0};
    double of[COLUMN_COUNT];
    for (size_t round = 0; round < data->kept; round++) {
        const double value[RAM_WIDTH] = {engine_value(data, round, RAM_WIDTH * index + RAM_NS),
                                         engine_value(data, round, RAM_WIDTH * index + RAM_CYCLES)};
        measures_of(plan, point, value, of);
        samples_add(&ns, value[RAM_NS]);
        samples_add(&cycles, value[RAM_CYCLES]);
        for (int c = 0; c < COLUMN_COUNT && !isnan(value[RAM_NS]); c++) {
            if (columns[c].role != ROLE_MEASURE)
                continue;
            samples_add(&all[c], of[c]);
            if (!isnan(of[c]))
                samples_add(&known[c], of[c]);
        }
    }
    const double median[RAM_WIDTH] = {median_of(ns.value, ns.count), median_of(cycles.value, cycles.count)};
    measures_of(plan, point, median, of);
    samples_free(&ns);
    samples_free(&cycles);
    for (int c = 0; c < COLUMN_COUNT; c++) {
        summary[c] = summary_of(known[c].value, known[c].count);
        summary[c].median = c == C_GHZ ? summary[c].median : of[c];
        samples_free(&known[c]);
    }
}

/* Adds the row of a point; the fastest of its group, and a chain, also get a row of a view. */
static void add_point(struct record *record, const size_t table[3], const struct ram_plan *plan, size_t index,
                      uint64_t page_bytes)
{
    const struct ram_point *point = &plan->points[index];
    const struct kernel *kernel = point->kernel;
    const bool latency = ram_is_latency(point);
    const unsigned bits = kernel_bits(kernel);
    const uint64_t traffic = ram_traffic(point);
    const double allocated = allocated_of(point);
    /* Loads leave nothing behind to check. */
    const struct cell verified = kernel->operation == OPERATION_READ ? NO_CELL : BOOL_CELL(true);
    struct samples all[COLUMN_COUNT] = {{0}};
    struct summary of[COLUMN_COUNT];
    double best[COLUMN_COUNT]; /* by the value that answers rest on */
    char level[RAM_NAME], set[RAM_NAME];
    measure(plan, index, all, of);
    measures_of(plan, point, point->value, best);
    if (!all[C_DURATION].count)
        return;
    ram_names(plan, point, level, set);
    record_row(record, table[0],
               (const struct cell[COLUMN_COUNT]){
                   [C_SIZE] = INTEGER_CELL(point->bytes),
                   [C_TASK] = INTEGER_CELL(ram_task_of(kernel)),
                   [C_METHOD] = INTEGER_CELL(kernel->method),
                   [C_LOAD] = INTEGER_CELL(kernel->load),
                   [C_STORE] = INTEGER_CELL(kernel->store),
                   [C_EL_BYTES] = INTEGER_CELL(bits / 8),
                   [C_EL_BITS] = INTEGER_CELL(bits),
                   [C_SET] = TEXT_CELL(set),
                   [C_FOOTPRINT] = INTEGER_CELL(point->footprint),
                   [C_LEVEL] = TEXT_CELL(level),
                   [C_THREADS] = INTEGER_CELL(point->set->crew->threads),
                   [C_TRAFFIC] = latency ? NO_CELL : INTEGER_CELL(traffic),
                   [C_PAGE] = INTEGER_CELL(page_bytes),
                   [C_KERNEL] = TEXT_CELL(kernel->name),
                   [C_VERIFIED] = verified,
                   [C_ALLOCATED] =
                       latency || isnan(allocated) ? NO_CELL : INTEGER_CELL(traffic + (uint64_t)allocated),
               });
    for (int c = 0; c < COLUMN_COUNT; c++) {
        if (columns[c].role == ROLE_MEASURE && (latency || (c != C_LATENCY && c != C_CYCLES)))
            record_samples(record, table[0], c, &all[c], &of[c]);
        samples_free(&all[c]);
    }
    if (latency)
        record_row(record, table[2],
                   (const struct cell[]){INTEGER_CELL(point->bytes), REAL_CELL(best[C_LATENCY])});
    else if (plan->groups[point->group].best == point)
        record_row(record, table[1],
                   (const struct cell[]){INTEGER_CELL(kernel->operation), INTEGER_CELL(point->set->bytes),
                                         INTEGER_CELL(point->set->crew->threads), REAL_CELL(best[C_GIBS]),
                                         TEXT_CELL(kernel->name)});
}

void ram_rows(struct record *record, const struct ram_plan *plan, uint64_t page_bytes)
{
    size_t latencies = 0, table[3] = {record_table_add(record, &all_table)};
    for (size_t i = 0; i < plan->point_count; i++)
        latencies += ram_is_latency(&plan->points[i]);
    table[1] = latencies < plan->point_count ? record_table_add(record, &best_table) : 0;
    table[2] = latencies > 0 ? record_table_add(record, &latency_table) : 0;
    for (size_t i = 0; i < plan->point_count; i++)
        add_point(record, table, plan, i, page_bytes);
}
