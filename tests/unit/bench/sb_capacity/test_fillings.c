/* SPDX-License-Identifier: MIT */
/* What is said of a litmus test, on counts like those that machines showed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "bench/sb_capacity/sb_capacity.h"

enum { TRIALS = 10000, FILLINGS = 4, BEYOND = 12 };

static const struct capacity seen = {
    .state = BUFFER_MIXED, .entries = 64, .sweeps = 500, .half_seen = true, .proved = true};

/* One in ten trials up to `bound`, none beyond it. */
static void fill(struct sb_filling *filling, size_t bound)
{
    *filling = (struct sb_filling){.address = "lines", .state = STATE_MIXED};
    for (size_t s = 1; s <= bound + BEYOND; s++)
        filling->at[STATE_MIXED][s] = (struct sb_trials){.trials = TRIALS, .both_old = s <= bound ? 1000 : 0};
    filling->bound = sb_filling_bound(filling, STATE_MIXED);
}

struct said {
    struct record *record;
    const struct finding *finding;
};

static struct said say(const struct sb_filling *filling, size_t count, const struct capacity *capacity)
{
    struct said said = {.record = record_new()};
    struct run run = {.record = said.record};
    const struct sb_bench bench = {.run = &run};

    sb_bound_finding(&bench, filling, count, capacity, false);
    said.finding = record_finding_at(said.record, 0);
    return said;
}

static void expect(const struct sb_filling *filling, const struct capacity *capacity, size_t design,
                   enum trust trust, const char *words)
{
    struct said said = say(filling, FILLINGS, capacity);

    assert_int_equal(said.finding->value.integer, design);
    assert_int_equal(said.finding->trust, trust);
    assert_non_null(strstr(said.finding->text, words));
    assert_non_null(strstr(said.finding->text, "no proof"));
    record_free(said.record);
}

static struct sb_filling *filled(size_t bound)
{
    struct sb_filling *filling = calloc(FILLINGS, sizeof *filling);

    assert_non_null(filling);
    for (int i = 0; i < FILLINGS; i++)
        fill(&filling[i], bound);
    return filling;
}

static void fillings_that_agree_with_the_buffer_are_trusted(void **state)
{
    struct sb_filling *filling = filled(64);

    expect(filling, &seen, 64, TRUST_HIGH, "design for 64 stores (the whole buffer; 64 seen 4000 times");
    free(filling);
    filling = filled(65);
    expect(filling, &seen, 65, TRUST_HIGH, "the whole buffer and one more");
    free(filling);
}

static void one_filling_alone_is_trusted_less(void **state)
{
    struct sb_filling *filling = filled(50);

    fill(&filling[2], 64);
    expect(filling, &seen, 64, TRUST_MEDIUM, "design for 64");
    free(filling);
}

static void of_a_halved_buffer_the_whole_is_reported(void **state)
{
    struct sb_filling *filling = filled(33);

    expect(filling, &seen, 65, TRUST_HIGH, "the whole buffer and one more, as of its half; 33 seen");
    free(filling);
    filling = filled(32);
    expect(filling, &seen, 64, TRUST_HIGH, "the whole buffer, as of its half; 32 seen");
    for (int i = 1; i < FILLINGS; i++)
        fill(&filling[i], 20);
    expect(filling, &seen, 64, TRUST_MEDIUM, "32 seen");
    free(filling);
}

/* Less may only not have been seen: the sibling was active, or the fall lay between two points. */
static void never_below_the_buffer(void **state)
{
    struct sb_filling *filling = filled(36);

    expect(filling, &seen, 64, TRUST_MEDIUM, "36 seen");
    free(filling);
    filling = filled(62);
    expect(filling, &seen, 64, TRUST_MEDIUM, "62 seen");
    free(filling);
}

static void never_below_what_was_seen(void **state)
{
    struct sb_filling *filling = filled(64);

    filling[1].at[STATE_MIXED][70].both_old = 1;
    expect(filling, &seen, 70, TRUST_LOW, "more than the buffer holds; 70 seen 1 times");
    free(filling);
}

/* What is stored to one line merges where that line is not at hand: shown with a line that the other CPU wrote, it explains
 * the few of a filling of one line, but not those of several. */
