/* SPDX-License-Identifier: MIT */
/* `ram --scale`: how many threads it takes to use all of the memory's bandwidth, over all CPUs and on each NUMA node. Every thread has a
 * set of its own, four times its part of the last cache. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"
#include "modes.h"
#include "ram.h"

/* GAP: keeps source and target off the same 4 KiB offset. */
enum { PIECE = 1 << 20, UNIT = 4096, GAP = UNIT / 2 + 256, UNKNOWN_CACHE = 64 << 20 };
static const uint64_t SAMPLE_NS = 10000000;
static const double FILL_S = 1, DEADLINE_S = 60, MOST = 0.95;

/* Stores are streaming ones, but in place. */
static const enum operation tasks[SCALE_TASKS] = {OPERATION_READ, OPERATION_WRITE, OPERATION_COPY,
                                                  OPERATION_UPDATE};

struct thread {
    uint64_t filled, bytes, at; /* of its set: now, and the next piece */
    int cpu;
};

/* The CPUs of a node or of all nodes, in the order in which they join. */
struct domain {
    struct scale_source source;
    const struct run *run;
    const struct kernel *kernel[SCALE_TASKS], *now;
    int node, count; /* node -1: all */
    uint64_t alone;  /* bytes that a single thread has */
    char name[SCALE_TEXT];
    struct thread *thread;
    struct ram_lane *lane;
    struct team *team;
};

double scale_saturates(const struct scale_source *source)
{
    double most = 0;
    int first = source->steps - 1;
    for (int i = 0; i < source->steps; i++)
        most = fmax(most, source->rate[i][0]);
    for (int i = source->steps - 1; i >= 0; i--)
        first = source->rate[i][0] >= MOST * most ? i : first;
    return first + 1 < source->steps ? source->threads[first] : 0;
}

/* x: the rates step by step, then 0, then the threads that saturate. */
static double sample(const struct point *point)
{
    struct scale_source *source = point->own;
    const uint64_t cells = (uint64_t)(source->steps * SCALE_TASKS), at = point->x - 1;
    if (at == 0)
        source->take(source);
    return at < cells ? source->rate[at / SCALE_TASKS][at % SCALE_TASKS]
                      : (at > cells ? scale_saturates(source) : 0);
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
    const size_t table = record_table_add(source->record, &spec);
    const struct engine_data *data = lab_data(lab);
    double *value = memory_zeroed(data->kept, sizeof *value);
    for (int i = 0; i < source->steps * SCALE_TASKS; i++) {
        size_t count = 0;
        for (size_t round = 0; round < data->kept; round++)
            if (!isnan(data->value[round * data->cells + (size_t)i]))
                value[count++] = (double)data->value[round * data->cells + (size_t)i];
        if (count > 0)
            record_row(source->record, table,
                       (const struct cell[]){INTEGER_CELL(source->threads[i / SCALE_TASKS]),
                                             INTEGER_CELL(tasks[i % SCALE_TASKS]),
                                             REAL_CELL(median_of(value, count) * 0x1p-30)});
    }
    free(value);
}

