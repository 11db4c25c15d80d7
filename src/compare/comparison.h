/* SPDX-License-Identifier: MIT */
/* Two results held against each other: which of their answers make a row, what each row comes to, and what all of them do. */
#pragma once

#include "choice.h"
#include "judge.h"
#include "settings.h"

/* The results of commands in a file, those within a report included. */
enum { RESULTS_MAX = 1024 };
struct results {
    const char *path;
    struct fault *fault; /* set where they are too many; nothing more is taken then */
    LIST(struct record *) documents;
    LIST(const struct record *); /* borrowed from the documents */
};

/* Reads a file, as far as it can be read; freed by results_free in any case. */
enum status results_load(struct results *results, const char *path, struct fault *fault);
void results_free(struct results *results);
/* Adds the result of one command, or those of a report. */
void results_take(void *results, struct record *document);
/* The result of the same command that is as far down its file among those of that command; NULL: there is none. */
const struct record *results_partner(const struct results *from, size_t index, const struct results *in);
/* "" where it is unknown. */
const char *results_command(const struct record *result);

/* An answer of both results or of one of them; or all of a command together, by the times that they take. */
struct row {
    const char *command;
    const struct answer *of[2]; /* of the first and of the second; borrowed; NULL: that has none */
    double value[2];            /* as they are shown; NaN: there is none */
    const char *unit;           /* of these, "" where they have none */
    struct judgement j;
    bool fails;   /* exit code 1 for */
    size_t place; /* in the order of the first result */
};

struct comparison {
    const struct choice *choice;
    bool side_by_side;              /* two machines: neither is worse, so settings decide nothing */
    bool emulated;                  /* one of them: no time is a CPU's, so nothing is judged */
    bool judged;                    /* same machine and settings, or the user said that it does not matter */
    struct differences differences; /* between machines and settings */
    size_t of[OUTCOME_APART + 1];   /* rows by outcome */
    size_t broken;                  /* counts that differ by more than they promise */
    size_t missing;                 /* commands of which something was asked that the second lacks */
    size_t asked, decided;          /* answers that the first knows or both can be asked for; of them */
    struct {
        LIST(struct row);
    } rows; /* what fails, other differences and what is undecided, each from the largest on; then the rest as the results have it */
    const char *command; /* that is compared now */
    double seconds;      /* that the shorter of its two runs took; NaN: unknown */
    size_t places;       /* given to rows so far */
    struct record *made; /* owns the answers of no result */
};

/* Of a comparison with its choice alone. force: judge though machine or settings differ. */
void compare_results(struct comparison *comparison, const struct results *first, const struct results *second,
                     bool force);
void comparison_free(struct comparison *comparison);
/* FAILED: something is worse, or a count is another; USAGE: nothing was judged; UNTRUSTED: less than half of what was asked for. */
enum status comparison_status(const struct comparison *comparison);
/* What differs without being judged, what one of them lacks, what is incomplete. */
void comparison_warn(const struct comparison *comparison, const struct results *first,
                     const struct results *second, struct record *record);
/* Why nothing was judged. */
void comparison_add_reason(const struct comparison *comparison, struct text *out);
/* The largest difference that is undecided, and why; nothing where all is decided. */
void comparison_add_undecided(const struct comparison *comparison, struct text *out);

/* Without a judgement. */
struct row row_of(const char *command, const struct answer *before, const struct answer *after);
/* Of the first that has it. */
const struct answer *row_answer(const struct row *row);
bool row_differs(const struct row *row);
/* "DRAM read (busy)"; the key where the answer has no label; "all of ram (18)". */
void row_add_name(const struct row *row, struct text *out);
/* "94.4" of the first result (0) or the second; "" where there is none. */
void row_add_value(const struct row *row, int side, struct text *out);
/* "DRAM read: 21.4, was 29.9 GiB/s (-28.4 %, noise 20 %)". */
void row_add_line(const struct row *row, struct text *out);
