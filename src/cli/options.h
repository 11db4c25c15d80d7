/* SPDX-License-Identifier: MIT */
/* From option rows to parameters, over getopt_long. */
#pragma once

#include <stdbool.h>

#include "uarchprobe/option.h"

enum { OPTIONS_MAX = 64, OPTION_GROUPS = 4 };

/* Rows and the parameters that their offsets point into. */
struct option_group {
    const struct option_row *rows;
    void *params;
    const char *title; /* for help */
    unsigned honours;  /* the set that those rows are taken of which have a bit */
};

/* What was typed and is unknown: the word of a long option, or a letter. */
struct option_wanted {
    const char *name;
    size_t length;
    char letter;
};

struct option_parser {
    const char *help_command; /* "uarchprobe ram --help": where a message sends its reader */
    const char *who;          /* "ram": who does not take an option */
    /* Writes who else takes that option, "ram, stlf"; NULL: not asked. */
    void (*others)(const struct option_wanted *wanted, char *text, size_t size);
    bool *tables;        /* set where an option asks for tables; NULL: not asked */
    struct given *given; /* to be filled; or NULL */
    bool leading;        /* stop at the first argument that is no option */
    struct option_group group[OPTION_GROUPS];
    int group_count;
};

/* Appends a group; no rows (NULL) are no group. At most OPTION_GROUPS groups and OPTIONS_MAX rows in all. */
void options_add(struct option_parser *parser, struct option_group group);
/* The next row of the group that is honoured; NULL: none. after NULL: the first. */
const struct option_row *option_next(const struct option_group *group, const struct option_row *after);
/* Gives every parameter of the rows its default. Fault: STATUS_USAGE, of a row that is wrong. */
enum status options_default(const struct option_row *rows, void *params, struct fault *fault);
/* Gives every parameter its default, parsed as if it had been typed, also those of rows that are not honoured;
 * then what argv says. argv[0] is skipped; argv is permuted so that what is no option stands last, from *operands on. Options
 * after one of kind OPTION_HELP are not looked at. A later option of the same name replaces an earlier one.
 * One that is not honoured is refused with the list of those that are.
 * Faults: STATUS_USAGE. Not for two threads at once (getopt has global state). */
enum status options_parse(const struct option_parser *parser, int argc, char **argv, int *operands,
                          struct fault *fault);
