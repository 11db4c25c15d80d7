/* SPDX-License-Identifier: MIT */
#include "cycles_fit.h"

#include <math.h>

static const double steps = 50, fastest_ghz = 6;
/* How far the ends of the difference may be off, as a share of it. */
static const double tolerance = 0.02;

struct chain_lengths chain_lengths_for(const struct clock *clock, uint64_t least)
{
    const double wanted = ceil(steps * clock->resolution_ns * fastest_ghz);
    const uint64_t difference = wanted > (double)least ? (uint64_t)wanted : least;
    return (struct chain_lengths){
        .shorter = difference / 4, .longer = difference / 4 + difference, .multiply = difference / 4};
}

/* An interruption only lengthens. */
static double least_ns(const struct clock *clock, const double ticks[CHAIN_ROUNDS])
{
    double least = ticks[0];
    for (int i = 1; i < CHAIN_ROUNDS; i++)
        least = fmin(least, ticks[i]);
    return least * clock->ns_per_tick;
}

struct line {
    double fixed, slope; /* ns of a chain: fixed + slope * operations */
};

static struct line line_of(const struct chain_lengths *length, double shorter, double longer)
{
    const double slope = (longer - shorter) / (double)(length->longer - length->shorter);
    return (struct line){shorter - slope * (double)length->shorter, slope};
}

/* What remains of both chains without their operations is the cost of reading the clock. A short chain that was
 * interrupted each time leaves more than that and makes the clock too fast, a long one leaves less than nothing. */
static bool lengths_agree(const struct clock *clock, const struct chain_lengths *length,
                          const struct line *line)
{
    const double slack = tolerance * line->slope * (double)length->longer;
    return line->slope > 0 && line->fixed >= -slack && line->fixed <= clock->overhead_ns + slack;
}

/* Its chain is shorter, so that the same error is a larger share of it. */
static bool products_agree(double ratio, double multiply)
{
    return multiply <= 0 || fabs(ratio / multiply - 1) <= 2 * tolerance;
}

struct chain_fit chain_fit_of(const struct clock *clock, const struct chain_lengths *length,
                              const struct chain_ticks *ticks, double multiply)
{
    const struct chain_fit contradiction = {NAN, NAN};
    const struct line line = line_of(length, least_ns(clock, ticks->shorter), least_ns(clock, ticks->longer));
    struct chain_fit fit = {1 / line.slope, NAN};
    if (!lengths_agree(clock, length, &line))
        return contradiction;
    if (length->multiply == 0)
        return fit;
    fit.multiply = (least_ns(clock, ticks->multiply) - line.fixed) / line.slope / (double)length->multiply;
    return products_agree(fit.multiply, multiply) ? fit : contradiction;
}
