/* SPDX-License-Identifier: MIT */
/* What `ram` prints: RAMOMETER's columns in its order and wording, then ours. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ram.h"

static const double MIB = 1024.0 * 1024, GIB = 1024.0 * 1024 * 1024;

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
    [C_SET] = {"set", "working set", NULL, CELL_CLASS, ROLE_PARAMETER, 0},
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
};

const struct table_spec ram_table = {
    .name = "bandwidth",
    .title = "Bandwidth, median, GiB/s",
    .note =
        "copy: bytes copied (read and written: twice that). write: bytes written. compare: the first halves "
        "of "
        "both buffers, bytes of both. agg-or, read: bytes read. All threads together; bytes/core cycle: of "
        "one thread.",
    .columns = columns,
    .column_count = COLUMN_COUNT,
    .view = {.kind = VIEW_MATRIX,
             .x = C_SET,
             .y = C_KERNEL,
             .value = C_GIBS,
             .series = C_TASK,
             .mark = MARK_COLUMN_MAX,
             .lines = C_DURATION,
             .duration = C_DURATION},
};

enum best_index { B_TASK, B_FOOTPRINT, B_LEVEL, B_GIBS, B_SPREAD, B_KERNEL, B_COUNT };

static const struct column best_columns[B_COUNT] = {
    [B_TASK] = {"task", "task", NULL, CELL_CLASS, ROLE_PARAMETER, 0, ram_task_names},
    [B_FOOTPRINT] = {"footprint", "footprint", "Byte", CELL_SIZE, ROLE_PARAMETER, 0},
    [B_LEVEL] = {"level", "level", NULL, CELL_CLASS, ROLE_LABEL, 0},
    [B_GIBS] = {"speed_gib", "speed", "GiByte/s", CELL_REAL, ROLE_MEASURE, 1},
    [B_SPREAD] = {"spread_gib", "p90 - p10", "GiByte/s", CELL_REAL, ROLE_LABEL, 1},
    [B_KERNEL] = {"kernel", "kernel", NULL, CELL_KERNEL, ROLE_LABEL, 0},
};

const struct table_spec ram_best_table = {
    .name = "best",
    .title = "Fastest kernel of each task by footprint, median, GiB/s",
    .note = "footprint: the bytes that one thread keeps touching.",
    .columns = best_columns,
    .column_count = B_COUNT,
    .view = {.kind = VIEW_CURVE,
             .x = B_FOOTPRINT,
             .y = B_GIBS,
             .value = B_GIBS,
             .series = B_TASK,
             .spread = B_SPREAD,
             .log_x = true,
             .log_value = true},
};

enum latency_index {
    L_SIZE,
    L_LATENCY,
    L_CYCLES,
    L_SET,
    L_LEVEL,
    L_THREADS,
    L_GHZ,
    L_PAGE,
    L_KERNEL,
    L_VERIFIED,
    L_COUNT
};

static const struct column latency_columns[L_COUNT] = {
    [L_SIZE] = {"buffer_size", "buffer size", "Byte", CELL_SIZE, ROLE_PARAMETER, 0},
    [L_LATENCY] = {"latency", "latency", "ns", CELL_SUMMARY, ROLE_MEASURE, 1},
    [L_CYCLES] = {"latency_cycles", "latency", "core cycles", CELL_SUMMARY, ROLE_MEASURE, 1,
                  .is_clocked = true},
    [L_SET] = {"set", "working set", NULL, CELL_CLASS, ROLE_PARAMETER, 0},
    [L_LEVEL] = {"level", "level", NULL, CELL_CLASS, ROLE_LABEL, 0},
    [L_THREADS] = {"threads", "threads", NULL, CELL_INTEGER, ROLE_PARAMETER, 0},
    [L_GHZ] = {"core_ghz", "core clock", "GHz", CELL_REAL, ROLE_MEASURE, 2, .is_clocked = true},
    [L_PAGE] = {"page_size", "page size", "Byte", CELL_SIZE, ROLE_LABEL, 0},
    [L_KERNEL] = {"kernel", "kernel", NULL, CELL_KERNEL, ROLE_LABEL, 0},
    [L_VERIFIED] = {"verified", "verified", NULL, CELL_BOOL, ROLE_LABEL, 0},
};

const struct table_spec ram_latency_table = {
    .name = "latency",
    .title = "Latency of a dependent load, median, ns",
    .note = "one load per cache line in random order, each address taken from the line before.",
    .columns = latency_columns,
    .column_count = L_COUNT,
    .view = {.kind = VIEW_CURVE,
             .x = L_SIZE,
             .y = L_LATENCY,
             .value = L_LATENCY,
             .log_x = true,
             .log_value = true,
             .series = -1,
             .lines = L_LATENCY},
};

static bool is_latency(const struct ram_point *point)
{
    return point->kernel->operation == OPERATION_LATENCY;
}

/* "copy", "write", "compare", "agg-or", ... as the user types them after --task. */
static const char *task_of(const struct ram_point *point)
{
    return ram_task_names[point->kernel->operation];
}

