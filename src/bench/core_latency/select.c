/* SPDX-License-Identifier: MIT */
/* Which measurements count for a value, and how far what they come to can be trusted. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "core_latency.h"
#include "uarchprobe/stats.h"

/* Disturbed measurements are left out where one in so many is not. */
enum { UNDISTURBED_SHARE = 5 };
/* What one pair of cores has, another below the same L3 has not: on Zen 4 cas 25 ns and transfer 27, or 29.6 and 26.6. A
 * guest does not know which it was given, and has others the next time. Of a stay of few measurements, noise is all there is. */
enum { PLACEMENTS_LEAST = 4, STAY_LEAST = 8, SCALED_LEAST = 4 };

/* Of the measurements of a pair the lower quartile, as a disturbance only ever adds. */
const double latency_quantile = 0.25;

static enum state state_in(const struct latency_matrix *matrix, size_t sweep, size_t pair)
{
    const struct engine_data *data = &matrix->data;
    const float state = data->value[sweep * data->cells + pair * matrix->width + matrix->state_column];
    const uint64_t ns = data->moment[data->before[sweep * data->points + pair]].end_ns;
    const struct pair *ends = &matrix->plan.pair[pair];

    if (isnan(state))
        return STATE_UNKNOWN;
    if (state != STATE_IDLE || !matrix->witness)
        return (enum state)state;
    /* A witness that learnt the half first took a busy sibling for an idle one until then. */
    return ns < sibling_known_since_ns(matrix->witness[ends->from]) ||
                   ns < sibling_known_since_ns(matrix->witness[ends->to])
               ? STATE_ACTIVE
               : STATE_IDLE;
}

/* NaN: none, or at another distance. */
static double value_in(const struct latency_matrix *matrix, const struct latency_selection *wanted,
                       size_t sweep, size_t pair)
{
    const float *value = &matrix->data.value[sweep * matrix->data.cells + pair * matrix->width];

    if (wanted->distance >= 0 && distances_at(&matrix->distances, sweep, pair) != wanted->distance)
        return NAN;
    const double above = value[matrix->column[wanted->series]];
    return wanted->below == SERIES_COUNT ? above : above / value[matrix->column[wanted->below]];
}

/* How many there are, and in which state the siblings have to be. */
static void survey(const struct latency_matrix *matrix, const struct latency_selection *wanted,
                   struct latency_selected *selected)
{
    const struct distances *distances = &matrix->distances;
    struct engine_data counts = {0}; /* of measurements, for the engine's rule on probes */

    for (size_t pair = wanted->first; pair < wanted->first + wanted->pairs; pair++) {
        size_t visits = 0;
        bool idle = true;
        for (size_t sweep = 0; sweep < matrix->data.sweeps; sweep++) {
            if (isnan(value_in(matrix, wanted, sweep, pair)))
                continue;
            const enum state state = state_in(matrix, sweep, pair);
            visits += idle && state == STATE_ACTIVE;
            idle = state == STATE_IDLE || (idle && state != STATE_ACTIVE);
            counts.seen[state]++;
            selected->all++;
        }
        selected->visits = visits > selected->visits ? visits : selected->visits;
    }
    /* On one core each is the other's sibling. */
    const bool one_core = wanted->distance >= 0 && distances->of[wanted->distance].kind == DISTANCE_CORE;
    if (one_core || wanted->below != SERIES_COUNT)
        selected->state = STATE_UNKNOWN;
    else
        selected->state = engine_main_state(&counts);
    for (int i = 0; matrix->witness && selected->state == STATE_IDLE && i < matrix->count; i++)
        selected->unproved |= matrix->witness[i] && !sibling_is_sure(matrix->witness[i]);
}

/* The values in the order of time, without disturbed ones where enough others are left. A pair that comes back to the distance
 * is most often on other cores than before: each stay there is a placement. */
static void choose(const struct latency_matrix *matrix, const struct latency_selection *wanted,
                   bool disturbed_too, struct latency_selected *s)
{
    const size_t room = matrix->data.sweeps * wanted->pairs;
    unsigned *stay =
        memory_zeroed(wanted->pairs, sizeof *stay); /* of each pair now; 0: elsewhere, or not yet */
    size_t of_state = 0;

    s->count = s->stays = 0;
    for (size_t i = 0; i < room; i++) {
        const size_t sweep = i / wanted->pairs, nth = i % wanted->pairs, pair = wanted->first + nth;
        const double value = value_in(matrix, wanted, sweep, pair);
        const int at = distances_at(&matrix->distances, sweep, pair);
        if (at >= 0 && at != wanted->distance)
            stay[nth] = 0;
        if (isnan(value) || (s->state != STATE_UNKNOWN &&
                             (state_in(matrix, sweep, pair) == STATE_IDLE) != (s->state == STATE_IDLE)))
            continue;
        of_state++;
        if (!disturbed_too && engine_disturbed(&matrix->data, sweep, pair * matrix->width))
            continue;
        if (stay[nth] == 0)
            stay[nth] = ++s->stays;
        s->pair[s->count] = (uint32_t)nth;
        s->stay[s->count] = stay[nth] - 1;
        s->value[s->count++] = value;
    }
    free(stay);
    if (!disturbed_too && s->count * UNDISTURBED_SHARE < of_state)
        choose(matrix, wanted, true, s);
}

