/* SPDX-License-Identifier: MIT */
/* Answers from given rounds: the number of rounds of each state, and the value of each. */
#include "test.h"

#include "engine/engine_internal.h"
#include "engine/metrics.h"

enum { POINTS = 96, SIZE = 64 };

struct rounds {
    size_t idle, active; /* the active ones come first; one round lies between both */
    unsigned bursts;     /* lengths in turn; 0: three */
    double rise, noise;  /* extra cycles beyond SIZE (half of it where active), and of each second point */
    size_t flat, missed; /* of ten rounds those without the rise, and such rounds at the end */
    double at_least;     /* the least value */
    bool contested;      /* the step has a candidate that sees no step */
    size_t busy;         /* position of the rise while active; 0: half of SIZE */
    size_t strayed;      /* idle rounds of ten that rise there, too */
    bool halves;         /* the metric states that a busy sibling leaves half */
    bool classes;        /* the metric states that states of the core move it */
    size_t gap, gaps;    /* points without a value: the first of them and how many */
    size_t step;         /* from one point to the next; 0: 1 */
    size_t preempted;    /* the last rounds, in which something else had the CPU */
    size_t opinion_step; /* of a second series, whose metric must agree; it rises behind so many points: */
    size_t opinion;
};
static const struct series series[] = {
    {.name = "x", .range = {1, POINTS, 1}}, {.name = "y", .range = {1, POINTS, 1}}, {0}};

static void do_nothing(const struct point *point)
{
}

/* A lab with one metric of each kind after these rounds, and all its answers. */
struct played {
    struct metric metrics[3]; /* a, or the second opinion and a */
    struct experiment experiment;
    struct run run;
    struct lab lab;
};

/* Whether point x of both series lies behind the rise of its series in round i of `kept`. */
static bool is_risen(const struct rounds *rounds, bool active, size_t i, size_t x, size_t kept)
{
    const size_t busy = rounds->busy ? rounds->busy : SIZE / 2;
    if (x >= POINTS)
        return x - POINTS >= rounds->opinion;
    return x >= (active || i % 10 < rounds->strayed ? busy : SIZE) && i % 10 >= rounds->flat &&
           i + rounds->missed < kept;
}

static void give(struct played *given, enum metric_kind kind, const struct rounds *rounds)
{
    struct lab *lab = &given->lab;
    struct engine_data *data = &lab->data;
    const size_t kept = rounds->active + (rounds->active > 0) + rounds->idle;
    const size_t count = rounds->opinion_step ? 2 : 1, points = count * POINTS;
    const struct metric metric = {.key = "a",
                                  .label = "a",
                                  .kind = kind,
                                  .series = "x",
                                  .agrees = {count > 1 ? "b" : NULL},
                                  .at_least = rounds->at_least,
                                  .halves = rounds->halves,
                                  .classes = rounds->classes};
    *given = (struct played){.metrics = {{.key = "b", .kind = kind, .series = "y"}},
                             .experiment = {.series = series, .metrics = given->metrics, .work = do_nothing},
                             .run = {.record = record_new()}};
    given->metrics[count - 1] = metric;
    if (rounds->contested)
        given->metrics[0].agrees[0] = "none";
    *lab = (struct lab){
        .experiment = &given->experiment, .run = &given->run, .courses = count, .metrics = count};
    lab->course = calloc(2, sizeof *lab->course);
    for (size_t i = 0; i < count; i++) {
        const size_t step = i == 0 ? rounds->step : rounds->opinion_step;
        lab->course[i] =
            (struct course){.series = &series[i], .first = i * POINTS, .height_ns = rounds->rise};
        course_list(&lab->course[i], &(struct x_range){1, 1 + (POINTS - 1) * (step ? step : 1), step});
    }
    lab->result = calloc(2, sizeof *lab->result);
    lab->need = calloc(2, sizeof *lab->need);
    lab->need[count - 1] = NEED_ASKED;
    *data = (struct engine_data){.cells = points, .points = points, .kept = kept, .cycles = true};
    data->value = calloc(kept * points, sizeof *data->value);
    data->before = calloc(kept * points, sizeof *data->before);
    data->moment = calloc(kept + 1, sizeof *data->moment);
    for (size_t i = 0; i <= kept; i++) {
        const bool active = rounds->active > 0 && i <= rounds->active;
        data->moment[i] =
            (struct moment){.ghz = 1,
                            .switches = i + rounds->preempted > kept ? i + rounds->preempted - kept : 0,
                            .placement = (unsigned)i % (rounds->bursts ? rounds->bursts : 3),
                            .reading = {active ? 32 : 64, 64, true}};
        data->moments = i + 1;
        data->sampled = true;
        state_count(data);
        for (size_t x = 0; i < kept && x < points; x++) {
            const bool risen = is_risen(rounds, active, i, x, kept);
            data->before[i * points + x] = (uint32_t)i;
            data->value[i * points + x] =
                (float)(100 + (risen ? rounds->rise : 0) + (x % 2 ? rounds->noise : -rounds->noise));
            if (x >= rounds->gap && x < rounds->gap + rounds->gaps)
                data->value[i * points + x] = NAN;
        }
    }
    metrics_answer(lab);
}

