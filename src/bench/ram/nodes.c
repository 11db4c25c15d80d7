/* SPDX-License-Identifier: MIT */
/* `ram --nodes`: latency and reading from the CPUs of each NUMA node to the memory of each, which move_pages proves. */
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
    struct ram_set set;         /* bytes 0: nothing can be measured there */
    double share;               /* of its pages, on the node */
    struct ram_threads threads; /* on the CPUs of the node, if there are any */
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
    double drawing_ns;
    struct fault refused; /* why the first node without memory has none */
    struct route route[NODES_MOST * NODES_MOST];
    struct series series[NODES_MOST * NODES_MOST + 1];
    struct claim claims[2 * NODES_MOST * NODES_MOST + 1];
    /* Of the sample under way: */
    struct node_place *from, *to;
    double ns;      /* of a load */
    uint64_t piece; /* bytes before those that all threads read, PIECE each */
};

static void draw(void *context, int member)
{
    struct nodes *own = context;
    (void)member;
    own->ns = ram_set_median(&own->to->set, 0, own->to->set.bytes, CHUNK, CHUNKS);
}

static void read_piece(void *context, int member)
{
    const struct nodes *own = context;
    struct ram_lane *lane = &own->from->threads.lane[member];
    const struct ram_work work = {.kernel = own->read,
                                  .source = own->to->set.memory.data + own->piece + member * PIECE,
                                  .bytes = PIECE};
    lane->at = 0;
    ram_stream(lane, &work, PIECE / SLICES, SLICES, 1);
}

/* x LATENCY: ns of a load; READ: bytes in a second by all CPUs of the node. */
static double sample(const struct point *point)
{
    const struct route *route = point->series->row;
    struct nodes *own = route->own;
    struct ram_threads *threads = &route->from->threads;
    const uint64_t piece = (uint64_t)threads->count * PIECE;
    own->from = route->from;
    own->to = route->to;
    if (point->x == LATENCY)
        return ram_threads_run(threads, 1, draw, own) ? own->ns - own->drawing_ns : NAN;
    own->piece = own->piece + 2 * piece <= own->to->set.bytes ? own->piece + piece : 0;
    return ram_threads_rate(threads, threads->count, read_piece, own);
}

/* Memory on each node, placed and proved: four times its last caches; half of it would do, of less they would hold most. Threads on
 * its CPUs. */
static enum status open_nodes(struct nodes *own, struct fault *fault)
{
    const struct run *run = own->run;
    const uint64_t nodes = (uint64_t)own->count, least = 2 * (uint64_t)run->cpus.count * PIECE,
                   room = memory_room() / 2 / nodes;
    const struct cache last = ram_last_cache(run, run->cpus.count);
    const uint64_t caches = 4 * last.bytes * (((uint64_t)last.instances + nodes - 1) / nodes),
                   each = caches > least ? caches : least;
    for (int i = 0; i < own->count; i++) {
        struct node_place *to = &own->place[i];
        struct fault refused = {0};
        int cpu[CPU_LIST_MAX], cpus = 0;
        for (int k = 0; k < run->cpus.count; k++) {
            const struct cpu_place *place = topology_place(run->topology, run->cpus.id[k]);
            if (place && place->node == to->node.id)
                cpu[cpus++] = place->id;
        }
        if (cpus > 0 && ram_threads_open(&to->threads, cpu, cpus, fault) != STATUS_OK)
            return fault->status;
        if (to->node.bytes == 0 || ram_set_open(&to->set, run, each < room ? each : room, to->node.id, FILL_S,
                                                &refused) != STATUS_OK) {
            if (refused.status != STATUS_OK)
                fault_set(&own->refused, refused.status, "%s", refused.text);
            continue;
        }
        to->share = memory_share_on(&to->set.memory, to->set.bytes, to->node.id);
        if (own->count == 1 && isnan(to->share)) /* a sandbox; there is no other place */
            to->share = 1;
        own->drawing_ns = ram_drawing_ns(run->clock);
        if (!(to->share == 1) || 2 * to->set.bytes < each)
            to->set.bytes = 0;
    }
    return STATUS_OK;
}

