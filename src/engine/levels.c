/* SPDX-License-Identifier: MIT */
/* Fits levels by Levenberg and Marquardt's method with Huber's loss to the logarithms of times. */
#include "engine/levels.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* STARTS of one more edge, each for TURNS_FEW; the best then for TURNS. */
enum { PARAMETERS = 1 + 3 * LEVELS_MOST, STARTS = 15, TURNS = 60, TURNS_FEW = 8 };

/* In errors: residuals beyond HUBER count linearly; one edge more must take ENOUGH off the cost, 2 ln 30 for each parameter and a
 * margin. */
static const double HUBER = 2, ENOUGH = 14;
/* Of an edge: its step as a share of the time before it; its distance from another, logarithmic. */
static const double LEAST_STEP = 0.04, APART = 0.15;
/* Of a smear, logarithmic: this far from the expected one is one error. */
static const double SMEAR_RANGE = 1;

struct miss {
    double share, by_edge, by_smear;
};

/* Of levels, not logarithmic but for log_edge. */
struct terms {
    double base, log_edge[LEVELS_MOST], edge[LEVELS_MOST], step[LEVELS_MOST], smear[LEVELS_MOST];
};

static double area(double x)
{
    return 0.5 * erfc(-x * 0.7071067811865476);
}

/* Share of misses of a set of `size`, and its derivatives. */
static inline struct miss miss_of(const struct terms *terms, size_t i, double log_x, double size)
{
    static const double FAR = 6;
    const double smear = terms->smear[i], off = (log_x - terms->log_edge[i]) / smear, a = off + 0.5 * smear,
                 ratio = terms->edge[i] / size;
    if (a < -FAR)
        return (struct miss){0, 0, 0};
    if (a - smear > FAR)
        return (struct miss){1 - ratio, -ratio, 0};
    const double held = ratio * area(a - smear),
                 density = 0.3989422804014327 * exp(-0.5 * (a - smear) * (a - smear));
    return (struct miss){area(a) - held, -held, ratio * density};
}

static struct terms terms_of(const struct levels *levels)
{
    struct terms terms = {.base = exp(levels->base)};
    for (size_t i = 0; i < levels->count; i++) {
        terms.log_edge[i] = levels->of[i].edge;
        terms.edge[i] = exp(levels->of[i].edge);
        terms.step[i] = exp(levels->of[i].step);
        terms.smear[i] = exp(levels->of[i].smear);
    }
    return terms;
}

static double time_of(const struct terms *terms, size_t count, double log_x, double size)
{
    double time = terms->base;
    for (size_t i = 0; i < count; i++)
        time += terms->step[i] * miss_of(terms, i, log_x, size).share;
    return time;
}

double levels_time(const struct levels *levels, double log_x)
{
    const struct terms terms = terms_of(levels);
    return time_of(&terms, levels->count, log_x, exp(log_x));
}

static double smear_off(const struct level *level)
{
    return (level->smear - log(LEVEL_SMEAR)) / SMEAR_RANGE;
}

static double cost_of(const struct levels *levels, const struct points *points)
{
    const struct terms terms = terms_of(levels);
    double sum = 0;
    for (size_t p = 0; p < points->count; p++) {
        const double time = time_of(&terms, levels->count, points->x[p], points->size[p]),
                     off = fabs(points->time[p] - log(time)) / points->error[p];
        sum += off < HUBER ? off * off : HUBER * (2 * off - HUBER);
    }
    for (size_t i = 0; i < levels->count; i++)
        sum += smear_off(&levels->of[i]) * smear_off(&levels->of[i]);
    return sum;
}

/* The normal equations of the cost; parameters: base, then edge, step, smear of each level. Only the lower triangle of a. */
static void equations(const struct levels *levels, const struct points *points,
                      double a[PARAMETERS][PARAMETERS], double b[PARAMETERS])
{
    const size_t count = 1 + 3 * levels->count;
    const struct terms terms = terms_of(levels);
    memset(a, 0, sizeof(double[PARAMETERS][PARAMETERS]));
    memset(b, 0, sizeof(double[PARAMETERS]));
    for (size_t p = 0; p < points->count; p++) {
        double by[PARAMETERS] = {terms.base}, time = terms.base;
        for (size_t i = 0; i < levels->count; i++) {
            const struct miss miss = miss_of(&terms, i, points->x[p], points->size[p]);
            time += terms.step[i] * miss.share;
            by[1 + 3 * i] = terms.step[i] * miss.by_edge;
            by[2 + 3 * i] = terms.step[i] * miss.share;
            by[3 + 3 * i] = terms.step[i] * miss.by_smear * terms.smear[i];
        }
        const double off = (points->time[p] - log(time)) / points->error[p],
                     scale = 1 / (time * points->error[p]);
        const double weight = fabs(off) < HUBER ? 1 : HUBER / fabs(off);
        for (size_t i = 0; i < count; i++) {
            b[i] += weight * off * by[i] * scale;
            for (size_t j = 0; j <= i; j++)
                a[i][j] += weight * by[i] * by[j] * scale * scale;
        }
    }
    for (size_t i = 0; i < levels->count; i++) {
        a[3 + 3 * i][3 + 3 * i] += 1 / (SMEAR_RANGE * SMEAR_RANGE);
        b[3 + 3 * i] -= smear_off(&levels->of[i]) / SMEAR_RANGE;
    }
}

