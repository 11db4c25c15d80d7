/* SPDX-License-Identifier: MIT */
/* Given rounds of a control and of two metrics: which count, and which metric is the least. */
#include "test.h"

#include <math.h>

#include "base/text.h"
#include "engine/engine_internal.h"
#include "engine/metrics.h"

enum { CONTROL, FIRST, SECOND, POINTS, ROUNDS = 100 };

static const struct series series[] = {
    {.name = "c", .range = {1, 1}}, {.name = "a", .range = {1, 1}}, {.name = "b", .range = {1, 1}}, {0}};
static const struct metric metrics[] = {
    {.key = "control", .label = "control", .unit = "cycles", .series = "c"},
    {.key = "x.a", .label = "store, one", .unit = "cycles", .series = "a"},
    {.key = "x.b", .label = "store, other", .unit = "cycles", .series = "b"},
    {.key = "x", .label = "least", .unit = "cycles", .kind = METRIC_LEAST, .key_prefix = "x."},
    {.key = "many", .label = "many", .unit = "1", .kind = METRIC_PER_MICROSECOND, .metrics = {"x.a"}},
    {.key = "range", .label = "range", .unit = "cycles", .series = "a", .range = true},
    {0}};

struct script {
    double off;   /* of the control from 3, in the rounds that are off */
    size_t good;  /* rounds of a hundred that are not, in which `a` takes 10 cycles; else 12 */
    double ratio; /* of b to a */
    bool busy, emulated;
};

static void answer(const struct script *given, struct lab *lab)
{
    static const struct experiment experiment = {.series = series, .metrics = metrics, .control = "control"};
    static struct cpu cpu;
    static struct run run;
    cpu.emulated = given->emulated;
    run.cpu = &cpu;
    *lab = (struct lab){
        .experiment = &experiment, .run = &run, .courses = POINTS, .metrics = COUNT_OF(metrics) - 1};
    lab->course = calloc(POINTS, sizeof *lab->course);
    lab->result = calloc(lab->metrics, sizeof *lab->result);
    struct engine_data *data = &lab->data;
    *data = (struct engine_data){.cells = POINTS, .points = POINTS, .kept = ROUNDS, .cycles = true};
    data->value = calloc(ROUNDS * POINTS, sizeof *data->value);
    data->before = calloc(ROUNDS * POINTS, sizeof *data->before);
    data->moment = calloc(ROUNDS + 1, sizeof *data->moment);
    for (size_t i = 0; i < POINTS; i++) {
        lab->course[i] = (struct course){.series = &series[i], .first = i};
        course_list(&lab->course[i], &series[i].range);
    }
    for (uint32_t i = 0; i <= ROUNDS; i++) {
        const bool good = i * 37 % ROUNDS < given->good;
        const double a = good ? 10 : 12, value[POINTS] = {3 + (good ? 0 : given->off), a, a * given->ratio};
        data->moment[i] = (struct moment){.ghz = 1, .reading = {given->busy ? 32 : 64, 64, true}};
        data->moments = i + 1;
        data->sampled = true;
        state_count(data);
        for (size_t p = 0; i < ROUNDS && p < POINTS; p++) {
            data->before[i * POINTS + p] = i;
            data->value[i * POINTS + p] = (float)value[p];
        }
    }
    metrics_answer(lab);
}

/* Values NaN: none. names: of the least. */
static const struct {
    struct script given;
    double a, least;
    const char *names;
} rows[] = {
    {{.good = 40, .off = 0.019, .ratio = 2}, 12, 12, "one"},
    {{.good = 40, .off = 0.021, .ratio = 2}, 10, 10, "one"},
    {{.good = 40, .off = -0.021, .ratio = 2}, 10, 10, "one"},
    {{.good = 40, .off = NAN, .ratio = 2}, 10, 10, "one"},
    {{.good = 40, .off = 1, .ratio = 2, .emulated = true}, 12, 12, "one"},
    {{.good = 40, .off = 1, .ratio = 2, .busy = true}, 12, 12, "one"},
    {{.good = 10, .off = -0.1, .ratio = 2}, 10, 10, "one"},
    {{.good = 9, .off = -0.1, .ratio = 2}, NAN, NAN, NULL},
    {{.good = 100, .ratio = 0.5}, 10, 5, "other"},
    {{.good = 100, .ratio = 1.011}, 10, 10, "one"},
    {{.good = 100, .ratio = 1.009}, 10, 10, "one or other"},
    /* Rounds differ, but not the two within a round. */
    {{.good = 60, .off = 0, .ratio = 1.011}, 10, 10, "one"},
};

