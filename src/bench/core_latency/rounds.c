/* SPDX-License-Identifier: MIT */
/* All pairs in rounds, so that the same pair is seen at moments far apart; then some of them alone. */
#include <math.h>

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

/* A plan may be wrong by some, and threads that seldom have their CPUs at once take many times as long as planned. Of so few
 * rounds that each takes long, none is left out before twice this time. 0: as long as it takes. */
static double patience_s(const struct latency_matrix *matrix)
{
    return matrix->run->common->repeat ? 0 : 1.7 * latency_planned_s(matrix) + 0.5;
}

/* False with *fault set: no more can be measured. */
static bool run_engine(struct latency_matrix *matrix, const struct engine_bench *bench,
                       struct engine_effort effort, struct engine_data *data, struct fault *fault)
{
    struct engine_host host = {.core_clock = matrix->run->core_clock,
                               .sibling = matrix->witness[0],
                               .team = matrix->team,
                               .context = matrix,
                               .interrupted = matrix->run->interrupted,
                               .taken = matrix->run->taken,
                               .switches = contended};
    const struct engine_machine machine = engine_host_machine(&host);

    effort.budget_s = matrix->budget_given ? matrix->run->common->time_budget : 2 * patience_s(matrix);
    effort.begin_ns = matrix->budget_given ? matrix->begin_ns : 0;
    effort.batch_s = BATCH_S;
    const enum engine_end end = engine_run(bench, &machine, &effort, data, fault);
    matrix->abandoned = matrix->abandoned || host.stuck;
    if (host.stuck)
        fault_set(fault, STATUS_FAILED, "CPU %d did not answer", matrix->place[0].id);
    if (end == ENGINE_INTERRUPTED)
        matrix->complete = false;
    return end != ENGINE_FAILED && !host.stuck;
}

static bool run_rounds(struct latency_matrix *matrix, struct fault *fault)
{
    const struct engine_bench bench = {.context = matrix,
                                       .points = matrix->plan.pair_count + 1,
                                       .width = matrix->width,
                                       .group = matrix->plan.start, /* and the CPU alone, after the last */
                                       .groups = matrix->plan.batch_count + 1,
                                       .sample = latency_sample,
                                       .progress = show_progress};
    const struct engine_effort effort = {.rounds = matrix->run->common->repeat,
                                         .least = latency_rounds_least,
                                         .most = matrix->least_rounds,
                                         .patience_s = patience_s(matrix),
                                         .duration_s = matrix->duration_s};

    engine_data_free(&matrix->data);
    const bool ok = run_engine(matrix, &bench, effort, &matrix->data, fault);
    if (latency_is_cut(matrix) && matrix->complete)
        matrix->out_of_time = matrix->data.rounds < matrix->least_rounds;
    matrix->complete = matrix->complete && !matrix->out_of_time;
    /* Patience ends before the time that was given; what is left out then are rounds, and no value. */
    matrix->late = !matrix->out_of_time && matrix->data.end == ENGINE_BUDGET;
    /* Again: two moments must agree. */
    if (ok && !run_has_ended(matrix->run) && latency_own_measure(matrix, fault))
        return false;
    latency_conclude(matrix);
    return ok;
}

struct check {
    struct latency_matrix *matrix;
    size_t pair[CHECKED_MAX], count;
};

static bool sample_alone(void *context, size_t first, size_t count, double *value, struct fault *fault)
{
    const struct check *check = context;
    return latency_sample(check->matrix, check->pair[first], count, value, fault);
}

/* Evenly over the plan. */
static void choose_checked(struct check *check)
{
    const size_t pairs = check->matrix->plan.pair_count, most = pairs / CHECKED_MAX + 1;
    size_t stride = pairs / CHECKED_LEAST;

    stride = stride > CHECKED_SHARE ? CHECKED_SHARE : stride > 1 ? stride : 1;
    stride = stride < most ? most : stride;
    for (size_t i = stride / 2; i < pairs && check->count < CHECKED_MAX; i += stride)
        check->pair[check->count++] = i;
}

/* Alone against together, where the pair is at the same distance; NaN: unknown. */
static double ratio_of(const struct check *check, size_t index, const struct engine_data *alone)
{
    const struct latency_matrix *matrix = check->matrix;
    const enum latency_series witness = latency_witness(matrix);
    double value[CHECKED_ROUNDS];
    size_t others, values = 0;
    struct latency_found together;
    const int distance = distances_main(&matrix->distances, check->pair[index], &others);

    for (size_t sweep = 0; sweep < alone->sweeps; sweep++) {
        const size_t cell = index * matrix->width + (size_t)matrix->column[witness];
        const double seen = alone->value[sweep * alone->cells + cell];
        if (!isnan(seen) && distance >= 0 && classes_of(&matrix->distances.classes, seen) == distance)
            value[values++] = seen;
    }
    const struct latency_selection wanted = {witness, check->pair[index], 1, distance, STATE_UNKNOWN};
    return quantile_of(value, values, latency_quantile) / latency_value_at(matrix, &wanted, &together);
}

static bool check_alone(struct latency_matrix *matrix, struct fault *fault)
{
    struct check check = {.matrix = matrix};
    struct engine_data data = {0};
    double ratio[CHECKED_MAX];

    choose_checked(&check);
    const struct engine_bench bench = {
        .context = &check, .points = check.count, .width = matrix->width, .sample = sample_alone};
    const struct engine_effort effort = {.rounds = CHECKED_ROUNDS};
    matrix->checking = true;
    const bool ok = run_engine(matrix, &bench, effort, &data, fault);
    matrix->checking = false;
    for (size_t i = 0; i < check.count; i++)
        ratio[i] = ok ? ratio_of(&check, i, &data) : NAN; /* which a median leaves out */
    engine_data_free(&data);
    matrix->parallel_bias = median_of(ratio, check.count) - 1;
    return ok;
}

/* The pairs stay as they are; only none runs in parallel to another any more. */
static void make_serial(struct latency_matrix *matrix)
{
    pairs_make_serial(&matrix->plan);
    matrix->fell_back = true;
    for (int series = 0; series < SERIES_COUNT; series++) {
        for (size_t i = 0; matrix->cell[series] && i < matrix->plan.pair_count; i++)
            latency_cell_clear(&matrix->cell[series][i]);
    }
}

/* One by one, the rounds take as much longer as there are pairs at the same time. */
static bool has_time_for_serial(const struct latency_matrix *matrix)
{
    const double elapsed_s = (double)(clock_now_ns() - matrix->begin_ns) * 1e-9;
    return !matrix->budget_given || elapsed_s * (1 + matrix->plan.widest) <= matrix->run->common->time_budget;
}

enum status latency_matrix_run(struct latency_matrix *matrix, struct fault *fault)
{
    matrix->complete = true;
    if (!run_rounds(matrix, fault) || matrix->plan.widest == 1 || !matrix->complete)
        return fault->status;
    if (!check_alone(matrix, fault) || !(fabs(matrix->parallel_bias) > BIAS_MAX))
        return fault->status;
    matrix->biased = !has_time_for_serial(matrix);
    matrix->complete = !matrix->biased;
    if (!matrix->biased) {
        make_serial(matrix);
        run_rounds(matrix, fault);
    }
    return fault->status;
}
