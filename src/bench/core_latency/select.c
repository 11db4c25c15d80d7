/* SPDX-License-Identifier: MIT */
/* Which measurements count for a value, what they come to, and how far that can be trusted. What is selected becomes one cell of the
 * engine's data, with a round for each measurement, so that the engine's estimate is that of a bench of one point. */
#include <math.h>
#include <stdlib.h>

#include "base/text.h"
#include "core_latency.h"
#include "uarchprobe/stats.h"

/* What one pair of cores has, another below the same L3 has not: on Zen 4 cas 25 ns and transfer 27, or 29.6 and 26.6. A
 * guest does not know which it was given, and has others the next time. Of a stay of few measurements, noise is all there is. */
enum { PLACEMENTS_LEAST = 4, STAY_LEAST = 8, SCALED_LEAST = 4 };
/* Of the measurements of a pair the lower quartile, as a disturbance only ever adds. */
static const double QUANTILE = 0.25;
/* Share of dropped samples; half width of the interval, relative. */
static const double PREEMPTED = 0.05, NOISY = 0.10;
/* Of the mean of both directions. */
static const double ASYMMETRY = 0.10;
/* Siblings share an L1; twice the limit of one core allows for slow ones. */
static const double SEPARATE_LIMIT = 4;

const char *const cell_flag_names[] = {"regime", "noisy", "preempted", "placement", "asymmetric", NULL};

static bool is_within_core(const struct latency_matrix *matrix, const struct latency_selection *wanted)
{
    return wanted->distance >= 0 && matrix->distances.of[wanted->distance].kind == DISTANCE_CORE;
}

/* A witness that learnt the half first took a busy sibling for an idle one until then. */
static enum state state_in(const struct latency_matrix *matrix, size_t round, size_t point)
{
    const struct engine_data *data = &matrix->data;
    const float state = data->value[round * data->cells + point * COLUMNS + STATE_COLUMN];
    const uint64_t ns = data->moment[data->before[round * data->points + point]].end_ns;
    const struct pair *ends = &matrix->plan.pair[point];
    const bool was_known =
        !matrix->setup.witness || (ns >= sibling_known_since_ns(matrix->setup.witness[ends->from]) &&
                                   ns >= sibling_known_since_ns(matrix->setup.witness[ends->to]));
    return isnan(state)                        ? STATE_UNKNOWN
           : state == STATE_IDLE && !was_known ? STATE_ACTIVE
                                               : (enum state)state;
}

/* Values in the order of time, times those of `scale` (by point; NULL: as they are), each between two moments of its own. A pair that
 * comes back to the distance is most often on other cores than before: each stay there is a placement of a ratio, but for those that are
 * too short, which are left out. Freed by engine_data_free. */
static struct engine_data gather(const struct latency_matrix *matrix, const struct latency_selection *wanted,
                                 const double *scale, bool *placed)
{
    const size_t points = wanted->pair < 0 ? matrix->plan.pair_count : 1, room = matrix->data.kept * points;
    const bool ratio = wanted->below < SERIES_COUNT;
    struct engine_data rows = {.cells = 1, .points = 1, .reading = {.sure = true}};
    unsigned *stay = memory_zeroed(points, sizeof *stay), stays = 0; /* 0: elsewhere, or not yet */
    unsigned *length = memory_zeroed(room + 1, sizeof *length);      /* by stay, of what is undisturbed */
    rows.value = memory_zeroed(room, sizeof *rows.value);
    rows.before = memory_zeroed(room, sizeof *rows.before);
    rows.moment = memory_zeroed(2 * room, sizeof *rows.moment);
    *placed = false;
    for (int i = 0; matrix->setup.witness && i < matrix->count; i++)
        rows.reading.sure =
            rows.reading.sure && (!matrix->setup.witness[i] || sibling_is_sure(matrix->setup.witness[i]));
    for (size_t i = 0; i < room; i++) {
        const size_t round = i / points, nth = i % points;
        const size_t point = wanted->pair < 0 ? nth : (size_t)wanted->pair;
        const float *seen = &matrix->data.value[round * matrix->data.cells + point * COLUMNS];
        const int at = distances_at(matrix, round, point);
        double value = (double)seen[wanted->series] * (scale ? scale[nth] : 1);
        if (ratio)
            value /= (double)seen[wanted->below];
        if (at >= 0 && at != wanted->distance)
            stay[nth] = 0;
        if (isnan(value) || (wanted->distance >= 0 && at != wanted->distance))
            continue;
        if (stay[nth] == 0)
            stay[nth] = ++stays;
        struct moment *moment = &rows.moment[rows.moments];
        moment[0].sibling = moment[1].sibling = state_in(matrix, round, point);
        moment[0].placement = ratio ? stay[nth] : 0;
        moment[1].switches = engine_disturbed(&matrix->data, round, point * COLUMNS);
        *placed |= (length[stay[nth]] += !moment[1].switches) >= STAY_LEAST && ratio;
        rows.seen[moment->sibling]++;
        rows.value[rows.kept] = (float)value;
        rows.before[rows.kept++] = (uint32_t)rows.moments;
        rows.moments += 2;
    }
    for (size_t i = 0; *placed && i < rows.kept; i++)
        if (length[rows.moment[2 * i].placement] < STAY_LEAST)
            rows.value[i] = NAN;
    free(stay);
    free(length);
    return rows;
}

