/* SPDX-License-Identifier: MIT */
/* Claims about the levels of a curve: one fit of the floor of its series and one of the median, and which edge is which level. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "engine/claims.h"
#include "engine/level_fit.h"
#include "uarchprobe/stats.h"

/* NAMED: levels that claims may name. FEW: samples of a size. */
enum { NAMED = 8, FEW = 8, NONE = -1 };
static const double FLOOR = 0.25, LARGER = 2; /* the largest size, that an edge is seen */

/* The fits of a series. */
struct fitted {
    const struct claim *claim; /* the first of those that share them */
    enum state state;
    bool has_fit;
    struct level_fit floor, median;
    double shown[NAMED + 1]; /* index: nth */
    bool is_range[NAMED + 1];
    int edge[NAMED + 1]; /* of the floor */
    struct fitted *next;
};

static bool is_of(const struct claim *claim, const struct claim *other)
{
    const bool same_and =
        claim->and &&other->and ? strcmp(claim->and, other->and) == 0 : claim->and == other->and;
    return claim_is_fitted(other) && strcmp(claim->from, other->from) == 0 && same_and &&
           claim->first == other->first && claim->last == other->last;
}

/* Values of a point in a state, undisturbed ones; where these are few, of all states; then disturbed ones, too: a sample of a large
 * set lasts longer than a state, and than the time between two switches. */
static size_t values_of(const struct lab *lab, size_t point, enum state state, double less, double *value)
{
    const struct engine_data *data = &lab->data;
    size_t count = 0;
    for (int wider = 0; wider < 3 && count < FEW; wider++) {
        count = 0;
        for (size_t round = 0; round < data->kept; round++) {
            const double one = engine_value(data, round, point);
            if (!isnan(one) && (wider > 1 || !engine_disturbed(data, round, point)) &&
                (wider > 0 || engine_state(data, round, point) == state))
                value[count++] = one - less;
        }
    }
    return count;
}

/* Adds the points of a series that lie beyond those before. */
static size_t add_sizes(const struct lab *lab, const struct course *course, enum state state, double less,
                        struct size_samples *sizes, size_t count)
{
    for (size_t i = 0; i < course->count && count < SIZES_MOST; i++) {
        const double x = (double)course_x(course, i);
        if (count > 0 && x <= sizes[count - 1].x)
            continue;
        double *value = memory_zeroed(lab->data.kept + 1, sizeof *value);
        sizes[count++] =
            (struct size_samples){x, value, values_of(lab, course->first + i, state, less, value)};
    }
    return count;
}

static void fit(const struct lab *lab, const struct course *course, struct fitted *fitted)
{
    const struct claim *claim = fitted->claim;
    const struct course *beyond = claim->and ? course_named(lab, claim->and) : NULL;
    const struct result *less = lab_result(lab, claim->less, fitted->state);
    struct size_samples sizes[SIZES_MOST];
    size_t count =
        add_sizes(lab, course, fitted->state, less && less->has_value ? less->estimate.value : 0, sizes, 0);
    if (beyond)
        count = add_sizes(lab, beyond, fitted->state, 0, sizes, count);
    fitted->has_fit =
        levels_fit(sizes, count, FLOOR, &fitted->floor) && levels_fit(sizes, count, 0.5, &fitted->median);
    for (size_t i = 0; i < count; i++)
        free((void *)sizes[i].value);
}

/* How unlike the level edge i is, INFINITY: it is another. A size within a factor of two of the one that is shown is like it; of a
 * level shared with others, any that is not like the level before, the highest step first. */
static double unlike(const struct fitted *fitted, int nth, size_t i)
{
    static const double LIKE = 2;
    const struct level_fit *floor = &fitted->floor;
    const double shown = fitted->shown[nth], x = floor->edge[i].value;
    if (!floor->is_there[i] || (shown > 0 && x > LIKE * shown))
        return INFINITY;
    if (!(shown > 0))
        return x;
    if (fitted->is_range[nth])
        return x > LIKE * fitted->shown[nth - 1] ? -floor->step[i].value : INFINITY;
    return x * LIKE < shown ? INFINITY : fabs(log(x / shown));
}

