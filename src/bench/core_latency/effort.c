/* SPDX-License-Identifier: MIT */
/* Kernels, and how much of each pair is measured so that a large machine does not take hours. */
#include <math.h>

#include "base/text.h"
#include "core_latency.h"

enum { ROUNDS_LEAST_SHORT = 24 /* where a round is very short */ };

/* The least number of rounds stays below TARGET_S where it can. A hypervisor moves its CPUs every few tenths of a second. --quick takes
 * the short time, and as thorough measurements as fit: thin ones read a few percent more. */
static const double TARGET_S = 22, SHORT_S = 0.1, GUEST_S = 3;

/* Measured and read elsewhere; good enough for an estimate, used for nothing else. */
static const double assumed_ns[RELATIONS] = {
    [SAME_CPU] = 5,    [SAME_CORE] = 25,     [SAME_L2] = 45,       [SAME_L3] = 60,
    [SAME_NODE] = 110, [SAME_PACKAGE] = 110, [SAME_MACHINE] = 180,
};

enum { WAKE_NS = 100000, TOUCH_NS = 1500, DIRTY_NS = 20 };

/* More samples of a pair hardly help (what remains lies between runs), so thin is not bad. */
static const struct latency_effort efforts[] = {
    {16, 4, 100}, {8, 4, 100}, {8, 2, 100}, {8, 2, 50}, {8, 1, 50},
};

double effort_measurement_s(const struct latency_matrix *matrix, enum relation relation)
{
    const struct latency_effort *effort = &matrix->setup.effort;
    const double trips = effort->lines * (WARM_TRIPS + (double)effort->samples * (double)effort->iterations);
    const double passes = WARM_PASSES + (effort->samples < 2 ? 4 : 2 * (double)effort->samples);
    const double nodes = effort->lines * NODES_PER_LINE, ns = assumed_ns[relation];
    double sum_ns = WAKE_NS + (double)effort->lines * TOUCH_NS;

    if (matrix->benches >> BENCH_CAS & 1)
        sum_ns += trips * 2 * ns;
    if (matrix->benches >> BENCH_READWRITE & 1) /* each way takes two transactions */
        sum_ns += trips * 4 * ns;
    if (matrix->benches >> BENCH_TRANSFER & 1) /* by loads and by locked operations */
        sum_ns += 2 * passes * nodes * (ns * 1.5 + DIRTY_NS);
    return 1e-9 * sum_ns;
}

double effort_seconds(const struct latency_matrix *matrix, uint64_t rounds)
{
    const struct pair_plan *plan = &matrix->plan;
    double sum = 0;

    for (size_t batch = 0; batch < plan->batch_count; batch++) {
        enum relation farthest = SAME_CPU;
        for (size_t i = plan->start[batch]; i < plan->start[batch + 1]; i++) {
            const enum relation relation = latency_relation(matrix, i);
            farthest = relation > farthest ? relation : farthest;
        }
        sum += effort_measurement_s(matrix, farthest);
    }
    return (double)rounds * sum;
}

static const struct kernel *last_kernel(struct kernel_filter filter, enum operation operation)
{
    const struct kernel *picked = NULL;

    for (const struct kernel *k = NULL; (k = kernel_next(&filter, operation, k)) != NULL;)
        picked = k;
    return picked;
}

/* The last kernel that passes is the most capable one. --kernel binds where it names one of the operation. */
enum status effort_pick_kernels(struct latency_matrix *matrix, struct fault *fault)
{
    const struct kernel_filter any = {.allowed = matrix->run->kernels.allowed};
    const char *name = matrix->run->kernels.name;
    const struct kernel **kernel = matrix->setup.kernel, *plain = NULL;
    bool named = name == NULL;
    struct text names = {0};

    for (int i = 0; i < SERIES_OWN_LLSC; i++) {
        const enum operation operation = latency_series[i].operation;
        kernel[i] = last_kernel(matrix->run->kernels, operation);
        if (matrix->benches >> latency_series[i].bench & 1) {
            named = named || kernel[i];
            for (const struct kernel *k = NULL; (k = kernel_next(&any, operation, k)) != NULL;)
                text_printf(&names, " %s", k->name);
        }
        if (!kernel[i])
            kernel[i] = last_kernel(any, operation);
    }
    /* The kernel of the same operation that every CPU can run, next to one that needs a feature. */
    if (kernel[SERIES_CAS] && kernel[SERIES_CAS]->needs != 0) {
        while ((plain = kernel_next(&any, OPERATION_PINGPONG_CAS, plain)) != NULL && plain->needs != 0)
            continue;
    }
    kernel[SERIES_OWN_LLSC] = plain;
    if (!named)
        fault_set(fault, STATUS_UNSUPPORTED,
                  "--kernel %s: nothing is measured with it here; it can be one of%s", name, names.data);
    text_free(&names);
    return fault->status;
}

double effort_planned_s(const struct latency_matrix *matrix)
{
    const double budget_s = matrix->run->common->time_budget;
    const double rounds_s = effort_seconds(matrix, matrix->least_rounds);
    return fmin(fmax(rounds_s, matrix->duration_s), budget_s > 0 ? budget_s : INFINITY);
}

void effort_set(struct latency_matrix *matrix)
{
    const struct common *common = matrix->run->common;
    const struct latency_params *params = matrix->params;
    struct latency_effort *effort = &matrix->setup.effort;

    for (size_t i = 0; i < sizeof efforts / sizeof *efforts; i++) {
        effort->lines = params->lines ? (int)params->lines : efforts[i].lines;
        effort->samples = common->samples ? common->samples : efforts[i].samples;
        effort->iterations = params->iterations ? params->iterations : efforts[i].iterations;
        if (effort_seconds(matrix, ROUNDS_LEAST) <= (common->quick ? SHORT_S : TARGET_S))
            break;
    }
    const double fitting = SHORT_S / effort_seconds(matrix, 1);
    matrix->least_rounds = (uint64_t)fmax(ROUNDS_LEAST, fmin(fitting, ROUNDS_LEAST_SHORT));
    matrix->duration_s = params->duration_s;
    if (common->repeat)
        matrix->least_rounds = common->repeat;
    else if (matrix->duration_s <= 0)
        matrix->duration_s = common->quick ? SHORT_S : matrix->guest ? GUEST_S : 0;
}
