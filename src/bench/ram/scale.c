/* SPDX-License-Identifier: MIT */
/* `ram --scale`: how many threads it takes to use all of the memory's bandwidth, over all CPUs and on each
 * NUMA node. Every thread has a set of its own, four times its part of the last cache. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "modes.h"
#include "ram.h"

/* GAP: keeps source and target off the same 4 KiB offset. */
enum { PIECE = 1 << 20, PIECES = 64, UNIT = 4096, GAP = UNIT / 2 + 256 };
static const double MOST = 0.95;

/* Stores are streaming ones, but in place; those of write make the doubles of update. */
static const enum operation tasks[SCALE_TASKS] = {OPERATION_READ, OPERATION_WRITE, OPERATION_COPY,
                                                  OPERATION_UPDATE};
static const enum access_mode stores[SCALE_TASKS] = {ACCESS_NONE, ACCESS_STREAMING, ACCESS_STREAMING,
                                                     ACCESS_ALIGNED};

/* A thread: its memory, and the work of the present sample, piece by piece. */
struct scale_thread {
    struct memory memory;
    struct ram_work work;
    uint64_t position; /* where its next piece begins */
    char apart[128];   /* from the next thread's */
};

/* The CPUs of a node or of all nodes, in the order in which they join. */
struct domain {
    struct scale_source source;
    const struct run *run;
    const struct kernel *kernel[SCALE_TASKS], *now;
    int count, cpu[CPU_LIST_MAX], l3[CPU_LIST_MAX], active; /* active: threads at present */
    const char *name;
    struct scale_thread *thread;
    struct memory_row memory;
};

double scale_saturates(const struct scale_source *source)
{
    double most = 0;
    int first = 0;
    for (int i = 0; i < source->steps; i++) {
        if (isnan(source->rate[i][0]))
            return NAN;
        most = fmax(most, source->rate[i][0]);
    }
    while (first + 1 < source->steps && !(source->rate[first][0] >= MOST * most))
        first++;
    return first + 1 < source->steps ? source->threads[first] : 0;
}

/* The rates step by step, then 0, then the threads that saturate. */
static void sample_round(const struct point *point, double *value)
{
    struct scale_source *source = point->own;
    const int cells = source->steps * SCALE_TASKS;
    for (int i = 0; i < cells; i++)
        value[i] = source->rate[i / SCALE_TASKS][i % SCALE_TASKS] =
            source->take(source, point, source->threads[i / SCALE_TASKS], i % SCALE_TASKS);
    value[cells] = 0;
    value[cells + 1] = scale_saturates(source);
}

static void add_rows(struct lab *lab, void *own)
{
    static const struct column columns[] = {
        {"threads", "threads", NULL, CELL_INTEGER, ROLE_PARAMETER, 0, NULL, false},
        {"task", "task", NULL, CELL_CLASS, ROLE_PARAMETER, 0, ram_task_names, false},
        {"speed_gib", "speed", "GiByte/s", CELL_REAL, ROLE_MEASURE, 1, NULL, false}};
    static const struct table_spec spec = {
        .name = "scale",
        .title = "bandwidth of memory by threads",
        .note = "write and copy by streaming stores; update counts bytes read and written, copy those copied",
        .columns = columns,
        .column_count = sizeof columns / sizeof *columns,
        .view = {VIEW_CURVE, .x = 0, .y = 2, .value = 2, .series = 1, .log_x = true}};
    const struct scale_source *source = own;
    (void)lab;
    if (source->steps < 3) /* two points are no curve */
        return;
    const size_t table = record_table_add(source->record, &spec);
    for (int i = 0; i < source->steps * SCALE_TASKS; i++) {
        const struct answer *answer = record_answer_find(source->record, source->metrics[i].key, NULL);
        if (answer && cell_has_value(&answer->value))
            record_row(source->record, table,
                       (const struct cell[]){INTEGER_CELL(source->threads[i / SCALE_TASKS]),
                                             INTEGER_CELL(tasks[i % SCALE_TASKS]),
                                             REAL_CELL(answer->value.real * 0x1p-30)});
    }
}

/* Ranges: one thread read 23.8 to 27.9 GiB/s in 10 runs, two 35 to 57, each run steady (Zen 4 guest). */
static const struct metric rates[SCALE_TASKS] = {{"ram.scale.*.read", "*, read", "Byte/s", METRIC_VALUE,
                                                  "round", .range = true, .sheet_cell = "scale/*/read"},
                                                 {"ram.scale.*.write", "*, write", "Byte/s", METRIC_VALUE,
                                                  "round", .range = true, .sheet_cell = "scale/*/write"},
                                                 {"ram.scale.*.copy", "*, copy", "Byte/s", METRIC_VALUE,
                                                  "round", .range = true, .sheet_cell = "scale/*/copy"},
                                                 {"ram.scale.*.update", "*, update", "Byte/s", METRIC_VALUE,
                                                  "round", .range = true, .sheet_cell = "scale/*/update"}};
