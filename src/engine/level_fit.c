/* SPDX-License-Identifier: MIT */
/* From samples to levels with intervals, by resampling. */
#include "engine/levels.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "uarchprobe/random.h"
#include "uarchprobe/stats.h"

enum { SAMPLES_LEAST = 4, SIZES_LEAST = 8, SIZES_BEHIND = 4, RESAMPLES = 100 };

/* No size is believed better, and no value: errors of the model are in all resamples. */
static const double MODEL_ERROR = 0.01;
/* Of a smear: an edge may be shared or hashed; it is none of a level of its own; the part of it by which
 * the mean depends on its form. */
static const double SMEARED = 0.5, BLURRED = 0.6, BY_FORM = 0.25;
/* Share of the resamples that must have an edge within this factor. */
static const double SEEN = 0.95, SAME = 1.5;

static double uniform(uint64_t *state)
{
    return ((double)(random_next(state) >> 11) + 0.5) * 0x1p-53;
}

static double normal(uint64_t *state)
{
    const double radius = sqrt(-2 * log(uniform(state)));
    return radius * cos(6.283185307179586 * uniform(state));
}

/* Quantiles of the samples from one share of the run to another; with a seed, of as many that are drawn of
 * these: the same rounds at all sizes. Errors, by the spread around the quantile, are those of the samples in
 * order. */
static void points_of(const struct size_samples *sizes, size_t count, double quantile, double from, double to,
                      uint64_t seed, struct points *points)
{
    static const double AROUND = 0.3;
    points->count = count;
    for (size_t p = 0; p < count; p++) {
        uint64_t state = seed;
        const size_t begin = (size_t)((double)sizes[p].count * from),
                     of = (size_t)((double)sizes[p].count * to) - begin;
        double *value = memory_zeroed(of, sizeof *value);
        for (size_t r = 0; r < of; r++)
            value[r] = sizes[p].value[begin + (seed ? (size_t)(uniform(&state) * (double)of) : r)];
        points->x[p] = log(sizes[p].x);
        points->time[p] = log(quantile_reordering(value, of, quantile));
        if (!seed) {
            const double spread = log(quantile_reordering(value, of, fmin(quantile + AROUND, 1)) /
                                      quantile_reordering(value, of, fmax(quantile - AROUND, 0)));
            points->error[p] = root_of_squares(MODEL_ERROR, 0.9 * spread / sqrt((double)of));
        }
        free(value);
    }
}

static double answer_of(const struct levels *levels, size_t i, enum level_answer answer)
{
    double time = exp(levels->base);
    for (size_t before = 0; before < i + (answer == LEVEL_BEHIND); before++)
        time += exp(levels->of[before].step);
    return answer == LEVEL_EDGE ? levels->of[i].edge : answer == LEVEL_STEP ? levels->of[i].step : log(time);
}

/* Whether two sizes lie on the level before, and no other edge is so near, or one below it so blurred,
 * that both may be parts of one: a slope is a row of blurred edges. */
static bool is_clear(const struct levels *levels, const struct points *points, size_t i)
{
    static const double FARTHER = 2.5, REACH = 4;
    const double edge = levels->of[i].edge;
    size_t before = 0;
    for (size_t p = 0; p < points->count; p++)
        before += points->x[p] <= edge && (i == 0 || points->x[p] >= levels->of[i - 1].edge);
    bool clear = before >= 2;
    for (size_t other = 0; other < levels->count; other++) {
        const double apart = fabs(edge - levels->of[other].edge), smear = exp(levels->of[other].smear);
        clear &= other == i || apart >= fmax(log(FARTHER), other < i && smear > BLURRED ? REACH * smear : 0);
    }
    return clear;
}

/* How many sizes lie up to four times the edge and below the next one: the level behind is never quite
 * flat. All, with all levels, where hardly any would be left behind the edge. */
static size_t around(size_t i, const struct points *points, struct levels *levels)
{
    static const double AROUND = 4;
    size_t kept = 0, behind = 0;
    if (i + 1 >= levels->count)
        return points->count;
    const double edge = levels->of[i].edge, most = fmin(edge + log(AROUND), levels->of[i + 1].edge);
    for (; kept < points->count && points->x[kept] <= most; kept++)
        behind += points->x[kept] > edge;
    if (behind < SIZES_BEHIND)
        return points->count;
    levels->count = i + 1;
    return kept;
}

