/* SPDX-License-Identifier: MIT */
/* `uarchprobe core-latency`: how long a cache line takes from one CPU to another, for every pair of CPUs.
 * Experiments, rules and limits: docs/method-core-latency.md. */
#include "core_latency.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#include "base/text.h"

static const uint64_t TRIPS_MAX = (uint64_t)1 << 32;

/* Up to WITNESSED_PAIRS the transfer is measured in any case: it separates placements. ROUNDS_SHORT: of
 * very short rounds. */
enum { WITNESSED_PAIRS = 2016, ROUNDS_SHORT = 24 };

/* Attempts that fail in about 0.1 s and 0.5 s where nobody else has the line. A partner next to another busy
 * process may be away that long after it has yielded. */
static const uint64_t CAS_SPINS = 20000000, LOAD_SPINS = 500000000, MEET_NS = 2000000000;

/* The least rounds stay below TARGET_S where they can, with --quick below SHORT_S: as thorough as fits,
 * because thin measurements read a few percent more. GUEST_S: a hypervisor moves its CPUs every few tenths of
 * a second. */
static const double TARGET_S = 22, SHORT_S = 0.1, GUEST_S = 3;

/* A trip one way (5 to 180 ns are known), for the estimate of a run's time only. */
static const double ASSUMED_NS = 110;
enum { WAKE_NS = 100000, TOUCH_NS = 1500, DIRTY_NS = 20 };

/* More samples of a pair hardly help, since the rest lies between runs: thin is not bad. */
static const struct latency_effort efforts[] = {
    {16, 4, 100}, {8, 4, 100}, {8, 2, 100}, {8, 2, 50}, {8, 1, 50},
};

bool latency_reports(const struct latency_matrix *matrix, enum latency_series series)
{
    return matrix->setup.measures[series] && matrix->params->benches >> latency_series[series].bench & 1;
}

enum relation latency_relation(const struct latency_matrix *matrix, size_t pair)
{
    const struct pair *ends = &matrix->pair[pair];
    return place_relation(&matrix->place[ends->from], &matrix->place[ends->to]);
}

double latency_measurement_s(const struct latency_setup *setup)
{
    const struct latency_effort *effort = &setup->effort;
    const double trips = effort->lines * (WARM_TRIPS + (double)effort->samples * (double)effort->iterations);
    const double passes = WARM_PASSES + (effort->samples < 2 ? 4 : 2 * (double)effort->samples);
    const double nodes = effort->lines * NODES_PER_LINE, ns = ASSUMED_NS;
    double sum_ns = WAKE_NS + (double)effort->lines * TOUCH_NS;
    sum_ns += (setup->measures[SERIES_CAS] + setup->measures[SERIES_COMPILED]) * trips * 2 * ns;
    if (setup->measures[SERIES_READWRITE]) /* each way takes two transactions */
        sum_ns += trips * 4 * ns;
    if (setup->measures[SERIES_TRANSFER]) /* by loads and by locked operations */
        sum_ns += 2 * passes * nodes * (ns * 1.5 + DIRTY_NS);
    if (setup->measures[SERIES_SHARING]) /* three distances are below a line */
        sum_ns += passes * nodes * SHARING_DISTANCES * ns;
    return 1e-9 * sum_ns;
}

static double round_s(const struct latency_matrix *matrix)
{
    return (double)matrix->pairs * latency_measurement_s(&matrix->setup);
}

