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
