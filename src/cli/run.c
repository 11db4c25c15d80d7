/* SPDX-License-Identifier: MIT */
#include "cli/run.h"

#include <stdlib.h>
#include <time.h>

#include "base/text.h"
#include "cli/facts.h"
#include "cli/options.h"

void run_announce(const struct command *command, struct record *record)
{
    RECORD_FACTS(record, {"run.command", .value = TEXT_CELL(command->name)});
    if (command->measures)
        RECORD_FACTS(record, {"run.summary", .value = TEXT_CELL(command->summary)});
    if (command->method)
        RECORD_FACTS(record, {"run.method", .value = TEXT_CELL(command->method)});
    RECORD_FACTS(record, {"run.complete", .value = BOOL_CELL(false)});
}

/* What was found out while the command, and no other one for it, measured. */
static void record_measuring(const struct run *run, const struct disturbance *during, double seconds)
{
    const struct core_clock *core_clock = run->core_clock;
    if (!core_clock || run->record->children.count > 0)
        return;
    if (run->command->measures && !run->common->dry_run)
        conditions_record_own(run->record, seconds);
    if (!core_clock_was_read(core_clock))
        return;
    core_clock_record(core_clock, run->record);
    if (!run->command->measures)
        return;
    RECORD_FACTS(run->record, {"run.looking_share", .value = REAL_CELL(core_clock->probing_s / seconds)});
    conditions_warn(run->record, during, seconds, core_clock->stopped_s);
    /* A run that ended before its first answer may have tables. */
    record_warn_emulated(run->record);
}

enum status run_command(struct run *run, struct fault *fault)
{
    struct core_clock core_clock = {0}, *of_caller = run->core_clock;
    struct disturbance start;
    struct fault taken = {0}, *taken_before = run->taken;
    char started[32];
    const time_t now = time(NULL);
    struct tm utc;
    const bool dated =
        gmtime_r(&now, &utc) && strftime(started, sizeof(started), "%Y-%m-%dT%H:%M:%SZ", &utc) > 0;
    RECORD_FACTS(run->record, {"run.started", .value = dated ? TEXT_CELL(started) : NO_CELL});
    run->taken = &taken;
    if (run->clock)
        core_clock_init(&core_clock, run->clock);
    run->core_clock = run->clock ? &core_clock : NULL;
    disturbance_read(&start);
    const uint64_t begin_ns = clock_now_ns();
    enum status status = run->command->run(run, fault);
    if (status == STATUS_OK && taken.status != STATUS_OK)
        status = fault_set(fault, taken.status, "%s", taken.text);
    const double seconds = (double)(clock_now_ns() - begin_ns) * 1e-9;
    const struct disturbance during = disturbance_since(&start);
    if (!run->replayed) {
        const bool complete = status == STATUS_OK && !run->interrupted(NULL) && !run->left_out;
        RECORD_FACTS(run->record, {"run.seconds", .value = REAL_CELL(seconds)},
                     {"run.complete", .value = BOOL_CELL(complete)});
        if (fault->status != STATUS_OK)
            RECORD_FACTS(run->record, {"run.fault", .value = TEXT_CELL(fault->text)},
                         {"run.status", .value = INTEGER_CELL(status)});
        record_measuring(run, &during, seconds);
    }
    /* A report's readings of the core clock are those of its commands. */
    for (size_t i = 0; of_caller && i < core_clock.ghz.count; i++)
        samples_add(&of_caller->ghz, core_clock.ghz.value[i]);
    if (!of_caller && !run->replayed && run->core_clock && !run->command->judges && !run->common->dry_run)
        conditions_record(run->record, run->cpu, &run->core_clock->ghz, steal_share(&during, seconds));
    core_clock_free(&core_clock);
    run->core_clock = of_caller;
    run->taken = taken_before;
    return status;
}

void *run_params(const struct command *command, void (*change)(void *params))
{
    struct fault none = {0};
    void *params = memory_zeroed(1, command->params_size);
    options_default(command->options, params, &none);
    if (change)
        change(params);
    return params;
}

/* Too large for the stack. */
struct call {
    struct run run;
    struct common common;
};

enum status run_other(struct run *run, const struct command *command, void *params, double budget_s,
                      struct record *record, struct fault *fault)
{
    struct call *call = memory_zeroed(1, sizeof(*call));
    call->common = *run->common;
    call->common.time_budget = budget_s;
    call->run = *run;
    call->run.command = command;
    call->run.params = params;
    call->run.common = &call->common;
    call->run.record = record;
    call->run.operand_count = 0;
    call->run.left_out = false;
    const enum status status = run_command(&call->run, fault);
    run->untrusted |= call->run.untrusted;
    run->left_out |= call->run.left_out;
    free(call);
    free(params);
    return status;
}
