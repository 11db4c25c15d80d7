/* SPDX-License-Identifier: MIT */
/* Identity and usable features of this machine's CPU. */
#include "uarchprobe/cpu.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine/cpu_internal.h"
#include "machine/os.h"
#include "machine/topology_internal.h"

#if defined(__aarch64__)
#include <asm/hwcap.h>
#include <sys/auxv.h>
#endif

bool cpu_may_be_guest(const struct cpu *cpu)
{
    return strcmp(cpu->hypervisor, "none") != 0;
}

/* NULL where it is not built in. */
const char *cpu_library_version(void)
{
#ifdef WITH_LIBCPUID
    return LIBCPUID_VERSION;
#else
    return NULL;
#endif
}

#if defined(__x86_64__)
const struct isa_level *const isa_levels = isa_levels_x86;

static uint64_t read_xcr0(void)
{
    uint32_t low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return (uint64_t)high << 32 | low;
}

static feature_set usable(const struct cpu_raw_data_t *raw)
{
    return cpuid_features(raw, cpuid_saves_state(raw) ? read_xcr0() : 0);
}

feature_set features_usable(void)
{
    struct cpu_raw_data_t raw = {0};
    cpuid_get_raw_data(&raw);
    return usable(&raw);
}

void cpu_identify_host(struct cpu *cpu)
{
    struct cpu_raw_data_t raw = {0};
    uint32_t answer[NUM_REGS];
    char signature[13] = "";

    *cpu = (struct cpu){.arch = "x86_64"};
    cpuid_get_raw_data(&raw);
    cpu->features = usable(&raw);
    sys_field(cpu->microcode, sizeof(cpu->microcode), "microcode", "/proc/cpuinfo");
    if (cpuid_in_guest(&raw)) {
        cpu_exec_cpuid(0x40000000, answer);
        memcpy(signature, &answer[EBX], 12);
        const char *name = hypervisor_name(signature);
        copy_trimmed(cpu->hypervisor, sizeof(cpu->hypervisor), name ? name : signature);
    }
    cpu_identify_cpuid(&raw, cpu);
    cpu->emulated = strcmp(cpu->hypervisor, "QEMU TCG") == 0 || os_emulated(cpu->arch);
}

/* What the CPU that asks answers about its own core. */
static void read_core_leaves(struct cpu_raw_data_t *here, uint32_t *amd_core)
{
    static const uint32_t leaves[] = {0, 1, 7, 0x1a}, AMD_CORE_LEAF = 0x80000026;

    for (size_t i = 0; i < sizeof leaves / sizeof *leaves; i++)
        if (here->basic_cpuid[0][EAX] >= leaves[i])
            cpu_exec_cpuid(leaves[i], here->basic_cpuid[leaves[i]]);
    cpu_exec_cpuid(0x80000000u, here->ext_cpuid[0]);
    if (here->ext_cpuid[0][EAX] >= AMD_CORE_LEAF)
        cpu_exec_cpuid(AMD_CORE_LEAF, amd_core);
}

const char *cpu_core(const struct cpu *cpu)
{
    struct cpu_raw_data_t here = {0};
    uint32_t amd_core[NUM_REGS] = {0};

    if (cpu->core || !*cpu->arch)
        return cpu->core;
    read_core_leaves(&here, amd_core);
    return cpu_core_of(cpu, &here);
}

static uint64_t core_number_here(void)
{
    struct cpu_raw_data_t here = {0};
    uint32_t amd_core[NUM_REGS] = {0};
    read_core_leaves(&here, amd_core);
    return cpuid_core_number(&here, amd_core);
}

void core_numbers_read(const int *cpu, int count, uint64_t *number)
{
    enum { WORDS = 64 };
    cpu_set_t before[WORDS];
    for (int i = 0; i < count; i++)
        number[i] = 0;
    if (core_number_here() == 0 || sched_getaffinity(0, sizeof before, before) != 0)
        return;
    for (int i = 0; i < count; i++) {
        cpu_set_t one[WORDS] = {0};
        CPU_SET_S((size_t)cpu[i], sizeof one, one);
        if (sched_setaffinity(0, sizeof one, one) == 0)
            number[i] = core_number_here();
    }
    (void)sched_setaffinity(0, sizeof before, before);
}

const char *core_number_name(uint64_t number)
{
    struct cpu_raw_data_t here = {0};
    uint32_t amd_core[NUM_REGS] = {0};
    struct cpu cpu = {0};

    if (number == 0)
        return NULL;
    read_core_leaves(&here, amd_core);
    cpu_identify_cpuid(&here, &cpu);
    return cpu_number_name(&cpu, number);
}

enum status cpu_dump_raw(cpu_answer *add, void *context, struct fault *fault)
{
    struct cpu_raw_data_t raw = {0};

    cpuid_get_raw_data(&raw);
    cpuid_list(&raw, add, context);
    return STATUS_OK;
}
#elif defined(__aarch64__)
const struct isa_level *const isa_levels = isa_levels_arm;

