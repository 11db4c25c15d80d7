/* SPDX-License-Identifier: MIT */
/* Turns rows of metrics into answers: a value of each round, an estimate of each state, a verdict. */
#include "engine/metrics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "engine/select.h"

/* Share of the probes from which on a state has answers. */
static const double OFTEN = 0.1;
/* A size that may be a half gets UNPROVED_TIMES as many rounds for its proof as a second mode. */
enum { SETTLED_ROUNDS = 150, UNPROVED_TIMES = 8 };

bool metric_needs(const struct experiment *experiment, const struct metric *metric, size_t n,
                  const char **key)
{
    const char *const keys[] = {metric->metrics[0],
                                metric->metrics[1],
                                metric->agrees[0],
                                metric->agrees[1],
                                metric->control,
                                metric->above,
                                experiment->control,
                                metric->per,
                                metric->structure.limits[0],
                                metric->structure.limits[1],
                                metric->structure.limits[2]};
    enum { KEYS = sizeof keys / sizeof *keys, FILLERS = FILLERS_MOST + SHARERS_MOST };
    *key = n < KEYS ? keys[n] : n < KEYS + FILLERS ? metric_filler(metric, (int)(n - KEYS)) : NULL;
    return n < KEYS + FILLERS;
}

int metric_of_key(const struct lab *lab, const char *key)
{
    for (size_t i = 0; key && i < lab->metrics; i++)
        if (strcmp(lab->experiment->metrics[i].key, key) == 0)
            return (int)i;
    return -1;
}

struct result *lab_result(const struct lab *lab, const char *key, int state)
{
    const int metric = metric_of_key(lab, key);
    return metric >= 0 ? &lab->result[metric][state] : NULL;
}

/* Fills rows of the same rounds with a cell for each metric, so that estimates need not know the kinds of
 * metrics. */
static void fill_rows(struct lab *lab)
{
    const struct engine_data *data = &lab->data;
    struct engine_data *rows = &lab->rows;
    const size_t cells = data->kept * lab->metrics + 1;
    float *value = memory_grow(rows->value, cells * sizeof *value);
    uint32_t *before = memory_grow(rows->before, cells * sizeof *before);
    *rows = *data;
    rows->cells = rows->points = lab->metrics;
    rows->cycles = false;
    rows->value = value;
    rows->before = before;
    for (size_t round = 0; round < data->kept; round++)
        for (size_t c = 0; c < lab->metrics; c++) {
            const struct metric *metric = &lab->experiment->metrics[c];
            struct course course;
            const bool has_course = course_of(lab, metric, &course), is_there = has_course || !metric->series;
            const size_t cell = round * lab->metrics + c;
            before[cell] =
                has_course ? data->before[round * data->points + course.first + course.count - 1] : 0;
            value[cell] =
                is_there && type_of(metric)->value_of_round
                    ? (float)type_of(metric)->value_of_round(lab, metric, &course, round, &before[cell])
                    : NAN;
        }
    if (lab->experiment->control)
        control_apply(lab);
}

static bool is_asked(const struct lab *lab, const struct metric *metric)
{
    const struct result *a = lab_result(lab, metric->metrics[0], STATE_IDLE),
                        *b = metric->metrics[1] ? lab_result(lab, metric->metrics[1], STATE_IDLE) : a;
    bool competes = false;
    for (size_t c = 0; &lab->experiment->metrics[c] != metric; c++)
        competes |=
            metric_competes(metric, lab->experiment->metrics[c].key) && lab->result[c][STATE_IDLE].is_asked;
    return competes || (a && b && a->is_asked && b->is_asked);
}

/* How far apart two values may be that count as the same. */
static double reach_of(const struct promise *promise, double value)
{
    return fmax(promise->absolute, promise->relative * fabs(value));
}

/* Asks the metrics that must have the same value, a count within the step of the coarser series: the first
 * TLB of Zen 4, 72 in steps of 1, was refused in 15 of 40 runs because a series in steps of 2 had 70. Only
 * another method shows that a step limits the rate. */
static void ask_others(const struct lab *lab, const struct metric *metric, enum state state,
                       struct promise *promise, struct result *result)
{
    const double value = result->estimate.value;
    const enum limited_by doubt = metric->classes ? LIMITED_BY_REPETITION : LIMITED_BY_NONE;
    promise->doubt = metric->agrees[0] ? LIMITED_BY_PLAUSIBILITY : doubt;
    for (int i = 0; i < 2 && metric->agrees[i]; i++) {
        const struct result *opinion = lab_result(lab, metric->agrees[i], state);
        if (!opinion || !opinion->has_value)
            continue;
        promise->doubt = i == 0 ? doubt : promise->doubt;
        struct course course;
        double reach = reach_of(promise, value);
        if (type_of(metric)->is_place &&
            course_of(lab, &lab->experiment->metrics[(size_t)metric_of_key(lab, metric->agrees[i])], &course))
            reach = fmax(reach, (double)course.step);
        if (fabs(value - opinion->estimate.value) > reach) {
            promise->refusal = LIMITED_BY_PLAUSIBILITY;
            REMARK(result, "another method: %g", opinion->estimate.value);
        }
    }
}

