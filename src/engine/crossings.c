/* SPDX-License-Identifier: MIT */
/* From which x on one series stays faster than another, and where it is the slowest: by ratios within rounds, which what slows a whole round leaves alone. */
#include <math.h>
#include <stdlib.h>

#include "base/text.h"
#include "engine/claims.h"
#include "engine/select.h"

/* Of the ratios of each point: their value, those of both halves of the run, and the ends of their interval. */
enum { VALUE, FIRST, SECOND, LOW, HIGH, CURVES };

struct ratios {
    double of[CURVES][STEP_VALUES];
    size_t count, rounds; /* rounds: the fewest of a point */
    size_t worst_at;      /* the slowest point */
    struct estimate worst;
};

/* Points before those that are faster: as few as can be lie on the wrong side, so one disturbed point moves nothing. */
static size_t split_of(const double *ratio, size_t begin, size_t count, double level)
{
    size_t wrong = 0, at = begin;
    for (size_t i = begin; i < count; i++)
        wrong += ratio[i] > level;
    for (size_t i = begin, least = wrong; i < count; i++) {
        wrong = ratio[i] > level ? wrong - 1 : wrong + 1;
        if (wrong < least) {
            least = wrong;
            at = i + 1;
        }
    }
    return at;
}

/* Behind the last octave that is surely slower throughout: what is faster before it does not stay so. */
static size_t begin_of(const double *low, size_t count, double level, unsigned per_octave)
{
    size_t begin = 0, slower = 0;
    for (size_t i = 0; i < count; i++) {
        slower = low[i] > level ? slower + 1 : 0;
        begin = slower >= per_octave ? i + 1 : begin;
    }
    return begin;
}

/* Undisturbed ones, unless these are few. */
static size_t ratios_of_point(const struct engine_data *data, size_t a, size_t b, enum state state,
                              double *ratio)
{
    enum { FEW = 2 * SELECT_LEAST };
    size_t count = 0;
    for (int disturbed = 0; disturbed < 2 && count < FEW; disturbed++) {
        count = 0;
        for (size_t round = 0; round < data->kept; round++) {
            const double x = (double)data->value[round * data->cells + a],
                         y = (double)data->value[round * data->cells + b];
            if (x > 0 && y > 0 && engine_state(data, round, a) == state &&
                engine_state(data, round, b) == state &&
                (disturbed || !(engine_disturbed(data, round, a) || engine_disturbed(data, round, b))))
                ratio[count++] = x / y;
        }
    }
    return count;
}

/* False: a point has too few rounds. */
static bool take_ratios(const struct lab *lab, const struct course *from, const struct course *and,
                        enum state state, struct ratios *ratios)
{
    double *ratio = memory_zeroed(lab->data.kept + 1, sizeof *ratio);
    ratios->rounds = SIZE_MAX;
    ratios->count = from->count < and->count ? from->count : and->count;
    for (size_t i = 0; i < ratios->count; i++) {
        struct estimate e;
        const size_t rounds = ratios_of_point(&lab->data, from->first + i, and->first + i, state, ratio);
        ratios->rounds = rounds < ratios->rounds ? rounds : ratios->rounds;
        estimate_of(ratio, rounds, 0.5, &e);
        if (i == 0 || e.value > ratios->worst.value) {
            ratios->worst = e;
            ratios->worst_at = i;
        }
        ratios->of[VALUE][i] = e.value;
        ratios->of[FIRST][i] = e.first;
        ratios->of[SECOND][i] = e.second;
        ratios->of[LOW][i] = e.low;
        ratios->of[HIGH][i] = e.high;
    }
    free(ratio);
    return ratios->count > 0 && ratios->rounds >= SELECT_LEAST;
}

static struct verdict verdict_of(size_t points, enum leg leg)
{
    return verdict_capped(points > 1 ? leg : LEG_NONE, points > 2 ? leg : LEG_NONE);
}

static void find_crossing(const struct lab *lab, const struct claim *claim, const struct course *course,
                          const struct ratios *ratios, struct result *result)
{
    size_t at[CURVES];
    const size_t count = ratios->count;
    const size_t begin = begin_of(ratios->of[LOW], count, claim->level, course->series->per_octave);
    for (int i = 0; i < CURVES; i++)
        at[i] = split_of(ratios->of[i], begin, count, claim->level);
    result->never = at[LOW] == count;
    size_t sure_points = 0;
    for (size_t i = at[VALUE]; i < count; i++)
        sure_points += ratios->of[HIGH][i] <= claim->level;
    result->has_value = at[VALUE] < count && sure_points >= course->series->per_octave;
    result->always = at[VALUE] == 0;
    result->gain = 1 / ratios->of[VALUE][count - 1];
    const size_t sure = at[HIGH] < count ? at[HIGH] : count - 1, soonest = at[LOW] > 0 ? at[LOW] - 1 : 0;
    const size_t apart = at[FIRST] > at[SECOND] ? at[FIRST] - at[SECOND] : at[SECOND] - at[FIRST];
    struct estimate *e = &result->estimate;
    *e = count_estimate(lab, e->state, ratios->rounds, (double)course_x(course, at[VALUE]));
    e->first = (double)course_x(course, at[FIRST]);
    e->second = (double)course_x(course, at[SECOND]);
    e->summary.p10 = e->placement_low = (double)course_x(course, soonest);
    e->summary.p90 = e->placement_high = (double)course_x(course, sure);
    result->verdict =
        verdict_lesser(verdict_of(sure - at[LOW] + 1, LEG_PRECISION), verdict_of(apart + 1, LEG_REPETITION));
}

void crossings_answer(const struct lab *lab, const struct claim *claim, enum state state,
                      struct result *result)
{
    struct claim other = *claim;
    struct course from, and;
    struct ratios *ratios = memory_zeroed(1, sizeof *ratios);
    other.from = claim->and;
    if (course_of(lab, claim, &from) && course_of(lab, &other, &and) &&
        take_ratios(lab, &from, &and, state, ratios)) {
        result->rounds = ratios->rounds;
        result->estimate = ratios->worst;
        result->estimate.state = state;
        result->has_value = true;
        result->at = course_x(&from, ratios->worst_at);
        if (claim->kind == CLAIM_CROSSING)
            find_crossing(lab, claim, &from, ratios, result);
    }
    free(ratios);
}
