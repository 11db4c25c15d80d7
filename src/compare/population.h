/* SPDX-License-Identifier: MIT */
/* One value held against others of its kind: runs of one machine, or one run of many machines. Pure. docs/fleet.md has how often it is
 * wrong. */
#pragma once

#include <stddef.h>

/* POPULATION_LEAST: values to say anything. POPULATION_SHARE: values of which a tail can be shared with others. */
enum { POPULATION_LEAST = 4, POPULATION_SHARE = 300 };

/* Of the logarithms of positive values. */
struct population {
    size_t count;
    double middle, deviation; /* the median; a robust standard deviation */
    double
        shape; /* of the tail: 0 of a normal distribution, about 0.2 of Student's t with three degrees of freedom */
    double known; /* number of values that the shape rests on */
    double least; /* the least deviation to assume; a value may be rounded by as much */
};

/* least, as a share of the value: half a step of what is counted, or what means nothing. Values of 0 and below are left out. */
struct population population_of(const double *value, size_t count, double least);
/* Populations of one cause, such as the answers of a group of machines: each takes their median shape, or its own where that is heavier by
 * more than chance. */
void population_share(struct population *of, size_t count);
/* The distance from the middle, as a logarithm, beyond which a further value of this kind lies with that chance, on either side. INFINITY:
 * too few values. */
double population_far(const struct population *of, double chance);
/* The signed distance of a value, as a logarithm; one of 0 or below counts as a thousandth of the middle. */
double population_off(const struct population *of, double value);
