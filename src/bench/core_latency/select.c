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
/* Disturbed measurements are left out where the others are at least one in so many. */
enum { QUIET_SHARE = 5 };
/* Of the measurements of a pair the lower quartile, as a disturbance only ever adds. */
static const double QUANTILE = 0.25;

/* Of a selection, in the order of time. A pair that comes back to the distance is most often on other cores than before: each stay there
 * is a placement of a ratio. */
struct values {
    double *value;
    unsigned *stay;
    bool *disturbed;
    unsigned *length; /* by stay: undisturbed measurements */
    size_t count, quiet;
    bool placed; /* some stay is long enough */
};

static struct values gather(const struct latency_matrix *matrix, const struct latency_selection *wanted,
                            const double *scale)
{
    const struct engine_data *data = &matrix->data;
    const size_t pairs = wanted->pair < 0 ? matrix->pairs : 1, room = data->kept * pairs + 1;
    const bool is_ratio = wanted->below < SERIES_COUNT;
    struct values v = {.value = memory_zeroed(room, sizeof *v.value),
                       .stay = memory_zeroed(room, sizeof *v.stay),
                       .disturbed = memory_zeroed(room, sizeof *v.disturbed),
                       .length = memory_zeroed(room, sizeof *v.length)};
    unsigned *stay = memory_zeroed(pairs, sizeof *stay), stays = 0; /* 0: elsewhere, or not yet */
    for (size_t i = 0; i + 1 < room; i++) {
        const size_t round = i / pairs, nth = i % pairs, pair = wanted->pair < 0 ? nth : (size_t)wanted->pair;
        const float *seen = &data->value[round * data->cells + pair * matrix->width];
        const int at = distances_at(matrix, round, pair);
        const double value = (double)seen[wanted->series] * (scale ? scale[nth] : 1) /
                             (is_ratio ? (double)seen[wanted->below] : 1);
        if (at >= 0 && at != wanted->distance)
            stay[nth] = 0;
        if (isnan(value) || (wanted->distance >= 0 && at != wanted->distance))
            continue;
        const bool disturbed = engine_disturbed(data, round, pair * matrix->width);
        if (stay[nth] == 0)
            stay[nth] = ++stays;
        v.quiet += !disturbed;
        v.length[stay[nth]] += !disturbed;
        v.placed |= is_ratio && v.length[stay[nth]] >= STAY_LEAST;
        v.value[v.count] = value;
        v.stay[v.count] = stay[nth];
        v.disturbed[v.count++] = disturbed;
    }
    free(stay);
    return v;
}

/* Drops disturbed values, and short stays where there are longer ones. */
static void choose(struct values *v)
{
    const bool all = QUIET_SHARE * v->quiet < v->count;
    size_t count = 0;
    for (size_t i = 0; i < v->count; i++) {
        if ((v->disturbed[i] && !all) || (v->placed && v->length[v->stay[i]] < STAY_LEAST))
            continue;
        v->stay[count] = v->stay[i];
        v->value[count++] = v->value[i];
    }
    v->count = count;
}

static struct verdict judge(const struct latency_matrix *matrix, const struct latency_selection *wanted,
                            const struct estimate *estimate)
{
    const bool is_ratio = wanted->below < SERIES_COUNT;
    struct promise promise = promise_beyond;
    if (is_ratio)
        promise = (struct promise){.relative = 0.05,
                                   .placements = matrix->guest ? PLACEMENTS_LEAST : 0,
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
 * pair seen too seldom stays as it is. Freed by the caller. */
static double *scale_of(const struct latency_matrix *matrix, struct latency_selection wanted)
{
    double *scale = memory_zeroed(matrix->pairs, sizeof *scale);
    for (size_t i = 0; i < matrix->pairs; i++) {
        wanted.pair = (int)i;
        const struct estimate one = latency_select(matrix, wanted).estimate;
        scale[i] = one.summary.count < SCALED_LEAST ? NAN : one.value;
    }
    const double median = median_of(scale, matrix->pairs); /* NaN are left out */
    for (size_t i = 0; i < matrix->pairs; i++)
        scale[i] = isnan(scale[i]) ? 1 : median / scale[i];
    return scale;
}

struct latency_selected latency_select(const struct latency_matrix *matrix, struct latency_selection wanted)
{
    const bool is_ratio = wanted.below < SERIES_COUNT;
    const double quantile = is_ratio ? 0.5 : QUANTILE;
    double *scale = wanted.pair < 0 && !is_ratio ? scale_of(matrix, wanted) : NULL;
    struct values v = gather(matrix, &wanted, scale);
    struct latency_selected selected = {.count = v.count, .disturbed = v.count - v.quiet};
    struct estimate *e = &selected.estimate;
    choose(&v);
    if (estimate_of(v.value, v.count, quantile, e) && v.placed)
        estimate_placements(v.value, v.stay, v.count, quantile, e);
    selected.verdict = judge(matrix, &wanted, e);
    free(v.value);
    free(v.stay);
    free(v.disturbed);
    free(v.length);
    free(scale);
    return selected;
}
