/* SPDX-License-Identifier: MIT */
#include "engine/select.h"

#include <math.h>
#include <stdlib.h>

#include "base/text.h"

static const double TIE = 1.01, SELDOM = 0.25;

static double cost_of(const struct rivals *r, size_t member, size_t round)
{
    return engine_value(r->data, round, r->of[member].cell + r->value) / r->of[member].work;
}

static bool is_in_state(const struct rivals *r, size_t member, size_t round)
{
    return r->state == STATE_MIXED || (engine_state(r->data, round, r->of[member].cell) == r->state &&
                                       !engine_disturbed(r->data, round, r->of[member].cell));
}

double rivals_ratio(const struct rivals *r, size_t i, size_t than, double quantile)
{
    const size_t most = r->pairs && r->pairs < r->data->kept ? r->pairs : r->data->kept;
    double *ratio = memory_zeroed(most + 1, sizeof *ratio);
    size_t pairs = 0;
    for (int all = 0; all < 2 && pairs < SELECT_LEAST; all++) {
        pairs = 0;
        for (size_t round = 0; round < r->data->kept && pairs < most; round++) {
            const double slower = cost_of(r, i, round) / cost_of(r, than, round);
            if (!isnan(slower) && (all || (is_in_state(r, i, round) && is_in_state(r, than, round))))
                ratio[pairs++] = slower;
        }
    }
    const double slower = pairs < SELECT_LEAST ? NAN : quantile_reordering(ratio, pairs, quantile);
    free(ratio);
    return slower;
}

size_t rivals_choose(const struct rivals *r, bool *tie)
{
    size_t best = 0;
    for (size_t i = 0; i < r->count; i++) {
        const double slower = rivals_ratio(r, i, best, 0.5);
        if (isnan(slower))
            return r->count;
        if (slower < 1)
            best = i;
    }
    for (size_t i = 0; i < r->count; i++)
        tie[i] = rivals_ratio(r, i, best, 0.5) <= TIE || rivals_ratio(r, i, best, SELDOM) <= 1;
    return best;
}

bool rivals_pool(const struct rivals *r, const bool *tie, size_t of, double window_ns, struct estimate *e)
{
    const struct engine_data *data = r->data;
    const size_t width = data->cells / data->points;
    double *value = memory_zeroed(data->kept * r->count + 1, sizeof *value), low, high;
    unsigned *window = memory_zeroed(data->kept * r->count + 1, sizeof *window);
    size_t count = 0;
    for (size_t round = 0; round < data->kept; round++)
        for (size_t i = 0; i < r->count; i++) {
            const double cost = cost_of(r, i, round);
            const uint32_t before = data->before[round * data->points + r->of[i].cell / width];
            if (!tie[i] || isnan(cost))
                continue;
            window[count] =
                (unsigned)((double)(data->moment[before].begin_ns - data->moment[0].begin_ns) / window_ns);
            value[count++] = cost * r->of[of].work;
        }
    const bool ok = count >= SELECT_LEAST && estimate_of(value, count, 0.5, e);
    if (ok)
        estimate_placements(value, window, count, 0.5, e);
    if (ok && parts_range(&e->parts, &low, &high)) {
        e->state = STATE_MIXED;
        e->low = fmin(e->low, low);
        e->high = fmax(e->high, high);
    }
    free(value);
    free(window);
    return ok;
}

bool parts_range(const struct parts *parts, double *low, double *high)
{
    double value[PARTS_MOST] = {0};
    for (size_t i = 0; i < parts->count; i++)
        value[i] = (double)parts->value[i];
    *low = quantile_of(value, parts->count, 0.1);
    *high = quantile_of(value, parts->count, 0.9);
    return parts->count > 0;
}
