/* SPDX-License-Identifier: MIT */
/* Samples of a cell, and their estimate within one state. Intervals are of 99 %, the larger of two: by order
 * statistics, which assume independent samples, and by medians of blocks in time, which do not. */
#include <math.h>
#include <stdlib.h>

#include "base/text.h"
#include "engine/engine_internal.h"
#include "engine/select.h"

enum { BLOCK_MIN = 4, BLOCKS_FEW = 4, BLOCKS = 16, VISITS_MOST = 64 };

static const double Z99 = 2.576;
/* Student's t, two-sided 99 %, for 1 to 15 degrees of freedom. */
static const double t99[] = {63.66, 9.925, 5.841, 4.604, 4.032, 3.707, 3.499, 3.355,
                             3.250, 3.169, 3.106, 3.055, 3.012, 2.977, 2.947};
/* Core clocks before and after a sample that differ by more have changed in between. */
static const double CLOCK_AGREES = 0.02;

/* Samples that count, in the order in which they were taken. */
struct chosen {
    double *value;
    unsigned *placement, *visit;
    size_t count, disturbed, of_state;
};

/* The probe before a sample; the one after it follows. NULL: not sampled. */
static const struct moment *moment_of(const struct engine_data *data, size_t round, size_t cell)
{
    const uint32_t before = data->before[round * data->points + cell / (data->cells / data->points)];
    return before + 1 < data->moments ? &data->moment[before] : NULL;
}

enum state engine_state(const struct engine_data *data, size_t round, size_t cell)
{
    const struct moment *moment = moment_of(data, round, cell);
    return moment && moment[0].sibling == moment[1].sibling ? moment->sibling : STATE_MIXED;
}

bool engine_disturbed(const struct engine_data *data, size_t round, size_t cell)
{
    const struct moment *moment = moment_of(data, round, cell);
    return moment && moment[0].switches != moment[1].switches;
}

double engine_share(const struct engine_data *data, enum state state)
{
    size_t probes = 0;
    for (int i = 0; i < STATE_COUNT; i++)
        probes += data->seen[i];
    return probes ? (double)data->seen[state] / (double)probes : NAN;
}

enum state engine_main_state(const struct engine_data *data)
{
    const double idle = engine_share(data, STATE_IDLE), active = engine_share(data, STATE_ACTIVE);
    const double unknown = engine_share(data, STATE_UNKNOWN);
    if (!(idle + active > unknown))
        return STATE_UNKNOWN;
    return idle >= 0.1 || idle >= active ? STATE_IDLE : STATE_ACTIVE;
}

double engine_value(const struct engine_data *data, size_t round, size_t cell)
{
    const struct moment *moment = moment_of(data, round, cell);
    const double value = (double)data->value[round * data->cells + cell];
    if (!moment || !data->cycles)
        return moment ? value : NAN;
    const double before = moment[0].ghz, after = moment[1].ghz;
    return fabs(before - after) <= CLOCK_AGREES * fmin(before, after) ? value * (before + after) / 2 : NAN;
}

/* Samples of the members in `tie` (NULL: of `of` alone, or of all) as samples of `of`. Leaves preempted
 * samples out unless disturbed_too, and samples of unknown cycles always. */
static void choose(const struct candidates *r, const bool *tie, size_t of, enum state state,
                   bool disturbed_too, struct chosen *chosen)
{
    const enum state other = state == STATE_IDLE ? STATE_ACTIVE : STATE_IDLE;
    const struct engine_data *data = r->data;
    const struct moment *last = data->moment;
    const double work = of < r->count ? r->of[of].work : 1;
    unsigned visit = 0;
    chosen->count = chosen->disturbed = chosen->of_state = 0;
    for (size_t k = 0; k < data->kept * r->count; k++) {
        const size_t round = k / r->count, member = k % r->count, cell = r->of[member].cell + r->value;
        const struct moment *moment = moment_of(data, round, cell);
        const double below = r->below ? engine_value(data, round, r->of[member].cell + *r->below) : 1;
        if (!(tie ? tie[member] : member == of || of == r->count) ||
            isnan(data->value[round * data->cells + cell]) || isnan(below) || !moment ||
            (r->placement && r->placement[k] == 0) ||
            (state != STATE_MIXED && engine_state(data, round, cell) != state))
            continue;
        const double value = engine_value(data, round, cell) / below / r->of[member].work * work;
        const bool switched = engine_disturbed(data, round, cell);
        chosen->of_state++;
        chosen->disturbed += switched || isnan(value);
        if (isnan(value) || (switched && !disturbed_too))
            continue;
        /* One probe may be wrong: only two in a row end a visit. */
        for (; last < moment; last++)
            visit += last[0].sibling == other && last[1].sibling == other;
        chosen->visit[chosen->count] = visit;
        chosen->placement[chosen->count] = r->placement ? r->placement[k] : moment->placement;
        chosen->value[chosen->count++] = value;
    }
}

