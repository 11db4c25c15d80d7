/* SPDX-License-Identifier: MIT */
#pragma once

#include "base/text.h"
#include "uarchprobe/record.h"

/* The document of schema uarchprobe/3, indented or on one line. rows_most: of a table in a page, where columns may be runs and a larger
 * table has no rows; SIZE_MAX: in no page. */
void json_write(const struct record *record, bool indent, size_t rows_most, struct text *out);
