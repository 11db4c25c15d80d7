/* SPDX-License-Identifier: MIT */
/* Compares two results: a row for each pair of answers, its judgement, and the verdict on all. */
#pragma once

#include "choice.h"
#include "judge.h"
#include "settings.h"

/* The results of commands in a file, those within a report included. */
enum { RESULTS_MAX = 1024 };
struct results {
    const char *path;
    struct fault *fault; /* set where there are too many; the rest is not taken */
    LIST(struct record *) documents;
    LIST(const struct record *); /* borrowed from the documents */
};

/* Reads a file, as far as it can be read; freed by results_free in any case. */
enum status results_load(struct results *results, const char *path, struct fault *fault);
void results_free(struct results *results);
/* Adds the result of one command, or those of a report. */
void results_take(void *results, struct record *document);
/* The partner of a result: the same command, the same rank among its results in the file; NULL: none. */
const struct record *results_partner(const struct results *from, size_t index, const struct results *in);
/* The command of a result; "" where unknown. */
const char *results_command(const struct record *result);

/* An answer of both results, or of one of them; or all of a command together. */
struct row {
    const char *command;
    const struct answer *of[2]; /* of the first and the second; borrowed; NULL: none */
    double value[2];            /* as printed; NaN: none */
    const char *unit;           /* of the values; "" for none */
    struct judgement j;
    bool fails;   /* makes the exit code 1 */
    size_t place; /* in the order of the first result */
};

struct comparison {
    const struct choice *choice;
    bool side_by_side;              /* two machines: neither is worse, so settings decide nothing */
    bool emulated;                  /* by one of them: its times are no CPU's, so nothing is judged */
    bool judged;                    /* same machine and settings, or --force */
    struct differences differences; /* between machines and settings */
    size_t of[OUTCOME_APART + 1];   /* rows by outcome */
    size_t broken;                  /* counts that differ by more than they promise */
    size_t missing;                 /* commands with chosen answers that the second lacks */
    size_t asked, decided; /* asked: answers of the first, or of both; decided: those with an outcome */
    struct {
        LIST(struct row);
    } rows; /* failures, other differences, undecided rows and the rest, each by size; then what one result alone has */
    const char *command; /* compared at present */
    double seconds;      /* of the shorter of its two runs; NaN: unknown */
    size_t places;       /* given to rows so far */
    struct record *made; /* owns answers that no result has */
};

/* Compares; the caller sets only the choice. force: judge though machine or settings differ. */
void compare_results(struct comparison *comparison, const struct results *first, const struct results *second,
                     bool force);
void comparison_free(struct comparison *comparison);
/* FAILED: something is worse, or a count differs; USAGE: nothing was judged; UNTRUSTED: less than half was decided. */
enum status comparison_status(const struct comparison *comparison);
/* Warns of differences that are not judged, missing parts and incomplete results. */
void comparison_warn(const struct comparison *comparison, const struct results *first,
                     const struct results *second, struct record *record);
/* Writes why nothing was judged. */
void comparison_add_reason(const struct comparison *comparison, struct text *out);
/* Writes the largest undecided difference and its reason; nothing where all is decided. */
void comparison_add_undecided(const struct comparison *comparison, struct text *out);

/* A row without a judgement. */
struct row row_of(const char *command, const struct answer *before, const struct answer *after);
/* The answer of the first result, but that of the second where it alone has a label or is there. */
const struct answer *row_answer(const struct row *row);
bool row_differs(const struct row *row);
/* Writes "DRAM read (busy)"; the key where the answer has no label; "all of ram (18)". */
void row_add_name(const struct row *row, struct text *out);
/* Writes "94.4", the value of the first result (0) or the second; "" for none. */
void row_add_value(const struct row *row, int side, struct text *out);
/* Writes "DRAM read: 21.4, was 29.9 GiB/s (-28.4 %, noise 20 %)". */
void row_add_line(const struct row *row, struct text *out);
