/* SPDX-License-Identifier: MIT */
/* Answers as tables: a row per key with its states side by side, and a matrix of the answers whose
 * sheet_cell names a row and a column. */
#pragma once

#include "output/grid.h"

/* Columns: label | unit, unless it heads the labels or is part of its label | idle ("value" where no answer
 * is of an idle sibling) | busy | published | ns (of cycles whose clock is known) | remark, with the source
 * of what is published if `sources`. Empty columns are left out. Without sources, a remark that three rows
 * in a row have stands once, in the last of them. "~" is medium trust, "?" low; sets *marked where one is.
 * No rows: no answer has a label. Each kind of core has columns of its own, headed by its name in place of
 * "idle", and no ns; a remark, or the end of a label behind a colon, that is not the same of all names its
 * own. */
struct grid answers_rows(const struct answer *const *of, size_t count, bool sources, bool *marked);
/* A sheet_cell "memory/L1/read" is row L1, column read, of a kind of core row "L1, Gracemont"; the corner
 * is the unit of most values; "_" in a name becomes a blank. Removes the answers that the matrix shows, and
 * those of their keys in other states, from the list. No rows where fewer than two answers have such a
 * sheet_cell. */
struct grid answers_matrix(const struct answer **of, size_t *count, bool *marked);
/* Whether any answer, of a report's commands, too, is of one kind of core. */
bool answers_have_kinds(const struct record *record);
extern const char answers_note[];
/* Finds the answer with a value at a sheet_cell, in a record or its children: an idle one before an
 * unknown before a busy one. NULL: none. */
const struct answer *answers_find(const struct record *record, const char *sheet_cell);
/* Whether its sheet_cell is one of the core or of pairs of cores, which have a row on the core sheet. */
bool answers_has_row(const struct answer *answer);
/* Spells the number alone, in the unit in which people read it. */
const char *answers_number(const struct cell *cell, const char *unit);
/* Spell a value as a row shows it, "64", "6.1~", at low trust "45-53?", and what is published, "64",
 * "6.4-7.5", disputed "126, 238", and "-" where a known core has none. padded: a blank takes the place of a
 * mark, to align the digits. */
const char *answers_value(const struct answer *answer, bool padded);
const char *answers_published(const struct answer *answer);
/* The word for them in the remark: "disputed", "differs", or "" where they agree or are not there. */
const char *answers_agreement(const struct answer *answer);
/* "cycles", "GiB/s"; "" for bytes, whose values carry their own unit. */
const char *answers_unit(const char *unit);
