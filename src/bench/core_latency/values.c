/* SPDX-License-Identifier: MIT */
/* What the measurements of one cell amount to: an estimate over those that found the pair where it mostly is. */
#include <math.h>
#include <stdlib.h>

#include "base/text.h"
#include "core_latency.h"
#include "uarchprobe/stats.h"

/* Disturbed measurements are left out where one in so many is not. */
enum { UNDISTURBED_SHARE = 5 };
/* Those with idle siblings are taken alone where they are so many, and one in so many. */
enum { IDLE_LEAST = 8, IDLE_SHARE = 10 };
/* Share of dropped samples; half width of the interval, relative. */
static const double PREEMPTED = 0.05, NOISY = 0.10;
/* Siblings share an L1; twice the limit of one core allows for slow ones. */
static const double SEPARATE_LIMIT = 4;

const double latency_quantile = 0.25;

const char *const cell_flag_names[] = {"regime", "noisy", "preempted", "placement", NULL};

bool latency_reports(const struct latency_matrix *matrix, enum latency_series series)
{
    return matrix->params->benches >> series_bench[series] & 1;
}

enum relation latency_relation(const struct latency_matrix *matrix, size_t pair)
{
    const struct pair *ends = &matrix->plan.pair[pair];
    return place_relation(&matrix->place[ends->from], &matrix->place[ends->to]);
}

bool latency_applies(const struct latency_matrix *matrix, enum latency_series series, size_t pair)
{
    return latency_relation(matrix, pair) != SAME_CPU || series != SERIES_READWRITE;
}

void latency_cell_clear(struct latency_cell *cell)
{
    *cell = (struct latency_cell){.line_low = INFINITY,
                                  .line_high = -INFINITY,
                                  .value = NAN,
                                  .low = NAN,
                                  .high = NAN,
                                  .spread = NAN,
                                  .distance = -1};
}

enum state latency_state(const struct latency_matrix *matrix, size_t sweep, size_t pair)
{
    const float state =
        matrix->data.value[sweep * matrix->data.cells + pair * matrix->width + matrix->state_column];
    const uint64_t ns = matrix->data.moment[matrix->data.before[sweep * matrix->data.points + pair]].end_ns;
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
    const size_t cell = pair * matrix->width + (size_t)matrix->column[wanted->series];
    const bool there =
        wanted->distance < 0 || distances_at(&matrix->distances, sweep, pair) == wanted->distance;
    return there ? matrix->data.value[sweep * matrix->data.cells + cell] : NAN;
}

/* What is collected, and how often one pair came to that state. */
static struct latency_found survey(const struct latency_matrix *matrix,
                                   const struct latency_selection *wanted)
{
    size_t of_state[STATE_COUNT] = {0};
    struct latency_found found = {0};

    for (size_t pair = wanted->first; pair < wanted->first + wanted->pairs; pair++) {
        size_t visits = 0;
        bool idle = true;
        for (size_t sweep = 0; sweep < matrix->data.sweeps; sweep++) {
            if (isnan(value_in(matrix, wanted, sweep, pair)))
                continue;
            const enum state state = latency_state(matrix, sweep, pair);
            visits += idle && state == STATE_ACTIVE;
            idle = state == STATE_IDLE || (idle && state != STATE_ACTIVE);
            of_state[state]++;
            found.all++;
        }
        found.visits = visits > found.visits ? visits : found.visits;
    }
    found.state = wanted->state == STATE_MIXED ? STATE_ACTIVE : wanted->state;
    /* On one core each is the other's sibling. */
    if (wanted->distance >= 0 && matrix->distances.of[wanted->distance].kind == DISTANCE_CORE)
        found.state = STATE_UNKNOWN;
    else if (wanted->state != STATE_MIXED)
        return found;
    else if (of_state[STATE_IDLE] >= IDLE_LEAST && of_state[STATE_IDLE] * IDLE_SHARE >= found.all)
        found.state = STATE_IDLE;
    else if (2 * of_state[STATE_UNKNOWN] >= found.all)
        found.state = STATE_UNKNOWN;
    return found;
}

