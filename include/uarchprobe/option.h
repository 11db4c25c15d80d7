/* SPDX-License-Identifier: MIT */
/* The values that a command line can hold, and the rows that describe its options: one drives parsing,
 * --help and the manual page. All parsers are pure: text in, value or fault out; the fault's text names the
 * offending value and those allowed. None allocates: the values have a fixed size. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "uarchprobe/status.h"

enum { SIZE_LIST_MAX = 64, CPU_LIST_MAX = 8192, NAME_LIST_MAX = 32, NAME_MAX_LENGTH = 48 };

struct size_list {
    int count;
    bool is_range; /* from the first of two to the second */
    uint64_t bytes[SIZE_LIST_MAX];
};

/* CPU numbers in the order that the user gave, none twice. `all`: every CPU that is allowed. `all_kinds`:
 * what measures one core measures one of each kind. */
struct cpu_list {
    bool all, all_kinds;
    int count;
    int id[CPU_LIST_MAX];
};

/* One CPU, where naming it is left to the user. */
struct cpu_choice {
    bool given, named;
    int id;
};

struct range {
    uint64_t first, last;
};

/* Free names, as in --method sse2,avx2: the command checks them, not the parser. */
struct name_list {
    int count;
    char name[NAME_LIST_MAX][NAME_MAX_LENGTH];
};

/* "64mi,1gi", or a range, "2ki-1gi": k m g are powers of 1000, ki mi gi powers of 1024, each with an
 * optional b, case ignored. Fractions, signs, zero and overflow are refused. */
enum status parse_size_list(const char *text, struct size_list *list, struct fault *fault);
/* Kernel cpulist syntax: "0-3,8", "0-31:2", or "all", or "all-kinds". Whether a CPU exists is for topology
 * to say. */
enum status parse_cpu_list(const char *text, struct cpu_list *list, struct fault *fault);
/* "5" or "1-140", first <= last. */
enum status parse_range(const char *text, struct range *range, struct fault *fault);
enum status parse_count(const char *text, uint64_t min, uint64_t max, uint64_t *value, struct fault *fault);
enum status parse_real(const char *text, double min, double max, double *value, struct fault *fault);
enum status parse_name_list(const char *text, struct name_list *list, struct fault *fault);

/* The type at the row's `offset` in the parameters. "auto" is zero or empty ("let the program choose")
 * where the default is "auto" and the kind says so. */
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
    bool tables;                /* asks for the content of tables, which people are then shown */
    bool rare;                  /* the screen of --help names it only */
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
