/* SPDX-License-Identifier: MIT */
/* Parts of `uarchprobe compare` shared by its files. */
#pragma once

#include "base/text.h"
#include "choice.h"
#include "judge.h"
#include "uarchprobe/command.h"
#include "uarchprobe/record.h"

/* An answer of both results, or of one, or all of a command together. */
struct judged {
    char key[160]; /* "store_buffer.entries (busy)" */
    const char *command, *unit;
    double value[2];
    struct judgement j;
    bool alone;
    char line[320]; /* "" where one of them lacks it */
};

struct comparison {
    struct record *record; /* where the result goes */
    const char *file;      /* the one that is held against the first */
    const char *names[2];  /* of the two in pictures; NULL: none are made */
    const char *labels[2]; /* two machines side by side: neither is worse; NULL: before and after */
    const struct choice *choice;
    double seconds;                  /* that the shorter of the two results being compared took */
    size_t settings, pairs, answers; /* tables of the result */
    /* Of the two files compared last. */
    bool emulated;                 /* one of them: no time is a CPU's, so nothing is judged */
    bool judged;                   /* same machine and settings, or the user said that it does not matter */
    struct text deciding, remarks; /* what differs in machine and settings, and what of it decides nothing */
    size_t of[OUTCOME_APART + 1], broken; /* answers by outcome; counts that are broken */
    size_t missing;        /* commands of which something was asked that the other file lacks */
    size_t asked, decided; /* answers that the first knows or both can be asked for; of them */
    struct {
        size_t count, capacity;
        struct judged *of;
    } found; /* the gravest and largest differences first, once all are in */
};

/* Names what differs in machine and settings. */
void compare_settings(struct comparison *comparison, const struct record *before, const struct record *after);
/* Both are results of the same command. */
void compare_answers(struct comparison *comparison, const struct record *before, const struct record *after);
/* Of a command that the other file lacks. */
void compare_missing(struct comparison *comparison, const struct record *before);
/* When all are in: the rows and sentences. */
void compare_say(struct comparison *comparison);
/* Exit 1 for. */
bool compare_is_failed(const struct judgement *j);

/* Tables that are drawn: the answers in pairs, maps of both. */
void aside_begin(struct comparison *comparison);
void aside_pair(const struct comparison *comparison, const char *key, const char *unit, const double value[2],
                const char *verdict);
void aside_maps(const struct comparison *comparison, const char *command, const struct record *before,
                const struct record *after);

/* The results of commands in a file, those within a report included. */
enum { RUNS_MAX = 1024 };
struct runs {
    const char *path;
    struct fault *fault; /* set where they are too many; nothing more is taken then */
    size_t documents, count;
    struct record *document[RUNS_MAX + 1];
    const struct record *run[RUNS_MAX];
};

/* Reads a file, where it can be read; freed by runs_free in any case. */
enum status runs_load(struct runs *runs, const char *path, struct fault *fault);
void runs_free(struct runs *runs);
/* Adds the result of one command, or those of a report. */
void runs_take(void *runs, struct record *document);
void runs_warn_incomplete(struct record *record, const struct runs *runs);
/* Why nothing was judged. */
void compare_add_reason(const struct comparison *comparison, struct text *out);
/* Adds the tables to the result, pictures of the two included where they have names. */
void compare_begin(struct comparison *comparison, const struct runs *first, const struct runs *second);
/* The first answer added is the verdict; force: give one though machine or settings differ. FAILED: something is worse, or a count
 * is another; USAGE: nothing was judged; UNTRUSTED: less than half of what was asked for. */
enum status compare_runs(struct comparison *comparison, const struct runs *first, const struct runs *second,
                         bool force);
/* What differs most of what is undecided, and why, behind `before`; nothing where all is decided. */
void compare_add_undecided(const struct comparison *comparison, const char *before, struct text *out);
void compare_end(struct comparison *comparison);

extern const char *const outcome_names[];
