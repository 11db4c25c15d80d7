/* SPDX-License-Identifier: MIT */
#include "judge.h"

#include <math.h>
#include <string.h>

#include "rank.h"

/* Of a rank test, one-sided. */
static const double SIGNIFICANT = 0.01;
/* What a finding of medium trust may differ by: its promise (10 %) and half of it again. */
static const double MEDIUM = 0.15;
/* A promise holds for 99 of 100 runs, and there are dozens of findings: this many times what it allows. */
static const double TIMES = 3;
/* Of two wide intervals: their width is itself not well known. */
static const double WIDE = 1.5;
/* Differences that nobody asked for are worth a word from here. */
static const double ASKED = 0.10, ASKED_TOGETHER = 0.05;
/* Values of the core, which go with its clock, promise this or less. */
static const double OF_CORE = 0.02;
/* Beyond the core others are at work too. They come and go in seconds: a shorter run has seen one moment. They take the clock down
 * with them, and the value by more: by this many times as much. */
static const double MOMENT_S = 1, LEVER = 4;
/* What others do makes a value worse, never better: this quantile of the parts, from the better end, shows it least. */
static const double BETTER_END = 0.1;

/* Parts that show how a value spreads; samples from which each of them is a median. */
enum { PARTS_LEAST = 8, QUARTERS = 4, SAMPLES_A_PART = 4 };

static bool is_one_of(const char *unit, const char *const *names)
{
    while (*names && strcmp(unit, *names) != 0)
        names++;
    return *names;
}

enum direction direction_of_unit(const char *unit)
{
    static const char *const times[] = {"ns", "us", "ms", "s", "cycles", "core cycles", NULL};
    static const char *const rates[] = {"Byte/s", "MiByte/s", "GiByte/s", "GB/s", "bytes/core cycle", NULL};
    if (!unit)
        return DIRECTION_NONE;
    return is_one_of(unit, times)   ? DIRECTION_LOWER
           : is_one_of(unit, rates) ? DIRECTION_HIGHER
                                    : DIRECTION_NONE;
}

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

/* Low trust because the interval is wide, or because all depends on where pages lie, is no reason to know nothing: among others
 * such a finding counts. */
static bool is_seen(const struct finding *finding)
{
    const bool alone = finding->leg == LEG_PRECISION || finding->leg == LEG_REPETITION;
    return finding->trust != TRUST_LOW ||
           (alone && finding->parts.count > 0 && !same_text(finding->state, state_names[STATE_ACTIVE]));
}

/* Parts that are medians, and enough of them. */
static bool is_firm(const struct finding *finding)
{
    return finding->parts.count >= PARTS_LEAST && finding->samples >= SAMPLES_A_PART * finding->parts.count;
}

static bool is_of_core(const struct finding *finding)
{
    return finding->within > 0 && finding->within <= OF_CORE;
}

static bool is_beyond(const struct finding *finding)
{
    return finding->within > OF_CORE;
}

/* By itself it is judged only where enough parts show how wide its interval is. A rate beyond the core, which others move, repeats in no
 * run of seconds, and its parts show that as well. */
static bool is_vague(const struct finding *finding)
{
    const bool rate = direction_of_unit(finding->unit) == DIRECTION_HIGHER && is_beyond(finding);
    const bool spread = finding->leg == LEG_PRECISION || (finding->leg == LEG_REPETITION && rate);
    return finding->trust == TRUST_LOW && (!spread || finding->parts.count < PARTS_LEAST);
}

static double half_width(const struct finding *finding)
{
    const double value = cell_number(&finding->value), low = cell_number(&finding->low);
    const double high = cell_number(&finding->high);
    return isnan(low) || isnan(high) || value == 0 ? 0 : fmax(value - low, high - value) / fabs(value);
}

/* What another run may differ by. */
static double allowed_for(const struct finding *finding)
{
    const double within = finding->within > 0 ? finding->within : OF_CORE;
    return finding->trust == TRUST_HIGH ? TIMES * within : fmax(MEDIUM, within);
}