static double median_seconds(const struct ram_point *point)
{
    return median_of(point->seconds.value, point->seconds.count);
}

static void latency_row(const struct ram_sink *sink, const struct ram_point *point)
{
    const struct cell cells[L_COUNT] = {
        [L_SIZE] = INTEGER_CELL(point->bytes),
        [L_SET] = TEXT_CELL(point->set->label),
        [L_LEVEL] = TEXT_CELL(point->level),
        [L_THREADS] = INTEGER_CELL(sink->plan->threads),
        [L_PAGE] = INTEGER_CELL(sink->page_bytes),
        [L_KERNEL] = TEXT_CELL(point->kernel->name),
        [L_VERIFIED] = BOOL_CELL(true),
    };
    record_row(sink->record, sink->latency_table, cells);
}

static void bandwidth_row(const struct ram_sink *sink, const struct ram_point *point)
{
    const struct kernel *kernel = point->kernel;
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
        [C_LEVEL] = TEXT_CELL(point->level),
        [C_THREADS] = INTEGER_CELL(sink->plan->threads),
        [C_TRAFFIC] = INTEGER_CELL(point->traffic),
        [C_PAGE] = INTEGER_CELL(sink->page_bytes),
        [C_KERNEL] = TEXT_CELL(label),
        [C_DATA] = INTEGER_CELL(point->zero),
        /* Loads alone leave nothing behind that could be checked. */
        [C_VERIFIED] = kernel->operation == OPERATION_READ ? NO_CELL : BOOL_CELL(true),
    };
    record_row(sink->record, sink->table, cells);
}

/* What a column of speeds divides by the time of a sample; NaN: it holds no speed. */
static double amount_of(const struct ram_sink *sink, const struct ram_point *point, int column)
{
    const double bytes = (double)(point->bytes * sink->plan->threads);
    switch (column) {
    case C_MIS:
        return bytes / sizeof(uint32_t) / 1e6;
    case C_MIBS:
        return bytes / MIB;
    case C_GIBS:
        return bytes / GIB;
    case C_TRAFFIC_GIBS:
        return (double)(point->traffic * sink->plan->threads) / GIB;
    case C_PER_CYCLE:
        return (double)point->bytes; /* of one thread */
    default:
        return NAN;
    }
}

