/* SPDX-License-Identifier: MIT */
#include "cli/facts.h"

#include "../output/fixture.h"

static const struct disturbance undisturbed;

/* Conditions of a command of that duration. */
static void add_sibling(struct record *record, double share, size_t readings, double seconds)
{
    record->conditions =
        (struct conditions){.sibling_share = share, .sibling_readings = readings, .moves = -1};
    conditions_record_own(record, &undisturbed, seconds, 0.2 * seconds);
}

TEST(what_a_command_saw_is_written_once)
{
    struct record *record = record_of(NULL);
    conditions_record_own(record, &undisturbed, 1, NAN);
    assert_int_equal(value_of(record, "run.sibling_active").type, CELL_NULL);
    assert_int_equal(value_of(record, "run.sibling_samples").type, CELL_NULL);
    add_sibling(record, NAN, 7, 1); /* no proof of the readings */
    assert_int_equal(value_of(record, "run.sibling_active").type, CELL_NULL);
    assert_int_equal(value_of(record, "run.sibling_samples").integer, 7);
    add_sibling(record, 0.25, 8, 1);
    assert_true(value_of(record, "run.sibling_active").real == 0.25);
    assert_int_equal(value_of(record, "run.sibling_samples").integer, 8);
    assert_true(conditions_of(record).sibling_share == 0.25);
}

/* By their times: readings come as each command can, thousands a second or one in ten milliseconds. */
TEST(commands_are_pooled_by_their_times)
{
    const struct cpu cpu = {.hypervisor = "KVM"};
    double readings[] = {3, 1, 2};
    const struct samples ghz = {readings, 3, 3};
    struct record *record = record_of(NULL);
    assert_true(isnan(conditions_of(record).sibling_share));
    for (size_t i = 0; i < 3; i++) {
        struct record *child = record_child_add(record);
        add_sibling(child, (double[]){0.5, NAN, 1}[i], 7, (double[]){1, 5, 3}[i]);
        child->conditions.moves = i == 1 ? -1 : 3;
        child->conditions.hidden_l3 = i == 1 ? 2 : 0;
    }
    conditions_record(record, &cpu, &ghz, 0.25);
    assert_true(value_of(record, "run.conditions.guest").boolean);
    assert_true(value_of(record, "run.conditions.sibling_share").real == 3.5 / 4);
    assert_true(value_of(record, "run.conditions.clock_ghz.median").real == 2);
    assert_true(value_of(record, "run.conditions.clock_ghz.p95").real < 3);
    assert_true(value_of(record, "run.conditions.steal_share").real == 0.25);
    assert_float_equal(value_of(record, "run.conditions.cpu_share").real, 0.8, 1e-9);
    assert_int_equal(value_of(record, "run.conditions.placement_changes").integer, 6);
    assert_true(conditions_of(record).pairs_seconds == 4 && conditions_of(record).hidden_l3 == 2);
}

TEST(the_unknown_is_null)
{
    static const char *const paths[] = {"guest",        "hypervisor",       "sibling_share",
                                        "clock_ghz.p5", "clock_ghz.median", "clock_ghz.p95",
                                        "steal_share",  "cpu_share",        "placement_changes"};
    const struct cpu cpu = {.hypervisor = ""};
    const struct samples ghz = {0};
    struct record *record = record_of(NULL);
    conditions_record(record, &cpu, &ghz, NAN);
    for (size_t i = 0; i < COUNT_OF(paths); i++) {
        char path[64];
        snprintf(path, sizeof(path), "run.conditions.%s", paths[i]);
        assert_int_equal(value_of(record, path).type, CELL_NULL);
    }
}

/* Whether a run of ten seconds is warned of waiting. */
static bool is_warned_of(double waited_s)
{
    struct record *record = record_of(NULL);
    conditions_warn(record, &undisturbed, 10, waited_s, 0);
    return record->warnings.count > 0 && strcmp(record->warnings.of[0].code, "preempted") == 0;
}

TEST(a_run_that_had_too_little_of_a_cpu_is_warned_of)
{
    assert_false(is_warned_of(0.499) || is_warned_of(NAN));
    assert_true(is_warned_of(0.501) && is_warned_of(12));
    assert_true(cpu_share(10, 12) == 0 && isnan(cpu_share(0, 0)));
}