/* Clock of `after` as a share of that of `before`; 1: not known of both. */
static double clock_ratio(const struct finding *before, const struct finding *after)
{
    return before->ghz > 0 && after->ghz > 0 ? after->ghz / before->ghz : 1;
}

/* Factor that takes `after` to the core clock of `before`; 1 where the value does not go with it. */
static double clock_factor(const struct finding *before, const struct finding *after,
                           enum direction direction)
{
    const double ratio = is_of_core(before) ? clock_ratio(before, after) : 1;
    return direction == DIRECTION_LOWER ? ratio : 1 / ratio;
}

static double better_end(const float *part, size_t count, enum direction direction, double quantile)
{
    double value[PARTS_MOST];
    for (size_t i = 0; i < count; i++)
        value[i] = (double)part[i];
    values_sort(value, count);
    return quantile_of_sorted(value, count, direction == DIRECTION_LOWER ? quantile : 1 - quantile);
}

/* How far the better ends of the quarters of a run lie apart, as a share of the value. */
static double spread_of(const struct finding *finding, enum direction direction)
{
    const size_t quarter = finding->parts.count / QUARTERS;
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < QUARTERS; i++) {
        const double end = better_end(&finding->parts.value[i * quarter], quarter, direction, 0.25);
        low = fmin(low, end);
        high = fmax(high, end);
    }
    return (high - low) / fabs(cell_number(&finding->value));
}

/* Whether the parts of one run lie to one side of the other's, as the loss says; where there are few parts, the intervals. */
static bool is_significant(const struct finding *before, const struct finding *after, double factor, bool up)
{
    struct parts scaled = after->parts;
    if (before->parts.count < RANK_LEAST || scaled.count < RANK_LEAST) {
        const double apart = fabs(cell_number(&after->value) * factor / cell_number(&before->value) - 1);
        return apart > half_width(before) + half_width(after);
    }
    for (size_t i = 0; i < scaled.count; i++)
        scaled.value[i] *= (float)factor;
    const struct parts *first = up ? &before->parts : &scaled, *second = up ? &scaled : &before->parts;
    return rank_p(first->value, first->count, second->value, second->count) < SIGNIFICANT;
}

static struct judgement apart(const char *why)
{
    return (struct judgement){ANSWER_APART, NAN, NAN, NAN, NAN, why, false};
}

static enum answer answer_to(double loss, double allowed, double threshold, double asked)
{
    if (fabs(loss) > allowed)
        return loss > 0 ? ANSWER_WORSE : ANSWER_BETTER;
    return allowed <= (isnan(threshold) ? asked : threshold) ? ANSWER_SAME : ANSWER_UNKNOWN;
}

/* A count, a size, a ratio: neither way is better. A count of high trust is within an entry, or 2 %. */
static struct judgement judge_count(const struct finding *before, const struct finding *after)
{
    const double first = cell_number(&before->value), second = cell_number(&after->value);
    const bool sure = before->trust == TRUST_HIGH && after->trust == TRUST_HIGH;
    const double counted = sure ? fmax(1, OF_CORE * fabs(first)) : ASKED * fabs(first);
    const double allowed =
        before->within > 0 ? fmax(allowed_for(before), allowed_for(after)) * fabs(first) : counted;
    const bool same = fabs(second - first) <= allowed;
    return (struct judgement){
        same ? ANSWER_SAME : ANSWER_CHANGED, NAN, NAN, NAN, allowed / fabs(first), NULL, false};
}

static struct judgement judge_text(const struct finding *before, const struct finding *after)
{
    const bool same = strcmp(before->value.text, after->value.text) == 0;
    return (struct judgement){same ? ANSWER_SAME : ANSWER_CHANGED, NAN, NAN, NAN, NAN, NULL, false};
}

/* Beyond the core: what both the value and the better end of the parts lost. Where parts are medians, the better end alone says how
 * much, and how well that is known. */
