/* SPDX-License-Identifier: MIT */
/* The content of a record for people, as blocks not yet drawn. Only this file walks a record for people:
 * writers of text, Markdown, HTML and SVG draw the kinds of blocks that they have room for. */
#pragma once

#include "output/grid.h"

enum block_kind {
    BLOCK_FAILURE, /* text: why something was not measured */
    BLOCK_FACTS,   /* text: a heading; grid: title and value */
    BLOCK_ANSWERS, /* grid */
    BLOCK_LINE,    /* text: an answer that is a sentence, with its trust */
    BLOCK_VERDICT, /* text: the sentence that sums up the others */
    BLOCK_NOTE,    /* text: what the marks in the grids above mean */
    BLOCK_WARNING, /* text */
    BLOCK_TABLE,   /* table */
    BLOCK_METHOD,  /* text: how it was measured, in paragraphs */
};

struct block {
    enum block_kind kind;
    const char *text;
    struct grid grid;
    bool is_matrix;                   /* answers that show as much as a picture would */
    const struct record_table *table; /* borrowed */
};

/* A command; in a report the first section is the report's own, each other one that of a command. */
struct section {
    const struct record *record;
    const char *name, *summary; /* of the command */
    size_t left;                /* answers that do not fit on a screen */
    size_t count;
    struct block *block;
};

struct page {
    const struct record *record;
    const char *cpu, *details, *conditions; /* "" where there are none */
    bool is_machine;                        /* cpu names a machine; a result may have none */
    size_t count;
    struct section *section;
};

/* screen: only as much as fits on one, for a report the answers with a sheet_cell of all its commands
 * together; else everything, with answers as rows that name their sources. */
struct page page_of(const struct record *record, bool screen);
/* Whether it is a report with answers for the core sheet; results written before answers had sheet_cells
 * have none. */
bool page_has_sheet(const struct record *record);
/* Spells the known conditions of the measurement on one line, "KVM guest, sibling busy 14 %, 3.21 GHz". */
const char *page_conditions(const struct record *record);
/* Whether that line already says the same as a warning of this code. */
bool page_is_condition(const char *code);