/* The hwcaps hold features that the CPU has and the operating system supports. */
feature_set features_usable(void)
{
    static const struct {
        unsigned long hwcap;
        feature_set feature;
    } rows[] = {{HWCAP_ASIMD, FEATURE_BIT(ASIMD)},
                {HWCAP_SVE, FEATURE_BIT(SVE)},
                {HWCAP_ATOMICS, FEATURE_BIT(LSE)},
                {HWCAP_LRCPC, FEATURE_BIT(LRCPC)}};
    feature_set set = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        set |= getauxval(AT_HWCAP) & rows[i].hwcap ? rows[i].feature : 0;
    /* DCZID_EL0: 4 is 16 words a block; the bit above says that it is prohibited. */
    uint64_t zeroed;
    __asm__("mrs %0, dczid_el0" : "=r"(zeroed));
    return (zeroed & 0x1f) == 4 ? set | FEATURE_BIT(ZERO_LINE) : set;
}

/* QEMU's own "max" CPU: an implementer of 0 is kept for software, part "Q". */
static const uint64_t QEMU_MIDR = 0x000f0510;

static bool read_midr_of(int cpu, uint64_t *midr)
{
    char line[64];

    if (!sys_line(line, sizeof(line), "/sys/devices/system/cpu/cpu%d/regs/identification/midr_el1", cpu))
        return false;
    *midr = strtoull(line, NULL, 16);
    return true;
}

/* All CPUs of a kind share it; the first one of this process's mask counts for the host. */
static bool read_midr(uint64_t *midr)
{
    cpu_set_t mask;

    if (sched_getaffinity(0, sizeof(mask), &mask) != 0)
        return false;
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &mask) && read_midr_of(cpu, midr))
            return true;
    return false;
}

/* Variant and revision are a stepping of the same core. */
static const uint64_t MIDR_CORE = 0xff0ffff0;

void core_numbers_read(const int *cpu, int count, uint64_t *number)
{
    for (int i = 0; i < count; i++)
        number[i] = read_midr_of(cpu[i], &number[i]) ? number[i] & MIDR_CORE : 0;
}

const char *core_number_name(uint64_t number)
{
    const struct codename *row = codename_arm((int)(number >> 24 & 0xff), (int)(number >> 4 & 0xfff));
    return row ? row->core : NULL;
}

const char *cpu_core(const struct cpu *cpu)
{
    struct cpu here = *cpu;
    uint64_t midr;

    if (*cpu->arch && read_midr_of(sched_getcpu(), &midr))
        cpu_identify_midr(midr, &here);
    return here.core;
}

static uint64_t cpuinfo_number(const char *key)
{
    char text[64];
    return sys_field(text, sizeof(text), key, "/proc/cpuinfo") ? strtoull(text, NULL, 0) : 0;
}

static uint64_t midr_of_cpuinfo(void)
{
    return cpuinfo_number("CPU implementer") << 24 | cpuinfo_number("CPU variant") << 20 |
           cpuinfo_number("CPU part") << 4 | cpuinfo_number("CPU revision");
}

/* The kernel answers this read of a system register for user programs where it says so. */
static bool read_midr_register(uint64_t *midr)
{
    if (!(getauxval(AT_HWCAP) & HWCAP_CPUID))
        return false;
    __asm__("mrs %0, midr_el1" : "=r"(*midr));
    return true;
}

/* Firmware tables name a hypervisor only where its maker is the "system vendor"; else it stays unknown. */
static void set_hypervisor(struct cpu *cpu)
{
    static const char *const known[][2] = {{"QEMU", "QEMU"},
                                           {"VMware", "VMware"},
                                           {"Parallels", "Parallels"},
                                           {"Apple Virtualization", "Apple"}};
    char line[128] = "";

    if (sys_line(line, sizeof(line), "/sys/hypervisor/type") && strcmp(line, "xen") == 0)
        copy_trimmed(cpu->hypervisor, sizeof(cpu->hypervisor), "Xen");
    else if (sys_line(line, sizeof(line), "/proc/device-tree/hypervisor/compatible"))
        copy_trimmed(cpu->hypervisor, sizeof(cpu->hypervisor), strcmp(line, "linux,kvm") == 0 ? "KVM" : line);
    else if (sys_line(line, sizeof(line), "/sys/class/dmi/id/sys_vendor"))
        for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
            if (strncmp(line, known[i][0], strlen(known[i][0])) == 0)
                copy_trimmed(cpu->hypervisor, sizeof(cpu->hypervisor), known[i][1]);
}

void cpu_identify_host(struct cpu *cpu)
{
    uint64_t midr;

    *cpu = (struct cpu){.arch = "aarch64", .family = -1, .model = -1, .stepping = -1};
    cpu->features = features_usable();
    if (!read_midr(&midr) && !read_midr_register(&midr))
        midr = midr_of_cpuinfo();
    cpu_identify_midr(midr, cpu);
    set_hypervisor(cpu);
    cpu->emulated = midr == QEMU_MIDR || os_emulated(cpu->arch);
}

enum status cpu_dump_raw(cpu_answer *add, void *context, struct fault *fault)
{
    return fault_set(fault, STATUS_UNSUPPORTED, "this CPU has no CPUID to dump: that is x86");
}
#endif