struct experiment scale_experiment(struct scale_source *source, const char *name)
{
    const int cells = source->steps * SCALE_TASKS;
    struct claim *claim = source->claims;
    for (int i = 0; i < cells; i++) {
        const int threads = source->threads[i / SCALE_TASKS];
        const char *task = ram_task_names[tasks[i % SCALE_TASKS]];
        snprintf(source->key[i], SCALE_TEXT, "ram.scale.%s%d.%s", name, threads, task);
        snprintf(source->label[i], SCALE_TEXT, "%s%d thread%s, %s", name, threads, threads > 1 ? "s" : "",
                 task);
        snprintf(source->slot[i], SCALE_TEXT, "scale/%s%d/%s", name, threads, task);
        *claim++ = (struct claim){.key = source->key[i],
                                  .label = source->label[i],
                                  .unit = "Byte/s",
                                  .kind = CLAIM_VALUE,
                                  .from = "round",
                                  .last = (uint64_t)i + 1,
                                  .slot = source->slot[i],
                                  .range = true};
    }
    snprintf(source->key[cells], SCALE_TEXT, "scale.%snone", name);
    snprintf(source->key[cells + 1], SCALE_TEXT, "ram.scale.%ssaturates", name);
    snprintf(source->label[cells], SCALE_TEXT, "%s95 %% of the most are read by", name);
    *claim++ = (struct claim){.key = source->key[cells],
                              .kind = CLAIM_VALUE,
                              .from = "round",
                              .last = (uint64_t)cells + 1,
                              .range = true};
    *claim++ = (struct claim){.key = source->key[cells + 1],
                              .label = source->label[cells],
                              .unit = "threads",
                              .kind = CLAIM_VALUE,
                              .from = "round",
                              .last = (uint64_t)cells + 2,
                              .above = source->key[cells],
                              .refused = "the last threads add more",
                              .range = true};
    *claim = (struct claim){0};
    source->series[0] =
        (struct series){.name = "round", .first = 1, .last = (uint64_t)cells + 2, .hidden = true};
    source->series[1] = (struct series){0};
    return (struct experiment){.name = "scale",
                               .own = source,
                               .series = source->series,
                               .claims = source->claims,
                               .sample = sample,
                               .answers = add_rows,
                               .rounds = 24,
                               .quick_rounds = 8,
                               .any_state = true,
                               .two_cpus = true};
}

static int l3_of(const struct domain *domain, int thread)
{
    const struct cpu_place *place = topology_place(domain->run->topology, domain->thread[thread].cpu);
    return place ? place->l3 : -1;
}

/* Of a thread where so many run. */
static uint64_t set_bytes(const struct domain *domain, int threads, int thread)
{
    const int last = topology_last_level(domain->run->topology);
    const uint64_t cache = last ? topology_cache_bytes(domain->run->topology, last) : UNKNOWN_CACHE;
    uint64_t same = 0;
    for (int i = 0; i < threads; i++)
        same += l3_of(domain, i) == l3_of(domain, thread);
    const uint64_t bytes = 4 * cache / same;
    return (bytes > 4 * PIECE ? bytes : 4 * PIECE) / PIECE * PIECE;
}

static struct ram_work work_of(const struct domain *domain, int member, uint64_t bytes)
{
    const struct thread *thread = &domain->thread[member];
    unsigned char *data = domain->lane[member].source.data;
    const bool both = ram_tasks[domain->now->operation].footprint > 1;
    return (struct ram_work){.kernel = domain->now,
                             .source = data + (both ? thread->bytes / 2 + GAP : 0) + thread->at,
                             .target = data + thread->at,
                             .bytes = bytes};
}

/* The median of the pieces drops most interruptions. */
static void run_thread(void *context, int member)
{
    struct domain *domain = context;
    struct ram_lane *lane = &domain->lane[member];
    struct thread *thread = &domain->thread[member];
    const struct ram_task *task = &ram_tasks[domain->now->operation];
    const uint64_t end = thread->bytes / task->footprint;
    lane->slices.count = 0;
    lane->begin_ns = lane->end_ns = clock_now_ns();
    do {
        thread->at = thread->at + PIECE <= end ? thread->at : 0;
        const struct ram_work work = work_of(domain, member, PIECE);
        const uint64_t begin_ns = lane->end_ns;
        ram_call(&work, 1);
        thread->at += PIECE;
        lane->end_ns = clock_now_ns();
        samples_add(&lane->slices, (double)(lane->end_ns - begin_ns));
    } while (lane->end_ns - lane->begin_ns < SAMPLE_NS);
    lane->ns = median_of(lane->slices.value, lane->slices.count) / (double)(PIECE * task->counted);
}

