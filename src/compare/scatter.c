/* SPDX-License-Identifier: MIT */
#include "scatter.h"

#include <math.h>

#include "uarchprobe/stats.h"

static const double TO_DEVIATION = 1.4826;

bool scatter_of(const double *value, size_t count, double least, struct scatter *scatter)
{
    const struct summary summary = summary_of(value, count);
    *scatter = (struct scatter){summary.median, fmax(TO_DEVIATION * summary.mad, least)};
    return summary.count >= SCATTER_LEAST;
}

/* A tail exp(-(x / a)^(1 / shape)): a normal one has a shape of 0.6 or so here, an exponential one of 1. Of few values, of which the
 * outermost is anywhere, the outer two and the outer eight. */
double scatter_far(double *off, size_t count, double p, double least)
{
    const double outer = fmin(fmax(0.025, 2 / (double)count), 0.1), inner = fmin(4 * outer, 0.4);
    if (count < SCATTER_LEAST)
        return INFINITY;
    const double near = quantile_reordering(off, count, 1 - inner);
    const double far = quantile_reordering(off, count, 1 - outer);
    const double shape = log(far / near) / log(log(outer) / log(inner));
    return near > 0 ? fmax(least, far * pow(log(p) / log(outer), fmax(shape, 0.6))) : least;
}

double scatter_z(const struct scatter *scatter, double value)
{
    return scatter->deviation > 0 ? (value - scatter->median) / scatter->deviation : 0;
}

/* The mean of uniform ranks is near to normal from four on. */
double scatter_rank_p(double mean_rank, size_t count)
{
    return erfc(fabs(mean_rank - 0.5) * sqrt(12 * (double)count) / sqrt(2));
}
