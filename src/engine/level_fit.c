/* SPDX-License-Identifier: MIT */
/* From samples to levels with intervals, by resampling. */
#include "engine/level_fit.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "uarchprobe/random.h"
#include "uarchprobe/stats.h"

enum { SAMPLES_LEAST = 4, SIZES_LEAST = 8, RESAMPLES = 100 };

/* No size is believed better, and no value: errors of the model are in all resamples. */
static const double MODEL_ERROR = 0.01;
/* Of a smear: an edge may be shared or hashed; it is none; the part of it by which the mean depends on its form. */
static const double SMEARED = 0.5, BLURRED = 0.6, BY_FORM = 0.25;
/* Share of the resamples that must have an edge within this factor. */
static const double SEEN = 0.95, SAME = 1.5;

/* Logarithms of the samples that count. */
struct taken {
    size_t count, samples[SIZES_MOST];
    double x[SIZES_MOST], *value[SIZES_MOST], *all;
};

static double uniform(uint64_t *state)
{
    return ((double)(random_next(state) >> 11) + 0.5) * 0x1p-53;
}

static double normal(uint64_t *state)
{
    const double radius = sqrt(-2 * log(uniform(state)));
    return radius * cos(6.283185307179586 * uniform(state));
}

/* Quantiles of the samples from one share of the run to another; with a seed, of as many that are drawn of these: the same
 * rounds at all sizes. Errors are those that the caller sets. */
static void points_of(const struct taken *taken, double quantile, double from, double to, uint64_t seed,
                      struct points *points)
{
    points->count = taken->count;
    for (size_t p = 0; p < taken->count; p++) {
        uint64_t state = seed;
        const size_t begin = (size_t)((double)taken->samples[p] * from),
                     end = (size_t)((double)taken->samples[p] * to), count = end - begin;
        double *value = taken->all; /* room for those of one size */
        for (size_t r = 0; r < count; r++)
            value[r] = taken->value[p][begin + (seed ? (size_t)(uniform(&state) * (double)count) : r)];
        points->x[p] = taken->x[p];
        points->size[p] = exp(taken->x[p]);
        points->time[p] = quantile_reordering(value, count, quantile);
    }
}

/* By the spread around the quantile. */
static void set_errors(const struct taken *taken, double quantile, struct points *points)
{
    static const double AROUND = 0.3;
    for (size_t p = 0; p < taken->count; p++) {
        const size_t count = taken->samples[p];
        const double spread = quantile_of(taken->value[p], count, fmin(quantile + AROUND, 1)) -
                              quantile_of(taken->value[p], count, fmax(quantile - AROUND, 0));
        points->error[p] = root_of_squares(MODEL_ERROR, 0.9 * spread / sqrt((double)count));
    }
}

static void take(const struct size_samples *sizes, size_t count, struct taken *taken)
{
    size_t samples = 0, most = 0;
    for (size_t i = 0; i < count; i++) {
        samples += sizes[i].count;
        most = sizes[i].count > most ? sizes[i].count : most;
    }
    taken->all = memory_zeroed(samples + most + 1, sizeof *taken->all);
    double *next = taken->all + most;
    for (size_t i = 0; i < count && taken->count < SIZES_MOST; i++) {
        const size_t p = taken->count;
        taken->x[p] = log(sizes[i].x);
        taken->value[p] = next;
        taken->samples[p] = 0;
        for (size_t r = 0; r < sizes[i].count; r++)
            if (isfinite(sizes[i].value[r]) && sizes[i].value[r] > 0)
                next[taken->samples[p]++] = log(sizes[i].value[r]);
        if (taken->samples[p] < SAMPLES_LEAST || !(p == 0 || taken->x[p] > taken->x[p - 1]))
            continue;
        next += taken->samples[p];
        taken->count++;
    }
}

/* Answers about level i, logarithms: its edge, its step, the time of its hits and of its misses. */
enum { EDGE, STEP, TIME, BEHIND, ASKED };
static void answers_of(const struct levels *levels, size_t i, double of[ASKED])
{
    double time = exp(levels->base);
    for (size_t before = 0; before < i; before++)
        time += exp(levels->of[before].step);
    const bool any = i < levels->count;
    of[EDGE] = any ? levels->of[i].edge : 0;
    of[STEP] = any ? levels->of[i].step : 0;
    of[TIME] = log(time);
    of[BEHIND] = log(time + (any ? exp(of[STEP]) : 0));
}

/* Whether another edge is so near, or so blurred, that both may be parts of one. */
static bool is_near(const struct levels *levels, size_t i, size_t other)
{
    static const double FARTHER = 2.5, REACH = 3.5;
    if (other >= levels->count)
        return false;
    const double apart = fabs(levels->of[i].edge - levels->of[other].edge), smear = levels->of[other].smear;
    return apart < log(FARTHER) || (smear > log(BLURRED) && apart < REACH * exp(smear));
}

