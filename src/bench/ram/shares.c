/* SPDX-License-Identifier: MIT */
/* Which caches hold a set of bytes, by the CPUs whose threads touch it. */
#include <stdio.h>
#include <string.h>

#include "ram.h"

/* Where a machine shows no caches, its sets are chosen as if it had these: they lie in the usual levels of
 * CPUs of 2010 to 2026 (L1d of 24 to 192 KiB, L2 of 256 KiB to 4 MiB, 2 to 64 MiB of L3 for a CPU), but
 * have no name. */
static const uint64_t usual[] = {0, 32 << 10, 1 << 20, 64 << 20};
/* A set that is larger lies beyond an L1 or an L2 that is not shown. */
static const uint64_t usual_most[] = {0, 256 << 10, 4 << 20};
enum { USUAL_LAST = 3 };

static int last_level(const struct run *run, int cpu)
{
    const int last = topology_last_level(run->topology, cpu);
    return last == 0 ? USUAL_LAST : last < RAM_LEVELS_MAX ? last : RAM_LEVELS_MAX - 1;
}

static int cache_of(const struct run *run, uint64_t thread, int level)
{
    const struct cpu_place *place = topology_place(run->topology, run->cpus.id[thread]);
    return !place || level > 3 ? -1 : level == 3 ? place->l3 : level == 2 ? place->l2 : place->core;
}

/* The number of threads that share this thread's cache of the level. An unknown last level counts as
 * shared by all, any other as private. */
static uint64_t sharers(const struct run *run, uint64_t threads, uint64_t thread, int level)
{
    const int cache = cache_of(run, thread, level);
    uint64_t same = 0;
    if (cache < 0)
        return level == last_level(run, run->cpus.id[thread]) ? threads : 1;
    for (uint64_t i = 0; i < threads; i++)
        same += cache_of(run, i, level) == cache;
    return same;
}

static uint64_t share_of(const struct run *run, uint64_t threads, uint64_t thread, int level)
{
    const int cpu = run->cpus.id[thread], last = last_level(run, cpu);
    const uint64_t shown = topology_cache_bytes(run->topology, cpu, level);
    if (level > last)
        return 0;
    return (shown ? shown : level <= USUAL_LAST ? usual[level] : 0) / sharers(run, threads, thread, level);
}

/* Bytes of a memory-side cache in front of the memory of a CPU. */
static uint64_t side_bytes(const struct topology *topology, int cpu)
{
    const struct cpu_place *place = topology_place(topology, cpu);
    uint64_t bytes = 0;
    for (int i = 0; place && i < topology->cache_count; i++)
        if (place->caches >> i & 1 && topology->cache[i].type == 'm' && topology->cache[i].bytes > bytes)
            bytes = topology->cache[i].bytes;
    return bytes;
}

void ram_share_caches(const struct ram_plan *plan, struct ram_crew *crew, const struct run *run)
{
    for (int level = 1; level <= plan->last_level; level++)
        for (uint64_t i = 0; i < crew->threads; i++) {
            const uint64_t share = share_of(run, crew->threads, i, level);
            crew->share[level] = i > 0 && crew->share[level] < share ? crew->share[level] : share;
            crew->most[level] = crew->most[level] > share ? crew->most[level] : share;
            crew->beyond = crew->beyond > share ? crew->beyond : share;
        }
    for (uint64_t i = 0; i < crew->threads; i++) {
        const uint64_t side = side_bytes(run->topology, run->cpus.id[i]);
        crew->side = crew->side > side ? crew->side : side;
    }
}

void ram_find_levels(struct ram_plan *plan, const struct run *run)
{
    for (int i = 0; i < run->cpus.count; i++) {
        const int last = last_level(run, run->cpus.id[i]);
        const uint64_t line = topology_line_bytes(run->topology, run->cpus.id[i]);
        plan->last_level = plan->last_level > last ? plan->last_level : last;
        plan->line_bytes = plan->line_bytes > line ? plan->line_bytes : line;
        for (int level = 1; level <= last; level++)
            plan->hidden |= (topology_cache_bytes(run->topology, run->cpus.id[i], level) == 0) << level;
    }
}

/* Whether the CPUs show the level, and each before it that could hold the set. */
static bool has_name(const struct ram_plan *plan, int level, uint64_t bytes)
{
    bool named = !(plan->hidden >> level & 1);
    for (int before = 1; before < level && before <= RAM_LAST_NEAR; before++)
        named &= !(plan->hidden >> before & 1) || bytes > usual_most[before];
    return named;
}

void ram_level_name(const struct ram_plan *plan, const struct working_set *set, int first, int last,
                    uint64_t bytes, char name[RAM_NAME])
{
    const char *const memory = set->crew->side > 0 && bytes <= 4 * set->crew->side ? "side cache" : "DRAM";
    if (first <= plan->last_level && !has_name(plan, first, bytes))
        snprintf(name, RAM_NAME, "%s%s", last > plan->last_level ? "cache or " : "",
                 last > plan->last_level ? memory : "");
    else if (last > plan->last_level)
        snprintf(name, RAM_NAME, first < last ? "L%2$d or %1$s" : "%s", memory, first);
    else
        snprintf(name, RAM_NAME, first < last ? "L%d or L%d" : "L%d", first, last);
}
