/* SPDX-License-Identifier: MIT */
#include "cli/facts.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "machine/cgroup.h"
#include "machine/os.h"

#ifndef UARCHPROBE_GIT
#define UARCHPROBE_GIT NULL /* built from an archive */
#endif

#ifdef __clang__
static const char compiler[] = __VERSION__;
#else
static const char compiler[] = "gcc " __VERSION__;
#endif

void version_print(FILE *stream)
{
    const char *git = UARCHPROBE_GIT, *cpuid = cpu_library_version(), *hwloc = topology_library_version();
    struct utsname system;
    fprintf(stream, "uarchprobe %s (git %s)\n", UARCHPROBE_VERSION, git ? git : "unknown");
    fprintf(stream, "compiler: %s\n", compiler);
    fprintf(stream, "arch: %s\n", uname(&system) == 0 ? system.machine : "unknown");
    fprintf(stream, "libcpuid: %s\n", cpuid ? cpuid : "none");
    fprintf(stream, "hwloc: %s\n", hwloc ? hwloc : "none");
}

void version_record(struct record *record)
{
    RECORD_FACTS(record, {"tool.version", "uarchprobe", NULL, TEXT_CELL(UARCHPROBE_VERSION)},
                 {"tool.git", .value = TEXT_CELL(UARCHPROBE_GIT)},
                 {"tool.compiler", .value = TEXT_CELL(compiler)},
                 {"tool.libcpuid", .value = TEXT_CELL(cpu_library_version())},
                 {"tool.hwloc", .value = TEXT_CELL(topology_library_version())});
}

static struct cell text_cell(const char *text)
{
    return *text ? TEXT_CELL(text) : NO_CELL;
}

static struct cell number_from(int least, int64_t number)
{
    return number >= least ? INTEGER_CELL(number) : NO_CELL;
}

static struct cell positive_cell(double number)
{
    return number > 0 ? REAL_CELL(number) : NO_CELL;
}

/* Rare facts have a line to be read only where they are true. */
static const char *title_if(bool there, const char *title)
{
    return there ? title : NULL;
}

static void add_features(const struct cpu *cpu, struct record *record)
{
    char path[48];
    int index = 0;
    for (enum feature feature = 0; feature < FEATURE_COUNT; feature++) {
        if (!(cpu->features >> feature & 1))
            continue;
        snprintf(path, sizeof(path), "host.features.%d", index++);
        RECORD_FACTS(record, {path, "Features usable", NULL, TEXT_CELL(feature_name(feature))});
    }
}

void host_cpu_record(const struct cpu *cpu, struct record *record)
{
    RECORD_FACTS(record, {"host.arch", "Architecture", NULL, text_cell(cpu->arch)},
                 {"host.hypervisor", "Hypervisor", NULL, text_cell(cpu->hypervisor)},
                 {"host.cpu.vendor", "CPU vendor", NULL, text_cell(cpu->vendor)},
                 {"host.cpu.brand", "CPU", NULL, text_cell(cpu->brand)},
                 {"host.cpu.family", "Family", NULL, number_from(0, cpu->family)},
                 {"host.cpu.model", "Model", NULL, number_from(0, cpu->model)},
                 {"host.cpu.stepping", "Stepping", NULL, number_from(0, cpu->stepping)},
                 {"host.cpu.microcode", "Microcode", NULL, text_cell(cpu->microcode)},
                 {"host.cpu.codename", "Code name", NULL, text_cell(cpu->codename)},
                 {"host.cpu.codename_note", title_if(*cpu->codename_note, "Code name, note"), NULL,
                  text_cell(cpu->codename_note)},
                 {RECORD_EMULATED, title_if(cpu->emulated, "Emulated"), NULL, BOOL_CELL(cpu->emulated)});
    add_features(cpu, record);
}

/* Whether some CPUs have another cache of that level and type, or none. */
static bool is_of_some(const struct topology *topology, int index)
{
    const struct cache *cache = &topology->cache[index];
    for (int i = 0; i < topology->cache_count; i++)
        if (i != index && topology->cache[i].level == cache->level && topology->cache[i].type == cache->type)
            return true;
    for (int i = 0; i < topology->place_count; i++)
        if (!(topology->place[i].caches >> index & 1))
            return true;
    return false;
}

