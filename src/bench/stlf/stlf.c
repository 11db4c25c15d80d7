/* SPDX-License-Identifier: MIT */
/* `uarchprobe stlf`: what a load costs that comes soon after a store to the same or a nearby address.
 * docs/method-stlf.md tells how it is measured and where it is wrong. */
#include "engine/published.h"
#include "points.h"

#include <stddef.h>
#include <unistd.h>

const char *const stlf_sweep_names[] = {"unroll", "distance", NULL};

static bool wants_grid_option(const struct stlf_params *params, const struct run *run)
{
    return params->grid || params->all || params->widths.count > 0 || params->alias > 0 ||
           params->unroll > 0 || params->window != WINDOW_ALIGNED || run->kernels.name;
}

/* Somebody who looks at a terminal wants to see the map; a file gets what was asked for. */
static bool wants_grid(const struct run *run)
{
    const struct stlf_params *params = run->params;
    if (wants_grid_option(params, run))
        return true;
    return !params->sweep && !params->silent && params->chain == CHAIN_FA && !run->common->output &&
           !run->common->quick && isatty(STDOUT_FILENO);
}

static enum status check_alias(const struct stlf_params *params, struct fault *fault)
{
    if (params->alias == 0 || (params->alias >= 64 && params->alias <= STLF_FAR))
        return STATUS_OK;
    return fault_set(fault, STATUS_USAGE, "--alias %llu: the distance is between 64 bytes and 1mi",
                     (unsigned long long)params->alias);
}

static enum status check_sweep(const struct stlf_params *params, struct fault *fault)
{
    if (params->chain == CHAIN_FA || !(params->sweep >> SWEEP_DISTANCE & 1))
        return STATUS_OK;
    return fault_set(fault, STATUS_USAGE,
                     "--chain %s has no sweep over distance: leave --chain out, or sweep unroll",
                     stlf_chain_names[params->chain]);
}

static enum status check(const struct run *run, struct fault *fault)
{
    const struct stlf_params *params = run->params;
    struct stlf_width width[STLF_WIDTHS_MAX];
    int count;
    if (check_alias(params, fault) || check_sweep(params, fault))
        return fault->status;
    if (params->widths.count == 0 && !run->kernels.name)
        return STATUS_OK;
    return stlf_find_widths(run, (enum stlf_chain)params->chain, &params->widths, width, &count, fault);
}

/* In the order in which they are measured and printed: the answers that people come for are first, and those behind the summary
 * need what it finds. */
enum { PART_SUMMARY = 1, PART_GRIDS = 3, PARTS = 10 };
static const struct part {
    const struct stlf_sweep *sweep; /* NULL: grids */
    double budget_s, usual_s;       /* of a set */
    double round_s;                 /* on a core of 3 GHz, for the plan of -r */
} parts[PARTS] = {{&stlf_forwards, 0.3, 0.2, 1.5e-3},
                  {&stlf_summary, 0.35, 0.35, 4e-3},
                  {&stlf_renaming, 0.1, 0.1, 1e-3},
                  {NULL, 0.35, 0.35, 7e-3},
                  {&stlf_unroll[CHAIN_FA], 0.35, 0.35, 4e-3},
                  {&stlf_unroll[CHAIN_FD], 0.35, 0.35, 4e-3},
                  {&stlf_unroll[CHAIN_FD_NOREUSE], 0.35, 0.35, 4e-3},
                  {&stlf_distance, 0.35, 0.35, 1e-3},
                  {&stlf_alias, 0.35, 0.35, 1e-3},
                  {&stlf_silent, 0.35, 0.35, 1e-3}};