static void look_beyond(struct judgement *j, const struct finding *before, const struct finding *after,
                        enum direction direction, double *off)
{
    const struct parts *first = &before->parts, *second = &after->parts;
    if (first->count < PARTS_LEAST || second->count < PARTS_LEAST)
        return;
    const double change = better_end(second->value, second->count, direction, BETTER_END) /
                              better_end(first->value, first->count, direction, BETTER_END) -
                          1;
    const double end = direction == DIRECTION_LOWER ? change : -change;
    const bool firm = is_firm(before) && is_firm(after);
    if (firm)
        *off = hypot(spread_of(before, direction), spread_of(after, direction));
    if (j->loss * end <= 0)
        j->loss = 0;
    else if (fabs(end) < fabs(j->loss) || (firm && fabs(j->loss) > fmax(before->within, after->within)))
        j->loss = end;
}

/* Two quantities, of which one way is better. */
static struct judgement judge_loss(const struct finding *before, const struct finding *after,
                                   enum direction direction, double threshold)
{
    const double factor = clock_factor(before, after, direction);
    const double change = cell_number(&after->value) * factor / cell_number(&before->value) - 1;
    const bool wide = before->trust == TRUST_LOW || after->trust == TRUST_LOW;
    double off = hypot(half_width(before), half_width(after)) * (wide ? WIDE : 1);
    /* Beyond the core all move together, with what others do there: that they agree says nothing. */
    struct judgement j = {.loss = direction == DIRECTION_LOWER ? change : -change,
                          .counts = !is_beyond(before)};
    j.allowed = fmax(allowed_for(before), allowed_for(after));
    double clock = 0;
    if (is_beyond(before)) {
        look_beyond(&j, before, after, direction, &off);
        clock = LEVER * fabs(clock_ratio(before, after) - 1);
    }
    j.low = j.loss - off;
    j.high = j.loss + off;
    j.allowed = fmax(fmax(j.allowed, off), fmax(clock, isnan(threshold) ? 0 : threshold));
    j.answer = answer_to(j.loss, j.allowed, threshold, ASKED);
    if (j.answer == ANSWER_UNKNOWN && j.allowed == clock)
        j.why = "another core clock";
    if (fabs(j.loss) > j.allowed && !is_significant(before, after, factor, change > 0)) {
        j.answer = ANSWER_UNKNOWN;
        j.why = "not significant";
    }
    return j;
}

struct judgement judge(const struct finding *before, const struct finding *after, double seconds,
                       double threshold)
{
    const enum direction direction = direction_of_unit(before->unit);
    const double first = cell_number(&before->value), second = cell_number(&after->value);
    if (!is_seen(before) || !is_seen(after))
        return apart("low trust");
    if (!same_text(before->state, after->state))
        return apart("another state");
    if (before->value.type == CELL_TEXT && after->value.type == CELL_TEXT)
        return judge_text(before, after);
    if (isnan(first) || isnan(second) || !same_text(before->unit, after->unit))
        return apart("no value");
    if (direction == DIRECTION_NONE && (is_vague(before) || is_vague(after)))
        return apart("low trust");
    if (direction == DIRECTION_NONE || first == 0)
        return judge_count(before, after);
    struct judgement j = judge_loss(before, after, direction, threshold);
    const bool brief = seconds < MOMENT_S && is_beyond(before);
    if (brief || is_vague(before) || is_vague(after)) {
        j.answer = ANSWER_UNKNOWN;
        j.why = brief ? "measured for less than a second" : "low trust";
    }
    return j;
}

struct judgement judge_together(double *loss, size_t count, double threshold)
{
    struct judgement j = apart("too few");
    if (!rank_interval(loss, count, &j.low, &j.high))
        return j;
    j.why = NULL;
    j.loss = quantile_of_sorted(loss, count, 0.5);
    j.allowed = isnan(threshold) ? ASKED_TOGETHER : fmax(threshold, ASKED_TOGETHER);
    j.answer = answer_to(j.loss, j.allowed, threshold, ASKED_TOGETHER);
    if (fabs(j.loss) > j.allowed && j.low * j.high <= 0) {
        j.answer = ANSWER_UNKNOWN;
        j.why = "not significant";
    }
    return j;
}
