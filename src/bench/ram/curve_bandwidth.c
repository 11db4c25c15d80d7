/* SPDX-License-Identifier: MIT */
/* `ram --curve`: bandwidth by the bytes that a task touches, with the widest vectors or those asked for; and the tables of both curves. */
#include <math.h>
#include <stdlib.h>

#include "base/text.h"
#include "modes.h"
#include "ram.h"
#include "uarchprobe/random.h"

/* A sample takes VOLUME bytes at least; of a larger set it is a PIECE that other parts of the set were taken since. GAP: keeps source
 * and target off the same 4 KiB offset. */
enum {
    LINES_MOST = 24,
    LINE = 64,
    VOLUME = 8 << 20,
    SLICES = 8,
    PIECE = 32 << 20,
    UNIT = 4096,
    GAP = UNIT / 2 + 4 * LINE
};

/* Of the run under way. */
static struct series series[LINES_MOST + 1];
static struct ram_threads crew;
static int count;
static struct {
    const struct kernel *kernel;
    uint64_t bytes; /* of each buffer */
    unsigned char *part;
    uint64_t part_bytes; /* of the arena, for each thread */
} now;

/* The set lies elsewhere in each turn. */
static void stream(void *context, int member)
{
    struct ram_lane *lane = &crew.lane[member];
    const bool both = ram_tasks[now.kernel->operation].footprint > 1;
    uint64_t of = ram_turn ^ now.bytes;
    const uint64_t footprint = (both ? 2 : 1) * now.bytes + GAP,
                   at = random_next(&of) % ((now.part_bytes - footprint) / UNIT + 1) * UNIT,
                   bytes = now.bytes < PIECE ? now.bytes : PIECE, rest = now.bytes - bytes,
                   others = rest < CURVE_WARM ? rest : CURVE_WARM,
                   first = random_next(&of) % (now.bytes - bytes - others + 1) / UNIT * UNIT,
                   slice = bytes < VOLUME ? bytes : bytes / SLICES / UNIT * UNIT;
    unsigned char *source = now.part + (uint64_t)member * now.part_bytes + at + first;
    const struct ram_work work = {.kernel = now.kernel,
                                  .source = source,
                                  .target = source + (both ? now.bytes + GAP : 0),
                                  .bytes = bytes};
    struct ram_work before = work;
    (void)context;
    before.source += rest ? bytes : 0;
    before.target += rest ? bytes : 0;
    before.bytes = rest ? others : bytes;
    ram_call(&before, 1);
    lane->at = 0;
    ram_stream(lane, &work, slice, SLICES, VOLUME / SLICES / slice + 1);
}

/* ns of a byte, of all threads. */
static double sample(const struct point *point)
{
    now.kernel = point->series->row;
    now.bytes = (point->x / ram_tasks[now.kernel->operation].footprint) / LINE * LINE;
    return 1e9 / ram_threads_rate(&crew, count, stream, NULL);
}

static void close_threads(void *own)
{
    (void)own;
    ram_threads_close(&crew);
}

/* Proves each kernel on a page. */
static enum status open_threads(struct run *run, void **own, struct fault *fault)
{
    const struct ram_params *params = run->params;
    const struct ram_set *arena = &curve_arenas[curve_arenas[CURVE_HUGE].bytes > 0 ? CURVE_HUGE : CURVE_BASE];
    size_t kept = 0;
    (void)own;
    now.part = arena->memory.data;
    now.part_bytes = arena->bytes / (uint64_t)count / UNIT * UNIT;
    for (const struct series *s = series; s->name && now.part_bytes > 4 * UNIT; s++) {
        const struct ram_work work = {
            .kernel = s->row, .source = now.part, .target = now.part + 2 * UNIT, .bytes = UNIT};
        if (!ram_proves(&work))
            return fault_set(fault, STATUS_FAILED, "%s did not do its work", work.kernel->name);
        series[kept] = *s;
        kept += curve_fit(&series[kept], &params->sizes, now.part_bytes - UNIT);
    }
    series[kept] = (struct series){0};
    return ram_threads_open(&crew, run->cpus.id, count, fault);
}

/* Aligned vectors of those widths, or by --kernel any. */
static bool wanted(const struct run *run, const struct kernel *kernel)
{
    const struct ram_params *params = run->params;
    const bool sized = kernel->method == METHOD_VECTOR || (params->bits && kernel->method == METHOD_SCALAR);
    return run->kernels.name ||
           (sized && kernel->load <= ACCESS_ALIGNED && kernel->store <= ACCESS_ALIGNED &&
            (!params->bits || params->bits >> (__builtin_ctz(kernel_bits(kernel)) - 3) & 1));
}

