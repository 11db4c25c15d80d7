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

/* What a sample came to in a column: a speed where `amount` is what is divided by its time, else the reading itself. */
struct measure {
    double amount;
    enum { SECONDS, NANOSECONDS, CYCLES, GHZ, NOTHING } reading;
};

static struct measure measure_of(const struct ram_plan *plan, const struct ram_point *point, int column)
{
    const bool latency = ram_is_latency(point);
    const double bytes = (double)(point->bytes * plan->threads);
    switch (column) {
    case C_DURATION:
        return (struct measure){NAN, SECONDS};
    case C_MIS:
        return (struct measure){bytes / sizeof(uint32_t) / 1e6, SECONDS};
    case C_MIBS:
        return (struct measure){bytes / (1 << 20), SECONDS};
    case C_GIBS:
        return (struct measure){bytes / (1 << 30), SECONDS};
    case C_TRAFFIC_GIBS:
        return (struct measure){(double)(point->traffic * plan->threads) / (1 << 30), SECONDS};
    case C_PER_CYCLE:
        return (struct measure){(double)point->bytes, CYCLES}; /* of one thread */
    case C_GHZ:
        return (struct measure){NAN, GHZ};
    case C_LATENCY:
        return (struct measure){NAN, latency ? NANOSECONDS : NOTHING};
    default:
        return (struct measure){NAN, latency ? CYCLES : NOTHING};
    }
}

/* A pass over a chain is as many loads as it has lines. */
static double loads_of(const struct ram_plan *plan, const struct ram_point *point,
                       const struct measure *measure)
{
    return ram_is_latency(point) && (measure->reading == SECONDS || !isnan(measure->amount))
               ? (double)(point->bytes / plan->line_bytes)
               : 1;
}

static double reading_of(const struct ram_plan *plan, const struct ram_point *point,
                         const struct measure *measure, size_t sample)
{
    const double seconds = point->seconds.value[sample] * loads_of(plan, point, measure);
    const double ghz = point->ghz.value[sample];
    return measure->reading == SECONDS       ? seconds
           : measure->reading == NANOSECONDS ? seconds * 1e9
           : measure->reading == CYCLES      ? seconds * 1e9 * ghz
                                             : ghz;
}

/* The median speed is that of the median time, so that size, time and speed agree in every row. */
static struct summary speed_summary(double amount, const struct summary *time)
{
    return (struct summary){.count = time->count,
                            .min = amount / time->max,
                            .p10 = amount / time->p90,
                            .median = amount / time->median,
                            .p90 = amount / time->p10,
                            .max = amount / time->min,
                            .mean = NAN,
                            .mad = NAN};
}

/* Around the value of the answers, so that one page has one answer; within the core of the samples of its state alone. The clock is
 * that of all. */
static struct summary summary_in(const struct ram_plan *plan, const struct ram_point *point,
                                 const struct measure *measure, const struct samples *known)
{
    const struct estimate *e = measure->reading == CYCLES ? &point->cycles_of_pass : &point->seconds_of_pass;
    const double unit = loads_of(plan, point, measure) * (measure->reading == NANOSECONDS ? 1e9 : 1);
    struct summary summary = summary_of(known->value, known->count);
    if (!point->measured || measure->reading == GHZ || isnan(e->value))
        return summary;
    if (ram_is_near(point)) {
        summary = e->summary;
        double *const scaled[] = {&summary.min, &summary.p10, &summary.p90, &summary.max};
        for (size_t i = 0; i < sizeof scaled / sizeof *scaled; i++)
            *scaled[i] *= unit;
    }
    summary.median = e->value * unit;
    return summary;
}

static void add_measure(struct record *record, size_t table, const struct ram_plan *plan,
                        const struct ram_point *point, int column)
{
    const struct measure measure = measure_of(plan, point, column);
    struct samples values = {0}, known = {0};
    for (size_t i = 0; i < point->seconds.count && measure.reading != NOTHING; i++) {
        const double reading = reading_of(plan, point, &measure, i);
        samples_add(&values, isnan(measure.amount) ? reading : measure.amount / reading);
        if (!isnan(reading))
            samples_add(&known, reading);
    }
    const struct summary time = summary_in(plan, point, &measure, &known);
    const struct summary speed = speed_summary(measure.amount, &time);
    if (values.count)
        record_samples(record, table, column, &values, isnan(measure.amount) ? &time : &speed);
    samples_free(&known);
    samples_free(&values);
}

static void add_row(struct record *record, size_t table, const struct ram_plan *plan,
                    const struct ram_point *point, uint64_t page_bytes)
{
    const struct kernel *kernel = point->kernel;
    const bool latency = ram_is_latency(point);
    const unsigned bits = kernel_bits(kernel);
    char label[96];
    snprintf(label, sizeof label, "%s%s", kernel->name, point->zero ? " of zeros" : "");
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
        [C_LEVEL] = TEXT_CELL(ram_level(plan, point)),
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
        if (columns[i].role == ROLE_MEASURE)
            add_measure(record, table, plan, point, i);
}

static void best_row(struct record *record, size_t table, const struct ram_plan *plan,
                     const struct ram_point *point)
{
    const struct estimate *time = &point->seconds_of_pass;
    const double amount = measure_of(plan, point, C_GIBS).amount;
    const struct cell cells[B_COUNT] = {
        [B_TASK] = INTEGER_CELL(point->kernel->operation),
        [B_SIZE] = INTEGER_CELL(point->set->bytes),
        [B_GIBS] = REAL_CELL(amount / time->value),
        [B_SPREAD] = REAL_CELL(amount / time->summary.p10 - amount / time->summary.p90),
        [B_KERNEL] = TEXT_CELL(point->kernel->name),
    };
    record_row(record, table, cells);
}

static void latency_row(struct record *record, size_t table, const struct ram_plan *plan,
                        const struct ram_point *point)
{
    const struct cell cells[L_COUNT] = {
        [L_SIZE] = INTEGER_CELL(point->bytes),
        [L_LATENCY] = REAL_CELL(point->seconds_of_pass.value * 1e9),
        [L_CYCLES] = REAL_CELL(point->cycles_of_pass.value),
        [L_LEVEL] = TEXT_CELL(ram_level(plan, point)),
    };
    record_row(record, table, cells);
}

static void best_rows(struct record *record, const struct ram_plan *plan)
{
    const size_t table = record_table_add(record, &best_table);
    for (int set = 0; set < plan->set_count; set++)
        for (int operation = 0; operation < OPERATION_LATENCY; operation++) {
            const struct ram_point *best = ram_best(plan, (enum operation)operation, &plan->sets[set]);
            if (best)
                best_row(record, table, plan, best);
        }
}

static size_t latency_count(const struct ram_plan *plan)
{
    size_t count = 0;
    for (size_t i = 0; i < plan->point_count; i++)
        count += ram_is_latency(&plan->points[i]);
    return count;
}

void ram_rows(struct record *record, const struct ram_plan *plan, uint64_t page_bytes)
{
    const size_t all = record_table_add(record, &all_table), latencies = latency_count(plan);
    for (size_t i = 0; i < plan->point_count; i++)
        if (plan->points[i].seconds.count)
            add_row(record, all, plan, &plan->points[i], page_bytes);
    if (latencies < plan->point_count)
        best_rows(record, plan);
    const size_t table = latencies ? record_table_add(record, &latency_table) : 0;
    for (size_t i = 0; i < plan->point_count; i++)
        if (plan->points[i].seconds.count && ram_is_latency(&plan->points[i]))
            latency_row(record, table, plan, &plan->points[i]);
}
