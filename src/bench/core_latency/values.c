/* SPDX-License-Identifier: MIT */
/* The value of each pair in each series: that of the distance at which it was found most often, and what flags it. */
#include <math.h>

#include "core_latency.h"

/* Share of dropped samples; half width of the interval, relative. */
static const double PREEMPTED = 0.05, NOISY = 0.10;
/* Siblings share an L1; twice the limit of one core allows for slow ones. */
static const double SEPARATE_LIMIT = 4;

const char *const cell_flag_names[] = {"regime", "noisy", "preempted", "placement", NULL};

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

static void conclude_cell(const struct latency_matrix *matrix, enum latency_series series, size_t pair)
{
    struct latency_cell *cell = &matrix->cell[series][pair];
    const struct engine_data *data = &matrix->data;
    double share;
    size_t disturbed = 0;

    cell->distance = (int8_t)distances_main(&matrix->distances, pair, &share);
    const struct latency_selection wanted = {series, SERIES_COUNT, pair, 1, cell->distance};
    struct latency_selected selected = latency_select(matrix, &wanted);
    const struct estimate *e = &selected.estimate;
    if (selected.known) {
        cell->rounds = (uint32_t)selected.count;
        cell->value = (float)e->value;
        cell->low = (float)e->low;
        cell->high = (float)e->high;
        cell->spread =
            selected.count < 2 ? NAN : (float)((e->summary.p90 - e->summary.p10) / e->summary.median);
        for (size_t sweep = 0; sweep < data->sweeps; sweep++)
            disturbed += engine_disturbed(data, sweep, pair * matrix->width);
        const bool preempted =
            (double)cell->dropped > PREEMPTED * (double)cell->samples || 2 * disturbed > data->sweeps;
        const bool noisy = fmax(e->high - e->value, e->value - e->low) > NOISY * e->value;
        cell->flags = (uint8_t)((share < 1 ? FLAG_REGIME : 0) | (noisy ? FLAG_NOISY : 0) |
                                (preempted ? FLAG_PREEMPTED : 0) |
                                (contradicts_topology(matrix, pair, cell->distance) ? FLAG_PLACEMENT : 0));
        cell->verdict = selected.verdict;
        /* It is somewhere else the next time. */
        if (cell->flags & (FLAG_REGIME | FLAG_PLACEMENT))
            cell->verdict = verdict_lesser(cell->verdict, (struct verdict){TRUST_LOW, LEG_REPETITION});
    }
    latency_selected_free(&selected);
}

/* The transfer tells apart what a compare-and-swap does not: on some cores that takes 22 ns between siblings and 26
 * between cores. */
enum latency_series latency_witness(const struct latency_matrix *matrix)
{
    int series = SERIES_CAS;

    if (matrix->column[SERIES_TRANSFER] >= 0)
        return SERIES_TRANSFER;
    while (matrix->column[series] < 0)
        series++;
    return (enum latency_series)series;
}

void latency_conclude(struct latency_matrix *matrix)
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
    for (int series = 0; series < SERIES_COUNT; series++) {
        for (size_t i = 0; matrix->cell[series] && i < matrix->plan.pair_count; i++)
            conclude_cell(matrix, (enum latency_series)series, i);
    }
}
