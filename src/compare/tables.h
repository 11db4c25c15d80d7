/* SPDX-License-Identifier: MIT */
/* The tables of `compare`: rows for people, a column for each file, pictures, the settings, and rows for
 * machines. */
#pragma once

#include "comparison.h"

/* Adds the verdicts and all tables. names: of each file, over its columns; they last as long as the
 * record. */
void tables_fill(struct record *record, const struct comparison *comparison, const char *const *names);
