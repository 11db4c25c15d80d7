/* SPDX-License-Identifier: MIT */
/* `ram --curve`: bandwidth by the bytes that a task touches, with the widest vectors or those asked for;
 * and the tables of both curves. */
#include <string.h>

#include "base/text.h"
#include "curve.h"
#include "ram.h"
#include "uarchprobe/random.h"

/* A sample takes VOLUME bytes at least; of a larger set it is a PIECE, before which other parts of the set
 * are passed. GAP: keeps source and target off the same 4 KiB offset. */
enum { VOLUME = 8 << 20, PARTS = 8, PIECE = 32 << 20, UNIT = 4096, GAP = UNIT / 2 + 4 * CURVE_LINE };

/* Returns the bytes of a buffer that each of several threads has. */
static uint64_t share_of(const struct memory *memory, int threads)
{
    return memory->bytes / (uint64_t)threads / UNIT * UNIT;
}

/* The work of a part. */
static struct ram_work work_of(const struct point *point, uint64_t first, uint64_t bytes)
{
    return (struct ram_work){.kernel = point->series->row,
                             .source = point->set + first,
                             .target = point->second + first,
                             .bytes = bytes};
}

static uint64_t set_bytes(const struct point *point)
{
    const struct kernel *kernel = point->series->row;
    return point->x / ram_tasks[kernel->operation].footprint / CURVE_LINE * CURVE_LINE;
}

static uint64_t part_bytes(const struct point *point)
{
    const uint64_t set = set_bytes(point), bytes = set < PIECE ? set : PIECE;
    return bytes < VOLUME ? bytes : bytes / PARTS / UNIT * UNIT;
}

/* Passes over the set, or of a large one over other pieces than the one that is timed. The set lies
 * elsewhere in each turn. */
static void warm(struct point *point)
{
    const struct curve_run *own = point->own;
    const struct kernel *kernel = point->series->row;
    const uint64_t set = set_bytes(point), share = share_of(point->memory, own->threads),
                   gap = ram_tasks[kernel->operation].footprint > 1 ? set + GAP : 0,
                   footprint = gap > 0 ? gap + set : set + GAP, bytes = set < PIECE ? set : PIECE,
                   rest = set - bytes, others = rest < CURVE_WARM ? rest : CURVE_WARM;
    uint64_t random = point->turn ^ set;
    const uint64_t at = random_next(&random) % ((share - footprint) / UNIT + 1) * UNIT,
                   first = random_next(&random) % (set - bytes - others + 1) / UNIT * UNIT;
    point->set = point->memory->data + (uint64_t)point->member * share + at + first;
    point->second = point->set + gap;
    const struct ram_work before = work_of(point, rest ? bytes : 0, rest ? others : bytes);
    ram_call(&before, 1);
    point->iterations = VOLUME / PARTS / part_bytes(point) + 1;
}

/* Passes over a part of the set, the next one each time. */
static void stream(const struct point *point)
{
    const uint64_t bytes = part_bytes(point);
    const struct ram_work work = work_of(point, set_bytes(point) < VOLUME ? 0 : point->part * bytes, bytes);
    ram_call(&work, point->iterations);
}

static const struct timed_work streams = {.work = stream, .prepare = warm, .parts = PARTS};

/* ns of a byte, of all threads. */
static double value_of(const struct point *point, double ns)
{
    const struct curve_run *own = point->own;
    return ns / (double)part_bytes(point) / own->threads;
}

static bool has_place(const void *context, const struct series *of, uint64_t x, const struct memory *memory)
{
    const struct curve_run *own = context;
    const uint64_t share = share_of(memory, own->threads);
    return share > 4 * UNIT && curve_has_size(own->run, x, share - UNIT);
}

