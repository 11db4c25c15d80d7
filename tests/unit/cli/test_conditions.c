/* SPDX-License-Identifier: MIT */
#include "cli/facts.h"

#include "../output/fixture.h"

static struct cell value_of(const struct record *record, const char *path)
{
    const struct fact *fact = record_fact_find(record, path);
    assert_non_null(fact);
    return fact->value;
}

/* Of a command that took so long. */
static void add_sibling(struct record *record, double share, size_t readings, double seconds)
{
    record_conditions_set(record, (struct conditions){.sibling_share = share, .sibling_readings = readings});
    conditions_record_own(record, seconds);
}

TEST(what_a_command_saw_is_written_once)
{
    struct record *record = record_new();
    conditions_record_own(record, 1);
    assert_int_equal(value_of(record, "run.sibling_active").type, CELL_NULL);
    assert_int_equal(value_of(record, "run.sibling_samples").type, CELL_NULL);
    add_sibling(record, NAN, 7, 1); /* nothing proves what the readings say */
    assert_int_equal(value_of(record, "run.sibling_active").type, CELL_NULL);
    assert_int_equal(value_of(record, "run.sibling_samples").integer, 7);
    add_sibling(record, 0.25, 8, 1);
    assert_true(value_of(record, "run.sibling_active").real == 0.25);
    assert_int_equal(value_of(record, "run.sibling_samples").integer, 8);
    assert_true(conditions_sibling_share(record) == 0.25);
    record_free(record);
}

/* By their times: readings come as each command can, thousands a second or one in ten milliseconds. */
TEST(commands_are_pooled_by_their_times)
{
    const struct cpu cpu = {.hypervisor = "KVM"};
    double readings[] = {3, 1, 2};
    const struct samples ghz = {readings, 3, 3};
    struct record *record = record_new();
    assert_true(isnan(conditions_sibling_share(record)));
    add_sibling(record_child_add(record), 0.5, 1000, 1);
    add_sibling(record_child_add(record), NAN, 7, 5);
    add_sibling(record_child_add(record), 1, 30, 3);
    conditions_record(record, &cpu, &ghz, 0.25);
    assert_true(value_of(record, "run.conditions.guest").boolean);
    assert_true(value_of(record, "run.conditions.sibling_share").real == 3.5 / 4);
    assert_true(value_of(record, "run.conditions.clock_ghz.median").real == 2);
    assert_true(value_of(record, "run.conditions.clock_ghz.p95").real < 3);
    assert_true(value_of(record, "run.conditions.steal_share").real == 0.25);
    record_free(record);
}

static void add_changes(struct record *record, int changes)
{
    record_fact(record, (struct fact){.path = "run.placement_changes", .value = INTEGER_CELL(changes)});
}

TEST(changes_of_all_commands_are_summed)
{
    const struct cpu cpu = {.hypervisor = "KVM"};
    const struct samples ghz = {0};
    struct record *record = record_new();
    add_changes(record_child_add(record), 3);
    record_child_add(record);
    add_changes(record_child_add(record), 4);
    conditions_record(record, &cpu, &ghz, 0);
    assert_int_equal(value_of(record, "run.conditions.placement_changes").integer, 7);
    record_free(record);
}

TEST(the_unknown_is_null)
{
    static const char *const paths[] = {"guest",        "hypervisor",       "sibling_share",
                                        "clock_ghz.p5", "clock_ghz.median", "clock_ghz.p95",
                                        "steal_share",  "placement_changes"};
    const struct cpu cpu = {.hypervisor = ""};
    const struct samples ghz = {0};
    struct record *record = record_new();
    conditions_record(record, &cpu, &ghz, NAN);
    for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
        char path[64];
        snprintf(path, sizeof(path), "run.conditions.%s", paths[i]);
        assert_int_equal(value_of(record, path).type, CELL_NULL);
    }
    record_free(record);
}
