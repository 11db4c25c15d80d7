/* SPDX-License-Identifier: MIT */
/* Which row of the published sizes a CPU gets, and what every row must have. */
#include "test.h"

#include <ctype.h>

#include "engine/store_buffer.h"
#include "machine/cpu_internal.h"

static struct cpu cpu_of(const char *vendor, int family, int model, unsigned traits)
{
    struct cpu cpu = {.family = family, .model = model};

    snprintf(cpu.vendor, sizeof cpu.vendor, "%s", vendor);
    snprintf(cpu.hypervisor, sizeof cpu.hypervisor, "none");
    cpu_name_x86(&cpu, traits);
    return cpu;
}

static size_t entries(const char *vendor, int family, int model, unsigned traits)
{
    const struct cpu cpu = cpu_of(vendor, family, model, traits);
    return store_buffer_expected(&cpu, cpu.core).entries;
}

static uint64_t event(const char *vendor, int family, int model, unsigned traits)
{
    const struct cpu cpu = cpu_of(vendor, family, model, traits);
    const struct store_buffer_size *row = store_buffer_of(cpu.core);

    return row ? row->stall_event : 0;
}

TEST(by_core)
{
    assert_int_equal(entries("AuthenticAMD", 26, 0x02, 0), 104);
    assert_int_equal(entries("AuthenticAMD", 26, 0x44, 0), 104);
    assert_int_equal(entries("AuthenticAMD", 26, 0x50, 0), 0); /* not Zen 5 any more */
    assert_int_equal(entries("AuthenticAMD", 25, 0x01, 0), 64);
    assert_int_equal(entries("AuthenticAMD", 23, 0x31, 0), 48);
    assert_int_equal(entries("AuthenticAMD", 23, 0x50, 0), 44);
    assert_int_equal(entries("GenuineIntel", 6, 0x3c, 0), 42);
    assert_int_equal(entries("GenuineIntel", 6, 0x55, 0), 56);
    assert_int_equal(entries("GenuineIntel", 6, 0x8f, TRAIT_AMX), 112);
    assert_int_equal(entries("GenuineIntel", 6, 0xad, TRAIT_AMX), 112);
    assert_int_equal(entries("", -1, -1, 0), 0);
    assert_int_equal(entries("GenuineIntel", 6, 0x01, 0), 0);
    assert_int_equal(entries("AuthenticAMD", 6, 0x3c, 0), 0);
    assert_null(store_buffer_of("Neoverse N1")); /* never published */
    assert_null(store_buffer_of(NULL));
}

TEST(a_masked_model_says_nothing)
{
    assert_int_equal(entries("GenuineIntel", 6, 0xa7, 0), 72);
    assert_int_equal(entries("GenuineIntel", 6, 0xa7, TRAIT_AMX), 112);
    assert_int_equal(entries("GenuineIntel", 6, 0x3c, TRAIT_AVX512F), 0);
    assert_int_equal(event("GenuineIntel", 6, 0x3c, TRAIT_AVX512F), 0);
}

TEST(stalls_by_generation)
{
    assert_int_equal(event("GenuineIntel", 6, 0x2a, 0), 0x08a2);
    assert_int_equal(event("GenuineIntel", 6, 0x55, 0), 0x08a2);
    assert_int_equal(event("GenuineIntel", 6, 0xad, 0), 0x08a2);
    assert_int_equal(event("GenuineIntel", 6, 0xaf, 0), 0x0104);
    assert_int_equal(event("GenuineIntel", 6, 0xbe, 0), 0x0104);
    assert_int_equal(event("GenuineIntel", 6, 0x96, 0), 0x4034);
    assert_int_equal(event("AuthenticAMD", 26, 0x02, 0), 0x04ae);
    assert_int_equal(event("AuthenticAMD", 23, 0x31, 0), 0x04ae);
    assert_int_equal(event("AuthenticAMD", 21, 0x02, 0), 0x1000000d8); /* 0xd8 is the load queue's */
    assert_int_equal(event("GenuineIntel", 6, 0x5c, 0), 0);
    assert_int_equal(event("GenuineIntel", 6, 0x37, 0), 0);
    assert_int_equal(event("AuthenticAMD", 23, 0x01, 0), 0);
}

/* 56 is half of 112, so a guest that shows Skylake may sit on a halved Golden Cove. */
TEST(a_model_number_is_certain_only_without_a_hypervisor)
{
    struct cpu cpu = cpu_of("GenuineIntel", 6, 0x55, 0);

    assert_true(store_buffer_expected(&cpu, cpu.core).certain);
    strcpy(cpu.hypervisor, "KVM");
    assert_false(store_buffer_expected(&cpu, cpu.core).certain);
    strcpy(cpu.hypervisor, "");
    assert_false(store_buffer_expected(&cpu, cpu.core).certain);
    assert_false(store_buffer_expected(&cpu, NULL).certain);
}

TEST(what_the_cpu_executes_is_certain)
{
    struct cpu cpu = cpu_of("GenuineIntel", 6, 0xcf, TRAIT_AMX);

    strcpy(cpu.hypervisor, "KVM");
    assert_true(store_buffer_expected(&cpu, cpu.core).certain);
    cpu.shows_amx = false;
    assert_false(store_buffer_expected(&cpu, cpu.core).certain);
}

/* Nothing is published here without where it is from and when that was. */
TEST(every_row_has_its_facts)
{
    static const struct store_buffer_size rows[] = {
#define SIZE(...) {__VA_ARGS__},
#include "engine/store_buffer_sizes.def"
#undef SIZE
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct store_buffer_size *row = &rows[i];

        assert_true(row->entries == 0 ? row->stall_event != 0 : row->entries >= 8 && row->entries <= 512);
        assert_true(row->threads == 1 || row->threads == 2);
        assert_non_null(row->source);
        assert_non_null(row->date);
        assert_true(strlen(row->source) > 4 && strlen(row->date) >= 4);
        for (int digit = 0; digit < 4; digit++)
            assert_true(isdigit((unsigned char)row->date[digit]));
        assert_ptr_not_equal(store_buffer_of(row->core), NULL);
        assert_string_equal(store_buffer_of(row->core)->source, row->source); /* no core has two rows */
    }
}