/* Proves each kernel on a page. */
static enum status prove(struct run *run, void **context, struct fault *fault)
{
    const struct curve_run *own = *context;
    unsigned char page[2][UNIT] __attribute__((aligned(UNIT)));
    memset(page, 1, sizeof page);
    for (const struct series *s = own->kernels; s->name; s++) {
        const struct ram_work work = {.kernel = s->row, .source = page[0], .target = page[1], .bytes = UNIT};
        if (!ram_proves(&work))
            return fault_set(fault, STATUS_FAILED, "%s did not do its work", work.kernel->name);
    }
    return STATUS_OK;
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
static const struct table_spec latencies = {
    .name = "curve",
    .title = "Latency of a load by the size of its set",
    .note =
        "lines drawn at random, each by the load before; blocks: many lines of 128 KiB after each draw; the "
        "lower tenth of the samples",
    .columns = of_latency,
    .column_count = COLUMNS,
    .view = {VIEW_CURVE, .x = SIZE, .y = LATENCY, .value = LATENCY, .series = SERIES, .log_x = true,
             .log_value = true}};
static const struct table_spec speeds = {
    .name = "curve_bandwidth",
    .title = "Bandwidth by the bytes that each thread touches",
    .note = "copy: both buffers, and bytes copied; all threads together; the upper tenth of the samples",
    .columns = of_speed,
    .column_count = COLUMNS,
    .view = {VIEW_CURVE, .x = SIZE, .y = SPEED, .value = SPEED, .series = SERIES, .log_x = true,
             .log_value = true}};

/* The estimate of a point in ns or in cycles; false: none. */
static bool point_estimate(const struct lab *lab, const struct course *course, size_t i, bool cycles,
                           struct estimate *e)
{
    struct engine_data data = lab->data;
    const enum state state = course_x(course, i) > CURVE_CORE ? STATE_MIXED : engine_main_state(&data);
    data.cycles = cycles;
    return engine_estimate(&data, course->first + i, state, lab_quantile(lab), e);
}

void curve_record(const struct lab *lab, int threads)
{
    struct record *record = lab->run->record;
    const size_t table = record_table_add(record, threads ? &speeds : &latencies);
    for (const struct course *course = lab->course; course < lab->course + lab->courses; course++) {
        struct estimate ns, cycles;
        for (size_t i = 0; course->series->range.period && i < course->count; i++)
            if (point_estimate(lab, course, i, false, &ns) && point_estimate(lab, course, i, true, &cycles))
                record_row(record, table,
                           (const struct cell[COLUMNS]){
                               TEXT_CELL(course->series->name), INTEGER_CELL((int64_t)course_x(course, i)),
                               REAL_CELL(threads ? 1e9 / ns.value * 0x1p-30 : ns.value),
                               threads ? INTEGER_CELL(threads) : REAL_CELL(cycles.value),
                               INTEGER_CELL((int64_t)ns.summary.count)});
    }
}

static void add_rows(struct lab *lab, void *own)
{
    curve_record(lab, ((const struct curve_run *)own)->threads);
}

enum status curve_bandwidth(struct run *run, struct curve_run *own, struct experiment *experiment,
                            struct fault *fault)
{
    static const enum operation tasks[] = {OPERATION_READ, OPERATION_WRITE, OPERATION_COPY};
    const struct ram_params *params = run->params;
    size_t lines = 0;
    own->threads = params->threads ? (int)params->threads : run->cpus.count;
    if (own->threads > run->cpus.count)
        return fault_set(fault, STATUS_NO_RESOURCE, "--threads %d needs as many CPUs, %d can be used here",
                         own->threads, run->cpus.count);
    for (size_t i = 0; i < sizeof tasks / sizeof *tasks; i++) {
        const struct kernel *kernel = NULL;
        for (size_t first = lines;
             (kernel = kernel_next(&run->kernels, tasks[i], kernel)) && lines < CURVE_KERNELS_MOST;) {
            if (!wanted(run, kernel))
                continue;
            lines -= !params->bits && !run->kernels.name && lines > first; /* narrow ones come first */
            own->kernels[lines++] =
                (struct series){.name = record_text(run->record, "%s, %u bits", ram_task_names[tasks[i]],
                                                    kernel_bits(kernel)),
                                .row = kernel,
                                .timed = {&streams},
                                .buffer = params->pages == PAGES_4K ? CURVE_BASE : CURVE_HUGE,
                                .range = {CURVE_FIRST, CURVE_LARGEST, .per_octave = 2, .is_rounded = true,
                                          .period = CURVE_PERIOD, .x_of_every_round = CURVE_CORE},
                                .apart = true};
        }
    }
    *experiment = (struct experiment){.name = "bandwidth",
                                      .own = own,
                                      .open = prove,
                                      .series = own->kernels,
                                      .team = {run->cpus.id, own->threads},
                                      .value = value_of,
                                      .memory = &curve_memory,
                                      .has_place = has_place,
                                      .quantile = 0.1,
                                      .pace = {16, 8, 2.7, 0.8},
                                      .answers = add_rows};
    return STATUS_OK;
}
