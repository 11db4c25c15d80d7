/* SPDX-License-Identifier: MIT */
/* `uarchprobe report`: runs every measuring command, each with a record of its own, into one document. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/facts.h"
#include "cli/kinds.h"
#include "cli/report.h"
#include "cli/session.h"
#include "output/output.h"
#include "result/subject.h"
#include "uarchprobe/own_time.h"
#include "uarchprobe/record.h"

struct params {
    bool full;
    const char *from;
};

/* Seconds of sampling for all commands together. */
static const double QUICK_S = 11, USUAL_S = 60;

double report_share_s(double total, double elapsed, int left, int parts)
{
    static const double least = 0.5;
    return fmax((total - elapsed) / left, least * total / parts);
}

void report_prove(struct record *report)
{
    for (size_t proof = 0; proof < report->children.count; proof++)
        for (size_t i = 0; i < report->children.count; i++)
            record_prove(report->children.of[i], report->children.of[proof]->conditions.store_buffer);
}

/* The commands stand in the order of the list and run from the last to the first: `ram` uses all the time
 * that it is given, the others leave most of theirs. */
enum status report_measure(struct run *run, double total, struct fault *fault)
{
    enum { PARTS_MAX = 16 };
    const struct command *parts[PARTS_MAX];
    const struct stopwatch begin = stopwatch_start();
    const bool is_wall = run->common->time_budget > 0;
    struct fault first = {0};
    double planned_s = 0;
    int turns[PARTS_MAX], count = 0, succeeded = 0, all = 0, over = 0; /* of turns */
    for (int i = 0; commands[i] && count < PARTS_MAX; i++)
        if (commands[i]->measures && !commands[i]->by_itself) {
            parts[count] = commands[i];
            all += turns[count++] = kinds_turns(run, commands[i]);
            run_announce(commands[i], record_child_add(run->record));
        }
    /* A further kind of core takes the time of its commands again, unless the user says how much there is. */
    total *= is_wall ? 1 : (double)all / count;
    for (int i = count - 1; i >= 0 && !run->interrupted(NULL); over += turns[i--]) {
        struct record *record = run->record->children.of[i];
        struct fault own = {0};
        const double elapsed =
            total > 0 ? total - time_left_s(&(struct time_limit){total, is_wall, begin}) : 0;
        const double share = turns[i] * report_share_s(total, elapsed, all - over, all);
        progress_part(run->progress, parts[i]->name, count - 1 - i, count,
                      total > 0 ? fmax(total - elapsed - share, 0)
                      : i == 0  ? 0
                                : NAN);
        if (!run_can_measure(run, parts[i], record))
            continue;
        if (run_other(run, parts[i], run_params(parts[i], parts[i]->in_report), fmax(share, 0), record,
                      &own) == STATUS_OK)
            succeeded++;
        else if (own.status != STATUS_OK) {
            /* Its own record says why; the others are written all the same. */
            record_warning(run->record, "command_failed", "%s: %s", parts[i]->name, own.text);
            fault_set(&first, own.status, "%s: %s", parts[i]->name, own.text);
            run->outcome = STATUS_FAILED;
        }
        run->left_out |= !fact_is(record, "run.complete", true);
        planned_s += fmax(record_fact_number(record, "plan.seconds"), 0);
    }
    report_prove(run->record);
    run->untrusted = record_has_low_trust(run->record);
    if (!run->common->dry_run)
        fitness_record(run->record, run->record, run->cpu, run->topology, &run->core_clock->ghz);
    else
        RECORD_FACTS(run->record,
                     {"plan.seconds",
                      total > 0 ? "time of all commands, at most" : "time of all commands, roughly", "s",
                      REAL_CELL(total > 0 ? fmin(planned_s, total) : planned_s)});
    return succeeded > 0 || first.status == STATUS_OK ? STATUS_OK
                                                      : fault_set(fault, first.status, "%s", first.text);
}

static enum status replay(struct run *run, const char *path, struct fault *fault)
{
    const unsigned shows = HONOURS_STRICT | HONOURS_NO_PROGRESS | HONOURS_QUIET | HONOURS_VERBOSE;
    const struct params *params = run->params;
    const struct given *given = &run->common->given;
    const char *measuring = params->full ? "full" : NULL;
    struct record *loaded;
    for (int i = 0; i < given->count; i++)
        measuring = given->of[i].row->honours & ~shows ? given->of[i].row->name : measuring;
    if (measuring)
        return fault_set(
            fault, STATUS_USAGE,
            "--%s says how to measure, but --from FILE shows what was measured: give one of them", measuring);
    if (record_load(path, &loaded, fault) != STATUS_OK)
        return fault->status;
    record_replace(run->record, loaded);
    run->replayed = true;
    run->untrusted = record_has_low_trust(run->record);
    return STATUS_OK;
}

static bool is_given(const struct run *run, const char *option)
{
    bool given = false;
    for (int i = 0; i < run->common->given.count; i++)
        given |= strcmp(run->common->given.of[i].row->name, option) == 0;
    return given;
}

static enum status run_report(struct run *run, struct fault *fault)
{
    const struct params *params = run->params;
    const char *from = params->from ? params->from : run->operand_count > 0 ? run->operands[0] : NULL;
    if (params->full && run->common->quick)
        return fault_set(fault, STATUS_USAGE, "--quick and --full exclude each other: give one of them");
    if (run->operand_count + (params->from != NULL) > 1)
        return fault_set(fault, STATUS_USAGE,
                         "more than one FILE to show: to hold two against each other, use uarchprobe compare "
                         "A B -o x.html");
    if (from)
        return replay(run, from, fault);
    run->cpus.all_kinds |= run->common->cpus.all && !is_given(run, "cpus");
    /* For all commands together, 0: each has its own limit. */
    const double total = run->common->time_budget > 0 ? run->common->time_budget
                         : run->common->quick         ? QUICK_S
                         : params->full               ? 0
                                                      : USUAL_S;
    return report_measure(run, total, fault);
}

#define FIELD(name) .offset = offsetof(struct params, name)

static const struct option_row options[] = {
    {"full", 0, OPTION_FLAG, FIELD(full), .help = "each command with its own limits; minutes instead of one"},
    {"from", 0, OPTION_TEXT, FIELD(from), .argument = "FILE",
     .help = "measure nothing, show what FILE holds; a result in JSON, or a page that report wrote"},
    {0},
};

const struct command report_command = {
    .name = "report",
    .summary = "all commands, on one page",
    .description =
        "Runs every measuring command with its defaults and the options given here. Without -o the summary "
        "is printed; with -o FILE.html the result is one page with pictures, tables and notes that needs no "
        "network and no scripts, and holds the whole result as JSON.\n"
        "All commands share about a minute; --quick takes about twelve seconds; a second kind of core takes "
        "the time of what measures one core again. Where a command fails, the "
        "others are still run and the exit status is 1.\n"
        "FILE alone means --from FILE.",
    .examples = {"uarchprobe report -o cpu.html", "uarchprobe report --quick",
                 "uarchprobe report --full -f json -o cpu.json",
                 "uarchprobe report --from cpu.json -o cpu.html"},
    .operands = "[FILE]",
    .options = options,
    .params_size = sizeof(struct params),
    .honours = HONOURS_MEASURING | HONOURS_ISA,
    .measures = true,
    .by_itself = true,
    .run = run_report,
};