/* Fits level i again to the sizes around it; then to the halves of the run and to rounds that are drawn
 * again, with the misfit of the curve added, since the rounds of one run share its errors. */
static void fit_level(const struct size_samples *sizes, double quantile, const struct levels *whole,
                      struct points points, size_t i, struct level_found *found)
{
    enum { FIRST, SECOND, HALVES };
    double again[LEVEL_ANSWERS][HALVES + RESAMPLES];
    struct levels levels = *whole;
    struct points drawn;
    uint64_t state = 1;
    size_t seen = 0;
    const double largest = exp(points.x[points.count - 1]);
    found->is_there = is_clear(whole, &points, i);
    points.count = around(i, &points, &levels);
    levels_descend(&levels, &points);
    for (int k = 0; k < HALVES + RESAMPLES; k++) {
        struct levels one = levels;
        points_of(sizes, points.count, quantile, k == SECOND ? 0.5 : 0, k == FIRST ? 0.5 : 1,
                  k < HALVES ? 0 : random_next(&state) | 1, &drawn);
        memcpy(drawn.error, points.error, sizeof drawn.error);
        for (size_t p = 0; p < points.count && k >= HALVES; p++) {
            const double off = points.time[p] - log(levels_time(&levels, points.x[p]));
            drawn.time[p] += normal(&state) * fmin(fabs(off), 2 * points.error[p]);
        }
        levels_descend(&one, &drawn);
        for (int answer = 0; answer < LEVEL_ANSWERS; answer++)
            again[answer][k] = answer_of(&one, i, answer);
        seen += k >= HALVES && fabs(one.of[i].edge - levels.of[i].edge) < log(SAME);
    }
    const double smear = exp(levels.of[i].smear), form = BY_FORM * fmax(0, smear - LEVEL_SMEAR);
    for (int answer = 0; answer < LEVEL_ANSWERS; answer++) {
        double *const of = again[answer], error = MODEL_ERROR + (answer == LEVEL_EDGE ? form : 0),
                      value = answer_of(&levels, i, answer),
                      low = quantile_reordering(of + HALVES, RESAMPLES, 0.025),
                      high = quantile_reordering(of + HALVES, RESAMPLES, 0.975);
        found->of[answer] =
            (struct level_value){exp(value), exp(fmin(value, low) - error), exp(fmax(value, high) + error),
                                 exp(of[FIRST]), exp(of[SECOND])};
    }
    found->samples = SIZE_MAX;
    for (size_t p = 0; p < points.count; p++)
        if ((i == 0 || points.x[p] >= levels.of[i - 1].edge) && sizes[p].count < found->samples)
            found->samples = sizes[p].count;
    const struct level_value *edge = &found->of[LEVEL_EDGE];
    found->is_there &=
        (double)seen >= SEEN * RESAMPLES && edge->high <= largest && LEVEL_LARGER * edge->value <= largest;
    found->is_smeared = smear > SMEARED;
    found->is_blurred = smear > BLURRED;
}

bool levels_fit(struct size_samples *sizes, size_t *count, double quantile, struct level_fit *fit)
{
    size_t kept = 0;
    *fit = (struct level_fit){0};
    for (size_t i = 0; i < *count; i++) {
        struct size_samples one = {.x = sizes[i].x, .value = sizes[i].value};
        for (size_t r = 0; r < sizes[i].count; r++)
            if (isfinite(one.value[r]) && one.value[r] > 0)
                one.value[one.count++] = one.value[r];
        if (one.count >= SAMPLES_LEAST)
            sizes[kept++] = one;
    }
    *count = kept;
    if (kept < SIZES_LEAST)
        return false;
    struct levels levels;
    struct points points;
    points_of(sizes, kept, quantile, 0, 1, 0, &points);
    levels_find(&levels, &points);
    fit->count = levels.count;
    fit->largest = sizes[kept - 1].x;
    for (size_t i = 0; i == 0 || i < levels.count; i++)
        fit_level(sizes, quantile, &levels, points, i, &fit->level[i]);
    return true;
}
