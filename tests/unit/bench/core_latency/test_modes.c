/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "bench/core_latency/modes.h"

enum { MAX = 32 };

static struct cell_verdict judge(const double *value, size_t count)
{
    struct cell_round round[MAX] = {0};

    for (size_t i = 0; i < count; i++)
        round[i] = (struct cell_round){.value = (float)value[i], .samples = 32};
    return cell_judge(round, count, &cell_rules_default);
}

#define JUDGE(...)                                                                                           \
    judge((const double[]){__VA_ARGS__}, sizeof((const double[]){__VA_ARGS__}) / sizeof(double))

static void test_one_mode(void **state)
{
    (void)state;
    const double value[] = {23.4, 23.0, 24.1, 23.2};
    struct modes modes = modes_of(value, 4, 0.25);

    assert_int_equal(modes.count, 1);
    assert_int_equal(modes.mode[0].count, 4);
    assert_float_equal(modes.mode[0].value, 23.3, 1e-9);
    assert_float_equal(modes.mode[0].low, 23.0, 1e-9);
    assert_float_equal(modes.mode[0].high, 24.1, 1e-9);
}

/* The three placements that one pair of a guest was seen in. */
static void test_three_modes(void **state)
{
    (void)state;
    const double value[] = {23.0, 4.1, 130, 24.0, 4.2, 23.5, 131};
    struct modes modes = modes_of(value, 7, 0.25);

    assert_int_equal(modes.count, 3);
    assert_int_equal(modes.main, 1);
    assert_float_equal(modes.mode[0].value, 4.15, 1e-9);
    assert_float_equal(modes.mode[1].value, 23.5, 1e-9);
    assert_float_equal(modes.mode[2].value, 130.5, 1e-9);
}

static void test_more_clusters_than_there_is_room_for(void **state)
{
    (void)state;
    const double value[] = {1, 1.3, 2.6, 26, 260, 2600};
    struct modes modes = modes_of(value, 6, 0.25);
    size_t members = 0;

    assert_int_equal(modes.count, MODES_MAX);
    for (int i = 0; i < modes.count; i++)
        members += modes.mode[i].count;
    assert_int_equal(members, 6);
    assert_float_equal(modes.mode[0].high, 2.6, 1e-9); /* the two narrowest cuts were given up */
}

static void test_equal_gaps_lose_no_member(void **state)
{
    (void)state;
    const double value[] = {1, 2, 4, 8, 16, 32, 64, 128};
    struct modes modes = modes_of(value, 8, 0.25);
    size_t members = 0;

    for (int i = 0; i < modes.count; i++)
        members += modes.mode[i].count;
    assert_int_equal(members, 8);
}

static void test_zero_and_nothing(void **state)
{
    (void)state;
    const double value[] = {0, 0, 5};

    assert_int_equal(modes_of(value, 0, 0.25).count, 0);
    assert_int_equal(modes_of(value, 2, 0.25).count, 1);
    assert_int_equal(modes_of(value, 3, 0.25).count, 2);
}

static void test_one_regime_settles(void **state)
{
    (void)state;
    struct cell_verdict verdict = JUDGE(23.1, 23.9, 23.2);

    assert_int_equal(verdict.flags, 0);
    assert_true(verdict.settled);
    assert_float_equal(verdict.value, 23.4, 1e-4);
    assert_int_equal(verdict.samples, 96);
}

static void test_two_rounds_do_not_settle(void **state)
{
    (void)state;
    assert_false(JUDGE(23.1, 23.1).settled);
    assert_false(JUDGE(23.1, 23.9, 24.6).settled); /* no two within one per cent */
    assert_true(JUDGE(23.1, 23.9, 24.6, 24.7).settled);
}

static void test_two_regimes_are_flagged_and_the_majority_is_reported(void **state)
{
    (void)state;
    struct cell_verdict verdict = JUDGE(4.1, 4.2, 23.1, 23.9, 23.2);

    assert_true(verdict.flags & FLAG_REGIME);
    assert_false(verdict.settled);
    assert_float_equal(verdict.value, 23.4, 1e-4);
    assert_int_equal(verdict.modes.count, 2);
    assert_int_equal(verdict.modes.mode[0].count, 2);
    assert_float_equal(verdict.modes.mode[0].value, 4.15, 1e-4);
}

static void test_one_of_three_rounds_in_another_regime(void **state)
{
    (void)state;
    assert_true(JUDGE(23.1, 4.1, 23.2).flags & FLAG_REGIME);
    assert_true(JUDGE(23.1, 130, 23.2).flags & FLAG_REGIME);
}

