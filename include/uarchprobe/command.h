/* SPDX-License-Identifier: MIT */
/* A subcommand. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "uarchprobe/option.h"
#include "uarchprobe/run.h"
#include "uarchprobe/status.h"

/* The common options: a command lists, takes and honours those that its row names, and the parser refuses the
 * others. Each means the same in every command that has it. */
enum honours {
    HONOURS_REPEAT = 1 << 0,
    HONOURS_SAMPLES = 1 << 1,
    HONOURS_CPUS = 1 << 2,
    HONOURS_ISA = 1 << 3,
    HONOURS_KERNEL = 1 << 4,
    HONOURS_QUICK = 1 << 5,
    HONOURS_TIME_BUDGET = 1 << 6,
    HONOURS_STRICT = 1 << 7,
    HONOURS_DRY_RUN = 1 << 8,
    HONOURS_NO_PROGRESS = 1 << 9,
    HONOURS_QUIET = 1 << 10,
    HONOURS_VERBOSE = 1 << 11,
    /* Of every command that measures; the choice of kernels differs. */
    HONOURS_MEASURING = HONOURS_REPEAT | HONOURS_SAMPLES | HONOURS_CPUS | HONOURS_QUICK |
                        HONOURS_TIME_BUDGET | HONOURS_STRICT | HONOURS_DRY_RUN | HONOURS_NO_PROGRESS |
                        HONOURS_QUIET | HONOURS_VERBOSE,
};

struct experiment;

enum { COMMAND_EXAMPLES = 6 };

struct command {
    const char *name, *summary;
    const char *description; /* for --help, a paragraph a line; or NULL */
    const char *exit_status; /* where it has others than the rest; or NULL */
    /* The experiment, its source and where it is wrong, a paragraph a line; goes with the result as
     * run.method; or NULL. */
    const char *method;
    const char *examples[COMMAND_EXAMPLES]; /* whole command lines, NULL-terminated */
    const struct option_row *options;       /* own ones, ended by a NULL name; NULL: none */
    void (*in_report)(
        void *params); /* changes the default parameters when `report` runs it; NULL: no change */
    size_t params_size;
    const char *operands; /* name in --help of its arguments besides options ("FILE..."); NULL: none */
    /* Their metrics have the names of operands (experiments_operand), ended by NULL. NULL: operands are
     * other words. */
    const struct experiment *const *experiments;
    unsigned honours; /* set of enum honours */
    int cpus_least;   /* with fewer it cannot measure; 0: one is enough */
    bool measures;    /* has a clock and a result that a report can hold */
    bool by_itself;   /* `report` does not run it */
    bool needs_clock; /* is given a calibrated clock though it does not measure */
    bool one_core;    /* measures one core: of several kinds each by itself (--cpus all-kinds) */
    /* Whether it does with the parameters of the run; NULL: one_core says so. */
    bool (*one_core_if)(const struct run *run);
    bool judges;  /* exit code 1 is a verdict of its own: a failure while running is 2 */
    bool offline; /* reads files only: nothing of this machine is read or recorded */
    /* Checks the parameters against each other and the machine, then measures. Results recorded before a
     * failure or an interruption are written, too. */
    enum status (*run)(struct run *run, struct fault *fault);
};
