/* SPDX-License-Identifier: MIT */
/* `uarchprobe check`: one line and an exit code, for health checks of nodes and around benchmarks. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/baseline.h"
#include "cli/facts.h"
#include "cli/glossary.h"
#include "cli/process.h"
#include "cli/profile.h"
#include "compare/check.h"
#include "result/record_internal.h"
#include "result/subject.h"
#include "uarchprobe/record.h"

/* Seconds of the probes before a program, and of those behind it. */
static const double AROUND_S = 0.8;

struct params {
    struct check check; /* first, as its options have offsets of its own */
    const char *keep;
};

/* A record of this machine that has not run yet. */
static struct record *record_anew(const struct run *run)
{
    struct record *record = record_new();
    RECORD_FACTS(record, {"run.complete", .value = BOOL_CELL(true)});
    for (size_t i = 0; i < run->record->facts.count; i++)
        if (strcmp(run->record->facts.of[i].path, "run.complete") != 0)
            record_fact(record, run->record->facts.of[i]);
    for (size_t i = 0; i < run->record->places.count; i++)
        record_place_add(record, run->record->places.of[i]);
    return record;
}

/* Adds the commands of a result, and of its parts. */
static void take_commands(void *commands, struct record *record)
{
    text_printf(commands, " %s ", fact_text(record, "run.command", ""));
    for (size_t i = 0; i < record->children.count; i++)
        text_printf(commands, " %s ", fact_text(record->children.of[i], "run.command", ""));
    record_free(record);
}

/* A key that nobody explains may be of any command. */
static void take_limit(void *commands, const struct limit *limit)
{
    const struct explanation *row = explanation_find(limit->key);
    text_printf(commands, " %s ", row ? row->command : "*");
}

static bool wants(const void *context, const char *command)
{
    struct text name = {0};
    const char *asked = *(char *const *)context;
    text_printf(&name, " %s ", command);
    const bool wanted = asked && (strstr(asked, name.data) || strstr(asked, " * "));
    text_free(&name);
    return wanted;
}

/* The profile, and what the baseline or the limits ask for besides. */
static enum status measure(struct run *run, const struct check *check, struct record *record,
                           struct fault *fault)
{
    struct run inner = *run;
    struct text asked = {0};
    inner.record = record;
    if (check->against)
        record_load_each(check->against, take_commands, &asked, fault);
    if (check->limits && fault->status == STATUS_OK)
        limits_read(check->limits, take_limit, &asked, fault);
    if (fault->status == STATUS_OK)
        profile_measure(&inner, wants, &asked.data, fault);
    text_free(&asked);
    record_fact(record, (struct fact){.path = "run.complete", .value = BOOL_CELL(!run->interrupted(NULL))});
    return fault->status;
}

/* Measures and judges. What breaks a limit is measured once more: chance does not strike twice. */
static enum status judge_here(struct run *run, struct fault *fault)
{
    const struct params *params = run->params;
    struct record *record = record_anew(run), *again = NULL;
    measure(run, &params->check, record, fault);
    conditions_record(record, run->cpu, &run->core_clock->ghz, NAN);
    if (fault->status == STATUS_OK && params->check.limits &&
        check_doubts(run, &params->check, record, fault)) {
        again = record_anew(run);
        measure(run, &params->check, again, fault);
    }
    if (fault->status == STATUS_OK)
        check_judge(run, &params->check, record, again, fault);
    record_free(record);
    if (again)
        record_free(again);
    return fault->status;
}

/* The machine before and behind a program, and what took its time. */
static enum status run_around(struct run *run, struct fault *fault)
{
    const struct params *params = run->params;
    struct record *record = record_anew(run);
    struct run inner = *run;
    struct disturbance start;
    inner.record = record;
    profile_watch(&inner, AROUND_S);
    disturbance_read(&start);
    const struct ended ended = process_run(run->operands, run->cpus.id, run->cpus.count, fault);
    const struct disturbance during = disturbance_since(&start);
    run->ran = true;
    run->outcome = (enum status)ended.code;
    if (ended.code <= STATUS_SIGNAL)
        profile_watch(&inner, AROUND_S);
    record->conditions.seconds += ended.seconds;
    record->conditions.stolen_s += ended.seconds * steal_share(&during, ended.seconds);
    record->conditions.throttled += (double)during.throttled;
    /* The probes may have had more of a CPU than the command: it is the command that is judged. */
    const double waited = 1 - ended.cpu_share;
    record->conditions.waited_s =
        fmax(record->conditions.waited_s + waited * ended.seconds, waited * record->conditions.seconds);
    fitness_record(record, record, run->cpu, run->topology, &run->core_clock->ghz);
    conditions_record(record, run->cpu, &run->core_clock->ghz, NAN);
    if (fault->status == STATUS_OK)
        check_judge(run, &params->check, record, NULL, fault);
    const struct answer *verdict = record_answer_find(run->record, "check.verdict", NULL);
    if (verdict && !run->common->quiet)
        fprintf(stderr, "uarchprobe: %s\n", verdict->text);
    if (run->taken->status != STATUS_OK && !run->common->quiet)
        fprintf(stderr, "uarchprobe: warning: %s\n", run->taken->text);
    if (ended.code != STATUS_OK || !run->common->strict)
        run->outcome = (enum status)ended.code;
    record_free(record);
    return fault->status;
}

