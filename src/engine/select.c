/* SPDX-License-Identifier: MIT */
#include "engine/select.h"

#include <math.h>
#include <stdlib.h>

#include "base/text.h"

static const double TIE = 1.01, SELDOM = 0.25;

static double cost_of(const struct candidates *r, size_t member, size_t round)
{
    return engine_value(r->data, round, r->of[member].cell + r->value) / r->of[member].work;
}

bool engine_fits(const struct engine_data *data, size_t round, size_t cell, enum state state,
                 bool disturbed_too)
{
    return (state == STATE_MIXED || engine_state(data, round, cell) == state) &&
           (disturbed_too || !engine_disturbed(data, round, cell));
}

static bool is_in_state(const struct candidates *r, size_t member, size_t round)
{
    return engine_fits(r->data, round, r->of[member].cell, r->state, r->state == STATE_MIXED);
}

double candidates_ratio(const struct candidates *r, size_t i, size_t than, double quantile)
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

/* The best twentieth of the costs in any state. NaN: too few. */
static double plateau_of(const struct candidates *r, size_t i)
{
    double *cost = memory_zeroed(r->data->kept + 1, sizeof *cost);
    size_t count = 0;
    for (size_t round = 0; round < r->data->kept; round++)
        if (!isnan(cost[count] = cost_of(r, i, round)))
            count++;
    const double plateau = count < SELECT_LEAST ? NAN : quantile_reordering(cost, count, HIGHEST);
    free(cost);
    return plateau;
}

bool candidates_tie(const struct candidates *r, size_t i, size_t fastest)
{
    const double slower = candidates_ratio(r, i, fastest, 0.5);
    return isnan(slower) || slower <= TIE || candidates_ratio(r, i, fastest, SELDOM) <= 1;
}

/* The fastest, and those that tie with it: by ratios of plateaus, or else by ratios within rounds. */
static size_t choose_by(const struct candidates *r, bool *tie, bool plateaus)
{
    size_t best = 0;
    for (size_t i = 0; i < r->count; i++) {
        const double slower =
            plateaus ? plateau_of(r, i) / plateau_of(r, best) : candidates_ratio(r, i, best, 0.5);
        if (isnan(slower))
            return r->count;
        best = slower < 1 ? i : best;
    }
    for (size_t i = 0; i < r->count; i++)
        tie[i] = plateaus ? plateau_of(r, i) <= TIE * plateau_of(r, best) : candidates_tie(r, i, best);
    return best;
}

size_t candidates_highest(const struct candidates *r, bool *tie)
{
    return choose_by(r, tie, true);
}

size_t candidates_choose(const struct candidates *r, bool *tie)
{
    return choose_by(r, tie, false);
}

bool candidates_pool(const struct candidates *r, const bool *tie, size_t of, struct estimate *e)
{
    double *value = memory_zeroed(r->data->kept * r->count + 1, sizeof *value);
    size_t count = 0;
    for (size_t k = 0; k < r->data->kept * r->count; k++) {
        const size_t member = k % r->count;
        const double cost = cost_of(r, member, k / r->count);
        if (tie[member] && !isnan(cost))
            value[count++] = cost * r->of[of].work;
    }
    const bool ok = estimate_of(value, count, 0.5, e);
    e->state = STATE_MIXED;
    e->placements = count;
    /* Fewer have a median and no plateau. */
    if (count >= SELECT_LEAST) {
        const size_t half = count / 2;
        e->value = e->plateau = quantile_of(value, count, PLATEAU);
        e->tilt = (quantile_of(value, count, ON_FLOOR) - quantile_of(value, count, HIGHEST)) / e->value;
        e->low = e->summary.p10;
        e->high = e->summary.p90;
        e->first = quantile_of(value, half, PLATEAU);
        e->second = quantile_of(value + half, count - half, PLATEAU);
        e->placements = WINDOWS;
        e->placement_low = e->placement_high = e->value;
        for (size_t i = 0; i < WINDOWS; i++) {
            const size_t begin = count * i / WINDOWS, end = count * (i + 1) / WINDOWS;
            e->placement_high = fmax(e->placement_high, quantile_of(value + begin, end - begin, 0));
        }
    }
    free(value);
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
