/* SPDX-License-Identifier: MIT */
/* `ram --nodes`: latency and reading from the CPUs of each NUMA node to the memory of each, which move_pages proves. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"
#include "modes.h"
#include "ram.h"
#include "uarchprobe/clock.h"
#include "uarchprobe/experiment.h"

enum { NODES_MOST = 64, NAME = 48, CHUNK = 64, CHUNKS = 64, LATENCY = 1, READ = 2, PIECE = 8 << 20 };

struct node_place {
    struct numa_node node;
    struct ram_set set;                /* bytes 0: nothing can be measured there */
    double share;                      /* of its pages, on the node */
    int member[CPU_LIST_MAX], members; /* of the team: the CPUs of the node */
};

struct nodes {
    const struct run *run;
    const struct kernel *read;
    struct node_place place[NODES_MOST];
    int count, part[CPU_LIST_MAX]; /* of each member among those of its node */
    struct team *team;
    double drawing_ns;
    /* Of the sample under way: */
    struct node_place *to;
    double ns;      /* of a load */
    uint64_t piece; /* bytes before those that all members read, PIECE each */
    struct ram_lane lane[CPU_LIST_MAX];
};

struct route {
    struct nodes *own;
    struct node_place *from, *to;
    char name[NAME], key[2][NAME], label[2][NAME], slot[2][NAME];
};

static void draw(void *context, int member)
{
    struct nodes *own = context;
    (void)member;
    own->ns = ram_set_median(&own->to->set, 0, own->to->set.bytes, CHUNK, CHUNKS);
}

static void read_piece(void *context, int member)
{
    struct nodes *own = context;
    struct ram_lane *lane = &own->lane[own->part[member]];
    lane->begin_ns = clock_now_ns();
    kernel_call(own->read, own->to->set.memory.data + own->piece + own->part[member] * PIECE, NULL, PIECE, 1);
    lane->end_ns = clock_now_ns();
    lane->ns = (double)(lane->end_ns - lane->begin_ns) / PIECE;
}

/* x LATENCY: ns of a load; READ: bytes in a second by all CPUs of the node. */
static double sample(const struct point *point)
{
    static const double PATIENCE_S = 60;
    const struct route *route = point->series->row;
    struct nodes *own = route->own;
    const bool reads = point->x == READ;
    const int count = reads ? route->from->members : 1;
    const uint64_t piece = (uint64_t)count * PIECE;
    own->to = route->to;
    own->piece = own->piece + 2 * piece <= own->to->set.bytes ? own->piece + piece : 0;
    if (!team_run(own->team, route->from->member, count, reads ? read_piece : draw, own, PATIENCE_S))
        return NAN;
    return reads ? count / ram_lanes_ns(own->lane, count) * 1e9 : own->ns - own->drawing_ns;
}

/* Memory on each node, placed and proved: four times its last caches; half of it would do, of less they would hold most. */
static enum status open_nodes(struct nodes *own, struct fault *fault)
{
    const struct run *run = own->run;
    const uint64_t nodes = (uint64_t)own->count, least = 2 * (uint64_t)run->cpus.count * PIECE,
                   room = memory_room() / 2 / nodes;
    const struct cache last = ram_last_cache(run->topology);
    const uint64_t caches = 4 * last.bytes * (((uint64_t)last.instances + nodes - 1) / nodes),
                   each = caches > least ? caches : least;
    for (int i = 0; i < own->count; i++) {
        struct node_place *to = &own->place[i];
        struct fault ignored = {0};
        for (int k = 0; k < run->cpus.count; k++) {
            const struct cpu_place *cpu = topology_place(run->topology, run->cpus.id[k]);
            if (!cpu || cpu->node != to->node.id)
                continue;
            own->part[k] = to->members;
            to->member[to->members++] = k;
        }
        if (to->node.bytes == 0 ||
            ram_set_open(&to->set, run, each < room ? each : room, to->node.id, 1, &ignored) != STATUS_OK)
            continue;
        to->share = memory_share_on(&to->set.memory, to->set.bytes, to->node.id);
        if (own->count == 1 && isnan(to->share)) /* a sandbox; there is no other place */
            to->share = 1;
        own->drawing_ns = ram_drawing_ns(&to->set);
        if (!(to->share == 1) || 2 * to->set.bytes < each)
            to->set.bytes = 0;
    }
    own->team = team_new(run->cpus.id, run->cpus.count, fault);
    return fault->status;
}

