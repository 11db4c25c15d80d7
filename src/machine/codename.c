/* SPDX-License-Identifier: MIT */
#include "machine/codename.h"

#include <stddef.h>
#include <string.h>

static const char intel[] = "GenuineIntel", amd[] = "AuthenticAMD", hygon[] = "HygonGenuine";

/* What a core of an age cannot have. */
enum {
    NOTHING = 0,
    BEFORE_AMX = TRAIT_AMX,
    BEFORE_AVX512 = BEFORE_AMX | TRAIT_AVX512F,
    BEFORE_AVX2 = BEFORE_AVX512 | TRAIT_AVX2,
    BEFORE_AVX = BEFORE_AVX2 | TRAIT_AVX,
};

struct x86_row {
    const char *vendor;
    int family, model_first, model_last, stepping_first, stepping_last;
    unsigned lacks;
    const char *name;
};

/* Only numbers that stand for one core; a number of several products bears the name of the core alone. */
static const struct x86_row x86_rows[] = {
    {intel, 6, 0x1a, 0x1a, 0, 15, BEFORE_AVX, "Nehalem"},
    {intel, 6, 0x1e, 0x1e, 0, 15, BEFORE_AVX, "Nehalem"},
    {intel, 6, 0x1f, 0x1f, 0, 15, BEFORE_AVX, "Nehalem"},
    {intel, 6, 0x2e, 0x2e, 0, 15, BEFORE_AVX, "Nehalem"},
    {intel, 6, 0x25, 0x25, 0, 15, BEFORE_AVX, "Westmere"},
    {intel, 6, 0x2c, 0x2c, 0, 15, BEFORE_AVX, "Westmere"},
    {intel, 6, 0x2f, 0x2f, 0, 15, BEFORE_AVX, "Westmere"},
    {intel, 6, 0x2a, 0x2a, 0, 15, BEFORE_AVX2, "Sandy Bridge"},
    {intel, 6, 0x2d, 0x2d, 0, 15, BEFORE_AVX2, "Sandy Bridge-E/EP"},
    {intel, 6, 0x3a, 0x3a, 0, 15, BEFORE_AVX2, "Ivy Bridge"},
    {intel, 6, 0x3e, 0x3e, 0, 15, BEFORE_AVX2, "Ivy Bridge-E/EP"},
    {intel, 6, 0x3c, 0x3c, 0, 15, BEFORE_AVX512, "Haswell"},
    {intel, 6, 0x45, 0x45, 0, 15, BEFORE_AVX512, "Haswell"},
    {intel, 6, 0x46, 0x46, 0, 15, BEFORE_AVX512, "Haswell"},
    {intel, 6, 0x3f, 0x3f, 0, 15, BEFORE_AVX512, "Haswell-E/EP"},
    {intel, 6, 0x3d, 0x3d, 0, 15, BEFORE_AVX512, "Broadwell"},
    {intel, 6, 0x47, 0x47, 0, 15, BEFORE_AVX512, "Broadwell"},
    {intel, 6, 0x4f, 0x4f, 0, 15, BEFORE_AVX512, "Broadwell-E/EP"},
    {intel, 6, 0x56, 0x56, 0, 15, BEFORE_AVX512, "Broadwell-DE"},
    {intel, 6, 0x4e, 0x4e, 0, 15, BEFORE_AVX512, "Skylake"},
    {intel, 6, 0x5e, 0x5e, 0, 15, BEFORE_AVX512, "Skylake"},
    {intel, 6, 0x55, 0x55, 0, 4, BEFORE_AMX, "Skylake-SP"},
    {intel, 6, 0x55, 0x55, 5, 7, BEFORE_AMX, "Cascade Lake"},
    {intel, 6, 0x55, 0x55, 10, 11, BEFORE_AMX, "Cooper Lake"},
    {intel, 6, 0x9e, 0x9e, 9, 9, BEFORE_AVX512, "Kaby Lake"},
    {intel, 6, 0x9e, 0x9e, 10, 13, BEFORE_AVX512, "Coffee Lake"},
    {intel, 6, 0xa5, 0xa5, 0, 15, BEFORE_AVX512, "Comet Lake"},
    {intel, 6, 0xa6, 0xa6, 0, 15, BEFORE_AVX512, "Comet Lake"},
    {intel, 6, 0x66, 0x66, 0, 15, BEFORE_AMX, "Cannon Lake"},
    {intel, 6, 0x7d, 0x7d, 0, 15, BEFORE_AMX, "Ice Lake"},
    {intel, 6, 0x7e, 0x7e, 0, 15, BEFORE_AMX, "Ice Lake"},
    {intel, 6, 0x6a, 0x6a, 0, 15, BEFORE_AMX, "Ice Lake-SP"},
    {intel, 6, 0x6c, 0x6c, 0, 15, BEFORE_AMX, "Ice Lake-D"},
    {intel, 6, 0x8c, 0x8c, 0, 15, BEFORE_AMX, "Tiger Lake"},
    {intel, 6, 0x8d, 0x8d, 0, 15, BEFORE_AMX, "Tiger Lake"},
    {intel, 6, 0xa7, 0xa7, 0, 15, BEFORE_AMX, "Rocket Lake"},
    {intel, 6, 0x97, 0x97, 0, 15, BEFORE_AMX, "Alder Lake"},
    {intel, 6, 0x9a, 0x9a, 0, 15, BEFORE_AMX, "Alder Lake"},
    {intel, 6, 0xbe, 0xbe, 0, 15, BEFORE_AVX512, "Gracemont"},
    {intel, 6, 0xb7, 0xb7, 0, 15, BEFORE_AMX, "Raptor Lake"},
    {intel, 6, 0xba, 0xba, 0, 15, BEFORE_AMX, "Raptor Lake"},
    {intel, 6, 0xbf, 0xbf, 0, 15, BEFORE_AMX, "Raptor Lake"},
    {intel, 6, 0xaa, 0xaa, 0, 15, BEFORE_AVX512, "Meteor Lake"},
    {intel, 6, 0xac, 0xac, 0, 15, BEFORE_AVX512, "Meteor Lake"},
    {intel, 6, 0xb5, 0xb5, 0, 15, BEFORE_AVX512, "Arrow Lake"},
    {intel, 6, 0xc5, 0xc5, 0, 15, BEFORE_AVX512, "Arrow Lake"},
    {intel, 6, 0xc6, 0xc6, 0, 15, BEFORE_AVX512, "Arrow Lake"},
    {intel, 6, 0xbd, 0xbd, 0, 15, BEFORE_AVX512, "Lunar Lake"},
    {intel, 6, 0x8f, 0x8f, 0, 15, NOTHING, "Sapphire Rapids"},
    {intel, 6, 0xcf, 0xcf, 0, 15, NOTHING, "Emerald Rapids"},
    {intel, 6, 0xad, 0xad, 0, 15, NOTHING, "Granite Rapids"},
    {intel, 6, 0xae, 0xae, 0, 15, NOTHING, "Granite Rapids-D"},
    {intel, 6, 0xaf, 0xaf, 0, 15, BEFORE_AVX512, "Sierra Forest"},
    {intel, 6, 0xb6, 0xb6, 0, 15, BEFORE_AVX512, "Grand Ridge"},
    {intel, 6, 0x37, 0x37, 0, 15, BEFORE_AVX, "Bay Trail"},
    {intel, 6, 0x4d, 0x4d, 0, 15, BEFORE_AVX, "Avoton"},
    {intel, 6, 0x4c, 0x4c, 0, 15, BEFORE_AVX, "Airmont"},
    {intel, 6, 0x5c, 0x5c, 0, 15, BEFORE_AVX, "Apollo Lake"},
    {intel, 6, 0x5f, 0x5f, 0, 15, BEFORE_AVX, "Denverton"},
    {intel, 6, 0x7a, 0x7a, 0, 15, BEFORE_AVX, "Gemini Lake"},
    {intel, 6, 0x86, 0x86, 0, 15, BEFORE_AVX, "Snow Ridge"},
    {intel, 6, 0x96, 0x96, 0, 15, BEFORE_AVX, "Elkhart Lake"},
    {intel, 6, 0x9c, 0x9c, 0, 15, BEFORE_AVX, "Jasper Lake"},
    {amd, 23, 0x01, 0x01, 0, 15, BEFORE_AVX512, "Zen"},
    {amd, 23, 0x08, 0x08, 0, 15, BEFORE_AVX512, "Zen+"},
    {amd, 23, 0x11, 0x11, 0, 15, BEFORE_AVX512, "Raven Ridge (Zen)"},
    {amd, 23, 0x18, 0x18, 0, 15, BEFORE_AVX512, "Picasso (Zen+)"},
    {amd, 23, 0x31, 0x31, 0, 15, BEFORE_AVX512, "Zen 2"},
    {amd, 23, 0x60, 0x60, 0, 15, BEFORE_AVX512, "Renoir (Zen 2)"},
    {amd, 23, 0x68, 0x68, 0, 15, BEFORE_AVX512, "Lucienne (Zen 2)"},
    {amd, 23, 0x71, 0x71, 0, 15, BEFORE_AVX512, "Matisse (Zen 2)"},
    {amd, 23, 0x90, 0x90, 0, 15, BEFORE_AVX512, "Van Gogh (Zen 2)"},
    {amd, 23, 0xa0, 0xa0, 0, 15, BEFORE_AVX512, "Mendocino (Zen 2)"},
    {amd, 25, 0x01, 0x01, 0, 15, BEFORE_AVX512, "Milan (Zen 3)"},
    {amd, 25, 0x08, 0x08, 0, 15, BEFORE_AVX512, "Chagall (Zen 3)"},
    {amd, 25, 0x21, 0x21, 0, 15, BEFORE_AVX512, "Vermeer (Zen 3)"},
    {amd, 25, 0x44, 0x44, 0, 15, BEFORE_AVX512, "Zen 3+"},
    {amd, 25, 0x50, 0x50, 0, 15, BEFORE_AVX512, "Zen 3"},
    {amd, 25, 0x11, 0x11, 0, 15, BEFORE_AMX, "Genoa (Zen 4)"},
    {amd, 25, 0x18, 0x18, 0, 15, BEFORE_AMX, "Storm Peak (Zen 4)"},
    {amd, 25, 0x61, 0x61, 0, 15, BEFORE_AMX, "Zen 4"},
    {amd, 25, 0x74, 0x75, 0, 15, BEFORE_AMX, "Zen 4"},
    {amd, 25, 0xa0, 0xaf, 0, 15, BEFORE_AMX, "Zen 4c"},
    {amd, 26, 0x00, 0x0f, 0, 15, BEFORE_AMX, "Turin (Zen 5)"},
    {amd, 26, 0x10, 0x1f, 0, 15, BEFORE_AMX, "Turin Dense (Zen 5c)"},
    {amd, 26, 0x24, 0x24, 0, 15, BEFORE_AMX, "Strix Point (Zen 5)"},
    {amd, 26, 0x44, 0x44, 0, 15, BEFORE_AMX, "Zen 5"},
    {amd, 26, 0x60, 0x60, 0, 15, BEFORE_AMX, "Krackan Point (Zen 5)"},
    {amd, 26, 0x70, 0x70, 0, 15, BEFORE_AMX, "Strix Halo (Zen 5)"},
    {hygon, 24, 0x00, 0x02, 0, 15, BEFORE_AVX512, "Dhyana"},
};

