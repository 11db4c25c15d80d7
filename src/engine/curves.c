/* SPDX-License-Identifier: MIT */
/* Finds where the curve of a state rises: its bend, its edge, or between which points it passes a level. */
#include <math.h>

#include "engine/claims.h"
#include "engine/steps.h"
#include "uarchprobe/stats.h"

/* SIDE: least points on each side. TAIL: points for the height behind it, in cycles, of which fewer than RISE_CYCLES may be an
 * accident. */
enum { SIDE = 4, TAIL = 8 };
static const double RISE_CYCLES = 1.5;

/* By least squares through values at 0, 1, ... */
struct line {
    double at_0, slope, residue;
};

static struct line line_through(const double *value, size_t count)
{
    const double n = (double)count, middle = (n - 1) / 2;
    double sum = 0, products = 0;
    for (size_t i = 0; i < count; i++) {
        sum += value[i];
        products += ((double)i - middle) * value[i];
    }
    struct line line = {.slope = products * 12 / (n * (n * n - 1))};
    line.at_0 = sum / n - line.slope * middle;
    for (size_t i = 0; i < count; i++) {
        const double off = value[i] - line.at_0 - line.slope * (double)i;
        line.residue += off * off;
    }
    return line;
}

size_t bend_find(const double *cycles, size_t count)
{
    static const double RISE_SIGMAS = 5;
    double best = INFINITY;
    size_t at = 0;
    for (size_t left = SIDE; left + SIDE <= count; left++) {
        const double residue =
            line_through(cycles, left).residue + line_through(cycles + left, count - left).residue;
        if (residue < best) {
            best = residue;
            at = left;
        }
    }
    if (at == 0)
        return 0;
    /* Height of the last points above the line through the first. */
    const size_t tail = count - at < TAIL ? count - at : TAIL;
    const struct line line = line_through(cycles, at);
    const double rise = median_of(cycles + count - tail, tail) - line.at_0 -
                        line.slope * ((double)count - (double)(tail + 1) / 2);
    const double noise = sqrt(best / (double)(count - 5));
    return rise >= fmax(RISE_CYCLES, RISE_SIGMAS * noise) ? at : 0;
}

size_t edge_find(const double *cycles, size_t count)
{
    static const double RISEN = 0.05, SOON = 0.1, NOISES = 6;
    double off[STEP_VALUES]; /* the line through both neighbours */
    if (count < SIDE + TAIL || count > STEP_VALUES)
        return 0;
    for (size_t i = 1; i + 1 < count; i++)
        off[i - 1] = fabs(cycles[i] - (cycles[i - 1] + cycles[i + 1]) / 2);
    const double rise = median_of(cycles + count - TAIL, TAIL) - median_of(cycles, SIDE),
                 least = RISEN * rise;
    if (rise < RISE_CYCLES || least < NOISES * quantile_of(off, count - 2, 0.25))
        return 0;
    for (size_t at = SIDE; at + SIDE <= count; at++) {
        const double level = median_of(cycles + at - SIDE, SIDE);
        size_t risen = 0;
        while (risen < SIDE && cycles[at + risen] > level + least)
            risen++;
        const double soon = median_of(cycles + at, count - at < TAIL ? count - at : TAIL) - level;
        if (risen == SIDE && cycles[at - 1] <= level + least && soon >= SOON * rise)
            return at;
    }
    return 0;
}

/* Points before the first above a level. */
static size_t level_find(const double *value, size_t count, double level)
{
    size_t at = 0;
    while (at < count && value[at] <= level)
        at++;
    return at;
}

/* By values of the whole run, its halves, and the ends of their intervals. */
enum { VALUE, FIRST, SECOND, LOW, HIGH, CURVES };

static size_t find(const struct claim *claim, const double *value, size_t count)
{
    return claim->kind == CLAIM_LEVEL  ? level_find(value, count, claim->level)
           : claim->kind == CLAIM_EDGE ? edge_find(value, count)
                                       : bend_find(value, count);
}

static struct verdict verdict_of(size_t steps, enum leg leg)
{
    return verdict_capped(steps > 0 ? leg : LEG_NONE, steps > 1 ? leg : LEG_NONE);
}

/* Between a point that is surely below the level and the next that is surely above. */
static void judge_level(const struct claim *claim, const struct course *course, const size_t at[CURVES],
                        const double *value, struct result *result)
{
    const size_t last = course->count - 1, sure = at[HIGH] > 0 ? at[HIGH] - 1 : 0,
                 passed = at[LOW] < last ? at[LOW] : last, octave = passed + course->series->per_octave,
                 apart = at[FIRST] > at[SECOND] ? at[FIRST] - at[SECOND] : at[SECOND] - at[FIRST];
    const double later = value[octave < last ? octave : last];
    result->verdict =
        verdict_lesser(verdict_of(passed - sure - 1, LEG_PRECISION), verdict_of(apart, LEG_REPETITION));
    /* Where an octave further it is not half as high again, it may have passed for another reason. */
    if (later < 1.5 * claim->level)
        result->verdict = verdict_lesser(result->verdict, verdict_capped(LEG_NONE, LEG_PLAUSIBILITY));
    result->estimate.summary.p10 = result->estimate.placement_low = (double)course_x(course, sure);
    result->estimate.summary.p90 = result->estimate.placement_high = (double)course_x(course, passed);
}

/* Points that cannot be taken may come before and behind the others. A curve that stays below a level says no more than "at
 * least". */
void curves_answer(const struct lab *lab, const struct claim *claim, const struct course *course,
                   enum state state, struct result *result)
{
    /* Quantile of the costs, above the few fast samples that belong to the other state. */
    static const double FEW_FAST = 0.25;
    const bool is_level = claim->kind == CLAIM_LEVEL;
    const double quantile = is_level ? lab_quantile(lab) : FEW_FAST;
    struct engine_data data = lab->data;
    struct course taken = *course;
    double of[CURVES][STEP_VALUES];
    size_t count = 0, least = SIZE_MAX, at[CURVES];
    data.cycles = !is_level;
    for (size_t i = 0; i < course->count; i++) {
        struct estimate e;
        if (!engine_estimate(&data, course->first + i, state, quantile, &e) || isnan(e.first))
            continue;
        if (count == 0)
            taken.skipped = course->skipped + i;
        if (course->skipped + i > taken.skipped + count)
            return;
        least = e.summary.count < least ? e.summary.count : least;
        of[VALUE][count] = e.value;
        of[FIRST][count] = e.first;
        of[SECOND][count] = e.second;
        of[LOW][count] = e.low;
        of[HIGH][count++] = e.high;
    }
    if (count == 0)
        return;
    taken.count = count;
    for (int i = 0; i < (is_level ? CURVES : LOW); i++)
        at[i] = find(claim, of[i], count);
    result->rounds = least;
    result->has_value = at[VALUE] > 0 && at[VALUE] < count;
    result->estimate = count_estimate(lab, state, least, (double)steps_x(&taken, at[VALUE]));
    result->estimate.first = (double)steps_x(&taken, at[FIRST]);
    result->estimate.second = (double)steps_x(&taken, at[SECOND]);
    if (result->has_value && is_level)
        judge_level(claim, &taken, at, of[VALUE], result);
}
