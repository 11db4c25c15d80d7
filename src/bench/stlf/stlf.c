/* SPDX-License-Identifier: MIT */
/* `uarchprobe stlf`: what a load costs that comes soon after a store to the same or a nearby address.
 * docs/method-stlf.md tells how it is measured and where it is wrong. */
#include "stlf.h"

#include <stddef.h>
#include <unistd.h>

#include "engine/published.h"

static const char *const sweep_names[] = {"unroll", "distance", "alias", NULL};

/* On a terminal the map is shown unasked; a file gets what was asked for. */
static bool wants_grid(const struct run *run)
{
    const struct stlf_params *params = run->params;
    if (params->grid || params->all || params->widths.count > 0 || params->unroll > 0 ||
        params->window != WINDOW_ALIGNED || run->kernels.name)
        return true;
    return !params->sweep && !params->silent && params->chain == CHAIN_FA && !run->common->output &&
           !run->common->quick && isatty(STDOUT_FILENO);
}

static enum status check(const struct run *run, struct fault *fault)
{
    const struct stlf_params *params = run->params;
    struct stlf_width width[STLF_WIDTHS_MAX];
    int count;
    if (params->chain != CHAIN_FA && params->sweep & ~(UINT64_C(1) << SWEEP_UNROLL))
        return fault_set(fault, STATUS_USAGE,
                         "--chain %s has no sweep but unroll: leave --chain out, or sweep unroll",
                         stlf_chain_names[params->chain]);
    if (params->widths.count == 0 && !run->kernels.name)
        return STATUS_OK;
    return stlf_find_widths(run, (enum stlf_chain)params->chain, &params->widths, width, &count, fault);
}

/* In the order in which they are measured and printed: the most wanted answers are first, and those behind the summary
 * need what it finds. */
enum { PART_SUMMARY = 1, PART_GRIDS = 3, PARTS = 10 };
static const struct part {
    const struct stlf_sweep *sweep; /* NULL: grids */
    double budget_s;                /* of a set */
    double round_s;                 /* on a core of 3 GHz, for the plan of -r */
} parts[PARTS] = {{&stlf_forwards, 0.3, 1.5e-3},
                  {&stlf_summary, 0.35, 4e-3},
                  {&stlf_renaming, 0.1, 1e-3},
                  {NULL, 0.35, 7e-3},
                  {&stlf_unroll[CHAIN_FA], 0.35, 4e-3},
                  {&stlf_unroll[CHAIN_FD], 0.35, 4e-3},
                  {&stlf_unroll[CHAIN_FD_NOREUSE], 0.35, 4e-3},
                  {&stlf_distance, 0.35, 1e-3},
                  {&stlf_alias, 0.35, 1e-3},
                  {&stlf_silent, 0.35, 1e-3}};

/* Sets of points that a part has; 0: it is not asked for. */
static size_t sets_of(const struct run *run, int part)
{
    const struct stlf_params *params = run->params;
    const struct stlf_sweep *sweep = parts[part].sweep;
    if (part < PART_GRIDS)
        return 1;
    if (part == PART_GRIDS)
        return wants_grid(run) ? (size_t)stlf_grid_count(run) : 0;
    return params->all || (sweep == &stlf_alias && params->sweep >> SWEEP_ALIAS & 1) ||
           (sweep == &stlf_silent && params->silent) ||
           (sweep == &stlf_unroll[params->chain] && params->sweep >> SWEEP_UNROLL & 1) ||
           (sweep == &stlf_distance && params->sweep >> SWEEP_DISTANCE & 1);
}

/* A round takes as long as the core makes it: rounds as many as there is time for. */
static struct engine_effort effort_of(const struct common *common, const struct part *part)
{
    const uint64_t samples = common->samples ? common->samples : 1;
    if (common->repeat)
        return (struct engine_effort){.rounds = common->repeat, .samples = samples};
    return (struct engine_effort){.least = part->sweep ? 64 : 16,
                                  .samples = samples,
                                  .budget_s = common->quick ? part->budget_s / 3 : part->budget_s};
}

/* Learning the clock and the size of the store buffer comes before. */
static void describe_plan(const struct run *run)
{
    const struct engine_effort effort = effort_of(run->common, &parts[PART_SUMMARY]);
    const uint64_t rounds = effort.rounds ? effort.rounds : effort.least;
    double seconds = 0.05;
    for (int i = 0; i < PARTS; i++) {
        const double set_s = effort.rounds ? (double)(rounds * effort.samples) * parts[i].round_s
                                           : effort_of(run->common, &parts[i]).budget_s;
        seconds += (double)sets_of(run, i) * set_s;
    }
    RECORD_FACTS(run->record, {"plan.cpu", "CPU", NULL, INTEGER_CELL(run->cpus.id[0])},
                 {"plan.grids", "grids of 64 x 64 cells", NULL, INTEGER_CELL(sets_of(run, PART_GRIDS))},
                 {"plan.rounds", effort.rounds ? "rounds" : "rounds, where there is time for them", NULL,
                  INTEGER_CELL(rounds)},
                 {"plan.samples", "samples of a point in a round", NULL, INTEGER_CELL(effort.samples)},
                 {"plan.seconds", "time, roughly", "s", REAL_CELL(seconds)});
    if (run->common->time_budget > 0)
        record_fact(run->record, (struct fact){"plan.time_budget", "time, at most", "s",
                                               REAL_CELL(run->common->time_budget)});
}

