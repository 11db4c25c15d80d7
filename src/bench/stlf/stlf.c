/* SPDX-License-Identifier: MIT */
/* `uarchprobe stlf`: what a load costs that comes soon after a store to the same or a nearby address.
 * docs/method-stlf.md tells how it is measured and where it is wrong. */
#include "stlf.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#include "base/text.h"
#include "engine/published.h"

static const char *const sweep_names[] = {"unroll", "distance", "alias", NULL};
enum { SWEEP_UNROLL = 1, SWEEP_DISTANCE = 2, SWEEP_ALIAS = 4 }; /* their bits */

static bool wants_grid(const struct run *run)
{
    const struct stlf_params *params = run->params;
    return params->grid || params->all || params->widths.count > 0 || params->unroll > 0 ||
           params->window != WINDOW_ALIGNED || run->kernels.name;
}

/* In the order in which they are measured and printed: the most wanted answers are first, and those behind the summary
 * need what it finds. Maps follow those that are always measured. */
static const struct stlf_sweep *const sweeps[] = {&stlf_forwards,
                                                  &stlf_summary,
                                                  &stlf_renaming,
                                                  &stlf_unroll[CHAIN_FA],
                                                  &stlf_unroll[CHAIN_FD],
                                                  &stlf_unroll[CHAIN_FD_NOREUSE],
                                                  &stlf_distance,
                                                  &stlf_alias,
                                                  &stlf_silent};
enum { SWEEPS = sizeof sweeps / sizeof *sweeps, MAPS_AT = 3, PARTS_ALL = SWEEPS + 2 * STLF_WIDTHS_MAX };

static bool is_asked(const struct stlf_params *params, const struct stlf_sweep *sweep)
{
    return params->all || sweep == &stlf_forwards || sweep == &stlf_summary || sweep == &stlf_renaming ||
           (sweep == &stlf_alias && params->sweep & SWEEP_ALIAS) ||
           (sweep == &stlf_silent && params->silent) ||
           (sweep == &stlf_unroll[params->chain] && params->sweep & SWEEP_UNROLL) ||
           (sweep == &stlf_distance && params->sweep & SWEEP_DISTANCE);
}

static struct stlf_set set_of(const struct lab *lab, const struct stlf_part *part, enum state state)
{
    struct stlf_set set = {.stlf = part->stlf,
                           .point = part->point,
                           .count = part->count,
                           .estimate = memory_zeroed(part->count + 1, sizeof *set.estimate),
                           .state = state};
    set.estimate[part->count].value = NAN; /* of a series that has no points */
    for (const struct series *series = part->series; series->name; series++) {
        const size_t first = (size_t)((const struct stlf_point *)series->row - part->point);
        for (size_t i = 0; i < series->last; i++)
            lab_estimate(lab, series->name, i, state, &set.estimate[first + i]);
    }
    return set;
}

/* Of the probes: what a busy sibling must have for its values to be reported, too. */
static const double BOTH_SHARE = 0.1;

static void answer(struct lab *lab, void *own)
{
    struct stlf_part *part = own;
    struct stlf *stlf = part->stlf;
    const struct stlf_sweep *sweep = part->sweep;
    const struct engine_data *data = lab_data(lab);
    const bool is_first = sweep == &stlf_forwards || sweep == &stlf_summary;
    struct stlf_set set = set_of(lab, part, engine_main_state(data)), active = {0};
    size_t seen = 0;
    for (size_t i = 0; i < part->count; i++)
        seen += !isnan(set.estimate[i].value);
    if (sweep && set.state == STATE_IDLE && engine_share(data, STATE_ACTIVE) >= BOTH_SHARE) {
        active = set_of(lab, part, STATE_ACTIVE);
        active.is_second = true;
    }
    /* Nothing but the summary has what values of the others are held against. The engine names what ended before two rounds. */
    if (seen == 0 || !(is_first || stlf_levels_in(stlf, set.state).l1 > 0)) {
        if (data->rounds > 1)
            text_printf(&stlf->left_out, "%s%s", stlf->left_out.length ? ", " : "",
                        sweep ? sweep->table.name : "grid");
    } else if (!sweep) {
        stlf_map_report(&part->map, &set);
    } else {
        sweep->report(&set);
        if (sweep->both && active.count > 0)
            sweep->report(&active);
        stlf_rows(&set, active.count > 0 ? &active : NULL, sweep);
    }
    free(set.estimate);
    free(active.estimate);
}

/* Most last as long as they may. So many samples of a point in a round are to be all. */
static bool is_enough(const struct lab *lab, void *own)
{
    const struct stlf_part *part = own;
    if (part->stlf->run->common->samples > 0)
        return true;
    if (!part->sweep || !part->sweep->enough)
        return false;
    struct stlf_set set = set_of(lab, part, engine_main_state(lab_data(lab)));
    const bool enough = part->sweep->enough(&set);
    free(set.estimate);
    return enough;
}

