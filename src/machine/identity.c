/* SPDX-License-Identifier: MIT */
#include "machine/cpu_internal.h"
#include "machine/os.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

typedef uint32_t answer[NUM_REGS];

/* The names of libcpuid's dumps, and the leaves that they hold. */
static const struct part {
    const char *name;
    uint32_t leaf;
    bool by_subleaf;
    unsigned count;
    size_t offset;
} parts[] = {
#define PART(name, leaf, by_subleaf)                                                                         \
    {                                                                                                        \
#name, (leaf), (by_subleaf), sizeof(((struct cpu_raw_data_t *)0)->name) / sizeof(answer),            \
            offsetof(struct cpu_raw_data_t, name)                                                            \
    }
    PART(basic_cpuid, 0, false),
    PART(ext_cpuid, 0x80000000, false),
    PART(intel_fn4, 4, true),
    PART(intel_fn11, 11, true),
    PART(intel_fn12h, 0x12, true),
    PART(intel_fn14h, 0x14, true),
    PART(amd_fn8000001dh, 0x8000001d, true),
};

enum { PARTS = sizeof parts / sizeof *parts };
_Static_assert(PARTS <= sizeof(((struct dumped_cpu *)0)->rows), "each part has a count of rows");
static const uint32_t AMD_CORE_LEAF = 0x80000026;

void cpuid_list(const struct cpu_raw_data_t *raw, cpu_answer *add, void *context)
{
    char name[32], registers[40];

    for (const struct part *part = parts; part < parts + PARTS; part++)
        for (unsigned i = 0; i < part->count; i++) {
            const uint32_t *one = ((const answer *)((const char *)raw + part->offset))[i];
            snprintf(name, sizeof(name), "%s[%u]", part->name, i);
            snprintf(registers, sizeof(registers), "%08x %08x %08x %08x", one[EAX], one[EBX], one[ECX],
                     one[EDX]);
            add(context, name, registers);
        }
}

/* Whether the row is the first of its leaf. */
static bool is_first(struct dumped_cpu *cpu, const struct part *part, unsigned at)
{
    const uint64_t bit = UINT64_C(1) << ((part->leaf ? 32 : 0) + at % 32);
    const bool first = !(cpu->leaves & bit);
    cpu->leaves |= bit;
    return first;
}

static bool put(struct dumped_cpu *cpu, size_t index, unsigned at, const answer one)
{
    const struct part *part = &parts[index];
    if (at >= part->count || (!part->by_subleaf && !is_first(cpu, part, at)))
        return false;
    memcpy(((answer *)((char *)&cpu->raw + part->offset))[at], one, sizeof(answer));
    return true;
}

static bool scan_libcpuid(struct dumped_cpu *cpu, const char *line)
{
    char name[24];
    unsigned index;
    answer one;

    if (sscanf(line, "%23[a-z0-9_][%2u]%*[=\": ]%8x %8x %8x %8x", name, &index, &one[EAX], &one[EBX],
               &one[ECX], &one[EDX]) != 2 + NUM_REGS)
        return false;
    if (strcmp(name, "amd_fn80000026h") == 0 && index == 0)
        memcpy(cpu->amd_core, one, sizeof one);
    for (size_t i = 0; i < PARTS; i++)
        if (strcmp(parts[i].name, name) == 0)
            return put(cpu, i, index, one);
    return false;
}

static bool scan_aida(struct dumped_cpu *cpu, const char *line)
{
    unsigned leaf, subleaf;
    answer one;
    bool found = false;

    const int read = sscanf(line, "CPUID %8x%*[: \t]%8x%*[- ]%8x%*[- ]%8x%*[- ]%8x [SL %2x]", &leaf,
                            &one[EAX], &one[EBX], &one[ECX], &one[EDX], &subleaf);
    const bool marked = read == 2 + NUM_REGS;
    if (read < 1 + NUM_REGS)
        return false;
    if (leaf == AMD_CORE_LEAF && (!marked || subleaf == 0) && cpu->amd_core[EAX] == 0)
        memcpy(cpu->amd_core, one, sizeof one);
    for (size_t i = 0; i < PARTS; i++)
        if (parts[i].by_subleaf && parts[i].leaf == leaf) {
            found |= put(cpu, i, marked ? subleaf : cpu->rows[i], one);
            cpu->rows[i] += cpu->rows[i] < UINT8_MAX;
        } else if (!parts[i].by_subleaf && leaf - parts[i].leaf < parts[i].count && (!marked || subleaf == 0))
            found |= put(cpu, i, leaf - parts[i].leaf, one);
    return found;
}