static bool is_wanted(enum state state, enum state wanted)
{
    return wanted == STATE_UNKNOWN || (state == STATE_IDLE) == (wanted == STATE_IDLE);
}

struct latency_found latency_collect(const struct latency_matrix *matrix,
                                     const struct latency_selection *wanted, double *value, uint32_t *of)
{
    struct latency_found found = survey(matrix, wanted);
    size_t of_state;

    for (int disturbed_too = 0; disturbed_too < 2; disturbed_too++) {
        found.count = of_state = 0;
        for (size_t sweep = 0; sweep < matrix->data.sweeps; sweep++) {
            for (size_t pair = wanted->first; pair < wanted->first + wanted->pairs; pair++) {
                const double seen = value_in(matrix, wanted, sweep, pair);
                if (isnan(seen) || !is_wanted(latency_state(matrix, sweep, pair), found.state))
                    continue;
                of_state++;
                if (!disturbed_too && engine_disturbed(&matrix->data, sweep, pair * matrix->width))
                    continue;
                if (of)
                    of[found.count] = (uint32_t)pair;
                value[found.count++] = seen;
            }
        }
        if (found.count * UNDISTURBED_SHARE >= of_state)
            break;
    }
    return found;
}

bool latency_estimate(const struct latency_found *found, const double *value, struct estimate *estimate)
{
    if (!estimate_of(value, found->count, latency_quantile, estimate))
        return false;
    estimate->state = found->state;
    estimate->visits = found->visits;
    return true;
}

double latency_slower(const double *value, size_t count, double *fastest)
{
    enum { MOMENTS = 40, LOOKS_LEAST = 8 };
    double moment[MOMENTS];
    const size_t most = count / LOOKS_LEAST, moments = most < MOMENTS ? most : MOMENTS;

    if (moments < 2)
        return NAN;
    for (size_t i = 0; i < moments; i++) {
        const size_t begin = count * i / moments, end = count * (i + 1) / moments;
        moment[i] = quantile_of(value + begin, end - begin, latency_quantile);
    }
    *fastest = quantile_of(moment, moments, 0);
    return quantile_of(moment, moments, 0.95) / *fastest;
}

struct verdict latency_judge(const struct latency_matrix *matrix, const struct estimate *estimate,
                             int distance)
{
    struct estimate judged = *estimate;
    for (int i = 0; matrix->witness && i < matrix->count; i++)
        if (matrix->witness[i] && estimate->state == STATE_IDLE)
            judged.unproved = judged.unproved || !sibling_is_sure(matrix->witness[i]);
    const struct verdict verdict = trust_judge(&judged, &promise_beyond);
    const bool host_decides =
        matrix->guest && distance >= 0 && matrix->distances.of[distance].kind != DISTANCE_CORE;

    return host_decides ? verdict_lesser(verdict, (struct verdict){TRUST_LOW, LEG_PRECISION}) : verdict;
}

double latency_value_at(const struct latency_matrix *matrix, const struct latency_selection *wanted,
                        struct latency_found *found)
{
    double *value = memory_zeroed(matrix->data.sweeps * wanted->pairs, sizeof *value);

    *found = latency_collect(matrix, wanted, value, NULL);
    const double at = quantile_of(value, found->count, latency_quantile);
    free(value);
    return at;
}

/* No pair of separate cores is nearer than a trip to the L2 and back; or it shows one L3, and the line comes from
 * further. */
static bool contradicts_topology(const struct latency_matrix *matrix, size_t pair, int distance)
{
    const enum relation relation = latency_relation(matrix, pair);

    if (distance < 0 || relation == SAME_CPU || relation == SAME_L2 || matrix->column[SERIES_TRANSFER] < 0)
        return false;
    const struct distance *found = &matrix->distances.of[distance];
    if (relation == SAME_CORE)
        return found->ns > SEPARATE_LIMIT * matrix->l2.least;
    return found->kind == DISTANCE_CORE || (relation == SAME_L3 && found->kind == DISTANCE_BEYOND);
}

