/* SPDX-License-Identifier: MIT */
#include "machine/os.h"

#include <string.h>

#include "machine/cgroup.h"
#include "machine/sysfile.h"

static uint64_t meminfo_bytes(const char *key, uint64_t otherwise)
{
    char text[64];
    uint64_t kib;

    if (!sys_field(text, sizeof(text), key, "/proc/meminfo") || !text_number(text, &kib))
        return otherwise;
    return kib * 1024;
}

uint64_t os_memory_available(void)
{
    return meminfo_bytes("MemAvailable", UINT64_MAX);
}

uint64_t os_memory_total(void)
{
    return meminfo_bytes("MemTotal", 0);
}

bool os_bracketed(const char *line, char *word, int size)
{
    const char *open = strchr(line, '[');
    const char *close = open ? strchr(open, ']') : NULL;

    if (!close || close - open - 1 >= size)
        return false;
    memcpy(word, open + 1, (size_t)(close - open - 1));
    word[close - open - 1] = '\0';
    return true;
}

/* Newer translators make up a cpuinfo of the ISA that they show, older ones let the host's through; kernels before 6.1
 * do not name their own ISA elsewhere. */
bool os_emulated(const char *arch)
{
    char text[256];

    if (sys_line(text, sizeof(text), "/proc/sys/kernel/arch"))
        return strcmp(text, arch) != 0;
    const char *foreign = strcmp(arch, "aarch64") == 0 ? "vendor_id" : "CPU implementer";
    return sys_field(text, sizeof(text), foreign, "/proc/cpuinfo");
}

/* One name when all allowed CPUs agree, "mixed" when they do not; false when one of them has none. */
static bool governor(const struct topology *topology, char *name, size_t size)
{
    char other[64];

    for (int i = 0; i < topology->place_count; i++) {
        if (!sys_line(i ? other : name, i ? sizeof(other) : size,
                      "/sys/devices/system/cpu/cpu%d/cpufreq/scaling_governor", topology->place[i].id))
            return false;
        if (i && strcmp(name, other) != 0) {
            snprintf(name, size, "mixed");
            return true;
        }
    }
    return topology->place_count > 0;
}

static struct cell turbo(void)
{
    uint64_t value;

    if (sys_number(&value, "/sys/devices/system/cpu/intel_pstate/no_turbo"))
        return BOOL_CELL(value == 0);
    if (sys_number(&value, "/sys/devices/system/cpu/cpufreq/boost"))
        return BOOL_CELL(value != 0);
    return NO_CELL;
}

static void add(struct record *record, const char *path, const char *title, const char *unit,
                struct cell value)
{
    record_fact(record, (struct fact){.path = path, .title = title, .unit = unit, .value = value});
}

void os_record(const struct topology *topology, struct record *record)
{
    char name[64], line[256], word[32];
    const double quota = cgroup_cpu_quota();
    const bool governed = governor(topology, name, sizeof(name));

    add(record, "host.governor", "Frequency governor", NULL, governed ? TEXT_CELL(name) : NO_CELL);
    add(record, "host.turbo", "Turbo", NULL, turbo());
    const bool thp = sys_line(line, sizeof(line), "/sys/kernel/mm/transparent_hugepage/enabled") &&
                     os_bracketed(line, word, sizeof(word));
    add(record, "host.thp", "Transparent huge pages", NULL, thp ? TEXT_CELL(word) : NO_CELL);
    /* Rare enough to be worth a line for people only where there are some. */
    add(record, "host.cpu_quota", quota > 0 ? "CPU quota" : NULL, "CPUs",
        quota > 0 ? REAL_CELL(quota) : NO_CELL);
    const bool isolated = sys_line(line, sizeof(line), "/sys/devices/system/cpu/isolated");
    add(record, "host.isolated_cpus", isolated ? "Isolated CPUs" : NULL, NULL,
        isolated ? TEXT_CELL(line) : NO_CELL);
}
