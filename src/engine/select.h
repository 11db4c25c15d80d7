/* SPDX-License-Identifier: MIT */
/* What values come to that were selected by more than a state, which of several cells is the fastest, and what cells that are equally
 * fast have in common. What else happens in a round slows all of them, so their ratio in one round is steadier than either. Pure. */
#pragma once

#include "uarchprobe/engine.h"

/* An estimate of values in the order in which they were taken; estimate.c. False: there is none. */
bool estimate_of(const double *value, size_t count, double quantile, struct estimate *estimate);
/* Of an estimate of these values: what the placements come to at which they were taken. A placement is whatever another run
 * has anew and no number of samples averages out: a mapping, a pair of CPUs, a stay where the host put them, a window of
 * time. The value becomes the median of the placements and the interval theirs; trust_judge counts them and
 * grades their range where the promise asks for some. */
void estimate_placements(const double *value, const unsigned *placement, size_t count, double quantile,
                         struct estimate *estimate);

/* Fewer samples, or pairs of one round, are no answer. */
enum { SELECT_LEAST = 4 };

/* Cells that do the same work in different ways. */
struct rivals {
    const struct engine_data *data;
    const struct rival {
        size_t cell;
        double work; /* of a sample, by which its value is divided */
    } * of;
    size_t count;
    size_t value;     /* which one of a sample: added to each cell */
    size_t pairs;     /* of rounds in common, the first that count; 0: all */
    enum state state; /* of the undisturbed samples that count; mixed, or too few of them: all count */
};

/* How many times as long `i` takes for like work as `than`: that quantile of their ratios in the rounds of both; NaN: too few. */
double rivals_ratio(const struct rivals *rivals, size_t i, size_t than, double quantile);
/* The index of the fastest; `count` where some cannot be compared: the best of some is not the best. tie, of `count`: which of them noise
 * alone may have kept from it, itself included: they take no more than 1 % longer, or are not slower in a quarter of the rounds. */
size_t rivals_choose(const struct rivals *rivals, bool *tie);
/* Of all samples of the members that `tie` names, as if they were samples of member `of`, whatever their state and also those that were
 * preempted: for what neighbours move. Its placements are windows of that length, its interval includes parts_range. False: fewer than
 * SELECT_LEAST. */
bool rivals_pool(const struct rivals *rivals, const bool *tie, size_t of, double window_ns,
                 struct estimate *estimate);
/* The range of a run: from 10 to 90 % of what its parts came to. False: there are none. */
bool parts_range(const struct parts *parts, double *low, double *high);
