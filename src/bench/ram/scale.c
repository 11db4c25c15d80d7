/* SPDX-License-Identifier: MIT */
/* `ram --scale`: how many threads it takes to use all of the memory's bandwidth, over all CPUs and on each NUMA node. Every thread has a
 * set of its own, four times its part of the last cache. */
#include <math.h>
#include <stdlib.h>

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

/* The CPUs of a node or of all nodes, in the order in which they join. */
struct domain {
    struct scale_source source;
    const struct run *run;
    const struct kernel *kernel[SCALE_TASKS], *now;
    int count, cpu[CPU_LIST_MAX], l3[CPU_LIST_MAX], active; /* active: threads at present */
    const char *name;
    struct ram_threads threads;
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

/* x: the rates step by step, then 0, then the threads that saturate. */
static double sample(const struct point *point)
{
    struct scale_source *source = point->own;
    const int cells = source->steps * SCALE_TASKS, at = (int)point->x - 1;
    if (at >= cells)
        return at == cells ? 0 : scale_saturates(source);
    return source->rate[at / SCALE_TASKS][at % SCALE_TASKS] =
               source->take(source, source->threads[at / SCALE_TASKS], at % SCALE_TASKS);
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
        const struct answer *answer = record_answer_find(source->record, source->claims[i].key, NULL);
        if (answer && cell_has_value(&answer->value))
            record_row(source->record, table,
                       (const struct cell[]){INTEGER_CELL(source->threads[i / SCALE_TASKS]),
                                             INTEGER_CELL(tasks[i % SCALE_TASKS]),
                                             REAL_CELL(answer->value.real * 0x1p-30)});
    }
}

struct experiment scale_experiment(struct scale_source *source, const char *name)
{
    struct record *record = source->record;
    const int cells = source->steps * SCALE_TASKS;
    struct claim *claim = source->claims;
    /* Ranges: one thread read 23.8 to 27.9 GiB/s in 10 runs, two 35 to 57, each run steady (Zen 4 guest). */
    for (int i = 0; i < cells + 2; i++)
        claim[i] = (struct claim){.unit = "Byte/s",
                                  .kind = METRIC_VALUE,
                                  .series = "round",
                                  .last = (uint64_t)i + 1,
                                  .range = true};
    for (int i = 0; i < cells; i++) {
        const int threads = source->threads[i / SCALE_TASKS];
        const char *task = ram_task_names[tasks[i % SCALE_TASKS]];
        claim[i].key = record_text(record, "ram.scale.%s%d.%s", name, threads, task);
        claim[i].label =
            record_text(record, "%s%d thread%s, %s", name, threads, threads > 1 ? "s" : "", task);
        claim[i].slot = record_text(record, "scale/%s%d/%s", name, threads, task);
    }
    claim[cells].key = record_text(record, "scale.%snone", name);
    claim[cells + 1].key = record_text(record, "ram.scale.%ssaturates", name);
    claim[cells + 1].label = record_text(record, "%sreading saturates at", name);
    claim[cells + 1].unit = "threads";
    claim[cells + 1].above = claim[cells].key;
    claim[cells + 1].refused = "the last threads add more";
    claim[cells + 2] = (struct claim){0};
    source->series[0] = (struct series){.name = "round", .range = {1, (uint64_t)cells + 2}, .hidden = true};
    return (struct experiment){.name = "scale",
                               .own = source,
                               .series = source->series,
                               .claims = source->claims,
                               .sample = sample,
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

static struct ram_work work_of(const struct domain *domain, int member, uint64_t bytes)
{
    const unsigned footprint = ram_tasks[domain->now->operation].footprint;
    unsigned char *target = domain->threads.lane[member].source.data;
    return (struct ram_work){.kernel = domain->now,
                             .source = target + (footprint > 1 ? bytes / 2 + GAP : 0),
                             .target = target,
                             .bytes = bytes / footprint};
}

static void run_thread(void *context, int member)
{
    const struct domain *domain = context;
    struct ram_lane *lane = &domain->threads.lane[member];
    const uint64_t bytes = set_bytes(domain, domain->active, member), filled = lane->filled - PIECE;
    const struct ram_work work = work_of(domain, member, bytes < filled ? bytes : filled);
    ram_stream(lane, &work, PIECE, PIECES, 1);
    lane->ns /= ram_tasks[domain->now->operation].counted;
}

static double take(struct scale_source *source, int threads, int task)
{
    struct domain *domain = (struct domain *)source;
    domain->now = domain->kernel[task];
    domain->active = threads;
    return run_has_ended(domain->run) ? NAN : ram_threads_rate(&domain->threads, threads, run_thread, domain);
}

/* As many bytes as the thread has where it first joins. */
static void fill_thread(void *context, int member)
{
    struct domain *domain = context;
    const uint64_t most = memory_room() / 2 / (uint64_t)domain->count;
    int step = 0;
    while (member >= domain->source.threads[step])
        step++;
    const uint64_t bytes = set_bytes(domain, domain->source.threads[step], member) + PIECE;
    ram_lane_fill(&domain->threads.lane[member], domain->run, bytes < most ? bytes : most);
}

static enum status open_domain(struct run *run, void **own, struct fault *fault)
{
    struct domain *domain = *own;
    (void)run;
    if (ram_threads_open(&domain->threads, domain->cpu, domain->count, fault) != STATUS_OK)
        return fault->status;
    if (!ram_threads_run(&domain->threads, domain->count, fill_thread, domain))
        return fault_set(fault, STATUS_FAILED, "filling memory did not end in time");
    if (ram_threads_check(&domain->threads, fault) != STATUS_OK)
        return fault->status;
    for (int i = 0; i < domain->count; i++)
        if (domain->threads.lane[i].filled < set_bytes(domain, domain->count, i) / 2 + PIECE)
            return fault_set(fault, STATUS_NO_RESOURCE,
                             "--scale has %.0f MiB for each thread, by its limits or by what a second "
                             "fills, too little for memory: give fewer --cpus",
                             (double)domain->threads.lane[i].filled * 0x1p-20);
    for (int k = 0; k < SCALE_TASKS; k++) {
        domain->now = domain->kernel[k];
        struct ram_work work = work_of(domain, 0, 2 * PIECE);
        work.bytes = UNIT;
        work.source =
            ram_tasks[domain->now->operation].buffers ? work.target + ram_stride(UNIT) : work.source;
        if (!ram_proves(&work))
            return fault_set(fault, STATUS_FAILED, "%s did not do its work", domain->now->name);
    }
    return STATUS_OK;
}

static void close_domain(void *own)
{
    ram_threads_close(&((struct domain *)own)->threads);
}

/* The CPUs of a node, or of all (-1): cores before their SMT siblings, nodes in turn. The kernels with the widest vectors. */
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
        count += domain[count].count > 1 && domain[count].count < run->cpus.count;
    }
    for (size_t i = 0; i < count; i++) {
        experiment[i] = scale_experiment(&domain[i].source, domain[i].name);
        experiment[i].open = open_domain;
        experiment[i].close = close_domain;
        experiment[i].pace.seconds = SECONDS / (double)count;
        experiment[i].pace.quick_seconds = QUICK_SECONDS / (double)count;
    }
    experiment_run(experiment, count, run, NULL, fault);
    for (size_t i = 0; i < count; i++)
        close_domain(&domain[i]);
    free(domain);
    return fault->status;
}
