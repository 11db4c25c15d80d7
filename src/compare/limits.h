/* SPDX-License-Identifier: MIT */
/* Limits of answers, as a user writes them into a file. */
#pragma once

#include "base/text.h"
#include "judge.h"

/* A line of the file of limits: "ram.L2.read >= 50 GiB/s", "cas.* <= 80 ns", "store_buffer.entries = 112";
 * keys may be shell patterns, # begins a comment. "store_buffer.entries{kind=Gracemont} >= 60" is of one
 * kind of core, else it holds for each. */
struct limit {
    char key[96], kind[64], unit[24]; /* kind: empty for any */
    char sign;                        /* '>', '<' or '=': at least, at most, exactly */
    double value;
};

/* False: not a limit. An empty line or a comment has no key. */
bool limit_parse(const char *line, struct limit *limit);
/* Whether the key matches and the unit fits: that of JSON, or the one that is printed. */
bool limit_is_of(const struct limit *limit, const struct answer *answer);
/* Same: it holds. Worse: broken. Unknown: the value's interval reaches the limit, or its trust is low and
 * the limit near. */
enum outcome limit_judge(const struct limit *limit, const struct answer *answer);
/* Hands on each limit of a file. */
enum status limits_read(const char *path, void (*take)(void *context, const struct limit *limit),
                        void *context, struct fault *fault);
/* "DRAM read (busy) 14.0", as the line of a check names an answer. */
void limit_add_named(struct text *out, const struct answer *answer);
