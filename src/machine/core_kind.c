/* SPDX-License-Identifier: MIT */
/* Puts the CPUs of a topology into rows: those with equal caches, and those whose cores are of one kind. */
#include "machine/topology_internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

int topology_cache_row(struct topology *topology, struct cache cache)
{
    int row = 0;
    while (row < topology->cache_count &&
           !(topology->cache[row].level == cache.level && topology->cache[row].type == cache.type &&
             topology->cache[row].bytes == cache.bytes && topology->cache[row].line == cache.line &&
             topology->cache[row].ways == cache.ways))
        row++;
    if (cache.bytes == 0 || row == CACHE_MAX)
        return -1;
    if (row == topology->cache_count)
        topology->cache[topology->cache_count++] = cache;
    return row;
}

/* The caches by which cores are told apart: those up to the second level. A last level may be stacked or
 * cut without another core. */
static uint64_t near_caches(const struct topology *topology, const struct cpu_place *place)
{
    uint64_t near = 0;
    for (int i = 0; i < topology->cache_count; i++)
        if (topology->cache[i].level <= 2 && topology->cache[i].type != 'm')
            near |= (uint64_t)1 << i;
    return place->caches & near;
}

/* Numbers decide where both are known, then types, then caches. */
static bool is_one_kind(const struct topology *topology, const struct cpu_place *a,
                        const struct core_evidence *of_a, const struct cpu_place *b,
                        const struct core_evidence *of_b)
{
    if (of_a->number && of_b->number)
        return of_a->number == of_b->number;
    if (of_a->type && of_b->type)
        return strcmp(of_a->type, of_b->type) == 0;
    return near_caches(topology, a) == near_caches(topology, b);
}

/* A CPU that a control group refuses says nothing where CPUID alone knows the caches: nobody can ask it. */
static bool is_unknown(const struct topology *topology, const struct cpu_place *place,
                       const struct core_evidence *evidence)
{
    return !evidence->number && !evidence->type && near_caches(topology, place) == 0;
}

static uint64_t first_cache_bytes(const struct topology *topology, const struct cpu_place *place)
{
    for (int i = 0; i < topology->cache_count; i++)
        if (place->caches >> i & 1 && topology->cache[i].level == 1 && topology->cache[i].type != 'i')
            return topology->cache[i].bytes;
    return 0;
}

/* How two kinds compare, each by one of its CPUs: as hwloc ranks them where it does, else by the first
 * cache, which is the larger one in the more capable core (48 and 32 KiB of Golden Cove and Gracemont, 64
 * and 32 KiB of Cortex-X and A510). */
static bool is_less(const struct topology *topology, const struct cpu_place *a,
                    const struct core_evidence *of_a, const struct cpu_place *b,
                    const struct core_evidence *of_b)
{
    if (of_a->rank >= 0 && of_b->rank >= 0 && of_a->rank != of_b->rank)
        return of_a->rank < of_b->rank;
    return first_cache_bytes(topology, a) < first_cache_bytes(topology, b);
}

/* A core counts once, by the first of its CPUs; one that shows no core counts as a core. */
static bool is_first_of_core(const struct cpu_place *place)
{
    return place->core < 0 || place->sibling == 0;
}

void topology_find_kinds(struct topology *topology, struct cpu_place *place,
                         const struct core_evidence *evidence, int count)
{
    int first[KIND_MAX]; /* a CPU of each kind */
    int known = 0;
    for (int i = 0; i < count; i++)
        known += !is_unknown(topology, &place[i], &evidence[i]);
    for (int i = 0; i < count; i++) {
        int kind = 0;
        if (known > 0 && is_unknown(topology, &place[i], &evidence[i]))
            continue;
        while (kind < topology->kind_count &&
               !is_one_kind(topology, &place[i], &evidence[i], &place[first[kind]], &evidence[first[kind]]))
            kind++;
        if (kind == KIND_MAX)
            continue;
        if (kind == topology->kind_count) {
            const char *name = evidence[i].name ? evidence[i].name : core_number_name(evidence[i].number);
            first[topology->kind_count++] = i;
            topology->kind[kind] =
                (struct core_kind){.name = name ? name : evidence[i].type, .number = evidence[i].number};
        }
        place[i].kind = kind;
        topology->kind[kind].cores += is_first_of_core(&place[i]);
    }
    /* A CPU of which nothing is known is like the others where these are alike. Else its kind is unknown. */
    for (int i = 0; i < count; i++)
        if (known > 0 && is_unknown(topology, &place[i], &evidence[i])) {
            place[i].kind = topology->kind_count == 1 ? 0 : -1;
            topology->kind[0].cores += place[i].kind == 0 && is_first_of_core(&place[i]);
        }
    for (int a = 0; a < topology->kind_count; a++)
        for (int b = 0; b < topology->kind_count; b++)
            topology->kind[a].rank += is_less(topology, &place[first[b]], &evidence[first[b]],
                                              &place[first[a]], &evidence[first[a]]);
}

static char *spell(const struct cpu_place *place, int count, bool (*is_in)(const struct cpu_place *, int),
                   int row)
{
    enum { LENGTH_MOST = 4096 };
    int *id = memory_zeroed((size_t)count, sizeof *id), ids = 0;
    char *text = memory_zeroed(LENGTH_MOST, 1);
    for (int i = 0; i < count; i++)
        if (is_in(&place[i], row))
            id[ids++] = place[i].id;
    cpu_numbers_text(id, ids, text, LENGTH_MOST);
    free(id);
    return text;
}

static bool has_cache(const struct cpu_place *place, int row)
{
    return place->caches >> row & 1;
}

static bool is_of_kind(const struct cpu_place *place, int row)
{
    return place->kind == row;
}

void topology_spell_cpus(struct topology *topology, const struct cpu_place *place, int count)
{
    for (int i = 0; i < topology->cache_count; i++)
        topology->cache[i].cpus = spell(place, count, has_cache, i);
    for (int i = 0; i < topology->kind_count; i++)
        topology->kind[i].cpus = spell(place, count, is_of_kind, i);
}