static void what_merges_is_no_bound(void **state)
{
    struct sb_filling *filling = filled(64);

    filling[0].one_line = true;
    filling[0].at[STATE_MIXED][70].both_old = 1;
    expect(filling, &seen, 70, TRUST_LOW, "70 seen 1 times");
    filling[3].one_line = filling[3].cold = true;
    filling[3].at[STATE_MIXED][76].both_old = 500;
    expect(filling, &seen, 64, TRUST_HIGH, "design for 64 stores that do not merge");
    filling[1].at[STATE_MIXED][70].both_old = 1;
    expect(filling, &seen, 70, TRUST_LOW, "70 seen 1 times");
    free(filling);
}

static void merging_is_a_finding(void **state)
{
    struct sb_filling *filling = filled(64);
    struct record *record = record_new();
    struct run run = {.record = record};
    const struct sb_bench bench = {.run = &run};

    filling->cold = true;
    sb_filling_finding(&bench, filling, &seen, false);
    assert_false(record_finding_at(record, 0)->value.boolean);
    filling->at[STATE_MIXED][76].both_old = 500;
    sb_filling_finding(&bench, filling, &seen, false);
    assert_true(record_finding_at(record, 1)->value.boolean);
    assert_int_equal(record_finding_at(record, 1)->trust, TRUST_HIGH);
    assert_non_null(strstr(record_finding_at(record, 1)->text, "overtook 76"));
    record_free(record);
    free(filling);
}

static void a_buffer_that_may_be_half_is_said(void **state)
{
    struct sb_filling *filling = filled(64);
    const struct capacity full = {.state = BUFFER_FULL, .entries = 64, .sweeps = 500};

    expect(filling, &full, 64, TRUST_MEDIUM, "twice as many");
    free(filling);
}

static void no_fall_is_not_resolved(void **state)
{
    struct sb_filling *filling = filled(0);
    struct said said = say(filling, FILLINGS, &seen);

    assert_int_equal(said.finding->value.type, CELL_NULL);
    assert_int_equal(said.finding->trust, TRUST_LOW);
    record_free(said.record);
    free(filling);
}

static void a_half_has_the_word(void **state)
{
    struct sb_filling *filling = filled(32);
    struct record *record = record_new();
    struct run run = {.record = record};
    const struct sb_bench bench = {.run = &run};

    sb_filling_finding(&bench, filling, &seen, false);
    assert_non_null(strstr(record_finding_at(record, 0)->text, "the halved buffer"));
    assert_int_equal(record_finding_at(record, 0)->trust, TRUST_MEDIUM);
    record_free(record);
    free(filling);
}

/* Trials that saw the whole buffer, filed under a sibling at work. */
static void more_than_half_next_to_a_busy_sibling_is_doubted(void **state)
{
    struct sb_filling *filling = filled(64);
    struct record *record = record_new();
    struct run run = {.record = record};
    const struct sb_bench bench = {.run = &run};

    memcpy(filling->at[STATE_ACTIVE], filling->at[STATE_MIXED], sizeof filling->at[STATE_MIXED]);
    filling->state = STATE_ACTIVE;
    sb_filling_finding(&bench, filling, &seen, false);
    assert_int_equal(record_finding_at(record, 0)->trust, TRUST_LOW);
    assert_int_equal(record_finding_at(record, 0)->leg, LEG_PLAUSIBILITY);
    record_free(record);
    free(filling);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fillings_that_agree_with_the_buffer_are_trusted),
        cmocka_unit_test(one_filling_alone_is_trusted_less),
        cmocka_unit_test(of_a_halved_buffer_the_whole_is_reported),
        cmocka_unit_test(never_below_the_buffer),
        cmocka_unit_test(never_below_what_was_seen),
        cmocka_unit_test(what_merges_is_no_bound),
        cmocka_unit_test(merging_is_a_finding),
        cmocka_unit_test(a_buffer_that_may_be_half_is_said),
        cmocka_unit_test(no_fall_is_not_resolved),
        cmocka_unit_test(a_half_has_the_word),
        cmocka_unit_test(more_than_half_next_to_a_busy_sibling_is_doubted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