enum { SERIES, SIZE, SPEED, LATENCY = SPEED, THREADS, CYCLES = THREADS, SAMPLES, COLUMNS };
static const struct column of_latency[COLUMNS] = {
    {"memory", "memory", NULL, CELL_CLASS, ROLE_PARAMETER, 0, NULL, false},
    {"size", "size", "Byte", CELL_SIZE, ROLE_PARAMETER, 0, NULL, false},
    {"latency", "latency", "ns", CELL_REAL, ROLE_MEASURE, 1, NULL, false},
    {"latency_cycles", "latency", "cycles", CELL_REAL, ROLE_MEASURE, 1, NULL, false},
    {"samples", "samples", NULL, CELL_INTEGER, ROLE_LABEL, 0, NULL, false}};
static const struct column of_speed[COLUMNS] = {
    {"task", "task", NULL, CELL_CLASS, ROLE_PARAMETER, 0, NULL, false},
    {"footprint", "footprint", "Byte", CELL_SIZE, ROLE_PARAMETER, 0, NULL, false},
    {"speed_gib", "speed", "GiByte/s", CELL_REAL, ROLE_MEASURE, 1, NULL, false},
    {"threads", "threads", NULL, CELL_INTEGER, ROLE_LABEL, 0, NULL, false},
    {"samples", "samples", NULL, CELL_INTEGER, ROLE_LABEL, 0, NULL, false}};
#define DRAWN                                                                                                \
    .column_count = COLUMNS, .view = {VIEW_CURVE,       .x = SIZE,     .y = SPEED,       .value = SPEED,     \
                                      .series = SERIES, .log_x = true, .log_value = true}
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

/* The estimate of a point in ns or in cycles; false: none. */
static bool point_estimate(const struct lab *lab, const struct course *course, size_t i, bool cycles,
                           struct estimate *e)
{
    struct engine_data data = lab->data;
    const enum state state = course_x(course, i) > CURVE_CORE ? STATE_MIXED : engine_main_state(&data);
    data.cycles = cycles;
    return engine_estimate(&data, course->first + i, state, lab_quantile(lab), e);
}

void curve_record(const struct lab *lab, const struct series *of, int threads)
{
    struct record *record = lab->run->record;
    const size_t table = record_table_add(record, threads ? &speeds : &latencies);
    for (; of->name; of++) {
        const struct course *course = of->range.period ? course_named(lab, of->name) : NULL;
        struct estimate ns, cycles;
        for (size_t i = 0; course && i < course->count; i++)
            if (point_estimate(lab, course, i, false, &ns) && point_estimate(lab, course, i, true, &cycles))
                record_row(record, table,
                           (const struct cell[COLUMNS]){
                               TEXT_CELL(of->name), INTEGER_CELL((int64_t)course_x(course, i)),
                               REAL_CELL(threads ? 1e9 / ns.value * 0x1p-30 : ns.value),
                               threads ? INTEGER_CELL(threads) : REAL_CELL(cycles.value),
                               INTEGER_CELL((int64_t)ns.summary.count)});
    }
}

static void add_rows(struct lab *lab, void *own)
{
    (void)own;
    curve_record(lab, series, count);
}

enum status curve_bandwidth(struct run *run, struct experiment *experiment, struct fault *fault)
{
    static const enum operation tasks[] = {OPERATION_READ, OPERATION_WRITE, OPERATION_COPY};
    const struct ram_params *params = run->params;
    size_t lines = 0;
    count = params->threads ? (int)params->threads : run->cpus.count;
    if (count > run->cpus.count)
        return fault_set(fault, STATUS_NO_RESOURCE, "--threads %d needs as many CPUs, %d can be used here",
                         count, run->cpus.count);
    for (size_t i = 0; i < sizeof tasks / sizeof *tasks; i++) {
        const struct kernel *kernel = NULL;
        for (size_t first = lines;
             (kernel = kernel_next(&run->kernels, tasks[i], kernel)) && lines < LINES_MOST;) {
            if (!wanted(run, kernel))
                continue;
            lines -= !params->bits && !run->kernels.name && lines > first; /* narrow ones come first */
            series[lines++] =
                (struct series){.name = record_text(run->record, "%s, %u bits", ram_task_names[tasks[i]],
                                                    kernel_bits(kernel)),
                                .row = kernel,
                                CURVE_SIZES};
        }
    }
    series[lines] = (struct series){0};
    *experiment = (struct experiment){.name = "bandwidth",
                                      .open = open_threads,
                                      .close = close_threads,
                                      .series = series,
                                      .sample = sample,
                                      .move = ram_move,
                                      .quantile = 0.1,
                                      .pace = {16, 8, 2.7, 0.8},
                                      .answers = add_rows};
    return STATUS_OK;
}
