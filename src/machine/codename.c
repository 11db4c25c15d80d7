/* SPDX-License-Identifier: MIT */
#include <stddef.h>
#include <string.h>

#include "machine/cpu_internal.h"

/* Features that cores of an age lack. */
enum {
    NOTHING = 0,
    BEFORE_AMX = TRAIT_AMX,
    BEFORE_AVX512 = BEFORE_AMX | FEATURE_BIT(AVX512F),
    BEFORE_AVX2 = BEFORE_AVX512 | FEATURE_BIT(AVX2),
    BEFORE_AVX = BEFORE_AVX2 | FEATURE_BIT(AVX),
};

static const struct row {
    const char *vendor;
    int family, model_first, model_last, stepping_first, stepping_last;
    feature_set lacks;
    struct codename is;
} x86_rows[] = {
#define X86(vendor, family, model, last, stepping, last_stepping, lacks, name, core)                         \
    {vendor, family, model, last, stepping, last_stepping, lacks, {name, core}},
#include "../data/codenames.def"
};

const struct codename *codename_x86(const struct cpu *cpu, feature_set traits, bool *contradicted)
{
    *contradicted = false;
    for (const struct row *row = x86_rows; row < x86_rows + sizeof x86_rows / sizeof *x86_rows; row++)
        if (strcmp(row->vendor, cpu->vendor) == 0 && row->family == cpu->family &&
            row->model_first <= cpu->model && cpu->model <= row->model_last &&
            row->stepping_first <= cpu->stepping && cpu->stepping <= row->stepping_last) {
            *contradicted = (row->lacks & traits) != 0;
            return &row->is;
        }
    return NULL;
}

const char *cpu_vendor_core(const char *vendor, size_t n)
{
    for (const struct row *row = x86_rows; row < x86_rows + sizeof x86_rows / sizeof *x86_rows; row++)
        if (row->is.core && strcmp(row->vendor, vendor) == 0 && n-- == 0)
            return row->is.core;
    return NULL;
}

const struct codename *codename_arm(int implementer, int part)
{
    static const struct {
        int implementer, part;
        struct codename is;
    } rows[] = {
#define ARM(implementer, part, before, core) {implementer, part, {before core, core}},
#include "../data/codenames.def"
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].implementer == implementer && rows[i].part == part)
            return &rows[i].is;
    return NULL;
}

const char *codename_core(const struct cpu *cpu, bool hybrid, uint32_t kind)
{
    static const struct {
        int family, model_first, model_last;
        bool hybrid;
        uint32_t kind;
        const char *core;
    } rows[] = {
#define CORE(family, model, last, hybrid, type, number, core)                                                \
    {family, model, last, hybrid, (uint32_t)(type) << 24 | (number), core},
#include "../data/codenames.def"
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].family == cpu->family && rows[i].model_first <= cpu->model &&
            cpu->model <= rows[i].model_last && rows[i].hybrid == hybrid && rows[i].kind == kind)
            return rows[i].core;
    return NULL;
}

const char *implementer_name(int number)
{
#define IMPLEMENTER(of, name)                                                                                \
    if (number == (of))                                                                                      \
        return name;
#include "../data/codenames.def"
    return NULL;
}

const char *hypervisor_name(const char *signature)
{
#define HYPERVISOR(of, name)                                                                                 \
    if (strcmp(signature, of) == 0)                                                                          \
        return name;
#include "../data/codenames.def"
    return NULL;
}
