/* SPDX-License-Identifier: MIT */
#include "judge.h"

#include <math.h>
#include <string.h>

#include "uarchprobe/stats.h"

/* Level of the one-sided rank test. */
static const double SIGNIFICANT = 0.01;
/* Allowed difference at medium trust in the core, where runs of one machine lay within 5 %, and beyond it:
 * its promise (10 %) and half of it; at low trust by placements: none differed by more beyond both
 * intervals. */
static const double MEDIUM = 0.09, MEDIUM_BEYOND = 0.15, FAR = 0.25;
/* A promise holds for 99 of 100 runs, and a result has dozens of answers: so many times the promise is
 * allowed. */
static const double TIMES = 3;
/* Factor for the wide intervals of low trust, whose width is itself uncertain. */
static const double WIDE = 1.5;
/* Same means that a difference of ASKED would have been seen, beyond the core of ASKED_BEYOND. Counts
 * without a promise may differ by COUNTED. */
static const double ASKED = 0.10, ASKED_BEYOND = 0.15, ASKED_TOGETHER = 0.05, COUNTED = 0.10;
/* Largest promise of values within the core, which follow its clock. */
static const double OF_CORE = 0.02;
/* Neighbours beyond the core come and go in seconds: a shorter run has seen one moment. They lower the
 * clock, too, and the value by LEVER times as much. */
static const double MOMENT_S = 1, LEVER = 4;
/* Neighbours only make values worse: this quantile of the parts, from the better end, shows them least. */
static const double BETTER_END = 0.1;

/* Ranges of one thread differ whatever the trust if they do not meet at RANGE_TIMES their width and lie so
 * far apart, in the core by a share and by core cycles, in L3 by a share. */
static const double RANGE_TIMES = 2, APART = 0.02, APART_CYCLES = 0.1, APART_L3 = 0.05;

/* Least numbers of parts with a better end, of parts on each side of a rank test, of parts at low trust,
 * as four may be of one spell of a neighbour, and of answers judged together. */
enum { PARTS_LEAST = 8, RANK_LEAST = 4, LOW_LEAST = 6, TOGETHER_LEAST = 6 };

bool outcome_differs(enum outcome outcome)
{
    return outcome == OUTCOME_BETTER || outcome == OUTCOME_WORSE || outcome == OUTCOME_CHANGED;
}

enum direction direction_of_unit(const char *unit)
{
    static const char *const times[] = {"ns", "us", "ms", "s", "cycles"};
    static const char *const rates[] = {"Byte/s", "MiByte/s", "GiByte/s", "GB/s", "bytes/cycle"};
    for (size_t i = 0; unit && i < sizeof(times) / sizeof(times[0]); i++)
        if (strcmp(unit, times[i]) == 0)
            return DIRECTION_LOWER;
    for (size_t i = 0; unit && i < sizeof(rates) / sizeof(rates[0]); i++)
        if (strcmp(unit, rates[i]) == 0)
            return DIRECTION_HIGHER;
    return DIRECTION_NONE;
}

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static bool is_low(const struct answer *answer)
{
    return answer->trust == TRUST_LOW;
}

/* Low trust by a wide interval or by placements still counts, but not next to a busy sibling, which does
 * other work each time. */
static bool is_seen(const struct answer *answer)
{
    const bool alone =
        answer->limited_by == LIMITED_BY_PRECISION || answer->limited_by == LIMITED_BY_REPETITION;
    return !is_low(answer) || (alone && answer->parts.count > 0 && !answer_is_busy(answer));
}

static bool is_beyond(const struct answer *answer)
{
    return answer->within > OF_CORE;
}

struct extent extent_of(const struct answer *answer)
{
    struct extent extent = {cell_number(&answer->low), cell_number(&answer->high)};
    for (size_t i = 0; i < answer->parts.count; i++) {
        const double part = (double)answer->parts.value[i];
        extent.low = part >= extent.low ? extent.low : part; /* also replaces NaN */
        extent.high = part <= extent.high ? extent.high : part;
    }
    return extent;
}

/* Half the interval; without one, that of all parts. */
static double half_width(const struct answer *answer)
{
    const double value = cell_number(&answer->value);
    struct extent of = {cell_number(&answer->low), cell_number(&answer->high)};
    if (isnan(of.low) || isnan(of.high))
        of = extent_of(answer);
    return isnan(of.low) || value == 0 ? 0 : fmax(value - of.low, of.high - value) / fabs(value);
}

/* The difference that another run may have. */
static double allowed_for(const struct answer *answer)
{
    const double within = answer->within > 0 ? answer->within : OF_CORE;
    const bool beyond = is_beyond(answer);
    return is_low(answer) && (beyond || answer->limited_by != LIMITED_BY_PRECISION) ? FAR
           : answer->trust == TRUST_HIGH                                            ? TIMES * within
                                         : fmax(beyond ? MEDIUM_BEYOND : MEDIUM, within);
}

