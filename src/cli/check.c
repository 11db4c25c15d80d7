/* SPDX-License-Identifier: MIT */
/* `uarchprobe check`: one line and an exit code, for health checks of nodes. */
#include <stdlib.h>

#include "cli/report.h"
#include "compare/check.h"
#include "uarchprobe/record.h"

static const double MEASURING_S = 11;

static enum status measure(struct run *run, const struct check *check, struct fault *fault)
{
    struct run inner = *run;
    struct common common = *run->common;
    common.quick = true;
    inner.common = &common;
    inner.record = record_new();
    for (size_t i = 0; i < run->record->facts.count; i++)
        record_fact(inner.record, run->record->facts.of[i]);
    report_measure(&inner, MEASURING_S, fault);
    /* The copied record has a run that has not ended. */
    record_fact(inner.record, (struct fact){.path = "run.complete", .value = BOOL_CELL(!inner.left_out)});
    if (fault->status == STATUS_OK)
        check_judge(run, check, inner.record, fault);
    record_free(inner.record);
    return fault->status;
}

static enum status run_check(struct run *run, struct fault *fault)
{
    const struct check *check = run->params;
    struct record *given;
    if (run->operand_count > 1)
        fault_set(fault, STATUS_USAGE, "check takes one result, or none and measures");
    else if (run->operand_count == 0)
        measure(run, check, fault);
    else if (record_load(run->operands[0], &given, fault) == STATUS_OK) {
        check_judge(run, check, given, fault);
        record_free(given);
    }
    if (fault->status != STATUS_OK)
        check_fail(run, fault);
    return fault->status;
}

#define FIELD(name) .offset = offsetof(struct check, name)

static const struct option_row options[] = {
    {"against", 0, OPTION_TEXT, FIELD(against), .argument = "FILE",
     .help = "an earlier result; nothing may be worse. Of this machine, or of one like it"},
    {"limits", 0, OPTION_TEXT, FIELD(limits), .argument = "FILE",
     .help = "a limit a line, as in: ram.L2.read >= 50 GiB/s"},
    CHOICE_OPTIONS,
    {0},
};

extern const struct command check_command;
const struct command check_command = {
    .name = "check",
    .summary = "is this machine what it should be? One line and an exit code",
    .description =
        "Measures as report --quick does, in some seconds, and holds the findings against an earlier result "
        "(--against) or limits (--limits); with neither it says whether they can be trusted. Good is a "
        "machine "
        "of which at least half of what is asked can be judged. FILE is judged instead where it is given.\n"
        "Fits Slurm's HealthCheckProgram and epilog, check_cmd_status of Node Health Check and, with "
        "-f prometheus, the textfile collector of node_exporter.",
    .exit_status =
        "0 good; 1 worse; 2 trouble (a file, another machine, no place to write); 5 not fit to judge: "
        "less than half of what the earlier result, the limits, or else the findings ask for is known, or "
        "the "
        "run ended early.",
    .examples = {"uarchprobe check --against good.json", "uarchprobe check --limits node.limits",
                 "uarchprobe check --against good.json -o /var/lib/node_exporter/uarchprobe.prom"},
    .options = options,
    .params_size = sizeof(struct check),
    .operands = "[FILE]",
    .honours = HONOURS_CPUS | HONOURS_QUIET,
    .needs_clock = true,
    .judges = true,
    .run = run_check,
};
