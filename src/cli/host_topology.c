/* SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stdio.h>

#include "cli/host.h"

static void add(struct record *record, const char *path, const char *title, const char *unit,
                struct cell value)
{
    record_fact(record, (struct fact){.path = path, .title = title, .unit = unit, .value = value});
}

/* hwloc counts 0 (none seen) and -1 (on several levels): neither is known to be so. */
static struct cell count_cell(int count)
{
    return count > 0 ? INTEGER_CELL(count) : NO_CELL;
}

static void add_cache(struct record *record, const struct cache *cache, int index)
{
    const char *kind = cache->type == 'd' ? "data" : cache->type == 'i' ? "instruction" : "unified";
    const struct {
        const char *key, *unit;
        struct cell value;
    } facts[] = {
        {"level", NULL, INTEGER_CELL(cache->level)},   {"type", NULL, TEXT_CELL(kind)},
        {"bytes", "Byte", INTEGER_CELL(cache->bytes)}, {"line", "Byte", count_cell(cache->line)},
        {"ways", NULL, count_cell(cache->ways)},       {"instances", NULL, count_cell(cache->instances)},
    };
    char path[64], title[64];

    snprintf(title, sizeof(title), "L%d %s%scache", cache->level, cache->type == 'u' ? "" : kind,
             cache->type == 'u' ? "" : " ");
    for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++) {
        snprintf(path, sizeof(path), "host.caches.%d.%s", index, facts[i].key);
        add(record, path, i == 2 ? title : NULL, facts[i].unit, facts[i].value);
    }
}

/* "0-3,8" of the CPUs that belong to a group, by ascending number as they are in the topology. */
static void group_text(const struct topology *topology, int (*group_of)(const struct cpu_place *), int group,
                       char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; i < topology->place_count && used < size; i++) {
        if (group_of(&topology->place[i]) != group)
            continue;
        int first = topology->place[i].id, last = first;
        while (i + 1 < topology->place_count && topology->place[i + 1].id == last + 1 &&
               group_of(&topology->place[i + 1]) == group) {
            i++;
            last++;
        }
        used += (size_t)snprintf(text + used, size - used, first == last ? "%s%d" : "%s%d-%d",
                                 used ? "," : "", first, last);
    }
}

static bool seen_before(const struct topology *topology, int (*group_of)(const struct cpu_place *), int index)
{
    for (int i = 0; i < index; i++) {
        if (group_of(&topology->place[i]) == group_of(&topology->place[index]))
            return true;
    }
    return false;
}

/* One list of CPUs per group, numbered as they are first met. */
static void add_groups(struct record *record, const struct topology *topology, const char *key,
                       int (*group_of)(const struct cpu_place *))
{
    char path[80], text[2048];
    int count = 0;
    for (int i = 0; i < topology->place_count; i++) {
        if (group_of(&topology->place[i]) < 0 || seen_before(topology, group_of, i))
            continue;
        group_text(topology, group_of, group_of(&topology->place[i]), text, sizeof(text));
        snprintf(path, sizeof(path), "host.topology.%s.%d", key, count++);
        add(record, path, NULL, NULL, TEXT_CELL(text));
    }
}

#define GROUP(member)                                                                                        \
    static int member##_of(const struct cpu_place *place)                                                    \
    {                                                                                                        \
        return place->member;                                                                                \
    }
GROUP(package)
GROUP(node)
GROUP(l3)
GROUP(l2)
GROUP(core)
#undef GROUP

void host_topology_record(const struct topology *topology, struct record *record)
{
    char allowed[4096];

    topology_allowed_text(topology, allowed, sizeof(allowed));
    add(record, "host.topology.packages", "Packages", NULL, count_cell(topology->packages));
    add(record, "host.topology.numa_nodes", "NUMA nodes", NULL, count_cell(topology->numa_nodes));
    add(record, "host.topology.l3_groups", "L3 groups", NULL, count_cell(topology->l3_groups));
    add(record, "host.topology.cores", "Cores", NULL, count_cell(topology->cores));
    add(record, "host.topology.cpus", "CPUs", NULL, count_cell(topology->cpus));
    add(record, "host.topology.allowed", "CPUs allowed", NULL, TEXT_CELL(allowed));
    add_groups(record, topology, "package_cpus", package_of);
    add_groups(record, topology, "node_cpus", node_of);
    add_groups(record, topology, "l3_cpus", l3_of);
    add_groups(record, topology, "l2_cpus", l2_of);
    add_groups(record, topology, "core_cpus", core_of);
    for (int i = 0; i < topology->cache_count; i++)
        add_cache(record, &topology->cache[i], i);
    host_settings_record(topology, record);
    add(record, "host.page_size", "Page size", "Byte", INTEGER_CELL(topology->page_bytes));
    add(record, "host.memory_bytes", "Memory", "Byte",
        topology->memory_bytes ? INTEGER_CELL(topology->memory_bytes) : NO_CELL);
}
