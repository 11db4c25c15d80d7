/* SPDX-License-Identifier: MIT */
/* Pairs, kernels, and how much of each pair is measured so that a large machine does not take hours. */
#include <math.h>
#include <stdlib.h>

#include "base/text.h"
#include "core_latency.h"

/* Up to so many pairs a transfer is measured in any case: it tells placements apart. ROUNDS_SHORT: where a round is very short. */
enum { WITNESSED_PAIRS = 2016, ROUNDS_SHORT = 24 };

/* Attempts that fail in about 0.1 s and 0.5 s where nobody else has the line. A partner next to another busy
 * process may be away that long after it has yielded. */
static const uint64_t CAS_SPINS = 20000000, LOAD_SPINS = 500000000, MEET_NS = 2000000000;

/* The least number of rounds stays below TARGET_S where it can. A hypervisor moves its CPUs every few tenths of a second. --quick takes
 * the short time, and as thorough measurements as fit: thin ones read a few percent more. */
static const double TARGET_S = 22, SHORT_S = 0.1, GUEST_S = 3;

/* A trip one way, wherever the other CPU is: 5 to 180 ns were measured and read. Good enough for an estimate, used for nothing else. */
static const double ASSUMED_NS = 110;
enum { WAKE_NS = 100000, TOUCH_NS = 1500, DIRTY_NS = 20 };

/* More samples of a pair hardly help (what remains lies between runs), so thin is not bad. */
static const struct latency_effort efforts[] = {
    {16, 4, 100}, {8, 4, 100}, {8, 2, 100}, {8, 2, 50}, {8, 1, 50},
};

bool latency_reports(const struct latency_matrix *matrix, enum latency_series series)
{
    return series != SERIES_OWN_LLSC && matrix->params->benches >> latency_series[series].bench & 1;
}

enum relation latency_relation(const struct latency_matrix *matrix, size_t point)
{
    const struct pair *ends = &matrix->plan.pair[point];
    return place_relation(&matrix->place[ends->from], &matrix->place[ends->to]);
}

double latency_measurement_s(const struct latency_setup *setup)
{
    const struct latency_effort *effort = &setup->effort;
    const double trips = effort->lines * (WARM_TRIPS + (double)effort->samples * (double)effort->iterations);
    const double passes = WARM_PASSES + (effort->samples < 2 ? 4 : 2 * (double)effort->samples);
    const double nodes = effort->lines * NODES_PER_LINE, ns = ASSUMED_NS;
    double sum_ns = WAKE_NS + (double)effort->lines * TOUCH_NS;
    if (setup->measures[SERIES_CAS])
        sum_ns += trips * 2 * ns;
    if (setup->measures[SERIES_READWRITE]) /* each way takes two transactions */
        sum_ns += trips * 4 * ns;
    if (setup->measures[SERIES_TRANSFER]) /* by loads and by locked operations */
        sum_ns += 2 * passes * nodes * (ns * 1.5 + DIRTY_NS);
    return 1e-9 * sum_ns;
}

static double round_s(const struct latency_matrix *matrix)
{
    return (double)matrix->plan.batch_count * latency_measurement_s(&matrix->setup);
}

/* The last kernel that passes is the most capable one. Those that may be asked for are added to names. */
static const struct kernel *last_kernel(struct kernel_filter filter, enum operation operation,
                                        struct text *names)
{
    const struct kernel *picked = NULL;
    for (const struct kernel *k = NULL; (k = kernel_next(&filter, operation, k)) != NULL; picked = k)
        if (names)
            text_printf(names, " %s", k->name);
    return picked;
}

