/* SPDX-License-Identifier: MIT */
/* Places, caches and kinds of the CPUs of a dump, by leaves that are the same for all vendors. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "machine/cpu_internal.h"
#include "machine/topology_internal.h"

/* A cache of one CPU. */
struct shown {
    struct cache cache;
    bool is_sharing_known;
    unsigned shift; /* CPUs that share it have equal APIC numbers above so many bits */
};

enum { SHOWN_MAX = 8 };

static unsigned bits_for(uint32_t count)
{
    unsigned bits = 0;
    while (bits < 31 && UINT32_C(1) << bits < count)
        bits++;
    return bits;
}

/* False at the end of the list, which has type 0. */
static bool decode(const uint32_t *one, struct shown *shown)
{
    static const char types[] = {0, 'd', 'i', 'u'};
    static const uint64_t BYTES_MOST = UINT64_C(1) << 40; /* beyond any cache: not an answer of a CPU */
    const unsigned type = one[EAX] & 0x1f;
    if (type == 0 || type >= sizeof types)
        return false;
    const uint64_t line = (one[EBX] & 0xfff) + 1, partitions = (one[EBX] >> 12 & 0x3ff) + 1,
                   ways = (one[EBX] >> 22) + 1, bytes = line * partitions * ways * ((uint64_t)one[ECX] + 1);
    *shown = (struct shown){
        .cache = {.level = (int)(one[EAX] >> 5 & 7),
                  .type = types[type],
                  .bytes = bytes < BYTES_MOST ? bytes : 0,
                  .line = (int)line,
                  .ways = (int)ways},
        .is_sharing_known = true,
        .shift = bits_for((one[EAX] >> 14 & 0xfff) + 1),
    };
    return true;
}

/* Leaf 4, or leaf 0x8000001d where that one is empty, as AMD's is. */
static int list_caches(const struct cpu_raw_data_t *raw, struct shown *shown)
{
    enum {
        INTEL_ROWS = sizeof raw->intel_fn4 / sizeof *raw->intel_fn4,
        AMD_ROWS = sizeof raw->amd_fn8000001dh / sizeof *raw->amd_fn8000001dh
    };
    int count = 0;
    for (int i = 0; raw->basic_cpuid[0][EAX] >= 4 && i < INTEL_ROWS && count < SHOWN_MAX; i++, count++)
        if (!decode(raw->intel_fn4[i], &shown[count]))
            break;
    if (count > 0 || raw->ext_cpuid[0][EAX] < 0x8000001du)
        return count;
    for (int i = 0; i < AMD_ROWS && count < SHOWN_MAX; i++, count++)
        if (!decode(raw->amd_fn8000001dh[i], &shown[count]))
            break;
    return count;
}

/* CPUs older than those leaves: libcpuid knows the codes of leaves 2, 0x80000005 and 0x80000006. */
static int list_old_caches(const struct cpu_raw_data_t *raw, struct shown *shown)
{
    int count = 0;
#ifdef WITH_LIBCPUID
    struct cpu_raw_data_t copy = *raw;
    struct cpu_id_t id;

    /* Keeps libcpuid from counting cores: 0.6.2 to 0.8.1 divide by a number of threads that a dump can
     * give as 0. */
    memset(copy.intel_fn11, 0, sizeof(copy.intel_fn11));
    if (cpu_identify(&copy, &id) != 0)
        return 0;
    const struct {
        int level;
        char type;
        int kib, line, ways;
    } rows[] = {
        {1, 'd', id.l1_data_cache, id.l1_data_cacheline, id.l1_data_assoc},
        {1, 'i', id.l1_instruction_cache, id.l1_instruction_cacheline, id.l1_instruction_assoc},
        {2, 'u', id.l2_cache, id.l2_cacheline, id.l2_assoc},
        {3, 'u', id.l3_cache, id.l3_cacheline, id.l3_assoc},
        {4, 'u', id.l4_cache, id.l4_cacheline, id.l4_assoc},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].kib > 0)
            shown[count++].cache = (struct cache){.level = rows[i].level,
                                                  .type = rows[i].type,
                                                  .bytes = (uint64_t)rows[i].kib * 1024,
                                                  .line = rows[i].line,
                                                  .ways = rows[i].ways};
#endif
    return count;
}

struct dumped_place {
    uint32_t apic;
    struct shown shown[SHOWN_MAX];
    int count;
};

/* Leaf 11 has all its bits, leaf 1 the lower eight. */
static uint32_t apic_number(const struct cpu_raw_data_t *raw)
{
    return raw->basic_cpuid[0][EAX] >= 11 && raw->intel_fn11[0][EBX] & 0xffff
               ? raw->intel_fn11[0][EDX]
               : raw->basic_cpuid[1][EBX] >> 24;
}

