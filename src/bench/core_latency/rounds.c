/* SPDX-License-Identifier: MIT */
/* All pairs in rounds, so that the same pair is seen at moments far apart; then some of them alone. */
#include <math.h>
#include <stdlib.h>

#include "base/text.h"
#include "core_latency.h"
#include "uarchprobe/stats.h"

enum {
    CHECKED_LEAST = 12,
    CHECKED_SHARE = 25, /* one pair in so many is measured again alone */
    CHECKED_MAX = 500,
    CHECKED_ROUNDS = 3
};

static const double BIAS_MAX = 0.03, BATCH_S = 8e-3;

static void show_progress(void *context, double done, double eta_s)
{
    const struct latency_matrix *matrix = context;
    run_progress(matrix->run, done, eta_s, "pairs");
}

static uint64_t contended(void *context)
{
    return ((const struct latency_matrix *)context)->contended;
}

static bool run_rounds(struct latency_matrix *matrix, struct fault *fault)
{
    const struct common *common = matrix->run->common;
    struct engine_host host = {.core_clock = matrix->run->core_clock,
                               .sibling = matrix->witness[0],
                               .team = matrix->team,
                               .context = matrix,
                               .interrupted = matrix->run->interrupted,
                               .taken = matrix->run->taken,
                               .switches = contended};
    const struct engine_machine machine = engine_host_machine(&host);
    const struct engine_bench bench = {.context = matrix,
                                       .points = matrix->plan.pair_count + 1,
                                       .width = matrix->width,
                                       .group = matrix->plan.start, /* and the CPU alone, after the last */
                                       .groups = matrix->plan.batch_count + 1,
                                       .sample = latency_sample,
                                       .progress = show_progress};
    /* A plan may be wrong by some, and threads that seldom have their CPUs at once take many times as long as planned. Of so
     * few rounds that each takes long, none is left out before twice this time. 0: as long as it takes. */
    const double patience_s = common->repeat ? 0 : 1.7 * effort_planned_s(matrix) + 0.5;
    const bool limited = common->time_budget > 0;
    const struct engine_effort effort = {.rounds = common->repeat,
                                         .least = ROUNDS_LEAST,
                                         .most = matrix->least_rounds,
                                         .patience_s = patience_s,
                                         .duration_s = matrix->duration_s,
                                         .budget_s = limited ? common->time_budget : 2 * patience_s,
                                         .begin_ns = limited ? matrix->begin_ns : 0,
                                         .batch_s = BATCH_S};

    engine_data_free(&matrix->data);
    const enum engine_end end = engine_run(&bench, &machine, &effort, &matrix->data, fault);
    matrix->abandoned = matrix->abandoned || host.stuck;
    if (host.stuck)
        fault_set(fault, STATUS_FAILED, "CPU %d did not answer", matrix->place[0].id);
    matrix->out_of_time =
        end != ENGINE_INTERRUPTED && latency_is_cut(matrix) && matrix->data.rounds < matrix->least_rounds;
    matrix->complete = end != ENGINE_INTERRUPTED && !matrix->out_of_time;
    /* Patience ends before the time that was given; what is left out then are rounds, and no value. */
    matrix->late = !matrix->out_of_time && end == ENGINE_BUDGET;
    const bool ok = end != ENGINE_FAILED && !host.stuck;
    /* Again: two moments must agree. */
    if (ok && !run_has_ended(matrix->run) && latency_own_measure(matrix, fault))
        return false;
    latency_conclude(matrix);
    return ok;
}

/* Alone against in parallel, where the pair is at the same distance; NaN: unknown. */
static double ratio_of(struct latency_matrix *matrix, size_t pair, double *sample, struct fault *fault)
{
    const enum latency_series witness = latency_witness(matrix);
    size_t count = 0;
    double value[CHECKED_ROUNDS], share;
    const int distance = distances_main(&matrix->distances, pair, &share);

    for (int round = 0; round < CHECKED_ROUNDS && !run_has_ended(matrix->run); round++) {
        if (!latency_sample(matrix, pair, 1, sample, fault))
            return NAN;
        const double seen = sample[matrix->column[witness]];
        if (!isnan(seen) && distance >= 0 && classes_of(&matrix->distances.classes, seen) == distance)
            value[count++] = seen;
    }
    const double alone = quantile_of(value, count, latency_quantile);
    return alone / (double)matrix->cell[witness][pair].value;
}

/* Pairs spread evenly over the plan. */
static bool check_alone(struct latency_matrix *matrix, struct fault *fault)
{
    const size_t pairs = matrix->plan.pair_count, most = pairs / CHECKED_MAX + 1;
    double ratio[CHECKED_MAX], *sample = memory_zeroed(matrix->width, sizeof *sample);
    size_t stride = pairs / CHECKED_LEAST, count = 0;

    stride = stride > CHECKED_SHARE ? CHECKED_SHARE : stride > 1 ? stride : 1;
    stride = stride < most ? most : stride;
    matrix->checking = true;
    for (size_t i = stride / 2; i < pairs && count < CHECKED_MAX && fault->status == STATUS_OK; i += stride)
        ratio[count++] = ratio_of(matrix, i, sample, fault);
    matrix->checking = false;
    free(sample);
    matrix->parallel_bias = median_of(ratio, count) - 1; /* NaN are left out */
    matrix->complete = !run_has_ended(matrix->run);
    return fault->status == STATUS_OK;
}

enum status latency_run(struct latency_matrix *matrix, struct fault *fault)
{
    const double budget_s = matrix->run->common->time_budget;

    if (!run_rounds(matrix, fault) || matrix->plan.widest == 1 || !matrix->complete)
        return fault->status;
    if (!check_alone(matrix, fault) || !(fabs(matrix->parallel_bias) > BIAS_MAX))
        return fault->status;
    matrix->biased = true;
    /* One by one, the rounds take as much longer as there are pairs at the same time. */
    const double elapsed_s = (double)(clock_now_ns() - matrix->begin_ns) * 1e-9;
    matrix->fell_back = budget_s <= 0 || elapsed_s * (1 + matrix->plan.widest) <= budget_s;
    if (!matrix->fell_back) {
        matrix->complete = false;
        return fault->status;
    }
    pairs_make_serial(&matrix->plan);
    for (int series = 0; series < SERIES_COUNT; series++) {
        for (size_t i = 0; matrix->cell[series] && i < matrix->plan.pair_count; i++)
            latency_cell_clear(&matrix->cell[series][i]);
    }
    run_rounds(matrix, fault);
    return fault->status;
}