static const struct metric none = {"scale.*none", NULL, NULL, METRIC_VALUE, "round", .range = true},
                           saturates = {"ram.scale.*saturates",
                                        "*reading saturates at",
                                        "threads",
                                        METRIC_VALUE,
                                        "round",
                                        .range = true,
                                        .refused = "the last threads add more"};

struct experiment scale_experiment(struct scale_source *source, const char *name)
{
    struct record *record = source->record;
    const int cells = source->steps * SCALE_TASKS;
    struct metric *metric = source->metrics;
    for (int i = 0; i < cells; i++) {
        const int threads = source->threads[i / SCALE_TASKS];
        const char *place = record_text(record, "%s%d", name, threads);
        metric[i] =
            metric_at(&rates[i % SCALE_TASKS], record,
                      &(struct metric_place){
                          place, record_text(record, "%s thread%s", place, threads > 1 ? "s" : ""), place});
        metric[i].last = (uint64_t)i + 1;
    }
    metric[cells] = metric_at(&none, record, &(struct metric_place){name, NULL, NULL});
    metric[cells].last = (uint64_t)cells + 1;
    metric[cells + 1] = metric_at(&saturates, record, &(struct metric_place){name, name, NULL});
    metric[cells + 1].last = (uint64_t)cells + 2;
    metric[cells + 1].above = metric[cells].key;
    metric[cells + 2] = (struct metric){0};
    source->series[0] = (struct series){.name = "round", .range = {1, (uint64_t)cells + 2}, .hidden = true};
    return (struct experiment){.name = "scale",
                               .own = source,
                               .series = source->series,
                               .metrics = source->metrics,
                               .sample_all = sample_round,
                               .answers = add_rows,
                               .pace = {24, 8},
                               .any_state = true,
                               .two_cpus = true};
}

/* Of a thread where so many run. */
static uint64_t set_bytes(const struct domain *domain, int threads, int thread)
{
    const struct cache last = topology_largest_last(domain->run->topology, &domain->cpu[thread], 1);
    uint64_t same = 0;
    for (int i = 0; i < threads; i++)
        same += domain->l3[i] == domain->l3[thread];
    return (4 * last.bytes / same / PIECE + 4) * PIECE;
}

/* An iteration is a byte. */
static void choose_bytes(struct point *point)
{
    const struct domain *domain = point->own;
    struct scale_thread *thread = &domain->thread[point->member];
    const uint64_t wanted = set_bytes(domain, domain->active, point->member),
                   most = thread->memory.bytes - PIECE, bytes = wanted < most ? wanted : most;
    const unsigned footprint = ram_tasks[domain->now->operation].footprint;
    unsigned char *target = thread->memory.data;
    thread->work = (struct ram_work){.kernel = domain->now,
                                     .source = target + (footprint > 1 ? bytes / 2 + GAP : 0),
                                     .target = target,
                                     .bytes = bytes / footprint};
    point->iterations = PIECE;
}

static void pass_piece(const struct point *point)
{
    const struct domain *domain = point->own;
    struct scale_thread *thread = &domain->thread[point->member];
    const uint64_t begin = thread->position + PIECE <= thread->work.bytes ? thread->position : 0;
    struct ram_work piece = thread->work;
    piece.source += begin;
    piece.target += begin;
    piece.bytes = PIECE;
    ram_call(&piece, 1);
    thread->position = begin + PIECE;
}

/* Bytes a second by so many threads at the same time. */
static double take(struct scale_source *source, const struct point *point, int threads, int task)
{
    static const struct timed_work passes = {.work = pass_piece, .prepare = choose_bytes, .parts = PIECES};
    struct domain *domain = (struct domain *)source;
    domain->now = domain->kernel[task];
    domain->active = threads;
    return run_has_ended(domain->run) ? NAN
                                      : threads * 1e9 * ram_tasks[domain->now->operation].counted /
                                            time_together(point, &passes, NULL, threads);
}

/* As many bytes as the thread has where it first joins; half of what it has where all run is enough. */
static bool buffer_of(const struct run *run, const void *own, int n, struct buffer *buffer)
{
    const struct domain *domain = own;
    int step = 0;
    if (n >= domain->count)
        return false;
    while (n >= domain->source.threads[step])
        step++;
    *buffer = (struct buffer){.bytes = set_bytes(domain, domain->source.threads[step], n),
                              .least = set_bytes(domain, domain->count, n) / 2,
                              .margin = PIECE,
                              .cpu = domain->cpu[n]};
    return true;
}