TEST(rounds_count_by_their_control_and_the_least_is_named)
{
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct lab lab;
        struct text names = {0};
        print_message("row %zu\n", i);
        answer(&rows[i].given, &lab);
        const enum state of = rows[i].given.busy ? STATE_ACTIVE : STATE_IDLE;
        const struct result *a = &lab.result[1][of], *least = &lab.result[3][of];
        assert_int_equal(a->has_value, !isnan(rows[i].a));
        assert_int_equal(*a->remark != 0, isnan(rows[i].a));
        assert_true(lab.result[CONTROL][of].has_value);
        if (a->has_value) {
            assert_true(fabs(a->estimate.value - rows[i].a) < 0.01);
            assert_true(fabs(least->estimate.value - rows[i].least) < 0.01);
            assert_true(fabs(lab.result[4][of].estimate.value * rows[i].a - 1000) < 1);
            assert_int_equal(lab.result[5][of].verdict.trust, TRUST_LOW);
            assert_true(i > 0 ||
                        (lab.result[5][of].estimate.low == 10 && lab.result[5][of].estimate.high == 12));
        } else
            assert_int_equal(lab.result[CONTROL][of].verdict.trust, TRUST_LOW);
        assert_int_equal(least_metric(&lab, 3, of, &names) >= 0, least->has_value);
        assert_int_equal(names.data != NULL, rows[i].names != NULL);
        if (names.data)
            assert_string_equal(names.data, rows[i].names);
        text_free(&names);
        experiment_free(&lab);
    }
}

/* A remark may have no room. */
TEST(the_least_is_named_in_its_label)
{
    for (int busy = 0; busy < 2; busy++) {
        const struct script given = {.good = 100, .ratio = 1.009, .busy = busy};
        struct core_clock core_clock = {0};
        struct lab lab;
        answer(&given, &lab);
        lab.run->core_clock = &core_clock;
        lab.run->record = record_new();
        lab.need = calloc(lab.metrics, sizeof *lab.need);
        for (size_t c = 0; c < lab.metrics; c++)
            lab.need[c] = NEED_ASKED;
        metrics_record(&lab);
        const struct answer *least = record_answer_find(lab.run->record, "x", state_names[STATE_IDLE + busy]);
        assert_string_equal(least->label, "least: one or other");
        assert_null(least->remark);
        record_free(lab.run->record);
        experiment_free(&lab);
    }
}

TEST(a_control_that_nobody_asked_for_is_nothing_by_itself)
{
    static const struct series rows_of[] = {
        {.name = "c", .range = {1, 1}}, {.name = "a", .kernel = "none", .range = {1, 1}}, {0}};
    static const struct metric both[] = {{.key = "control", .label = "c", .series = "c", .operand = "c"},
                                         {.key = "a", .label = "a", .series = "a", .operand = "a"},
                                         {0}};
    const struct experiment experiment = {.series = rows_of, .metrics = both, .control = "control"};
    const struct common common = {.dry_run = true};
    for (int which = 0; which < 2; which++) {
        char word[] = {which ? 'c' : 'a', 0}, *const asked[] = {word};
        struct run run = {.common = &common, .operands = asked, .operand_count = 1};
        struct lab lab = {.experiment = &experiment, .run = &run};
        struct fault fault = {0};
        assert_int_equal(courses_open(&lab, &fault), which ? STATUS_OK : STATUS_UNSUPPORTED);
        experiment_free(&lab);
    }
}