static void take_round(struct scale_source *source)
{
    struct domain *domain = (struct domain *)source;
    for (int i = 0; i < source->steps; i++)
        for (int k = 0; k < SCALE_TASKS; k++) {
            const int threads = source->threads[i];
            domain->now = domain->kernel[k];
            for (int t = 0; t < threads; t++) {
                struct thread *thread = &domain->thread[t];
                const uint64_t bytes = set_bytes(domain, threads, t);
                thread->bytes = bytes < thread->filled ? bytes : thread->filled;
            }
            const bool done = !run_has_ended(domain->run) &&
                              team_run(domain->team, NULL, threads, run_thread, domain, DEADLINE_S);
            source->rate[i][k] = done ? threads / ram_lanes_ns(domain->lane, threads) * 1e9 : NAN;
        }
}

/* Doubles of these bytes are normal numbers. */
static void fill_thread(void *context, int member)
{
    struct domain *domain = context;
    const struct memory *memory = &domain->lane[member].source;
    const uint64_t filled = memory_fill(memory, (uint64_t)member + 1, FILL_S);
    for (uint64_t i = 0; i < filled / sizeof(uint64_t); i++)
        ((uint64_t *)(void *)memory->data)[i] =
            (((uint64_t *)(void *)memory->data)[i] & UINT64_C(0x1f1f1f1f1f1f1f1f)) |
            UINT64_C(0x0101010101010101);
    domain->thread[member].filled = filled > GAP ? (filled - GAP) / PIECE * PIECE : 0;
}

static enum status open_domain(struct run *run, void **own, struct fault *fault)
{
    struct domain *domain = *own;
    const struct ram_params *params = run->params;
    const uint64_t most = memory_room() / 2 / (uint64_t)domain->count;
    int cpu[CPU_LIST_MAX];
    domain->lane = memory_zeroed((size_t)domain->count, sizeof *domain->lane);
    for (int i = 0; i < domain->count; i++) {
        struct memory_request request = {.pages = (enum page_kind)params->pages, .node = -1};
        for (int step = 0; step < domain->source.steps; step++)
            if (i < domain->source.threads[step] &&
                set_bytes(domain, domain->source.threads[step], i) > request.bytes)
                request.bytes = set_bytes(domain, domain->source.threads[step], i);
        request.bytes = (request.bytes < most ? request.bytes : most) + PIECE;
        cpu[i] = domain->thread[i].cpu;
        if (memory_map(&domain->lane[i].source, &request, fault) != STATUS_OK)
            return fault->status;
    }
    domain->team = team_new(cpu, domain->count, fault);
    if (!domain->team || !team_run(domain->team, NULL, domain->count, fill_thread, domain, DEADLINE_S))
        return fault->status
                   ? fault->status
                   : fault_set(fault, STATUS_FAILED, "filling memory did not end within %.0f s", DEADLINE_S);
    for (int i = 0; i < domain->count; i++)
        if (domain->thread[i].filled < set_bytes(domain, domain->count, i) / 2)
            return fault_set(fault, STATUS_NO_RESOURCE,
                             "--scale has %.0f MiB for each thread, by its limits or by what a second "
                             "fills, too little for memory: give fewer --cpus",
                             (double)domain->thread[i].filled * 0x1p-20);
    domain->alone = set_bytes(domain, 1, 0);
    domain->alone = domain->alone < domain->thread[0].filled ? domain->alone : domain->thread[0].filled;
    domain->thread[0].bytes = 2 * PIECE;
    for (int k = 0; k < SCALE_TASKS; k++) {
        domain->now = domain->kernel[k];
        struct ram_work work = work_of(domain, 0, UNIT);
        work.source =
            ram_tasks[domain->now->operation].buffers ? work.target + ram_stride(UNIT) : work.source;
        if (!ram_proves(&work))
            return fault_set(fault, STATUS_FAILED, "%s did not do its work", domain->now->name);
    }
    return STATUS_OK;
}

