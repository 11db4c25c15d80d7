/* SPDX-License-Identifier: MIT */
#pragma once

#include "uarchprobe/command.h"

extern const struct command report_command;

/* Runs every measuring command but report itself, each with a child of the run's record; all of them
 * within so many seconds, 0: each has its own limit. */
enum status report_measure(struct run *run, double total_s, struct fault *fault);

/* Seconds for the next part, of those for all. Later parts get the time that earlier ones left, and half
 * of an equal share at least. 0: each has its own limit. */
double report_share_s(double total, double elapsed, int left, int parts);

/* What one command proved of the core counts for the answers of all. */
void report_prove(struct record *report);
