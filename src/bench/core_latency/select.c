/* SPDX-License-Identifier: MIT */
/* Which measurements count for a value, its estimate, and its trust. */
#include <math.h>
#include <stdlib.h>

#include "base/text.h"
#include "core_latency.h"
#include "engine/select.h"
#include "uarchprobe/stats.h"

/* Pairs of cores below one L3 differ: on Zen 4 cas 25 ns and transfer 27, or 29.6 and 26.6. A guest does not know its cores, and
 * has others the next time. Shorter stays than STAY_LEAST are noise. */
enum { PLACEMENTS_LEAST = 4, STAY_LEAST = 8, SCALED_LEAST = 4 };
/* Of the measurements of a pair the lower quartile, as a disturbance only ever adds. */
static const double QUANTILE = 0.25;

/* The number of the stay of each measurement that counts, by round and pair. A pair that comes back to the distance is most often on
 * other cores than before: each stay there is a placement of a ratio, short ones aside where there are longer ones. *placed: where
 * there are. */
static unsigned *stays_of(const struct latency_matrix *matrix, const struct latency_selection *wanted,
                          size_t pairs, bool *placed)
{
    const struct engine_data *data = &matrix->data;
    const size_t count = data->kept * pairs;
    unsigned *stay = memory_zeroed(count + 1, sizeof *stay),
             *length = memory_zeroed(count + 1, sizeof *length), *last = memory_zeroed(pairs, sizeof *last),
             stays = 0; /* last: 0: elsewhere, or not yet */
    *placed = false;
    for (size_t i = 0; i < count; i++) {
        const size_t round = i / pairs, nth = i % pairs, pair = wanted->pair < 0 ? nth : (size_t)wanted->pair;
        const float *seen = &data->value[round * data->cells + pair * matrix->width];
        const int at = distances_at(matrix, round, pair);
        if (at >= 0 && at != wanted->distance)
            last[nth] = 0;
        if (wanted->distance >= 0 && at != wanted->distance)
            continue;
        last[nth] = stay[i] = last[nth] ? last[nth] : ++stays;
        if (wanted->below < SERIES_COUNT && !isnan(seen[wanted->series] / seen[wanted->below]) &&
            !engine_disturbed(data, round, pair * matrix->width))
            *placed |= ++length[stay[i]] >= STAY_LEAST;
    }
    for (size_t i = 0; i < count; i++)
        if (!*placed || length[stay[i]] < STAY_LEAST)
            stay[i] = !*placed && stay[i] > 0;
    free(length);
    free(last);
    return stay;
}

static struct verdict judge(const struct latency_matrix *matrix, const struct latency_selection *wanted,
                            const struct estimate *estimate)
{
    const bool is_ratio = wanted->below < SERIES_COUNT;
    const size_t ways = matrix->params->both_ways ? 2 : 1; /* each pair of cores is seen as often */
    struct promise promise = promise_beyond;
    if (is_ratio)
        promise = (struct promise){.relative = 0.05,
                                   .placements = matrix->guest ? PLACEMENTS_LEAST * ways : 0,
                                   .at_least = NAN,
                                   .at_most = NAN};
    else if (matrix->guest && wanted->distance >= 0 &&
             matrix->distances.of[wanted->distance].kind != DISTANCE_CORE)
        promise.refusal = LEG_PRECISION; /* the host may slow down the interconnect */
    /* Other traffic between the cores changes all ratios but that of readwrite by up to 8 %. */
    if (!matrix->complete || (is_ratio && wanted->series != SERIES_READWRITE))
        promise.doubt = LEG_REPETITION;
    return trust_judge(estimate, &promise);
}

/* A mesh has longer and shorter ways at one distance, but all pairs vary alike, so each value is scaled to the median pair; a
 * pair seen too seldom stays as it is. */
static void scale(const struct latency_matrix *matrix, struct latency_selection wanted, struct rival *pair)
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
    const bool is_ratio = wanted.below < SERIES_COUNT, all = wanted.pair < 0;
    const size_t pairs = all ? matrix->pairs : 1, below = (size_t)wanted.below;
    struct rival *pair = memory_zeroed(pairs, sizeof *pair);
    struct latency_selected selected;
    struct estimate *e = &selected.estimate;
    bool placed;
    unsigned *stay = stays_of(matrix, &wanted, pairs, &placed);
    for (size_t i = 0; i < pairs; i++)
        pair[i] = (struct rival){(all ? i : (size_t)wanted.pair) * matrix->width, 1};
    if (all && !is_ratio)
        scale(matrix, wanted, pair);
    const struct rivals rivals = {.data = &matrix->data,
                                  .of = pair,
                                  .count = pairs,
                                  .value = (size_t)wanted.series,
                                  .below = is_ratio ? &below : NULL,
                                  .placement = stay,
                                  .state = STATE_MIXED};
    rivals_estimate(&rivals, NULL, pairs, is_ratio ? 0.5 : QUANTILE, e);
    e->placements = placed ? e->placements : 0;
    selected.verdict = judge(matrix, &wanted, e);
    free(stay);
    free(pair);
    return selected;
}
