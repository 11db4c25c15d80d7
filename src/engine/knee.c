/* SPDX-License-Identifier: MIT */
/* Step and two-line detectors. */
#include "uarchprobe/knee.h"

#include <math.h>

#include "uarchprobe/stats.h"

enum { STEP_SIDE = 8, LINE_SIDE = 4 };

struct knee knee_step(const double *value, size_t count)
{
    struct knee knee = {.found = false};
    double sum = 0, left_sum = 0, best = 0;

    for (size_t i = 0; i < count; i++)
        sum += value[i];
    for (size_t left = 1; left < count; left++) {
        double n_left = (double)left, n_right = (double)(count - left), explained;

        left_sum += value[left - 1];
        explained = left_sum / n_left - (sum - left_sum) / n_right;
        explained *= explained * n_left * n_right / (double)count;
        if (explained > best) {
            best = explained;
            knee.last = left - 1;
        }
    }
    if (best <= 0)
        return knee;
    /* Of the points next to the break, at most STEP_SIDE on each side. */
    const size_t left = knee.last + 1, right = count - left;
    const size_t before = left < STEP_SIDE ? left : STEP_SIDE, after = right < STEP_SIDE ? right : STEP_SIDE;
    knee.found = true;
    knee.jump = median_of(value + left, after) - median_of(value + left - before, before);
    return knee;
}

/* Sums of a run of points, from which its least-squares line follows. */
struct sums {
    double n, x, y, xx, xy, yy;
};

static void sums_add(struct sums *sums, double x, double y, double weight)
{
    sums->n += weight;
    sums->x += weight * x;
    sums->y += weight * y;
    sums->xx += weight * x * x;
    sums->xy += weight * x * y;
    sums->yy += weight * y * y;
}

static double sums_slope(const struct sums *s)
{
    return (s->n * s->xy - s->x * s->y) / (s->n * s->xx - s->x * s->x);
}

static double sums_at(const struct sums *s, double x)
{
    return s->y / s->n + sums_slope(s) * (x - s->x / s->n);
}

/* Squared residues; never below 0, which rounding could do. */
static double sums_residue(const struct sums *s)
{
    double centred = s->yy - s->y * s->y / s->n;

    return fmax(0, centred - sums_slope(s) * (s->xy - s->x * s->y / s->n));
}

struct knee knee_line2(const double *value, size_t count)
{
    struct knee knee = {.found = false};
    struct sums left = {0}, right = {0};
    double best = INFINITY, centre = (double)count / 2, offset = median_of(value, count);

    if (count < 2 * LINE_SIDE)
        return knee;
    /* Centred, so that the differences of sums keep their digits. */
    for (size_t i = 0; i < count; i++)
        sums_add(&right, (double)i - centre, value[i] - offset, 1);
    for (size_t i = 0; i + LINE_SIDE < count; i++) {
        double two;

        sums_add(&left, (double)i - centre, value[i] - offset, 1);
        sums_add(&right, (double)i - centre, value[i] - offset, -1);
        if (i + 1 < LINE_SIDE)
            continue;
        two = sums_residue(&left) + sums_residue(&right);
        if (two < best) {
            best = two;
            knee.found = true;
            knee.last = i;
            knee.jump = sums_at(&right, (double)i + 0.5 - centre) - sums_at(&left, (double)i + 0.5 - centre);
        }
    }
    knee.noise = sqrt(best / (double)(count - 5));
    return knee;
}

struct knee knee_sweep(const double *value, size_t count, double chain)
{
    enum { MOST = KNEE_VALUES, END = KNEE_END };
    double smooth[MOST];
    struct knee knee = {.found = false};

    if (count < 2 * (END + 1) || count > MOST)
        return knee;
    /* The median of three takes single outliers out and leaves a step where it is. */
    smooth[0] = fmin(value[0], value[1]);
    smooth[count - 1] = value[count - 1];
    for (size_t i = 1; i + 1 < count; i++) {
        const double low = fmin(value[i - 1], value[i]), high = fmax(value[i - 1], value[i]);
        smooth[i] = fmax(low, fmin(high, value[i + 1]));
    }
    knee = knee_step(smooth, count);
    if (knee.last < END || knee.last + 1 + END > count - 1 || knee.jump < 0.4 * chain ||
        knee.jump > 1.6 * chain)
        knee.found = false;
    return knee;
}