/* The commands of a result that are complete become a part of the baseline that a file holds. */
static enum status keep(struct run *run, struct fault *fault)
{
    const struct params *params = run->params;
    struct text kept = {0}, line = {0};
    struct record *given;
    if (record_load(run->operands[0], &given, fault) != STATUS_OK)
        return fault->status;
    if (baseline_keep(params->keep, given, &kept, fault) == STATUS_OK) {
        text_printf(&line, "KEPT  %s: %s", params->keep, kept.length ? kept.data : "it had all commands");
        check_say(run, "kept", line.data, STATUS_OK);
    }
    record_free(given);
    text_free(&kept);
    text_free(&line);
    return fault->status;
}

/* The words behind "--" are a program's. */
static bool is_around(const struct run *run)
{
    return run->operand_count > 0 && strcmp(run->operands[-1], "--") == 0;
}

static enum status judge_file(struct run *run, const struct check *check, struct fault *fault)
{
    struct record *given;
    if (record_load(run->operands[0], &given, fault) != STATUS_OK)
        return fault->status;
    check_judge(run, check, given, NULL, fault);
    record_free(given);
    return fault->status;
}

static enum status run_check(struct run *run, struct fault *fault)
{
    const struct params *params = run->params;
    const struct check *check = &params->check;
    const bool judges = check->against || check->limits, around = is_around(run);
    if (params->keep && (judges || around || run->operand_count != 1))
        fault_set(fault, STATUS_USAGE, "--keep takes one FILE and nothing else: check --keep BASELINE FILE");
    else if (around && judges)
        fault_set(
            fault, STATUS_USAGE,
            "a command is run between two probes of the machine: --against and --limits judge another run");
    else if (run->operand_count > 1 && !around)
        fault_set(fault, STATUS_USAGE, "check takes one result, or none and measures");
    else if (params->keep)
        keep(run, fault);
    else if (around)
        run_around(run, fault);
    else if (run->operand_count == 1)
        judge_file(run, check, fault);
    else
        judge_here(run, fault);
    /* A CPU that is taken away is a reason against the machine, and the exit code the verdict's. */
    if (run->taken->status != STATUS_OK)
        record_warning(run->record, "cpu_taken", "%s", run->taken->text);
    *run->taken = (struct fault){0};
    if (fault->status != STATUS_OK)
        check_fail(run, fault);
    return fault->status;
}

#define FIELD(name) .offset = offsetof(struct params, name)

static const struct option_row options[] = {
    {"against", 0, OPTION_TEXT, FIELD(check.against), .argument = "FILE",
     .help = "an earlier result; nothing may be worse"},
    {"limits", 0, OPTION_TEXT, FIELD(check.limits), .argument = "FILE",
     .help = "a limit a line, as in: ram.L2.read >= 50 GiB/s"},
    {"keep", 0, OPTION_TEXT, FIELD(keep), .argument = "BASELINE",
     .help = "add the complete commands of FILE to BASELINE"},
    CHOICE_OPTIONS,
    {0},
};

extern const struct command check_command;
const struct command check_command = {
    .name = "check",
    .summary = "is this machine fit, and what it should be?",
    .description =
        "Measures a profile of the machine in 15 seconds (or judges FILE) and says whether it is fit to "
        "measure on: "
        "whole cores, nothing that takes them, CPUs that stay, a steady clock. With --against or --limits: "
        "whether "
        "it is what it should be. After -- a command is run between two probes, as it is; FIT or UNFIT goes "
        "to "
        "standard error.\n"
        "Fits Slurm's HealthCheckProgram, check_cmd_status of Node Health Check and, with -f prometheus, "
        "node_exporter's textfile collector.",
    .exit_status =
        "0 fit, or good; 1 worse; 2 trouble (a file, another machine, no place to write); 5 unfit, or "
        "less than half can be judged; with --strict 5, too, where all is good on an unfit machine. Of a "
        "command its own, 127 or 126 where it cannot be started.",
    .examples = {"uarchprobe check", "uarchprobe check --strict -- ./benchmark --runs 5",
                 "uarchprobe check --against good.json",
                 "uarchprobe check --limits node.limits -o /var/lib/node_exporter/uarchprobe.prom"},
    .options = options,
    .params_size = sizeof(struct params),
    .operands = "[FILE... | -- COMMAND...]",
    .honours = HONOURS_CPUS | HONOURS_QUIET | HONOURS_STRICT,
    .needs_clock = true,
    .judges = true,
    .run = run_check,
};