static void widen(struct estimate *e, double half)
{
    e->low = fmin(e->low, e->value - half);
    e->high = fmax(e->high, e->value + half);
}

/* The order statistics around the quantile in 99 of 100 draws; the extremes where there are too few. */
static void order_interval(struct estimate *e, const double *value, size_t count, double q)
{
    const double n = (double)count, off = Z99 * sqrt(n * q * (1 - q));
    const double last = n - 1;
    if (count < BOUNDED_LEAST) {
        e->low = e->summary.min;
        e->high = e->summary.max;
        return;
    }
    e->low = quantile_of(value, count, fmax(0, (n * q - off - 0.5) / last));
    e->high = quantile_of(value, count, fmin(1, (n * q + off - 0.5) / last));
}

/* Sum over all parts of their deviation times that of the part `lag` behind. */
static double products(const double *part, size_t count, size_t lag)
{
    double mean = 0, sum = 0;
    for (size_t i = 0; i < count; i++)
        mean += part[i] / (double)count;
    for (size_t i = 0; i + lag < count; i++)
        sum += (part[i] - mean) * (part[i + lag] - mean);
    return sum;
}

/* Half width of a 99 % interval of the mean of parts, by their spread. */
static double half_width(const double *part, size_t count)
{
    if (count < 2)
        return INFINITY;
    const size_t freedom = count - 1 < 15 ? count - 1 : 15;
    return t99[freedom - 1] * sqrt(products(part, count, 0) / (double)(count - 1) / (double)count);
}

/* Long noise makes neighbouring blocks alike and their spread too small: Bartlett's factor for a geometric
 * autocorrelation corrects it. So few blocks underestimate the correlation by about 1 / count. */
static void block_interval(struct estimate *e, const double *value, size_t count, double q, size_t blocks)
{
    double part[BLOCKS];
    if (count < blocks * BLOCK_MIN)
        return;
    for (size_t i = 0; i < blocks; i++) {
        const size_t begin = count * i / blocks, end = count * (i + 1) / blocks;
        part[i] = quantile_of(value + begin, end - begin, q);
    }
    const double squares = products(part, blocks, 0);
    const double rho = squares > 0 ? fmin(products(part, blocks, 1) / squares + 1 / (double)blocks, 0.9) : 0;
    const double inflation = blocks > BLOCKS_FEW && rho > 0 ? sqrt((1 + rho) / (1 - rho)) : 1;
    widen(e, half_width(part, blocks) * inflation);
}

bool estimate_of(const double *value, size_t count, double quantile, struct estimate *e)
{
    *e = (struct estimate){.summary = summary_of(value, count)};
    e->value = e->low = e->high = e->first = e->second = e->placement_low = e->placement_high = NAN;
    e->plateau = e->tilt = e->mode[0] = e->mode[1] = NAN;
    if (e->summary.count == 0)
        return false;
    e->value = quantile_of(value, count, quantile);
    order_interval(e, value, count, quantile);
    block_interval(e, value, count, quantile, BLOCKS_FEW);
    block_interval(e, value, count, quantile, BLOCKS);
    /* Few samples are parts themselves; many become the quantiles of blocks. */
    e->parts.count = count < PARTS_MOST ? count : PARTS_MOST;
    for (size_t i = 0; i < e->parts.count; i++) {
        const size_t begin = count * i / e->parts.count, end = count * (i + 1) / e->parts.count;
        e->parts.value[i] = (float)quantile_of(value + begin, end - begin, quantile);
    }
    if (count >= 2) {
        e->first = quantile_of(value, count / 2, quantile);
        e->second = quantile_of(value + count / 2, count - count / 2, quantile);
    }
    return true;
}

/* A busy sibling may run another program in each spell, so its interval counts visits to the state, not
 * samples, and a later run may have fewer visits by chance. */
static void by_visit(const struct chosen *chosen, double quantile, struct estimate *e)
{
    double part[VISITS_MOST];
    size_t parts = 0, begin = 0;
    for (size_t i = 0; i < chosen->count; i++) {
        if (i + 1 < chosen->count && chosen->visit[i + 1] == chosen->visit[i])
            continue;
        if (parts < VISITS_MOST)
            part[parts++] = quantile_of(chosen->value + begin, i + 1 - begin, quantile);
        begin = i + 1;
        e->visits++;
    }
    const double visits = (double)parts, fewer = fmax(1, visits - Z99 * sqrt(visits));
    if (e->state == STATE_ACTIVE && parts >= VISITS_LEAST)
        widen(e, half_width(part, parts) * sqrt(visits / fewer));
}

struct placed {
    unsigned placement;
    double value;
};

static int compare_placed(const void *a, const void *b)
{
    const unsigned one = ((const struct placed *)a)->placement, other = ((const struct placed *)b)->placement;
    return (one > other) - (one < other);
}

