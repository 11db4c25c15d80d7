/* SPDX-License-Identifier: MIT */
#pragma once

#include "cli/options.h"
#include "uarchprobe/command.h"

/* --help and --help=KIND; none: not asked for. */
enum help_kind { HELP_NONE = -1, HELP_TEXT, HELP_ALL, HELP_MAN, HELP_BASH, HELP_ZSH, HELP_FISH, HELP_WORDS };

/* Ended by NULL. */
extern const struct command *const commands[];
/* The options of a command: its own, the common ones that it honours, those of the program; their
 * parameters get their defaults. command NULL: the program itself. params and common NULL: nothing is parsed,
 * and without a command the set has all common options. */
struct option_set command_options(const struct command *command, void *params, struct common *common);
extern const char own_options[]; /* the title of the first group */

/* A command line, taken apart. */
struct invocation {
    const struct command *command; /* NULL: only help or the version was asked for */
    void *params;                  /* of the command */
    struct common common;
    int operand_count;
    char *const *operands;
    int argc;
    char *const *argv; /* as the process was given them */
    char **words;      /* a copy of argv that getopt permutes; operands lie in it */
};

/* Zero-initialised by the caller, freed with invocation_free whatever is returned. argv must outlive the
 * invocation. Faults: STATUS_USAGE; STATUS_USAGE without a fault where no command is named: the caller shows
 * the help. */
enum status invocation_parse(struct invocation *invocation, int argc, char *const *argv, struct fault *fault);
void invocation_free(struct invocation *invocation);
