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

enum { SAMPLES_LEAST = 4, SIZES_LEAST = 8, RESAMPLES = 120 };

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
 * rounds at all sizes. */
static void points_of(const struct taken *taken, double quantile, double from, double to, uint64_t seed,
                      struct points *points)
{
    static const double AROUND = 0.3;
    points->count = taken->count;
    for (size_t p = 0; p < taken->count; p++) {
        uint64_t state = seed;
        const size_t begin = (size_t)((double)taken->samples[p] * from),
                     end = (size_t)((double)taken->samples[p] * to), count = end - begin;
        double *value = taken->all; /* room for those of one size */
        for (size_t r = 0; r < count; r++)
            value[r] = taken->value[p][begin + (seed ? (size_t)(uniform(&state) * (double)count) : r)];
        values_sort(value, count);
        points->x[p] = taken->x[p];
        points->size[p] = exp(taken->x[p]);
        points->time[p] = quantile_of_sorted(value, count, quantile);
        const double spread = quantile_of_sorted(value, count, fmin(quantile + AROUND, 1)) -
                              quantile_of_sorted(value, count, fmax(quantile - AROUND, 0));
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

/* What is answered of levels: of level i the logarithms of its edge, its step, and the time of its hits. */
enum { EDGE, STEP, TIME, ASKED };
static void answers_of(const struct levels *levels, double of[LEVELS_MOST + 1][ASKED])
{
    double time = exp(levels->base);
    for (size_t i = 0; i <= levels->count; i++) {
        of[i][TIME] = log(time);
        if (i == levels->count)
            break;
        of[i][EDGE] = levels->of[i].edge;
        of[i][STEP] = levels->of[i].step;
        time += exp(levels->of[i].step);
    }
}

static bool is_near(const struct levels *levels, size_t i, size_t other)
{
    static const double FARTHER = 2.5;
    return other < levels->count && (fabs(levels->of[i].edge - levels->of[other].edge) < log(FARTHER) ||
                                     levels->of[other].smear > log(BLURRED));
}

/* Nearly all resamples have it, two sizes lie on the level before, and no other edge is near: closer edges may be one, and a slope
 * is a row of blurred edges. */
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

/* Resamples rounds, and adds the curve's own misfit to its points, since the rounds of one run share its errors. */
static void resample(const struct taken *taken, double quantile, const struct points *points,
                     struct level_fit *fit)
{
    static const uint64_t SEED = UINT64_C(0x5851f42d4c957f2d);
    double again[LEVELS_MOST + 1][ASKED][RESAMPLES], of[LEVELS_MOST + 1][ASKED],
        half[2][LEVELS_MOST + 1][ASKED];
    size_t seen[LEVELS_MOST] = {0};
    uint64_t state = SEED;
    struct points drawn;
    for (int k = -2; k < RESAMPLES; k++) {
        struct levels levels = fit->at;
        points_of(taken, quantile, k == -1 ? 0.5 : 0, k == -2 ? 0.5 : 1, k < 0 ? 0 : random_next(&state) | 1,
                  &drawn);
        for (size_t p = 0; p < points->count && k >= 0; p++) {
            const double off = points->time[p] - log(levels_time(&fit->at, points->x[p]));
            drawn.time[p] += normal(&state) * fmin(fabs(off), 2 * points->error[p]);
        }
        memcpy(drawn.error, points->error, sizeof drawn.error);
        levels_descend(&levels, &drawn);
        answers_of(&levels, k < 0 ? half[k + 2] : of);
        for (size_t i = 0; i <= levels.count && k >= 0; i++) {
            for (int asked = 0; asked < ASKED; asked++)
                again[i][asked][k] = of[i][asked];
            if (i < levels.count)
                seen[i] += fabs(levels.of[i].edge - fit->at.of[i].edge) < log(SAME);
        }
    }
    answers_of(&fit->at, of);
    for (size_t i = 0; i <= fit->at.count; i++) {
        struct level_value *const value[] = {&fit->edge[i], &fit->step[i], &fit->time[i]};
        for (int asked = i < fit->at.count ? EDGE : TIME; asked < ASKED; asked++)
            *value[asked] = value_of(again[i][asked], of[i][asked], half[0][i][asked], half[1][i][asked],
                                     asked == EDGE ? edge_error(&fit->at.of[i]) : MODEL_ERROR);
        if (i == fit->at.count)
            break;
        fit->is_there[i] = is_there(&fit->at, points, i, seen[i]);
        fit->is_smeared[i] = fit->at.of[i].smear > log(SMEARED);
    }
}

static size_t samples_of(const struct taken *taken, const struct levels *levels, size_t i)
{
    static const double AROUND = 4;
    const double from = i > 0 ? levels->of[i - 1].edge : -INFINITY,
                 to = i < levels->count ? levels->of[i].edge + log(AROUND) : INFINITY;
    size_t least = SIZE_MAX;
    for (size_t p = 0; p < taken->count; p++)
        if (taken->x[p] >= from && taken->x[p] <= to && taken->samples[p] < least)
            least = taken->samples[p];
    return least < SIZE_MAX ? least : 0;
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
        levels_find(&fit->at, &points);
        resample(&taken, quantile, &points, fit);
        fit->largest = exp(taken.x[taken.count - 1]);
        for (size_t i = 0; i <= fit->at.count; i++)
            fit->samples[i] = samples_of(&taken, &fit->at, i);
    }
    free(taken.all);
    return is_enough;
}
