/* SPDX-License-Identifier: MIT */
/* From option rows to parameters, over getopt_long. */
#pragma once

#include <stdbool.h>

#include "uarchprobe/command.h"

enum { OPTIONS_MAX = 64 };

/* Rows in the order of help, own ones first, those that a command does not honour among them: it refuses these by their names. */
struct option_set {
    const char *command; /* "ram"; NULL: the program itself, whose options end at the first operand */
    const struct command *const *all; /* who else may take an option that is unknown; NULL: nobody */
    struct {
        const struct option_row *row;
        void *params;      /* into which its offset points */
        const char *title; /* of its group */
        bool honoured, given;
    } of[OPTIONS_MAX];
    int count;
    bool *tables;        /* set where an option asks for tables; NULL: not asked */
    struct given *given; /* to be filled; or NULL */
};

/* Appends rows, ended by a NULL name; NULL: none. honours: the set of which a row that names some must have one. */
void options_add(struct option_set *set, const struct option_row *rows, void *params, const char *title,
                 unsigned honours);
/* Gives every parameter of the rows its default. Fault: STATUS_USAGE, of a row that is wrong. */
enum status options_default(const struct option_row *rows, void *params, struct fault *fault);
/* Gives every parameter its default, parsed as if it had been typed, also those of rows that are not honoured;
 * then what argv says. argv[0] is skipped; argv is permuted so that what is no option stands last, from *operands on. Options
 * after one of kind OPTION_HELP are not looked at. A later option of the same name replaces an earlier one.
 * One that is not honoured is refused with the list of those that are.
 * Faults: STATUS_USAGE. Not for two threads at once (getopt has global state). */
enum status options_parse(struct option_set *set, int argc, char **argv, int *operands, struct fault *fault);
