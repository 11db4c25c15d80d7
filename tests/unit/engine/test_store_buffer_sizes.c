/* SPDX-License-Identifier: MIT */
/* Which line of the published sizes a CPU gets. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "engine/store_buffer.h"

static unsigned entries(const char *vendor, int family, int model, bool masked, bool amx)
{
    struct cpu cpu = {.family = family, .model = model, .model_masked = masked, .shows_amx = amx};
    const struct store_buffer_size *size;

    snprintf(cpu.vendor, sizeof cpu.vendor, "%s", vendor);
    size = store_buffer_published(&cpu);
    return size ? size->entries : 0;
}

static void by_family_and_model(void **state)
{
    assert_int_equal(entries("AuthenticAMD", 26, 0x02, false, false), 104);
    assert_int_equal(entries("AuthenticAMD", 26, 0x44, false, false), 104);
    assert_int_equal(entries("AuthenticAMD", 26, 0x50, false, false), 0); /* not Zen 5 any more */
    assert_int_equal(entries("AuthenticAMD", 25, 0x01, false, false), 64);
    assert_int_equal(entries("AuthenticAMD", 23, 0x31, false, false), 48);
    assert_int_equal(entries("GenuineIntel", 6, 0x3c, false, false), 42);
    assert_int_equal(entries("GenuineIntel", 6, 0x55, false, false), 56);
    assert_int_equal(entries("GenuineIntel", 6, 0x8f, false, true), 112);
}

static void a_masked_model_says_nothing(void **state)
{
    assert_int_equal(entries("GenuineIntel", 6, 0xa7, false, false), 72);
    assert_int_equal(entries("GenuineIntel", 6, 0xa7, true, false), 0);
    assert_int_equal(entries("GenuineIntel", 6, 0xa7, true, true), 112);
}

/* What AMX shows is less than what a true model number says. */
static void the_model_names_better_than_a_feature(void **state)
{
    struct cpu cpu = {.vendor = "GenuineIntel", .family = 6, .model = 0x8f, .shows_amx = true};

    assert_non_null(strstr(store_buffer_published(&cpu)->name, "Sapphire Rapids"));
    cpu.model_masked = true;
    assert_non_null(strstr(store_buffer_published(&cpu)->name, "with AMX"));
}

/* 56 is half of 112, so a guest that shows Skylake may sit on a halved Golden Cove. */
static void a_model_number_is_certain_only_without_a_hypervisor(void **state)
{
    struct cpu cpu = {.vendor = "GenuineIntel", .family = 6, .model = 0x55, .hypervisor = "none"};

    assert_true(store_buffer_expected(&cpu).certain);
    strcpy(cpu.hypervisor, "KVM");
    assert_false(store_buffer_expected(&cpu).certain);
    strcpy(cpu.hypervisor, "");
    assert_false(store_buffer_expected(&cpu).certain);
    strcpy(cpu.hypervisor, "none");
    cpu.model = 0x01;
    assert_false(store_buffer_expected(&cpu).certain);
}

static void what_the_cpu_executes_is_certain(void **state)
{
    struct cpu cpu = {.vendor = "GenuineIntel", .family = 6, .model = 0xcf, .hypervisor = "KVM"};

    cpu.shows_amx = true;
    assert_true(store_buffer_expected(&cpu).certain);
    cpu.shows_amx = false;
    assert_false(store_buffer_expected(&cpu).certain);
}

static void strangers_have_none(void **state)
{
    assert_int_equal(entries("", -1, -1, false, false), 0);
    assert_int_equal(entries("GenuineIntel", 6, 0x01, false, false), 0);
    assert_int_equal(entries("AuthenticAMD", 6, 0x3c, false, false), 0);
    assert_int_equal(entries("ARM", 0x41, 0xd0c, false, false), 0); /* Neoverse N1: never published */
}

static void every_line_has_its_facts(void **state)
{
#define SIZE(...) {__VA_ARGS__},
    static const struct store_buffer_size lines[] = {
#include "engine/store_buffer_sizes.def"
    };
#undef SIZE

    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        const struct store_buffer_size *line = &lines[i];

        assert_true(line->entries >= 8 && line->entries <= 512);
        assert_true(strlen(line->name) > 0 && strlen(line->source) > 0);
        assert_true(line->model_first <= line->model_last);
        assert_int_equal(entries(line->vendor, line->family, line->model_first, false, line->by_amx),
                         line->entries);
        assert_int_equal(entries(line->vendor, line->family, line->model_last, false, line->by_amx),
                         line->entries);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_family_and_model),
        cmocka_unit_test(a_masked_model_says_nothing),
        cmocka_unit_test(the_model_names_better_than_a_feature),
        cmocka_unit_test(a_model_number_is_certain_only_without_a_hypervisor),
        cmocka_unit_test(what_the_cpu_executes_is_certain),
        cmocka_unit_test(strangers_have_none),
        cmocka_unit_test(every_line_has_its_facts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