static const struct {
    int implementer, part;
    const char *name;
} arm_rows[] = {
    {0x41, 0xd03, "Cortex-A53"},   {0x41, 0xd04, "Cortex-A35"},   {0x41, 0xd05, "Cortex-A55"},
    {0x41, 0xd07, "Cortex-A57"},   {0x41, 0xd08, "Cortex-A72"},   {0x41, 0xd09, "Cortex-A73"},
    {0x41, 0xd0a, "Cortex-A75"},   {0x41, 0xd0b, "Cortex-A76"},   {0x41, 0xd0c, "Neoverse N1"},
    {0x41, 0xd0d, "Cortex-A77"},   {0x41, 0xd0e, "Cortex-A76AE"}, {0x41, 0xd40, "Neoverse V1"},
    {0x41, 0xd41, "Cortex-A78"},   {0x41, 0xd42, "Cortex-A78AE"}, {0x41, 0xd44, "Cortex-X1"},
    {0x41, 0xd46, "Cortex-A510"},  {0x41, 0xd47, "Cortex-A710"},  {0x41, 0xd48, "Cortex-X2"},
    {0x41, 0xd49, "Neoverse N2"},  {0x41, 0xd4a, "Neoverse E1"},  {0x41, 0xd4b, "Cortex-A78C"},
    {0x41, 0xd4c, "Cortex-X1C"},   {0x41, 0xd4d, "Cortex-A715"},  {0x41, 0xd4e, "Cortex-X3"},
    {0x41, 0xd4f, "Neoverse V2"},  {0x41, 0xd80, "Cortex-A520"},  {0x41, 0xd81, "Cortex-A720"},
    {0x41, 0xd82, "Cortex-X4"},    {0x41, 0xd84, "Neoverse V3"},  {0x41, 0xd85, "Cortex-X925"},
    {0x41, 0xd87, "Cortex-A725"},  {0x41, 0xd8e, "Neoverse N3"},  {0x42, 0x516, "Vulcan"},
    {0x43, 0x0a1, "ThunderX"},     {0x43, 0x0af, "ThunderX2"},    {0x46, 0x001, "A64FX"},
    {0x48, 0xd01, "TSV110"},       {0x51, 0x001, "Oryon"},        {0x51, 0xc00, "Falkor"},
    {0x61, 0x022, "M1 Icestorm"},  {0x61, 0x023, "M1 Firestorm"}, {0x61, 0x032, "M2 Blizzard"},
    {0x61, 0x033, "M2 Avalanche"}, {0xc0, 0xac3, "Ampere-1"},     {0xc0, 0xac4, "Ampere-1a"},
};

