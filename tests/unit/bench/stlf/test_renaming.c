/* SPDX-License-Identifier: MIT */
/* Which widths are renamed, with the values that were measured on Zen 4 and on Golden Cove. */
#include "test.h"

#include "bench/stlf/judge.h"

enum { WIDTHS = 2, POINTS = 4 * WIDTHS };

static const struct kernel kernel[2][WIDTHS] = {
    {{.operation = OPERATION_FORWARD_FA, .bits = 64, .load_bits = 32},
     {.operation = OPERATION_FORWARD_FA, .bits = 64, .load_bits = 64}},
    {{.operation = OPERATION_FORWARD_SAME_BASE, .bits = 64, .load_bits = 32},
     {.operation = OPERATION_FORWARD_SAME_BASE, .bits = 64, .load_bits = 64}}};
static struct stlf_point point[POINTS];
static struct estimate estimate[POINTS];

static struct estimate steady(double value)
{
    return (struct estimate){.state = STATE_IDLE,
                             .summary = {.count = 100},
                             .value = value,
                             .low = value - 0.01,
                             .high = value + 0.01,
                             .first = value,
                             .second = value};
}

/* Of each form, each width, at a few pairs and at many. */
static struct record *reported(const double value[POINTS])
{
    struct run run = {.record = record_new()};
    struct stlf stlf = {.run = &run, .levels = {[STATE_IDLE] = {.l1 = 4}}};
    const struct stlf_set set = {
        .stlf = &stlf, .count = POINTS, .point = point, .estimate = estimate, .state = STATE_IDLE};
    for (int i = 0; i < POINTS; i++) {
        point[i] = (struct stlf_point){.kernel = &kernel[i / 4][i / 2 % 2],
                                       .pairs = i % 2 ? STLF_UNROLL_MAX : STLF_FEW_PAIRS,
                                       .series = stlf_renaming.series[i / 4].name};
        estimate[i] = steady(value[i]);
    }
    stlf_renaming.report(&set);
    assert_int_equal(run.record->answers.count, 2);
    return run.record;
}

/* The widths that are renamed at a few pairs are the value. */
static void check_widths(const double value[POINTS], const char *two, const char *one)
{
    struct record *record = reported(value);
    const struct answer *by_two = record_answer_find(record, "stlf.renamed_two_registers", NULL);
    const struct answer *by_one = record_answer_find(record, "stlf.renamed_same_register", NULL);
    assert_string_equal(cell_text(&by_two->value), two);
    assert_string_equal(cell_text(&by_one->value), one);
    assert_int_equal(by_one->trust, TRUST_HIGH);
    record_free(record);
}

TEST(widths_are_renamed_at_a_few_pairs)
{
    check_widths((double[POINTS]){1.0, 6.87, 1.0, 6.87, 1.0, 1.0, 1.0, 1.0}, "8/4 8/8",
                 "8/4 8/8");                                                              /* Zen 4 */
    check_widths((double[POINTS]){0.5, 0.5, 7.3, 7.3, 0.5, 0.5, 7.3, 7.3}, "8/4", "8/4"); /* Golden Cove */
    check_widths((double[POINTS]){5, 5, 5, 5, 5, 5, 5, 5}, "", "");
}

TEST(what_changes_sides_is_not_trusted)
{
    const double value[POINTS] = {1.0, 6.87, 1.0, 6.87, 1.0, 1.0, 1.0, 1.0};
    struct record *record = reported(value);
    record_free(record);
    struct run run = {.record = record_new()};
    struct stlf stlf = {.run = &run, .levels = {[STATE_IDLE] = {.l1 = 4}}};
    const struct stlf_set set = {
        .stlf = &stlf, .count = POINTS, .point = point, .estimate = estimate, .state = STATE_IDLE};
    estimate[1].second = 1.0;
    stlf_renaming.report(&set);
    assert_int_equal(run.record->answers.of[0].trust, TRUST_LOW);
    assert_int_equal(run.record->answers.of[0].leg, LEG_REPETITION);
    assert_int_equal(run.record->answers.of[1].trust, TRUST_HIGH);
    record_free(run.record);
}

enum { ABOVE = 4, FORMS = 3, VECTORS = 3 };

