/* SPDX-License-Identifier: MIT */
/* Tables that are drawn of two results on one scale: their answers in pairs, and each map of both. They say nothing that other tables do
 * not say. */
#pragma once

#include "comparison.h"

/* Adds the tables, filled but for that of pairs, whose index it returns. names: of the two. */
size_t pictures_begin(struct record *record, const char *const *names, const struct results *first,
                      const struct results *second);
void pictures_add_pairs(struct record *record, size_t table, const char *const *names,
                        const struct comparison *comparison);
