/* SPDX-License-Identifier: MIT */
/* What a record says, as blocks in their order, before anybody has drawn it. This is the one walk over a record for people: a writer of
 * text, Markdown, HTML or SVG draws a block of each kind, and leaves out the kinds that have no place in its format. */
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
    char *text;
    struct grid grid;
    bool is_matrix;                   /* of answers: it shows as much as a picture would */
    const struct record_table *table; /* borrowed */
};

/* A command, and of a report, whose own section is the first, one of its commands. */
struct section {
    const struct record *record;
    const char *name, *summary; /* of the command */
    size_t left;                /* answers that have no room on a screen */
    size_t count;
    struct block *block;
};

struct page {
    const struct record *record;
    char *cpu, *details, *conditions; /* "" where there are none */
    bool is_machine;                  /* cpu is one: results may be of none */
    size_t count;
    struct section *section;
};

/* Screen: what belongs on one, of a report the answers with a slot of all its commands together; else all, answers as rows with their
 * sources. */
struct page page_of(const struct record *record, bool screen);
void page_free(struct page *page);
/* Whether it is a report with something to write on its core sheet: results written before answers had slots have nothing. */
bool page_has_sheet(const struct record *record);
/* "KVM guest, sibling busy 14 %, 3.21 GHz": what the machine was like meanwhile, as far as it is known, on one line; freed by the
 * caller. */
char *page_conditions(const struct record *record);
/* Whether that line says what a warning of this code does. */
bool page_is_condition(const char *code);
