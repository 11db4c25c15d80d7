/* SPDX-License-Identifier: MIT */
/* The only file that sees hwloc.h. */
#include "uarchprobe/topology.h"

#include <errno.h>
#include <hwloc.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
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

static struct cpu_place place_of(hwloc_topology_t machine, hwloc_obj_t pu)
{
    return (struct cpu_place){
        .id = (int)pu->os_index,
        .core = logical_above(machine, HWLOC_OBJ_CORE, pu),
        .l2 = logical_above(machine, HWLOC_OBJ_L2CACHE, pu),
        .l3 = logical_above(machine, HWLOC_OBJ_L3CACHE, pu),
        .node = pu->nodeset ? hwloc_bitmap_first(pu->nodeset) : -1,
        .package = logical_above(machine, HWLOC_OBJ_PACKAGE, pu),
        .sibling = pu->parent->type == HWLOC_OBJ_CORE ? (int)pu->sibling_rank : 0,
        .kind = -1,
    };
}

static struct cache cache_of(hwloc_obj_t object)
{
    const struct hwloc_cache_attr_s *cache = &object->attr->cache;
    return (struct cache){
        .level = (int)cache->depth,
        .type = object->type == HWLOC_OBJ_MEMCACHE       ? 'm'
                : cache->type == HWLOC_OBJ_CACHE_UNIFIED ? 'u'
                : cache->type == HWLOC_OBJ_CACHE_DATA    ? 'd'
                                                         : 'i',
        .bytes = cache->size,
        .line = (int)cache->linesize,
        .ways = cache->associativity > 0 ? cache->associativity : 0,
    };
}

/* Sets the bit of a row in each place that the object serves. */
static void serve(struct topology *topology, hwloc_obj_t object, struct cpu_place *place, int count)
{
    const int row = topology_cache_row(topology, cache_of(object));
    if (row < 0)
        return;
    topology->cache[row].instances++;
    for (int i = 0; i < count; i++)
        if (hwloc_bitmap_isset(object->cpuset, (unsigned)place[i].id))
            place[i].caches |= (uint64_t)1 << row;
}

static void read_caches(struct topology *topology, struct cpu_place *place, int count)
{
    static const hwloc_obj_type_t types[] = {HWLOC_OBJ_L1CACHE,  HWLOC_OBJ_L1ICACHE, HWLOC_OBJ_L2CACHE,
                                             HWLOC_OBJ_L2ICACHE, HWLOC_OBJ_L3CACHE,  HWLOC_OBJ_L3ICACHE,
                                             HWLOC_OBJ_L4CACHE,  HWLOC_OBJ_L5CACHE,  HWLOC_OBJ_MEMCACHE};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        for (hwloc_obj_t object = NULL;
             (object = hwloc_get_next_obj_by_type(topology->machine, types[i], object));)
            serve(topology, object, place, count);
}

/* What hwloc says of the core of a CPU: a type by name, and how it ranks it. */
static struct core_evidence evidence_of(hwloc_topology_t machine, const struct cpu_place *place)
{
    struct core_evidence evidence = {.rank = -1};
    hwloc_obj_t pu = hwloc_get_pu_obj_by_os_index(machine, (unsigned)place->id);
    const int kind = hwloc_cpukinds_get_by_cpuset(machine, pu->cpuset, 0);
    struct hwloc_info_s *infos;
    unsigned count;
    if (kind < 0 ||
        hwloc_cpukinds_get_info(machine, (unsigned)kind, NULL, &evidence.rank, &count, &infos, 0) != 0)
        return evidence;
    for (unsigned i = 0; i < count; i++)
        if (strcmp(infos[i].name, "CoreType") == 0)
            evidence.type = infos[i].value;
    return evidence;
}

/* All CPUs of the machine, allowed or not, with their caches and kinds; by ascending number. */
static struct cpu_place *read_places(struct topology *topology, int *count)
{
    hwloc_topology_t machine = topology->machine;
    hwloc_const_bitmap_t all = hwloc_topology_get_topology_cpuset(machine);
    const int most = hwloc_bitmap_weight(all);
    const size_t room = most > 0 ? (size_t)most : 0;
    struct cpu_place *place = memory_zeroed(room, sizeof *place);
    struct core_evidence *evidence = memory_zeroed(room, sizeof *evidence);
    int *id = memory_zeroed(room, sizeof *id);
    uint64_t *number = memory_zeroed(room, sizeof *number);

