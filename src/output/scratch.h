/* SPDX-License-Identifier: MIT */
/* Memory for the document that is being written. Texts, grids, plots and pages have no owner: output_close
 * frees all of them together. One thread writes. */
#pragma once

#include "base/text.h"

/* Zeroed. */
void *scratch_new(size_t count, size_t bytes);
/* Makes room for one more element, zeroed, in an array of `count` that began as NULL; it may move. */
void *scratch_more(void *array, size_t count, size_t bytes);
/* Takes over what malloc gave. */
void *scratch_keep(void *memory);
/* Takes over the bytes of a text, which is empty then. */
char *scratch_text(struct text *text);
char *spell(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* "title [unit]", or the title alone. */
const char *spell_heading(const char *title, const char *unit);
/* In one line, without control characters. */
char *spell_line(const char *text);
void scratch_free(void);
