/* SPDX-License-Identifier: MIT */

#include "machine/cpu_internal.h"
#include "machine/os.h"

#include "test.h"

static const char *look_up(const char *vendor, int family, int model, int stepping, feature_set traits,
                           bool *contradicted)
{
    struct cpu cpu = {.family = family, .model = model, .stepping = stepping};

    copy_trimmed(cpu.vendor, sizeof cpu.vendor, vendor);
    const struct codename *row = codename_x86(&cpu, traits, contradicted);
    return row ? row->name : NULL;
}

static const char *core_of(const char *vendor, int family, int model)
{
    struct cpu cpu = {.family = family, .model = model};
    bool contradicted;

    copy_trimmed(cpu.vendor, sizeof cpu.vendor, vendor);
    const struct codename *row = codename_x86(&cpu, 0, &contradicted);
    return row && row->core ? row->core : "none";
}

TEST(test_number_names_core)
{
    const feature_set server = FEATURE_BIT(AVX) | FEATURE_BIT(AVX2) | FEATURE_BIT(AVX512F);
    bool contradicted;

    assert_string_equal(look_up("GenuineIntel", 6, 0xa7, 1, server, &contradicted), "Rocket Lake");
    assert_false(contradicted);
    assert_string_equal(look_up("GenuineIntel", 6, 0x8f, 8, server | TRAIT_AMX, &contradicted),
                        "Sapphire Rapids");
    assert_false(contradicted);
    assert_string_equal(look_up("AuthenticAMD", 26, 2, 1, server, &contradicted), "Turin (Zen 5)");
    assert_false(contradicted);
}

TEST(test_stepping_tells_shared_number_apart)
{
    bool contradicted;

    assert_string_equal(look_up("GenuineIntel", 6, 0x55, 4, 0, &contradicted), "Skylake-SP");
    assert_string_equal(look_up("GenuineIntel", 6, 0x55, 7, 0, &contradicted), "Cascade Lake");
    assert_string_equal(look_up("GenuineIntel", 6, 0x55, 11, 0, &contradicted), "Cooper Lake");
    assert_string_equal(look_up("GenuineIntel", 6, 0x55, 9, 0, &contradicted), "Cascade Lake or Cooper Lake");
}

TEST(test_feature_that_the_core_lacks_contradicts)
{
    bool contradicted;

    look_up("GenuineIntel", 6, 0xa7, 1, TRAIT_AMX, &contradicted);
    assert_true(contradicted);
    look_up("GenuineIntel", 6, 0x3f, 2, FEATURE_BIT(AVX512F), &contradicted);
    assert_true(contradicted);
    look_up("GenuineIntel", 6, 0x1a, 2, FEATURE_BIT(AVX), &contradicted);
    assert_true(contradicted);
    look_up("AuthenticAMD", 25, 0x01, 1, FEATURE_BIT(AVX512F), &contradicted);
    assert_true(contradicted);
}

/* A hypervisor can take features away, so that a lack of them says nothing. */
TEST(test_lack_of_features_contradicts_nothing)
{
    bool contradicted;

    assert_non_null(look_up("GenuineIntel", 6, 0xcf, 2, 0, &contradicted));
    assert_false(contradicted);
}

TEST(test_vendor_and_family_count)
{
    bool contradicted = true;

    assert_null(look_up("AuthenticAMD", 6, 0xa7, 1, 0, &contradicted));
    assert_false(contradicted);
    assert_null(look_up("GenuineIntel", 15, 0xa7, 1, 0, &contradicted));
    assert_null(look_up("", -1, -1, -1, 0, &contradicted));
}

/* Families of models share a core; where Linux draws the line the tables do. */
TEST(test_models_share_cores)
{
    assert_string_equal(core_of("GenuineIntel", 6, 0x8e), "Skylake");
    assert_string_equal(core_of("GenuineIntel", 6, 0xcf), "Raptor Cove");
    assert_string_equal(core_of("GenuineIntel", 6, 0x97), "none");
    assert_string_equal(core_of("AuthenticAMD", 23, 0x50), "Zen");
    assert_string_equal(core_of("AuthenticAMD", 23, 0x84), "Zen 2");
    assert_string_equal(core_of("AuthenticAMD", 25, 0x4f), "Zen 3");
    assert_string_equal(core_of("AuthenticAMD", 25, 0xa0), "Zen 4");
    assert_string_equal(core_of("AuthenticAMD", 26, 0x08), "Zen 5");
    assert_string_equal(core_of("AuthenticAMD", 26, 0x50), "none"); /* not Zen 5 any more */
}

TEST(test_hybrids_name_their_cores)
{
    assert_string_equal(codename_hybrid(0x40000001), "Golden or Raptor Cove");
    assert_string_equal(codename_hybrid(0x20000002), "Crestmont next to large cores");
    assert_null(codename_hybrid(0x40000003)); /* Lion Cove: nothing with a source */
    assert_null(codename_hybrid(0));
}

TEST(test_arm)
{
    assert_string_equal(codename_arm(0x61, 0x029)->name, "M1 Max Firestorm");
    assert_string_equal(codename_arm(0x61, 0x029)->core, "Firestorm");
    assert_null(codename_arm(0x41, 0x001));
    assert_null(codename_arm(-1, -1));
    assert_string_equal(implementer_name(0xc0), "Ampere");
    assert_null(implementer_name(0));
}

TEST(test_hypervisor)
{
    assert_string_equal(hypervisor_name("KVMKVMKVM"), "KVM");
    assert_null(hypervisor_name(""));
}
