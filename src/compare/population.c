/* SPDX-License-Identifier: MIT */
/* How far is far at a chance of one in a million cannot be counted among a hundred values; it is extrapolated. A distance is that of a normal
 * distribution, z, times exp(shape z^2 / 2) (Tukey's h): normal noise has a shape of 0, a tail by a power one of 0.2 and more. The shape is
 * read off where the outer fortieth begins, by the mean of the rest: so outliers, fewer than that, do not hide themselves. */
#include "population.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/text.h"
#include "uarchprobe/stats.h"

/* The outer fortieth of the distances, and their rest without the outer tenth. */
static const double OUTER = 0.975, INNER = 0.9;
/* Of a normal distribution: where the outer fortieth begins; the mean distance of the inner nine tenths, and a typical one of them. */
static const double OUTER_Z = 2.2414, INNER_MEAN = 0.6573, INNER_Z = 0.9;
/* Further out a tail by a power is steeper than it is at the fortieth, by this factor. */
static const double STEEPER = 1.8;
/* A heavy tail is assumed of few values; of SOME it counts for half. */
static const double HEAVY = 0.35, SOME = 100;
/* What a shape by n values may be too small by: BIAS / n as few have no fortieth, CHANCE / sqrt(n) by chance. */
static const double BIAS = 1.2, CHANCE = 0.4;
/* The deviation is uncertain, too: the tail of Student's t with a degree of freedom for each value has such a shape, by n. */
static const double STUDENT = 1.2;
/* A shape that is heavier by less than half of what shapes of one distribution differ by, by the root of their values, is no other. */
static const double SPREAD = 0.3, SPREAD_HEAVY = 1.25;
/* Of a float, as a share. */
static const double ROUNDING = 1e-6;
/* Logarithm of the share of the middle that stands for values of 0 and below. */
static const double NOTHING = -6.9;

struct population population_of(const double *value, size_t count, double least)
{
    struct population own = {.least = least};
    double *log_of = memory_zeroed(count, sizeof(*log_of)), inner = 0;
    for (size_t i = 0; i < count; i++)
        if (value[i] > 0)
            log_of[own.count++] = log(value[i]);
    if (own.count >= POPULATION_LEAST) {
        const size_t keep = (size_t)ceil(INNER * (double)own.count);
        own.known = (double)own.count;
        own.middle = quantile_reordering(log_of, own.count, 0.5);
        for (size_t i = 0; i < own.count; i++)
            log_of[i] = fabs(log_of[i] - own.middle);
        values_sort(log_of, own.count);
        for (size_t i = 0; i < keep; i++)
            inner += log_of[i] / (double)keep;
        const double outer = fmax(quantile_of_sorted(log_of, own.count, OUTER), least);
        /* Where most are equal, as counts are, the others alone have a scale. */
        const bool equal = quantile_of_sorted(log_of, own.count, 0.5) < ROUNDING;
        own.deviation = fmax(equal ? outer / OUTER_Z : inner / INNER_MEAN, least);
        if (own.deviation > 0)
            own.shape = 2 * log(outer / own.deviation / OUTER_Z) / (OUTER_Z * OUTER_Z - INNER_Z * INNER_Z) +
                        BIAS / own.known;
    }
    free(log_of);
    return own;
}

void population_share(struct population *of, size_t count)
{
    struct samples shapes = {0};
    double known = 0;
    for (size_t i = 0; i < count; i++)
        if (of[i].count >= POPULATION_SHARE) {
            samples_add(&shapes, of[i].shape);
            known += of[i].known;
        }
    const double middle = fmax(median_of(shapes.value, shapes.count), 0);
    for (size_t i = 0; i < count; i++)
        if (of[i].count >= POPULATION_SHARE) {
            const double by_chance = (SPREAD + SPREAD_HEAVY * middle) / sqrt(of[i].known);
            of[i].shape = fmax(middle, of[i].shape - by_chance);
            of[i].known = known;
        }
    samples_free(&shapes);
}

/* The deviations beyond which a value of a normal distribution lies with that chance, on either side. */
static double normal_deviations(double chance)
{
    double near = 0, far = 40;
    while (far - near > 1e-6) {
        const double z = (near + far) / 2;
        *(erfc(z / sqrt(2)) > chance ? &near : &far) = z;
    }
    return far;
}

double population_far(const struct population *of, double chance)
{
    if (of->count < POPULATION_LEAST)
        return INFINITY;
    const double z = normal_deviations(chance), n = (double)of->count,
                 weight = of->known / (of->known + SOME);
    const double own = STEEPER * fmax(of->shape, 0) + CHANCE / sqrt(of->known);
    const double shape = fmax(weight * own + (1 - weight) * HEAVY, STUDENT / n);
    return of->deviation * z * exp(shape * z * z / 2) * sqrt(1 + 2 / n) + of->least;
}

double population_off(const struct population *of, double value)
{
    return value > 0 ? log(value) - of->middle : NOTHING;
}
