/* SPDX-License-Identifier: MIT */
/* Everything that a command runs with. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "uarchprobe/clock.h"
#include "uarchprobe/cpu.h"
#include "uarchprobe/cycles.h"
#include "uarchprobe/kernel.h"
#include "uarchprobe/option.h"
#include "uarchprobe/record.h"
#include "uarchprobe/status.h"
#include "uarchprobe/topology.h"

/* The values of the common options. Options that a command does not honour have their defaults. */
struct common {
    int help; /* enum help_kind of the command line */
    bool version;
    uint64_t repeat; /* rounds; 0: until stable */
    struct cpu_list cpus;
    int format; /* -1: not given */
    const char *output;
    const char *isa;
    const char *kernel;
    bool quick;
    double time_budget; /* seconds; 0: the command's own */
    /* Of a limit that nobody typed: of one's own time, where the user's is wall time (own_time.h). */
    bool is_share;
    uint64_t samples; /* of a point in a round; 0: the command's own */
    bool strict, dry_run;
    int color;
    struct given given;
    bool no_progress, quiet;
    bool verbose; /* tables, not only the answers; also where an option asks for their content */
};

struct command;
struct progress;

/* The session adds tool.*, run.*, host.*, and clock.* with the readings that core_clock was left with, and
 * warns of disturbances of the whole run. */
struct run {
    const struct command *command;
    const void *params; /* the command's own, filled from its option rows */
    const struct common *common;
    const struct cpu *cpu; /* NULL for an offline command, and so are topology, clock and core_clock */
    const struct topology *topology;
    struct cpu_list cpus; /* chosen: allowed and, where given, named by --cpus */
    struct kernel_filter kernels;
    const struct clock *clock;
    struct core_clock *core_clock;
    int operand_count; /* the words of the command line that are no options */
    char *const *operands;
    struct record *record;
    struct progress *progress; /* NULL: nothing is shown */
    void (*show_progress)(struct progress *progress, double done, double eta_s, const char *what);
    bool (*interrupted)(void *context); /* a signal came that ends the run; context is ignored */
    struct fault *taken; /* set by the engine where a CPU was taken away; reported after the results */
    bool in_report;      /* `report` runs it: with --quick only those of its rows that join it */
    bool untrusted;      /* set by the command: with --strict the exit code is STATUS_UNTRUSTED */
    bool left_out;       /* set by the command: values are missing (a warning says which), so not complete */
    bool replayed;       /* set by the command: the record is one that was read, so nothing is added to it */
    /* Set by the command: `outcome` is the exit code of a program that it ran, which has standard output. */
    bool ran;
    enum status outcome; /* set by the command: the exit code of a run that went well, if not STATUS_OK */
};

/* done: 0..1; eta_s: seconds left, negative: unknown; what: a word or two, borrowed for the call. */
static inline void run_progress(const struct run *run, double done, double eta_s, const char *what)
{
    if (run->progress)
        run->show_progress(run->progress, done, eta_s, what);
}

/* Writes the kind of core of the first CPU; empty where the machine has one kind, or none is known. */
static inline void run_kind_name(const struct run *run, char name[KIND_NAME_LENGTH])
{
    const struct core_kind *kind = topology_kind(run->topology, run->cpus.id[0]);
    name[0] = '\0';
    if (kind && run->topology->kind_count > 1)
        topology_kind_name(run->topology, (int)(kind - run->topology->kind), name);
}

/* No more is to be measured: the values so far become the result. */
static inline bool run_has_ended(const struct run *run)
{
    return run->interrupted(NULL) || run->taken->status != STATUS_OK;
}
