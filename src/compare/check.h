/* SPDX-License-Identifier: MIT */
/* `uarchprobe check`: judges a machine by limits, an earlier result, or its fitness. */
#pragma once

#include "choice.h"
#include "judge.h"
#include "uarchprobe/command.h"

struct check {
    struct choice choice;
    const char *against; /* an earlier result; or NULL */
    const char *limits;  /* a file of limits; or NULL */
};

/* A line of the file of limits: "ram.L2.read >= 50 GiB/s", "cas.* <= 80 ns", "store_buffer.entries = 112"; keys may be shell patterns, #
 * begins a comment. */
struct limit {
    char key[96], unit[24];
    char sign; /* '>', '<' or '=': at least, at most, exactly */
    double value;
};

/* False: not a limit. An empty line or a comment has no key. */
bool limit_parse(const char *line, struct limit *limit);
/* Whether the key matches and the unit fits. */
bool limit_is_of(const struct limit *limit, const struct answer *answer);
/* Same: it holds. Worse: broken. Unknown: the value's interval reaches the limit, or its trust is low and the limit near. */
enum outcome limit_judge(const struct limit *limit, const struct answer *answer);

/* Judges the record and its children. Adds the verdict, one answer, to the run's record and sets its outcome: 0 good, 1 worse, 2 trouble, 5
 * not fit to judge (less than half of the earlier result, the limits, or the answers can be judged). */
enum status check_judge(struct run *run, const struct check *check, struct record *measured,
                        struct fault *fault);
/* Records the exit code of a check without a verdict, for those who watch its file. */
void check_fail(struct run *run, const struct fault *fault);