/* Adds why nothing is measured from or to a node. */
static void add_missing(struct record *record, const struct node_place *at)
{
    char key[NAME], label[NAME];
    const char *none_of[] = {at->members > 0     ? NULL
                             : at->node.cpus > 0 ? "none allowed"
                                                 : "none",
                             at->set.bytes > 0           ? NULL
                             : at->node.bytes == 0       ? "none"
                             : at->set.memory.bytes == 0 ? "not to be had"
                             : at->share == 1            ? "too little is free"
                             : isnan(at->share)          ? "placement unknown"
                                                         : "placed elsewhere"};
    for (int i = 0; i < 2; i++) {
        snprintf(key, sizeof key, i ? "ram.nodes.%d.memory" : "ram.nodes.%d.cpus", at->node.id);
        snprintf(label, sizeof label, i ? "memory of node %d" : "CPUs of node %d", at->node.id);
        if (none_of[i])
            record_answer(record, (struct answer){.key = key,
                                                  .label = label,
                                                  .value = TEXT_CELL(none_of[i]),
                                                  .trust = verdict_capped(LEG_NONE, LEG_NONE).trust});
    }
}

/* The rows of a route: two points and two claims. */
static void add_route(struct route *route, struct series *series, struct claim *claims)
{
    static const char *const what[] = {"latency", "read"}, *const unit[] = {"ns", "Byte/s"};
    const int from = route->from->node.id, to = route->to->node.id;
    snprintf(route->name, sizeof route->name, "%d.%d", from, to);
    *series =
        (struct series){.name = route->name, .first = LATENCY, .last = READ, .row = route, .hidden = true};
    for (int i = 0; i < 2; i++) {
        snprintf(route->key[i], NAME, "ram.nodes.%d.%d.%s", from, to, what[i]);
        snprintf(route->label[i], NAME, "node %d to memory %d, %s", from, to, what[i]);
        snprintf(route->slot[i], NAME, "%s/node_%d/memory_%d", what[i], from, to);
        claims[i] = (struct claim){.key = route->key[i],
                                   .label = route->label[i],
                                   .unit = unit[i],
                                   .kind = CLAIM_VALUE,
                                   .from = route->name,
                                   .last = i ? READ : LATENCY,
                                   .beyond = true,
                                   .range = cpu_may_be_guest(route->own->run->cpu),
                                   .slot = route->slot[i]};
    }
}

static void measure(struct nodes *own, struct run *run, struct fault *fault)
{
    const size_t most = (size_t)own->count * (size_t)own->count;
    struct route *route = memory_zeroed(most, sizeof *route);
    struct series *series = memory_zeroed(most + 1, sizeof *series);
    struct claim *claims = memory_zeroed(2 * most + 1, sizeof *claims);
    size_t count = 0;
    for (int a = 0; a < own->count; a++)
        for (int b = 0; b < own->count; b++)
            if (run->common->dry_run || (own->place[a].members > 0 && own->place[b].set.bytes > 0)) {
                route[count] = (struct route){.own = own, .from = &own->place[a], .to = &own->place[b]};
                add_route(&route[count], &series[count], &claims[2 * count]);
                count++;
            }
    const struct experiment experiment = {.name = "nodes",
                                          .series = series,
                                          .claims = claims,
                                          .sample = sample,
                                          .rounds = 24,
                                          .quick_rounds = 8,
                                          .seconds = 10,
                                          .quick_seconds = 4,
                                          .any_state = true};
    if (count > 0)
        experiment_run(&experiment, 1, run, own, fault);
    else
        fault_set(
            fault, STATUS_NO_RESOURCE,
            "--nodes: no CPU that may be used, or no memory whose place move_pages proves, or too little of "
            "it: give more --cpus, a weaker sandbox or a larger memory limit");
    for (int i = 0; i < own->count && !run->common->dry_run; i++)
        add_missing(run->record, &own->place[i]);
    free(route);
    free(series);
    free(claims);
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
    if (own->team)
        team_free(own->team);
    for (int i = 0; i < own->count; i++)
        memory_release(&own->place[i].set.memory);
    free(own);
    return fault->status;
}
