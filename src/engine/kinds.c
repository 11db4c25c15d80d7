/* SPDX-License-Identifier: MIT */
/* The kinds of metrics: a row for each, with the value of a round, the answer of a state, the tolerance,
 * and the members that it reads. */
#include <math.h>
#include <string.h>

#include "engine/metrics.h"
#include "engine/select.h"
#include "engine/steps.h"

/* A core may take two ways through the same work, for as long as its burst length lasts: three lengths
 * must agree. */
enum { PLACEMENTS_LEAST = 3 };

static double point_value(const struct lab *lab, const struct metric *metric, size_t round, size_t point)
{
    if (metric->unit && strstr(metric->unit, "cycles"))
        return engine_value(&lab->data, round, point);
    return sample_value(&lab->data, round, point, UNIT_NS);
}

static double last_value(const struct lab *lab, const struct metric *metric, const struct course *course,
                         size_t round, uint32_t *before)
{
    return point_value(lab, metric, round, course->first + course->count - 1);
}

static double slope_value(const struct lab *lab, const struct metric *metric, const struct course *course,
                          size_t round, uint32_t *before)
{
    return (last_value(lab, metric, course, round, before) - point_value(lab, metric, round, course->first)) /
           (double)(course_x(course, course->count - 1) - course_x(course, 0));
}

static double jump_value(const struct lab *lab, const struct metric *metric, const struct course *course,
                         size_t round, uint32_t *before)
{
    double ns[STEP_VALUES];
    for (size_t i = 0; i < course->count; i++)
        ns[i] = sample_value(&lab->data, round, course->first + i, UNIT_NS);
    return isnan(ns[course->count - 1]) ? NAN : (double)steps_x(course, step_of(course, ns));
}

/* The values of the metrics that this one is made of; the second of one alone is the same. Both are NaN
 * where the states differ: values of different states have neither a difference nor a ratio. */
struct operands {
    double first, second;
};

static struct operands operands_of(const struct lab *lab, const struct metric *metric, size_t round,
                                   uint32_t *before)
{
    const struct engine_data *rows = &lab->rows;
    const int a = metric_of_key(lab, metric->metrics[0]),
              b = metric->metrics[1] ? metric_of_key(lab, metric->metrics[1]) : a;
    if (a < 0 || b < 0 || engine_state(rows, round, (size_t)a) != engine_state(rows, round, (size_t)b))
        return (struct operands){NAN, NAN};
    const size_t disturbed = (size_t)(engine_disturbed(rows, round, (size_t)a) ? a : b);
    *before = rows->before[round * rows->cells + disturbed];
    return (struct operands){engine_value(rows, round, (size_t)a), engine_value(rows, round, (size_t)b)};
}

static double difference_value(const struct lab *lab, const struct metric *metric,
                               const struct course *course, size_t round, uint32_t *before)
{
    const struct operands of = operands_of(lab, metric, round, before);
    return of.first - of.second;
}

static double ratio_value(const struct lab *lab, const struct metric *metric, const struct course *course,
                          size_t round, uint32_t *before)
{
    const struct operands of = operands_of(lab, metric, round, before);
    return of.second > 0 ? of.first / of.second : NAN;
}

static double rate_value(const struct lab *lab, const struct metric *metric, const struct course *course,
                         size_t round, uint32_t *before)
{
    const struct operands of = operands_of(lab, metric, round, before);
    return of.first > 0 ? 1000 / of.first : NAN;
}

/* Estimates the values of the rounds of a state. */
static void rounds_answer(struct lab *lab, const struct metric *metric, const struct course *course,
                          enum state state, struct result *result)
{
    const size_t c = (size_t)(metric - lab->experiment->metrics);
    result->has_value = (!metric->of_all || state != STATE_ACTIVE || lab->experiment->companion) &&
                        engine_estimate(&lab->rows, c, metric->of_all ? STATE_MIXED : state,
                                        lab_quantile(lab), &result->estimate);
}

static void least_answer(struct lab *lab, const struct metric *metric, const struct course *course,
                         enum state state, struct result *result)
{
    const int least = least_metric(lab, (size_t)(metric - lab->experiment->metrics), state, NULL);
    result->has_value = least >= 0;
    if (result->has_value)
        result->estimate = lab->result[least][state].estimate;
}

