/* SPDX-License-Identifier: MIT */
/* `uarchprobe stlf`: the cost of a load soon after a store to the same or a nearby address.
 * docs/method-stlf.md has the method and its limits. */
#include "stlf.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "engine/published.h"

/* In the order of measuring and printing: the most wanted first, and the first yields the levels that the
 * others need. Maps come after those that are always measured. */
static const struct stlf_sweep *const sweeps[] = {&stlf_forwards, &stlf_chains, &stlf_renaming,
                                                  &stlf_alias,    &stlf_silent, &stlf_waits};
enum { SWEEPS = sizeof sweeps / sizeof *sweeps, MAPS_AT = 3, PARTS_ALL = SWEEPS + 2 * STLF_WIDTHS_MAX };

static void estimate(const struct lab *lab, struct stlf_part *part, enum state state)
{
    part->state = state;
    memset(part->estimate, 0, part->count * sizeof *part->estimate);
    part->estimate[part->count].value = NAN; /* of a series that has no points */
    for (const struct series *series = part->series; series->name; series++)
        for (size_t i = 0; i < series->range.last; i++)
            lab_estimate(
                lab, series->name, i, state,
                &part->estimate[(const struct stlf_point *)series->row - part->point + (ptrdiff_t)i]);
}

/* Share of the probes from which on values next to a busy sibling are reported, too. */
static const double BOTH_SHARE = 0.1;

static void answer(struct lab *lab, void *own)
{
    struct stlf_part *part = own;
    struct stlf *stlf = part->stlf;
    const struct stlf_sweep *sweep = part->sweep;
    const struct engine_data *data = lab_data(lab);
    size_t seen = 0;
    estimate(lab, part, engine_main_state(data));
    for (size_t i = 0; i < part->count; i++)
        seen += !isnan(part->estimate[i].value);
    /* All others are judged by the levels of the first. The engine itself names experiments that ended
     * before two rounds. */
    if (seen == 0 || !(sweep == &stlf_forwards || stlf->usual.l1 > 0)) {
        if (data->rounds > 1)
            text_printf(&stlf->left_out, "%s%s", stlf->left_out.length ? ", " : "", sweep->table.name);
    } else {
        stlf_report(part);
        if (sweep->both && part->state == STATE_IDLE && engine_share(data, STATE_ACTIVE) >= BOTH_SHARE) {
            estimate(lab, part, STATE_ACTIVE);
            part->is_second = true;
            stlf_report(part);
        }
    }
    free(part->estimate); /* 4,097 estimates a map, and there may be many maps */
    part->estimate = NULL;
}

/* Each experiment uses all of its time, unless --samples asks for a number. */
static bool is_enough(const struct lab *lab, void *own)
{
    return ((const struct stlf_part *)own)->stlf->run->common->samples > 0;
}

static struct experiment experiment_of(struct stlf_part *part)
{
    struct experiment experiment = stlf_pairs;
    const struct stlf *stlf = part->stlf;
    const struct stlf_sweep *sweep = part->sweep;
    experiment.name = sweep->table.name;
    experiment.own = part;
    experiment.series = part->series;
    experiment.iterations *= sweep->series ? 4 : 1;
    const uint64_t rounds = sweep->series ? 64 : 16;
    experiment.pace = (struct pace){rounds, rounds, sweep->seconds / (stlf->run->common->quick ? 3 : 1)};
    experiment.companion = stlf->params->smt.given ? &stlf->cpu[1] : NULL;
    experiment.answers = answer;
    experiment.enough = is_enough;
    return experiment;
}