/* No time beyond one core is promised where the host may slow down what lies there. */
static struct verdict judge(const struct latency_matrix *matrix, const struct latency_selection *wanted,
                            const struct estimate *estimate)
{
    const bool is_ratio = wanted->below < SERIES_COUNT;
    static const struct verdict low = {TRUST_LOW, LEG_PRECISION}, medium = {TRUST_MEDIUM, LEG_REPETITION};
    const struct promise ratio = {.relative = 0.05,
                                  .placements = matrix->guest ? PLACEMENTS_LEAST : 0,
                                  .at_least = NAN,
                                  .at_most = NAN};
    const struct verdict verdict = trust_judge(estimate, is_ratio ? &ratio : &promise_beyond);
    /* With what else goes on between the cores all but readwrite change by up to 8 %. */
    if (is_ratio)
        return wanted->series == SERIES_READWRITE ? verdict : verdict_lesser(verdict, medium);
    return matrix->guest && wanted->distance >= 0 && !is_within_core(matrix, wanted)
               ? verdict_lesser(verdict, low)
               : verdict;
}

struct latency_selected latency_select(const struct latency_matrix *matrix, struct latency_selection wanted)
{
    const bool ratio = wanted.below < SERIES_COUNT;
    double *scale = NULL;
    size_t visits = 0;
    /* Pairs at one distance are not equally far: a mesh has longer and shorter ways. How they vary is what the others have in common
     * with the median pair, so each value is scaled to that pair; a pair seen too seldom stays as it is. */
    if (wanted.pair < 0 && !ratio) {
        const size_t pairs = matrix->plan.pair_count;
        scale = memory_zeroed(pairs, sizeof *scale);
        for (size_t i = 0; i < pairs; i++) {
            wanted.pair = (int)i;
            const struct estimate one = latency_select(matrix, wanted).estimate;
            scale[i] = one.summary.count < SCALED_LEAST ? NAN : one.value;
            visits = one.visits > visits ? one.visits : visits;
        }
        wanted.pair = ALL_PAIRS;
        const double median = median_of(scale, pairs); /* NaN are left out */
        for (size_t i = 0; i < pairs; i++)
            scale[i] = isnan(scale[i]) ? 1 : median / scale[i];
    }
    bool placed;
    struct engine_data rows = gather(matrix, &wanted, scale, &placed);
    struct latency_selected selected = {.count = rows.kept};
    struct estimate *e = &selected.estimate;
    enum state state = engine_main_state(&rows);
    /* On one core each is the other's sibling; and a ratio holds in any state. */
    if (state == STATE_UNKNOWN || ratio || is_within_core(matrix, &wanted))
        state = STATE_MIXED;
    engine_estimate(&rows, 0, state, ratio ? 0.5 : QUANTILE, e);
    if (!placed)
        e->placements = 0;
    if (scale) /* spells that several pairs saw are one */
        e->visits = visits;
    selected.verdict = judge(matrix, &wanted, e);
    engine_data_free(&rows);
    free(scale);
    return selected;
}

/* No pair of separate cores is nearer than a trip to the L2 and back; or it shows one L3, and the line comes from
 * further. */
static bool contradicts_topology(const struct latency_matrix *matrix, size_t pair, int distance)
{
    const enum relation relation = latency_relation(matrix, pair);
    if (distance < 0 || relation == SAME_CPU || relation == SAME_L2 ||
        latency_witness(matrix) != SERIES_TRANSFER)
        return false;
    const struct distance *found = &matrix->distances.of[distance];
    if (relation == SAME_CORE)
        return found->ns > SEPARATE_LIMIT * matrix->l2.least;
    return found->kind == DISTANCE_CORE || (relation == SAME_L3 && found->kind == DISTANCE_BEYOND);
}

static void conclude_cell(const struct latency_matrix *matrix, enum latency_series series, size_t pair)
{
    struct latency_cell *cell = latency_cell(matrix, series, pair);
    double share;
    cell->distance = (int8_t)distances_main(matrix, pair, &share);
    const struct latency_selected selected =
        latency_select(matrix, (struct latency_selection){series, SERIES_COUNT, (int)pair, cell->distance});
    const struct estimate *e = &selected.estimate;
    cell->rounds = (uint32_t)e->summary.count;
    if (cell->rounds == 0)
        return;
    cell->value = (float)e->value;
    cell->spread = cell->rounds < 2 ? NAN : (float)((e->summary.p90 - e->summary.p10) / e->summary.median);
    const bool raised[CELL_FLAGS_COUNT] = {
        share<1, fmax(e->high - e->value, e->value - e->low)> NOISY * e->value,
        (double)cell->dropped > PREEMPTED * (double)cell->samples || 2 * e->disturbed > selected.count,
        contradicts_topology(matrix, pair, cell->distance),
        2 * fabs(cell->forward - cell->backward) > ASYMMETRY * (cell->forward + cell->backward),
    };
    for (int i = 0; i < CELL_FLAGS_COUNT; i++)
        cell->flags |= (uint8_t)(raised[i] << i);
    /* Moved, or noisy, it differs anyway. */
    if (cell->flags != FLAG_ASYMMETRIC)
        cell->flags &= (uint8_t)~FLAG_ASYMMETRIC;
}

void latency_conclude(struct latency_matrix *matrix)
{
    distances_find(matrix);
    for (enum latency_series series = 0; series < SERIES_COUNT; series++)
        for (size_t i = 0; matrix->setup.measures[series] && i < matrix->plan.pair_count; i++)
            conclude_cell(matrix, series, i);
}
