/* SPDX-License-Identifier: MIT */
/* `ram --nodes`: latency and reading from the CPUs of each NUMA node to the memory of each, which
 * move_pages proves. */
#include <math.h>
#include <stdlib.h>

#include "base/text.h"
#include "modes.h"
#include "ram.h"

enum { NODES_MOST = 64, CHUNK = 64, CHUNKS = 64, LATENCY = 1, READ = 2, PIECE = 8 << 20, SLICES = 8 };

/* Filling a node takes no longer; the rounds of a route, and many times as long where it is busy. */
static const double FILL_S = 1, ROUTE_S = 0.05;

struct node_place {
    struct numa_node node;
    struct ram_set set;  /* bytes 0: nothing can be measured there */
    const char *missing; /* why; NULL: nothing is */
    int *member, cpus;   /* of the team, on the CPUs of the node, if there are any */
};

struct nodes;
struct route {
    struct nodes *own;
    struct node_place *from, *to;
};

struct nodes {
    const struct run *run;
    const struct kernel *read;
    struct node_place place[NODES_MOST];
    int count;
    const char **missing[NODES_MOST]; /* that of each place */
    int *rank;                        /* of each member among those of its node */
    double drawing_ns;
    struct route route[NODES_MOST * NODES_MOST];
    struct series series[NODES_MOST * NODES_MOST + 1];
    struct metric metrics[2 * NODES_MOST * NODES_MOST + 1];
    /* Of the sample under way: */
    struct node_place *to;
    uint64_t piece; /* bytes before those that all threads read, PIECE each */
};

static void count_loads(struct point *point)
{
    point->iterations = CHUNK;
}

static void draw_lines(const struct point *point)
{
    struct nodes *own = point->own;
    ram_set_load(&own->to->set, 0, own->to->set.bytes, point->iterations);
}

/* An iteration is a byte. */
static void count_bytes(struct point *point)
{
    point->iterations = PIECE / SLICES;
}

static void read_slice(const struct point *point)
{
    const struct nodes *own = point->own;
    const uint64_t first = own->piece + (uint64_t)own->rank[point->member] * PIECE;
    ram_call(&(struct ram_work){.kernel = own->read,
                                .source = own->to->set.memory.data + first + point->part * (PIECE / SLICES),
                                .bytes = PIECE / SLICES},
             1);
}

/* x LATENCY: ns of a load; READ: bytes in a second by all CPUs of the node. */
static double sample(const struct point *point)
{
    static const struct timed_work draws = {.work = draw_lines, .prepare = count_loads, .parts = CHUNKS},
                                   reads = {.work = read_slice, .prepare = count_bytes, .parts = SLICES};
    const struct route *route = point->series->row;
    struct nodes *own = route->own;
    const struct node_place *from = route->from;
    const uint64_t piece = (uint64_t)from->cpus * PIECE;
    own->to = route->to;
    if (point->x == LATENCY)
        return time_together(point, &draws, from->member, 1) - own->drawing_ns;
    own->piece = own->piece + 2 * piece <= own->to->set.bytes ? own->piece + piece : 0;
    return from->cpus * 1e9 / time_together(point, &reads, from->member, from->cpus);
}

/* Memory on each node: four times its last caches. Half of it would do, of less they would hold most. */
static bool buffer_of(const struct run *run, const void *context, int n, struct buffer *buffer)
{
    const struct nodes *own = context;
    const uint64_t nodes = (uint64_t)own->count, least = 2 * (uint64_t)run->cpus.count * PIECE;
    const struct cache last = ram_last_cache(run, run->cpus.count);
    const uint64_t caches = 4 * last.bytes * (((uint64_t)last.instances + nodes - 1) / nodes),
                   each = caches > least ? caches : least;
    if (n >= own->count)
        return false;
    const struct numa_node *node = &own->place[n].node;
    if (node->bytes > 0)
        *buffer = (struct buffer){.bytes = each, .least = each / 2};
    buffer->cpu = -1;
    buffer->is_on_node = true;
    buffer->node = node->id;
    buffer->missing = own->missing[n];
    return true;
}

/* Proves where the memory lies. */
static void take_memory(const struct run *run, void *context, const struct memory *memory)
{
    struct nodes *own = context;
    own->drawing_ns = ram_drawing_ns(run->clock);
    for (int i = 0; i < own->count; i++) {
        struct node_place *to = &own->place[i];
        if (memory[i].bytes == 0)
            continue;
        double share = memory_share_on(&memory[i], memory[i].bytes, to->node.id);
        if (own->count == 1 && isnan(share)) /* a sandbox; there is no other place */
            share = 1;
        if (share == 1)
            to->set = ram_set_of(run, &memory[i]);
        else
            to->missing = isnan(share) ? "placement unknown" : "placed elsewhere";
    }
}

static bool has_route(const void *context, const struct series *series, uint64_t x,
                      const struct memory *memory)
{
    const struct route *route = series->row;
    return route->to->set.bytes > 0;
}