double latency_planned_s(const struct latency_matrix *matrix)
{
    const double budget_s = matrix->run->common->time_budget;
    const double rounds_s = (double)matrix->least_rounds * round_s(matrix);
    return fmin(fmax(rounds_s, matrix->duration_s), budget_s > 0 ? budget_s : INFINITY);
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

/* benches: a bit set. --kernel binds where it names one of the operation. Fault: it names none that is
 * measured. */
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
    if (matrix->setup.measures[SERIES_COMPILED])
        kernel[SERIES_COMPILED] = kernel_next(&(struct kernel_filter){any.allowed, "pingpong_cas_compiled"},
                                              OPERATION_PINGPONG_CAS, NULL);
    /* The kernel of the same operation that every CPU can run, next to one that needs a feature. */
    if (kernel[SERIES_CAS] && kernel[SERIES_CAS]->needs != 0)
        while ((plain = kernel_next(&any, OPERATION_PINGPONG_CAS, plain)) != NULL && plain->needs != 0)
            continue;
    kernel[SERIES_OWN_LLSC] = plain;
    matrix->setup.measures[SERIES_OWN_LLSC] = plain && matrix->setup.measures[SERIES_CAS];
    for (int i = SERIES_SHARING; i < SERIES_COUNT; i++) {
        matrix->setup.measures[i] = benches >> BENCH_SHARING & 1;
        kernel[i] = kernel[SERIES_TRANSFER_RMW];
    }
    if (!named)
        fault_set(fault, STATUS_UNSUPPORTED,
                  "--kernel %s: nothing is measured with it here; it can be one of%s", name, names.data);
    text_free(&names);
    return fault->status;
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

/* By package, L3, node, L2 and core; then by sibling and number. */
static int compare_places(const void *a, const void *b)
{
    const struct cpu_place *x = a, *y = b;
    const int apart[] = {x->package - y->package, x->l3 - y->l3,           x->node - y->node, x->l2 - y->l2,
                         x->core - y->core,       x->sibling - y->sibling, x->id - y->id};
    size_t i = 0;
    while (i + 1 < sizeof apart / sizeof *apart && apart[i] == 0)
        i++;
    return apart[i];
}

enum status latency_plan(struct latency_matrix *matrix, struct fault *fault)
{
    const struct run *run = matrix->run;
    const int count = matrix->count = run->cpus.count;
    if (count < 2)
        return fault_set(fault, STATUS_NO_RESOURCE,
                         "core-latency needs two CPUs, and only %d may be used here: allow more (taskset, "
                         "cpuset) or name more with --cpus",
                         count);
    matrix->place = memory_zeroed((size_t)count, sizeof *matrix->place);
    for (int i = 0; i < count; i++)
        matrix->place[i] = *topology_place(run->topology, run->cpus.id[i]);
    qsort(matrix->place, (size_t)count, sizeof *matrix->place, compare_places);
    matrix->pair = memory_zeroed((size_t)count * (size_t)count, sizeof *matrix->pair);
    for (int from = 0; from < count; from++)
        for (int to = matrix->params->both_ways ? 0 : from + 1; to < count; to++)
            if (to != from)
                matrix->pair[matrix->pairs++] = (struct pair){from, to};
    const bool is_small = matrix->pairs <= WITNESSED_PAIRS;
    matrix->setup = (struct latency_setup){.clock = run->clock,
                                           .is_one_way = matrix->params->both_ways,
                                           .page_bytes = run->topology->page_bytes,
                                           .cas_spins = CAS_SPINS,
                                           .load_spins = LOAD_SPINS,
                                           .meet_ns = MEET_NS};
    matrix->l2 = matrix->l3 = (struct own_ns){NAN, NAN};
    matrix->guest = cpu_may_be_guest(run->cpu);
    const bool shares = matrix->params->benches >> BENCH_SHARING & 1;
    const uint64_t benches = matrix->params->benches | (uint64_t)(is_small || shares) << BENCH_TRANSFER;
    matrix->width = shares ? SERIES_COUNT : SERIES_NAMED;
    if (pick_kernels(matrix, benches, fault) == STATUS_OK)
        choose_effort(matrix);
    return fault->status;
}

static void describe_plan(const struct latency_matrix *matrix)
{
    const struct latency_effort *effort = &matrix->setup.effort;
    const struct kernel *const *kernel = matrix->setup.kernel;
    RECORD_FACTS(
        matrix->run->record, {"plan.pairs", "pairs", NULL, INTEGER_CELL(matrix->pairs)},
        {"plan.rounds", "rounds, at least", NULL, INTEGER_CELL(matrix->least_rounds)},
        {"plan.lines", "lines a pair and round", NULL, INTEGER_CELL(effort->lines)},
        {"plan.samples", "samples a line", NULL, INTEGER_CELL(effort->samples)},
        {"plan.iterations", "round trips a sample", NULL, INTEGER_CELL(effort->iterations)},
        {"plan.cas_kernel", "compare-and-swap kernel", NULL, TEXT_CELL(kernel[SERIES_CAS]->name)},
        {"plan.rmw_kernel", "read-modify-write kernel", NULL, TEXT_CELL(kernel[SERIES_TRANSFER_RMW]->name)},
        {"plan.seconds", "time, roughly", "s", REAL_CELL(latency_planned_s(matrix))});
}

static enum status run_core_latency(struct run *run, struct fault *fault)
{
    const struct latency_params *params = run->params;
    struct latency_matrix *matrix = memory_zeroed(1, sizeof *matrix);
    const struct latency_effort *effort = &matrix->setup.effort;
    matrix->run = run;
    matrix->params = params;
    if (params->duration_s > 0 && run->common->repeat)
        fault_set(fault, STATUS_USAGE,
                  "--duration %g and --repeat %llu each say how long to measure: give one of them",
                  params->duration_s, (unsigned long long)run->common->repeat);
    else if (latency_plan(matrix, fault) == STATUS_OK && effort->samples > TRIPS_MAX / effort->iterations)
        fault_set(
            fault, STATUS_USAGE,
            "%llu samples of %llu round trips are more than %llu in all: lower --samples or --iterations",
            (unsigned long long)effort->samples, (unsigned long long)effort->iterations,
            (unsigned long long)TRIPS_MAX);
    if (fault->status == STATUS_OK)
        describe_plan(matrix);
    if (fault->status == STATUS_OK && !run->common->dry_run) {
        if (latency_measure(matrix, fault))
            matrix->complete = false;
        if (matrix->data.points > 0) {
            RECORD_FACTS(run->record, {"run.core_latency.own_l2_ns", NULL, "ns", REAL_CELL(matrix->l2.least)},
                         {"run.core_latency.own_l3_ns", NULL, "ns", REAL_CELL(matrix->l3.least)},
                         {"run.core_latency.own_l3_most_ns", NULL, "ns", REAL_CELL(matrix->l3.most)},
                         {"run.measured_seconds", NULL, "s", REAL_CELL(matrix->data.seconds)},
                         {"run.planned_seconds", NULL, "s", REAL_CELL(latency_planned_s(matrix))});
            sibling_record(matrix->sibling, run->record);
            latency_answers(matrix);
            latency_report(matrix, fault);
            /* A run that was cut before a pair had its time knows nothing of moves. */
            if (run->record->answers.count > 0 || matrix->distances.changes > 0)
                run->record->conditions.moves = (int)matrix->distances.changes;
        }
    }
    latency_close(matrix);
    return fault->status;
}

#define OFFSET(member) offsetof(struct latency_params, member)

static const struct option_row options[] = {
    {"benchmark", 'b', OPTION_CHOICES, .offset = OFFSET(benches), .argument = "LIST", .fallback = "cas",
     .choices = latency_bench_names,
     .help =
         "ping-pong by compare-and-swap or by load and store, transfer of a dirty line, the compiler's own "
         "loop of compare-and-swap, or words of two CPUs at 8 to 512 bytes from each other"},
    {"iterations", 'i', OPTION_COUNT, .offset = OFFSET(iterations), .argument = "N", .fallback = "auto",
     .min = 1, .max = 1e9,
     .help = "round trips in one sample; auto: 100, or 50 where there are very many pairs"},
    {"lines", 0, OPTION_COUNT, .offset = OFFSET(lines), .argument = "N", .fallback = "auto", .min = 1,
     .max = LINES_MAX,
     .help = "cache lines of a pair in a round; each on a fresh page. auto: 16, or 8 where "
             "there are very many pairs"},
    {"both-ways", 0, OPTION_FLAG, .offset = OFFSET(both_ways),
     .help = "measure each pair twice, from either CPU; a transfer is then what its second CPU reads"},
    {"duration", 0, OPTION_REAL, .offset = OFFSET(duration_s), .argument = "S", .fallback = "auto",
     .min = 0.1, .max = 1e6,
     .help = "go on with more rounds until S seconds are over; auto: 3 in a guest, whose host may move CPUs"},
    {0},
};

const struct command core_latency_command = {
    .name = "core-latency",
    .summary = "how long does a cache line take from core to core?",
    .method =
        "Two pinned threads pass a line to and fro by compare-and-swap; a measurement is half a round "
        "trip, the mean over lines of the 10th percentile of each, and a value the lower quartile of the "
        "measurements. Each measurement of a pair has fresh "
        "lines, touched first by either CPU, and the matrix is measured in rounds, so that each "
        "pair is seen at moments far apart.\n"
        "The protocol is that of jcurl's core_latency and nviennot's core-to-core-latency, which average all "
        "samples and so print a little more. A transfer (-b transfer) is another quantity: one load of a "
        "line "
        "that another CPU wrote.\n"
        "In a guest, the host may move CPUs while they are measured. All rounds of all pairs together fall "
        "into "
        "a few distances: one core, one L3, beyond; these are reported first. The matrix has each pair "
        "where it was found most often.",
    .examples = {"uarchprobe core-latency", "uarchprobe core-latency -b all -c 0-7",
                 "uarchprobe core-latency -b cas,transfer -o latency.json",
                 "uarchprobe core-latency --dry-run"},
    .options = options,
    .params_size = sizeof(struct latency_params),
    .honours = HONOURS_MEASURING | HONOURS_KERNEL,
    .cpus_least = 2,
    .measures = true,
    .run = run_core_latency,
};