static struct experiment experiment_of(struct stlf_part *part)
{
    struct experiment experiment = stlf_pairs;
    const struct stlf *stlf = part->stlf;
    const struct stlf_sweep *sweep = part->sweep;
    const double seconds = sweep ? sweep->seconds : 0.35;
    stlf_arrange(part);
    experiment.name = sweep ? sweep->table.name : "grid";
    experiment.own = part;
    experiment.series = part->series;
    experiment.iterations = sweep ? 4 * STLF_PAIRS_A_SAMPLE : STLF_PAIRS_A_SAMPLE;
    experiment.rounds = experiment.quick_rounds = sweep ? 64 : 16;
    experiment.seconds = stlf->run->common->quick ? seconds / 3 : seconds;
    experiment.companion = stlf->params->smt.given ? &stlf->cpu[1] : NULL;
    experiment.answers = answer;
    experiment.enough = is_enough;
    return experiment;
}

static enum status run_stlf(struct run *run, struct fault *fault)
{
    struct stlf stlf = {.run = run, .params = run->params};
    struct stlf_part *part = NULL;
    struct experiment experiment[PARTS_ALL];
    size_t count = 0, maps = 0;
    if (stlf.params->chain != CHAIN_FA && stlf.params->sweep & ~(uint64_t)SWEEP_UNROLL)
        return fault_set(fault, STATUS_USAGE,
                         "--chain %s has no sweep but unroll: leave --chain out, or sweep unroll",
                         stlf_chain_names[stlf.params->chain]);
    if (stlf_open(&stlf, fault))
        return fault->status;
    part = memory_zeroed(PARTS_ALL, sizeof *part);
    for (int i = 0; i < SWEEPS; i++) {
        if (i == MAPS_AT && wants_grid(run))
            count += maps = stlf_maps_add(&stlf, &part[count], fault);
        if (!is_asked(stlf.params, sweeps[i]))
            continue;
        part[count] = (struct stlf_part){.stlf = &stlf, .sweep = sweeps[i]};
        stlf_points_add(&part[count++]);
    }
    for (size_t i = 0; i < count; i++)
        experiment[i] = experiment_of(&part[i]);
    if (maps > 0 && !run->common->dry_run)
        stlf.grid_table = record_table_add(run->record, &stlf_map_table);
    if (fault->status == STATUS_OK)
        experiment_run(experiment, count, run, &stlf, fault);
    if (run->common->dry_run)
        record_fact(run->record,
                    (struct fact){"plan.grids", "grids of 64 x 64 cells", NULL, INTEGER_CELL(maps)});
    else
        PUBLISHED_QUOTE(run->record, cpu_core(run->cpu), {"stlf.l1_latency", "l1_latency"},
                        {"stlf.forwarded_loops", "forward_latency"},
                        {"stlf.failed_forward", "forward_failed"}, {"stlf.fast_data", "fast_data"},
                        {"stlf.fast_data_no_reuse", "fast_data_no_reuse"});
    if (stlf.left_out.length > 0 && !run_has_ended(run)) {
        record_warning(run->record, "clock_unsteady",
                       "left out, as no value of theirs or of the summary counts, of a clock that moved or a "
                       "sibling that came and went: %s",
                       stlf.left_out.data);
        run->left_out = true;
    }
    for (size_t i = 0; i < count; i++) {
        free(part[i].point);
        free(part[i].map.grid);
        text_free(&part[i].map.distances);
    }
    free(part);
    text_free(&stlf.left_out);
    memory_release(&stlf.memory);
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
    {"grid", 0, OPTION_FLAG, OFFSET(grid), .help = "64 x 64 offsets of store and load; at 64 and at 4 pairs",
     .tables = true},
    {"widths", 0, OPTION_NAMES, OFFSET(widths), .argument = "LIST", .fallback = "auto",
     .help = "bytes of store and load, as in 8/4,2x8/16, or all; 2x8: two stores, auto: 8/4", .tables = true},
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
     .help = "the same pairs on the SMT sibling meanwhile; CPU: where the topology hides it"},
    {"silent", 0, OPTION_FLAG, OFFSET(silent),
     .help = "store the value that is there already; against a new one"},
    {"all", 0, OPTION_FLAG, OFFSET(all),
     .help = "everything; every width, window, chain, sweep and distance: some 15 seconds", .tables = true},
    {0},
};

static void ask_for_grid(void *params)
{
    ((struct stlf_params *)params)->grid = true;
}

const struct command stlf_command = {
    .name = "stlf",
    .summary = "what does a load cost soon after a store near its address?",
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
