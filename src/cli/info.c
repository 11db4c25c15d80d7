/* SPDX-License-Identifier: MIT */
/* The answers got.*, and this machine: the `host` and `clock` of every result. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/facts.h"
#include "cli/profile.h"
#include "engine/published.h"
#include "uarchprobe/command.h"
#include "uarchprobe/pin.h"

struct params {
    bool raw;
    const char *from;
    double watch_s;
};

/* Over 20 ms: a core that changes its clock runs slower for 0.1 ms, and readings in a row would see only
 * that. */
enum { CORE_CLOCK_READINGS = 101, CORE_CLOCK_EVERY_NS = 200000 };

static const double USUAL_S = 0.8;

/* Without pinning there is no core clock of one CPU to read, and no such facts. */
static void add_core_clock(const struct run *run)
{
    struct fault ignored = {0};
    const int cpu = run->cpus.count > 0 ? run->cpus.id[0] : run->topology->place[0].id;

    if (pin_self(cpu, &ignored) != STATUS_OK) {
        record_warning(run->record, "not_pinned", "core clock not read: %s", ignored.text);
        return;
    }
    for (int i = 0; i < CORE_CLOCK_READINGS; i++) {
        const uint64_t begin_ns = clock_now_ns();
        core_clock_read(run->core_clock);
        while (clock_now_ns() < begin_ns + CORE_CLOCK_EVERY_NS)
            ; /* busy, as an idle core has another clock */
    }
    /* A reader's check of the clock: a multiplication takes a whole number of cycles, 3 on most cores. */
    const double multiply = core_clock_multiply_cycles(run->clock);
    record_fact(run->record, (struct fact){"clock.multiply_cycles", "multiplication, by the core clock",
                                           "cycles", isfinite(multiply) ? REAL_CELL(multiply) : NO_CELL});
}

/* The first row of each quantity, as it is quoted next to an answer. */
static void add_published(const char *core, struct record *record)
{
    const struct published *row;
    for (size_t n = 0; (row = core_published(core, NULL, n)) != NULL; n++) {
        char path[64], text[320];
        snprintf(path, sizeof path, "host.published.%s", row->quantity);
        snprintf(text, sizeof text, "%g %s; %s: %s, %s", row->value, row->unit, basis_words[row->basis],
                 row->source, row->date);
        if (!record_fact_find(record, path))
            RECORD_FACTS(record, {path, row->quantity, NULL, TEXT_CELL(text)});
    }
}

/* Keeps the facts of the call, drops those of this machine. */
static enum status replay(struct run *run, const char *path, struct fault *fault)
{
    const struct params *params = run->params;
    struct topology *topology = NULL;
    struct cpu cpu;

    if (params->raw || run->common->quick || params->watch_s > 0)
        return fault_set(fault, STATUS_USAGE, "--%s asks this machine, --from FILE another: give one of them",
                         params->raw           ? "raw"
                         : params->watch_s > 0 ? "watch"
                                               : "quick");
    if (cpu_replay(path, &cpu, &topology, fault) != STATUS_OK)
        return fault->status;
    struct record *record = record_new();
    for (size_t i = 0; i < run->record->facts.count; i++) {
        const struct fact *fact = &run->record->facts.of[i];
        if (strncmp(fact->path, "tool.", 5) == 0 || strncmp(fact->path, "run.", 4) == 0)
            record_fact(record, *fact);
    }
    host_cpu_record(&cpu, record);
    RECORD_FACTS(record, {"host.cpu.core", "Core", NULL, TEXT_CELL(cpu.core)},
                 {"run.complete", .value = BOOL_CELL(true)});
    host_kinds_record(topology, record);
    host_caches_record(topology, record);
    topology_free(topology);
    add_published(cpu.core, record);
    record_replace(run->record, record);
    run->replayed = true;
    return STATUS_OK;
}

static void add_raw(void *record, const char *name, const char *registers)
{
    char path[96];
    snprintf(path, sizeof(path), "host.cpuid_raw.%s", name);
    RECORD_FACTS(record, {path, name, NULL, TEXT_CELL(registers)});
}

static enum status info_run(struct run *run, struct fault *fault)
{
    const struct params *params = run->params;
    if (params->from)
        return replay(run, params->from, fault);
    add_core_clock(run);
    if (!run->common->quick && !run->cpu->emulated) {
        profile_watch(run, params->watch_s > 0 ? params->watch_s : USUAL_S);
        fitness_record(run->record, run->record, run->cpu, run->topology, &run->core_clock->ghz);
    }
    return params->raw ? cpu_dump_raw(add_raw, run->record, fault) : STATUS_OK;
}

static const struct option_row options[] = {
    {"raw", 0, OPTION_FLAG, .offset = offsetof(struct params, raw),
     .help = "add a raw dump of CPUID, for bug reports (x86_64)", .tables = true},
    {"from", 0, OPTION_TEXT, .offset = offsetof(struct params, from), .argument = "FILE",
     .help = "show the CPU of a dump of CPUID in place of this one; of --raw, or of libcpuid's cpuid_tool",
     .tables = true},
    {"watch", 0, OPTION_REAL, .offset = offsetof(struct params, watch_s), .argument = "SECONDS",
     .fallback = "auto", .min = 0.5, .max = 86400,
     .help = "probe so long, as a host may move CPUs minutes apart; auto: 0.8"},
    {0},
};

extern const struct command info_command;
const struct command info_command = {
    .name = "info",
    .summary = "what is this machine, and what of it did you get?",
    .description =
        "Measures for a second whether each CPU is a whole core or a thread of one, whether the host moves "
        "CPUs, "
        "and whether cores and caches are as shown. -v and other formats add the facts about host and clock "
        "that every result has; --quick shows those alone.\n"
        "Unknown facts are left out, never guessed.\n"
        "--from FILE shows the x86 CPUs of a dump, on any machine: kinds of cores, caches, and published "
        "values of "
        "the first one's core.",
    .examples = {"uarchprobe info", "uarchprobe info --format json", "uarchprobe info --raw -o machine.txt",
                 "uarchprobe info --from machine.txt", "uarchprobe info --watch 60"},
    .options = options,
    .params_size = sizeof(struct params),
    .honours = HONOURS_QUIET | HONOURS_QUICK | HONOURS_VERBOSE,
    .needs_clock = true,
    .run = info_run,
};
