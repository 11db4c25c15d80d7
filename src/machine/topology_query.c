/* SPDX-License-Identifier: MIT */
/* Queries of a loaded topology: pure, but for the reason why a CPU is not to be had. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "machine/os.h"
#include "uarchprobe/topology.h"

const char *const relation_names[] = {"same CPU",       "SMT siblings", "same L2",      "same L3",
                                      "same NUMA node", "same package", "same machine", NULL};

const struct cpu_place *topology_place(const struct topology *topology, int cpu)
{
    int low = 0, high = topology->place_count - 1;

    while (low <= high) {
        const int middle = low + (high - low) / 2;
        const struct cpu_place *place = &topology->place[middle];
        if (place->id == cpu)
            return place;
        if (place->id < cpu)
            low = middle + 1;
        else
            high = middle - 1;
    }
    return NULL;
}

enum relation place_relation(const struct cpu_place *a, const struct cpu_place *b)
{
    const int groups[][2] = {
        {a->core, b->core}, {a->l2, b->l2}, {a->l3, b->l3}, {a->node, b->node}, {a->package, b->package}};

    if (a->id == b->id)
        return SAME_CPU;
    for (int i = 0; i < SAME_MACHINE - SAME_CORE; i++)
        if (groups[i][0] >= 0 && groups[i][0] == groups[i][1])
            return (enum relation)(SAME_CORE + i);
    return SAME_MACHINE;
}

enum relation topology_relation(const struct topology *topology, int cpu_a, int cpu_b)
{
    const struct cpu_place *a = topology_place(topology, cpu_a);
    const struct cpu_place *b = topology_place(topology, cpu_b);

    if (cpu_a == cpu_b)
        return SAME_CPU;
    return a && b ? place_relation(a, b) : SAME_MACHINE;
}

static bool serves(const struct topology *topology, const struct cpu_place *place, int row)
{
    return place && row < topology->cache_count && place->caches >> row & 1;
}

static bool holds_data(const struct cache *cache)
{
    return cache->type == 'd' || cache->type == 'u';
}

const struct cache *topology_cache(const struct topology *topology, int cpu, int level)
{
    const struct cpu_place *place = topology_place(topology, cpu);
    for (int i = 0; i < topology->cache_count; i++)
        if (serves(topology, place, i) && topology->cache[i].level == level &&
            holds_data(&topology->cache[i]))
            return &topology->cache[i];
    return NULL;
}

uint64_t topology_cache_bytes(const struct topology *topology, int cpu, int level)
{
    const struct cache *cache = topology_cache(topology, cpu, level);
    return cache ? cache->bytes : 0;
}

uint64_t topology_line_bytes(const struct topology *topology, int cpu)
{
    const struct cpu_place *place = topology_place(topology, cpu);
    int line = 64;
    for (int i = 0; i < topology->cache_count; i++)
        if (serves(topology, place, i) && topology->cache[i].line > line)
            line = topology->cache[i].line;
    return (uint64_t)line;
}

int topology_last_level(const struct topology *topology, int cpu)
{
    const struct cpu_place *place = topology_place(topology, cpu);
    int last = 0;
    for (int i = 0; i < topology->cache_count; i++)
        if (serves(topology, place, i) && holds_data(&topology->cache[i]) && topology->cache[i].level > last)
            last = topology->cache[i].level;
    return last;
}

const struct core_kind *topology_kind(const struct topology *topology, int cpu)
{
    const struct cpu_place *place = topology_place(topology, cpu);
    return place && place->kind >= 0 && place->kind < topology->kind_count ? &topology->kind[place->kind]
                                                                           : NULL;
}

struct cache_range topology_cache_range(const struct topology *topology, const struct cpu_list *cpus,
                                        int level)
{
    struct cache_range range = {0};
    for (int i = 0; i < cpus->count; i++) {
        const uint64_t bytes = topology_cache_bytes(topology, cpus->id[i], level);
        if (i > 0 && topology_kind(topology, cpus->id[i]) != topology_kind(topology, cpus->id[0]))
            continue;
        range.least = i == 0 || bytes < range.least ? bytes : range.least;
        range.most = bytes > range.most ? bytes : range.most;
    }
    return range;
}

struct cache topology_largest_last(const struct topology *topology, const int *cpu, int count)
{
    struct cache largest = {0};
    for (int i = 0; i < count; i++) {
        const struct cache *last = topology_cache(topology, cpu[i], topology_last_level(topology, cpu[i]));
        if (last && last->bytes > largest.bytes)
            largest = *last;
    }
    return largest;
}

void topology_kind_letter(const struct topology *topology, int kind, char letter[2])
{
    const int count = topology->kind_count;
    bool is_ranked = count <= 3;
    for (int a = 0; a < count; a++)
        for (int b = 0; b < a; b++)
            is_ranked &= topology->kind[a].rank != topology->kind[b].rank;
    letter[0] = letter[1] = '\0';
    if (count < 2 || kind < 0 || kind >= count)
        return;
    const int rank = topology->kind[kind].rank;
    letter[0] = (char)(!is_ranked ? 'A' + kind : rank == 0 ? 'E' : rank == count - 1 ? 'P' : 'M');
}

const char *topology_kind_name(const struct topology *topology, int kind, char name[KIND_NAME_LENGTH])
{
    char letter[2];
    const char *own = topology->kind[kind].name;
    bool is_unique = own != NULL;
    for (int other = 0; other < topology->kind_count && is_unique; other++) {
        const char *const its = topology->kind[other].name;
        is_unique = other == kind || !its || strcmp(its, own) != 0;
    }
    topology_kind_letter(topology, kind, letter);
    snprintf(name, KIND_NAME_LENGTH, "%s%s", is_unique ? own : letter, is_unique ? "" : " core");
    return name;
}

/* The last of the CPUs from `first` on that follow each other by one step. A step of more than 1, as where
 * CPUs are numbered across packages, is worth its words from five of them on. */