/* Finds the edge of each level beyond that of the one before; where no size is shown, edges are counted. */
static void name_edges(const struct lab *lab, struct fitted *fitted)
{
    const struct claim *claims = lab->experiment->claims;
    int last = NONE;
    for (size_t c = 0; c < lab->claims; c++) {
        const unsigned nth = claims[c].nth;
        if (!is_of(fitted->claim, &claims[c]) || nth == 0 || nth > NAMED)
            continue;
        fitted->is_range[nth] |= claims[c].range && claims[c].kind == CLAIM_CAPACITY;
        if (lab->experiment->shown)
            fitted->shown[nth] = lab->experiment->shown(lab->own, &claims[c]);
    }
    for (int nth = 1; nth <= NAMED; nth++) {
        double least = INFINITY;
        fitted->edge[nth] = NONE;
        for (size_t i = (size_t)(last + 1); i < fitted->floor.at.count; i++)
            if (unlike(fitted, nth, i) < least) {
                least = unlike(fitted, nth, i);
                fitted->edge[nth] = (int)i;
            }
        last = fitted->edge[nth] == NONE ? last : fitted->edge[nth];
    }
}

static const struct fitted *fitted_of(struct lab *lab, const struct claim *claim, const struct course *course,
                                      enum state state)
{
    for (struct fitted *one = lab->fitted; one; one = one->next)
        if (one->state == state && is_of(one->claim, claim))
            return one;
    struct fitted *one = memory_zeroed(1, sizeof *one);
    *one = (struct fitted){.claim = claim, .state = state, .next = lab->fitted};
    lab->fitted = one;
    fit(lab, course, one);
    name_edges(lab, one);
    return one;
}

void fitted_free(struct lab *lab)
{
    while (lab->fitted) {
        struct fitted *next = lab->fitted->next;
        free(lab->fitted);
        lab->fitted = next;
    }
}

/* The index of the level that a claim reads, NONE: it is not there. The hits of a level are behind the edge of the one before. */
static int level_of(const struct fitted *fitted, const struct claim *claim)
{
    const struct level_fit *floor = &fitted->floor;
    const int last = (int)floor->at.count,
              before = claim->nth > 1 && claim->nth <= NAMED + 1 ? fitted->edge[claim->nth - 1] : NONE;
    if (claim->kind != CLAIM_HIT)
        return claim->nth > 0 && claim->nth <= NAMED ? fitted->edge[claim->nth] : NONE;
    if (claim->nth == 1)
        return 0;
    if (claim->nth > 1)
        return before == NONE || floor->largest < LARGER * floor->edge[before].value ? NONE : before + 1;
    return last > 0 && floor->largest < LARGER * floor->edge[last - 1].value ? NONE : last;
}

static double ghz_of(const struct lab *lab)
{
    struct samples ghz = {0};
    for (size_t i = 0; i < lab->data.moments; i++)
        samples_add(&ghz, lab->data.moment[i].ghz);
    const double median = quantile_of(ghz.value, ghz.count, 0.5);
    samples_free(&ghz);
    return median;
}

static enum leg leg_beyond(double apart, double most, enum leg leg)
{
    return apart <= most ? LEG_NONE : leg;
}

/* By the half width of the interval and by the halves of the run. */
static struct verdict verdict_of(const struct level_value *value, double promised)
{
    const double half = fmax(value->high / value->value, value->value / value->low) - 1,
                 halves = fmax(value->first / value->second, value->second / value->first) - 1;
    const struct verdict width = verdict_capped(leg_beyond(half, promised, LEG_PRECISION),
                                                leg_beyond(half, MEDIUM, LEG_PRECISION)),
                         twice = verdict_capped(leg_beyond(halves, promised, LEG_REPETITION),
                                                leg_beyond(halves, MEDIUM, LEG_REPETITION));
    return verdict_lesser(width, twice);
}

