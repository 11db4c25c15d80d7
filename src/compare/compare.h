/* SPDX-License-Identifier: MIT */
/* Parts of `uarchprobe compare` shared by its files. */
#ifndef UARCHPROBE_BENCH_COMPARE_H
#define UARCHPROBE_BENCH_COMPARE_H

#include "difference.h"
#include "uarchprobe/command.h"

/* What was found to differ, of findings or of cells. */
struct tally {
    size_t compared, none, better, worse, changed, untrusted, missing;
    size_t deciding; /* of the worse ones, those that make the whole worse */
};

struct comparison {
    struct record *record; /* where the result goes */
    const char *file;      /* the one that is held against the first */
    double threshold;      /* share; NaN: the spreads */
    bool same_machine;     /* or the user said that it does not matter: verdicts are given */
    size_t hosts, findings, cells, all_cells; /* tables of the result */
    struct tally finding_tally, cell_tally;
};

/* Adds the tables of findings and cells to the result. */
void compare_begin(struct comparison *comparison);
/* Both are results of the same command. */
void compare_findings(struct comparison *comparison, const struct record *before, const struct record *after);
void compare_cells(struct comparison *comparison, const struct record *before, const struct record *after);

#endif
