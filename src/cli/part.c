/* SPDX-License-Identifier: MIT */
#include "cli/part.h"

#include <time.h>
#include <unistd.h>

#include "cli/conditions.h"
#include "uarchprobe/pin.h"

static void fact(struct record *record, const char *path, struct cell value)
{
    record_fact(record, (struct fact){.path = path, .value = value});
}

void part_announce(const struct command *command, struct record *record)
{
    fact(record, "run.command", TEXT_CELL(command->name));
    if (command->measures) {
        fact(record, "run.summary", TEXT_CELL(command->summary));
        if (command->method)
            fact(record, "run.method", TEXT_CELL(command->method));
    }
    fact(record, "run.complete", BOOL_CELL(false));
}

static void record_start(struct record *record)
{
    char text[32];
    const time_t now = time(NULL);
    struct tm utc;
    const bool known = gmtime_r(&now, &utc) && strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &utc) > 0;
    fact(record, "run.started", known ? TEXT_CELL(text) : NO_CELL);
}

static void record_end(const struct run *run, enum status status, const struct fault *fault, double seconds)
{
    const bool complete = status == STATUS_OK && !run->interrupted(NULL) && !run->left_out;
    fact(run->record, "run.seconds", REAL_CELL(seconds));
    fact(run->record, "run.complete", BOOL_CELL(complete));
    if (status != STATUS_OK && fault->status != STATUS_OK) {
        fact(run->record, "run.fault", TEXT_CELL(fault->text));
        fact(run->record, "run.status", INTEGER_CELL(status));
    }
    if (run->core_clock && core_clock_was_read(run->core_clock) && record_child_count(run->record) == 0)
        core_clock_record(run->core_clock, run->record);
}

static void record_conditions(const struct run *run, const struct disturbance *start, double seconds)
{
    const struct disturbance during = disturbance_since(start);
    const struct conditions conditions = {
        .cpu = run->cpu,
        .ghz = &run->core_clock->ghz,
        .steal_share = (double)during.steal_ticks / (double)sysconf(_SC_CLK_TCK) / seconds,
    };
    conditions_record(&conditions, run->record);
}

/* A report's readings of the core clock are those of its parts. */
static void pool_clock(struct core_clock *of_report, const struct core_clock *own)
{
    for (size_t i = 0; i < own->ghz.count; i++)
        samples_add(&of_report->ghz, own->ghz.value[i]);
}

enum status part_run(struct run *run, struct fault *fault)
{
    struct core_clock core_clock = {0}, *of_report = run->core_clock;
    struct disturbance start;
    if (run->clock)
        core_clock_init(&core_clock, run->clock);
    run->core_clock = run->clock ? &core_clock : NULL;
    record_start(run->record);
    disturbance_read(&start);
    const uint64_t begin_ns = clock_now_ns();
    const enum status status = run->command->run(run, fault);
    const double seconds = (double)(clock_now_ns() - begin_ns) * 1e-9;
    if (!run->replayed)
        record_end(run, status, fault, seconds);
    if (of_report)
        pool_clock(of_report, &core_clock);
    else if (!run->replayed && run->core_clock && run->command->measures && !run->common->dry_run)
        record_conditions(run, &start, seconds);
    core_clock_free(&core_clock);
    run->core_clock = of_report;
    return status;
}
