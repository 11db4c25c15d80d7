/* SPDX-License-Identifier: MIT */
#include "output/conditions.h"

#include "fixture.h"

static void assert_conditions(const struct record *record, const char *expected)
{
    assert_string_equal(own_text(conditions_text(record)), expected);
}

/* What is unknown is left out, and so is a disturbance that was none. */
TEST(what_is_known_is_a_line)
{
    struct record *record = record_of(NULL);
    assert_conditions(record, "");
    FACT(record, "run.conditions.sibling_share", NO_CELL);
    FACT(record, "run.conditions.steal_share", REAL_CELL(0.001));
    FACT(record, "run.conditions.placement_changes", INTEGER_CELL(0));
    FACT(record, "run.conditions.guest", BOOL_CELL(false));
    assert_conditions(record, "no hypervisor");
    FACT(record, "run.conditions.guest", BOOL_CELL(true));
    FACT(record, "run.conditions.hypervisor", TEXT_CELL("KVM"));
    FACT(record, "run.conditions.sibling_share", REAL_CELL(0.234));
    FACT(record, "run.conditions.clock_ghz.p5", REAL_CELL(2.5));
    FACT(record, "run.conditions.clock_ghz.p95", REAL_CELL(3.1));
    FACT(record, "run.conditions.steal_share", REAL_CELL(0.02));
    FACT(record, "run.conditions.placement_changes", INTEGER_CELL(3));
    assert_conditions(record,
                      "KVM guest, sibling busy 23 %, 2.50 to 3.10 GHz, 2 % stolen, CPUs "
                      "moved 3 times");
    FACT(record, "run.conditions.clock_ghz.p95", REAL_CELL(2.52));
    FACT(record, "run.conditions.guest", NO_CELL);
    FACT(record, "run.conditions.steal_share", NO_CELL);
    FACT(record, "run.conditions.placement_changes", NO_CELL);
    assert_conditions(record, "sibling busy 23 %, 2.50 GHz");
    FACT(record, "run.conditions.placement_changes", INTEGER_CELL(1));
    FACT(record, "run.planned_seconds", REAL_CELL(2));
    FACT(record, "run.measured_seconds", REAL_CELL(2.5));
    assert_conditions(record, "sibling busy 23 %, 2.50 GHz, CPUs moved 1 time");
    FACT(record, "run.measured_seconds", REAL_CELL(31.4));
    assert_conditions(record, "sibling busy 23 %, 2.50 GHz, CPUs moved 1 time, took 31 s, 2 planned");
}

/* Of a report's parts as well, which ask their parent. */
TEST(that_no_time_is_a_cpus_comes_first)
{
    struct record *record = record_of(NULL), *child = record_child_add(record);
    FACT(record, RECORD_EMULATED, BOOL_CELL(true));
    FACT(record, "run.conditions.guest", BOOL_CELL(true));
    FACT(record, "run.conditions.hypervisor", TEXT_CELL("KVM"));
    assert_conditions(record, "emulated: no CPU's times, KVM guest");
    assert_conditions(child, "emulated: no CPU's times, KVM guest");
    FACT(record, RECORD_EMULATED, BOOL_CELL(false));
    assert_conditions(record, "KVM guest");
}
