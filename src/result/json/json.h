/* SPDX-License-Identifier: MIT */
#ifndef RESULT_JSON_JSON_H
#define RESULT_JSON_JSON_H

#include "base/text.h"
#include "uarchprobe/record.h"

/* The document of schema uarchprobe/2, indented or on one line. A table of more than that many rows has none. */
void json_write(const struct record *record, bool indent, size_t rows_most, struct text *out);

#endif