/* hwloc counts 0 (none seen) and -1 (on several levels): neither is known to be so. */
static void add_cache(struct record *record, const struct topology *topology, int index)
{
    const struct cache *cache = &topology->cache[index];
    const bool some = cache->cpus && is_of_some(topology, index);
    const char *kind = cache->type == 'd'   ? "data"
                       : cache->type == 'i' ? "instruction"
                       : cache->type == 'm' ? "memory-side"
                                            : "unified";
    const bool is_plain = cache->type == 'u';
    const struct fact facts[] = {
        {"level", NULL, NULL, INTEGER_CELL(cache->level)},
        {"type", NULL, NULL, TEXT_CELL(kind)},
        {"bytes", "", "Byte", INTEGER_CELL(cache->bytes)},
        {"line", NULL, "Byte", number_from(1, cache->line)},
        {"ways", NULL, NULL, number_from(1, cache->ways)},
        {"instances", NULL, NULL, number_from(1, cache->instances)},
        {"cpus", NULL, NULL, TEXT_CELL(cache->cpus)},
    };
    char path[64], title[96];
    snprintf(title, sizeof(title), "L%d %s%scache%s%s", cache->level, is_plain ? "" : kind,
             is_plain ? "" : " ", some ? ", CPUs " : "", some ? cache->cpus : "");
    for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++) {
        snprintf(path, sizeof(path), "host.caches.%d.%s", index, facts[i].path);
        const char *shown = i == 3 && index == 0 ? "Cache line" : title_if(facts[i].title, title);
        RECORD_FACTS(record, {path, shown, facts[i].unit, facts[i].value});
    }
}

void host_caches_record(const struct topology *topology, struct record *record)
{
    for (int i = 0; i < topology->cache_count; i++)
        add_cache(record, topology, i);
}

void host_kinds_record(const struct topology *topology, struct record *record)
{
    char path[48], title[64];
    for (int i = 0; i < topology->kind_count; i++) {
        const struct core_kind *kind = &topology->kind[i];
        char letter[2];
        topology_kind_letter(topology, i, letter);
        snprintf(title, sizeof title, "%d x %s", kind->cores, kind->name ? kind->name : "");
        const struct fact facts[] = {{"name", NULL, NULL, TEXT_CELL(kind->name)},
                                     {"letter", NULL, NULL, *letter ? TEXT_CELL(letter) : NO_CELL},
                                     {"cores", NULL, NULL, number_from(1, kind->cores)},
                                     {"cpus", title, NULL, TEXT_CELL(kind->cpus)}};
        for (size_t k = 0; k < sizeof facts / sizeof *facts; k++) {
            snprintf(path, sizeof path, "host.kinds.%d.%s", i, facts[k].path);
            RECORD_FACTS(record, {path, title_if(kind->name, facts[k].title), NULL, facts[k].value});
        }
    }
}

/* One name when all allowed CPUs agree, "mixed" when they do not; empty when one of them has none. */
static void common_governor(const struct topology *topology, char *name, size_t size)
{
    char other[64];
    name[0] = '\0';
    for (int i = 0; i < topology->place_count; i++) {
        const bool known = os_governor(topology->place[i].id, other, sizeof(other));
        const bool differs = known && i > 0 && strcmp(name, other) != 0;
        snprintf(name, size, "%s", !known ? "" : differs ? "mixed" : other);
        if (!known || differs)
            return;
    }
}

static void add_settings(const struct topology *topology, struct record *record)
{
    char governor[64], cpus[256] = "", pages[32] = "";
    struct utsname name;
    bool turbo;
    const double quota = cgroup_cpu_quota();
    os_isolated_cpus(cpus, sizeof(cpus));
    common_governor(topology, governor, sizeof(governor));
    RECORD_FACTS(record, {"host.kernel", "Kernel", NULL, text_cell(uname(&name) == 0 ? name.release : "")},
                 {"host.governor", "Frequency governor", NULL, text_cell(governor)},
                 {"host.turbo", "Turbo", NULL, os_turbo(&turbo) ? BOOL_CELL(turbo) : NO_CELL},
                 {"host.thp", "Transparent huge pages", NULL,
                  os_huge_pages(pages, sizeof(pages)) ? TEXT_CELL(pages) : NO_CELL},
                 {"host.cpu_quota", title_if(quota > 0, "CPU quota"), "CPUs", positive_cell(quota)},
                 {"host.isolated_cpus", title_if(*cpus, "Isolated CPUs"), NULL, text_cell(cpus)});
}