bool cpuid_scan(struct dumped_cpu *cpu, const char *line)
{
    line += strspn(line, " \"");
    return scan_libcpuid(cpu, line) || scan_aida(cpu, line);
}

bool cpuid_in_guest(const struct cpu_raw_data_t *raw)
{
    return raw->basic_cpuid[1][ECX] >> 31 & 1;
}

/* Where CPUID shows a feature. libcpuid's own flags miss AVX-512 on AMD in 0.6.2, and no version asks for
 * XCR0. */
static const struct {
    feature_set feature;
    bool extended; /* leaf 0x80000000 + leaf */
    uint32_t leaf;
    int word, bit;
} feature_rows[] = {
    {FEATURE_BIT(SSE2), false, 1, EDX, 26},    {FEATURE_BIT(SSE4_1), false, 1, ECX, 19},
    {FEATURE_BIT(AVX), false, 1, ECX, 28},     {FEATURE_BIT(AVX2), false, 7, EBX, 5},
    {FEATURE_BIT(AVX512F), false, 7, EBX, 16}, {FEATURE_BIT(INVARIANT_TSC), true, 7, EDX, 8},
    {FEATURE_BIT(RDPID), false, 7, ECX, 22},   {FEATURE_BIT(RDTSCP), true, 1, EDX, 27},
    {FEATURE_BIT(ZERO_LINE), true, 8, EBX, 0},
};

/* XCR0: SSE and AVX state; for AVX-512 also mask registers, upper halves of zmm0-15, all of zmm16-31. */
enum { XCR0_AVX = 0x06, XCR0_AVX512 = 0xe6, OSXSAVE = 1 << 27, XSAVE_LEAF = 13 };

feature_set cpuid_features(const struct cpu_raw_data_t *raw, uint64_t xcr0)
{
    feature_set set = 0;
    for (size_t i = 0; i < sizeof feature_rows / sizeof *feature_rows; i++) {
        const answer *leaf = feature_rows[i].extended ? raw->ext_cpuid : raw->basic_cpuid;
        const uint32_t at = feature_rows[i].leaf;
        if ((leaf[0][EAX] & 0xffff) >= at && leaf[at][feature_rows[i].word] >> feature_rows[i].bit & 1)
            set |= feature_rows[i].feature;
    }
    if ((xcr0 & XCR0_AVX) != XCR0_AVX || !(set & FEATURE_BIT(AVX)))
        return set & ~(FEATURE_BIT(AVX) | FEATURE_BIT(AVX2) | FEATURE_BIT(AVX512F));
    /* Without AVX2 there is no AVX-512 that software may rely on. */
    if ((xcr0 & XCR0_AVX512) != XCR0_AVX512 || !(set & FEATURE_BIT(AVX2)))
        return set & ~FEATURE_BIT(AVX512F);
    return set;
}

bool cpuid_saves_state(const struct cpu_raw_data_t *raw)
{
    return raw->basic_cpuid[1][ECX] & OSXSAVE;
}

/* Features that CPUID shows, usable or not. */
static feature_set shown(const struct cpu_raw_data_t *raw)
{
    const uint32_t *seven = raw->basic_cpuid[7];
    const bool amx = (seven[EDX] >> 22 | seven[EDX] >> 24 | seven[EDX] >> 25) & 1;
    return cpuid_features(raw, UINT64_MAX) | (amx && raw->basic_cpuid[0][EAX] >= 7 ? TRAIT_AMX : 0);
}

void cpu_name_x86(struct cpu *cpu, feature_set traits)
{
    bool masked;
    const struct codename *row = codename_x86(cpu, traits, &masked);

    cpu->core = row && !masked ? row->core : NULL;
    /* Features that the CPU executes prove more than any number. */
    if ((!row || masked) && (traits & TRAIT_AMX) && cpu->family == 6)
        cpu->core = CPU_CORE_AMX;
    if (row && masked)
        snprintf(cpu->codename_note, sizeof(cpu->codename_note),
                 "masked: model %d is %s, which lacks features that this CPU has", cpu->model, row->name);
    else if (row)
        snprintf(cpu->codename, sizeof(cpu->codename), "%s", row->name);
    if (row && !masked && *cpu->hypervisor && cpu_may_be_guest(cpu))
        snprintf(cpu->codename_note, sizeof(cpu->codename_note),
                 "by the model number that the hypervisor shows");
}