/* benches: a bit set. --kernel binds where it names one of the operation. Fault: it names none of what is measured. */
static enum status pick_kernels(struct latency_matrix *matrix, uint64_t benches, struct fault *fault)
{
    const struct kernel_filter any = {.allowed = matrix->run->kernels.allowed};
    const char *name = matrix->run->kernels.name;
    const struct kernel **kernel = matrix->setup.kernel, *plain = NULL;
    bool named = name == NULL;
    struct text names = {0};
    for (int i = 0; i < SERIES_OWN_LLSC; i++) {
        const bool measures = benches >> latency_series[i].bench & 1;
        const struct kernel *all = last_kernel(any, latency_series[i].operation, measures ? &names : NULL);
        matrix->setup.measures[i] = measures;
        kernel[i] = last_kernel(matrix->run->kernels, latency_series[i].operation, NULL);
        named = named || (measures && kernel[i]);
        kernel[i] = kernel[i] ? kernel[i] : all;
    }
    /* The kernel of the same operation that every CPU can run, next to one that needs a feature. */
    if (kernel[SERIES_CAS] && kernel[SERIES_CAS]->needs != 0)
        while ((plain = kernel_next(&any, OPERATION_PINGPONG_CAS, plain)) != NULL && plain->needs != 0)
            continue;
    kernel[SERIES_OWN_LLSC] = plain;
    matrix->setup.measures[SERIES_OWN_LLSC] = plain && matrix->setup.measures[SERIES_CAS];
    if (!named)
        fault_set(fault, STATUS_UNSUPPORTED,
                  "--kernel %s: nothing is measured with it here; it can be one of%s", name, names.data);
    text_free(&names);
    return fault->status;
}

double latency_planned_s(const struct latency_matrix *matrix)
{
    const double budget_s = matrix->run->common->time_budget;
    const double rounds_s = (double)matrix->least_rounds * round_s(matrix);
    return fmin(fmax(rounds_s, matrix->duration_s), budget_s > 0 ? budget_s : INFINITY);
}

/* Lines, samples, trips, rounds and the time for them, from the options and the number of pairs. */
static void choose_effort(struct latency_matrix *matrix)
{
    const struct common *common = matrix->run->common;
    const struct latency_params *params = matrix->params;
    struct latency_effort *effort = &matrix->setup.effort;
    for (size_t i = 0; i < sizeof efforts / sizeof *efforts; i++) {
        effort->lines = params->lines ? (int)params->lines : efforts[i].lines;
        effort->samples = common->samples ? common->samples : efforts[i].samples;
        effort->iterations = params->iterations ? params->iterations : efforts[i].iterations;
        if (ROUNDS_LEAST * round_s(matrix) <= (common->quick ? SHORT_S : TARGET_S))
            break;
    }
    matrix->least_rounds = (uint64_t)fmax(ROUNDS_LEAST, fmin(SHORT_S / round_s(matrix), ROUNDS_SHORT));
    matrix->duration_s = params->duration_s;
    if (common->repeat)
        matrix->least_rounds = common->repeat;
    else if (matrix->duration_s <= 0)
        matrix->duration_s = common->quick ? SHORT_S : matrix->guest ? GUEST_S : 0;
}

enum status latency_plan(struct latency_matrix *matrix, struct fault *fault)
{
    const struct run *run = matrix->run;
    const struct latency_params *params = matrix->params;
    const int count = matrix->count = run->cpus.count;
    matrix->place = memory_zeroed((size_t)count + 1, sizeof *matrix->place);
    for (int i = 0; i < count; i++)
        matrix->place[i] = *topology_place(run->topology, run->cpus.id[i]);
    qsort(matrix->place, (size_t)count, sizeof *matrix->place, pairs_compare_places);
    if (pairs_plan(&matrix->plan, matrix->place, count, (enum pair_set)params->pairs, params->serial, fault))
        return fault->status;
    const bool is_small = matrix->plan.pair_count <= WITNESSED_PAIRS;
    matrix->setup = (struct latency_setup){.clock = run->clock,
                                           .page_bytes = run->topology->page_bytes,
                                           .one_writer = params->pairs != PAIRS_UNORDERED,
                                           .cas_spins = CAS_SPINS,
                                           .load_spins = LOAD_SPINS,
                                           .meet_ns = MEET_NS};
    matrix->witnessed = is_small && !run->common->quick;
    matrix->parallel_bias = NAN;
    matrix->l2 = matrix->l3 = (struct own_ns){NAN, NAN};
    matrix->guest = cpu_may_be_guest(run->cpu);
    if (pick_kernels(matrix, params->benches | (uint64_t)is_small << BENCH_TRANSFER, fault) == STATUS_OK)
        choose_effort(matrix);
    return fault->status;
}