/* Adds why nothing is measured from or to a node. */
static void add_missing(struct record *record, const struct node_place *at)
{
    static const struct metric rows[] = {{"ram.nodes.*.cpus", "CPUs of node *"},
                                         {"ram.nodes.*.memory", "memory of node *"}};
    const char *id = record_text(record, "%d", at->node.id);
    const char *none_of[] = {at->cpus > 0 ? NULL : at->node.cpus > 0 ? "none allowed" : "none", at->missing};
    for (int i = 0; i < 2; i++) {
        const struct metric row = metric_at(&rows[i], record, &(struct metric_place){id, id, NULL});
        if (none_of[i])
            record_known(record,
                         (struct answer){.key = row.key, .label = row.label, .value = TEXT_CELL(none_of[i])});
    }
}

/* Ranges where a host chooses the cores: 193 to 206 ns in four runs and 144 to 165 in the next seven (Zen 4
 * guest). */
static const struct metric of_route[] = {{"ram.nodes.*.latency", "node *, latency", "ns", METRIC_VALUE,
                                          .last = LATENCY, .beyond = true, .sheet_cell = "latency/*"},
                                         {"ram.nodes.*.read", "node *, read", "Byte/s", METRIC_VALUE,
                                          .last = READ, .beyond = true, .sheet_cell = "read/*"}};

/* The rows of a route: two points and two metrics. */
static void add_route(const struct route *route, struct series *series, struct metric *metrics)
{
    struct record *record = route->own->run->record;
    const int from = route->from->node.id, to = route->to->node.id;
    const struct metric_place place = {record_text(record, "%d.%d", from, to),
                                       record_text(record, "%d to memory %d", from, to),
                                       record_text(record, "node_%d/memory_%d", from, to)};
    *series = (struct series){.name = place.key, .range = {LATENCY, READ}, .row = route, .hidden = true};
    for (int i = 0; i < 2; i++) {
        metrics[i] = metric_at(&of_route[i], record, &place);
        metrics[i].series = series->name;
        metrics[i].range = cpu_may_be_guest(route->own->run->cpu);
    }
}

static void measure(struct nodes *own, struct run *run, struct fault *fault)
{
    const struct ram_params *params = run->params;
    size_t count = 0;
    for (int a = 0; a < own->count; a++)
        for (int b = 0; b < own->count; b++)
            if (run->common->dry_run || (own->place[a].cpus > 0 && own->place[b].node.bytes > 0)) {
                own->route[count] = (struct route){own, &own->place[a], &own->place[b]};
                add_route(&own->route[count], &own->series[count], &own->metrics[2 * count]);
                count++;
            }
    const struct memory_row memory = {.buffer = buffer_of,
                                      .pages = (enum page_kind)params->pages,
                                      .content = MEMORY_FILLED,
                                      .fill_s = own->count * FILL_S,
                                      .lay_out = take_memory};
    const struct experiment experiment = {.name = "nodes",
                                          .own = own,
                                          .series = own->series,
                                          .has_place = has_route,
                                          .metrics = own->metrics,
                                          .team = {run->cpus.id, run->cpus.count},
                                          .memory = &memory,
                                          .sample = sample,
                                          .pace = {24, 8, own->count * FILL_S + (double)count * ROUTE_S, 0},
                                          .any_state = true};
    if (count > 0)
        experiment_run(&experiment, 1, run, own, fault);
    bool has_any = run->common->dry_run || run_has_ended(run) || fault->status == STATUS_NO_RESOURCE;
    for (size_t i = 0; i < count; i++)
        has_any |= own->route[i].to->set.bytes > 0;
    if (!has_any) {
        *fault = (struct fault){0};
        fault_set(
            fault, STATUS_NO_RESOURCE,
            "--nodes: no CPU that may be used, or no memory whose place move_pages proves, or too little of "
            "it: give more --cpus, a weaker sandbox or a larger memory limit");
    }
    for (int i = 0; i < own->count && !run->common->dry_run; i++)
        add_missing(run->record, &own->place[i]);
}

/* Which members of the team are on the CPUs of a node. */
static void find_members(struct nodes *own, struct node_place *place)
{
    const struct run *run = own->run;
    place->member = memory_zeroed((size_t)run->cpus.count, sizeof *place->member);
    for (int i = 0; i < run->cpus.count; i++) {
        const struct cpu_place *cpu = topology_place(run->topology, run->cpus.id[i]);
        if (!cpu || cpu->node != place->node.id)
            continue;
        own->rank[i] = place->cpus;
        place->member[place->cpus++] = i;
    }
}

enum status ram_nodes(struct run *run, struct fault *fault)
{
    struct nodes *own = memory_zeroed(1, sizeof *own);
    struct numa_node node[NODES_MOST];
    own->run = run;
    own->read = ram_widest(run, OPERATION_READ, ACCESS_NONE);
    own->count = topology_nodes(run->topology, node, NODES_MOST);
    own->rank = memory_zeroed((size_t)run->cpus.count, sizeof *own->rank);
    for (int i = 0; i < own->count; i++) {
        own->place[i] = (struct node_place){.node = node[i], .missing = node[i].bytes > 0 ? NULL : "none"};
        own->missing[i] = &own->place[i].missing;
        find_members(own, &own->place[i]);
    }
    if (own->count == 0)
        fault_set(fault, STATUS_UNSUPPORTED, "--nodes: this kernel shows no NUMA node");
    else
        measure(own, run, fault);
    for (int i = 0; i < own->count; i++)
        free(own->place[i].member);
    free(own->rank);
    free(own);
    return fault->status;
}