/* What a sample tells for a column: the time of a pass (of a load) where it holds speeds, else the measure. */
static double reading_of(const struct ram_point *point, int column, size_t sample)
{
    const double seconds = point->seconds.value[sample], ghz = point->ghz.value[sample];
    if (is_latency(point))
        return column == L_LATENCY ? seconds * 1e9 : column == L_CYCLES ? seconds * 1e9 * ghz : ghz;
    return column == C_GHZ ? ghz : column == C_PER_CYCLE ? seconds * 1e9 * ghz : seconds;
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

static void add_measure(const struct ram_sink *sink, const struct ram_point *point, size_t table, int column)
{
    const double amount = is_latency(point) ? NAN : amount_of(sink, point, column);
    struct samples values = {0}, known = {0};
    for (size_t i = 0; i < point->seconds.count; i++) {
        const double reading = reading_of(point, column, i);
        samples_add(&values, isnan(amount) ? reading : amount / reading);
        if (!isnan(reading))
            samples_add(&known, reading);
    }
    const struct summary summary = summary_of(known.value, known.count);
    const struct summary speed = speed_summary(amount, &summary);
    record_samples(sink->record, table, column, &values, isnan(amount) ? &summary : &speed);
    samples_free(&known);
    samples_free(&values);
}

static void add_row(const struct ram_sink *sink, const struct ram_point *point, size_t table)
{
    const struct table_spec *spec = record_table_at(sink->record, table)->spec;
    if (is_latency(point))
        latency_row(sink, point);
    else
        bandwidth_row(sink, point);
    for (int i = 0; i < spec->column_count; i++)
        if (spec->columns[i].role == ROLE_MEASURE)
            add_measure(sink, point, table, i);
}

void ram_rows(const struct ram_sink *sink)
{
    for (size_t i = 0; i < sink->plan->point_count; i++) {
        struct ram_point *point = &sink->plan->points[i];
        const size_t table = is_latency(point) ? sink->latency_table : sink->table;
        if (!point->seconds.count)
            continue;
        point->row = record_table_at(sink->record, table)->row_count;
        add_row(sink, point, table);
    }
}

/* What the samples of a point came to, as its row has it. */
static const struct cell *cell_in(const struct ram_sink *sink, const struct ram_point *point, int column)
{
    const size_t table = is_latency(point) ? sink->latency_table : sink->table;
    return record_cell(record_table_at(sink->record, table), point->row, column);
}

/* L3 and memory: neighbours and other clocks move them. */
static bool is_beyond_core(const struct ram_point *point)
{
    return strcmp(point->level, "L1") != 0 && strcmp(point->level, "L2") != 0;
}

/* The latency of memory, where it was measured; NaN where not. */
static double memory_seconds(const struct ram_plan *plan)
{
    for (size_t i = plan->bandwidth_count; i < plan->point_count; i++)
        if (plan->points[i].measured && strcmp(plan->points[i].level, "DRAM") == 0)
            return plan->points[i].seconds_of_pass.value;
    return NAN;
}

/* A chain that takes nearly as long as one in memory ran there, whatever the size of the cache is said to be. */
static const double NEARLY_MEMORY = 0.7;

static struct verdict verdict_in(const struct ram_plan *plan, const struct ram_point *point)
{
    const struct estimate *seconds = &point->seconds_of_pass;
    struct claim claim = is_beyond_core(point) ? claim_beyond : claim_core;
    claim.absolute = is_latency(point) ? 0.1 * seconds->value / point->cycles_of_pass.value : 0;
    claim.contradicted = is_latency(point) && strcmp(point->level, "DRAM") != 0 &&
                         seconds->value > NEARLY_MEMORY * memory_seconds(plan);
    return trust_judge(seconds, &claim);
}

/* The fastest point of an operation on a set by its median; NULL where not all of them were sampled: the best of
 * some is not the best. Zeros are an extra, never the answer. */
static const struct ram_point *best_of(const struct ram_plan *plan, enum operation operation,
                                       const struct working_set *set)
{
    const struct ram_point *best = NULL;
    for (size_t i = 0; i < plan->point_count; i++) {
        const struct ram_point *point = &plan->points[i];
        if (point->kernel->operation != operation || point->set != set || point->zero)
            continue;
        if (!point->seconds.count)
            return NULL;
        if (!best ||
            (double)point->bytes / median_seconds(point) > (double)best->bytes / median_seconds(best))
            best = point;
    }
    return best;
}

static void best_row(const struct ram_sink *sink, const struct ram_point *point)
{
    const struct summary *gibs = cell_in(sink, point, C_GIBS)->summary;
    const struct cell cells[B_COUNT] = {
        [B_TASK] = INTEGER_CELL(point->kernel->operation),
        [B_FOOTPRINT] = INTEGER_CELL(point->footprint),
        [B_LEVEL] = TEXT_CELL(point->level),
        [B_GIBS] = REAL_CELL(gibs->median),
        [B_SPREAD] = REAL_CELL(gibs->p90 - gibs->p10),
        [B_KERNEL] = TEXT_CELL(point->kernel->name),
    };
    record_row(sink->record, sink->best_table, cells);
}

/* Where no reading of the core clock stands, there are no cycles. */
static void tenths(char text[16], double value)
{
    snprintf(text, 16, isnan(value) ? "unknown" : "%.1f", value);
}

/* The value of a finding: ns of a load, or GiB/s of all threads. */
static double value_of(const struct ram_sink *sink, const struct ram_point *point, double seconds)
{
    return is_latency(point) ? seconds * 1e9 : amount_of(sink, point, C_GIBS) / seconds;
}

/* "", or the state that the value is of, and the value of the other state where that was there, too. */
static void state_text(const struct ram_sink *sink, const struct ram_point *point, char *text, size_t size)
{
    const bool idle = point->seconds_of_pass.state == STATE_IDLE;
    text[0] = '\0';
    if (!isnan(point->otherwise.value))
        snprintf(text, size, "; %.1f while the SMT sibling is %s",
                 value_of(sink, point, point->otherwise.value), idle ? "active" : "idle");
    else if (point->seconds_of_pass.state == STATE_ACTIVE)
        snprintf(text, size, " (with the SMT sibling active)");
}

static void say_best(const struct ram_sink *sink, const struct ram_point *point)
{
    const bool latency = is_latency(point);
    const struct estimate *seconds = &point->seconds_of_pass;
    const double unit = latency ? 1 : GIB, value = value_of(sink, point, seconds->value);
    const struct verdict verdict = verdict_in(sink->plan, point);
    struct finding finding = finding_of(seconds, verdict);
    const double first = value_of(sink, point, seconds->low), second = value_of(sink, point, seconds->high);
    char key[128], text[256], state[80], cycles[16];
    tenths(cycles,
           latency ? point->cycles_of_pass.value : (double)point->bytes / point->cycles_of_pass.value);
    state_text(sink, point, state, sizeof state);
    snprintf(key, sizeof key, "ram.%s.%s",
             sink->plan->sets[0].is_footprint ? point->level : point->set->label, task_of(point));
    if (latency)
        snprintf(text, sizeof text, "%s latency (%s): %.1f ns, %s core cycles%s", point->level,
                 point->set->label, value, cycles, state);
    else
        snprintf(text, sizeof text, "%s %s (%s): %.1f GiB/s, %s bytes/core cycle%s, by %s%s", point->level,
                 task_of(point), point->set->label, value, cycles,
                 sink->plan->threads > 1 ? " on each core" : "", point->kernel->name, state);
    finding.key = key;
    finding.unit = latency ? "ns" : "Byte/s";
    finding.text = text;
    finding.value = REAL_CELL(value * unit);
    finding.low = REAL_CELL(fmin(first, second) * unit);
    finding.high = REAL_CELL(fmax(first, second) * unit);
    finding.ghz = point->cycles_of_pass.value / seconds->value * 1e-9;
    for (size_t i = 0; i < finding.parts.count; i++)
        finding.parts.value[i] = (float)(value_of(sink, point, seconds->parts.value[i]) * unit);
    record_finding(sink->record, finding);
}

void ram_findings(const struct ram_sink *sink)
{
    static const enum operation said[] = {OPERATION_READ, OPERATION_AGG_OR,  OPERATION_WRITE,
                                          OPERATION_COPY, OPERATION_COMPARE, OPERATION_LATENCY};
    for (int set = 0; set < sink->plan->set_count; set++)
        for (size_t i = 0; i < sizeof said / sizeof *said; i++) {
            const struct ram_point *best = best_of(sink->plan, said[i], &sink->plan->sets[set]);
            if (best && !is_latency(best))
                best_row(sink, best);
            if (best)
                say_best(sink, best);
        }
}