/* Sets of points that a part has; 0: it is not asked for. */
static size_t sets_of(const struct run *run, int part)
{
    const struct stlf_params *params = run->params;
    const struct stlf_sweep *sweep = parts[part].sweep;
    if (part < PART_GRIDS)
        return 1;
    if (part == PART_GRIDS)
        return wants_grid(run) ? (size_t)stlf_grid_count(run) : 0;
    if (sweep == &stlf_alias)
        return params->all || params->alias;
    if (sweep == &stlf_silent)
        return params->all || params->silent;
    const uint64_t wanted = params->all ? ~(uint64_t)0 : params->sweep;
    return (sweep == &stlf_unroll[params->chain] && wanted >> SWEEP_UNROLL & 1) ||
           (sweep == &stlf_distance && wanted >> SWEEP_DISTANCE & 1);
}

/* A round takes as long as the core makes it: rounds as many as there is time for. */
static struct engine_effort effort_of(const struct common *common, const struct part *part)
{
    struct engine_effort effort = {.least = part->sweep ? 64 : 16,
                                   .samples = common->samples ? common->samples : 1,
                                   .budget_s = common->quick ? part->budget_s / 3 : part->budget_s};
    if (common->repeat)
        effort = (struct engine_effort){.rounds = common->repeat, .samples = effort.samples};
    return effort;
}

static double usual_s(const struct run *run, int part)
{
    const struct common *common = run->common;
    const double share_s = common->quick ? parts[part].usual_s / 3 : parts[part].usual_s;
    const uint64_t samples = common->repeat * (common->samples ? common->samples : 1);
    return (double)sets_of(run, part) * (common->repeat ? (double)samples * parts[part].round_s : share_s);
}

static double all_s(const struct run *run)
{
    double seconds = 0;
    for (int i = 0; i < PARTS; i++)
        seconds += usual_s(run, i);
    return seconds;
}

/* Learning the clock and the size of the store buffer comes before. */
static void describe_plan(const struct run *run)
{
    const double before_s = 0.05;
    const struct engine_effort effort = effort_of(run->common, &parts[PART_SUMMARY]);
    const uint64_t rounds = effort.rounds ? effort.rounds : effort.least;
    RECORD_FACTS(run->record, {"plan.cpu", "CPU", NULL, INTEGER_CELL(run->cpus.id[0])},
                 {"plan.grids", "grids of 64 x 64 cells", NULL, INTEGER_CELL(sets_of(run, PART_GRIDS))},
                 {"plan.rounds", effort.rounds ? "rounds" : "rounds, where there is time for them", NULL,
                  INTEGER_CELL(rounds)},
                 {"plan.samples", "samples of a point in a round", NULL, INTEGER_CELL(effort.samples)},
                 {"plan.seconds", "time, roughly", "s", REAL_CELL(before_s + all_s(run))});
    if (run->common->time_budget > 0)
        record_fact(run->record, (struct fact){"plan.time_budget", "time, at most", "s",
                                               REAL_CELL(run->common->time_budget)});
}

/* What has no values in one part may have some in the next; but none goes without the summary. */
static void measure_parts(struct stlf *stlf, bool done[static PARTS], struct fault *fault)
{
    double before_s = 0;
    for (int i = 0; i < PARTS; i++) {
        done[i] = sets_of(stlf->run, i) == 0;
        if (done[i] || (i > PART_SUMMARY && !done[PART_SUMMARY]) || fault->status || run_has_ended(stlf->run))
            continue;
        stlf->lab.complete = true;
        stlf->effort = effort_of(stlf->run->common, &parts[i]);
        stlf->lab.done = before_s / all_s(stlf->run);
        stlf->lab.share = usual_s(stlf->run, i) / all_s(stlf->run) / (double)sets_of(stlf->run, i);
        before_s += usual_s(stlf->run, i);
        if (i == PART_GRIDS)
            stlf_grids(stlf, fault);
        else
            stlf_sweep(stlf, parts[i].sweep, fault);
        done[i] = stlf->lab.complete;
    }
}

