/* SPDX-License-Identifier: MIT */
/* Fits levels by Levenberg and Marquardt's method with Huber's loss to the logarithms of times. */
#include "engine/levels.h"

#include <math.h>
#include <stdlib.h>

/* STARTS of one more edge. Parameters: the base, then edge, step and smear of each level. */
enum { PARAMETERS = 1 + 3 * LEVELS_MOST, STARTS = 15, TURNS = 40 };

/* Residuals beyond so many errors count linearly; one edge more must take so much off the cost: 2 ln 30
 * for each parameter, and a margin. */
static const double HUBER = 2, ENOUGH = 14;
/* Of an edge: its step as a share of the time before it; its distance from another, logarithmic. */
static const double LEAST_STEP = 0.04, APART = 0.15;

struct equations {
    double a[PARAMETERS][PARAMETERS], b[PARAMETERS];
};

struct miss {
    double share, by_edge, by_smear;
};

static double area(double x)
{
    return 0.5 * erfc(-x * 0.7071067811865476);
}

/* Share of misses and its derivatives, off = ln(S / edge). */
static struct miss miss_at(double off, double smear)
{
    static const double FAR = 6;
    const double a = off / smear + smear / 2, b = a - smear, ratio = exp(-off);
    if (a < -FAR)
        return (struct miss){0, 0, 0};
    if (b > FAR)
        return (struct miss){1 - ratio, -ratio, 0};
    const double held = ratio * area(b);
    return (struct miss){area(a) - held, -held, ratio * 0.3989422804014327 * exp(-b * b / 2)};
}

double levels_time(const struct levels *levels, double log_x)
{
    double time = exp(levels->base);
    for (const struct level *level = levels->of; level < levels->of + levels->count; level++)
        time += exp(level->step) * miss_at(log_x - level->edge, exp(level->smear)).share;
    return time;
}

/* The cost, and its normal equations. */
static double cost_of(const struct levels *levels, const struct points *points, struct equations *e)
{
    const size_t count = 1 + 3 * levels->count;
    double sum = 0;
    *e = (struct equations){0};
    for (size_t p = 0; p < points->count; p++) {
        double by[PARAMETERS] = {exp(levels->base)}, time = by[0];
        for (size_t i = 0; i < levels->count; i++) {
            const double step = exp(levels->of[i].step), smear = exp(levels->of[i].smear);
            const struct miss miss = miss_at(points->x[p] - levels->of[i].edge, smear);
            time += step * miss.share;
            by[1 + 3 * i] = step * miss.by_edge;
            by[2 + 3 * i] = step * miss.share;
            by[3 + 3 * i] = step * miss.by_smear * smear;
        }
        const double off = (points->time[p] - log(time)) / points->error[p], far = fabs(off),
                     weight = far < HUBER ? 1 : HUBER / far, scale = 1 / (time * points->error[p]);
        sum += far < HUBER ? far * far : HUBER * (2 * far - HUBER);
        for (size_t i = 0; i < count; i++) {
            e->b[i] += weight * off * by[i] * scale;
            for (size_t j = 0; j < count; j++)
                e->a[i][j] += weight * by[i] * by[j] * scale * scale;
        }
    }
    for (size_t i = 0; i < levels->count; i++) {
        const double off = levels->of[i].smear - log(LEVEL_SMEAR);
        sum += off * off;
        e->a[3 + 3 * i][3 + 3 * i] += 1;
        e->b[3 + 3 * i] -= off;
    }
    return sum;
}

/* Solves them with the diagonal damped, by Gauss's method, into b; false: they are not positive. */
static bool solve(struct equations *e, double damping, size_t count)
{
    for (size_t i = 0; i < count; i++)
        e->a[i][i] += damping * e->a[i][i] + 1e-9;
    for (size_t i = 0; i < count; i++) {
        if (!(e->a[i][i] > 0))
            return false;
        for (size_t j = i + 1; j < count; j++) {
            const double factor = e->a[j][i] / e->a[i][i];
            for (size_t k = i; k < count; k++)
                e->a[j][k] -= factor * e->a[i][k];
            e->b[j] -= factor * e->b[i];
        }
    }
    for (size_t i = count; i-- > 0;) {
        for (size_t k = i + 1; k < count; k++)
            e->b[i] -= e->a[i][k] * e->b[k];
        e->b[i] /= e->a[i][i];
    }
    return true;
}

static double within(double x, double least, double most)
{
    return x < least ? least : x > most ? most : x;
}

double levels_descend(struct levels *levels, const struct points *points)
{
    const double first = points->x[0] - 0.5, last = points->x[points->count - 1] + 0.5;
    struct equations here, there;
    double cost = cost_of(levels, points, &here), damping = 0.01;
    for (int turn = 0; turn < TURNS; turn++) {
        struct levels to = *levels;
        there = here;
        if (solve(&there, damping, 1 + 3 * to.count)) {
            to.base += within(there.b[0], -1, 1);
            for (size_t i = 0; i < to.count; i++) {
                const double *by = &there.b[1 + 3 * i];
                to.of[i].edge = within(to.of[i].edge + within(by[0], -0.5, 0.5), first, last);
                to.of[i].step += within(by[1], -1, 1);
                to.of[i].smear = within(to.of[i].smear + within(by[2], -1, 1), log(0.01), 0);
            }
        }
        const double next = cost_of(&to, points, &there), gain = cost - next;
        damping *= gain > 0 ? 0.1 : 4;
        if (!(gain > 0))
            continue;
        *levels = to;
        here = there;
        cost = next;
        if (gain < 1e-4 * (1 + cost))
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

/* One edge more while it pays, tried all along the sizes. */
void levels_find(struct levels *levels, const struct points *points)
{
    struct levels best = {.base = points->time[0]};
    double least = levels_descend(&best, points), cost = INFINITY;
    while (least <= cost - ENOUGH) {
        *levels = best;
        cost = least;
        for (size_t p = 1; p + 1 < points->count && levels->count < LEVELS_MOST;
             p += (points->count + STARTS - 1) / STARTS) {
            struct levels tried = *levels;
            tried.of[tried.count++] = (struct level){points->x[p], points->time[p] - 1.5, log(LEVEL_SMEAR)};
            const double now = levels_descend(&tried, points);
            qsort(tried.of, tried.count, sizeof *tried.of, by_edge);
            if (now < least && is_worth_it(&tried)) {
                least = now;
                best = tried;
            }
        }
    }
}