static const struct kernel displaced[ABOVE] = {
    {.operation = OPERATION_FORWARD_DISPLACED, .bits = 64, .load_bits = 32, .gap = 1},
    {.operation = OPERATION_FORWARD_DISPLACED, .bits = 64, .load_bits = 32, .gap = 2},
    {.operation = OPERATION_FORWARD_DISPLACED, .bits = 64, .load_bits = 32, .gap = 4},
    {.operation = OPERATION_FORWARD_DISPLACED, .bits = 64, .load_bits = 32, .gap = 6}};

/* Of one base register, two, and one at a few pairs. */
static struct record *reported_above(double value[FORMS][ABOVE], double second)
{
    static struct stlf_point points[FORMS * ABOVE];
    static struct estimate estimates[FORMS * ABOVE];
    struct run run = {.record = record_new()};
    struct stlf stlf = {.run = &run, .levels = {[STATE_IDLE] = {.l1 = 4}}};
    const struct stlf_set set = {
        .stlf = &stlf, .count = FORMS * ABOVE, .point = points, .estimate = estimates, .state = STATE_IDLE};
    for (int i = 0; i < FORMS * ABOVE; i++) {
        points[i] = (struct stlf_point){.kernel = &displaced[i % ABOVE],
                                        .load = displaced[i % ABOVE].gap,
                                        .series = stlf_renaming.series[2 + i / ABOVE].name};
        estimates[i] = steady(value[i / ABOVE][i % ABOVE]);
    }
    estimates[1].second += second;
    stlf_renaming.report(&set);
    return run.record;
}

static const struct answer *last(const struct record *record)
{
    return &record->answers.of[record->answers.count - 1];
}

TEST(false_renaming_is_named)
{
    double zen4[FORMS][ABOVE] = {{18.3, 18.3, 6.4, 25}, {6.46, 6.46, 6.46, 19}, {6.46, 6.46, 6.4, 19}};
    struct record *record = reported_above(zen4, 0);
    assert_string_equal(last(record)->key, "stlf.false_renaming");
    assert_true(cell_number(&last(record)->value) > 11.8 && cell_number(&last(record)->value) < 11.9);
    assert_int_equal(last(record)->trust, TRUST_HIGH);
    record_free(record);
    record = reported_above(zen4, -12);
    assert_int_equal(last(record)->trust, TRUST_LOW);
    record_free(record);
}

/* More than a cycle, and a quarter. */
TEST(a_cycle_more_is_no_false_renaming)
{
    static const struct {
        double one, two;
        bool is_false;
    } cases[] = {{6.7, 6.5, false}, {8.0, 6.5, false}, {8.3, 6.5, true}, {1.98, 1, false}, {2.03, 1, true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double value[FORMS][ABOVE] = {{6.5, cases[i].one, 6.5, 19}, {6.5, cases[i].two, 6.5, 19}, {0}};
        struct record *record = reported_above(value, 0);
        assert_int_equal(cell_number(&last(record)->value) > 0, cases[i].is_false);
        record_free(record);
    }
}

/* 9 cycles are a forward of 16 bytes on Zen 4, nearer to its own blocked level of 19 or not. */
TEST(vectors_have_levels_of_their_own)
{
    static const struct kernel vector = {.operation = OPERATION_FORWARD_FA, .bits = 128, .load_bits = 128};
    static struct stlf_point points[VECTORS] = {{.kernel = &vector, .series = "two base registers"},
                                                {.kernel = &vector, .series = "two base registers"},
                                                {.kernel = &vector, .store = 8, .series = "half"}};
    struct estimate estimates[VECTORS];
    struct run run = {.record = record_new()};
    struct stlf stlf = {
        .run = &run, .levels = {[STATE_IDLE] = {.l1 = 4, .forwarded = 5.97, .partial = 10, .blocked = 10}}};
    const struct stlf_set set = {
        .stlf = &stlf, .count = VECTORS, .point = points, .estimate = estimates, .state = STATE_IDLE};
    for (int i = 0; i < VECTORS; i++)
        estimates[i] = steady(i < 2 ? 9.01 : 20);
    stlf_rows(&set, NULL, stlf_renaming.table[0].spec, NULL);
    for (size_t i = 0; i < VECTORS; i++) {
        const struct cell *cell = record_cell(&run.record->tables.of[0], i, C_VERDICT);
        assert_string_equal(cell_text(cell), i < 2 ? "forwarded" : "blocked");
    }
    record_free(run.record);
}
