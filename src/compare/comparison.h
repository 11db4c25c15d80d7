/* SPDX-License-Identifier: MIT */
/* Holds results against the first of them: a row for each answer, with an entry for each file, and a
 * verdict on each file. */
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

/* The results of one command: the first of its name in each file, the second of it, ... */
struct group {
    const char *command;
    const struct record **of; /* of each file; NULL: it has none */
};

/* An answer of a file, judged against that of the first file. */
struct held {
    const struct answer *answer; /* borrowed; NULL: none */
    struct judgement j;
    bool fails; /* makes the exit code 1 */
};

/* What is found by one key of one kind of core in one state; rows without any answer are of all answers of
 * the command together. */
struct row {
    const struct group *group;
    const char *key, *kind, *state, *label; /* label NULL: none */
    const char *unit;                       /* of the values as they are shown; "" for none */
    struct held *of;                        /* of each file */
    size_t place;                           /* in the order of the first file */
    int gravity; /* 0: fails, 1: differs, 2: undecided, 3: the rest, 4: some file lacks it */
    double size; /* largest difference, as a logarithm of the ratio */
};

/* A file and the first one. */
struct against {
    bool side_by_side;            /* two machines: neither is worse, so settings decide nothing */
    bool emulated;                /* by one of them: its times are no CPU's, so nothing is judged */
    bool is_itself;               /* both files hold one and the same run */
    bool judged;                  /* same machine and settings, other machines, or forced */
    bool missing;                 /* it lacks a command that has chosen answers in the first */
    bool hides;                   /* a value of the core that cannot be decided lies far off now */
    size_t of[OUTCOME_APART + 1]; /* rows by outcome */
    size_t broken;                /* counts that differ by more than they promise */
    size_t asked, decided;        /* rows of both, or of the first when idle; with an outcome */
};

struct comparison {
    const struct choice *choice;
    bool force;    /* judge though machine or settings differ */
    bool machines; /* the user says that they are: they stand side by side */
    size_t count;  /* of files */
    const struct results *files;
    struct record *owner; /* of all memory below but the lists */
    struct settings settings;
    struct against *against; /* of each file; of the first: unused */
    LIST(struct group) groups;
    struct {
        LIST(struct row);
    } rows; /* by gravity, then size */
};

/* Compares; the caller sets choice, force, machines, count, files and owner. */
void compare_results(struct comparison *comparison);
void comparison_free(struct comparison *comparison);
/* FAILED: something is worse, or a count differs; USAGE: nothing was judged; UNTRUSTED: too little was
 * decided. */
enum status comparison_status(const struct comparison *comparison, size_t file);
/* Warns of differences that are not judged, missing parts and incomplete results. */
void comparison_warn(const struct comparison *comparison, struct record *record);
/* Writes why nothing was judged. */
void comparison_add_reason(const struct comparison *comparison, size_t file, struct text *out);
/* The first row in which that file fails (0) or cannot be decided (2); NULL: none. */
const struct row *comparison_first(const struct comparison *comparison, size_t file, int gravity);

/* The value of a file by that of the first; NaN: unknown. */
double row_ratio(const struct row *row, size_t file);
/* Writes "DRAM read (busy), all 2 CPUs", without the size of the set; the key where the answer has no
 * label. */
void row_add_name(const struct row *row, struct text *out);
/* Writes "DRAM read: 21.4, was 29.9 GiB/s (-28.4 %, noise 20 %)"; of what is undecided also why. */
void row_add_line(const struct comparison *comparison, const struct row *row, size_t file, struct text *out);
