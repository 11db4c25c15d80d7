/* SPDX-License-Identifier: MIT */
/* Answers as tables: a row per key, its states side by side; and a matrix of those whose slot names a row and a column. */
#pragma once

#include "output/grid.h"

/* label | idle (value, where none holds for an idle sibling) | busy | published | ns (of cycles whose clock is known) | unit | remark, in the order of the answers that have a
 * label; a column without any text is left out, and the unit of most rows is the heading of the labels. Behind a value "~" is medium
 * trust, "?" low. sources: that of what is published is part of the remark. No rows where no answer has a label; freed by grid_free.
 * *marked becomes true where a value has a mark, so that answers_note belongs below. */
struct grid answers_rows(const struct answer *const *of, size_t count, bool sources, bool *marked);
/* Of slots "memory/L1/read": row L1, column read, its corner the unit of most; "_" of a name is shown as a blank. What the matrix shows,
 * and what the same keys come to in other states, is taken out of the list. No rows where fewer than two answers have such a slot. */
struct grid answers_matrix(const struct answer **of, size_t *count, bool *marked);
extern const char answers_note[];
/* The answer of a slot that has a value, of a report in any of its commands: idle before unknown before busy; busy: that of a busy sibling
 * alone. NULL: none. */
const struct answer *answers_find(const struct record *record, const char *slot, bool busy);
/* A part of a slot as it is shown; freed by the caller. */
char *answers_part(const char *part, size_t length);
/* "64", "6.1~", "45-53?": a value as a row has it, of low trust its interval; what others have published; both freed by the caller. */
char *answers_value(const struct answer *answer);
char *answers_published(const struct answer *answer);
/* "cycles", "GiB/s"; "" of bytes, which are spelt with theirs. */
const char *answers_unit(const char *unit);