static void take_away(struct played *given)
{
    record_free(given->run.record);
    experiment_free(&given->lab);
}

enum {
    VALUE = METRIC_VALUE,
    JUMP = METRIC_JUMP,
    SLOPE_CHANGE = METRIC_SLOPE_CHANGE,
    LEVEL_END = METRIC_LEVEL_END
};
enum { ANY = -1, L = TRUST_LOW, M = TRUST_MEDIUM, H = TRUST_HIGH };

/* The outcome of a metric's rounds: values (0: none; ANY), trust and second size of the idle one, and whether
 * they are enough. */
static const struct {
    int kind;
    struct rounds rounds;
    int idle, active, trust, other, enough;
} rows[] = {
    /* A metric has enough rounds at high trust, or where more change nothing: a value that fails a condition other than
     * precision, no step, and after eight times as many rounds if only the half or another method is missing. */
    {VALUE, {.idle = 50}, ANY, 0, H, ANY, true},
    {VALUE, {.idle = 149, .at_least = 200}, ANY, 0, L, ANY, false},
    {VALUE, {.idle = 150, .at_least = 200}, ANY, 0, L, ANY, true},
    {JUMP, {.idle = 100, .rise = 300}, SIZE, 0, H, 0, true},
    {JUMP, {.idle = 149}, 0, 0, ANY, 0, false},
    {JUMP, {.idle = 150}, 0, 0, ANY, 0, true},
    {JUMP, {.idle = 1199, .rise = 300, .contested = true}, SIZE, 0, M, 0, false},
    {JUMP, {.idle = 1200, .rise = 300, .contested = true}, SIZE, 0, M, 0, true},
    /* At least three lengths of bursts show that a value does not depend on them. */
    {VALUE, {.idle = 60, .bursts = 2}, ANY, 0, L, ANY, ANY},
    {VALUE, {.idle = 60, .bursts = 3}, ANY, 0, H, ANY, ANY},
    /* Eight idle rounds suffice where a hundred next to a busy sibling agree on the half. */
    {JUMP, {.idle = 8, .active = 100, .rise = 300}, SIZE, SIZE / 2, H, 0, ANY},
    {JUMP, {.idle = 8, .missed = 1, .active = 100, .rise = 300}, SIZE, SIZE / 2, M, 0, ANY},
    {JUMP, {.idle = 8, .active = 99, .rise = 300}, SIZE, SIZE / 2, M, 0, ANY},
    /* A whole that shows in the minimum of all rounds alone is as sure as the half that many rounds show. */
    {JUMP, {.idle = 10, .strayed = 9, .active = 100, .rise = 300}, SIZE, SIZE / 2, H, 0, ANY},
    {JUMP, {.idle = 10, .strayed = 9, .active = 99, .rise = 300}, SIZE, SIZE / 2, M, 0, ANY},
    {JUMP, {.idle = 30, .strayed = 9, .rise = 300}, SIZE, 0, M, 0, ANY},
    /* A second size in a tenth of the rounds lowers trust, unless it is the size of the other state. */
    {JUMP, {.idle = 200, .rise = 300, .busy = 51, .strayed = 2}, SIZE, 0, L, 51, ANY},
    {JUMP, {.idle = 200, .active = 40, .rise = 300, .busy = 51, .strayed = 2}, SIZE, 51, H, 0, ANY},
    /* A value or number that comes in classes has medium trust at most, which is enough, and a class is a number that is more than four off. */
    {VALUE, {.idle = 150, .classes = false}, ANY, 0, H, ANY, true},
    {VALUE, {.idle = 150, .classes = true}, ANY, 0, M, ANY, true},
    {VALUE, {.idle = 149, .classes = true}, ANY, 0, M, ANY, false},
    {JUMP, {.idle = 200, .rise = 300, .classes = true}, SIZE, 0, M, 0, true},
    {JUMP, {.idle = 200, .rise = 300, .busy = 60, .strayed = 4, .classes = true}, SIZE, 0, M, 0, ANY},
    {JUMP, {.idle = 200, .rise = 300, .busy = 59, .strayed = 4, .classes = true}, SIZE, 0, M, 59, ANY},
    {JUMP, {.idle = 200, .rise = 300, .busy = 57, .strayed = 4, .classes = true}, SIZE, 0, L, 57, ANY},
    /* The probes around a round may have missed that the sibling paused. A halved resource has no whole size next to a busy one. */
    {JUMP, {.idle = 200, .active = 20, .rise = 300, .busy = SIZE}, SIZE, SIZE, ANY, 0, ANY},
    {JUMP, {.idle = 200, .active = 20, .rise = 300, .busy = SIZE, .halves = true}, SIZE, 0, ANY, 0, ANY},
    {JUMP, {.idle = 200, .active = 20, .rise = 300}, SIZE, SIZE / 2, ANY, 0, ANY},
    {JUMP, {.idle = 200, .active = 20, .rise = 300, .halves = true}, SIZE, SIZE / 2, ANY, 0, ANY},
    /* A bend rises by five deviations of the noise in the lower quarter of the rounds. */
    {SLOPE_CHANGE, {.idle = 100, .rise = 4.5, .noise = 1}, 0, 0, ANY, 0, ANY},
    {SLOPE_CHANGE, {.idle = 100, .rise = 5.5, .noise = 1}, SIZE, 0, ANY, 0, ANY},
    {SLOPE_CHANGE, {.idle = 100, .rise = 20, .flat = 2}, SIZE, 0, ANY, 0, ANY},
    {SLOPE_CHANGE, {.idle = 100, .rise = 20, .flat = 3}, 0, 0, ANY, 0, ANY},
    /* Points that cannot be taken may come before the others. */
    {LEVEL_END, {.idle = 100, .rise = 20}, SIZE, 0, H, 0, true},
    {LEVEL_END, {.idle = 100, .rise = 20, .gaps = 50}, SIZE, 0, H, 0, ANY},
    {LEVEL_END, {.idle = 100, .rise = 20, .gap = 1, .gaps = 1}, 0, 0, ANY, 0, ANY},
    {LEVEL_END, {.idle = 100, .rise = 20, .gaps = POINTS}, 0, 0, ANY, 0, ANY},
    {LEVEL_END, {.idle = 50, .active = 50, .rise = 20}, SIZE, SIZE / 2, ANY, 0, ANY},
};

