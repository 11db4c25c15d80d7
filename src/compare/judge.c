/* SPDX-License-Identifier: MIT */
#include "judge.h"

#include <math.h>
#include <string.h>

#include "uarchprobe/stats.h"

/* Of a rank test, one-sided. */
static const double SIGNIFICANT = 0.01;
/* What an answer of medium trust may differ by: its promise (10 %) and half of it again. Of low trust in the core: what no two runs
 * of one machine were seen to differ by beyond both of their intervals. */
static const double MEDIUM = 0.15, FAR = 0.25;
/* A promise holds for 99 of 100 runs, and there are dozens of answers: this many times what it allows. */
static const double TIMES = 3;
/* Of two wide intervals: their width is itself not well known. */
static const double WIDE = 1.5;
/* Same is what would have been seen to differ by this: what high trust beyond the core and medium trust can show. Counts that nobody
 * promised anything of may differ by COUNTED. */
static const double ASKED = 0.15, ASKED_TOGETHER = 0.05, COUNTED = 0.10;
/* Values of the core, which go with its clock, promise this or less. */
static const double OF_CORE = 0.02;
/* Beyond the core others are at work too. They come and go in seconds: a shorter run has seen one moment. They take the clock down
 * with them, and the value by more: by this many times as much. */
static const double MOMENT_S = 1, LEVER = 4;
/* What others do makes a value worse, never better: this quantile of the parts, from the better end, shows it least. */
static const double BETTER_END = 0.1;

/* Parts that have a better end; that a rank test asks of either side; answers that are judged together. */
enum { PARTS_LEAST = 8, RANK_LEAST = 4, TOGETHER_LEAST = 6 };

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
 * such an answer counts. */
static bool is_seen(const struct answer *answer)
{
    const bool alone = answer->leg == LEG_PRECISION || answer->leg == LEG_REPETITION;
    return answer->trust != TRUST_LOW ||
           (alone && answer->parts.count > 0 && !same_text(answer->state, state_names[STATE_ACTIVE]));
}

static bool is_of_core(const struct answer *answer)
{
    return answer->within > 0 && answer->within <= OF_CORE;
}

static bool is_beyond(const struct answer *answer)
{
    return answer->within > OF_CORE;
}

static bool is_low(const struct answer *answer)
{
    return answer->trust == TRUST_LOW;
}

struct extent extent_of(const struct answer *answer)
{
    struct extent extent = {cell_number(&answer->low), cell_number(&answer->high)};
    for (size_t i = 0; i < answer->parts.count; i++) {
        const double part = (double)answer->parts.value[i];
        extent.low = part >= extent.low ? extent.low : part; /* also where it was NaN */
        extent.high = part <= extent.high ? extent.high : part;
    }
    return extent;
}

/* Without an interval, of all its parts. */
static double half_width(const struct answer *answer)
{
    const double value = cell_number(&answer->value);
    struct extent of = {cell_number(&answer->low), cell_number(&answer->high)};
    if (isnan(of.low) || isnan(of.high))
        of = extent_of(answer);
    return isnan(of.low) || value == 0 ? 0 : fmax(value - of.low, of.high - value) / fabs(value);
}

/* What another run may differ by. */
static double allowed_for(const struct answer *answer)
{
    const double within = answer->within > 0 ? answer->within : OF_CORE;
    if (is_low(answer))
        return FAR;
    return answer->trust == TRUST_HIGH ? TIMES * within : fmax(MEDIUM, within);
}

/* Clock of `after` as a share of that of `before`; 1: not known of both, or the value is in cycles. */
static double clock_ratio(const struct answer *before, const struct answer *after)
{
    const bool cycles = before->unit && strstr(before->unit, "cycles");
    return !cycles && before->ghz > 0 && after->ghz > 0 ? after->ghz / before->ghz : 1;
}

/* Factor that takes `after` to the core clock of `before`; 1 where the value does not go with it. */
static double clock_factor(const struct answer *before, const struct answer *after, enum direction direction)
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

static bool is_ranked(const struct answer *before, const struct answer *after)
{
    return before->parts.count >= RANK_LEAST && after->parts.count >= RANK_LEAST;
}

/* Mann-Whitney: how likely it is that the parts of `high` lie above those of `low` as far as they do, were all drawn from one
 * distribution; by the normal approximation, with ties. */
