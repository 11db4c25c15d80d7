/* SPDX-License-Identifier: MIT */
/* One row describes one option and drives parsing, --help and the manual page. */
#pragma once

#include <stddef.h>

#include "uarchprobe/values.h"

/* What the row's `offset` points at in the parameters. "auto" is zero or empty ("let the program
 * choose") where the default is "auto" and the kind says so. */
enum option_kind {
    OPTION_FLAG,    /* bool; takes no argument */
    OPTION_HELP,    /* int: index into choices, the first where no argument is given; ends the parsing */
    OPTION_COUNT,   /* uint64_t between min and max; "auto" gives 0 where the default is "auto" */
    OPTION_REAL,    /* double between min and max; "auto" gives 0 where the default is "auto" */
    OPTION_CHOICE,  /* int: index into choices; -1 where there is no default */
    OPTION_CHOICES, /* uint64_t: bit set over choices; "all" sets every one */
    OPTION_SIZES,   /* struct size_list; "auto" (the default) gives count 0 */
    OPTION_CPUS,    /* struct cpu_list */
    OPTION_CPU,     /* struct cpu_choice; the argument may be left out */
    OPTION_RANGE,   /* struct range between min and max; "auto" gives 0-0 where the default is "auto" */
    OPTION_NAMES,   /* struct name_list; "auto" gives count 0 */
    OPTION_TEXT     /* const char *, borrowed from argv or from the row; NULL where there is no default */
};

struct option_row {
    const char *name; /* long name without dashes; NULL ends a list of rows */
    char letter;      /* 0: none */
    enum option_kind kind;
    size_t offset;              /* into the parameters */
    const char *argument;       /* name of the argument in --help; NULL for a flag */
    const char *fallback;       /* the default, as a user would type it; NULL: unset (flag: off) */
    const char *const *choices; /* NULL-terminated, for OPTION_CHOICE(S) */
    double min, max;            /* for OPTION_COUNT, _REAL and _RANGE; max 0: no bound but the type's */
    const char *help;           /* one sentence without a full stop */
    const char *zero;           /* the word for 0 in an OPTION_COUNT, besides "auto": "all"; or NULL */
    bool tables;                /* asks for what is in the tables, which people are then shown */
    unsigned honours;           /* bit of enum honours for a common option; 0: in every command */
};

/* Options that were typed, in their order; text NULL: a flag. */
enum { GIVEN_MOST = 32 };
struct given {
    int count;
    struct {
        const struct option_row *row;
        const char *text;
    } of[GIVEN_MOST];
};
