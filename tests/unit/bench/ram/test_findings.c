/* SPDX-License-Identifier: MIT */
/* The trust of findings, on estimates that are made up. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "bench/ram/ram.h"

static const struct kernel reading = {.name = "read_all", .operation = OPERATION_READ};

static unsigned placements = 4;
static bool guest;

static struct estimate around(double value, double half)
{
    return (struct estimate){.state = STATE_IDLE,
                             .summary = {.count = 20},
                             .value = value,
                             .low = value * (1 - half),
                             .high = value * (1 + half),
                             .first = value,
                             .second = value,
                             .placements = placements,
                             .placement_low = value,
                             .placement_high = value};
}

/* A pass over 16 KiB in 128 cycles, at 3.2 GHz; the shares are half widths of its intervals. */
static struct finding found(int level, double seconds, double cycles, char text[256])
{
    struct working_set set = {.label = "16 KiB", .bytes = 16 << 10};
    struct ram_point point = {.kernel = &reading,
                              .bytes = 16 << 10,
                              .level = level,
                              .measured = true,
                              .seconds_of_pass = around(40e-9, seconds),
                              .cycles_of_pass = around(isnan(cycles) ? NAN : 128, cycles),
                              .otherwise = {.value = NAN}};
    struct ram_plan plan = {
        .points = &point, .point_count = 1, .set_count = 1, .threads = 1, .guest = guest, .last_level = 3};
    struct record *record = record_new();
    plan.sets[0] = set;
    point.set = &plan.sets[0];
    samples_add(&point.seconds, 40e-9);
    ram_findings(record, &plan);
    assert_int_equal(record_finding_count(record), 1);
    const struct finding finding = *record_finding_at(record, 0);
    strncpy(text, finding.text, 255);
    record_free(record);
    samples_free(&point.seconds);
    return finding;
}

static void within_the_core_cycles_are_judged(void **state)
{
    char text[256] = "";
    const struct finding moved = found(1, 0.05, 0.002, text);
    assert_int_equal(moved.trust, TRUST_HIGH);
    assert_non_null(strstr(text, "128.0 bytes/core cycle at 3.20 GHz"));
    assert_true(cell_number(&moved.high) < 1.01 * cell_number(&moved.value));
    assert_int_equal(found(1, 0.002, 0.05, text).trust, TRUST_MEDIUM);
    assert_int_equal(found(1, 0.002, 0.2, text).trust, TRUST_LOW);
    assert_int_equal(found(2, 0.002, 0.002, text).trust, TRUST_HIGH);
}

static void one_placement_is_not_enough(void **state)
{
    char text[256] = "";
    placements = 1;
    assert_int_equal(found(1, 0.002, 0.002, text).trust, TRUST_LOW);
    assert_int_equal(found(1, 0.002, 0.002, text).leg, LEG_REPETITION);
    assert_int_equal(found(3, 0.002, 0.002, text).trust, TRUST_HIGH);
    placements = 4;
}

static void beyond_the_core_times_are_judged(void **state)
{
    char text[256] = "";
    assert_int_equal(found(3, 0.02, 0.2, text).trust, TRUST_HIGH);
    assert_null(strstr(text, "GHz"));
    assert_int_equal(found(4, 0.2, 0.002, text).trust, TRUST_LOW);
}

static void neighbours_of_a_guest_share_what_lies_beyond_the_core(void **state)
{
    char text[256] = "";
    guest = true;
    assert_int_equal(found(2, 0.002, 0.002, text).trust, TRUST_HIGH);
    assert_int_equal(found(3, 0.002, 0.002, text).trust, TRUST_LOW);
    assert_int_equal(found(4, 0.002, 0.002, text).leg, LEG_PRECISION);
    guest = false;
}

static void without_cycles_times_are_judged(void **state)
{
    char text[256] = "";
    assert_int_equal(found(1, 0.2, NAN, text).trust, TRUST_LOW);
    assert_int_equal(found(1, 0.002, NAN, text).trust, TRUST_HIGH);
    assert_non_null(strstr(text, "unknown bytes/core cycle"));
}

/* The second kernel was sampled while a sibling was busy most of the time, and at a lower clock. */
static void the_fastest_is_fastest_in_its_own_cycles(void **state)
{
    static const double seconds[] = {40e-9, 60e-9}, cycles[] = {128, 120};
    struct ram_point point[2];
    struct ram_plan plan = {.points = point, .point_count = 2, .set_count = 1, .last_level = 3};
    for (int i = 0; i < 2; i++) {
        point[i] = (struct ram_point){.kernel = &reading,
                                      .set = plan.sets,
                                      .bytes = 16 << 10,
                                      .level = 2,
                                      .measured = true,
                                      .seconds_of_pass = around(seconds[i], 0.01),
                                      .cycles_of_pass = around(cycles[i], 0.01)};
        samples_add(&point[i].seconds, seconds[i]);
    }
    assert_ptr_equal(ram_best(&plan, OPERATION_READ, plan.sets), &point[1]);
    point[1].cycles_of_pass.value = NAN;
    assert_ptr_equal(ram_best(&plan, OPERATION_READ, plan.sets), &point[0]);
    point[0].level = point[1].level = 3;
    point[1].cycles_of_pass.value = 120;
    assert_ptr_equal(ram_best(&plan, OPERATION_READ, plan.sets), &point[0]);
    point[1].seconds_of_pass.value = 30e-9;
    assert_ptr_equal(ram_best(&plan, OPERATION_READ, plan.sets), &point[1]);
    samples_free(&point[0].seconds);
    point[0].seconds = (struct samples){0};
    assert_null(ram_best(&plan, OPERATION_READ, plan.sets));
    samples_free(&point[1].seconds);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(within_the_core_cycles_are_judged),
        cmocka_unit_test(one_placement_is_not_enough),
        cmocka_unit_test(beyond_the_core_times_are_judged),
        cmocka_unit_test(neighbours_of_a_guest_share_what_lies_beyond_the_core),
        cmocka_unit_test(without_cycles_times_are_judged),
        cmocka_unit_test(the_fastest_is_fastest_in_its_own_cycles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