static double rank_p(const struct parts *low, const struct parts *high)
{
    const double n = (double)low->count, m = (double)high->count, all = n + m;
    double value[2 * PARTS_MOST], above = 0, ties = 0;
    for (size_t i = 0; i < low->count + high->count; i++)
        value[i] = (double)(i < low->count ? low->value[i] : high->value[i - low->count]);
    for (size_t i = 0; i < low->count; i++) {
        for (size_t j = 0; j < high->count; j++)
            above += high->value[j] > low->value[i] ? 1 : high->value[j] == low->value[i] ? 0.5 : 0;
    }
    for (size_t i = 0; i < low->count + high->count; i++) {
        double same = 0;
        for (size_t j = 0; j < low->count + high->count; j++)
            same += value[j] == value[i];
        ties += same * same - 1; /* t of them give t^3 - t together */
    }
    const double variance = n * m / 12 * (all + 1 - ties / (all * (all - 1)));
    return variance > 0 ? erfc((above - n * m / 2 - 0.5) / sqrt(2 * variance)) / 2 : 1;
}

/* Whether the parts of one run lie to one side of the other's, as the loss says; where there are few parts, the intervals. */
static bool is_significant(const struct answer *before, const struct answer *after, double factor, bool up)
{
    struct parts scaled = after->parts;
    if (!is_ranked(before, after)) {
        const double apart = fabs(cell_number(&after->value) * factor / cell_number(&before->value) - 1);
        return apart > half_width(before) + half_width(after);
    }
    for (size_t i = 0; i < scaled.count; i++)
        scaled.value[i] *= (float)factor;
    return (up ? rank_p(&before->parts, &scaled) : rank_p(&scaled, &before->parts)) < SIGNIFICANT;
}

struct judgement judgement_apart(const char *why)
{
    return (struct judgement){OUTCOME_APART, NAN, NAN, NAN, NAN, why, NULL, NAN, false, false};
}

/* Three times 5 % is 15 %, but for the last bit. */
static bool is_asked(double allowed, double asked)
{
    return allowed <= asked * (1 + 1e-9);
}

static enum outcome outcome_to(double loss, double allowed, double threshold, double asked)
{
    if (fabs(loss) > allowed)
        return loss > 0 ? OUTCOME_WORSE : OUTCOME_BETTER;
    return is_asked(allowed, isnan(threshold) ? asked : threshold) ? OUTCOME_SAME : OUTCOME_UNKNOWN;
}

/* By how much a count of high trust may differ; 0: it promises a share, if anything. Older results have no field for it. */
static double entries_of(const struct answer *answer)
{
    return answer->within_absolute > 0
               ? answer->within_absolute
               : answer->value.type == CELL_INTEGER && same_text(answer->unit, "entries");
}

/* A count, a size, a ratio: neither way is better. */
static struct judgement judge_count(const struct answer *before, const struct answer *after, double threshold)
{
    const double first = fabs(cell_number(&before->value));
    const double off = fabs(cell_number(&after->value) - cell_number(&before->value));
    const bool sure = before->trust == TRUST_HIGH && after->trust == TRUST_HIGH;
    const double entries = sure ? fmax(entries_of(before), entries_of(after)) : 0;
    const double within = before->within > 0 ? fmax(allowed_for(before), allowed_for(after))
                          : sure             ? OF_CORE
                                             : COUNTED;
    const double asked = (isnan(threshold) ? ASKED : threshold) * first;
    const double allowed =
        fmax(entries > 0 ? entries : within * first, isnan(threshold) ? 0 : threshold * first);
    struct judgement j = judgement_apart(NULL);
    j.outcome = off > allowed ? OUTCOME_CHANGED : is_asked(allowed, asked) ? OUTCOME_SAME : OUTCOME_UNKNOWN;
    j.allowed = allowed / first;
    j.broken = entries > 0 && j.outcome == OUTCOME_CHANGED;
    return j;
}

/* Beyond the core: what both the value and the better end of the parts lost. */
static void look_beyond(struct judgement *j, const struct answer *before, const struct answer *after,
                        enum direction direction)
{
    const struct parts *first = &before->parts, *second = &after->parts;
    if (first->count < PARTS_LEAST || second->count < PARTS_LEAST)
        return;
    const double change = better_end(second->value, second->count, direction, BETTER_END) /
                              better_end(first->value, first->count, direction, BETTER_END) -
                          1;
    const double end = direction == DIRECTION_LOWER ? change : -change;
    if (j->loss * end <= 0)
        j->loss = 0;
    else if (fabs(end) < fabs(j->loss))
        j->loss = end;
    else
        return;
    j->basis = "in the best tenth";
}