/* Whether the level is smaller most of the time than at its best; then the interval spans both. */
static bool is_shared(const struct fitted *fitted, int edge, struct level_value *value)
{
    const struct level_fit *median = &fitted->median;
    const struct level_value *usual = NULL;
    const double before = edge > 0 ? fitted->floor.edge[edge - 1].value : 0;
    for (size_t i = 0; i < median->at.count; i++)
        if (median->is_there[i] && median->edge[i].low > before &&
            (!usual ||
             fabs(log(median->edge[i].value / value->value)) < fabs(log(usual->value / value->value))))
            usual = &median->edge[i];
    const bool parts = usual && (usual->high < value->low || usual->low > value->high);
    if (parts) {
        value->low = fmin(value->low, usual->low);
        value->high = fmax(value->high, usual->high);
    }
    return parts || fitted->floor.is_smeared[edge];
}

/* The edge of a level, or NONE. Where it lies near the largest size, or where the time stays on the level before up to the largest,
 * of which twice as much is shown, there is a bound. */
static bool capacity_of(const struct fitted *fitted, const struct claim *claim, int level,
                        struct level_value *value, struct result *result)
{
    const struct level_fit *floor = &fitted->floor;
    const double shown = claim->nth <= NAMED ? fitted->shown[claim->nth] : 0;
    const int before = claim->nth > 1 && claim->nth <= NAMED ? fitted->edge[claim->nth - 1] : NONE;
    if (level == NONE) {
        *value = (struct level_value){.value = floor->largest};
        result->is_bound = before == (int)floor->at.count - 1 && LARGER * shown > floor->largest;
        return result->is_bound;
    }
    result->is_bound = LARGER * value->value > floor->largest || value->high > floor->largest;
    if (result->is_bound)
        value->value = value->low;
    else
        result->is_shared = claim->range && is_shared(fitted, level, value);
    return true;
}

void fitted_answer(struct lab *lab, const struct claim *claim, enum state state, double promised,
                   struct result *result)
{
    const enum state main = engine_main_state(&lab->data) == STATE_UNKNOWN ? STATE_UNKNOWN
                            : lab->experiment->companion                   ? STATE_ACTIVE
                                                                           : STATE_IDLE;
    struct course course;
    if (!lab->is_over || state != main || !course_of(lab, claim, &course))
        return;
    const struct fitted *fitted = fitted_of(lab, claim, &course, state);
    const struct level_fit *floor = &fitted->floor;
    const int level = fitted->has_fit ? level_of(fitted, claim) : NONE;
    struct level_value value = {0};
    if (level != NONE)
        value = claim->kind == CLAIM_CAPACITY ? floor->edge[level]
                : claim->kind == CLAIM_MISS   ? floor->step[level]
                                              : floor->time[level];
    result->rounds = floor->samples[level != NONE ? level : 0];
    result->has_value =
        fitted->has_fit &&
        (claim->kind == CLAIM_CAPACITY ? capacity_of(fitted, claim, level, &value, result) : level != NONE);
    if (!result->has_value)
        return;
    const bool is_bound = result->is_bound;
    const double unit = claim->unit && strcmp(claim->unit, "ns") == 0 ? 1 / ghz_of(lab) : 1;
    struct estimate *e = &result->estimate;
    *e = count_estimate(lab, state, result->rounds,
                        claim->kind == CLAIM_CAPACITY ? round(value.value) : value.value * unit);
    result->verdict = is_bound || result->is_shared ? verdict_capped(LEG_NONE, LEG_REPETITION)
                                                    : verdict_of(&value, promised);
    if (!is_bound) {
        e->first = value.first * unit;
        e->second = value.second * unit;
        e->parts = (struct parts){2, {(float)e->first, (float)e->second}};
    }
    e->summary.p10 = e->placement_low = is_bound ? e->value : value.low * unit;
    e->summary.p90 = e->placement_high = is_bound ? e->value : value.high * unit;
}
