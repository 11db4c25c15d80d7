/* SPDX-License-Identifier: MIT */
/* Which measurements count for a value, its estimate, and its trust. */
#include <math.h>
#include <stdlib.h>

#include "base/text.h"
#include "core_latency.h"
#include "engine/select.h"
#include "uarchprobe/stats.h"

/* Below one L3 pairs of cores differ: on Zen 4 cas took 25 ns and transfer 27, or 29.6 and 26.6. A guest
 * does not know its cores, and has others the next time. A spell of fewer measurements than STAY_LEAST, at
 * a distance or away from it, is noise. */
enum { RATIO_PLACEMENTS = 4, TIME_PLACEMENTS = 2, STAY_LEAST = 8, SCALED_LEAST = 4 };
/* Of the measurements of a pair the lower quartile, as a disturbance only ever adds. */
static const double QUANTILE = 0.25;

static bool is_ratio(const struct latency_selection *wanted)
{
    return wanted->below < SERIES_COUNT;
}

/* Whether it is a time that the host decides, by the cores that it gives the guest and by the clock of
 * their interconnect. */
static bool follows_host(const struct latency_matrix *matrix, const struct latency_selection *wanted)
{
    return !is_ratio(wanted) && matrix->guest && wanted->distance >= 0 &&
           matrix->distances.of[wanted->distance].kind != DISTANCE_CORE;
}

/* The number of the stay of each measurement that counts, by round and pair. A pair that comes back to the
 * distance is most often on other cores than before: each of its stays there is a placement, short ones
 * aside where there are longer ones. Of a ratio each pair has placements of its own. Times of all pairs
 * wander alike, so that their first stays together are one placement, their second ones another. *placed:
 * where stays are long enough. */
static unsigned *stays_of(const struct latency_matrix *matrix, const struct latency_selection *wanted,
                          size_t pairs, bool *placed)
{
    const struct engine_data *data = &matrix->data;
    const size_t count = data->kept * pairs, below = is_ratio(wanted) ? wanted->below : wanted->series;
    const bool has_placements = is_ratio(wanted) || (follows_host(matrix, wanted) && wanted->pair < 0);
    unsigned *stay = memory_zeroed(count + 1, sizeof *stay),
             *length = memory_zeroed(count + 1, sizeof *length), *last = memory_zeroed(pairs, sizeof *last),
             *away = memory_zeroed(pairs, sizeof *away), stays = 0; /* last: 0: not there yet */
    *placed = false;
    for (size_t i = 0; i < count; i++) {
        const size_t round = i / pairs, nth = i % pairs, pair = wanted->pair < 0 ? nth : (size_t)wanted->pair;
        const int at = distances_at(matrix, round, pair);
        away[nth] += at >= 0 && at != wanted->distance;
        if ((wanted->distance >= 0 && at != wanted->distance) ||
            (wanted->kinds > 0 && latency_kinds(matrix, pair) != wanted->kinds))
            continue;
        if (last[nth] == 0 || away[nth] >= STAY_LEAST)
            last[nth] = is_ratio(wanted) ? ++stays : last[nth] + 1;
        stay[i] = last[nth];
        away[nth] = 0;
        if (has_placements &&
            !isnan(sample_value(data, round, pair, wanted->series) /
                   sample_value(data, round, pair, below)) &&
            !engine_disturbed(data, round, pair * matrix->width))
            *placed |= ++length[stay[i]] >= STAY_LEAST;
    }
    for (size_t i = 0; i < count; i++)
        if (!*placed || length[stay[i]] < STAY_LEAST)
            stay[i] = !*placed && stay[i] > 0;
    free(length);
    free(last);
    free(away);
    return stay;
}

static struct promise promise_of(const struct latency_matrix *matrix, const struct latency_selection *wanted)
{
    const size_t ways = matrix->params->both_ways ? 2 : 1; /* each pair of cores is seen as often */
    struct promise promise = promise_beyond;
    if (is_ratio(wanted))
        promise = (struct promise){.relative = 0.05,
                                   .placements = matrix->guest ? RATIO_PLACEMENTS * ways : 0,
                                   .at_least = NAN,
                                   .at_most = NAN};
    else if (follows_host(matrix, wanted)) /* else 30 of 143 pairs of high trust broke (Zen 5, 20 runs) */
        promise.placements = TIME_PLACEMENTS;
    /* Medium at most: a run that was cut; in a guest times that agree within 5 %, of which a quarter of
     * other runs lay further away (24 of 51 runs, Emerald Rapids); all ratios but that of readwrite, which
     * other traffic between the cores changes by up to 8 % (78 runs there). */
    if (!matrix->complete || follows_host(matrix, wanted) ||
        (is_ratio(wanted) && wanted->series != SERIES_READWRITE))
        promise.doubt = LIMITED_BY_REPETITION;
    return promise;
}

/* A mesh has longer and shorter ways at one distance, but all pairs vary alike, so each value is scaled to
 * the median pair; a pair seen too seldom stays as it is. */
static void scale(const struct latency_matrix *matrix, struct latency_selection wanted,
                  struct candidate *pair)
{
    double *ns = memory_zeroed(matrix->pairs, sizeof *ns);
    for (size_t i = 0; i < matrix->pairs; i++) {
        wanted.pair = (int)i;
        const struct estimate one = latency_select(matrix, wanted).estimate;
        ns[i] = one.summary.count < SCALED_LEAST ? NAN : one.value;
    }
    const double median = median_of(ns, matrix->pairs); /* NaN are left out */
    for (size_t i = 0; i < matrix->pairs; i++)
        pair[i].work = isnan(ns[i]) ? 1 : ns[i] / median;
    free(ns);
}

struct latency_selected latency_select(const struct latency_matrix *matrix, struct latency_selection wanted)
{
    const bool all = wanted.pair < 0;
    const size_t pairs = all ? matrix->pairs : 1, below = (size_t)wanted.below;
    struct candidate *pair = memory_zeroed(pairs, sizeof *pair);
    struct latency_selected selected;
    struct estimate *e = &selected.estimate;
    bool placed;
    unsigned *stay = stays_of(matrix, &wanted, pairs, &placed);
    for (size_t i = 0; i < pairs; i++)
        pair[i] = (struct candidate){(all ? i : (size_t)wanted.pair) * matrix->width, 1};
    if (all && !is_ratio(&wanted))
        scale(matrix, wanted, pair);
    const struct candidates candidates = {.data = &matrix->data,
                                          .of = pair,
                                          .count = pairs,
                                          .value = (size_t)wanted.series,
                                          .below = is_ratio(&wanted) ? &below : NULL,
                                          .placement = stay,
                                          .state = STATE_MIXED};
    candidates_estimate(&candidates, NULL, pairs, is_ratio(&wanted) ? 0.5 : QUANTILE, e);
    e->placements = placed ? e->placements : 0;
    selected.promise = promise_of(matrix, &wanted);
    selected.lacks_placements = e->placements < TIME_PLACEMENTS && matrix->guest &&
                                (is_ratio(&wanted) || follows_host(matrix, &wanted));
    free(stay);
    free(pair);
    return selected;
}