static struct promise fit_tolerance(const struct lab *lab, const struct metric *metric,
                                    const struct course *course)
{
    return metric->beyond ? promise_beyond : promise_core;
}

static struct promise value_tolerance(const struct lab *lab, const struct metric *metric,
                                      const struct course *course)
{
    struct promise promise = metric->beyond ? promise_beyond : promise_core;
    if (lab->experiment->work && (!lab->experiment->one_length || lab->experiment->move))
        promise.placements = PLACEMENTS_LEAST;
    return promise;
}

/* A series in steps finds a place within one of them. */
static struct promise place_tolerance(const struct lab *lab, const struct metric *metric,
                                      const struct course *course)
{
    return (struct promise){.absolute = (double)course->step, .at_most = NAN};
}

/* From one point to the next. */
static struct promise between_tolerance(const struct lab *lab, const struct metric *metric,
                                        const struct course *course)
{
    return (struct promise){.relative = 1.001 * exp2(1.0 / (double)course->octave) - 1, .at_most = NAN};
}

#define PLACE .is_place = true, .is_whole = true
#define BETWEEN .tolerance = between_tolerance, .is_between = true, .has_verdict = true, PLACE
#define FITTED                                                                                               \
    .answer = cache_answer, .tolerance = fit_tolerance, .members = OF_SERIES | OF_CACHE, .is_fitted = true,  \
    .has_verdict = true
#define OF_ROUNDS(value, of)                                                                                 \
    .value_of_round = value, .answer = rounds_answer, .tolerance = value_tolerance, .members = of

const struct metric_type metric_types[] = {
    [METRIC_VALUE] = {"value", OF_ROUNDS(last_value, OF_SERIES)},
    [METRIC_SLOPE] = {"slope", OF_ROUNDS(slope_value, OF_SERIES)},
    [METRIC_JUMP] = {"jump", .value_of_round = jump_value, .answer = jump_answer,
                     .tolerance = place_tolerance, .members = OF_SERIES, .has_verdict = true, PLACE},
    [METRIC_SLOPE_CHANGE] = {"slope change", .answer = curve_answer, .tolerance = place_tolerance,
                             .members = OF_SERIES, .steps_before = 0.5, PLACE},
    [METRIC_LEVEL_END] = {"level end", .answer = curve_answer, .tolerance = place_tolerance,
                          .members = OF_SERIES, PLACE},
    [METRIC_THRESHOLD] = {"threshold", .answer = curve_answer, .members = OF_SERIES | OF_THRESHOLD, BETWEEN},
    [METRIC_CROSSING] = {"crossing", .answer = crossing_answer, .members = OF_SERIES | OF_DENOMINATOR,
                         BETWEEN},
    [METRIC_CACHE_SIZE] = {"cache size", FITTED, .is_whole = true},
    [METRIC_LEVEL_LATENCY] = {"level latency", FITTED},
    [METRIC_NEXT_LEVEL_COST] = {"next level cost", FITTED},
    [METRIC_DIFFERENCE] = {"difference", OF_ROUNDS(difference_value, OF_METRICS)},
    [METRIC_RATIO] = {"ratio", OF_ROUNDS(ratio_value, OF_METRICS)},
    [METRIC_PER_MICROSECOND] = {"per microsecond", OF_ROUNDS(rate_value, OF_METRICS)},
    [METRIC_LEAST] = {"least", .answer = least_answer, .tolerance = value_tolerance,
                      .members = OF_KEY_PREFIX},
    [METRIC_STRUCTURE_SIZE] = {"structure size", .tolerance = value_tolerance, .members = OF_STRUCTURE,
                               .is_whole = true},
};

unsigned metric_members(const struct metric *metric)
{
    return (metric->series ? OF_SERIES : 0u) |
           (metric->denominator.series || metric->denominator.share > 0 ? OF_DENOMINATOR : 0u) |
           (metric->threshold > 0 ? OF_THRESHOLD : 0u) |
           (metric->cache.level > 0 || metric->cache.continued_by ? OF_CACHE : 0u) |
           (metric->metrics[0] ? OF_METRICS : 0u) | (metric->key_prefix ? OF_KEY_PREFIX : 0u) |
           (metric->structure.fillers[0] ? OF_STRUCTURE : 0u);
}
