/* SPDX-License-Identifier: MIT */
/* Which measurements count for a value, and how far what they come to can be trusted. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "core_latency.h"

/* Disturbed measurements are left out where one in so many is not. */
enum { UNDISTURBED_SHARE = 5 };
/* What one pair of cores has, another below the same L3 has not: on Zen 4 cas 25 ns and transfer 27, or 29.6 and 26.6. A
 * guest does not know which it was given, and has others the next time. Of a stay of few measurements, noise is all there is. */
enum { PLACEMENTS_LEAST = 4, STAY_LEAST = 8 };

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

struct latency_selected latency_select(const struct latency_matrix *matrix,
                                       const struct latency_selection *wanted)
{
    const size_t sweeps = matrix->data.sweeps, room = sweeps * wanted->pairs;
    struct latency_selected s = {.value = memory_zeroed(room, sizeof *s.value),
                                 .pair = memory_zeroed(room, sizeof *s.pair),
                                 .stay = memory_zeroed(room, sizeof *s.stay)};
    unsigned *stay =
        memory_zeroed(wanted->pairs, sizeof *stay); /* of each pair now; 0: elsewhere, or not yet */
    size_t of_state;

    survey(matrix, wanted, &s);
    for (int disturbed_too = 0; disturbed_too < 2; disturbed_too++) {
        memset(stay, 0, wanted->pairs * sizeof *stay);
        s.count = s.stays = of_state = 0;
        for (size_t i = 0; i < room; i++) {
            const size_t sweep = i / wanted->pairs, nth = i % wanted->pairs, pair = wanted->first + nth;
            const double value = value_in(matrix, wanted, sweep, pair);
            const int at = distances_at(&matrix->distances, sweep, pair);
            if (at >= 0 && at != wanted->distance)
                stay[nth] = 0;
            if (isnan(value) || (s.state != STATE_UNKNOWN &&
                                 (state_in(matrix, sweep, pair) == STATE_IDLE) != (s.state == STATE_IDLE)))
                continue;
            of_state++;
            if (!disturbed_too && engine_disturbed(&matrix->data, sweep, pair * matrix->width))
                continue;
            if (stay[nth] == 0)
                stay[nth] = ++s.stays;
            s.pair[s.count] = (uint32_t)pair;
            s.stay[s.count] = stay[nth] - 1;
            s.value[s.count++] = value;
        }
        if (s.count * UNDISTURBED_SHARE >= of_state)
            break;
    }
    free(stay);
    return s;
}

void latency_selected_free(struct latency_selected *selected)
{
    free(selected->value);
    free(selected->pair);
    free(selected->stay);
}

bool latency_estimate(const struct latency_selected *selected, struct estimate *estimate)
{
    if (!estimate_of(selected->value, selected->count, latency_quantile, estimate))
        return false;
    estimate->state = selected->state;
    estimate->visits = selected->visits;
    estimate->unproved = selected->unproved;
    return true;
}

bool latency_estimate_ratio(const struct latency_selected *selected, struct estimate *estimate)
{
    if (!estimate_of(selected->value, selected->count, 0.5, estimate))
        return false;
    size_t *length = memory_zeroed(selected->stays, sizeof *length), kept = 0;
    for (size_t i = 0; i < selected->count; i++)
        length[selected->stay[i]]++;
    for (size_t i = 0; i < selected->count; i++) {
        if (length[selected->stay[i]] < STAY_LEAST)
            continue;
        selected->stay[kept] = selected->stay[i];
        selected->value[kept++] = selected->value[i];
    }
    free(length);
    estimate_placements(selected->value, selected->stay, kept, 0.5, estimate);
    return true;
}

struct verdict latency_judge(const struct latency_matrix *matrix, const struct estimate *estimate,
                             int distance)
{
    const struct verdict verdict = trust_judge(estimate, &promise_beyond);
    const bool host_decides =
        matrix->guest && distance >= 0 && matrix->distances.of[distance].kind != DISTANCE_CORE;

    return host_decides ? verdict_lesser(verdict, (struct verdict){TRUST_LOW, LEG_PRECISION}) : verdict;
}

/* With what else goes on between the cores all but readwrite change by up to 8 %. */
struct verdict latency_judge_ratio(const struct latency_matrix *matrix, const struct estimate *estimate,
                                   enum latency_series series)
{
    const struct promise promise = {.relative = 0.05,
                                    .placements = matrix->guest ? PLACEMENTS_LEAST : 0,
                                    .at_least = NAN,
                                    .at_most = NAN};
    const struct verdict verdict = trust_judge(estimate, &promise);

    return series == SERIES_READWRITE
               ? verdict
               : verdict_lesser(verdict, (struct verdict){TRUST_MEDIUM, LEG_REPETITION});
}
