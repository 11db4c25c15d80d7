/* SPDX-License-Identifier: MIT */
/* Where a curve begins to rise faster: two lines, each fitted by least squares. */
#include <math.h>

#include "engine/claims.h"
#include "uarchprobe/stats.h"

enum { LINE_SIDE = 4 };

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

/* How far the last points (up to eight) lie above the line through the first `before`. */
static double knee_beyond(const double *value, size_t before, size_t count)
{
    enum { TAIL = 8 };
    const size_t tail = count - before < TAIL ? count - before : TAIL;
    struct sums line = {0};

    for (size_t i = 0; i < before; i++)
        sums_add(&line, (double)i, value[i], 1);
    return median_of(value + count - tail, tail) - sums_at(&line, (double)count - (double)(tail + 1) / 2);
}

/* Below, a rise may be an accident. */
static const double RISE_CYCLES = 1.5, RISE_SIGMAS = 5;
/* Of the costs: above the few samples that were fast because they are of the other state. */
static const double LOW = 0.25;

/* Points before two lines break, where the second ends far enough above the first; 0: nowhere. */
static size_t bend_of(const double *cycles, size_t count)
{
    const struct knee knee = knee_line2(cycles, count);
    const size_t before = knee.last + 1;
    return knee.found && knee_beyond(cycles, before, count) >= fmax(RISE_CYCLES, RISE_SIGMAS * knee.noise)
               ? before
               : 0;
}

/* Both halves of the run must bend at the same place. */
void bends_answer(const struct lab *lab, const struct course *course, enum state state, struct result *result)
{
    double whole[KNEE_VALUES], first[KNEE_VALUES], second[KNEE_VALUES];
    struct estimate e;
    result->rounds = SIZE_MAX;
    for (size_t i = 0; i < course->count; i++) {
        const bool taken = engine_estimate(&lab->data, course->first + i, state, LOW, &e);
        result->rounds = taken && e.summary.count < result->rounds ? e.summary.count : result->rounds;
        if (!taken || isnan(e.first)) {
            result->rounds = 0;
            return;
        }
        whole[i] = e.value;
        first[i] = e.first;
        second[i] = e.second;
    }
    const size_t at = bend_of(whole, course->count);
    result->has_value = at > 0;
    if (at == 0)
        return;
    const double value = (double)steps_x(course, at);
    result->estimate = e; /* of the last point: state, disturbed, unproved */
    result->estimate.value = result->estimate.low = result->estimate.high = value;
    result->estimate.first = (double)steps_x(course, bend_of(first, course->count));
    result->estimate.second = (double)steps_x(course, bend_of(second, course->count));
    result->estimate.indifferent = true;
    result->estimate.parts.count = 0;
}
