/* SPDX-License-Identifier: MIT */
/* A command line, taken apart. */
#pragma once

#include "cli/commands.h"

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

/* A word of a command line as results have it, which are for others to read: "-o/srv/me/x.json" as "-ox.json". Freed by the caller. */
char *word_without_folders(const char *word);
/* Zero-initialised by the caller, freed with invocation_free whatever is returned. argv must outlive the
 * invocation. Faults: STATUS_USAGE. */
enum status invocation_parse(struct invocation *invocation, int argc, char *const *argv, struct fault *fault);
void invocation_free(struct invocation *invocation);