static bool warn_of_left_out(const struct stlf *stlf, const bool done[static PARTS])
{
    const struct run *run = stlf->run;
    const bool budget = run->common->time_budget > 0, thin = run->common->repeat && stlf->lab.thin_sets;
    struct text names = {0};
    for (int i = 0; i < PARTS; i++) {
        if (!done[i])
            text_printf(&names, "%s%s", names.length ? ", " : "",
                        parts[i].sweep ? parts[i].sweep->table->name : "grid");
    }
    const bool any = names.length > 0, cut = any && !run_has_ended(run);
    if (cut && budget)
        record_warning(run->record, "time_budget", "the time budget left out, in whole or in part: %s",
                       names.data);
    else if (cut)
        record_warning(
            run->record, "clock_unsteady",
            "no two readings of the core clock agreed while these were measured, so they are left out: %s",
            names.data);
    text_free(&names);
    if (thin && budget)
        record_warning(run->record, "time_budget",
                       "the time budget ended %zu sets of points before round %llu", stlf->lab.thin_sets,
                       (unsigned long long)run->common->repeat);
    return any || thin;
}

/* What is left of the samples tells how far a run can be trusted, before any of its numbers. */
static void warn_of_dropped(const struct stlf *stlf)
{
    const struct stlf_lab *lab = &stlf->lab;
    if (2 * lab->counted >= lab->samples)
        return;
    record_warning(
        stlf->run->record, "samples_dropped",
        "%.0f %% of %zu samples are not counted: in %.0f %% another process had the CPU or the core "
        "clock moved, the others were taken while the SMT sibling changed its state or was in "
        "another than the one reported",
        100 - 100 * (double)lab->counted / (double)lab->samples, lab->samples,
        100 * (double)lab->disturbed / (double)lab->samples);
}

/* A CPU that the user named may lie anywhere. */
static void warn_of_distance(const struct stlf *stlf)
{
    const struct stlf_lab *lab = &stlf->lab;
    const int id = stlf->params->smt.id;
    if (stlf->params->smt.named && lab->idle > lab->active)
        record_warning(
            stlf->run->record, "smt_apart",
            "CPU %d worked throughout, but the store buffer of CPU %d was whole in %zu of %zu looks: they "
            "shared no core then",
            id, stlf->run->cpus.id[0], lab->idle, lab->idle + lab->active);
}

static enum status measure(struct run *run, struct fault *fault)
{
    const struct stlf_params *params = run->params;
    const double budget_s = run->common->time_budget;
    struct stlf stlf = {.run = run, .params = params};
    const uint64_t begin_ns = clock_now_ns();
    bool done[PARTS] = {false};
    size_t sets = 0;
    for (int i = 0; i < PARTS; i++)
        sets += sets_of(run, i);
    if (stlf_lab_open(&stlf.lab, run, params->alias || params->all, params->smt, fault) == STATUS_OK) {
        if (budget_s > 0)
            stlf_lab_limit(&stlf.lab, budget_s - (double)(clock_now_ns() - begin_ns) / 1e9, sets);
        measure_parts(&stlf, done, fault);
        PUBLISHED_QUOTE(run->record, cpu_core(run->cpu), {"stlf.l1_latency", "l1_latency"},
                        {"stlf.forwarded_loops", "forward_latency"},
                        {"stlf.failed_forward", "forward_failed"}, {"stlf.fast_data", "fast_data"},
                        {"stlf.fast_data_no_reuse", "fast_data_no_reuse"});
        run->left_out = fault->status == STATUS_OK && warn_of_left_out(&stlf, done);
        warn_of_distance(&stlf);
        warn_of_dropped(&stlf);
    }
    sibling_record(stlf.lab.witness, run->record);
    stlf_lab_close(&stlf.lab);
    return fault->status;
}

static enum status run_stlf(struct run *run, struct fault *fault)
{
    if (check(run, fault))
        return fault->status;
    if (run->common->dry_run)
        describe_plan(run);
    else
        measure(run, fault);
    run->untrusted = record_has_low_trust(run->record);
    return fault->status;
}

