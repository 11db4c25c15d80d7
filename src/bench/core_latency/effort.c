/* SPDX-License-Identifier: MIT */
/* What to measure with, and how much of each pair so that a large machine does not take hours. */
#include <math.h>

#include "base/text.h"
#include "core_latency.h"

const uint64_t latency_rounds_least = 3;

enum { ROUNDS_SHORT = 24 /* where a round is very short */ };

/* A hypervisor moves its CPUs every few tenths of a second. --quick takes the short time, and as thorough measurements as fit:
 * thin ones read a few percent more. */
static const double SHORT_S = 0.1, GUEST_S = 3;

/* Measured and read elsewhere; good enough for an estimate, used for nothing else. */
static const double assumed_ns[RELATIONS] = {
    [SAME_CPU] = 5,    [SAME_CORE] = 25,     [SAME_L2] = 45,       [SAME_L3] = 60,
    [SAME_NODE] = 110, [SAME_PACKAGE] = 110, [SAME_MACHINE] = 180,
};

const double effort_target_s = 22;

enum { WAKE_NS = 100000, TOUCH_NS = 1500, DIRTY_NS = 20 };

/* More samples of a pair hardly help (what remains lies between runs), so thin is not bad. */
static const struct latency_effort efforts[] = {
    {16, 4, 100}, {8, 4, 100}, {8, 2, 100}, {8, 2, 50}, {8, 1, 50},
};

static double bench_ns(const struct latency_effort *effort, enum latency_bench bench, double latency)
{
    const double trips = effort->lines * (WARM_TRIPS + (double)effort->samples * (double)effort->iterations);
    const double passes = effort->samples < 2 ? 4 : 2 * (double)effort->samples;
    const double nodes = effort->lines * NODES_PER_LINE;

    switch (bench) {
    case BENCH_CAS:
        return trips * 2 * latency;
    case BENCH_READWRITE: /* each way takes two transactions */
        return trips * 4 * latency;
    default: /* by loads and by locked operations */
        return 2 * (passes + WARM_PASSES) * nodes * (latency * 1.5 + DIRTY_NS);
    }
}

void effort_cost(const struct latency_effort *effort, unsigned benches, double cost_ns[RELATIONS])
{
    for (int relation = 0; relation < RELATIONS; relation++) {
        cost_ns[relation] = WAKE_NS + (double)effort->lines * TOUCH_NS;
        for (int bench = 0; bench < BENCH_COUNT; bench++) {
            if (benches >> bench & 1)
                cost_ns[relation] += bench_ns(effort, (enum latency_bench)bench, assumed_ns[relation]);
        }
    }
}

double effort_seconds(const struct latency_effort *effort, const struct pair_plan *plan,
                      const struct cpu_place *place, unsigned benches, uint64_t rounds)
{
    double cost_ns[RELATIONS];

    effort_cost(effort, benches, cost_ns);
    return (double)rounds * pairs_time(plan, place, cost_ns) * 1e-9;
}

struct latency_effort effort_choose(const struct latency_effort *wanted, const struct pair_plan *plan,
                                    const struct cpu_place *place, unsigned benches, uint64_t rounds,
                                    double target_s)
{
    struct latency_effort effort = {0};

    for (size_t i = 0; i < sizeof efforts / sizeof *efforts; i++) {
        effort = efforts[i];
        if (wanted->lines)
            effort.lines = wanted->lines;
        if (wanted->samples)
            effort.samples = wanted->samples;
        if (wanted->iterations)
            effort.iterations = wanted->iterations;
        if (effort_seconds(&effort, plan, place, benches, rounds) <= target_s)
            break;
    }
    return effort;
}

/* The last kernel that passes is the most capable one. --kernel binds where it names one of the operation. */
static const struct kernel *pick_kernel(const struct run *run, enum operation operation)
{
    struct kernel_filter filter = run->kernels;
    const struct kernel *picked = NULL;

    for (int attempt = 0; attempt < 2 && !picked; attempt++) {
        for (const struct kernel *k = NULL; (k = kernel_next(&filter, operation, k)) != NULL;)
            picked = k;
        filter.name = NULL;
    }
    return picked;
}

const struct kernel *latency_plain_kernel(const struct kernel_filter *any, const struct kernel *kernel)
{
    const struct kernel *plain = NULL;

    if (!kernel || kernel->needs == 0)
        return NULL;
    while ((plain = kernel_next(any, kernel->operation, plain)) != NULL && plain->needs != 0)
        continue;
    return plain;
}

enum status latency_pick_kernels(struct latency_matrix *matrix, struct fault *fault)
{
    const struct kernel_filter any = {.allowed = matrix->run->kernels.allowed};
    const char *name = matrix->run->kernels.name;
    bool named = name == NULL;
    struct text names = {0};

    for (int i = 0; i < SERIES_COUNT; i++) {
        matrix->setup.kernel[i] = pick_kernel(matrix->run, series_operation[i]);
        if (!(matrix->benches >> series_bench[i] & 1))
            continue;
        named = named || kernel_next(&matrix->run->kernels, series_operation[i], NULL);
        for (const struct kernel *k = NULL; (k = kernel_next(&any, series_operation[i], k)) != NULL;)
            text_printf(&names, " %s", k->name);
    }
    matrix->setup.plain_cas = latency_plain_kernel(&any, matrix->setup.kernel[SERIES_CAS]);
    if (!named)
        fault_set(fault, STATUS_UNSUPPORTED,
                  "--kernel %s: nothing is measured with it here; it can be one of%s", name, names.data);
    text_free(&names);
    return fault->status;
}

static void choose_rounds(struct latency_matrix *matrix)
{
    const struct common *common = matrix->run->common;
    const double one =
        effort_seconds(&matrix->setup.effort, &matrix->plan, matrix->place, matrix->benches, 1);

    matrix->least_rounds = (uint64_t)fmax((double)latency_rounds_least, fmin(SHORT_S / one, ROUNDS_SHORT));
    matrix->duration_s = matrix->params->duration_s;
    if (common->repeat)
        matrix->least_rounds = common->repeat;
    else if (matrix->duration_s <= 0)
        matrix->duration_s = common->quick ? SHORT_S : matrix->guest ? GUEST_S : 0;
    matrix->budget_given = common->time_budget > 0;
}

double latency_planned_s(const struct latency_matrix *matrix)
{
    const double rounds = effort_seconds(&matrix->setup.effort, &matrix->plan, matrix->place, matrix->benches,
                                         matrix->least_rounds);
    const double budget = matrix->budget_given ? matrix->run->common->time_budget : INFINITY;
    return fmin(fmax(rounds, matrix->duration_s), budget);
}

void latency_choose_effort(struct latency_matrix *matrix)
{
    const struct common *common = matrix->run->common;
    const struct latency_effort wanted = {(int)matrix->params->lines, common->samples,
                                          matrix->params->iterations};

    matrix->setup.effort = effort_choose(&wanted, &matrix->plan, matrix->place, matrix->benches,
                                         latency_rounds_least, common->quick ? SHORT_S : effort_target_s);
    choose_rounds(matrix);
}
