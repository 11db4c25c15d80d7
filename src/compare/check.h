/* SPDX-License-Identifier: MIT */
/* `uarchprobe check`: whether a machine is what it should be. */
#pragma once

#include "choice.h"
#include "uarchprobe/command.h"

struct check {
    struct choice choice;
    const char *against; /* an earlier result; or NULL */
    const char *limits;  /* a file of limits; or NULL */
};

/* Judges what was measured, the record itself or its children. Adds the verdict, one answer, to the run's record and sets its
 * outcome: 0 good, 1 worse, 2 trouble, 5 not fit to judge: less than half of what the earlier result knew, of
 * the limits, or of the answers can be judged. */
enum status check_judge(struct run *run, const struct check *check, struct record *measured,
                        struct fault *fault);
/* The exit code of a check that came to no verdict: who watches the file of an earlier one sees that. */
void check_fail(struct run *run, const struct fault *fault);