static size_t count_disturbed(const struct latency_matrix *matrix, size_t pair)
{
    size_t count = 0;

    for (size_t sweep = 0; sweep < matrix->data.sweeps; sweep++)
        count += engine_disturbed(&matrix->data, sweep, pair * matrix->width);
    return count;
}

static unsigned flags_of(const struct latency_matrix *matrix, enum latency_series series, size_t pair,
                         size_t elsewhere)
{
    const struct latency_cell *cell = &matrix->cell[series][pair];
    const double half = fmax(cell->high - cell->value, cell->value - cell->low);
    unsigned flags = elsewhere ? FLAG_REGIME : 0;

    if (half > NOISY * cell->value)
        flags |= FLAG_NOISY;
    if ((double)cell->dropped > PREEMPTED * (double)cell->samples ||
        2 * count_disturbed(matrix, pair) > matrix->data.sweeps)
        flags |= FLAG_PREEMPTED;
    if (contradicts_topology(matrix, pair, cell->distance))
        flags |= FLAG_PLACEMENT;
    return flags;
}

static void conclude_cell(const struct latency_matrix *matrix, enum latency_series series, size_t pair,
                          double *scratch)
{
    struct latency_cell *cell = &matrix->cell[series][pair];
    struct estimate estimate;
    size_t elsewhere = 0;

    cell->distance = (int8_t)distances_main(&matrix->distances, pair, &elsewhere);
    const struct latency_selection wanted = {series, pair, 1, cell->distance, STATE_MIXED};
    const struct latency_found found = latency_collect(matrix, &wanted, scratch, NULL);
    if (!latency_estimate(&found, scratch, &estimate))
        return;
    const struct summary *summary = &estimate.summary;
    cell->rounds = (uint32_t)found.count;
    cell->value = (float)estimate.value;
    cell->low = (float)estimate.low;
    cell->high = (float)estimate.high;
    cell->spread = found.count < 2 ? NAN : (float)((summary->p90 - summary->p10) / summary->median);
    cell->flags = (uint8_t)flags_of(matrix, series, pair, elsewhere);
    cell->verdict = latency_judge(matrix, &estimate, cell->distance);
    /* It is somewhere else the next time. */
    if (cell->flags & (FLAG_REGIME | FLAG_PLACEMENT))
        cell->verdict = verdict_lesser(cell->verdict, (struct verdict){TRUST_LOW, LEG_REPETITION});
}

/* The transfer tells apart what a compare-and-swap does not: on some cores that takes 22 ns between siblings and 26
 * between cores. */
enum latency_series latency_witness(const struct latency_matrix *matrix)
{
    int series = SERIES_TRANSFER;

    if (matrix->column[series] >= 0)
        return SERIES_TRANSFER;
    for (series = 0; series < SERIES_COUNT - 1 && matrix->column[series] < 0;)
        series++;
    return (enum latency_series)series;
}

static void find_distances(struct latency_matrix *matrix)
{
    const enum latency_series witness = latency_witness(matrix);
    const bool loads = witness == SERIES_TRANSFER;
    const struct distance_rules rules = {.pair = matrix->plan.pair,
                                         .place = matrix->place,
                                         .pairs = matrix->plan.pair_count,
                                         .column = (size_t)matrix->column[witness],
                                         .guest = matrix->guest,
                                         .l2_ns = loads ? matrix->l2.least : NAN,
                                         .l3 = loads ? matrix->l3 : (struct own_ns){NAN, NAN}};

    distances_free(&matrix->distances);
    distances_find(&matrix->distances, &matrix->data, &rules);
}

void latency_conclude(struct latency_matrix *matrix)
{
    double *scratch = memory_zeroed(matrix->data.sweeps, sizeof *scratch);

    find_distances(matrix);
    for (int series = 0; series < SERIES_COUNT; series++) {
        for (size_t i = 0; matrix->cell[series] && i < matrix->plan.pair_count; i++)
            conclude_cell(matrix, (enum latency_series)series, i, scratch);
    }
    free(scratch);
}
