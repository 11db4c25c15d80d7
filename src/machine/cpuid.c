/* SPDX-License-Identifier: MIT */
#include "machine/cpuid.h"

#include <stddef.h>
#include <string.h>

#include "machine/cpu_internal.h"

struct part {
    const char *name;
    uint32_t leaf;
    bool by_subleaf;
    int count;
    size_t offset;
};

#define PART(name, leaf, by_subleaf, member)                                                                 \
    {                                                                                                        \
        (name), (leaf), (by_subleaf), sizeof(((struct cpuid_dump *)0)->member) / sizeof(answer),             \
            offsetof(struct cpuid_dump, member)                                                              \
    }

typedef uint32_t answer[CPUID_REGISTERS];

/* The names of libcpuid's dumps. */
static const struct part parts[] = {
    PART("basic_cpuid", 0, false, basic),
    PART("ext_cpuid", 0x80000000, false, extended),
    PART("intel_fn4", 4, true, caches),
    PART("intel_fn11", 11, true, topology),
    PART("intel_fn12h", 0x12, true, sgx),
    PART("intel_fn14h", 0x14, true, trace),
    PART("amd_fn8000001dh", 0x8000001d, true, amd_caches),
};

enum { PARTS = sizeof(parts) / sizeof(parts[0]) };

static answer *answers(struct cpuid_dump *dump, const struct part *part)
{
    return (answer *)((char *)dump + part->offset);
}

static const answer *answers_in(const struct cpuid_dump *dump, const struct part *part)
{
    return (const answer *)((const char *)dump + part->offset);
}

void cpuid_read(struct cpuid_dump *dump, cpuid_ask *ask)
{
    for (const struct part *part = parts; part < parts + PARTS; part++)
        for (int i = 0; i < part->count; i++)
            ask(part->by_subleaf ? part->leaf : part->leaf + (uint32_t)i, part->by_subleaf ? (uint32_t)i : 0,
                answers(dump, part)[i]);
}

void cpuid_print(const struct cpuid_dump *dump, FILE *stream)
{
    for (const struct part *part = parts; part < parts + PARTS; part++)
        for (int i = 0; i < part->count; i++) {
            const uint32_t *one = answers_in(dump, part)[i];
            fprintf(stream, "%s[%d]=%08x %08x %08x %08x\n", part->name, i, one[CPUID_EAX], one[CPUID_EBX],
                    one[CPUID_ECX], one[CPUID_EDX]);
        }
}

static bool scan_line(struct cpuid_dump *dump, const char *line)
{
    char name[24];
    answer one;
    int index;

    if (sscanf(line, "%23[a-z0-9_][%d]=%x %x %x %x", name, &index, &one[CPUID_EAX], &one[CPUID_EBX],
               &one[CPUID_ECX], &one[CPUID_EDX]) != 2 + CPUID_REGISTERS)
        return false;
    for (const struct part *part = parts; part < parts + PARTS; part++)
        if (strcmp(name, part->name) == 0 && index >= 0 && index < part->count) {
            memcpy(answers(dump, part)[index], one, sizeof(one));
            return true;
        }
    return false;
}

bool cpuid_scan(struct cpuid_dump *dump, FILE *stream)
{
    char line[256];
    bool known = false;

    memset(dump, 0, sizeof(*dump));
    while (fgets(line, sizeof(line), stream))
        known |= scan_line(dump, line);
    return known;
}

static unsigned bit(uint32_t word, int index)
{
    return word >> index & 1;
}

static unsigned traits_of(const struct cpuid_dump *dump)
{
    const uint32_t *seven = dump->basic[7];
    unsigned traits = bit(dump->basic[1][CPUID_ECX], 28) * TRAIT_AVX;

    if (dump->basic[0][CPUID_EAX] >= 7) {
        traits |= bit(seven[CPUID_EBX], 5) * TRAIT_AVX2 | bit(seven[CPUID_EBX], 16) * TRAIT_AVX512F;
        traits |=
            (bit(seven[CPUID_EDX], 22) | bit(seven[CPUID_EDX], 24) | bit(seven[CPUID_EDX], 25)) * TRAIT_AMX;
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

    memcpy(vendor, &leaf0[CPUID_EBX], 4);
    memcpy(vendor + 4, &leaf0[CPUID_EDX], 4);
    memcpy(vendor + 8, &leaf0[CPUID_ECX], 4);
    cpu_set_text(cpu->vendor, sizeof(cpu->vendor), vendor);
}

static void set_brand(struct cpu *cpu, const answer *extended)
{
    char brand[49] = "";

    if (extended[0][CPUID_EAX] < 0x80000004u)
        return;
    memcpy(brand, extended[2], 48);
    cpu_set_text(cpu->brand, sizeof(cpu->brand), brand);
}

bool cpuid_in_guest(const struct cpuid_dump *dump)
{
    return bit(dump->basic[1][CPUID_ECX], 31);
}

void cpuid_identify(const struct cpuid_dump *dump, struct cpu *cpu)
{
    if (!cpuid_in_guest(dump))
        cpu_set_text(cpu->hypervisor, sizeof(cpu->hypervisor), "none");
    set_vendor(cpu, dump->basic[0]);
    set_numbers(cpu, dump->basic[1][CPUID_EAX]);
    set_brand(cpu, dump->extended);
    cpu_name_x86(cpu, traits_of(dump));
}