void estimate_placements(const double *value, const unsigned *placement, size_t count, double quantile,
                         struct estimate *e)
{
    struct placed *placed = memory_zeroed(count + 1, sizeof *placed);
    double *part = memory_zeroed(2 * count + 1, sizeof *part), *of_one = part + count;
    double least = INFINITY, most = -INFINITY;
    for (size_t i = 0; i < count; i++)
        placed[i] = (struct placed){placement[i], value[i]};
    qsort(placed, count, sizeof *placed, compare_placed);
    e->placements = 0;
    for (size_t i = 0, length = 0; i < count; i++) {
        of_one[length++] = placed[i].value;
        if (i + 1 < count && placed[i + 1].placement == placed[i].placement)
            continue;
        /* Only differences beyond the noise of placements count: half a 99 % interval of a median by the
         * scatter of its samples. */
        const double half = length < 3
                                ? INFINITY
                                : Z99 * 1.2533 * 1.4826 * deviation_of(of_one, length) / sqrt((double)length);
        const double middle = quantile_reordering(of_one, length, quantile);
        part[e->placements++] = middle;
        least = fmin(least, middle + half);
        most = fmax(most, middle - half);
        length = 0;
    }
    /* Differences between placements are not noise of samples, so the value is their median, with their
     * interval. */
    if (e->placements >= 2) {
        e->value = median_of(part, e->placements);
        widen(e, half_width(part, e->placements));
    }
    e->placement_low = fmin(least, e->value);
    e->placement_high = fmax(most, e->value);
    free(placed);
    free(part);
}

/* Two modes of a value: its samples in two crowds, of a fifth of them and four each, further apart than
 * the strictest promise with nothing in most of the span between them. */
static void find_modes(double *value, size_t count, struct estimate *e)
{
    static const double SPARSE = 0.4, MODES_APART = 0.02;
    const size_t least = count > 5 * SELECT_LEAST ? (count + 4) / 5 : SELECT_LEAST;
    size_t at = 0;
    e->mode[0] = e->mode[1] = NAN;
    if (e->state == STATE_ACTIVE)
        return;
    values_sort(value, count);
    for (size_t i = least; i + least <= count; i++)
        if (at == 0 || value[i] - value[i - 1] > value[at] - value[at - 1])
            at = i;
    if (at == 0)
        return;
    const double fast = quantile_of_sorted(value, at, 0.5),
                 slow = quantile_of_sorted(value + at, count - at, 0.5);
    if (slow - fast <= MODES_APART * fast || value[at] - value[at - 1] < SPARSE * (slow - fast))
        return;
    e->mode[0] = fast;
    e->mode[1] = slow;
}

static bool estimate_in(const struct candidates *r, const bool *tie, size_t of, enum state state,
                        double quantile, struct estimate *e)
{
    const struct engine_data *data = r->data;
    const size_t most = data->kept * r->count + 1;
    struct chosen chosen = {.value = memory_zeroed(most, sizeof *chosen.value),
                            .placement = memory_zeroed(most, sizeof *chosen.placement),
                            .visit = memory_zeroed(most, sizeof *chosen.visit)};
    choose(r, tie, of, STATE_MIXED, true, &chosen);
    const double plateau = quantile_of(chosen.value, chosen.count, HIGHEST);
    choose(r, tie, of, state, false, &chosen);
    if (chosen.count == 0) /* no answer, but a point of a table */
        choose(r, tie, of, state, true, &chosen);
    /* Some samples filed under a state were partly in the other: too slow in the idle state, too fast in
     * the active one. The moved quantile is that of the rest. */
    const double hidden = state_hidden_share(data, state);
    const double q = quantile * (1 - hidden) + (state == STATE_ACTIVE ? hidden : 0);
    const bool any = estimate_of(chosen.value, chosen.count, q, e);
    e->state = state;
    e->unproved = state == STATE_IDLE && !data->reading.sure;
    e->taken = chosen.of_state;
    e->disturbed = chosen.disturbed;
    e->plateau = plateau;
    if (any) {
        estimate_placements(chosen.value, chosen.placement, chosen.count, q, e);
        by_visit(&chosen, q, e);
        find_modes(chosen.value, chosen.count, e);
    }
    free(chosen.value);
    free(chosen.placement);
    free(chosen.visit);
    return any;
}

/* Half of the strictest promise. */
static const double INDIFFERENT = 0.01;

bool candidates_estimate(const struct candidates *r, const bool *tie, size_t of, double quantile,
                         struct estimate *e)
{
    struct estimate idle;
    if (!estimate_in(r, tie, of, r->state, quantile, e))
        return false;
    e->indifferent = r->state == STATE_ACTIVE && estimate_in(r, tie, of, STATE_IDLE, quantile, &idle) &&
                     idle.summary.count >= BOUNDED_LEAST &&
                     fabs(idle.value - e->value) <= INDIFFERENT * fabs(e->value);
    return true;
}

bool engine_estimate(const struct engine_data *data, size_t cell, enum state state, double quantile,
                     struct estimate *e)
{
    const struct candidates alone = {
        .data = data, .of = &(struct candidate){cell, 1}, .count = 1, .state = state};
    return candidates_estimate(&alone, NULL, 0, quantile, e);
}