enum { FEATURE_LEAF = 7, CORE_LEAF = 0x1a, HYBRID = 1 << 15, HETEROGENEOUS = 1 << 30 };

static bool is_hybrid(const struct cpu_raw_data_t *raw)
{
    return raw->basic_cpuid[0][EAX] >= FEATURE_LEAF && raw->basic_cpuid[FEATURE_LEAF][EDX] & HYBRID;
}

static uint32_t core_leaf(const struct cpu_raw_data_t *raw)
{
    return raw->basic_cpuid[0][EAX] >= CORE_LEAF ? raw->basic_cpuid[CORE_LEAF][EAX] : 0;
}

const char *cpu_core_of(const struct cpu *cpu, const struct cpu_raw_data_t *raw)
{
    const bool hybrid = is_hybrid(raw);
    const uint32_t kind = core_leaf(raw);
    if (cpu->core || strcmp(cpu->vendor, "GenuineIntel") != 0)
        return cpu->core;
    /* KVM clears the hybrid bit, and a guest's CPU may run on a small core all the same. So may one whose
     * model number is masked. */
    if (!hybrid && (cpuid_in_guest(raw) || !*cpu->codename))
        return NULL;
    return codename_core(cpu, hybrid || kind != 0, kind);
}

/* AMD's type and native model are the upper byte of EBX; both may be 0. */
uint64_t cpuid_core_number(const struct cpu_raw_data_t *raw, const uint32_t *amd_core)
{
    return is_hybrid(raw)                  ? core_leaf(raw)
           : amd_core[EAX] & HETEROGENEOUS ? UINT64_C(1) << 32 | amd_core[EBX] >> 24
                                           : 0;
}

const char *cpu_number_name(const struct cpu *cpu, uint64_t number)
{
    if (number >> 32)
        return codename_core(cpu, true, (uint32_t)number << 24);
    return number ? codename_core(cpu, true, (uint32_t)number) : NULL;
}

/* The numbers are put together as the vendors' manuals say, and not asked of libcpuid, which takes no
 * vendor that it does not know (0.6.2: "  Shanghai  ") and keeps them in other members from 0.7.0 on.
 * Zhaoxin's family 7 has extended models, too. */
void cpu_identify_cpuid(const struct cpu_raw_data_t *raw, struct cpu *cpu)
{
    const uint32_t *zero = raw->basic_cpuid[0], signature = raw->basic_cpuid[1][EAX];
    const int family = signature >> 8 & 0xf, model = signature >> 4 & 0xf;
    const bool extended = family == 6 || family == 7 || family == 15;
    char vendor[13] = "", brand[49] = "";

    memcpy(vendor, &zero[EBX], 4);
    memcpy(vendor + 4, &zero[EDX], 4);
    memcpy(vendor + 8, &zero[ECX], 4);
    copy_trimmed(cpu->vendor, sizeof(cpu->vendor), vendor);
    cpu->family = family == 15 ? 15 + (int)(signature >> 20 & 0xff) : family;
    cpu->model = extended ? (int)(signature >> 16 & 0xf) << 4 | model : model;
    cpu->stepping = signature & 0xf;
    if (raw->ext_cpuid[0][EAX] >= 0x80000004u)
        memcpy(brand, raw->ext_cpuid[2], 48);
    copy_trimmed(cpu->brand, sizeof(cpu->brand), brand);
    if (!cpuid_in_guest(raw))
        copy_trimmed(cpu->hypervisor, sizeof(cpu->hypervisor), "none");
    cpu_name_x86(cpu, shown(raw));
}

void cpu_identify_midr(uint64_t midr, struct cpu *cpu)
{
    static const uint64_t apple_guest = 0x610f0000;
    const int implementer = (int)(midr >> 24 & 0xff);

    if (implementer == 0)
        return;
    cpu->family = implementer;
    const char *vendor = implementer_name(implementer);
    if (vendor)
        snprintf(cpu->vendor, sizeof(cpu->vendor), "%s", vendor);
    /* Parts are numbered by each implementer, and 0 is one of them. */
    if (midr == apple_guest)
        return;
    cpu->model = (int)(midr >> 4 & 0xfff);
    cpu->stepping = (int)((midr >> 20 & 0xf) << 4 | (midr & 0xf));
    const struct codename *row = codename_arm(implementer, cpu->model);
    cpu->core = row ? row->core : NULL;
    if (row)
        snprintf(cpu->codename, sizeof(cpu->codename), "%s", row->name);
}