/* Solves (a + damping * its diagonal) x = b by Cholesky's method; false where a is not positive. */
static bool solve(double a[PARAMETERS][PARAMETERS], const double *b, double damping, size_t count, double *x)
{
    double l[PARAMETERS][PARAMETERS];
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j <= i; j++) {
            double rest = a[i][j] + (i == j ? damping * a[i][i] + 1e-9 : 0);
            for (size_t k = 0; k < j; k++)
                rest -= l[i][k] * l[j][k];
            if (i == j && !(rest > 0))
                return false;
            l[i][j] = i == j ? sqrt(rest) : rest / l[j][j];
        }
    for (size_t i = 0; i < count; i++) {
        x[i] = b[i];
        for (size_t k = 0; k < i; k++)
            x[i] -= l[i][k] * x[k];
        x[i] /= l[i][i];
    }
    for (size_t i = count; i-- > 0;) {
        for (size_t k = i + 1; k < count; k++)
            x[i] -= l[k][i] * x[k];
        x[i] /= l[i][i];
    }
    return true;
}

static double within(double x, double least, double most)
{
    return x < least ? least : x > most ? most : x;
}

static struct levels moved(const struct levels *from, const double *by, const struct points *points)
{
    struct levels to = *from;
    to.base += within(by[0], -1, 1);
    for (size_t i = 0; i < to.count; i++) {
        struct level *level = &to.of[i];
        level->edge = within(level->edge + within(by[1 + 3 * i], -0.5, 0.5), points->x[0] - 0.5,
                             points->x[points->count - 1] + 0.5);
        level->step += within(by[2 + 3 * i], -1, 1);
        level->smear = within(level->smear + within(by[3 + 3 * i], -1, 1), log(0.01), 0);
    }
    return to;
}

/* Moves the levels to the nearest minimum of the cost, and returns that. */
static double descend(struct levels *levels, const struct points *points, int turns)
{
    static const double DAMPING_MOST = 1e6;
    double cost = cost_of(levels, points), damping = 0.01;
    for (int turn = 0; turn < turns && isfinite(cost); turn++) {
        double a[PARAMETERS][PARAMETERS], b[PARAMETERS], by[PARAMETERS], next = INFINITY;
        struct levels to = *levels;
        equations(levels, points, a, b);
        for (; damping < DAMPING_MOST && !(next < cost); damping *= 4) {
            if (!solve(a, b, damping, 1 + 3 * levels->count, by))
                continue;
            to = moved(levels, by, points);
            next = cost_of(&to, points);
        }
        if (!(next < cost))
            break;
        const bool is_done = cost - next < 1e-4 * (1 + cost);
        *levels = to;
        cost = next;
        damping *= 0.025;
        if (is_done)
            break;
    }
    return cost;
}

static int by_edge(const void *a, const void *b)
{
    const double x = ((const struct level *)a)->edge, y = ((const struct level *)b)->edge;
    return (x > y) - (x < y);
}

static bool is_worth_it(const struct levels *levels)
{
    double time = exp(levels->base);
    for (size_t i = 0; i < levels->count; i++) {
        const struct level *level = &levels->of[i];
        if (exp(level->step) < LEAST_STEP * time || (i > 0 && level->edge - level[-1].edge < APART))
            return false;
        time += exp(level->step);
    }
    return true;
}

double levels_descend(struct levels *levels, const struct points *points)
{
    return descend(levels, points, TURNS);
}

void levels_find(struct levels *levels, const struct points *points)
{
    const size_t stride = (points->count + STARTS - 1) / STARTS;
    *levels = (struct levels){.base = INFINITY};
    for (size_t p = 0; p < points->count && p < 5; p++)
        levels->base = fmin(levels->base, points->time[p]);
    double cost = descend(levels, points, TURNS);
    while (levels->count < LEVELS_MOST) {
        struct levels best = *levels;
        double least = INFINITY;
        for (size_t p = 1; p + 1 < points->count; p += stride) {
            struct levels tried = *levels;
            tried.of[tried.count++] = (struct level){points->x[p], points->time[p] - 1.5, log(LEVEL_SMEAR)};
            const double now = descend(&tried, points, TURNS_FEW);
            qsort(tried.of, tried.count, sizeof *tried.of, by_edge);
            if (now < least && is_worth_it(&tried)) {
                least = now;
                best = tried;
            }
        }
        if (!(least <= cost - ENOUGH))
            break;
        *levels = best;
        cost = descend(levels, points, TURNS);
    }
}
