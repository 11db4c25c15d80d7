/* SPDX-License-Identifier: MIT */
/* `uarchprobe check`: judges a machine by limits, an earlier result, or its fitness. */
#pragma once

#include "choice.h"
#include "limits.h"
#include "uarchprobe/command.h"

struct check {
    struct choice choice;
    const char *against; /* an earlier result; or NULL */
    const char *limits;  /* a file of limits; or NULL */
};

/* Whether something is worse, so that a second measurement is worth its time. */
bool check_doubts(const struct run *run, const struct check *check, const struct record *measured,
                  struct fault *fault);
/* Judges the record and its children; worse is what is worse in `again`, too, unless that is NULL. Adds
 * the verdict, got.*, the values and which of them are worse to the run's record, and sets its outcome: 0
 * good, 1 worse, 2 trouble, 5 not fit (to measure on, or to judge: less than half is known). */
enum status check_judge(struct run *run, const struct check *check, struct record *measured,
                        const struct record *again, struct fault *fault);
/* Adds the one line that people read, the word for machines, and the exit code. */
void check_say(struct run *run, const char *word, const char *line, enum status outcome);
/* Records the exit code of a check without a verdict, for those who watch its file. */
void check_fail(struct run *run, const struct fault *fault);
