/* SPDX-License-Identifier: MIT */
/* The only file that sees libcpuid.h. */
#include "uarchprobe/cpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <unistd.h>

#include "machine/cpu_internal.h"
#include "machine/sysfile.h"
#include "machine/topology_internal.h"

#ifdef WITH_LIBCPUID
#include <libcpuid.h>
#endif
#if defined(__x86_64__)
#include <cpuid.h>
#else
#include <asm/hwcap.h>
#include <sys/auxv.h>
#endif

static void set_text(char *out, size_t size, const char *text)
{
    const size_t begin = strspn(text, " ");
    snprintf(out, size, "%s", text + begin);
    for (size_t length = strlen(out); length > 0 && out[length - 1] == ' '; length--)
        out[length - 1] = '\0';
}

static void clear(struct cpu *cpu, const char *arch)
{
    *cpu = (struct cpu){.family = -1, .model = -1, .stepping = -1};
    set_text(cpu->arch, sizeof(cpu->arch), arch);
}

#ifdef WITH_LIBCPUID
static void set_unless_unknown(char *out, size_t size, const char *text)
{
    if (strncasecmp(text, "unknown", 7) != 0)
        set_text(out, size, text);
}

static void name_by_libcpuid(struct cpu *cpu, struct cpu_raw_data_t *raw)
{
    struct cpu_id_t id;

    if (cpu_identify(raw, &id) == 0)
        set_unless_unknown(cpu->libcpuid_codename, sizeof(cpu->libcpuid_codename), id.cpu_codename);
}
#endif

#if defined(__x86_64__)
static unsigned bit(uint32_t word, int index)
{
    return word >> index & 1;
}

static unsigned traits_of(uint32_t (*leaf)[4])
{
    const uint32_t highest = leaf[0][EAX];
    unsigned traits = bit(leaf[1][ECX], 28) * TRAIT_AVX;

    if (highest >= 7) {
        traits |= bit(leaf[7][EBX], 5) * TRAIT_AVX2 | bit(leaf[7][EBX], 16) * TRAIT_AVX512F;
        traits |= (bit(leaf[7][EDX], 22) | bit(leaf[7][EDX], 24) | bit(leaf[7][EDX], 25)) * TRAIT_AMX;
    }
    return traits;
}

/* Display family and model, as the vendors' manuals put them together from the base and extended fields. */
static void set_numbers(struct cpu *cpu, uint32_t signature)
{
    const int family = signature >> 8 & 0xf, model = signature >> 4 & 0xf;
    const bool extended = family == 6 || family == 15;

    cpu->family = family == 15 ? 15 + (int)(signature >> 20 & 0xff) : family;
    cpu->model = extended ? (int)(signature >> 16 & 0xf) << 4 | model : model;
    cpu->stepping = signature & 0xf;
}

static void set_vendor(struct cpu *cpu, const uint32_t *leaf0)
{
    char vendor[13] = "";

    memcpy(vendor, &leaf0[EBX], 4);
    memcpy(vendor + 4, &leaf0[EDX], 4);
    memcpy(vendor + 8, &leaf0[ECX], 4);
    set_text(cpu->vendor, sizeof(cpu->vendor), vendor);
}

/* extended: leaves from 0x80000000. */
static void set_brand(struct cpu *cpu, uint32_t (*extended)[4])
{
    char brand[49] = "";

    if (extended[0][EAX] < 0x80000004u)
        return;
    memcpy(brand, extended[2], 48);
    set_text(cpu->brand, sizeof(cpu->brand), brand);
}

static void set_hypervisor(struct cpu *cpu)
{
    uint32_t eax, ebx, ecx, edx;
    char signature[13] = "";

    __cpuid(0x40000000, eax, ebx, ecx, edx);
    memcpy(signature, &ebx, 4);
    memcpy(signature + 4, &ecx, 4);
    memcpy(signature + 8, &edx, 4);
    const char *name = hypervisor_name(signature);
    set_text(cpu->hypervisor, sizeof(cpu->hypervisor), name ? name : signature);
}

static void identify_raw(struct cpu *cpu, struct cpu_raw_data_t *raw)
{
    uint32_t(*leaf)[4] = raw->basic_cpuid;

    set_vendor(cpu, leaf[0]);
    set_numbers(cpu, leaf[1][EAX]);
    set_brand(cpu, raw->ext_cpuid);
    name_by_libcpuid(cpu, raw);
}

void cpu_identify_host(struct cpu *cpu)
{
    struct cpu_raw_data_t raw;

    clear(cpu, "x86_64");
    cpu->features = features_usable();
    sys_field(cpu->microcode, sizeof(cpu->microcode), "microcode", "/proc/cpuinfo");
    if (cpuid_get_raw_data(&raw) != 0)
        return;
    if (bit(raw.basic_cpuid[1][ECX], 31))
        set_hypervisor(cpu);
    else
        set_text(cpu->hypervisor, sizeof(cpu->hypervisor), "none");
    identify_raw(cpu, &raw);
    cpu_name_x86(cpu, traits_of(raw.basic_cpuid));
}