/* Pairs at one distance are not equally far: a mesh has longer and shorter ways. How they vary is what the others have in common
 * with the median pair, so each value is scaled to that pair; a pair seen too seldom stays as it is. */
static void scale_to_median_pair(struct latency_selected *s, size_t pairs)
{
    double *by_pair = memory_zeroed(s->count, sizeof *by_pair), *of = memory_zeroed(pairs, sizeof *of);
    size_t *end = memory_zeroed(pairs + 1, sizeof *end);

    for (size_t i = 0; i < s->count; i++)
        end[s->pair[i] + 1]++;
    for (size_t pair = 0; pair < pairs; pair++)
        end[pair + 1] += end[pair];
    for (size_t i = 0; i < s->count; i++)
        by_pair[end[s->pair[i]]++] = s->value[i];
    for (size_t pair = 0; pair < pairs; pair++) {
        const size_t begin = pair ? end[pair - 1] : 0, count = end[pair] - begin;
        of[pair] = count < SCALED_LEAST ? NAN : quantile_of(by_pair + begin, count, latency_quantile);
    }
    const double median = median_of(of, pairs); /* NaN are left out */
    for (size_t i = 0; i < s->count; i++)
        s->value[i] *= isnan(of[s->pair[i]]) ? 1 : median / of[s->pair[i]];
    free(by_pair);
    free(of);
    free(end);
}

static void estimate_stays(struct latency_selected *s)
{
    size_t *length = memory_zeroed(s->stays, sizeof *length), kept = 0;

    for (size_t i = 0; i < s->count; i++)
        length[s->stay[i]]++;
    for (size_t i = 0; i < s->count; i++) {
        if (length[s->stay[i]] < STAY_LEAST)
            continue;
        s->stay[kept] = s->stay[i];
        s->value[kept++] = s->value[i];
    }
    free(length);
    estimate_placements(s->value, s->stay, kept, 0.5, &s->estimate);
}

struct latency_selected latency_select(const struct latency_matrix *matrix,
                                       const struct latency_selection *wanted)
{
    const size_t room = matrix->data.sweeps * wanted->pairs;
    const bool ratio = wanted->below != SERIES_COUNT;
    struct latency_selected s = {.value = memory_zeroed(room, sizeof *s.value),
                                 .pair = memory_zeroed(room, sizeof *s.pair),
                                 .stay = memory_zeroed(room, sizeof *s.stay)};

    survey(matrix, wanted, &s);
    choose(matrix, wanted, false, &s);
    if (wanted->pairs > 1 && !ratio)
        scale_to_median_pair(&s, wanted->pairs);
    s.known = estimate_of(s.value, s.count, ratio ? 0.5 : latency_quantile, &s.estimate);
    if (s.known && ratio)
        estimate_stays(&s);
    s.estimate.state = s.state;
    s.estimate.visits = s.visits;
    s.estimate.unproved = s.unproved;
    s.verdict = latency_judge(matrix, wanted, &s.estimate);
    return s;
}

void latency_selected_free(struct latency_selected *selected)
{
    free(selected->value);
    free(selected->pair);
    free(selected->stay);
}

struct verdict latency_judge(const struct latency_matrix *matrix, const struct latency_selection *wanted,
                             const struct estimate *estimate)
{
    static const struct verdict low = {TRUST_LOW, LEG_PRECISION}, medium = {TRUST_MEDIUM, LEG_REPETITION};
    const struct promise ratio = {.relative = 0.05,
                                  .placements = matrix->guest ? PLACEMENTS_LEAST : 0,
                                  .at_least = NAN,
                                  .at_most = NAN};
    const bool beyond_core =
        wanted->distance >= 0 && matrix->distances.of[wanted->distance].kind != DISTANCE_CORE;

    if (wanted->below == SERIES_COUNT) {
        const struct verdict verdict = trust_judge(estimate, &promise_beyond);
        return matrix->guest && beyond_core ? verdict_lesser(verdict, low) : verdict;
    }
    /* With what else goes on between the cores all but readwrite change by up to 8 %. */
    const struct verdict verdict = trust_judge(estimate, &ratio);
    return wanted->series == SERIES_READWRITE ? verdict : verdict_lesser(verdict, medium);
}
