/* SPDX-License-Identifier: MIT */
/* The only file that sees hwloc.h. */
#include "uarchprobe/topology.h"

#include <errno.h>
#include <hwloc.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "machine/os.h"
#include "machine/topology_internal.h"

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)

const char *topology_library_version(void)
{
    return TEXT(HWLOC_VERSION_MAJOR) "." TEXT(HWLOC_VERSION_MINOR) "." TEXT(HWLOC_VERSION_RELEASE);
}

static int logical_above(hwloc_topology_t machine, hwloc_obj_type_t type, hwloc_obj_t pu)
{
    hwloc_obj_t above = hwloc_get_ancestor_obj_by_type(machine, type, pu);
    return above ? (int)above->logical_index : -1;
}

static int rank_in_core(hwloc_topology_t machine, hwloc_obj_t pu)
{
    hwloc_obj_t core = hwloc_get_ancestor_obj_by_type(machine, HWLOC_OBJ_CORE, pu);
    int rank = 0;

    if (!core)
        return 0;
    for (int id = hwloc_bitmap_first(core->cpuset); id >= 0 && id != (int)pu->os_index;
         id = hwloc_bitmap_next(core->cpuset, id))
        rank++;
    return rank;
}

static struct cpu_place place_of(hwloc_topology_t machine, hwloc_obj_t pu)
{
    const bool kinds = hwloc_cpukinds_get_nr(machine, 0) > 1;
    return (struct cpu_place){
        .id = (int)pu->os_index,
        .core = logical_above(machine, HWLOC_OBJ_CORE, pu),
        .l2 = logical_above(machine, HWLOC_OBJ_L2CACHE, pu),
        .l3 = logical_above(machine, HWLOC_OBJ_L3CACHE, pu),
        .node = pu->nodeset ? hwloc_bitmap_first(pu->nodeset) : -1,
        .package = logical_above(machine, HWLOC_OBJ_PACKAGE, pu),
        .sibling = rank_in_core(machine, pu),
        .kind = kinds ? hwloc_cpukinds_get_by_cpuset(machine, pu->cpuset, 0) : -1,
    };
}

static struct cpu_place unknown_place(int id)
{
    return (struct cpu_place){
        .id = id, .core = -1, .l2 = -1, .l3 = -1, .node = -1, .package = -1, .kind = -1};
}

static char cache_type(const struct hwloc_cache_attr_s *cache)
{
    if (cache->type == HWLOC_OBJ_CACHE_UNIFIED)
        return 'u';
    return cache->type == HWLOC_OBJ_CACHE_DATA ? 'd' : 'i';
}

static int by_level_then_type(const void *a, const void *b)
{
    const struct cache *x = a, *y = b;
    return x->level != y->level ? x->level - y->level : x->type - y->type;
}

static void read_caches(struct topology *topology, hwloc_topology_t machine, hwloc_obj_t pu)
{
    for (hwloc_obj_t above = pu; above && topology->cache_count < CACHE_MAX; above = above->parent) {
        const struct hwloc_cache_attr_s *cache = &above->attr->cache;
        if (!hwloc_obj_type_is_cache(above->type) || cache->size == 0)
            continue;
        topology->cache[topology->cache_count++] = (struct cache){
            .level = (int)cache->depth,
            .type = cache_type(cache),
            .bytes = cache->size,
            .line = (int)cache->linesize,
            .ways = cache->associativity > 0 ? cache->associativity : 0,
            .instances = hwloc_get_nbobjs_by_type(machine, above->type),
        };
    }
    qsort(topology->cache, (size_t)topology->cache_count, sizeof(topology->cache[0]), by_level_then_type);
}

static void read_machine(struct topology *topology, hwloc_topology_t machine)
{
    topology->packages = hwloc_get_nbobjs_by_type(machine, HWLOC_OBJ_PACKAGE);
    topology->numa_nodes = hwloc_get_nbobjs_by_type(machine, HWLOC_OBJ_NUMANODE);
    topology->l3_groups = hwloc_get_nbobjs_by_type(machine, HWLOC_OBJ_L3CACHE);
    topology->cores = hwloc_get_nbobjs_by_type(machine, HWLOC_OBJ_CORE);
    topology->cpus = hwloc_get_nbobjs_by_type(machine, HWLOC_OBJ_PU);
    /* hwloc adds up the nodes' files, which in guests with hot-plugged memory leave most of it out. */
    if (!hwloc_topology_is_thissystem(machine))
        topology->memory_bytes = hwloc_get_root_obj(machine)->total_memory;
}

/* allowed: kernel numbers, ascending; an affinity mask never exceeds the cpuset, so nothing need be taken
 * away. A CPU that hwloc does not know is kept, with an unknown place. */
static void read_places(struct topology *topology, hwloc_topology_t machine, const int *allowed, int count)
{
    for (int i = 0; i < count; i++) {
        hwloc_obj_t pu = machine ? hwloc_get_pu_obj_by_os_index(machine, (unsigned)allowed[i]) : NULL;
        topology->place[topology->place_count++] = pu ? place_of(machine, pu) : unknown_place(allowed[i]);
        if (pu && topology->cache_count == 0)
            read_caches(topology, machine, pu);
    }
}

static hwloc_topology_t load_hwloc(void)
{
    hwloc_topology_t machine;

    if (hwloc_topology_init(&machine) != 0)
        return NULL;
    hwloc_topology_set_flags(machine, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
    hwloc_topology_set_icache_types_filter(machine, HWLOC_TYPE_FILTER_KEEP_ALL);
    if (hwloc_topology_load(machine) == 0)
        return machine;
    hwloc_topology_destroy(machine);
    return NULL;
}

/* Every CPU of a machine that is not this one: nobody's affinity applies there. */
static int all_cpus(hwloc_topology_t machine, int **cpus)
{
    hwloc_const_cpuset_t set = hwloc_topology_get_topology_cpuset(machine);
    const int count = hwloc_bitmap_weight(set);
    int filled = 0;

    *cpus = malloc((size_t)(count > 0 ? count : 1) * sizeof(**cpus));
    if (!*cpus)
        return -1;
    for (int id = hwloc_bitmap_first(set); id >= 0 && filled < count; id = hwloc_bitmap_next(set, id))
        (*cpus)[filled++] = id;
    return filled;
}

static struct topology *build(hwloc_topology_t machine, const int *allowed, int count)
{
    struct topology *topology = calloc(1, sizeof(*topology));

    if (topology)
        topology->place = calloc((size_t)count, sizeof(topology->place[0]));
    if (!topology || !topology->place) {
        free(topology);
        return NULL;
    }
    topology->page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
    topology->memory_bytes = os_memory_total();
    if (machine)
        read_machine(topology, machine);
    read_places(topology, machine, allowed, count);
    return topology;
}

struct topology *topology_load(struct fault *fault)
{
    hwloc_topology_t machine = load_hwloc();
    const bool here = !machine || hwloc_topology_is_thissystem(machine);
    struct topology *topology = NULL;
    int *allowed = NULL;
    const int count = here ? affinity_read(&allowed) : all_cpus(machine, &allowed);

    if (count <= 0)
        fault_set(fault, STATUS_NO_RESOURCE, "cannot read which CPUs are allowed: %s",
                  count < 0 ? strerror(errno) : "the list is empty");
    else if (!(topology = build(machine, allowed, count)))
        fault_set(fault, STATUS_NO_RESOURCE, "no memory for a topology of %d CPUs", count);
    if (machine)
        hwloc_topology_destroy(machine);
    free(allowed);
    return topology;
}

void topology_free(struct topology *topology)
{
    if (topology)
        free(topology->place);
    free(topology);
}
