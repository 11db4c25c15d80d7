/* SPDX-License-Identifier: MIT */
/* Maps values to places and colours, without side effects. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct rgb {
    unsigned char red, green, blue;
};

/* The only colour map, 0..1 from light yellow over red to dark violet: its lightness falls evenly, so it
 * reads the same in grey and to the colour-blind. Values outside count as the nearer end. */
struct rgb color_at(double share);
/* Relative luminance as WCAG 2 defines it, 0..1. */
double color_luminance(struct rgb color);
/* Whether black is read more easily on it than white. */
bool color_wants_black(struct rgb color);

/* An interval of values. */
struct scale {
    double low, high; /* low < high; both above 0 for a logarithmic one */
    bool log;
};

/* Accepts low and high that are equal or swapped: it widens the interval to one that can be drawn. A
 * logarithmic scale of values that are not above 0 becomes linear. */
struct scale scale_make(double low, double high, bool log);
/* Map a value to 0..1 from low to high, clipped; and back. */
double scale_share(const struct scale *scale, double value);
double scale_value(const struct scale *scale, double share);

enum { TICKS_MAX = 64 };

/* Chooses about `wanted` round values within the scale: multiples of 1, 2 or 5 times a power of ten, or
 * powers of two on a logarithmic scale. Returns their number. */
size_t scale_ticks(const struct scale *scale, int wanted, double tick[TICKS_MAX]);