static void warn_of_topology(const struct topology *topology, const char *allowed, struct record *record)
{
    if (topology->source && strcmp(topology->source, "this system") != 0)
        record_warning(
            record, "topology_foreign",
            "cores and caches are those of a %s that the environment names, not what this system shows",
            strcmp(topology->source, "file") == 0 ? "file" : "made-up topology");
    if (topology->cpus_unknown > 0)
        record_warning(
            record, "topology_partial",
            "this process may use CPUs %s, and the system shows %d of them, as where a container hides "
            "the others: those are measured, and their core and caches are unknown",
            allowed, topology->place_count - topology->cpus_unknown);
}

void host_topology_record(const struct topology *topology, struct record *record)
{
    char allowed[4096];
    topology_allowed_text(topology, allowed, sizeof(allowed));
    warn_of_topology(topology, allowed, record);
    const bool foreign = topology->source && strcmp(topology->source, "this system") != 0;
    RECORD_FACTS(
        record, {"host.topology.source", title_if(foreign, "Topology of"), NULL, TEXT_CELL(topology->source)},
        {"host.topology.packages", "Packages", NULL, number_from(1, topology->packages)},
        {"host.topology.numa_nodes", "NUMA nodes", NULL, number_from(1, topology->numa_nodes)},
        {"host.topology.l3_groups", "L3 groups", NULL, number_from(1, topology->l3_groups)},
        {"host.topology.cores", "Cores", NULL, number_from(1, topology->cores)},
        {"host.topology.cpus", "CPUs", NULL, number_from(1, topology->cpus)},
        {"host.topology.allowed", "CPUs allowed", NULL, TEXT_CELL(allowed)});
    for (int i = 0; i < topology->place_count; i++) {
        const struct cpu_place *at = &topology->place[i];
        record_place_add(record,
                         (struct place){at->id, {at->package, at->node, at->l3, at->l2, at->core, at->kind}});
    }
    host_caches_record(topology, record);
    host_kinds_record(topology, record);
    add_settings(topology, record);
    RECORD_FACTS(record, {"host.page_size", "Page size", "Byte", INTEGER_CELL(topology->page_bytes)},
                 {"host.memory_bytes", "Memory", "Byte", number_from(1, (int64_t)topology->memory_bytes)});
}

/* The kernel leaves the time stamp counter where it finds it unstable. Guests have clocks of their hosts. */
static void add_clocksource(const struct cpu *cpu, struct record *record)
{
    char name[64] = "";
    const bool known = os_clocksource(name, sizeof name);
    RECORD_FACTS(record,
                 {"host.clocksource", "Clock of the kernel", NULL, known ? TEXT_CELL(name) : NO_CELL});
    if (known && strcmp(cpu->arch, "x86_64") == 0 && !cpu->emulated && !cpu_may_be_guest(cpu) &&
        strcmp(name, "tsc") != 0)
        record_warning(
            record, "clocksource",
            "the kernel keeps time by %s and not by the time stamp counter, as where it found that one "
            "unstable (see the kernel's log): times may be wrong",
            name);
}

void host_clock_record(const struct cpu *cpu, const struct clock *clock, struct record *record)
{
    add_clocksource(cpu, record);
    /* A hypervisor that answers the read takes as long as an exit, at some times only. */
    const double trapped_ns = 200;
    if (clock->overhead_ns > trapped_ns)
        record_warning(record, "clock_trapped",
                       "reading the clock takes %.0f ns, as where a hypervisor or an emulator answers it: "
                       "short times are "
                       "dominated by it; use a machine that lets its guests read the counter",
                       clock->overhead_ns);
    RECORD_FACTS(record, {"clock.source", "Clock", NULL, TEXT_CELL(clock->source)},
                 {"clock.tick_hz", "Clock rate", "Hz",
                  clock->ns_per_tick > 0 ? REAL_CELL(1e9 / clock->ns_per_tick) : NO_CELL},
                 {"clock.resolution_ns", "Clock resolution", "ns", positive_cell(clock->resolution_ns)},
                 {"clock.overhead_ns", "Cost of reading the clock", "ns", REAL_CELL(clock->overhead_ns)},
                 {"clock.invariant", NULL, NULL, BOOL_CELL(clock->invariant)});
}
