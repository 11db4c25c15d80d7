/* SPDX-License-Identifier: MIT */
/* What of a document is worth parsing where only answers are read: most of it is tables. */
#ifndef RESULT_JSON_LEAN_H
#define RESULT_JSON_LEAN_H

#include "base/text.h"

/* Adds the document, behind which there is a NUL somewhere, to `out` without its tables, sentences and the like. It is not
 * parsed: what is no JSON remains none. */
void json_lean(const char *text, size_t length, struct text *out);

#endif
