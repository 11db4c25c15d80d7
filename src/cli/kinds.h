/* SPDX-License-Identifier: MIT */
/* Commands that measure one core, on a machine with several kinds of cores: a run for each kind, of which
 * each is told what it would be told on a machine that has no others. */
#pragma once

#include "uarchprobe/command.h"

/* Runs run->command: where it measures one core and the machine has several kinds, on each kind that --cpus
 * all-kinds asks for, else on that of the first CPU. Answers and tables then carry the kind. */
enum status kinds_run(struct run *run, struct fault *fault);
/* How many runs that are, at least 1. */
int kinds_turns(const struct run *run, const struct command *command);
