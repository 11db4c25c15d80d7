/* SPDX-License-Identifier: MIT */
/* Plateaus of a curve over the number of pairs, and the knees between them. Pure. */
#ifndef UARCHPROBE_STLF_PLATEAUS_H
#define UARCHPROBE_STLF_PLATEAUS_H

#include <stdbool.h>
#include <stddef.h>

struct stlf_plateau {
    size_t first, last; /* indices into the curve, both included */
    double cycles;      /* median */
    double low, high;
    double begin, end; /* medians of its first and of its last third */
};

enum { STLF_PLATEAU_MAX = 6 };

struct stlf_plateaus {
    int count;
    struct stlf_plateau of[STLF_PLATEAU_MAX];
};

/* Cuts where the level changes by at least half a cycle and a quarter; stretches of less than three points
 * are the transition between two plateaus and belong to neither. A curve without a knee is one plateau. At most
 * 64 points; single ones that stick out move no knee. */
struct stlf_plateaus stlf_plateaus(const double *value, size_t count);
/* Whether it ends further from where it began than two values of one level lie apart: then no one value is its level. */
bool stlf_is_ramp(const struct stlf_plateau *plateau);

#endif