/* Three times 5 % is 15 % but for the last bit. */
static bool is_asked(double allowed, double asked)
{
    return allowed <= asked * (1 + 1e-9);
}

/* The same is what would have been seen otherwise: a loss of `asked` would lie beyond the noise, even
 * where this run is off by half of it or by its interval. */
static enum outcome outcome_to(const struct judgement *j, double noise, double off, double asked)
{
    if (fabs(j->loss) > j->allowed)
        return j->loss > 0 ? OUTCOME_WORSE : OUTCOME_BETTER;
    return is_asked(j->allowed, asked) && is_asked(fabs(j->loss) + fmax(off, noise / 2), asked)
               ? OUTCOME_SAME
               : OUTCOME_UNKNOWN;
}

struct judgement judgement_apart(const char *why)
{
    return (struct judgement){OUTCOME_APART, NAN, NAN, NAN, NAN, why, .change = NAN};
}

static bool have_parts(const struct answer *before, const struct answer *after, size_t least)
{
    return before->parts.count >= least && after->parts.count >= least;
}

/* Whether the parts of one run lie on one side of the other's, by Mann and Whitney's test (normal
 * approximation). With few parts the intervals decide. */
static bool is_significant(const struct answer *before, const struct answer *after, double factor, bool up)
{
    const struct parts *first = &before->parts, *second = &after->parts;
    const double n = (double)first->count, m = (double)second->count;
    double above = 0;
    if (!have_parts(before, after, RANK_LEAST)) {
        const double apart = fabs(cell_number(&after->value) * factor / cell_number(&before->value) - 1);
        return apart > half_width(before) + half_width(after);
    }
    for (size_t i = 0; i < first->count; i++)
        for (size_t j = 0; j < second->count; j++) {
            const double off = (double)second->value[j] * factor - (double)first->value[i];
            above += (off > 0) == up && off != 0 ? 1 : off == 0 ? 0.5 : 0;
        }
    return erfc((above - n * m / 2 - 0.5) / sqrt(n * m * (n + m + 1) / 6)) / 2 < SIGNIFICANT;
}

/* Judges counts, sizes and ratios: neither way is better. Older results lack the field for the one entry
 * that counts of high trust promise. */
static struct judgement judge_count(const struct answer *before, const struct answer *after, double threshold)
{
    const struct answer *const of[] = {before, after};
    const double first = fabs(cell_number(&before->value));
    const double off = fabs(cell_number(&after->value) - cell_number(&before->value));
    const bool sure = before->trust == TRUST_HIGH && after->trust == TRUST_HIGH;
    double entries = 0;
    for (int i = 0; i < 2 && sure; i++)
        entries = fmax(entries, of[i]->within_absolute > 0
                                    ? of[i]->within_absolute
                                    : of[i]->value.type == CELL_INTEGER && same_text(of[i]->unit, "entries"));
    const double within = before->within > 0 ? fmax(allowed_for(before), allowed_for(after))
                          : sure             ? OF_CORE
                                             : COUNTED;
    const double asked = (isnan(threshold) ? ASKED_BEYOND : threshold) * first;
    const double allowed = fmax(entries > 0 ? entries : within * first, threshold * first);
    struct judgement j = judgement_apart(NULL);
    j.outcome = off > allowed ? OUTCOME_CHANGED : is_asked(allowed, asked) ? OUTCOME_SAME : OUTCOME_UNKNOWN;
    j.allowed = allowed / first;
    j.broken = entries > 0 && j.outcome == OUTCOME_CHANGED;
    return j;
}

static double better_end(const struct parts *parts, enum direction direction)
{
    double value[PARTS_MOST];
    for (size_t i = 0; i < parts->count; i++)
        value[i] = (double)parts->value[i];
    return quantile_reordering(value, parts->count,
                               direction == DIRECTION_LOWER ? BETTER_END : 1 - BETTER_END);
}

/* Beyond the core counts only the loss that the value and the better end of the parts share. */
static void judge_beyond(struct judgement *j, const struct answer *before, const struct answer *after,
                         enum direction direction)
{
    if (!have_parts(before, after, PARTS_LEAST))
        return;
    const double end =
        direction * (better_end(&after->parts, direction) / better_end(&before->parts, direction) - 1);
    if (j->loss * end > 0 && fabs(end) >= fabs(j->loss))
        return;
    j->loss = j->loss * end > 0 ? end : 0;
    j->basis = "in the best tenth";
}

