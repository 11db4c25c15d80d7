/* SPDX-License-Identifier: MIT */
#include "scatter.h"

#include <math.h>
#include <stdlib.h>

#include "base/text.h"
#include "uarchprobe/stats.h"

static const double TO_DEVIATION = 1.4826;

bool scatter_of(const double *value, size_t count, double least, struct scatter *scatter)
{
    double *off = memory_zeroed(count, sizeof(*off));
    *scatter = (struct scatter){NAN, NAN, 0};
    for (size_t i = 0; i < count; i++) {
        if (!isnan(value[i]))
            off[scatter->count++] = value[i];
    }
    if (scatter->count >= SCATTER_LEAST) {
        scatter->median = quantile_reordering(off, scatter->count, 0.5);
        for (size_t i = 0; i < scatter->count; i++)
            off[i] = fabs(off[i] - scatter->median);
        scatter->deviation = fmax(TO_DEVIATION * quantile_reordering(off, scatter->count, 0.5), least);
    }
    free(off);
    return scatter->count >= SCATTER_LEAST;
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

double scatter_rank(const double *sorted, size_t count, double value)
{
    size_t low = 0, high = count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (sorted[middle] < value)
            low = middle + 1;
        else
            high = middle;
    }
    size_t ties = low;
    while (ties < count && sorted[ties] <= value)
        ties++;
    return ((double)low + (double)(ties - low) / 2) / (double)count;
}

/* The mean of uniform ranks is near to normal from four on. */
double scatter_rank_p(double mean_rank, size_t count)
{
    return erfc(fabs(mean_rank - 0.5) * sqrt(12 * (double)count) / sqrt(2));
}