static const char experiment[] =
    "Pairs of a store and a load form one dependent chain, so that what a pair takes is a latency: at every "
    "pair of "
    "offsets 0 to 63, and with late data, a late address, and a late address that is new for every pair. "
    "Values are "
    "lower quartiles while the sibling idles, where it does; classes follow from the values and from how the "
    "two accesses overlap.\n"
    "The experiment is that of H. Wong, Store-to-Load Forwarding and Memory Disambiguation in x86 Processors "
    "(2014). "
    "Cycles below the latency of L1 are called renamed: the load was not executed as one.\n"
    "How many pairs stay renamed is a property of a predictor that depends on code size and on the SMT "
    "sibling: it is "
    "reported with both.";

#define OFFSET(member) .offset = offsetof(struct stlf_params, member)

static const struct option_row options[] = {
    {"grid", 0, OPTION_FLAG, OFFSET(grid),
     .help = "store offset x load offset, 64 x 64 cells, at 64 and at 4 pairs; on a terminal done without "
             "being asked",
     .tables = true},
    {"widths", 0, OPTION_NAMES, OFFSET(widths), .argument = "LIST", .fallback = "auto",
     .help = "widths of store and load in bytes, as in 8/4,16/16,2x8/16 (two stores), or all; auto: 8/4",
     .tables = true},
    {"window", 0, OPTION_CHOICE, OFFSET(window), .argument = "WHERE", .fallback = "aligned",
     .choices = stlf_window_names,
     .help = "where the 64 offsets lie: from the start of a line, around the end of a line, or of a page"},
    {"alias", 0, OPTION_SIZE, OFFSET(alias), .argument = "DISTANCE",
     .help = "put the loads that far above the stores (64 to 1mi), and compare distances from 2^6 to 2^20",
     .tables = true},
    {"sweep", 0, OPTION_CHOICES, OFFSET(sweep), .argument = "LIST", .choices = stlf_sweep_names,
     .help = "curves over pairs a pass, over independent instructions between store and load",
     .tables = true},
    {"chain", 0, OPTION_CHOICE, OFFSET(chain), .argument = "CHAIN", .fallback = "fa",
     .choices = stlf_chain_names,
     .help =
         "for grids and sweeps: the stored data is late, its address is late, or that with new addresses"},
    {"unroll", 0, OPTION_COUNT, OFFSET(unroll), .argument = "PAIRS", .fallback = "auto", .min = 1,
     .max = STLF_UNROLL_MAX,
     .help = "pairs in one pass of a grid's loop; auto: 64, and 4 for what is renamed"},
    {"smt", 0, OPTION_CPU, OFFSET(smt), .argument = "CPU",
     .help = "run the same pairs on the SMT sibling at the same time; CPU: where the topology hides it"},
    {"silent", 0, OPTION_FLAG, OFFSET(silent),
     .help = "compare storing the value that is there already with storing a new one"},
    {"all", 0, OPTION_FLAG, OFFSET(all),
     .help = "every width, window, chain, sweep and distance: some 15 seconds", .tables = true},
    {0},
};

static const struct explanation explanations[] = {
#include "explain.def"
    {0},
};

const struct command stlf_command = {
    .name = "stlf",
    .summary = "what does a load cost that comes soon after a store to the same or a nearby address?",
    .description = experiment,
    .method = experiment,
    .examples = {"uarchprobe stlf", "uarchprobe stlf --grid",
                 "uarchprobe stlf --widths 16/16,8/16 --window line",
                 "uarchprobe stlf --sweep unroll -f csv -o unroll.csv",
                 "uarchprobe stlf --all -f json -o stlf.json"},
    .explanations = explanations,
    .options = options,
    .report_option = "--grid",
    .params_size = sizeof(struct stlf_params),
    .honours = HONOURS_MEASURING | HONOURS_ISA | HONOURS_KERNEL,
    .measures = true,
    .run = run_stlf,
};