/* Of the core clocks; 1: not known of both. */
static double clock_ratio(const struct answer *before, const struct answer *after, const struct terms *terms)
{
    const bool timed =
        !terms->machines && !strstr(before->unit, "cycles") && before->ghz > 0 && after->ghz > 0;
    return timed ? after->ghz / before->ghz : 1;
}

/* Scales `after` to the core clock of `before` where the value follows it. */
static double clock_factor(const struct answer *before, const struct answer *after, enum direction direction,
                           const struct terms *terms)
{
    const bool follows = before->within > 0 && !is_beyond(before);
    return follows ? pow(clock_ratio(before, after, terms), direction) : 1;
}

/* Judges quantities with a better direction. */
static struct judgement judge_loss(const struct answer *before, const struct answer *after,
                                   enum direction direction, const struct terms *terms)
{
    const double threshold = terms->threshold;
    const bool beyond = is_beyond(before);
    const double ratio = clock_ratio(before, after, terms),
                 factor = clock_factor(before, after, direction, terms);
    const double change = cell_number(&after->value) * factor / cell_number(&before->value) - 1;
    const double off =
        root_of_squares(half_width(before), half_width(after)) * (is_low(before) || is_low(after) ? WIDE : 1);
    const double clock = beyond ? LEVER * fabs(ratio - 1) : 0;
    struct judgement j = {.loss = direction * change, .basis = factor != 1 ? "at equal clock" : NULL};
    if (beyond)
        judge_beyond(&j, before, after, direction);
    j.change = direction * j.loss;
    j.low = j.loss - off;
    j.high = j.loss + off;
    const double noise = fmax(fmax(allowed_for(before), allowed_for(after)), fmax(off, clock));
    j.allowed = fmax(noise, threshold);
    j.outcome = outcome_to(&j, noise, off, !isnan(threshold) ? threshold : beyond ? ASKED_BEYOND : ASKED);
    if (j.outcome == OUTCOME_UNKNOWN && j.allowed == clock)
        j.why = "other core clock";
    if (j.outcome == OUTCOME_SAME && fabs(change) > j.allowed) {
        j.outcome = OUTCOME_UNKNOWN;
        j.why = "best tenth; others explain the rest";
    }
    if (fabs(j.loss) > j.allowed && !is_significant(before, after, factor, change > 0)) {
        j.outcome = OUTCOME_UNKNOWN;
        j.why = "by chance";
    }
    return j;
}

/* A bound differs from a value below it alone, and not from another bound. */
static bool may_agree(const struct answer *bound, const struct answer *other)
{
    return answer_is_bound(bound) &&
           (answer_is_bound(other) || cell_number(&other->value) >= cell_number(&bound->value));
}

/* What cannot be decided; where no moment of one run lies within the range of the other, the difference is
 * one of now. */
static struct judgement judgement_unknown(const struct answer *before, const struct answer *after,
                                          double change, const char *why)
{
    const struct extent was = extent_of(before), is = extent_of(after);
    struct judgement j = judgement_apart(why);
    j.outcome = OUTCOME_UNKNOWN;
    j.change = change;
    j.differs_now = was.high < is.low || is.high < was.low;
    return j;
}

static bool is_impossible(const struct answer *answer)
{
    return is_low(answer) && answer->limited_by == LIMITED_BY_PLAUSIBILITY;
}

/* A state that was not resolved counts as idle, so that a busy one is compared with its like alone. */
static bool have_one_state(const struct answer *before, const struct answer *after)
{
    const struct answer *const of[] = {before, after};
    const char *state[2];
    for (int i = 0; i < 2; i++)
        state[i] = !of[i]->state || strcmp(of[i]->state, state_names[STATE_UNKNOWN]) == 0
                       ? state_names[STATE_IDLE]
                       : of[i]->state;
    return strcmp(state[0], state[1]) == 0;
}

/* The distance of two ranges that do not meet; negative: they do. */
static double distance_of(struct extent was, struct extent is)
{
    return fmax(is.low - was.high, was.low - is.high);
}

static struct extent widened(struct extent of, double value)
{
    return (struct extent){value - RANGE_TIMES * (value - of.low), value + RANGE_TIMES * (of.high - value)};
}

