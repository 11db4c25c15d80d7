/* SPDX-License-Identifier: MIT */
/* Distances: at which of a few sharply different distances each measurement found its pair. */
#include <math.h>
#include <stdlib.h>

#include "base/text.h"
#include "core_latency.h"

/* Values this close together are one distance. */
static const double GAP = 0.25;
enum { NEIGHBOURS_LEAST = 3, NEIGHBOURS_SHARE = 100 };
/* A line out of another core's cache takes longer than twice a hit of the own L2, one out of a core below
 * the same L3 two to three times a hit of that L3, and one from elsewhere at least twice as long as that. */
static const double CORE_LIMIT = 2, L3_LIMIT = 4, BEYOND_LIMIT = 2;
/* Readings of the own L3 that lie further apart are not of the L3 alone. */
static const double APART_MOST = 1.3;
/* A line out of a core below the same L3 takes 7 to 20 times a hit of the own L2, one from elsewhere 30 to
 * 40 times (Zen 4, Zen 5, Emerald and Granite Rapids): readings of the L3 by which one L3 would take more
 * came from memory. */
static const double PLAUSIBLE_MOST = 24;

/* The transfer first: on some cores a compare-and-swap takes 22 ns between siblings and 26 between cores. */
enum latency_series latency_witness(const struct latency_matrix *matrix)
{
    const bool *measures = matrix->setup.measures;
    return measures[SERIES_TRANSFER] ? SERIES_TRANSFER : measures[SERIES_CAS] ? SERIES_CAS : SERIES_READWRITE;
}

/* The witness's value in a measurement of a pair; NaN: none. */
static double seen_in(const struct latency_matrix *matrix, size_t round, size_t pair)
{
    return sample_value(&matrix->data, round, pair, latency_witness(matrix));
}

/* Sorted: ascending. A distance is a run of values of which each begins a stretch of neighbours within
 * GAP: a stretch that begins inside the run makes it longer. A handful of values has no runs, but may be one
 * distance; values between distances belong to none. */
static void split(struct distances *d, const double *sorted, size_t count)
{
    const size_t share = count / NEIGHBOURS_SHARE,
                 least = share > NEIGHBOURS_LEAST ? share : NEIGHBOURS_LEAST;
    const bool is_one = count > 0 && sorted[count - 1] <= sorted[0] * (1 + GAP);
    const size_t span = is_one ? count - 1 : least;
    size_t begin = 0, end = 0; /* of the last run */
    for (size_t i = 0; i + span < count; i++) {
        if (sorted[i + span] > sorted[i] * (1 + GAP))
            continue;
        if (i >= end) {
            if (d->count == DISTANCES_MOST)
                break;
            begin = i;
            d->of[d->count++].low = sorted[i];
        }
        end = i + span + 1;
        d->of[d->count - 1].high = sorted[end - 1];
        d->of[d->count - 1].ns = quantile_of_sorted(sorted + begin, end - begin, 0.5);
    }
}

static int distance_of(const struct distances *d, double value)
{
    int at = (int)d->count - 1;
    while (at >= 0 && !(value >= d->of[at].low && value <= d->of[at].high))
        at--;
    return at;
}

static void place_all(struct latency_matrix *matrix)
{
    struct distances *d = &matrix->distances;
    for (size_t pair = 0; pair < matrix->pairs; pair++) {
        size_t found[DISTANCES_MOST] = {0}, all = 0;
        int last = -1, main = 0;
        for (size_t round = 0; round < matrix->data.kept; round++) {
            const double seen = seen_in(matrix, round, pair);
            const int at = distance_of(d, seen);
            d->at[round * matrix->pairs + pair] = (int8_t)at;
            d->seen += !isnan(seen);
            if (at < 0)
                continue;
            all++;
            found[at]++;
            d->of[at].found++;
            d->of[at].related[latency_relation(matrix, pair)]++;
            d->changes += last >= 0 && at != last;
            last = at;
        }
        for (int i = 1; i < DISTANCES_MOST; i++)
            main = found[i] > found[main] ? i : main;
        matrix->tally[pair].main = all ? main : -1;
        matrix->tally[pair].share = all ? (double)found[main] / (double)all : 1;
    }
}

