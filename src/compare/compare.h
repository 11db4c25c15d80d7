/* SPDX-License-Identifier: MIT */
/* Parts of `uarchprobe compare` shared by its files. */
#ifndef UARCHPROBE_COMPARE_COMPARE_H
#define UARCHPROBE_COMPARE_COMPARE_H

#include "choice.h"
#include "judge.h"
#include "uarchprobe/command.h"
#include "uarchprobe/load.h"

/* What was found, by answer, of findings or of the cells of a table. */
struct tally {
    size_t of[ANSWER_APART + 1];
    double most[ANSWER_APART + 1]; /* of what was allowed */
};

struct comparison {
    struct record *record; /* where the result goes */
    const char *file;      /* the one that is held against the first */
    const char *names[2];  /* of the two in pictures; NULL: none are made */
    const char *labels[2]; /* two machines side by side: neither is worse; NULL: before and after */
    const struct choice *choice;
    double seconds; /* that the shorter of the two results being compared took */
    bool with_cells;
    bool judged; /* same machine and settings, or the user said that it does not matter */
    size_t settings, pairs, findings, tables, cells; /* tables of the result */
    struct tally tally;
    double worst;   /* loss over what is allowed, of the worst finding */
    char line[320]; /* which says it */
    char why[400];  /* the first finding that is unknown, and why */
};

/* Names what differs in machine and settings; writes the words of what decides into `deciding`. */
void compare_settings(struct comparison *comparison, const struct record *before, const struct record *after,
                      char *deciding, size_t size);
/* Both are results of the same command. */
void compare_findings(struct comparison *comparison, const struct record *before, const struct record *after);
void compare_cells(struct comparison *comparison, const struct record *before, const struct record *after);

/* Tables that are drawn: the findings in pairs, maps of both. */
void aside_begin(struct comparison *comparison);
void aside_pair(const struct comparison *comparison, const char *key, const char *unit, const double value[2],
                const char *verdict);
void aside_maps(const struct comparison *comparison, const char *command, const struct record *before,
                const struct record *after);
/* NULL: there is none of that name. */
const struct record_table *table_named(const struct record *record, const char *name);
bool table_is_flagged(const struct record_table *table, size_t row);

/* The results of commands in a file, those within a report included. */
enum { RUNS_MAX = 1024 };
struct runs {
    const char *path;
    struct record_list list;
    size_t count;
    const struct record *run[RUNS_MAX];
};

/* Reads a file; freed by record_list_free of its list. */
enum status runs_load(struct runs *runs, const char *path, struct fault *fault);
/* Of what is in the list. */
enum status runs_collect(struct runs *runs, struct fault *fault);
void runs_warn_incomplete(struct record *record, const struct runs *runs);
/* Adds the tables to the result, pictures of the two included where they have names. */
void compare_begin(struct comparison *comparison, const struct runs *first, const struct runs *second);
/* The first finding added is the verdict, and so is the last; force: give one though machine or settings differ. */
void compare_runs(struct comparison *comparison, const struct runs *first, const struct runs *second,
                  bool force);
/* Whether two runs had anything in common that can be judged. */
bool compare_has_verdict(const struct comparison *comparison);

extern const char *const answer_names[];

#endif