/* Whether the ranges of what one thread does in the core, or in L3, lie apart. */
static bool ranges_differ(const struct answer *before, const struct answer *after, double factor)
{
    const bool in_l3 = strstr(before->key, ".L3.") != NULL, in_core = !is_beyond(before) && !in_l3;
    const double first = cell_number(&before->value), second = cell_number(&after->value) * factor;
    const struct extent was = extent_of(before), own = extent_of(after),
                        is = {own.low * factor, own.high * factor};
    const double apart = distance_of(was, is);
    /* NaN, of a value without a range, is no distance. */
    if ((!in_core && !in_l3) || strstr(before->key, ".all.") || answer_is_busy(before) ||
        is_impossible(before) || is_impossible(after) ||
        !(distance_of(widened(was, first), widened(is, second)) > 0))
        return false;
    const bool is_rate = direction_of_unit(before->unit) == DIRECTION_HIGHER;
    const double cycle = is_rate                               ? 0
                         : strcmp(before->unit, "cycles") == 0 ? 1
                         : before->ghz > 0                     ? 1 / before->ghz
                                                               : 0;
    return in_l3 ? apart >= APART_L3 * first : apart >= APART * first && !(apart < APART_CYCLES * cycle);
}

/* Says so where the ranges differ, whatever was decided otherwise. */
static void judge_ranges(struct judgement *j, const struct answer *before, const struct answer *after,
                         enum direction direction, const struct terms *terms)
{
    const double factor = clock_factor(before, after, direction, terms),
                 change = cell_number(&after->value) * factor / cell_number(&before->value) - 1;
    if (!ranges_differ(before, after, factor) || fabs(change) <= terms->threshold)
        return;
    *j = (struct judgement){.outcome = direction * change > 0 ? OUTCOME_WORSE : OUTCOME_BETTER,
                            .loss = direction * change,
                            .low = NAN,
                            .high = NAN,
                            .allowed = fmax(is_beyond(before) ? APART_L3 : APART, terms->threshold),
                            .basis = factor != 1 ? "at equal clock" : NULL,
                            .change = change};
}

struct judgement judge(const struct answer *before, const struct answer *after, const struct terms *terms)
{
    const enum direction direction = direction_of_unit(before->unit);
    const double first = cell_number(&before->value), second = cell_number(&after->value);
    const bool low = is_low(before) || is_low(after), brief = is_beyond(before) && terms->seconds < MOMENT_S;
    const double change = second / first - 1;
    struct judgement j = judgement_apart(NULL);
    if (before->value.type == CELL_TEXT && after->value.type == CELL_TEXT) {
        const char *column = before->sheet_cell ? strrchr(before->sheet_cell, '/') : NULL;
        j.outcome = strcmp(before->value.text, after->value.text) == 0 ? OUTCOME_SAME : OUTCOME_CHANGED;
        return column && strcmp(column, "/size") == 0 ? judgement_apart("set of the run")
               : !is_seen(before) || !is_seen(after)  ? judgement_apart("low trust")
                                                      : j;
    }
    if (isnan(first) || isnan(second) || !same_text(before->unit, after->unit))
        return judgement_apart("no value");
    if (!have_one_state(before, after))
        return judgement_unknown(before, after, change, "other state");
    if (may_agree(before, after) || may_agree(after, before))
        return judgement_apart("a bound");
    if (direction == DIRECTION_NONE && !low)
        return judge_count(before, after, terms->threshold);
    j = is_seen(before) && is_seen(after) && direction != DIRECTION_NONE && first != 0
            ? judge_loss(before, after, direction, terms)
            : judgement_unknown(before, after, change, "low trust");
    /* At low trust beyond the core, or within one moment, a difference may not come again. */
    if (brief || (low && (is_beyond(before) || !have_parts(before, after, LOW_LEAST)))) {
        j = judgement_unknown(before, after, change, brief ? "too short; under a second" : "low trust");
        if (j.differs_now)
            j.why = "differs now; may not repeat";
    }
    if (!outcome_differs(j.outcome) && direction != DIRECTION_NONE && !brief)
        judge_ranges(&j, before, after, direction, terms);
    if (j.outcome == OUTCOME_UNKNOWN && !j.why)
        j.why = low ? "low trust" : "overlap";
    j.core = direction != DIRECTION_NONE && !is_beyond(before) && !answer_is_busy(before);
    return j;
}

struct judgement judge_together(double *loss, size_t count, double threshold)
{
    struct judgement j = judgement_apart("too few");
    if (count < TOGETHER_LEAST)
        return j;
    values_sort(loss, count);
    /* The order statistics around the true median with 99 % (97 % of six). */
    const size_t end = (size_t)(((double)count - 2.576 * sqrt((double)count)) / 2);
    j.low = loss[end];
    j.high = loss[count - 1 - end];
    j.why = NULL;
    j.loss = quantile_of_sorted(loss, count, 0.5);
    j.allowed = fmax(threshold, ASKED_TOGETHER);
    j.outcome = outcome_to(&j, 0, 0, isnan(threshold) ? ASKED_TOGETHER : threshold);
    if (fabs(j.loss) > j.allowed && j.low * j.high <= 0) {
        j.outcome = OUTCOME_UNKNOWN;
        j.why = "by chance";
    }
    return j;
}
