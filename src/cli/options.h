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

/* Sets the parameter of a row to what a user would type; NULL: a flag. */
enum status option_set(const struct option_row *row, void *params, const char *text, struct fault *fault);
/* Gives every parameter of the rows, ended by a NULL name, its default. False: a row has one that cannot
 * be parsed. */
bool options_default(const struct option_row *rows, void *params);
/* Sets the parameters, unless NULL, to their defaults, and appends the rows that need no bit of enum
 * honours, or one of `honours`. */
void options_add(struct option_set *set, const struct option_row *rows, void *params, const char *title,
                 unsigned honours);
/* Parses argv from argv[1] on and permutes it: operands stand last, from *operands on. Reads no option
 * after one of kind OPTION_HELP. A later option of the same name replaces an earlier one. Faults:
 * STATUS_USAGE. Not for two threads at once (getopt has global state). */
enum status options_parse(struct option_set *set, int argc, char **argv, int *operands, struct fault *fault);
