/* SPDX-License-Identifier: MIT */
/* A subcommand, and what it is given to run. */
#ifndef UARCHPROBE_COMMAND_H
#define UARCHPROBE_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

#include "uarchprobe/clock.h"
#include "uarchprobe/cpu.h"
#include "uarchprobe/cycles.h"
#include "uarchprobe/kernel.h"
#include "uarchprobe/option.h"
#include "uarchprobe/output.h"
#include "uarchprobe/record.h"
#include "uarchprobe/status.h"
#include "uarchprobe/topology.h"

/* The options that every measuring command has. */
struct common {
    uint64_t repeat; /* 0: until stable */
    struct cpu_list cpus;
    int format; /* -1: not given */
    const char *output;
    const char *isa;
    const char *kernel;
    bool quick;
    double time_budget; /* seconds; 0: the command's own */
    uint64_t samples;   /* 0: the command's own */
    bool strict, dry_run;
    int color;
    bool no_progress, quiet, verbose;
};

struct run {
    const struct command *command;
    const void *params; /* the command's own, filled from its option rows */
    const struct common *common;
    const struct cpu *cpu;
    const struct topology *topology;
    struct cpu_list cpus; /* chosen: allowed and, where given, named by --cpus */
    struct kernel_filter kernels;
    const struct clock *clock;
    struct core_clock *core_clock;
    struct record *record;
    struct progress *progress;
    bool (*interrupted)(void *context); /* SIGINT or SIGTERM came; context is ignored */
    bool untrusted; /* set by the command: with --strict the exit code is STATUS_UNTRUSTED */
};

enum { COMMAND_EXAMPLES = 6 };

struct command {
    const char *name, *summary;
    const char *description;                /* for --help, plain lines; or NULL */
    const char *examples[COMMAND_EXAMPLES]; /* whole command lines, NULL-terminated */
    const struct option_row *options;       /* own ones, ended by a NULL name; NULL: none */
    size_t params_size;
    bool measures; /* takes the common measuring options; else only --format, --output, --color, --quiet */
    /* Checks the parameters against each other and the machine, then measures. What was recorded before a
     * failure or an interruption is written all the same. */
    enum status (*run)(struct run *run, struct fault *fault);
};

/* The table of commands (src/cli/commands.c), ended by NULL. */
extern const struct command *const commands[];
/* The options of measuring commands, into struct common; and those every command has, a subset of them. */
extern const struct option_row common_options[];
extern const struct option_row basic_options[];

#endif
