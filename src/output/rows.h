/* SPDX-License-Identifier: MIT */
/* The table of answers: each that has a label is a row, its states side by side. */
#pragma once

#include "output/view.h"

/* label | idle (value, where none holds for an idle sibling) | busy | unit | published | remark, in the order of answers; a column without any text is left out. Behind a
 * value "~" is medium trust, "?" low. source: that of what is published stands in the remark. skipped: per answer, or NULL. Zeroed where no
 * answer has a label; freed by grid_free. *marked becomes true where a value has a mark, so that rows_trust_note belongs below. */
struct grid rows_of(const struct record *record, const bool *skipped, bool source, bool *marked);
extern const char rows_trust_note[];
/* "", "~", "?". */
const char *rows_trust(enum trust trust);