static void test_lone_slow_round_is_outvoted(void **state)
{
    (void)state;
    struct cell_verdict few = JUDGE(23.1, 23.2, 60, 23.3, 23.2);
    struct cell_verdict many = JUDGE(23.1, 23.2, 60, 23.3, 23.2, 23.1, 23.2);

    assert_int_equal(few.flags, FLAG_NOISY);
    assert_false(few.settled);
    assert_int_equal(many.flags, 0);
    assert_true(many.settled);
    assert_float_equal(many.value, 23.1833, 1e-3);
}

/* Little makes a transfer faster: it takes more rounds to outvote that. */
static void test_lone_fast_round(void **state)
{
    (void)state;
    assert_int_equal(JUDGE(23.1, 23.2, 4, 23.3, 23.2, 23.1, 23.2).flags, FLAG_NOISY);
    assert_int_equal(JUDGE(23.1, 23.2, 4, 23.3, 23.2, 23.1, 23.2, 23, 23, 23, 23, 23).flags, 0);
}

static void test_few_of_many_rounds(void **state)
{
    (void)state;
    double value[MAX];

    for (size_t i = 0; i < 24; i++)
        value[i] = 23;
    value[3] = 60;
    value[17] = 70;
    assert_int_equal(judge(value, 24).flags, 0); /* two disturbances */
    value[18] = 70;
    assert_int_equal(judge(value, 24).flags, FLAG_REGIME); /* a spell */
}

static void test_wide_spread_is_noisy(void **state)
{
    (void)state;
    assert_int_equal(JUDGE(20, 21.5, 23, 25, 27, 29).flags, FLAG_NOISY);
}

static void test_majority_of_equals_is_the_lower(void **state)
{
    (void)state;
    struct cell_verdict verdict = JUDGE(23.0, 130, 23.1, 131);
    assert_float_equal(verdict.value, 23.05, 1e-4);
    assert_true(verdict.flags & FLAG_REGIME);
}

static void test_median_on_request(void **state)
{
    (void)state;
    struct cell_round round[] = {
        {.value = 20, .samples = 8}, {.value = 21, .samples = 8}, {.value = 24, .samples = 8}};
    struct cell_rules rules = cell_rules_default;

    rules.use_median = true;
    assert_float_equal(cell_judge(round, 3, &rules).value, 21, 1e-6);
    rules.use_median = false;
    assert_float_equal(cell_judge(round, 3, &rules).value, 65.0 / 3, 1e-5);
}

static void test_throttled_rounds_are_left_out_where_others_are_left(void **state)
{
    (void)state;
    struct cell_round round[] = {{.value = 23, .samples = 8},
                                 {.value = 40, .samples = 8, .throttled = true},
                                 {.value = 23.1f, .samples = 8},
                                 {.value = 23.1f, .samples = 8}};
    struct cell_verdict verdict = cell_judge(round, 4, &cell_rules_default);

    assert_int_equal(verdict.flags, 0);
    assert_int_equal(verdict.rounds, 3);
    assert_true(verdict.settled);
    verdict = cell_judge(round, 2, &cell_rules_default);
    assert_true(verdict.flags & FLAG_THROTTLED);
    assert_int_equal(verdict.rounds, 2);
}

/* The values agree, and yet most of them were taken beside something else that ran. */
static void test_contended_rounds(void **state)
{
    (void)state;
    struct cell_round round[4];

    for (int i = 0; i < 4; i++)
        round[i] = (struct cell_round){.value = 23, .samples = 30, .contended = i < 2};
    assert_int_equal(cell_judge(round, 4, &cell_rules_default).flags, 0);
    round[2].contended = true;
    struct cell_verdict verdict = cell_judge(round, 4, &cell_rules_default);
    assert_int_equal(verdict.flags, FLAG_PREEMPTED);
    assert_false(verdict.settled);
}

static void test_preempted_samples(void **state)
{
    (void)state;
    struct cell_round round[3];

    for (int i = 0; i < 3; i++)
        round[i] = (struct cell_round){.value = 23, .samples = 30, .dropped = 1};
    assert_int_equal(cell_judge(round, 3, &cell_rules_default).flags, 0);
    round[1].dropped = 8;
    struct cell_verdict verdict = cell_judge(round, 3, &cell_rules_default);
    assert_int_equal(verdict.flags, FLAG_PREEMPTED);
    assert_int_equal(verdict.dropped, 10);
    assert_false(verdict.settled);
}

static void test_switch_inside_a_round(void **state)
{
    (void)state;
    struct cell_round round[] = {
        {.value = 23, .samples = 8}, {.value = 23, .samples = 8, .mixed = true}, {.value = 23, .samples = 8}};
    assert_int_equal(cell_judge(round, 3, &cell_rules_default).flags, FLAG_REGIME);
}

