/* SPDX-License-Identifier: MIT */
/* The maps and curves of two results on one scale. */
#pragma once

#include "comparison.h"

/* Adds a table for each map and curve that both have. names: of both results. */
void pictures_add(struct record *record, const char *const *names, const struct results *first,
                  const struct results *second);
