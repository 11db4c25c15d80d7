/* SPDX-License-Identifier: MIT */
/* From option rows to parameters, over getopt_long. */
#pragma once

#include <stdbool.h>

#include "uarchprobe/command.h"

enum { OPTIONS_MAX = 64 };

/* Rows that a command takes, in the order of help, own ones first. */
struct option_set {
    const char *command; /* "ram"; NULL: the program itself, whose options end at the first operand */
    struct {
        const struct option_row *row;
        void *params;      /* into which its offset points */
        const char *title; /* of its group */
    } of[OPTIONS_MAX];
    int count;
    struct common *common; /* gets what was typed, and whether it asks for tables; or NULL */
};

/* Gives every parameter of the rows, ended by a NULL name, its default. False: a row has one that cannot be parsed. */
bool options_default(const struct option_row *rows, void *params);
/* Gives every parameter of the rows its default, where there are parameters, and appends those rows that need none of enum honours, or one of
 * these. */
void options_add(struct option_set *set, const struct option_row *rows, void *params, const char *title,
                 unsigned honours);
/* What argv says. argv[0] is skipped; argv is permuted so that what is no option stands last, from *operands on. Options
 * after one of kind OPTION_HELP are not read. A later option of the same name replaces an earlier one.
 * Faults: STATUS_USAGE. Not for two threads at once (getopt has global state). */
enum status options_parse(struct option_set *set, int argc, char **argv, int *operands, struct fault *fault);
