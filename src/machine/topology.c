/* SPDX-License-Identifier: MIT */
/* The only file that sees hwloc.h. */
#include "uarchprobe/topology.h"

#include <errno.h>
#include <hwloc.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "machine/os.h"

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
        .sibling = pu->parent->type == HWLOC_OBJ_CORE ? (int)pu->sibling_rank : 0,
        .kind = kinds ? hwloc_cpukinds_get_by_cpuset(machine, pu->cpuset, 0) : -1,
    };
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
            .type = cache->type == HWLOC_OBJ_CACHE_UNIFIED ? 'u'
                    : cache->type == HWLOC_OBJ_CACHE_DATA  ? 'd'
                                                           : 'i',
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

/* hwloc prints no messages: values that it cannot find out stay unknown. */
static hwloc_topology_t load_hwloc(void)
{
    hwloc_topology_t machine;

    setenv("HWLOC_HIDE_ERRORS", "2", 0);
    if (hwloc_topology_init(&machine) != 0)
        return NULL;
    hwloc_topology_set_flags(machine, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
    hwloc_topology_set_icache_types_filter(machine, HWLOC_TYPE_FILTER_KEEP_ALL);
    if (hwloc_topology_load(machine) == 0)
        return machine;
    hwloc_topology_destroy(machine);
    return NULL;
}

/* An affinity mask never exceeds the cpuset, so nothing need be taken away. A CPU that hwloc does not know is
 * kept, with an unknown place. */
static struct topology *build(hwloc_topology_t machine, hwloc_const_cpuset_t allowed)
{
    static const struct cpu_place unknown = {
        .core = -1, .l2 = -1, .l3 = -1, .node = -1, .package = -1, .kind = -1};
    const int count = hwloc_bitmap_weight(allowed);
    struct topology *topology = memory_zeroed(1, sizeof(*topology));

    topology->place = memory_zeroed(count > 0 ? (size_t)count : 0, sizeof(topology->place[0]));
    topology->machine = machine;
    topology->page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
    topology->memory_bytes = os_memory("MemTotal", 0);
    read_machine(topology, machine);
    for (int id = hwloc_bitmap_first(allowed); id >= 0; id = hwloc_bitmap_next(allowed, id)) {
        hwloc_obj_t pu = hwloc_get_pu_obj_by_os_index(machine, (unsigned)id);
        struct cpu_place *place = &topology->place[topology->place_count++];
        *place = pu ? place_of(machine, pu) : unknown;
        place->id = id;
        if (pu && topology->cache_count == 0)
            read_caches(topology, machine, pu);
    }
    return topology;
}

/* hwloc asks endlessly where the kernel answers otherwise than with a mask or "too small". */
static bool can_ask_affinity(void)
{
    enum { CPUS_MOST = 1 << 18 };
    cpu_set_t mask[CPUS_MOST / CPU_SETSIZE];
    return sched_getaffinity(0, sizeof mask, mask) == 0;
}

struct topology *topology_load(struct fault *fault)
{
    if (!can_ask_affinity()) {
        fault_set(fault, STATUS_NO_RESOURCE,
                  "cannot read which CPUs are allowed: %s; a sandbox must let sched_getaffinity through",
                  strerror(errno));
        return NULL;
    }
    hwloc_topology_t machine = load_hwloc();
    hwloc_cpuset_t allowed = hwloc_bitmap_alloc();
    struct topology *topology = NULL;

    if (!machine || !allowed)
        fault_set(fault, STATUS_NO_RESOURCE, "hwloc cannot load the topology: %s", strerror(errno));
    /* No affinity applies to another machine: all its CPUs. */
    else if ((hwloc_topology_is_thissystem(machine)
                  ? hwloc_get_cpubind(machine, allowed, HWLOC_CPUBIND_THREAD)
                  : hwloc_bitmap_copy(allowed, hwloc_topology_get_topology_cpuset(machine))) != 0)
        fault_set(fault, STATUS_NO_RESOURCE, "cannot read which CPUs are allowed: %s", strerror(errno));
    else
        topology = build(machine, allowed);
    if (machine && !topology)
        hwloc_topology_destroy(machine);
    hwloc_bitmap_free(allowed);
    return topology;
}

void topology_free(struct topology *topology)
{
    if (!topology)
        return;
    hwloc_topology_destroy(topology->machine);
    free(topology->place);
    free(topology);
}

/* A node without CPUs has those of its neighbours in hwloc's set. */
int topology_nodes(const struct topology *topology, struct numa_node *node, int most)
{
    hwloc_obj_t at = NULL, pu = NULL;
    int count = 0;
    for (; count < most && (at = hwloc_get_next_obj_by_type(topology->machine, HWLOC_OBJ_NUMANODE, at));
         count++) {
        node[count] = (struct numa_node){.id = (int)at->os_index, .bytes = at->attr->numanode.local_memory};
        while ((pu = hwloc_get_next_obj_by_type(topology->machine, HWLOC_OBJ_PU, pu)))
            node[count].cpus += place_of(topology->machine, pu).node == node[count].id;
    }
    return count;
}

enum status topology_bind_memory(const struct topology *topology, void *address, uint64_t bytes, int node,
                                 struct fault *fault)
{
    hwloc_topology_t machine = topology->machine;
    hwloc_nodeset_t nodes = hwloc_bitmap_alloc();
    const char *reason = NULL;

    if (!nodes)
        memory_exhausted(0);
    hwloc_bitmap_only(nodes, (unsigned)node);
    if (hwloc_set_area_membind(machine, address, bytes, nodes, HWLOC_MEMBIND_BIND,
                               HWLOC_MEMBIND_BYNODESET | HWLOC_MEMBIND_STRICT) == 0) {
        if (!os_page_comes(address))
            reason = "it has no such page free, or a cgroup (hugetlb) limits them; use --pages thp or auto";
        else if (hwloc_get_area_memlocation(machine, address, 1, nodes, HWLOC_MEMBIND_BYNODESET) == 0 &&
                 !hwloc_bitmap_isset(nodes, (unsigned)node))
            reason = "the kernel put its first page elsewhere";
    } else if (errno != ENOSYS || node != 0) /* a kernel without NUMA has one node, and everything is on it */
        reason = errno == EINVAL ? "no such node, or not allowed here" : strerror(errno);
    hwloc_bitmap_free(nodes);
    return reason
               ? fault_set(fault, STATUS_NO_RESOURCE, "cannot place memory on NUMA node %d: %s", node, reason)
               : STATUS_OK;
}
