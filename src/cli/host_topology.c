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
    for (int i = 0; i < topology->place_count; i++) {
        const struct cpu_place *at = &topology->place[i];
        record_place_add(record, (struct place){at->id, {at->package, at->node, at->l3, at->l2, at->core}});
    }
    for (int i = 0; i < topology->cache_count; i++)
        add_cache(record, &topology->cache[i], i);
    host_settings_record(topology, record);
    add(record, "host.page_size", "Page size", "Byte", INTEGER_CELL(topology->page_bytes));
    add(record, "host.memory_bytes", "Memory", "Byte",
        topology->memory_bytes ? INTEGER_CELL(topology->memory_bytes) : NO_CELL);
}