/* Two quantities, of which one way is better. */
static struct judgement judge_loss(const struct answer *before, const struct answer *after,
                                   enum direction direction, double threshold)
{
    const double factor = clock_factor(before, after, direction);
    const double change = cell_number(&after->value) * factor / cell_number(&before->value) - 1;
    const bool wide = is_low(before) || is_low(after);
    const double off = root_of_squares(half_width(before), half_width(after)) * (wide ? WIDE : 1);
    /* Beyond the core all move together, with what others do there: that they agree says nothing. */
    struct judgement j = {.loss = direction == DIRECTION_LOWER ? change : -change,
                          .basis = factor != 1 ? "at equal clock" : NULL,
                          .counts = !is_beyond(before)};
    j.allowed = fmax(allowed_for(before), allowed_for(after));
    double clock = 0;
    if (is_beyond(before)) {
        look_beyond(&j, before, after, direction);
        clock = LEVER * fabs(clock_ratio(before, after) - 1);
    }
    j.change = direction == DIRECTION_LOWER ? j.loss : -j.loss;
    j.low = j.loss - off;
    j.high = j.loss + off;
    j.allowed = fmax(fmax(j.allowed, off), fmax(clock, isnan(threshold) ? 0 : threshold));
    j.outcome = outcome_to(j.loss, j.allowed, threshold, ASKED);
    if (j.outcome == OUTCOME_UNKNOWN && j.allowed == clock)
        j.why = "another core clock";
    if (j.outcome == OUTCOME_SAME && fabs(change) > j.allowed) {
        j.outcome = OUTCOME_UNKNOWN;
        j.why = "not in the best tenth";
    }
    if (fabs(j.loss) > j.allowed && !is_significant(before, after, factor, change > 0)) {
        j.outcome = OUTCOME_UNKNOWN;
        j.why = "not significant";
    }
    return j;
}

/* Of low trust beyond the core, or of one moment: no difference of two runs says that it will be there again. */
static struct judgement judge_moment(struct judgement j, const struct answer *before,
                                     const struct answer *after, const char *why)
{
    const struct extent first = extent_of(before), second = extent_of(after);
    j.outcome = OUTCOME_UNKNOWN;
    j.allowed = NAN;
    j.differs_now = first.high < second.low || second.high < first.low;
    j.why = j.differs_now ? "differs now, may not repeat" : why;
    return j;
}

struct judgement judge(const struct answer *before, const struct answer *after, double seconds,
                       double threshold)
{
    const enum direction direction = direction_of_unit(before->unit);
    const double first = cell_number(&before->value), second = cell_number(&after->value);
    const bool low = is_low(before) || is_low(after);
    if (!is_seen(before) || !is_seen(after))
        return judgement_apart("low trust");
    if (!same_text(before->state, after->state))
        return judgement_apart("another state");
    if (before->value.type == CELL_TEXT && after->value.type == CELL_TEXT) {
        struct judgement j = judgement_apart(NULL);
        j.outcome = strcmp(before->value.text, after->value.text) == 0 ? OUTCOME_SAME : OUTCOME_CHANGED;
        return j;
    }
    if (isnan(first) || isnan(second) || !same_text(before->unit, after->unit))
        return judgement_apart("no value");
    if (direction == DIRECTION_NONE && low)
        return judgement_apart("low trust");
    if (direction == DIRECTION_NONE || first == 0)
        return judge_count(before, after, threshold);
    const struct judgement j = judge_loss(before, after, direction, threshold);
    const bool brief = is_beyond(before) && seconds < MOMENT_S;
    if (brief || (low && (is_beyond(before) || !is_ranked(before, after))))
        return judge_moment(j, before, after, brief ? "measured under a second" : "low trust");
    return j;
}

struct judgement judge_together(double *loss, size_t count, double threshold)
{
    struct judgement j = judgement_apart("too few");
    if (count < TOGETHER_LEAST)
        return j;
    values_sort(loss, count);
    /* Where the median of what they are drawn from lies with 99 % (97 % of six). */
    const size_t end = (size_t)(((double)count - 2.576 * sqrt((double)count)) / 2);
    j.low = loss[end];
    j.high = loss[count - 1 - end];
    j.why = NULL;
    j.loss = quantile_of_sorted(loss, count, 0.5);
    j.allowed = isnan(threshold) ? ASKED_TOGETHER : fmax(threshold, ASKED_TOGETHER);
    j.outcome = outcome_to(j.loss, j.allowed, threshold, ASKED_TOGETHER);
    if (fabs(j.loss) > j.allowed && j.low * j.high <= 0) {
        j.outcome = OUTCOME_UNKNOWN;
        j.why = "not significant";
    }
    return j;
}
