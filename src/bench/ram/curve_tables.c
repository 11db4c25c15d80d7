/* SPDX-License-Identifier: MIT */
/* The sizes of a curve, and its tables. */
#include <math.h>

#include "curve.h"

struct range curve_range(const struct run *run, uint64_t parts)
{
    const struct ram_params *params = run->params;
    const uint64_t room = memory_room() / (params->force ? 1 : 2) / parts;
    struct range range = {CURVE_FIRST, run->common->quick ? CURVE_LARGEST / 4 : CURVE_LARGEST};
    if (params->sizes.is_range)
        range = (struct range){params->sizes.bytes[0], params->sizes.bytes[1]};
    range.last = range.last < room ? range.last : room;
    return range;
}

bool curve_fit(struct series *s, const struct range *range, uint64_t bytes)
{
    const struct series whole = *s;
    const struct course course = {.series = &whole};
    const uint64_t most = bytes < range->last ? bytes : range->last;
    size_t i = 0;
    while (course_x(&course, i) < range->first)
        i++;
    s->first = course_x(&course, i);
    for (s->last = 0; course_x(&course, i) <= most; i++)
        s->last = course_x(&course, i);
    return s->last > 0;
}

bool curve_estimate(const struct lab *lab, const struct course *course, size_t i, bool cycles,
                    struct estimate *e)
{
    struct engine_data data = lab->data;
    const enum state of = course_x(course, i) > CURVE_CORE ? STATE_MIXED : engine_main_state(&data);
    data.cycles = cycles;
    return engine_estimate(&data, course->first + i, of, lab_quantile(lab), e);
}

enum { SERIES, SIZE, SPEED, LATENCY = SPEED, THREADS, CYCLES = THREADS, SAMPLES, COLUMNS };
#define SERIES_OF(name)                                                                                      \
    {                                                                                                        \
        name, name, NULL, CELL_CLASS, ROLE_PARAMETER, 0, NULL, false                                         \
    }
#define SIZE_OF(name)                                                                                        \
    {                                                                                                        \
        name, name, "Byte", CELL_SIZE, ROLE_PARAMETER, 0, NULL, false                                        \
    }
static const struct column of_latency[COLUMNS] = {
    SERIES_OF("memory"),
    SIZE_OF("size"),
    {"latency", "latency", "ns", CELL_REAL, ROLE_MEASURE, 1, NULL, false},
    {"latency_cycles", "latency", "core cycles", CELL_REAL, ROLE_MEASURE, 1, NULL, false},
    {"samples", "samples", NULL, CELL_INTEGER, ROLE_LABEL, 0, NULL, false}};
static const struct column of_speed[COLUMNS] = {
    SERIES_OF("task"),
    SIZE_OF("footprint"),
    {"speed_gib", "speed", "GiByte/s", CELL_REAL, ROLE_MEASURE, 1, NULL, false},
    {"threads", "threads", NULL, CELL_INTEGER, ROLE_LABEL, 0, NULL, false},
    {"samples", "samples", NULL, CELL_INTEGER, ROLE_LABEL, 0, NULL, false}};
#define DRAWN                                                                                                \
    .column_count = COLUMNS, .view = {.kind = VIEW_CURVE,                                                    \
                                      .x = SIZE,                                                             \
                                      .y = SPEED,                                                            \
                                      .value = SPEED,                                                        \
                                      .series = SERIES,                                                      \
                                      .log_x = true,                                                         \
                                      .log_value = true}
static const struct table_spec latencies = {
    .name = "curve",
    .title = "Latency of a load by the size of its set",
    .note =
        "lines drawn at random, each by the load before; blocks: many lines of 128 KiB after each draw; the "
        "lower tenth of the samples",
    .columns = of_latency,
    DRAWN};
static const struct table_spec speeds = {
    .name = "curve_bandwidth",
    .title = "Bandwidth by the bytes that each thread touches",
    .note = "copy: both buffers, and bytes copied; all threads together; the upper tenth of the samples",
    .columns = of_speed,
    DRAWN};

void curve_record(const struct lab *lab, const struct series *series, int threads)
{
    struct record *record = lab->run->record;
    const size_t table = record_table_add(record, threads ? &speeds : &latencies);
    for (; series->name; series++) {
        const struct course *course = series->round && series->every ? course_named(lab, series->name) : NULL;
        struct estimate ns, cycles;
        for (size_t i = 0; course && i < course->count; i++)
            if (curve_estimate(lab, course, i, false, &ns) && curve_estimate(lab, course, i, true, &cycles))
                record_row(record, table,
                           (const struct cell[COLUMNS]){
                               TEXT_CELL(series->name), INTEGER_CELL((int64_t)course_x(course, i)),
                               REAL_CELL(threads ? 1e9 / ns.value * 0x1p-30 : ns.value),
                               threads ? INTEGER_CELL(threads) : REAL_CELL(cycles.value),
                               INTEGER_CELL((int64_t)ns.summary.count)});
    }
}
