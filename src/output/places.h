/* SPDX-License-Identifier: MIT */
/* What CPUs share, level by level. */
#pragma once

#include "uarchprobe/record.h"

extern const char *const place_levels[]; /* "package", "node", "L3", "L2", "core" */

/* The group to which a CPU belongs; -1: unknown, as of a CPU that is not in the record. */
int place_group(const struct record *record, int64_t cpu, enum place_level level);
/* "7 (package 0, L3 1, core 3)": of each level that has several groups, save L2; of cores only those that
 * several CPUs share. Freed by the caller. */
char *place_text(const struct record *record, int64_t cpu);