static void take_memory(const struct run *run, void *own, const struct memory *memory)
{
    struct domain *domain = own;
    for (int i = 0; i < domain->count; i++)
        domain->thread[i].memory = memory[i];
}

/* Proves each kernel. */
static enum status open_domain(struct run *run, void **own, struct fault *fault)
{
    const struct domain *domain = *own;
    const uint64_t bytes = 2 * ram_stride(UNIT);
    unsigned char *data = aligned_alloc(UNIT, (bytes + UNIT - 1) / UNIT * UNIT);
    for (int k = 0; data && k < SCALE_TASKS && fault->status == STATUS_OK; k++) {
        const struct ram_work work = {
            .kernel = domain->kernel[k], .source = data + ram_stride(UNIT), .target = data, .bytes = UNIT};
        memset(data, 1, bytes);
        if (!ram_proves(&work))
            fault_set(fault, STATUS_FAILED, "%s did not do its work", work.kernel->name);
    }
    free(data);
    return fault->status;
}

/* The CPUs of a node, or of all (-1): cores before their SMT siblings, nodes in turn. The kernels with the
 * widest vectors. */
static void make_domain(struct domain *domain, const struct run *run, int node)
{
    const int cpus = run->cpus.count;
    const struct cpu_place *place[CPU_LIST_MAX];
    int before[CPU_LIST_MAX]; /* CPUs of the same node that join earlier */
    *domain = (struct domain){.source = {.take = take, .record = run->record}, .run = run};
    for (int i = 0; i < cpus; i++)
        place[i] = topology_place(run->topology, run->cpus.id[i]);
    for (int i = 0; i < cpus; i++)
        for (int j = before[i] = 0; j < cpus; j++)
            before[i] +=
                place[j]->node == place[i]->node &&
                (place[j]->sibling != place[i]->sibling ? place[j]->sibling < place[i]->sibling : j < i);
    for (int turn = 0; turn < cpus; turn++)
        for (int i = 0; i < cpus; i++)
            if (before[i] == turn && (node < 0 || place[i]->node == node)) {
                domain->cpu[domain->count] = place[i]->id;
                domain->l3[domain->count++] = place[i]->l3;
            }
    domain->thread = memory_zeroed((size_t)domain->count, sizeof *domain->thread);
    domain->memory =
        (struct memory_row){.buffer = buffer_of,
                            .pages = (enum page_kind)((const struct ram_params *)run->params)->pages,
                            .content = MEMORY_FILLED,
                            .fill_s = 1,
                            .lay_out = take_memory};
    domain->name = node < 0 ? "" : record_text(run->record, "node%d.", node);
    for (int k = 0; k < SCALE_TASKS; k++)
        domain->kernel[k] = ram_widest(run, tasks[k], stores[k]);
    for (int threads = 1; domain->source.steps == 0 || threads < 2 * domain->count; threads *= 2)
        domain->source.threads[domain->source.steps++] = threads < domain->count ? threads : domain->count;
}

enum status ram_scale(struct run *run, struct fault *fault)
{
    enum { NODES_MOST = 64, SECONDS = 8, QUICK_SECONDS = 3 };
    struct domain *domain;
    struct experiment experiment[NODES_MOST + 1];
    size_t count = 1;
    if (run->cpus.count < 2)
        return fault_set(fault, STATUS_NO_RESOURCE,
                         "--scale needs two CPUs, one can be used here: give more --cpus");
    domain = memory_zeroed(NODES_MOST + 2, sizeof *domain);
    make_domain(domain, run, -1);
    for (int node = 0; run->topology->numa_nodes > 1 && node < NODES_MOST; node++) {
        make_domain(&domain[count], run, node);
        if (domain[count].count > 1 && domain[count].count < run->cpus.count)
            count++;
        else
            free(domain[count].thread);
    }
    for (size_t i = 0; i < count; i++) {
        experiment[i] = scale_experiment(&domain[i].source, domain[i].name);
        experiment[i].open = open_domain;
        experiment[i].team = (struct team_row){domain[i].cpu, domain[i].count};
        experiment[i].memory = &domain[i].memory;
        experiment[i].pace.seconds = SECONDS / (double)count;
        experiment[i].pace.quick_seconds = QUICK_SECONDS / (double)count;
    }
    experiment_run(experiment, count, run, NULL, fault);
    for (size_t i = 0; i < count; i++)
        free(domain[i].thread);
    free(domain);
    return fault->status;
}
