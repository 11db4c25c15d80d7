/* SPDX-License-Identifier: MIT */
/* Limits that answers are held against: a line each, "ram.L2.read >= 50 GiB/s", "cas.* <= 80 ns",
 * "store_buffer.entries = 112"; keys may be shell patterns, # begins a comment. Pure but for the file. */
#pragma once

#include "uarchprobe/record.h"

struct limit {
    char key[96], unit[24];
    char sign; /* '>', '<' or '=': at least, at most, exactly */
    double value;
};

/* False: not a limit. An empty line or a comment has no key. */
bool limit_parse(const char *line, struct limit *limit);
/* Whether the key matches and the unit fits. */
bool limit_is_of(const struct limit *limit, const struct answer *answer);
/* Held, broken, or unknown: broken within the interval of the value, or a value of low trust is near. */
enum limit_outcome { LIMIT_HELD, LIMIT_BROKEN, LIMIT_UNKNOWN };
enum limit_outcome limit_judge(const struct limit *limit, const struct answer *answer);