enum status cpu_identify_dump(const char *path, struct cpu *cpu, struct fault *fault)
{
    struct cpu_raw_data_t raw;

    clear(cpu, "x86_64");
    if (cpuid_deserialize_raw_data(&raw, path) != 0)
        return fault_set(fault, STATUS_FAILED, "%s: %s", path, cpuid_error());
    if (!bit(raw.basic_cpuid[1][ECX], 31))
        set_text(cpu->hypervisor, sizeof(cpu->hypervisor), "none");
    identify_raw(cpu, &raw);
    cpu_name_x86(cpu, traits_of(raw.basic_cpuid));
    return STATUS_OK;
}
#elif defined(__aarch64__)
/* All CPUs of a kind share it; the first one of this process's mask speaks for the host. */
static bool read_midr(uint64_t *midr)
{
    char line[64];
    int *cpus = NULL;
    bool found = false;

    const int count = affinity_read(&cpus);
    for (int i = 0; i < count && !found; i++)
        found = sys_line(line, sizeof(line), "/sys/devices/system/cpu/cpu%d/regs/identification/midr_el1",
                         cpus[i]);
    free(cpus);
    if (found)
        *midr = strtoull(line, NULL, 16);
    return found;
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
        set_text(cpu->hypervisor, sizeof(cpu->hypervisor), "Xen");
    else if (sys_line(line, sizeof(line), "/proc/device-tree/hypervisor/compatible"))
        set_text(cpu->hypervisor, sizeof(cpu->hypervisor), strcmp(line, "linux,kvm") == 0 ? "KVM" : line);
    else if (sys_line(line, sizeof(line), "/sys/class/dmi/id/sys_vendor"))
        for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
            if (strncmp(line, known[i][0], strlen(known[i][0])) == 0)
                set_text(cpu->hypervisor, sizeof(cpu->hypervisor), known[i][1]);
}

void cpu_identify_host(struct cpu *cpu)
{
    uint64_t midr;

    clear(cpu, "aarch64");
    cpu->features = features_usable();
    if (!read_midr(&midr) && !read_midr_register(&midr))
        midr = midr_of_cpuinfo();
    cpu_name_arm(cpu, midr);
    set_hypervisor(cpu);
#ifdef WITH_LIBCPUID
    struct cpu_raw_data_t raw;
    if (cpuid_get_raw_data(&raw) == 0)
        name_by_libcpuid(cpu, &raw);
#endif
}

enum status cpu_identify_dump(const char *path, struct cpu *cpu, struct fault *fault)
{
    clear(cpu, "aarch64");
    return fault_set(fault, STATUS_UNSUPPORTED, "%s: dumps are decoded on x86_64 only", path);
}
#endif

#ifdef WITH_LIBCPUID
/* libcpuid writes to a file name only, so it is given the name of a file without one. */
static enum status serialize(struct cpu_raw_data_t *raw, int fd, FILE *stream, struct fault *fault)
{
    char path[64], buffer[4096];
    size_t got;

    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    if (cpuid_serialize_raw_data(raw, path) != 0)
        return fault_set(fault, STATUS_FAILED, "cannot write a CPUID dump: %s", cpuid_error());
    FILE *file = fopen(path, "re");
    if (!file)
        return fault_set(fault, STATUS_FAILED, "cannot read the CPUID dump back");
    while ((got = fread(buffer, 1, sizeof(buffer), file)) > 0)
        fwrite(buffer, 1, got, stream);
    fclose(file);
    return ferror(stream) ? fault_set(fault, STATUS_FAILED, "cannot write the CPUID dump") : STATUS_OK;
}

enum status cpu_dump_raw(FILE *stream, struct fault *fault)
{
    struct cpu_raw_data_t raw;

    if (cpuid_get_raw_data(&raw) != 0)
        return fault_set(fault, STATUS_UNSUPPORTED, "libcpuid cannot read this CPU: %s", cpuid_error());
    const int fd = memfd_create("cpuid", MFD_CLOEXEC);
    if (fd < 0)
        return fault_set(fault, STATUS_UNSUPPORTED, "the kernel gives no memory file for the CPUID dump");
    const enum status status = serialize(&raw, fd, stream, fault);
    close(fd);
    return status;
}

const char *cpu_library_version(void)
{
    return LIBCPUID_VERSION;
}
#else
enum status cpu_dump_raw(FILE *stream, struct fault *fault)
{
    return fault_set(fault, STATUS_UNSUPPORTED, "a CPUID dump needs libcpuid, which is not built in");
}

const char *cpu_library_version(void)
{
    return NULL;
}
#endif