static const struct shown *cache_of(const struct dumped_place *at, int level, char type)
{
    for (int i = 0; i < at->count; i++)
        if (at->shown[i].cache.level == level && at->shown[i].cache.type == type)
            return &at->shown[i];
    return NULL;
}

/* Whether two CPUs share their caches of that level and type. */
static bool share(const struct dumped_place *a, const struct dumped_place *b, int level, char type)
{
    const struct shown *of_a = cache_of(a, level, type), *of_b = cache_of(b, level, type);
    return of_a && of_b && of_a->shift == of_b->shift && of_a->cache.bytes == of_b->cache.bytes &&
           a->apic >> of_a->shift == b->apic >> of_a->shift;
}

/* The group of CPU `i` that shares such a cache: that of the first CPU which does, or a new one; -1:
 * unknown, or it has none. */
static int group_of(const struct dumped_place *all, int i, int level, char type, const int *group,
                    int *groups)
{
    const struct shown *shown = cache_of(&all[i], level, type);
    if (!shown || !shown->is_sharing_known)
        return -1;
    for (int first = 0; first < i; first++)
        if (share(&all[first], &all[i], level, type))
            return group[first];
    return (*groups)++;
}

/* Groups of all CPUs by one level and type, with the row of the cache in each place. */
static int group(struct topology *topology, const struct dumped_place *all, int level, char type, int *group)
{
    int groups = 0;
    for (int i = 0; i < topology->place_count; i++) {
        const int before = groups;
        group[i] = group_of(all, i, level, type, group, &groups);
        const struct shown *shown = cache_of(&all[i], level, type);
        const int row = shown ? topology_cache_row(topology, shown->cache) : -1;
        if (row < 0)
            continue;
        topology->place[i].caches |= UINT64_C(1) << row;
        /* One CPU does not tell how many the machine has. */
        topology->cache[row].instances += groups > before && topology->place_count > 1;
    }
    return groups;
}

/* CPUs of one core share its first data cache. */
static void fill_places(struct topology *topology, const struct dumped_place *all)
{
    enum { LEVELS = 7 };
    static const char types[] = {'d', 'i', 'u'};
    struct cpu_place *place = topology->place;
    const int count = topology->place_count;
    int *of = memory_zeroed((size_t)count, sizeof *of);

    for (int i = 0; i < count; i++)
        place[i].core = place[i].l2 = place[i].l3 = place[i].node = place[i].package = -1;
    for (int level = 1; level <= LEVELS; level++)
        for (size_t t = 0; t < sizeof types; t++) {
            const int groups = group(topology, all, level, types[t], of);
            if (level == 1 && types[t] == 'd')
                topology->cores = groups;
            for (int i = 0; i < count; i++) {
                int *to = level == 1 && types[t] == 'd'   ? &place[i].core
                          : level == 2 && types[t] == 'u' ? &place[i].l2
                          : level == 3 && types[t] == 'u' ? &place[i].l3
                                                          : NULL;
                if (to)
                    *to = of[i];
            }
        }
    for (int i = 0; i < count; i++)
        for (int other = 0; other < i; other++)
            place[i].sibling += place[i].core >= 0 && place[other].core == place[i].core;
    free(of);
}

struct topology *dump_topology(const struct cpu *cpu, const struct dumped_cpu *dumped, int count)
{
    struct topology *topology = memory_zeroed(1, sizeof *topology);
    struct dumped_place *all = memory_zeroed((size_t)count, sizeof *all);
    struct core_evidence *evidence = memory_zeroed((size_t)count, sizeof *evidence);

    topology->place = memory_zeroed((size_t)count, sizeof *topology->place);
    topology->place_count = topology->cpus = count;
    for (int i = 0; i < count; i++) {
        const struct cpu_raw_data_t *raw = &dumped[i].raw;
        const uint64_t number = cpuid_core_number(raw, dumped[i].amd_core);
        const char *name = cpu_number_name(cpu, number);
        evidence[i] =
            (struct core_evidence){.number = number, .name = name ? name : cpu_core_of(cpu, raw), .rank = -1};
        all[i].apic = apic_number(raw);
        all[i].count = list_caches(raw, all[i].shown);
        if (all[i].count == 0)
            all[i].count = list_old_caches(raw, all[i].shown);
        topology->place[i].id = dumped[i].id;
        topology->place[i].kind = -1;
    }
    fill_places(topology, all);
    topology_find_kinds(topology, topology->place, evidence, count);
    topology_spell_cpus(topology, topology->place, count);
    free(evidence);
    free(all);
    return topology;
}
