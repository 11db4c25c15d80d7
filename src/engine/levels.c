/* SPDX-License-Identifier: MIT */
/* Finds where a curve passes a level: between a point that is surely below it and the next that is surely above. */
#include <math.h>

#include "engine/claims.h"
#include "engine/engine_internal.h"

/* Points before the first above a level. */
static size_t below(const double *value, size_t count, double level)
{
    size_t at = 0;
    while (at < count && value[at] <= level)
        at++;
    return at;
}

static struct verdict verdict_of(size_t steps, enum leg leg)
{
    return verdict_capped(steps > 0 ? leg : LEG_NONE, steps > 1 ? leg : LEG_NONE);
}

static size_t apart(size_t a, size_t b)
{
    return a > b ? a - b : b - a;
}

void levels_answer(const struct lab *lab, const struct claim *claim, const struct course *course,
                   enum state state, struct result *result)
{
    enum { VALUE, LOW, HIGH, FIRST, SECOND, CURVES };
    double of[CURVES][LEVEL_POINTS];
    struct engine_data shares = lab->data;
    size_t count = 0, at[CURVES];
    shares.cycles = false;
    result->rounds = SIZE_MAX;
    for (; count < course->count; count++) {
        struct estimate e;
        if (!engine_estimate(&shares, course->first + count, state, lab_quantile(lab), &e))
            break;
        of[VALUE][count] = e.value;
        of[LOW][count] = e.low;
        of[HIGH][count] = e.high;
        of[FIRST][count] = isnan(e.first) ? e.value : e.first;
        of[SECOND][count] = isnan(e.second) ? e.value : e.second;
        result->rounds = e.summary.count < result->rounds ? e.summary.count : result->rounds;
    }
    for (int i = 0; i < CURVES; i++)
        at[i] = below(of[i], count, claim->level);
    /* A curve that stays below says no more than "at least". */
    result->has_value = at[VALUE] > 0 && at[VALUE] < count;
    if (!result->has_value)
        return;
    const size_t sure = at[HIGH] > 0 ? at[HIGH] - 1 : 0, passed = at[LOW] < count ? at[LOW] : count - 1,
                 octave = passed + course->series->per_octave;
    const double x = (double)course_x(course, at[VALUE] - 1), low = (double)course_x(course, sure),
                 high = (double)course_x(course, passed),
                 later = of[VALUE][octave < count ? octave : count - 1];
    result->verdict = verdict_lesser(verdict_of(passed - sure - 1, LEG_PRECISION),
                                     verdict_of(apart(at[FIRST], at[SECOND]), LEG_REPETITION));
    /* Where an octave further it is not half as high again, it may have passed for another reason. */
    if (later < 1.5 * claim->level)
        result->verdict = verdict_lesser(result->verdict, verdict_capped(LEG_NONE, LEG_PLAUSIBILITY));
    result->estimate = (struct estimate){.state = state,
                                         .summary = {.count = result->rounds, .p10 = low, .p90 = high},
                                         .value = x,
                                         .low = x,
                                         .high = x,
                                         .first = x,
                                         .second = x,
                                         .placement_low = low,
                                         .placement_high = high,
                                         .indifferent = true,
                                         .unproved = state == STATE_IDLE && !lab->data.reading.sure};
}
