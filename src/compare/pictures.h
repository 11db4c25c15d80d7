/* SPDX-License-Identifier: MIT */
/* The maps and curves of several results on one scale. */
#pragma once

#include "comparison.h"

/* Adds a table for each map and curve that the first file and another one have. names: of the files. */
void pictures_add(struct record *record, const struct comparison *comparison, const char *const *names);
