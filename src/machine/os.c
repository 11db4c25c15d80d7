/* SPDX-License-Identifier: MIT */
#include "machine/os.h"

#include <string.h>

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

bool os_governor(int cpu, char *name, size_t size)
{
    return sys_line(name, size, "/sys/devices/system/cpu/cpu%d/cpufreq/scaling_governor", cpu);
}

bool os_turbo(bool *on)
{
    uint64_t value;

    if (sys_number(&value, "/sys/devices/system/cpu/intel_pstate/no_turbo"))
        *on = value == 0;
    else if (sys_number(&value, "/sys/devices/system/cpu/cpufreq/boost"))
        *on = value != 0;
    else
        return false;
    return true;
}

bool os_huge_pages(char *word, size_t size)
{
    char line[256], bracketed[32];

    if (!sys_line(line, sizeof(line), "/sys/kernel/mm/transparent_hugepage/enabled") ||
        sscanf(line, "%*[^[][%31[^]]]", bracketed) + sscanf(line, "[%31[^]]]", bracketed) < 1)
        return false;
    snprintf(word, size, "%s", bracketed);
    return true;
}

bool os_isolated_cpus(char *list, size_t size)
{
    return sys_line(list, size, "/sys/devices/system/cpu/isolated");
}