/* A range has the ends of what was seen, not those of a median. A place along x has the points before and
 * behind it, or half a step around where two lines cross: nothing in between was measured. */
static void widen(const struct metric *metric, struct result *result, double step)
{
    const struct metric_type *type = type_of(metric);
    struct estimate *e = &result->estimate;
    if (metric->range || result->is_torn || type->is_between || type->is_fitted) {
        e->low = fmin(e->placement_low, e->summary.p10);
        e->high = fmax(e->placement_high, e->summary.p90);
    }
    if (type->is_place && !type->is_between && step > 1) {
        e->low = e->value - type->steps_before * step;
        e->high = e->low + step;
    }
}

static void answer_one(struct lab *lab, size_t c, enum state state)
{
    const struct metric *metric = &lab->experiment->metrics[c];
    const struct metric_type *type = type_of(metric);
    const struct result *same = lab_result(lab, metric->control, state),
                        *below = lab_result(lab, metric->above, state);
    struct result *result = &lab->result[c][state];
    struct estimate *e = &result->estimate;
    struct course course;
    *result = (struct result){.is_asked = course_of(lab, metric, &course) || is_asked(lab, metric)};
    if (!result->is_asked)
        return;
    struct promise promise = type->tolerance(lab, metric, &course);
    promise.at_least = metric->at_least != 0 ? metric->at_least : NAN;
    bool is_uncontrolled = lab->is_uncontrolled && state != STATE_ACTIVE;
    promise.refusal = is_uncontrolled ? LIMITED_BY_PLAUSIBILITY
                      : metric->range ? LIMITED_BY_REPETITION
                                      : LIMITED_BY_NONE;
    type->answer(lab, metric, &course, state, result);
    result->has_value &= !estimate_is_disturbed(e);
    const double reach = reach_of(&promise, e->value);
    if (result->has_value && same) {
        is_uncontrolled = !same->has_value || fabs(same->estimate.value - e->value) > reach;
        result->has_value = !is_uncontrolled;
    }
    if (!result->has_value && is_uncontrolled)
        REMARK(result, "its control differs");
    result->is_refused = metric->above && !(e->summary.count >= SELECT_LEAST && below && below->has_value &&
                                            e->summary.p10 > below->estimate.summary.p90);
    result->has_value &= !result->is_refused;
    if (!result->has_value)
        return;
    ask_others(lab, metric, state, &promise, result);
    result->is_torn = promise.placements > 0 && e->placements >= promise.placements &&
                      e->placement_high - e->placement_low > reach;
    const struct verdict own = result->verdict;
    result->verdict = trust_judge(e, &promise);
    widen(metric, result, (double)course.step);
    if (type->has_verdict)
        result->verdict = verdict_lesser(result->verdict, own);
}

void metrics_answer(struct lab *lab)
{
    fill_rows(lab);
    for (size_t c = 0; c < lab->metrics; c++)
        for (int state = STATE_MIXED - 1; state >= 0; state--) /* a half before its whole */
            if (type_of(&lab->experiment->metrics[c])->answer)
                answer_one(lab, c, (enum state)state);
    for (size_t c = 0; c < lab->metrics; c++) {
        const struct metric *metric = &lab->experiment->metrics[c];
        if (!type_of(metric)->answer || metric->structure.is_halved_by_smt || metric->per)
            metric_attribute(lab, metric);
    }
}

/* Trust is high, or more samples of the state would change nothing: no step, two modes, a value that
 * differs between placements. */
static bool is_settled(const struct lab *lab, const struct metric *metric, int state)
{
    const struct result *result = &lab->result[metric - lab->experiment->metrics][state];
    if (result->verdict.trust == TRUST_HIGH)
        return true;
    bool are_settled = true;
    for (int i = 0; i < FILLERS_MOST + SHARERS_MOST; i++) {
        const int filler = metric_of_key(lab, metric_filler(metric, i));
        are_settled &= filler < 0 || !lab->result[filler][state].is_asked ||
                       is_settled(lab, &lab->experiment->metrics[(size_t)filler], state);
    }
    if (!type_of(metric)->answer)
        return are_settled;
    if (type_of(metric)->is_place)
        return (result->rounds >= SETTLED_ROUNDS &&
                (!result->has_value || result->other ||
                 (metric->classes && !verdict_is_low(result->verdict)))) ||
               (result->rounds >= UNPROVED_TIMES * SETTLED_ROUNDS &&
                result->verdict.limited_by == LIMITED_BY_PLAUSIBILITY);
    return result->has_value && result->estimate.summary.count >= SETTLED_ROUNDS &&
           (result->is_torn || result->verdict.limited_by != LIMITED_BY_PRECISION);
}

/* Waits for values of the idle state only: a busy sibling runs another program in each spell. */
bool metrics_enough(struct lab *lab)
{
    const enum state state = engine_main_state(&lab->data) == STATE_UNKNOWN ? STATE_UNKNOWN : STATE_IDLE;
    metrics_answer(lab);
    for (size_t c = 0; c < lab->metrics; c++) {
        if (lab->need[c] == NEED_ASKED && lab->result[c][state].is_asked &&
            !is_settled(lab, &lab->experiment->metrics[c], state))
            return false;
    }
    return true;
}

