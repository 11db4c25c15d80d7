/* SPDX-License-Identifier: MIT */
#include "machine/cpuid.h"

#include <stddef.h>
#include <stdio.h>

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

void cpuid_answers(const struct cpuid_dump *dump,
                   void (*add)(void *context, const char *name, const char *registers), void *context)
{
    char name[32], registers[40];

    for (const struct part *part = parts; part < parts + PARTS; part++)
        for (int i = 0; i < part->count; i++) {
            const uint32_t *one = answers_in(dump, part)[i];
            snprintf(name, sizeof(name), "%s[%d]", part->name, i);
            snprintf(registers, sizeof(registers), "%08x %08x %08x %08x", one[CPUID_EAX], one[CPUID_EBX],
                     one[CPUID_ECX], one[CPUID_EDX]);
            add(context, name, registers);
        }
}

bool cpuid_in_guest(const struct cpuid_dump *dump)
{
    return dump->basic[1][CPUID_ECX] >> 31 & 1;
}
