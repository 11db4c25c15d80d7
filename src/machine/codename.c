/* SPDX-License-Identifier: MIT */
#include "machine/codename.h"

#include <stddef.h>
#include <string.h>

/* What a core of an age cannot have. */
enum {
    NOTHING = 0,
    BEFORE_AMX = TRAIT_AMX,
    BEFORE_AVX512 = BEFORE_AMX | TRAIT_AVX512F,
    BEFORE_AVX2 = BEFORE_AVX512 | TRAIT_AVX2,
    BEFORE_AVX = BEFORE_AVX2 | TRAIT_AVX,
};

/* The rows of one ISA, or of hybrids, at a time. */
#define NO_ROW(...)
#define X86(vendor, family, model, last_model, stepping, last_stepping, lacks, name, core)                   \
    {vendor, family, model, last_model, stepping, last_stepping, lacks, {name, core}},
#define HYBRID NO_ROW
#define ARM NO_ROW
static const struct {
    const char *vendor;
    int family, model_first, model_last, stepping_first, stepping_last;
    unsigned lacks;
    struct codename is;
} x86_rows[] = {
#include "../data/codenames.def"
};
#undef X86
#undef HYBRID
#define X86 NO_ROW
#define HYBRID(...) {__VA_ARGS__},
static const struct {
    unsigned type, number;
    const char *core;
} hybrid_rows[] = {
#include "../data/codenames.def"
};
#undef HYBRID
#undef ARM
#define HYBRID NO_ROW
#define ARM(implementer, part, before, core) {implementer, part, {before core, core}},
static const struct {
    int implementer, part;
    struct codename is;
} arm_rows[] = {
#include "../data/codenames.def"
};

static const struct {
    int implementer;
    const char *name;
} implementers[] = {
    {0x41, "ARM"},    {0x42, "Broadcom"},  {0x43, "Cavium"},   {0x46, "Fujitsu"}, {0x48, "HiSilicon"},
    {0x4e, "NVIDIA"}, {0x50, "APM"},       {0x51, "Qualcomm"}, {0x53, "Samsung"}, {0x56, "Marvell"},
    {0x61, "Apple"},  {0x6d, "Microsoft"}, {0x70, "Phytium"},  {0xc0, "Ampere"},
};

static const struct {
    const char *signature, *name;
} hypervisors[] = {
    {"KVMKVMKVM", "KVM"},           {"Microsoft Hv", "Hyper-V"},   {"VMwareVMware", "VMware"},
    {"XenVMMXenVMM", "Xen"},        {"TCGTCGTCGTCG", "QEMU TCG"},  {"bhyve bhyve ", "bhyve"},
    {"VBoxVBoxVBox", "VirtualBox"}, {" lrpepyh  vr", "Parallels"}, {"ACRNACRNACRN", "ACRN"},
};

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

const struct codename *codename_x86(const struct identity *identity, bool *contradicted)
{
    *contradicted = false;
    for (size_t i = 0; i < LENGTH(x86_rows); i++)
        if (strcmp(x86_rows[i].vendor, identity->vendor) == 0 && x86_rows[i].family == identity->family &&
            x86_rows[i].model_first <= identity->model && identity->model <= x86_rows[i].model_last &&
            x86_rows[i].stepping_first <= identity->stepping &&
            identity->stepping <= x86_rows[i].stepping_last) {
            *contradicted = (x86_rows[i].lacks & identity->traits) != 0;
            return &x86_rows[i].is;
        }
    return NULL;
}

const struct codename *codename_arm(int implementer, int part)
{
    for (size_t i = 0; i < LENGTH(arm_rows); i++)
        if (arm_rows[i].implementer == implementer && arm_rows[i].part == part)
            return &arm_rows[i].is;
    return NULL;
}

const char *codename_hybrid(uint32_t kind)
{
    for (size_t i = 0; i < LENGTH(hybrid_rows); i++)
        if (hybrid_rows[i].type == kind >> 24 && hybrid_rows[i].number == (kind & 0xffffff))
            return hybrid_rows[i].core;
    return NULL;
}

const char *implementer_name(int implementer)
{
    for (size_t i = 0; i < LENGTH(implementers); i++)
        if (implementers[i].implementer == implementer)
            return implementers[i].name;
    return NULL;
}

const char *hypervisor_name(const char *signature)
{
    for (size_t i = 0; i < LENGTH(hypervisors); i++)
        if (strcmp(hypervisors[i].signature, signature) == 0)
            return hypervisors[i].name;
    return NULL;
}