/* At most six words. */
static const char *remark_of(const struct lab *lab, const struct metric *metric, enum state state)
{
    const struct result *result = &lab->result[metric - lab->experiment->metrics][state];
    const struct metric_type *type = type_of(metric);
    const char *reason = NULL;
    if (!result->has_value && result->is_refused && lab->data.kept >= SELECT_LEAST)
        return metric->refused;
    if (*result->remark)
        return result->remark;
    if (result->has_value || estimate_is_disturbed(&result->estimate))
        reason = estimate_reason(&result->estimate);
    if (reason)
        return reason;
    if (!result->has_value)
        return (type->is_place || type->is_fitted) && result->rounds > 0 ? "not seen" : "not measured";
    if (result->other)
        return record_text(lab->run->record, "also %llu", (unsigned long long)result->other);
    if (type->is_place && type->value_of_round && result->verdict.trust < TRUST_HIGH &&
        result->verdict.limited_by != LIMITED_BY_PLAUSIBILITY)
        return record_text(lab->run->record, "%zu of %zu rounds", result->agreeing, result->rounds);
    if (metric->structure.is_halved_by_smt && !result->is_split)
        return "whole and half not both seen";
    return result->is_torn && !metric->range ? "by burst length" : NULL;
}

/* Records a metric without a value, too, with low trust: it was asked. */
static void record_one(const struct lab *lab, const struct metric *metric, enum state state)
{
    const size_t c = (size_t)(metric - lab->experiment->metrics);
    const struct result *result = &lab->result[c][state];
    struct answer answer = {.state = state == STATE_UNKNOWN || metric->of_all ? NULL : state_names[state],
                            .samples = result->rounds,
                            .limited_by = LIMITED_BY_PRECISION};
    struct text least = {0};
    if (result->is_refused && !metric->refused)
        return;
    if (result->has_value && metric->key_prefix)
        least_metric(lab, c, state, &least);
    if (result->has_value)
        answer = answer_of(&result->estimate, result->verdict);
    /* With few visits to a state an interval reaches below possible values. */
    if (metric->at_least > 0 && answer.low.type == CELL_REAL && cell_number(&answer.low) < metric->at_least)
        answer.low = REAL_CELL(metric->at_least);
    if (result->has_value && type_of(metric)->is_whole)
        answer.value = INTEGER_CELL((int64_t)result->estimate.value);
    answer.high = result->is_bound ? NO_CELL : answer.high;
    if (metric->unit && strcmp(metric->unit, "cycles") == 0)
        answer.ghz = median_of(lab->run->core_clock->ghz.value, lab->run->core_clock->ghz.count);
    answer.key = metric->key;
    answer.label =
        least.data ? record_text(lab->run->record, "%s: %s", metric->label, least.data) : metric->label;
    answer.unit = metric->unit;
    answer.sheet_cell = metric->sheet_cell;
    answer.remark = remark_of(lab, metric, state);
    answer.unpromised = metric->range || (metric->optional && !result->has_value);
    record_answer(lab->run->record, answer);
    text_free(&least);
}

void metrics_record_missing(const struct experiment *experiment, const struct run *run, const char *remark)
{
    bool any;
    enum need *need = needs_of(experiment, run, &any);
    for (size_t c = 0; c < metric_count(experiment); c++) {
        const struct metric *metric = &experiment->metrics[c];
        if (need[c] == NEED_ASKED && (!metric->above || metric->refused))
            record_answer(run->record, (struct answer){.key = metric->key,
                                                       .label = metric->label,
                                                       .unit = metric->unit,
                                                       .sheet_cell = metric->sheet_cell,
                                                       .remark = remark,
                                                       .limited_by = LIMITED_BY_PRECISION,
                                                       .unpromised = true});
    }
    free(need);
}

/* Next to a companion there is only the busy state, or none that the witness knows. */
void metrics_record(struct lab *lab)
{
    const bool known = engine_main_state(&lab->data) != STATE_UNKNOWN, alone = !lab->experiment->companion;
    lab->is_over = true;
    metrics_answer(lab);
    for (size_t c = 0; c < lab->metrics; c++) {
        const struct metric *metric = &lab->experiment->metrics[c];
        if (lab->need[c] != NEED_ASKED || !lab->result[c][STATE_IDLE].is_asked)
            continue;
        /* Without an answer there is no mark in the curve, either. */
        lab->result[c][STATE_ACTIVE].has_value &= !alone || engine_share(&lab->data, STATE_ACTIVE) >= OFTEN;
        if (alone || !known)
            record_one(lab, metric, known ? STATE_IDLE : STATE_UNKNOWN);
        if (known && (!alone || lab->result[c][STATE_ACTIVE].has_value))
            record_one(lab, metric, STATE_ACTIVE);
    }
    fitted_free(lab);
}
