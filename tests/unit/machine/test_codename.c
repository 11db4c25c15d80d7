/* SPDX-License-Identifier: MIT */

#include "machine/cpu_internal.h"
#include "machine/os.h"

#include "test.h"

#define INTEL "GenuineIntel", 6
#define AMD "AuthenticAMD"
#define SERVER (FEATURE_BIT(AVX) | FEATURE_BIT(AVX2) | FEATURE_BIT(AVX512F))

/* name and core NULL: no row; one of them NULL: not asked for; core "none": the row has none, or there is none. */
static const struct {
    const char *vendor;
    int family, model, stepping;
    feature_set traits;
    const char *name, *core;
    bool contradicted;
} rows[] = {
    {INTEL, 0xa7, 1, SERVER, "Rocket Lake"},
    {INTEL, 0x8f, 8, SERVER | TRAIT_AMX, "Sapphire Rapids"},
    {AMD, 26, 2, 1, SERVER, "Turin (Zen 5)"},
    /* A stepping decides between cores that share a number. */
    {INTEL, 0x55, 4, 0, "Skylake-SP"},
    {INTEL, 0x55, 7, 0, "Cascade Lake"},
    {INTEL, 0x55, 11, 0, "Cooper Lake"},
    {INTEL, 0x55, 9, 0, "Cascade Lake or Cooper Lake"},
    /* A feature that the core lacks contradicts; a hypervisor can take features away, so that a lack of them does not. */
    {INTEL, 0xa7, 1, TRAIT_AMX, "Rocket Lake", NULL, true},
    {INTEL, 0x3f, 2, FEATURE_BIT(AVX512F), "Haswell-E/EP", NULL, true},
    {INTEL, 0x1a, 2, FEATURE_BIT(AVX), "Nehalem", NULL, true},
    {AMD, 25, 0x01, 1, FEATURE_BIT(AVX512F), "Milan (Zen 3)", NULL, true},
    {INTEL, 0xcf, 2, 0, "Emerald Rapids", "Raptor Cove"},
    /* Families of models share a core; where Linux draws the line the table does. */
    {INTEL, 0x8e, 0, 0, NULL, "Skylake"},
    {INTEL, 0x97, 0, 0, NULL, "none"},
    {AMD, 23, 0x50, 0, 0, NULL, "Zen"},
    {AMD, 23, 0x84, 0, 0, NULL, "Zen 2"},
    {AMD, 25, 0x4f, 0, 0, NULL, "Zen 3"},
    {AMD, 25, 0xa0, 0, 0, NULL, "Zen 4"},
    {AMD, 26, 0x08, 0, 0, NULL, "Zen 5"},
    {AMD, 26, 0x50, 0, 0, NULL, "none"}, /* not Zen 5 any more */
    {AMD, 6, 0xa7, 1, 0, NULL},
    {"GenuineIntel", 15, 0xa7, 1, 0, NULL},
    {"", -1, -1, -1, 0, NULL},
};

TEST(test_numbers_name_cores_and_features_contradict_them)
{
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct cpu cpu = {.family = rows[i].family, .model = rows[i].model, .stepping = rows[i].stepping};
        bool contradicted = false;
        copy_trimmed(cpu.vendor, sizeof cpu.vendor, rows[i].vendor);
        const struct codename *row = codename_x86(&cpu, rows[i].traits, &contradicted);
        const char *name = row ? row->name : "none", *core = row && row->core ? row->core : "none";
        if ((rows[i].name || !rows[i].core) && strcmp(name, rows[i].name ? rows[i].name : "none") != 0)
            fail_msg("row %zu is %s", i, name);
        if ((rows[i].core && strcmp(core, rows[i].core) != 0) || contradicted != rows[i].contradicted)
            fail_msg("row %zu is %s, %s contradicted", i, row ? row->name : "none",
                     contradicted ? "" : "not");
    }
}

/* Leaf 7's hybrid bit, EAX of leaf 0x1a. core NULL: unknown. */
static const struct {
    int family, model;
    bool hybrid;
    uint32_t kind;
    const char *core;
} cores[] = {
    {6, 0x97, true, 0x40000001, "Golden Cove"},
    {6, 0xb7, true, 0x40000001, "Raptor Cove"},
    {6, 0xbf, true, 0x40000001, "Golden or Raptor Cove"},
    {6, 0xb7, true, 0x20000001, "Gracemont"},
    {6, 0xaa, true, 0x20000002, "Crestmont"},
    {6, 0xb5, true, 0x40000002, "Redwood Cove"},
    {6, 0xc6, true, 0x40000003, "Lion Cove"},
    {6, 0xbd, true, 0x20000003, "Skymont"},
    {6, 0xcc, true, 0x40000004, "Cougar Cove"},
    {6, 0xd5, true, 0x20000004, "Darkmont"},
    {18, 0x01, true, 0x40000005, "Coyote Cove"},
    {18, 0x03, true, 0x20000005, "Arctic Wolf"},
    /* A number 0 is Lakefield's only, and a hybrid that does not say stays unknown. */
    {6, 0x8a, true, 0x40000000, "Sunny Cove"},
    {6, 0x8a, true, 0x20000000, "Tremont"},
    {6, 0x97, true, 0x40000000, NULL},
    {6, 0x8a, true, 0, NULL},
    {6, 0xc6, true, 0, NULL},
    /* A model that no row has is named by its number; one beyond the table is not. */
    {6, 0xfe, true, 0x40000003, "Lion Cove"},
    {6, 0xfe, true, 0x40000006, NULL},
    {6, 0xfe, true, 0x10000003, NULL},
    {7, 0xfe, true, 0x40000003, NULL},
    /* Without the bit the large cores are left. */
    {6, 0x97, false, 0, "Golden Cove"},
    {6, 0x9a, false, 0, "Golden Cove"},
    {6, 0xb7, false, 0, "Raptor Cove"},
    {6, 0xc6, false, 0, "Lion Cove"},
    {6, 0x98, false, 0, NULL},
    {6, 0xfe, false, 0, NULL},
};

TEST(a_core_is_named_by_its_number)
{
    for (size_t i = 0; i < COUNT_OF(cores); i++) {
        const struct cpu cpu = {.family = cores[i].family, .model = cores[i].model};
        const char *core = codename_core(&cpu, cores[i].hybrid, cores[i].kind);
        if (strcmp(core ? core : "unknown", cores[i].core ? cores[i].core : "unknown") != 0)
            fail_msg("row %zu is %s", i, core ? core : "unknown");
    }
}

TEST(test_arm_and_hypervisors)
{
    assert_string_equal(codename_arm(0x61, 0x029)->name, "M1 Max Firestorm");
    assert_string_equal(codename_arm(0x61, 0x029)->core, "Firestorm");
    assert_string_equal(codename_arm(0x41, 0xd8f)->core, "Cortex-A320");
    assert_string_equal(codename_arm(0x61, 0x045)->name, "M3 Pro, M3 Everest");
    assert_null(codename_arm(0x41, 0x001));
    assert_null(codename_arm(-1, -1));
    assert_string_equal(implementer_name(0xc0), "Ampere");
    assert_null(implementer_name(0));
    assert_string_equal(hypervisor_name("KVMKVMKVM"), "KVM");
    assert_null(hypervisor_name(""));
}