static void test_switch_in_time(void **state)
{
    (void)state;
    const double moved[] = {4.1, 4.2, 4.1, 23, 24, 23.5, 23, 23};
    const double one_way[] = {4.1, 23, 4.2, 23, 4.1, 24, 4.2, 23};
    const double burst[] = {23, 23, 24, 80, 81, 23, 23, 23};
    const double late[] = {23, 23, 24, 23, 23, 23, 23, 80};
    const double plain[] = {23, 23, 24, 23};

    assert_true(modes_switched(moved, 8));
    assert_false(modes_switched(one_way, 8)); /* directions differ: no switch */
    assert_false(modes_switched(burst, 8));
    assert_false(modes_switched(late, 8));
    assert_false(modes_switched(plain, 4));
    assert_false(modes_switched(plain, 0));
}

static void test_counts_fit_their_fields(void **state)
{
    (void)state;
    struct cell_round round = {0};

    cell_round_count(&round, 64, 3);
    assert_int_equal(round.samples, 64);
    assert_int_equal(round.dropped, 3);
    cell_round_count(&round, 1000000, 100000);
    assert_int_equal(round.samples, 62500);
    assert_int_equal(round.dropped, 6250);
}

static void test_no_usable_round(void **state)
{
    (void)state;
    struct cell_round round[] = {{.value = NAN}, {.value = NAN}};

    assert_true(isnan(cell_judge(round, 2, &cell_rules_default).value));
    assert_false(cell_judge(round, 2, &cell_rules_default).settled);
    assert_true(isnan(cell_judge(round, 0, &cell_rules_default).value));
}

static void test_failed_rounds_are_passed_over(void **state)
{
    (void)state;
    struct cell_round round[] = {{.value = 23, .samples = 8},
                                 {.value = NAN},
                                 {.value = 24, .samples = 8},
                                 {.value = 23, .samples = 8}};
    struct cell_verdict verdict = cell_judge(round, 4, &cell_rules_default);

    assert_int_equal(verdict.rounds, 3);
    assert_float_equal(verdict.value, 70.0 / 3, 1e-5);
    assert_true(verdict.settled);
}

static void test_flag_words(void **state)
{
    (void)state;
    char text[64];

    assert_string_equal(cell_flags_text(0, text, sizeof text), "");
    assert_string_equal(cell_flags_text(FLAG_NOISY, text, sizeof text), "noisy");
    assert_string_equal(cell_flags_text(FLAG_REGIME | FLAG_THROTTLED | FLAG_PLACEMENT, text, sizeof text),
                        "regime,throttled,placement");
    assert_int_equal(strlen(cell_flags_text(31, text, 8)), 7);
    for (unsigned i = 0; i < 5; i++)
        assert_string_equal(cell_flags_text(1u << i, text, sizeof text), cell_flag_names[i]);
    assert_null(cell_flag_names[5]);
}

static void test_drop_disturbed(void **state)
{
    (void)state;
    double value[] = {10, 11, 80000, 12, 10, 41, 50};

    assert_int_equal(drop_disturbed(value, 7), 5); /* the median is 12 */
    const double kept[] = {10, 11, 12, 10, 41};
    assert_memory_equal(value, kept, sizeof kept);
    assert_int_equal(drop_disturbed(value, 0), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_mode),
        cmocka_unit_test(test_three_modes),
        cmocka_unit_test(test_more_clusters_than_there_is_room_for),
        cmocka_unit_test(test_equal_gaps_lose_no_member),
        cmocka_unit_test(test_zero_and_nothing),
        cmocka_unit_test(test_one_regime_settles),
        cmocka_unit_test(test_two_rounds_do_not_settle),
        cmocka_unit_test(test_two_regimes_are_flagged_and_the_majority_is_reported),
        cmocka_unit_test(test_one_of_three_rounds_in_another_regime),
        cmocka_unit_test(test_lone_slow_round_is_outvoted),
        cmocka_unit_test(test_lone_fast_round),
        cmocka_unit_test(test_few_of_many_rounds),
        cmocka_unit_test(test_wide_spread_is_noisy),
        cmocka_unit_test(test_majority_of_equals_is_the_lower),
        cmocka_unit_test(test_median_on_request),
        cmocka_unit_test(test_throttled_rounds_are_left_out_where_others_are_left),
        cmocka_unit_test(test_contended_rounds),
        cmocka_unit_test(test_preempted_samples),
        cmocka_unit_test(test_switch_inside_a_round),
        cmocka_unit_test(test_switch_in_time),
        cmocka_unit_test(test_counts_fit_their_fields),
        cmocka_unit_test(test_no_usable_round),
        cmocka_unit_test(test_failed_rounds_are_passed_over),
        cmocka_unit_test(test_flag_words),
        cmocka_unit_test(test_drop_disturbed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
