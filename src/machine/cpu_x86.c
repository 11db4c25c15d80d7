/* SPDX-License-Identifier: MIT */
/* What CPUID says of a CPU; compiled on every ISA, as dumps are replayed anywhere. */
#include <string.h>

#include "machine/cpu_internal.h"
#include "machine/cpuid.h"

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

static void set_brand(struct cpu *cpu, const uint32_t (*extended)[CPUID_REGISTERS])
{
    char brand[49] = "";

    if (extended[0][CPUID_EAX] < 0x80000004u)
        return;
    memcpy(brand, extended[2], 48);
    cpu_set_text(cpu->brand, sizeof(cpu->brand), brand);
}

void cpu_identify_cpuid(const struct cpuid_dump *dump, struct cpu *cpu)
{
    if (!cpuid_in_guest(dump))
        cpu_set_text(cpu->hypervisor, sizeof(cpu->hypervisor), "none");
    set_vendor(cpu, dump->basic[0]);
    set_numbers(cpu, dump->basic[1][CPUID_EAX]);
    set_brand(cpu, dump->extended);
    cpu_name_x86(cpu, traits_of(dump));
}
