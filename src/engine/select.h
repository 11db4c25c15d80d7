/* SPDX-License-Identifier: MIT */
/* Estimates of values selected by more than a state, the fastest of several cells, and the common value of
 * equally fast ones. Disturbances slow all cells of a round, so a ratio within a round is steadier than
 * either value. Pure. */
#pragma once

#include "uarchprobe/engine.h"

/* Estimates values in the order of sampling; estimate.c. False: no values. */
bool estimate_of(const double *value, size_t count, double quantile, struct estimate *estimate);
/* Estimates the placements of these values. A placement is anything that another run has anew and no
 * number of samples averages out: a mapping, a pair of CPUs, a stay where the host put them, a window of
 * time. The value becomes the median of the placements, with their interval; trust_judge counts them and
 * grades their range where the promise asks for some. */
void estimate_placements(const double *value, const unsigned *placement, size_t count, double quantile,
                         struct estimate *estimate);

/* Whether a sample counts in a state; mixed: in any. */
bool engine_fits(const struct engine_data *data, size_t round, size_t cell, enum state state,
                 bool disturbed_too);

/* Least samples, or pairs of one round, of an answer. With fewer than BOUNDED_LEAST the extremes are no
 * interval of 99 %. Each spell of a busy sibling, a visit, may be another program. WINDOWS: of a run. */
enum { SELECT_LEAST = 4, BOUNDED_LEAST = 8, VISITS_LEAST = 8, WINDOWS = 4 };
/* Noise mostly adds: the share of the samples that lie on the floor where it is seen. The samples of an
 * idle sibling may be few of all. */
static const double PLATEAU = 0.1, HIGHEST = 0.05;
/* The share of the samples that lie on a floor: where fewer do, the best ones are what a busy host left. */
static const double ON_FLOOR = 0.3;

/* Cells that do the same work in different ways, or are the same in different places. */
struct candidates {
    const struct engine_data *data;
    const struct candidate {
        size_t cell;
        double work; /* of a sample; divides its value */
    } * of;
    size_t count;
    size_t value;        /* index of the value in a sample: added to each cell */
    const size_t *below; /* index of another one, by which it is divided; NULL: none */
    const unsigned
        *placement;   /* of each sample of each round; 0: it does not count. NULL: those of the probes */
    size_t pairs;     /* the first rounds in common that count; 0: all */
    enum state state; /* only undisturbed samples of it count; mixed, or too few: all */
};

/* Time of `i` over that of `than` for equal work: this quantile of their ratios in common rounds; NaN: too
 * few. */
double candidates_ratio(const struct candidates *candidates, size_t i, size_t than, double quantile);
/* Whether only noise may have kept `i` from being the fastest: it is at most 1 % slower, or not slower in
 * a quarter of the rounds that both have. Where these are too few, nothing shows that it is slower. */
bool candidates_tie(const struct candidates *candidates, size_t i, size_t fastest);
/* The index of the fastest; `count` if some cannot be compared. tie[count]: those that tie with it, itself
 * included. */
size_t candidates_choose(const struct candidates *candidates, bool *tie);
/* The same by plateaus, for the core with an idle sibling, of which a round has seldom two samples: ties
 * are within 1 %. */
size_t candidates_highest(const struct candidates *candidates, bool *tie);
/* Estimates the samples of the members in `tie` as samples of member `of` in the state of candidates; of
 * `count`: those of all, for work of 1. False: none. */
bool candidates_estimate(const struct candidates *candidates, const bool *tie, size_t of, double quantile,
                         struct estimate *estimate);
/* The same in any state and also preempted, for values that neighbours move: the value is the plateau,
 * placements are quarters of the run, the interval is the range of the run, 10 to 90 % of the samples. Of
 * fewer than SELECT_LEAST it is their median. False: none. */
bool candidates_pool(const struct candidates *candidates, const bool *tie, size_t of,
                     struct estimate *estimate);
/* The range of a run: the 10 and 90 % quantiles of its parts. False: there are none. */
bool parts_range(const struct parts *parts, double *low, double *high);