static void expect(int wanted, int found)
{
    if (wanted != ANY)
        assert_int_equal(found, wanted);
}

TEST(rounds_come_to_answers)
{
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct played given;
        print_message("row %zu\n", i);
        give(&given, (enum metric_kind)rows[i].kind, &rows[i].rounds);
        const struct result *idle = &given.lab.result[0][STATE_IDLE],
                            *active = &given.lab.result[0][STATE_ACTIVE];
        expect(rows[i].idle, idle->has_value ? (int)idle->estimate.value : 0);
        expect(rows[i].active, active->has_value ? (int)active->estimate.value : 0);
        expect(rows[i].trust, (int)idle->verdict.trust);
        expect(rows[i].other, (int)idle->other);
        expect(rows[i].enough, metrics_enough(&given.lab));
        take_away(&given);
    }
}

/* A place along x has a grain, the step of its series, and both of its ends are printed. test_curves.c has those of octaves. */
TEST(a_place_lies_between_two_points)
{
    static const struct {
        enum metric_kind kind;
        size_t step;
        double value, low, high;
    } places[] = {{METRIC_LEVEL_END, 1, 64, 64, 64},        {METRIC_LEVEL_END, 2, 127, 127, 129},
                  {METRIC_LEVEL_END, 64, 4033, 4033, 4097}, {METRIC_JUMP, 1, 64, 64, 64},
                  {METRIC_JUMP, 8, 505, 505, 513},          {METRIC_SLOPE_CHANGE, 1, 64, 64, 64},
                  {METRIC_SLOPE_CHANGE, 2, 127, 126, 128}};
    for (size_t i = 0; i < COUNT_OF(places); i++) {
        struct played given;
        give(&given, places[i].kind, &(struct rounds){.idle = 120, .rise = 300, .step = places[i].step});
        metrics_record(&given.lab);
        const struct answer *answer = record_answer_find(given.run.record, "a", NULL);
        print_message("place %zu: %g\n", i, cell_number(&answer->value));
        assert_true(cell_number(&answer->value) == places[i].value);
        assert_true(cell_number(&answer->low) == places[i].low);
        assert_true(cell_number(&answer->high) == places[i].high);
        assert_true(answer->within_absolute == (double)places[i].step);
        assert_int_equal(answer->trust, TRUST_HIGH);
        take_away(&given);
    }
}

