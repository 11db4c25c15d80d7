/* SPDX-License-Identifier: MIT */
/* The summary of a result: its answers, those that make a table (ram.L1.read, ram.L2.read, ram.L1.copy, ...; cas.one_core,
 * cas.one_l3, transfer.one_core, ...) as one. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "output/view.h"
#include "uarchprobe/record.h"

struct card {
    struct grid *grid; /* one, or NULL where the answers make no table */
    bool is_picture;   /* the grid shows what a picture would */
    bool marked;       /* it has values of less than high trust: rows_trust_note says how they are marked */
    bool *in_grid;     /* per answer of the record: the grid shows it */
    size_t sentences;  /* sentences that are not in the grid */
};

/* Freed by card_free. */
struct card card_of(const struct record *record);
void card_free(struct card *card);
/* Whether people see it as a sentence, and not as a row. */
bool card_is_sentence(const struct answer *answer);
/* The sentence, or label, value, unit and remark; next to it what others have published, with the source where it is asked for. */
void card_sentence(const struct answer *answer, bool source, struct text *out);
/* "", " (medium trust)", " (low trust)" */
const char *card_trust(enum trust trust);
