/* SPDX-License-Identifier: MIT */
#include "difference.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

static bool is_one_of(const char *unit, const char *const *names)
{
    for (; *names; names++) {
        if (strcmp(unit, *names) == 0)
            return true;
    }
    return false;
}

enum direction direction_of_unit(const char *unit)
{
    static const char *const times[] = {"ns", "us", "ms", "s", "cycles", "core cycles", NULL};
    static const char *const rates[] = {"Byte/s", "MiByte/s", "GiByte/s", "GB/s", "bytes/core cycle", NULL};
    if (!unit)
        return DIRECTION_NONE;
    return is_one_of(unit, times)   ? DIRECTION_LOWER
           : is_one_of(unit, rates) ? DIRECTION_HIGHER
                                    : DIRECTION_NONE;
}

double estimate_spread(const struct estimate *estimate, double assumed)
{
    if (isnan(estimate->low) || isnan(estimate->high))
        return assumed;
    return estimate->value == 0 ? 0 : fabs((estimate->high - estimate->low) / estimate->value);
}

enum difference difference_of(const struct estimate *before, const struct estimate *after,
                              enum direction direction, double threshold, double assumed)
{
    const double off = fabs(after->value - before->value);
    double limit = threshold * fabs(before->value);
    if (isnan(threshold)) {
        limit = estimate_spread(before, assumed) * fabs(before->value) +
                estimate_spread(after, assumed) * fabs(after->value);
        if (direction != DIRECTION_NONE)
            limit = fmax(limit, DIFFERENCE_LEAST * fabs(before->value));
    }
    if (!(off > limit))
        return DIFFERENCE_NONE;
    if (direction == DIRECTION_NONE)
        return DIFFERENCE_CHANGED;
    const bool higher = after->value > before->value;
    return higher == (direction == DIRECTION_HIGHER) ? DIFFERENCE_BETTER : DIFFERENCE_WORSE;
}
