/* SPDX-License-Identifier: MIT */
#pragma once

#include "base/text.h"
#include "uarchprobe/record.h"

/* The document of schema uarchprobe/4, indented or on one line. A table of more rows than
 * rows_most has none. */
void json_write(const struct record *record, bool indent, size_t rows_most, struct text *out);