/* Adds why nothing is measured from or to a node. */
static void add_missing(struct record *record, const struct node_place *at)
{
    const char *none_of[] = {at->threads.count > 0 ? NULL
                             : at->node.cpus > 0   ? "none allowed"
                                                   : "none",
                             at->set.bytes > 0           ? NULL
                             : at->node.bytes == 0       ? "none"
                             : at->set.memory.bytes == 0 ? "not to be had"
                             : at->share == 1            ? "too little is free"
                             : isnan(at->share)          ? "placement unknown"
                                                         : "placed elsewhere"};
    for (int i = 0; i < 2; i++)
        if (none_of[i])
            record_answer(
                record, (struct answer){
                            .key = record_text(record, "ram.nodes.%d.%s", at->node.id, i ? "memory" : "cpus"),
                            .label = record_text(record, "%s of node %d", i ? "memory" : "CPUs", at->node.id),
                            .value = TEXT_CELL(none_of[i]),
                            .trust = verdict_capped(LEG_NONE, LEG_NONE).trust});
}

/* The rows of a route: two points and two claims. */
static void add_route(const struct route *route, struct series *series, struct claim *claims)
{
    static const char *const what[] = {"latency", "read"};
    struct record *record = route->own->run->record;
    const int from = route->from->node.id, to = route->to->node.id;
    *series = (struct series){.name = record_text(record, "%d.%d", from, to),
                              .range = {LATENCY, READ},
                              .row = route,
                              .hidden = true};
    /* Ranges where a host chooses the cores: 193 to 206 ns in four runs and 144 to 165 in the next seven
     * (Zen 4 guest). */
    for (int i = 0; i < 2; i++)
        claims[i] =
            (struct claim){.key = record_text(record, "ram.nodes.%d.%d.%s", from, to, what[i]),
                           .label = record_text(record, "node %d to memory %d, %s", from, to, what[i]),
                           .slot = record_text(record, "%s/node_%d/memory_%d", what[i], from, to),
                           .unit = i ? "Byte/s" : "ns",
                           .kind = METRIC_VALUE,
                           .series = series->name,
                           .last = i ? READ : LATENCY,
                           .beyond = true,
                           .range = cpu_may_be_guest(route->own->run->cpu)};
}

static void measure(struct nodes *own, struct run *run, struct fault *fault)
{
    size_t count = 0;
    for (int a = 0; a < own->count; a++)
        for (int b = 0; b < own->count; b++)
            if (run->common->dry_run || (own->place[a].threads.count > 0 && own->place[b].set.bytes > 0)) {
                own->route[count] = (struct route){own, &own->place[a], &own->place[b]};
                add_route(&own->route[count], &own->series[count], &own->claims[2 * count]);
                count++;
            }
    const struct experiment experiment = {.name = "nodes",
                                          .series = own->series,
                                          .claims = own->claims,
                                          .sample = sample,
                                          .pace = {24, 8, own->count * FILL_S + (double)count * ROUTE_S, 0},
                                          .any_state = true};
    if (count > 0)
        experiment_run(&experiment, 1, run, own, fault);
    else if (own->refused.status != STATUS_OK)
        *fault = own->refused;
    else
        fault_set(
            fault, STATUS_NO_RESOURCE,
            "--nodes: no CPU that may be used, or no memory whose place move_pages proves, or too little of "
            "it: give more --cpus, a weaker sandbox or a larger memory limit");
    for (int i = 0; i < own->count && !run->common->dry_run; i++)
        add_missing(run->record, &own->place[i]);
}

enum status ram_nodes(struct run *run, struct fault *fault)
{
    struct nodes *own = memory_zeroed(1, sizeof *own);
    struct numa_node node[NODES_MOST];
    own->run = run;
    own->read = ram_widest(run, OPERATION_READ, ACCESS_NONE);
    own->count = topology_nodes(run->topology, node, NODES_MOST);
    for (int i = 0; i < own->count; i++)
        own->place[i].node = node[i];
    if (own->count == 0)
        fault_set(fault, STATUS_UNSUPPORTED, "--nodes: this kernel shows no NUMA node");
    else if (run->common->dry_run || open_nodes(own, fault) == STATUS_OK)
        measure(own, run, fault);
    for (int i = 0; i < own->count; i++) {
        ram_threads_close(&own->place[i].threads);
        memory_release(&own->place[i].set.memory);
    }
    free(own);
    return fault->status;
}
