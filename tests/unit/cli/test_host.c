/* SPDX-License-Identifier: MIT */
#include "cli/facts.h"

#include "../output/fixture.h"

static struct record *record_in(const char *root)
{
    static struct cpu_place places[] = {{.id = 2}, {.id = 4}, {.id = 6}};
    static const struct topology three_cpus = {.place_count = 3, .place = places};
    struct record *record = record_of(NULL);
    setenv("UARCHPROBE_SYSROOT", root, 1);
    host_topology_record(&three_cpus, record);
    return record;
}

TEST(test_all_is_known)
{
    struct record *record = record_in(TEST_DATA "/sysroot/v2");
    assert_string_equal(value_of(record, "host.governor").text, "performance");
    assert_false(value_of(record, "host.turbo").boolean);
    assert_string_equal(value_of(record, "host.thp").text, "madvise");
    assert_true(value_of(record, "host.cpu_quota").real == 1.5);
    assert_string_equal(value_of(record, "host.isolated_cpus").text, "6-7");
}

TEST(test_governors_differ)
{
    struct record *record = record_in(TEST_DATA "/sysroot/v1");
    assert_string_equal(value_of(record, "host.governor").text, "mixed");
    assert_true(value_of(record, "host.turbo").boolean);
    assert_string_equal(value_of(record, "host.thp").text, "never");
}

TEST(test_unknown_is_null)
{
    struct record *record = record_in(TEST_DATA "/sysroot/bare");
    const char *const paths[] = {"host.governor", "host.turbo", "host.thp", "host.cpu_quota",
                                 "host.isolated_cpus"};

    for (int i = 0; i < 5; i++)
        assert_int_equal(value_of(record, paths[i]).type, CELL_NULL);
}

TEST(test_emulation_is_a_condition_of_the_run)
{
    for (int emulated = 0; emulated < 2; emulated++) {
        const struct cpu cpu = {.family = -1, .model = -1, .stepping = -1, .emulated = emulated};
        struct record *record = record_of(NULL);
        host_cpu_record(&cpu, record);
        assert_int_equal(value_of(record, RECORD_EMULATED).boolean, emulated);
    }
}

/* Bare metal keeps time by the TSC, or has found it unstable; guests have clocks of their hosts. */
TEST(another_clock_than_the_tsc_is_warned_of_on_bare_metal)
{
    static const struct {
        const char *name, *arch, *hypervisor;
        bool is_emulated;
        size_t warnings;
    } rows[] = {
        {"tsc", "x86_64", "none", false, 0},
        {"hpet", "x86_64", "none", false, 1},
        {"acpi_pm", "x86_64", "none", false, 1},
        {"hpet", "x86_64", "none", true, 0},
        {"kvm-clock", "x86_64", "KVM", false, 0},
        {"hyperv_clocksource_tsc_page", "x86_64", "Hyper-V", false, 0},
        {"xen", "x86_64", "Xen", false, 0},
        {"hpet", "x86_64", "", false, 0},
        {"arch_sys_counter", "aarch64", "none", false, 0},
        {NULL, "x86_64", "none", false, 0},
    };
    char root[] = "/tmp/uarchprobe-clock-XXXXXX", path[256];
    assert_non_null(mkdtemp(root));
    snprintf(path, sizeof path, "mkdir -p %s/sys/devices/system/clocksource/clocksource0", root);
    assert_int_equal(system(path), 0);
    snprintf(path, sizeof path, "%s/sys/devices/system/clocksource/clocksource0/current_clocksource", root);
    setenv("UARCHPROBE_SYSROOT", root, 1);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct cpu cpu = {.emulated = rows[i].is_emulated};
        struct record *record = record_of(NULL);
        FILE *file = rows[i].name ? fopen(path, "w") : NULL;
        if (!rows[i].name)
            remove(path);
        if (file) {
            fprintf(file, "%s\n", rows[i].name);
            fclose(file);
        }
        snprintf(cpu.arch, sizeof cpu.arch, "%s", rows[i].arch);
        snprintf(cpu.hypervisor, sizeof cpu.hypervisor, "%s", rows[i].hypervisor);
        host_clock_record(&cpu, &(struct clock){.source = "tsc"}, record);
        if (record->warnings.count != rows[i].warnings)
            fail_msg("row %zu has %zu warnings", i, record->warnings.count);
        const struct cell clock = value_of(record, "host.clocksource");
        assert_int_equal(clock.type, rows[i].name ? CELL_TEXT : CELL_NULL);
        if (rows[i].name)
            assert_string_equal(clock.text, rows[i].name);
    }
    snprintf(path, sizeof path, "rm -r %s", root);
    assert_int_equal(system(path), 0);
}
