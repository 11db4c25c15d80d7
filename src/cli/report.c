/* SPDX-License-Identifier: MIT */
/* `uarchprobe report`: runs every measuring command, each with a record of its own, into one document. */
#include <math.h>
#include <stdlib.h>

#include "cli/commands.h"
#include "cli/options.h"
#include "cli/part.h"
#include "uarchprobe/load.h"

struct params {
    bool full;
    const char *from;
};

/* Seconds for all commands together; what they need beside their samples comes on top of it. */
static const double QUICK_S = 7, USUAL_S = 60;

static bool is_part(const struct run *run, const struct command *command)
{
    return command->measures && command != run->command;
}

/* For all commands together, 0: each has its own limit. */
static double total_s(const struct run *run, const struct params *params)
{
    return run->common->time_budget > 0 ? run->common->time_budget
           : run->common->quick         ? QUICK_S
           : params->full               ? 0
                                        : USUAL_S;
}

/* What a command leaves over, the later ones have. */
static double share_s(double total, double elapsed, int parts_left)
{
    enum { LEAST_TENTHS = 1 };
    return total > 0 ? fmax((total - elapsed) / parts_left, LEAST_TENTHS / 10.0) : 0;
}

static enum status set_options(const struct command *command, void *params, struct fault *fault)
{
    if (option_defaults(command->options, params, fault) != STATUS_OK)
        return fault->status;
    return option_set_flags(command->options, params, command->report_flags, fault);
}

/* Runs a command as if it had been called with the common options and the flags that it asks for. */
static enum status run_command(struct run *run, const struct command *command, struct record *record,
                               double budget, struct fault *fault)
{
    struct common common = *run->common;
    struct run part = *run;
    void *params = calloc(1, command->params_size ? command->params_size : 1);
    if (!params)
        return fault_set(fault, STATUS_NO_RESOURCE, "out of memory for the options of %s", command->name);
    common.time_budget = budget;
    part.command = command;
    part.params = params;
    part.common = &common;
    part.operand_count = 0;
    part.left_out = false;
    part.record = record;
    enum status status = set_options(command, params, fault);
    if (status == STATUS_OK)
        status = part_run(&part, fault);
    run->untrusted |= part.untrusted;
    run->left_out |= part.left_out;
    free(params);
    return status;
}

/* The parts stand in the order of the list. */
static int add_parts(struct run *run)
{
    int count = 0;
    for (int i = 0; commands[i]; i++) {
        if (!is_part(run, commands[i]))
            continue;
        part_announce(commands[i], record_child_add(run->record));
        count++;
    }
    return count;
}

/* A command that cannot run here is a part of the report that says why; only where none can has it failed.
 * They run from the last to the first: `ram` uses all the time that it is given, the others leave most of theirs. */
static enum status run_parts(struct run *run, const struct params *params, struct fault *fault)
{
    const double total = total_s(run, params);
    const uint64_t begin_ns = clock_now_ns();
    struct fault first = {0};
    int succeeded = 0, last = 0, left = add_parts(run);
    while (commands[last])
        last++;
    for (int i = last - 1; i >= 0 && !run->interrupted(NULL); i--) {
        struct fault own = {0};
        if (!is_part(run, commands[i]))
            continue;
        const double elapsed = (double)(clock_now_ns() - begin_ns) * 1e-9;
        const double budget = share_s(total, elapsed, left--);
        if (run_command(run, commands[i], record_child_at(run->record, (size_t)left), budget, &own) ==
            STATUS_OK) {
            succeeded++;
            continue;
        }
        if (own.status == STATUS_OK)
            continue;
        record_warning(run->record, "command_failed", "%s: %s", commands[i]->name, own.text);
        fault_set(&first, own.status, "%s: %s", commands[i]->name, own.text);
    }
    if (succeeded > 0 || first.status == STATUS_OK)
        return STATUS_OK;
    return fault_set(fault, first.status, "%s", first.text);
}

static enum status replay(struct run *run, const char *path, struct fault *fault)
{
    struct record *loaded;
    if (record_load(path, &loaded, fault) != STATUS_OK)
        return fault->status;
    record_replace(run->record, loaded);
    run->replayed = true;
    return STATUS_OK;
}

static enum status run_report(struct run *run, struct fault *fault)
{
    const struct params *params = run->params;
    if (params->full && run->common->quick)
        return fault_set(fault, STATUS_USAGE, "--quick and --full exclude each other: give one of them");
    if (params->from)
        return replay(run, params->from, fault);
    return run_parts(run, params, fault);
}

static const struct option_row options[] = {
    {.name = "full",
     .kind = OPTION_FLAG,
     .offset = offsetof(struct params, full),
     .help = "every command with its own limits: minutes instead of one"},
    {.name = "from",
     .kind = OPTION_TEXT,
     .offset = offsetof(struct params, from),
     .argument = "FILE",
     .help = "measure nothing, show what FILE holds: a result in JSON, or a page that report wrote"},
    {0},
};

extern const struct command report_command;
const struct command report_command = {
    .name = "report",
    .summary = "run all commands and put what they found on one page",
    .description =
        "Runs every measuring command with its defaults and the options given here.\n"
        "With -o FILE.html the result is one page with a summary, pictures, tables and\n"
        "notes that needs no network and no scripts; it holds the whole result as JSON.\n"
        "Without -o the summary is printed.\n"
        "All commands share about a minute; --quick takes about ten seconds.",
    .examples = {"uarchprobe report -o cpu.html", "uarchprobe report --quick",
                 "uarchprobe report --full -f json -o cpu.json",
                 "uarchprobe report --from cpu.json -o cpu.html"},
    .options = options,
    .params_size = sizeof(struct params),
    .honours = HONOURS_MEASURING | HONOURS_ISA,
    .measures = true,
    .run = run_report,
};