/* Nearly all resamples have it, two sizes lie on the level before, and no other edge is near: a slope is a row of blurred edges. */
static bool is_there(const struct levels *levels, const struct points *points, size_t i, size_t seen)
{
    size_t before = 0;
    for (size_t p = 0; p < points->count; p++)
        before += points->x[p] <= levels->of[i].edge && (i == 0 || points->x[p] >= levels->of[i - 1].edge);
    return before >= 2 && (double)seen >= SEEN * RESAMPLES && levels->of[i].smear <= log(BLURRED) &&
           !is_near(levels, i, i - 1) && !is_near(levels, i, i + 1);
}

/* The mean of a smeared edge depends on how it is smeared. */
static double edge_error(const struct level *level)
{
    return MODEL_ERROR + BY_FORM * fmax(0, exp(level->smear) - LEVEL_SMEAR);
}

static struct level_value value_of(double again[RESAMPLES], double value, double first, double second,
                                   double error)
{
    values_sort(again, RESAMPLES);
    return (struct level_value){
        exp(value), exp(fmin(value, quantile_of_sorted(again, RESAMPLES, 0.025)) - error),
        exp(fmax(value, quantile_of_sorted(again, RESAMPLES, 0.975)) + error), exp(first), exp(second)};
}

/* Leaves out the sizes beyond four times the edge, and beyond the next one, with the levels there, unless too few are left. */
static void keep_around(size_t i, struct taken *taken, struct levels *levels)
{
    enum { SIZES_BEHIND = 4 };
    static const double AROUND = 4;
    if (i + 1 >= levels->count)
        return;
    const double most = fmin(levels->of[i].edge + log(AROUND), levels->of[i + 1].edge);
    size_t kept = 0, behind = 0;
    for (; kept < taken->count && taken->x[kept] <= most; kept++)
        behind += taken->x[kept] > levels->of[i].edge;
    if (behind < SIZES_BEHIND)
        return;
    taken->count = kept;
    levels->count = i + 1;
}

/* Fits level i again to the sizes around it, as the one behind is never quite flat; then to the halves of the run and to rounds
 * that are drawn again, with the misfit of the curve added, since the rounds of one run share its errors. */
static void fit_level(struct taken taken, double quantile, size_t i, struct level_fit *fit)
{
    static const uint64_t SEED = UINT64_C(0x5851f42d4c957f2d);
    const bool any = fit->at.count > 0;
    double again[ASKED][RESAMPLES], of[ASKED], half[2][ASKED];
    struct level_value value[ASKED];
    struct levels levels = fit->at;
    struct points points, drawn;
    uint64_t state = SEED;
    size_t seen = 0;
    keep_around(i, &taken, &levels);
    points_of(&taken, quantile, 0, 1, 0, &points);
    set_errors(&taken, quantile, &points);
    memcpy(drawn.error, points.error, sizeof drawn.error);
    levels_descend(&levels, &points);
    for (int k = -2; k < RESAMPLES; k++) {
        struct levels one = levels;
        points_of(&taken, quantile, k == -1 ? 0.5 : 0, k == -2 ? 0.5 : 1, k < 0 ? 0 : random_next(&state) | 1,
                  &drawn);
        for (size_t p = 0; p < points.count && k >= 0; p++) {
            const double off = points.time[p] - log(levels_time(&levels, points.x[p]));
            drawn.time[p] += normal(&state) * fmin(fabs(off), 2 * points.error[p]);
        }
        levels_descend(&one, &drawn);
        answers_of(&one, i, k < 0 ? half[k + 2] : of);
        for (int asked = 0; asked < ASKED && k >= 0; asked++)
            again[asked][k] = of[asked];
        seen += k >= 0 && any && fabs(one.of[i].edge - levels.of[i].edge) < log(SAME);
    }
    answers_of(&levels, i, of);
    for (int asked = 0; asked < ASKED; asked++)
        value[asked] = value_of(again[asked], of[asked], half[0][asked], half[1][asked],
                                asked == EDGE && any ? edge_error(&levels.of[i]) : MODEL_ERROR);
    fit->samples[i] = SIZE_MAX;
    for (size_t p = 0; p < taken.count; p++)
        if ((i == 0 || taken.x[p] >= levels.of[i - 1].edge) && taken.samples[p] < fit->samples[i])
            fit->samples[i] = taken.samples[p];
    fit->time[i] = value[TIME];
    if (!any)
        return;
    fit->edge[i] = value[EDGE];
    fit->step[i] = value[STEP];
    fit->time[i + 1] = value[BEHIND];
    fit->samples[i + 1] = fit->samples[i];
    fit->is_there[i] = is_there(&fit->at, &points, i, seen);
    fit->is_smeared[i] = levels.of[i].smear > log(SMEARED);
}

bool levels_fit(const struct size_samples *sizes, size_t count, double quantile, struct level_fit *fit)
{
    struct taken taken = {0};
    struct points points;
    *fit = (struct level_fit){0};
    take(sizes, count, &taken);
    const bool is_enough = taken.count >= SIZES_LEAST;
    if (is_enough) {
        points_of(&taken, quantile, 0, 1, 0, &points);
        set_errors(&taken, quantile, &points);
        levels_find(&fit->at, &points);
        fit->largest = exp(taken.x[taken.count - 1]);
        for (size_t i = 0; i == 0 || i < fit->at.count; i++)
            fit_level(taken, quantile, i, fit);
    }
    free(taken.all);
    return is_enough;
}