/* A second series in steps has no number to the unit: it agrees within its step. */
TEST(another_method_agrees_within_its_own_step)
{
    static const struct {
        size_t step, opinion_step, opinion; /* the place is 64 */
        bool agrees;
    } cases[] = {{1, 1, 65, true}, {1, 1, 66, false}, {1, 3, 23, true}, {1, 3, 24, false}, {1, 2, 34, false}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct played given;
        give(&given, METRIC_LEVEL_END,
             &(struct rounds){.idle = 120,
                              .rise = 300,
                              .step = cases[i].step,
                              .opinion_step = cases[i].opinion_step,
                              .opinion = cases[i].opinion});
        const struct verdict verdict = given.lab.result[1][STATE_IDLE].verdict;
        print_message("case %zu\n", i);
        assert_true(given.lab.result[0][STATE_IDLE].has_value && given.lab.result[1][STATE_IDLE].has_value);
        assert_int_equal(verdict.trust, cases[i].agrees ? TRUST_HIGH : TRUST_LOW);
        assert_int_equal(verdict.limited_by, cases[i].agrees ? LIMITED_BY_NONE : LIMITED_BY_PLAUSIBILITY);
        take_away(&given);
    }
}

/* Of `idle` rounds all but so many were disturbed. */
TEST(few_undisturbed_rounds_are_named)
{
    static const struct {
        enum metric_kind kind;
        size_t quiet;
        bool has_value, is_named;
    } cases[] = {{METRIC_VALUE, 0, false, true},     {METRIC_VALUE, 1, true, true},
                 {METRIC_VALUE, 3, true, true},      {METRIC_VALUE, 4, true, false},
                 {METRIC_JUMP, 0, false, true},      {METRIC_JUMP, 40, true, false},
                 {METRIC_LEVEL_END, 0, false, true}, {METRIC_LEVEL_END, 3, true, true},
                 {METRIC_LEVEL_END, 4, true, false}, {METRIC_SLOPE_CHANGE, 2, true, true}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct played given;
        print_message("case %zu\n", i);
        give(&given, cases[i].kind,
             &(struct rounds){.idle = 60, .rise = 300, .preempted = 60 - cases[i].quiet});
        metrics_record(&given.lab);
        const struct answer *answer = record_answer_find(given.run.record, "a", NULL);
        const char *said = cases[i].quiet ? "sample" : "every sample was disturbed";
        assert_int_equal(cell_has_value(&answer->value), cases[i].has_value);
        assert_int_equal(answer->remark &&
                             strncmp(answer->remark + (cases[i].quiet ? 2 : 0), said, strlen(said)) == 0,
                         cases[i].is_named);
        assert_int_equal(cell_has_value(&answer->low), cases[i].has_value && !cases[i].is_named);
        assert_true(!cases[i].is_named || answer->trust == TRUST_LOW);
        take_away(&given);
    }
}

TEST(a_busy_state_of_a_tenth_of_the_probes_is_answered_for)
{
    for (size_t active = 18; active <= 20; active += 2) {
        struct played given;
        give(&given, METRIC_VALUE, &(struct rounds){.idle = 178, .active = active});
        metrics_record(&given.lab);
        assert_int_equal(given.run.record->answers.count, active < 20 ? 1 : 2);
        take_away(&given);
    }
}