static void close_domain(void *own)
{
    struct domain *domain = own;
    if (domain->team)
        team_free(domain->team);
    for (int i = 0; domain->lane && i < domain->count; i++) {
        memory_release(&domain->lane[i].source);
        samples_free(&domain->lane[i].slices);
    }
    free(domain->lane);
    domain->team = NULL;
    domain->lane = NULL;
}

/* Cores before SMT siblings; nodes in turn. */
static void join_cpus(struct domain *domain)
{
    const struct topology *topology = domain->run->topology;
    const struct cpu_list *cpus = &domain->run->cpus;
    domain->thread = memory_zeroed((size_t)cpus->count, sizeof *domain->thread);
    int *rank = memory_zeroed((size_t)cpus->count, sizeof *rank);
    int most = 0;
    for (int i = 0; i < cpus->count; i++) {
        const struct cpu_place *own = topology_place(topology, cpus->id[i]);
        const int node = own ? own->node : 0, sibling = own ? own->sibling : 0;
        for (int j = 0; j < cpus->count; j++) {
            const struct cpu_place *other = topology_place(topology, cpus->id[j]);
            rank[i] += other && other->node == node &&
                       (other->sibling < sibling || (other->sibling == sibling && j < i));
        }
        rank[i] = domain->node >= 0 && node != domain->node ? -1 : rank[i];
        most = rank[i] > most ? rank[i] : most;
    }
    for (int r = 0; r <= most; r++)
        for (int i = 0; i < cpus->count; i++)
            if (rank[i] == r)
                domain->thread[domain->count++].cpu = cpus->id[i];
    free(rank);
}

/* The widest kernel. */
static const struct kernel *kernel_for(const struct run *run, enum operation operation)
{
    const struct kernel *widest = NULL;
    for (const struct kernel *next = NULL; (next = kernel_next(&run->kernels, operation, next));)
        if (next->method == METHOD_VECTOR && next->load <= ACCESS_ALIGNED &&
            (next->store == ACCESS_NONE ||
             (next->store == ACCESS_STREAMING) == (operation != OPERATION_UPDATE)))
            widest = next;
    return widest;
}

static void make_domain(struct domain *domain, const struct run *run, int node)
{
    *domain =
        (struct domain){.source = {.take = take_round, .record = run->record}, .run = run, .node = node};
    if (node >= 0)
        snprintf(domain->name, sizeof domain->name, "node%d.", node);
    join_cpus(domain);
    for (int k = 0; k < SCALE_TASKS; k++)
        domain->kernel[k] = kernel_for(run, tasks[k]);
    for (int threads = 1; domain->source.steps < SCALE_STEPS; threads *= 2) {
        domain->source.threads[domain->source.steps++] = threads < domain->count ? threads : domain->count;
        if (threads >= domain->count)
            break;
    }
}

enum status ram_scale(struct run *run, struct fault *fault)
{
    enum { NODES_MOST = 64, SECONDS = 8, QUICK_SECONDS = 3 };
    struct domain *domain = memory_zeroed(NODES_MOST + 1, sizeof *domain);
    struct experiment experiment[NODES_MOST + 1];
    size_t count = 0;
    if (run->cpus.count < 2)
        return fault_set(fault, STATUS_NO_RESOURCE,
                         "--scale needs two CPUs, one can be used here: give more --cpus");
    make_domain(&domain[count++], run, -1);
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
        experiment[i].close = close_domain;
        experiment[i].seconds = SECONDS / (double)count;
        experiment[i].quick_seconds = QUICK_SECONDS / (double)count;
    }
    if (experiment_run(experiment, count, run, NULL, fault) == STATUS_OK && !run->common->dry_run)
        record_answer(run->record, (struct answer){.key = "ram.scale.bytes",
                                                   .label = "set of one thread",
                                                   .value = REAL_CELL((double)domain[0].alone),
                                                   .unit = "Byte",
                                                   .trust = verdict_capped(LEG_NONE, LEG_NONE).trust});
    for (size_t i = 0; i < count; i++) {
        close_domain(&domain[i]);
        free(domain[i].thread);
    }
    free(domain);
    return fault->status;
}
