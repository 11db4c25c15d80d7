/* SPDX-License-Identifier: MIT */
/* Metrics about the levels of a curve: one fit of the lower quartiles of its series and one of the
 * medians, and which edge is which level. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "engine/levels.h"
#include "engine/metrics.h"
#include "engine/select.h"

/* NAMED: levels that metrics may name. FEW: samples of a size. */
enum { NAMED = 8, FEW = 8, NONE = -1 };
enum { FLOOR, MEDIAN, FITS };

/* Index of the rest: nth. */
struct fitted {
    const struct metric *metric; /* the first of those that share it */
    struct level_fit fit[FITS];  /* largest: 0: too few sizes */
    double last;                 /* size measured, maybe too rarely to be fitted */
    double shown[NAMED + 1];
    bool range[NAMED + 1];
    int edge[FITS][NAMED + 1];
    struct fitted *next;
};

static bool is_of(const struct metric *metric, const struct metric *other)
{
    return type_of(other)->is_fitted && strcmp(metric->series, other->series) == 0 &&
           metric->last == other->last && metric->first == other->first;
}

/* Undisturbed values of a point in a state; where these are few, of all states; then disturbed ones, too:
 * a sample of a large set lasts longer than a state, and than the time between two switches. */
static size_t values_of(const struct engine_data *data, size_t point, enum state state, double *value)
{
    size_t count = 0;
    for (int wider = 0; wider < 3 && count < FEW; wider++) {
        count = 0;
        for (size_t round = 0; round < data->kept; round++)
            if (engine_fits(data, round, point, wider > 0 ? STATE_MIXED : state, wider > 1))
                value[count++] = engine_value(data, round, point);
    }
    return count;
}

static void fit(const struct lab *lab, const struct course *course, enum state state, struct fitted *fitted)
{
    const char *beyond = fitted->metric->cache.continued_by;
    const struct course *const of[] = {course, beyond ? course_named(lab, beyond) : NULL};
    struct size_samples sizes[SIZES_MOST];
    double *values = memory_zeroed(SIZES_MOST * lab->data.kept + 1, sizeof *values);
    size_t count = 0;
    for (int k = 0; k < 2 && of[k]; k++)
        for (size_t i = 0; i < of[k]->count && count < SIZES_MOST; i++) {
            const double x = (double)course_x(of[k], i);
            double *value = values + count * lab->data.kept;
            if (count == 0 || x > sizes[count - 1].x)
                sizes[count++] =
                    (struct size_samples){x, value, values_of(&lab->data, of[k]->first + i, state, value)};
        }
    fitted->last = count > 0 ? sizes[count - 1].x : 0;
    levels_fit(sizes, &count, 0.25, &fitted->fit[FLOOR]);
    levels_fit(sizes, &count, 0.5, &fitted->fit[MEDIAN]);
    free(values);
}

/* Finds the edge of each level beyond that of the one before: the nearest of those within a factor of two
 * of the size that is shown; of a level that others share, the highest step behind the level before; where no
 * size is shown, the next one. */
static void name_edges(const struct fitted *fitted, const struct level_fit *fit, int *edge)
{
    static const double LIKE = 2;
    int last = edge[0] = NONE;
    for (unsigned nth = 1; nth <= NAMED; nth++) {
        const double shown = fitted->shown[nth];
        const bool range = fitted->range[nth];
        double least = INFINITY;
        edge[nth] = NONE;
        for (int i = last + 1; i < (int)fit->count; i++) {
            const struct level_found *level = &fit->level[i];
            const double x = level->of[LEVEL_EDGE].value, like = shown > 0 ? shown : x,
                         from = range ? LIKE * fitted->shown[nth - 1] : like / LIKE,
                         unlike = range ? -level->of[LEVEL_STEP].value : fabs(log(x / like));
            const bool is_next = i == edge[nth - 1] + 1 && (i == 0) == (nth == 1);
            if (!level->is_there || (level->is_blurred && !range) || unlike >= least ||
                !(shown > 0 ? x >= from && x <= LIKE * shown : is_next))
                continue;
            least = unlike;
            edge[nth] = i;
        }
        last = edge[nth] == NONE ? last : edge[nth];
    }
}