static enum status run_stlf(struct run *run, struct fault *fault)
{
    static const char *const quoted[][2] = {{"stlf.l1_latency", "l1_latency"},
                                            {"stlf.forwarded_loops", "forward_latency"},
                                            {"stlf.failed_forward", "forward_failed"},
                                            {"stlf.fast_data", "fast_data"},
                                            {"stlf.fast_data_no_reuse", "fast_data_no_reuse"}};
    const struct stlf_params *params = run->params;
    struct stlf stlf = {.run = run, .params = params};
    struct stlf_part *part = NULL;
    struct experiment experiment[PARTS_ALL];
    const bool has_grid = params->grid || params->all || params->widths.count > 0 || params->unroll > 0 ||
                          params->window != WINDOW_ALIGNED;
    size_t count = 0, maps = 0;
    if (stlf_open(&stlf, fault))
        return fault->status;
    part = memory_zeroed(PARTS_ALL, sizeof *part);
    for (int i = 0; i < SWEEPS; i++) {
        if (i == MAPS_AT && has_grid)
            count += maps = stlf_maps_add(&stlf, &part[count], fault);
        if (((sweeps[i] == &stlf_alias || sweeps[i] == &stlf_waits) && !(params->alias || params->all)) ||
            (sweeps[i] == &stlf_silent && !(params->silent || params->all)))
            continue;
        part[count] = (struct stlf_part){.stlf = &stlf, .sweep = sweeps[i]};
        stlf_points_add(&part[count++], sweeps[i]->series);
    }
    for (size_t i = 0; i < count; i++)
        experiment[i] = experiment_of(&part[i]);
    if (maps > 0 && !run->common->dry_run)
        stlf.grid_table = record_table_add(run->record, &stlf_grids.table);
    if (fault->status == STATUS_OK)
        experiment_run(experiment, count, run, &stlf, fault);
    stlf_record_offsets(&stlf);
    if (run->common->dry_run)
        record_fact(run->record,
                    (struct fact){"plan.grids", "grids of 64 x 64 cells", NULL, INTEGER_CELL(maps)});
    else
        for (size_t i = 0; i < sizeof quoted / sizeof *quoted; i++)
            published_quote(run->record, cpu_core(run->cpu), quoted[i][0], quoted[i][1]);
    if (stlf.left_out.length > 0 && !run_has_ended(run)) {
        record_warning(run->record, "clock_unsteady",
                       "left out: %s; the clock moved, or a sibling came and went", stlf.left_out.data);
        run->left_out = true;
    }
    for (size_t i = 0; i < count; i++) {
        free(part[i].point);
        free(part[i].estimate);
        free(part[i].map.grid);
    }
    free(part);
    text_free(&stlf.left_out);
    return fault->status;
}

static const char experiment[] =
    "Pairs of a store and a load form one dependent chain, so that the time of a pair is a latency: with "
    "late "
    "data, a late address, and a late address that is new for every pair; with --grid at every pair of "
    "offsets 0 to 63. Values are lower quartiles with the SMT sibling idle, if it was; classes of a grid "
    "follow from the values and the overlap.\n"
    "The experiment is that of H. Wong, Store-to-Load Forwarding and Memory Disambiguation in x86 Processors "
    "(2014). Cycles below the latency of L1 are called renamed: the load was not executed as one.\n"
    "How many pairs stay renamed depends on the predictor, on code size and on the SMT sibling: the answer "
    "names both.";

#define OFFSET(member) offsetof(struct stlf_params, member)

static const struct option_row options[] = {
    {"grid", 0, OPTION_FLAG, .offset = OFFSET(grid),
     .help = "64 x 64 offsets of store and load; at 64 and at 4 pairs", .tables = true},
    {"widths", 0, OPTION_NAMES, .offset = OFFSET(widths), .argument = "LIST", .fallback = "auto",
     .help = "bytes of store and load, as in 8/4,2x8/16, or all; 2x8: two stores, auto: 8/4", .tables = true},
    {"window", 0, OPTION_CHOICE, .offset = OFFSET(window), .argument = "WHERE", .fallback = "aligned",
     .choices = stlf_window_names,
     .help = "where the 64 offsets lie: from the start of a line, around the end of a line, or of a page"},
    {"unroll", 0, OPTION_COUNT, .offset = OFFSET(unroll), .argument = "PAIRS", .fallback = "auto", .min = 1,
     .max = STLF_UNROLL_MAX,
     .help = "pairs in one pass of a grid's loop; auto: 64, and 4 for what is renamed"},
    {"smt", 0, OPTION_CPU, .offset = OFFSET(smt), .argument = "CPU",
     .help = "keep the SMT sibling busy; CPU: where the topology hides it"},
    {"alias", 0, OPTION_FLAG, .offset = OFFSET(alias),
     .help = "loads that share low address bits with a store; and loads next to one that waits for it",
     .tables = true},
    {"silent", 0, OPTION_FLAG, .offset = OFFSET(silent),
     .help = "stores of the value that is there already; against new values"},
    {"all", 0, OPTION_FLAG, .offset = OFFSET(all),
     .help = "every width, window and distance; some 10 seconds", .tables = true},
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
                 "uarchprobe stlf --widths 16/16,8/16 --window line", "uarchprobe stlf -f csv -o unroll.csv",
                 "uarchprobe stlf --all -f json -o stlf.json"},
    .options = options,
    .in_report = ask_for_grid,
    .params_size = sizeof(struct stlf_params),
    .honours = HONOURS_MEASURING | HONOURS_ISA,
    .measures = true,
    .one_core = true,
    .run = run_stlf,
};