    *count = 0;
    for (int i = hwloc_bitmap_first(all); i >= 0; i = hwloc_bitmap_next(all, i)) {
        hwloc_obj_t pu = hwloc_get_pu_obj_by_os_index(machine, (unsigned)i);
        if (pu) {
            id[*count] = i;
            place[(*count)++] = place_of(machine, pu);
        }
    }
    read_caches(topology, place, *count);
    if (hwloc_topology_is_thissystem(machine))
        core_numbers_read(id, *count, number);
    for (int i = 0; i < *count; i++) {
        evidence[i] = evidence_of(machine, &place[i]);
        evidence[i].number = number[i];
    }
    topology_find_kinds(topology, place, evidence, *count);
    topology_spell_cpus(topology, place, *count);
    free(evidence);
    free(number);
    free(id);
    return place;
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

/* A file below /sys as hwloc reads it, whose own variable leads tests to another tree. NULL: there is
 * none. */
static FILE *open_for_hwloc(const char *name)
{
    const char *root = getenv("HWLOC_FSROOT");
    char path[PATH_MAX];
    const int length = snprintf(path, sizeof path, "%s/sys/devices/system/%s", root ? root : "", name);
    return length < 0 || (size_t)length >= sizeof path ? NULL : fopen(path, "re");
}

/* Whether the list of online CPUs or nodes is missing, or one that a kernel writes, "0-3,8". hwloc takes an
 * empty list of nodes for impossible and aborts, and it makes an object for each of a million CPUs. */
static bool list_is_plausible(const char *name)
{
    char line[4096] = "";
    FILE *file = open_for_hwloc(name);
    if (!file)
        return true;
    if (fgets(line, sizeof line, file))
        line[strcspn(line, "\n")] = '\0';
    fclose(file);
    struct cpu_list *list = memory_zeroed(1, sizeof *list); /* too large for a small stack */
    const bool plausible = parse_cpu_list(line, list, &(struct fault){0}) == STATUS_OK && !list->all;
    free(list);
    return plausible;
}

/* Whether the folder of the nodes is missing, or has a list of them or at least the first one. hwloc aborts
 * where it has neither. */
static bool nodes_are_plausible(void)
{
    static const char *const names[] = {"node", "node/online", "node/node0"};
    bool is_there[3];
    for (int i = 0; i < 3; i++) {
        FILE *file = open_for_hwloc(names[i]);
        is_there[i] = file;
        if (file)
            fclose(file);
    }
    return !is_there[0] || ((is_there[1] || is_there[2]) && list_is_plausible(names[1]));
}

/* hwloc prints no messages: values that it cannot find out stay unknown. */
static hwloc_topology_t load_hwloc(bool reads_sysfs)
{
    hwloc_topology_t machine;

    setenv("HWLOC_HIDE_ERRORS", "2", 0);
    if (!reads_sysfs)
        unsetenv("HWLOC_FSROOT"); /* hwloc would read the files all the same */
    if (hwloc_topology_init(&machine) != 0)
        return NULL;
    hwloc_topology_set_flags(machine, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
    hwloc_topology_set_icache_types_filter(machine, HWLOC_TYPE_FILTER_KEEP_ALL);
    hwloc_topology_set_type_filter(machine, HWLOC_OBJ_MEMCACHE, HWLOC_TYPE_FILTER_KEEP_ALL);
    if (!reads_sysfs)
        hwloc_topology_set_components(machine, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, "linux");
    if (hwloc_topology_load(machine) == 0)
        return machine;
    hwloc_topology_destroy(machine);
    return NULL;
}

/* An XML file holds the name of the backend that it was exported from. A file can be declared to be of
 * this system, and is a file still. */
static const char *source_of(hwloc_topology_t machine)
{
    const char *backend = hwloc_obj_get_info_by_name(hwloc_get_root_obj(machine), "Backend");
    if (getenv("HWLOC_XMLFILE"))
        return "file";
    if (backend && strcmp(backend, "Synthetic") == 0)
        return "synthetic";
    return hwloc_topology_is_thissystem(machine) && !getenv("HWLOC_FSROOT") ? "this system" : "file";
}

/* The first number of the version in an XML file's head; 0: there is none. */
static int version_of_file(const char *path)
{
    char line[512];
    int version = 0;
    FILE *file = fopen(path, "re");
    while (file && version == 0 && fgets(line, sizeof line, file)) {
        const char *at = strstr(line, "<topology version=\"");
        if (at)
            (void)sscanf(at, "<topology version=\"%5d", &version);
    }
    if (file)
        fclose(file);
    return version;
}

static enum status refuse_load(struct fault *fault)
{
    const int error = errno, here = (int)(hwloc_get_api_version() >> 16);
    const char *path = getenv("HWLOC_XMLFILE");
    const int version = path ? version_of_file(path) : 0;
    if (version > here)
        return fault_set(
            fault, STATUS_NO_RESOURCE,
            "HWLOC_XMLFILE is a file of hwloc %d, and this program has hwloc %d: unset it, or export "
            "the file for version %d (lstopo --export-xml-flags)",
            version, here, here);
    if (path)
        return fault_set(fault, STATUS_NO_RESOURCE, "hwloc cannot load the topology of HWLOC_XMLFILE: %s",
                         strerror(error));
    return fault_set(fault, STATUS_NO_RESOURCE, "hwloc cannot load the topology: %s", strerror(error));
}

/* Where the kernel's files are of no use, CPUID (on x86_64) and the number of CPUs are what is left to know a
 * machine by. */
static hwloc_topology_t load_machine(void)
{
    const bool plausible = list_is_plausible("cpu/online") && nodes_are_plausible();
    hwloc_topology_t machine = plausible ? load_hwloc(true) : NULL;
    return machine ? machine : load_hwloc(false);
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
    topology->source = source_of(machine);
    topology->page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
    topology->memory_bytes = os_memory("MemTotal", 0);
    read_machine(topology, machine);
    int count_of_all;
    struct cpu_place *all = read_places(topology, &count_of_all);
    for (int id = hwloc_bitmap_first(allowed), i = 0; id >= 0; id = hwloc_bitmap_next(allowed, id)) {
        while (i < count_of_all && all[i].id < id)
            i++;
        struct cpu_place *place = &topology->place[topology->place_count++];
        const bool is_known = i < count_of_all && all[i].id == id;
        *place = is_known ? all[i] : unknown;
        topology->cpus_unknown += !is_known;
        place->id = id;
    }
    free(all);
    return topology;
}

/* hwloc asks endlessly where the kernel answers otherwise than with a mask or "too small", and leaves out the
 * CPUs that it does not know. */
static bool read_affinity(hwloc_bitmap_t allowed)
{
    enum { CPUS_MOST = 1 << 18 };
    cpu_set_t mask[CPUS_MOST / CPU_SETSIZE] = {0};
    if (sched_getaffinity(0, sizeof mask, mask) != 0)
        return false;
    hwloc_bitmap_zero(allowed);
    for (unsigned cpu = 0; cpu < CPUS_MOST; cpu++)
        if (CPU_ISSET_S(cpu, sizeof mask, mask))
            hwloc_bitmap_set(allowed, cpu);
    return true;
}

struct topology *topology_load(struct fault *fault)
{
    hwloc_bitmap_t allowed = hwloc_bitmap_alloc();
    hwloc_topology_t machine = NULL;
    if (!allowed)
        memory_exhausted(0);
    if (!read_affinity(allowed))
        fault_set(fault, STATUS_NO_RESOURCE,
                  "cannot read which CPUs are allowed: %s; a sandbox must let sched_getaffinity through",
                  strerror(errno));
    else if (!(machine = load_machine()))
        refuse_load(fault);
    /* No affinity applies to another machine: all its CPUs. */
    else if (!hwloc_topology_is_thissystem(machine))
        hwloc_bitmap_copy(allowed, hwloc_topology_get_topology_cpuset(machine));
    struct topology *topology = machine ? build(machine, allowed) : NULL;
    hwloc_bitmap_free(allowed);
    return topology;
}

void topology_free(struct topology *topology)
{
    if (!topology)
        return;
    for (int i = 0; i < topology->cache_count; i++)
        free(topology->cache[i].cpus);
    for (int i = 0; i < topology->kind_count; i++)
        free(topology->kind[i].cpus);
    if (topology->machine)
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