static int run_end(const int *id, int count, int first, int *step)
{
    enum { STEPS_LEAST = 4 };
    int last = first;

    *step = first + 1 < count ? id[first + 1] - id[first] : 1;
    while (last + 1 < count && id[last + 1] - id[last] == *step)
        last++;
    return *step == 1 || last - first >= STEPS_LEAST ? last : first;
}

void cpu_numbers_text(const int *id, int count, char *text, size_t size)
{
    static const char more[] = ",...";
    size_t used = 0;

    text[0] = '\0';
    for (int first = 0, last, step; first < count; first = last + 1) {
        char item[48];
        last = run_end(id, count, first, &step);
        int length = snprintf(item, sizeof item, "%s%d", first ? "," : "", id[first]);
        if (last > first)
            length += snprintf(item + length, sizeof item - (size_t)length, "-%d", id[last]);
        if (last > first && step > 1)
            length += snprintf(item + length, sizeof item - (size_t)length, ":%d", step);
        const bool fits = used + (size_t)length + sizeof more <= size;
        used += (size_t)snprintf(text + used, size - used, "%s", fits ? item : more + (used == 0));
        if (!fits)
            return;
    }
}

void topology_allowed_text(const struct topology *topology, char *text, size_t size)
{
    int *id = memory_zeroed((size_t)topology->place_count, sizeof *id);
    for (int i = 0; i < topology->place_count; i++)
        id[i] = topology->place[i].id;
    cpu_numbers_text(id, topology->place_count, text, size);
    free(id);
}

/* Whether `cpu` is in a list file of the kernel ("0-3,8"), or that cannot be read. */
static bool may_be_in(const char *file, int cpu)
{
    char line[1024];
    struct cpu_list list;
    struct fault none = {0};

    if (!sys_line(line, sizeof(line), "/sys/devices/system/cpu/%s", file) ||
        parse_cpu_list(line, &list, &none) != STATUS_OK)
        return true;
    while (list.count > 0 && list.id[list.count - 1] != cpu)
        list.count--;
    return list.count > 0;
}

static enum status refuse(const struct topology *topology, int cpu, struct fault *fault)
{
    char allowed[128];
    const char *reason = "is not allowed for this process (affinity mask or cpuset)";

    topology_allowed_text(topology, allowed, sizeof(allowed));
    if (!may_be_in("present", cpu))
        reason = "does not exist on this machine";
    else if (!may_be_in("online", cpu))
        reason = "is offline";
    return fault_set(fault, STATUS_NO_RESOURCE, "CPU %d %s; allowed: %s", cpu, reason, allowed);
}

enum status topology_select(const struct topology *topology, const struct cpu_list *wanted,
                            struct cpu_list *chosen, struct fault *fault)
{
    const bool all = !wanted || wanted->all;
    const int count = all ? topology->place_count : wanted->count;
    chosen->all = false;
    chosen->all_kinds = wanted && wanted->all_kinds;
    chosen->count = 0;
    if (count > CPU_LIST_MAX)
        return fault_set(
            fault, STATUS_NO_RESOURCE,
            "%d CPUs are allowed, more than the %d that can be used at once; name some with --cpus", count,
            CPU_LIST_MAX);
    for (int i = 0; i < count; i++) {
        chosen->id[i] = all ? topology->place[i].id : wanted->id[i];
        if (!topology_place(topology, chosen->id[i]))
            return refuse(topology, chosen->id[i], fault);
        chosen->count++;
    }
    return chosen->count > 0 ? STATUS_OK : fault_set(fault, STATUS_USAGE, "no CPU is named");
}
