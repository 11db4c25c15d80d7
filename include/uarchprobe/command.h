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
#include "uarchprobe/record.h"
#include "uarchprobe/status.h"
#include "uarchprobe/topology.h"

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
    /* What every command that measures can do; which kernels may be left out differs. */
    HONOURS_MEASURING = HONOURS_REPEAT | HONOURS_SAMPLES | HONOURS_CPUS | HONOURS_QUICK |
                        HONOURS_TIME_BUDGET | HONOURS_STRICT | HONOURS_DRY_RUN | HONOURS_NO_PROGRESS |
                        HONOURS_QUIET | HONOURS_VERBOSE,
};

/* Their values. What a command does not honour has its default. */
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
    uint64_t samples;   /* of a point in a round; 0: the command's own */
    bool strict, dry_run;
    int color;
    struct given given;
    bool no_progress, quiet;
    bool verbose; /* tables, not only the answers; also where an option asks for what they hold */
};

struct progress;

/* In addition to what the command adds, the session records tool.*, run.*, host.*, and clock.* with the readings that
 * core_clock was left with, and warns of what disturbed the whole of it. */
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
    int operand_count; /* what is on the command line besides options */
    char *const *operands;
    struct record *record;
    struct progress *progress; /* NULL: nothing is shown */
    void (*show_progress)(struct progress *progress, double done, double eta_s, const char *what);
    bool (*interrupted)(void *context); /* SIGINT or SIGTERM came; context is ignored */
    struct fault *taken; /* set by the engine where a CPU was taken away; reported after the results */
    bool untrusted;      /* set by the command: with --strict the exit code is STATUS_UNTRUSTED */
    bool left_out;       /* set by the command: values are missing (a warning says which), so not complete */
    bool replayed;       /* set by the command: the record is one that was read, so nothing is added to it */
    const char
        *pictures; /* set by the command: a folder that was opened, for a file of each picture; or NULL */
    enum status outcome; /* set by the command: the exit code of a run that went well, if not STATUS_OK */
};

/* done: 0..1; eta_s: seconds left, negative: unknown; what: a word or two, borrowed for the call. */
static inline void run_progress(const struct run *run, double done, double eta_s, const char *what)
{
    if (run->progress)
        run->show_progress(run->progress, done, eta_s, what);
}

/* Nothing more is to be measured: what there is becomes the result. */
static inline bool run_has_ended(const struct run *run)
{
    return run->interrupted(NULL) || run->taken->status != STATUS_OK;
}

/* A number that a command finds, for whoever reads it: what `explain` prints. */
struct explanation {
    const char *key;     /* of a finding, as a shell pattern: "ram.*.read"; the first that fits counts */
    const char *what;    /* in a few words */
    const char *timed;   /* what the clock is held to */
    const char *counted; /* what of it makes the value */
    const char *moved;   /* what makes it another one */
    const char *typical; /* values, each with its source */
};

enum { COMMAND_EXAMPLES = 6 };

struct command {
    const char *name, *summary;
    const char *description; /* for --help, a paragraph a line; or NULL */
    const char *exit_status; /* where it has others than the rest; or NULL */
    const char *method; /* what the experiment is, where it is from and where it is wrong, a paragraph a line;
                           goes with the result as run.method; or NULL */
    const char *examples[COMMAND_EXAMPLES]; /* whole command lines, NULL-terminated */
    const struct explanation *explanations; /* of its findings, ended by a NULL key; NULL: it finds nothing */
    const struct option_row *options;       /* own ones, ended by a NULL name; NULL: none */
    const char *report_option;              /* what `report` calls it with ("--grid"); NULL: nothing */
    size_t params_size;
    const char *operands; /* name in --help of what it takes besides options ("FILE..."); NULL: nothing */
    unsigned honours;     /* set of enum honours */
    bool measures;        /* has a clock and a result that a report holds */
    bool needs_clock;     /* is given a calibrated clock though it does not measure */
    bool judges;          /* exit code 1 is a verdict of its own: what fails while running is 2 */
    bool offline;         /* reads files only: this machine is neither looked at nor recorded */
    /* Checks the parameters against each other and the machine, then measures. What was recorded before a
     * failure or an interruption is written all the same. */
    enum status (*run)(struct run *run, struct fault *fault);
};

#endif
