/* SPDX-License-Identifier: MIT */
/* `uarchprobe core-latency`: how long a cache line takes from one CPU to another, for every pair of CPUs.
 * What is measured, and where it is wrong: docs/method-core-latency.md. */
#include <stddef.h>

#include "core_latency.h"
#include "uarchprobe/engine.h"

static const char *const pair_set_names[] = {"unordered", "ordered", "all", NULL}; /* enum pair_set */

static const uint64_t TRIPS_MAX = (uint64_t)1 << 32;

static void describe_plan(const struct latency_matrix *matrix)
{
    struct record *record = matrix->run->record;
    const struct latency_effort *effort = &matrix->setup.effort;
    const struct kernel *const *kernel = matrix->setup.kernel;
    RECORD_FACTS(
        record, {"run.core_latency.pairs", NULL, NULL, TEXT_CELL(pair_set_names[matrix->params->pairs])},
        {"plan.pairs", "pairs", NULL, INTEGER_CELL(matrix->plan.pair_count)},
        {"plan.together", "pairs at the same time, at most", NULL, INTEGER_CELL(matrix->plan.widest)},
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
    struct latency_matrix matrix = {.run = run, .params = params};
    const struct latency_effort *effort = &matrix.setup.effort;
    if (params->duration_s > 0 && run->common->repeat)
        return fault_set(fault, STATUS_USAGE,
                         "--duration %g and --repeat %llu each say how long to measure: give one of them",
                         params->duration_s, (unsigned long long)run->common->repeat);
    if (latency_plan(&matrix, fault) == STATUS_OK && effort->samples > TRIPS_MAX / effort->iterations)
        fault_set(
            fault, STATUS_USAGE,
            "%llu samples of %llu round trips are more than %llu in all: lower --samples or --iterations",
            (unsigned long long)effort->samples, (unsigned long long)effort->iterations,
            (unsigned long long)TRIPS_MAX);
    if (fault->status == STATUS_OK)
        describe_plan(&matrix);
    if (fault->status == STATUS_OK && !run->common->dry_run) {
        if (latency_measure(&matrix, fault))
            matrix.complete = false;
        if (matrix.data.points > 0) {
            RECORD_FACTS(run->record, {"run.core_latency.own_l2_ns", NULL, "ns", REAL_CELL(matrix.l2.least)},
                         {"run.core_latency.own_l3_ns", NULL, "ns", REAL_CELL(matrix.l3.least)},
                         {"run.core_latency.own_l3_most_ns", NULL, "ns", REAL_CELL(matrix.l3.most)},
                         {"run.measured_seconds", NULL, "s", REAL_CELL(matrix.data.seconds)},
                         {"run.planned_seconds", NULL, "s", REAL_CELL(latency_planned_s(&matrix))},
                         {"run.placement_changes", NULL, NULL, INTEGER_CELL(matrix.distances.changes)});
            sibling_record(matrix.setup.witness[0], run->record);
            latency_report(&matrix);
            latency_answers(&matrix);
            /* Cut before a pair had its time, it has seen no move, which is no answer. */
            if (run->record->answers.count > 0 || matrix.distances.changes > 0)
                run->record->conditions.moves = (int)matrix.distances.changes;
            latency_warnings(&matrix, run, fault);
        }
    }
    latency_close(&matrix);
    return fault->status;
}

#define OFFSET(member) .offset = offsetof(struct latency_params, member)

static const struct option_row options[] = {
    {"benchmark", 'b', OPTION_CHOICES, OFFSET(benches), .argument = "LIST", .fallback = "cas",
     .choices = latency_bench_names,
     .help = "what to measure: ping-pong by compare-and-swap or by load and store, transfer of a dirty line"},
    {"iterations", 'i', OPTION_COUNT, OFFSET(iterations), .argument = "N", .fallback = "auto", .min = 1,
     .max = 1e9, .help = "round trips in one sample; auto: 100, or 50 where there are very many pairs"},
    {"lines", 0, OPTION_COUNT, OFFSET(lines), .argument = "N", .fallback = "auto", .min = 1, .max = LINES_MAX,
     .help = "cache lines of a pair in a round; each on a fresh page. auto: 16, or 8 where "
             "there are very many pairs"},
    {"pairs", 0, OPTION_CHOICE, OFFSET(pairs), .argument = "WHICH", .fallback = "unordered",
     .choices = pair_set_names,
     .help = "each pair once; both ways, the first CPU having touched the memory; or that and each CPU with "
             "itself"},
    {"duration", 0, OPTION_REAL, OFFSET(duration_s), .argument = "S", .fallback = "auto", .min = 0.1,
     .max = 1e6,
     .help = "go on with more rounds until S seconds are over; auto: 3 in a guest, whose host may move CPUs"},
    {"serial", 0, OPTION_FLAG, OFFSET(serial), .help = "one pair at a time, even where pairs share no L3"},
    {0},
};

static void ask_for_transfer(void *params)
{
    ((struct latency_params *)params)->benches = 1 << BENCH_TRANSFER;
}

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
    .in_info = ask_for_transfer,
    .params_size = sizeof(struct latency_params),
    .honours = HONOURS_MEASURING | HONOURS_KERNEL,
    .measures = true,
    .run = run_core_latency,
};