static enum distance_kind kind_of(const struct latency_matrix *matrix, size_t i)
{
    const struct distance *of = matrix->distances.of, *at = &of[i];
    const size_t below_l3 = at->related[SAME_CORE] + at->related[SAME_L2] + at->related[SAME_L3];
    const double l2 = matrix->l2.least;
    const struct own_ns l3 = matrix->l3;
    double nearest_l3 = NAN;
    bool shows_l3 = false, shares_l2 = false;
    for (int cpu = 0; cpu < matrix->count; cpu++)
        shows_l3 = shows_l3 || matrix->place[cpu].l3 >= 0;
    for (size_t pair = 0; pair < matrix->pairs; pair++)
        shares_l2 = shares_l2 || latency_relation(matrix, pair) == SAME_L2;
    for (size_t k = i; k-- > 0;)
        nearest_l3 = of[k].kind == DISTANCE_L3 ? of[k].ns : nearest_l3;
    if (isnan(l2) ? 2 * at->related[SAME_CORE] > at->found : at->ns < CORE_LIMIT * l2)
        return DISTANCE_CORE;
    if (at->related[SAME_L2] == at->found)
        return matrix->guest && !(at->ns <= PLAUSIBLE_MOST * l2) ? DISTANCE_UNNAMED : DISTANCE_L2;
    if (!shows_l3)
        return shares_l2 && at->related[SAME_CORE] + at->related[SAME_L2] == 0 ? DISTANCE_BEYOND_L2
                                                                               : DISTANCE_UNNAMED;
    if (below_l3 == 0 || (i > 0 && of[i - 1].kind == DISTANCE_BEYOND) || at->ns > BEYOND_LIMIT * nearest_l3)
        return DISTANCE_BEYOND;
    /* A hypervisor's L3 may be several: then only the time of a hit of the own L3 decides whether a
     * distance lies within one. */
    if (!(l3.most <= APART_MOST * l3.least))
        return matrix->guest ? DISTANCE_UNNAMED : DISTANCE_L3;
    if (at->ns > L3_LIMIT * l3.most)
        return DISTANCE_BEYOND;
    if (at->ns > L3_LIMIT * l3.least || (matrix->guest && at->ns > PLAUSIBLE_MOST * l2))
        return DISTANCE_UNNAMED;
    return DISTANCE_L3;
}

/* By kind and rank. */
#define RANKED(name) name, name " 2", name " 3", name " 4"
enum { RANKS = 4 };
const char *const distance_names[] = {
    RANKED("one core"), RANKED("one L3"), RANKED("beyond one L3"), "distance 1", "distance 2", "distance 3",
    "distance 4",       RANKED("one L2"), RANKED("beyond one L2"), NULL};

void distances_find(struct latency_matrix *matrix)
{
    struct distances *d = &matrix->distances;
    const size_t pairs = matrix->pairs, most = pairs * matrix->data.kept;
    double *value = memory_zeroed(most, sizeof *value);
    size_t count = 0;
    free(d->at);
    *d = (struct distances){.at = memory_grow(NULL, most)};
    for (size_t i = 0; i < most; i++) {
        value[count] = seen_in(matrix, i / pairs, i % pairs);
        count += !isnan(value[count]);
    }
    values_sort(value, count);
    split(d, value, count);
    free(value);
    place_all(matrix);
    for (size_t i = 0, rank = 0; i < d->count; i++) {
        d->of[i].kind = kind_of(matrix, i);
        rank = i > 0 && d->of[i - 1].kind == d->of[i].kind ? rank + 1 : 0;
        d->of[i].name = (int)d->of[i].kind * RANKS + (int)(rank < RANKS ? rank : RANKS - 1);
    }
}

int distances_at(const struct latency_matrix *matrix, size_t round, size_t pair)
{
    return matrix->distances.at[round * matrix->pairs + pair];
}