/* A part without values does not end the run; but none goes without the summary. left_out: names of such parts. */
static void measure_parts(struct stlf *stlf, struct text *left_out, struct fault *fault)
{
    bool summary = true;
    for (int i = 0; i < PARTS; i++) {
        const struct part *part = &parts[i];
        if (sets_of(stlf->run, i) == 0)
            continue;
        stlf->complete = summary && !fault->status && !run_has_ended(stlf->run);
        stlf->effort = effort_of(stlf->run->common, part);
        if (stlf->complete && part->sweep)
            stlf_sweep(stlf, part->sweep, fault);
        else if (stlf->complete)
            stlf_grids(stlf, fault);
        summary = summary && (i != PART_SUMMARY || stlf->complete);
        if (!stlf->complete)
            text_printf(left_out, "%s%s", left_out->length ? ", " : "",
                        part->sweep ? part->sweep->table->name : "grid");
    }
}

/* True: values are missing. How many samples are left says how far a run can be trusted, before any of its numbers. */
static bool warn(const struct stlf *stlf, const struct text *left_out)
{
    const struct run *run = stlf->run;
    const bool budget = run->common->time_budget > 0, cut = run->common->repeat && stlf->sets_cut;
    if (left_out->length > 0 && !run_has_ended(run))
        record_warning(
            run->record, budget ? "time_budget" : "clock_unsteady",
            budget ? "the time budget left out, in whole or in part: %s"
                   : "left out, as no two readings of the core clock agreed while they were measured: %s",
            left_out->data);
    if (cut && budget)
        record_warning(run->record, "time_budget",
                       "the time budget ended %zu sets of points before round %llu", stlf->sets_cut,
                       (unsigned long long)run->common->repeat);
    if (stlf->params->smt.named && stlf->idle > stlf->active)
        record_warning(
            run->record, "smt_apart",
            "CPU %d was busy throughout, but the store buffer of CPU %d was whole in %zu of %zu probes: they "
            "shared no core then",
            stlf->cpu[1], stlf->cpu[0], stlf->idle, stlf->idle + stlf->active);
    if (2 * stlf->counted < stlf->samples)
        record_warning(
            run->record, "samples_dropped",
            "%.0f %% of %zu samples are not counted: in %.0f %% another process had the CPU or the core "
            "clock moved, the others were taken while the SMT sibling changed its state or was in "
            "another than the one reported",
            100 - 100 * (double)stlf->counted / (double)stlf->samples, stlf->samples,
            100 * (double)stlf->disturbed / (double)stlf->samples);
    return left_out->length > 0 || cut;
}

static enum status run_stlf(struct run *run, struct fault *fault)
{
    const struct stlf_params *params = run->params;
    struct stlf stlf = {.run = run, .params = params};
    struct text left_out = {0};
    if (check(run, fault))
        return fault->status;
    if (run->common->dry_run) {
        describe_plan(run);
        return STATUS_OK;
    }
    for (int i = 0; i < PARTS; i++)
        stlf.sets += sets_of(run, i);
    if (stlf_open(&stlf, fault) == STATUS_OK) {
        if (run->common->time_budget > 0)
            stlf.deadline_ns = stlf.begin_ns + (uint64_t)(run->common->time_budget * 1e9);
        measure_parts(&stlf, &left_out, fault);
        PUBLISHED_QUOTE(run->record, cpu_core(run->cpu), {"stlf.l1_latency", "l1_latency"},
                        {"stlf.forwarded_loops", "forward_latency"},
                        {"stlf.failed_forward", "forward_failed"}, {"stlf.fast_data", "fast_data"},
                        {"stlf.fast_data_no_reuse", "fast_data_no_reuse"});
        run->left_out = fault->status == STATUS_OK && warn(&stlf, &left_out);
    }
    text_free(&left_out);
    sibling_record(stlf.witness, run->record);
    stlf_close(&stlf);
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
    {"sweep", 0, OPTION_CHOICES, OFFSET(sweep), .argument = "LIST", .choices = sweep_names,
     .help = "curves over pairs a pass, over independent instructions between store and load, over the "
             "distance of loads whose low address bits agree with a store's",
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

static void ask_for_grid(void *params)
{
    ((struct stlf_params *)params)->grid = true;
}

const struct command stlf_command = {
    .name = "stlf",
    .summary = "what does a load cost that comes soon after a store to the same or a nearby address?",
    .description = experiment,
    .method = experiment,
    .examples = {"uarchprobe stlf", "uarchprobe stlf --grid",
                 "uarchprobe stlf --widths 16/16,8/16 --window line",
                 "uarchprobe stlf --sweep unroll -f csv -o unroll.csv",
                 "uarchprobe stlf --all -f json -o stlf.json"},
    .options = options,
    .in_report = ask_for_grid,
    .params_size = sizeof(struct stlf_params),
    .honours = HONOURS_MEASURING | HONOURS_ISA | HONOURS_KERNEL,
    .measures = true,
    .run = run_stlf,
};