static const struct fitted *fitted_of(struct lab *lab, const struct metric *metric,
                                      const struct course *course, enum state state)
{
    for (struct fitted *one = lab->fitted; one; one = one->next)
        if (is_of(one->metric, metric))
            return one;
    struct fitted *one = memory_zeroed(1, sizeof *one);
    *one = (struct fitted){.metric = metric, .next = lab->fitted};
    lab->fitted = one;
    fit(lab, course, state, one);
    for (const struct metric *other = lab->experiment->metrics; lab->experiment->shown && other->key; other++)
        if (other->kind == METRIC_CACHE_SIZE && is_of(metric, other)) {
            one->shown[other->cache.level] = lab->experiment->shown(lab->own, other);
            one->range[other->cache.level] = other->range;
        }
    for (int k = 0; k < FITS; k++)
        name_edges(one, &one->fit[k], one->edge[k]);
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

/* NULL: none. The hits of a level are behind the edge of the one before. */
static const struct level_value *value_of(const struct fitted *fitted, const struct metric *metric)
{
    const struct level_fit *floor = &fitted->fit[FLOOR];
    const int edge = fitted->edge[FLOOR][metric->cache.level],
              before = fitted->edge[FLOOR][metric->cache.level - 1];
    if (!(floor->largest > 0) ||
        (metric->kind == METRIC_LEVEL_LATENCY ? metric->cache.level > 1 && before == NONE : edge == NONE))
        return NULL;
    if (metric->kind != METRIC_LEVEL_LATENCY)
        return &floor->level[edge].of[metric->kind == METRIC_CACHE_SIZE ? LEVEL_EDGE : LEVEL_STEP];
    return metric->cache.level == 1 || before + 1 < (int)floor->count
               ? &floor->level[before + 1].of[LEVEL_TIME]
               : &floor->level[before].of[LEVEL_BEHIND];
}

/* Whether the level is smeared, or smaller most of the time than at its best; then the interval spans
 * both. */
static bool is_shared(const struct fitted *fitted, unsigned nth, struct level_value *value)
{
    const int usual = fitted->edge[MEDIAN][nth];
    const struct level_value *other =
        usual == NONE ? value : &fitted->fit[MEDIAN].level[usual].of[LEVEL_EDGE];
    const bool parts = other->high < value->low || other->low > value->high;
    if (parts) {
        value->low = fmin(value->low, other->low);
        value->high = fmax(value->high, other->high);
    }
    return parts || fitted->fit[FLOOR].level[fitted->edge[FLOOR][nth]].is_smeared;
}

/* By the half width of the interval and by the halves of the run. */
static struct verdict verdict_of(const struct level_value *value, double promised)
{
    const double half = fmax(value->high / value->value, value->value / value->low) - 1,
                 halves = fmax(value->first / value->second, value->second / value->first) - 1,
                 worse = fmax(half, halves);
    const enum limited_by limited_by = half > promised ? LIMITED_BY_PRECISION : LIMITED_BY_REPETITION;
    return verdict_capped(worse > promised ? limited_by : LIMITED_BY_NONE,
                          worse > MEDIUM ? limited_by : LIMITED_BY_NONE);
}

void cache_answer(struct lab *lab, const struct metric *metric, const struct course *course, enum state state,
                  struct result *result)
{
    const enum state main_state = engine_main_state(&lab->data) == STATE_UNKNOWN ? STATE_UNKNOWN
                                  : lab->experiment->companion                   ? STATE_ACTIVE
                                                                                 : STATE_IDLE;
    if (!lab->is_over || state != main_state)
        return;
    const double promised = type_of(metric)->tolerance(lab, metric, course).relative;
    const struct fitted *fitted = fitted_of(lab, metric, course, state);
    const struct level_fit *floor = &fitted->fit[FLOOR];
    const double largest = floor->largest;
    const int edge = fitted->edge[FLOOR][metric->cache.level],
              before = fitted->edge[FLOOR][metric->cache.level - 1];
    const struct level_value *found = value_of(fitted, metric);
    struct level_value value =
        found ? *found : (struct level_value){largest, largest, largest, largest, largest};
    result->rounds = floor->level[found && edge != NONE ? edge : 0].samples;
    /* The time stays on the level before up to the last size. */
    result->is_bound = metric->kind == METRIC_CACHE_SIZE && !found && largest > 0 &&
                       largest >= fitted->last && before == (int)floor->count - 1 &&
                       LEVEL_LARGER * fitted->shown[metric->cache.level] > largest;
    result->has_value = found || result->is_bound;
    if (!result->has_value)
        return;
    const bool shared = found && metric->kind == METRIC_CACHE_SIZE && metric->range &&
                        is_shared(fitted, metric->cache.level, &value);
    if (metric->unit && strcmp(metric->unit, "ns") == 0) {
        const struct samples *ghz = &lab->run->core_clock->ghz;
        const double cycle = 1 / median_of(ghz->value, ghz->count);
        value = (struct level_value){value.value * cycle, value.low * cycle, value.high * cycle,
                                     value.first * cycle, value.second * cycle};
    }
    struct estimate *e = &result->estimate;
    *e = count_estimate(lab, state, result->rounds,
                        metric->kind == METRIC_CACHE_SIZE ? round(value.value) : value.value);
    e->first = value.first;
    e->second = value.second;
    e->parts = (struct parts){2, {(float)e->first, (float)e->second}};
    e->summary.p10 = e->placement_low = value.low;
    e->summary.p90 = e->placement_high = value.high;
    result->verdict = result->is_bound || shared ? verdict_capped(LIMITED_BY_NONE, LIMITED_BY_REPETITION)
                                                 : verdict_of(&value, promised);
    if (result->is_bound || shared)
        REMARK(result, "%s", shared ? "others have a share" : "ends unknown");
}