static const struct {
    int implementer;
    const char *name;
} implementers[] = {
    {0x41, "ARM"},    {0x42, "Broadcom"},  {0x43, "Cavium"},   {0x46, "Fujitsu"}, {0x48, "HiSilicon"},
    {0x4e, "NVIDIA"}, {0x50, "APM"},       {0x51, "Qualcomm"}, {0x53, "Samsung"}, {0x56, "Marvell"},
    {0x61, "Apple"},  {0x6d, "Microsoft"}, {0xc0, "Ampere"},
};

static const struct {
    const char *signature, *name;
} hypervisors[] = {
    {"KVMKVMKVM", "KVM"},           {"Microsoft Hv", "Hyper-V"},   {"VMwareVMware", "VMware"},
    {"XenVMMXenVMM", "Xen"},        {"TCGTCGTCGTCG", "QEMU TCG"},  {"bhyve bhyve ", "bhyve"},
    {"VBoxVBoxVBox", "VirtualBox"}, {" lrpepyh  vr", "Parallels"}, {"ACRNACRNACRN", "ACRN"},
};

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

static bool row_matches(const struct x86_row *row, const struct identity *identity)
{
    return strcmp(row->vendor, identity->vendor) == 0 && row->family == identity->family &&
           row->model_first <= identity->model && identity->model <= row->model_last &&
           row->stepping_first <= identity->stepping && identity->stepping <= row->stepping_last;
}

const char *codename_x86(const struct identity *identity, bool *contradicted)
{
    *contradicted = false;
    for (size_t i = 0; i < LENGTH(x86_rows); i++) {
        if (!row_matches(&x86_rows[i], identity))
            continue;
        *contradicted = (x86_rows[i].lacks & identity->traits) != 0;
        return x86_rows[i].name;
    }
    return NULL;
}

const char *codename_arm(int implementer, int part)
{
    for (size_t i = 0; i < LENGTH(arm_rows); i++)
        if (arm_rows[i].implementer == implementer && arm_rows[i].part == part)
            return arm_rows[i].name;
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
