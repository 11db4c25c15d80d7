/* SPDX-License-Identifier: MIT */
#pragma once

#include "uarchprobe/command.h"

extern const struct command report_command;

/* Runs every measuring command but report itself, each with a child of the run's record; all of them within so many seconds, 0:
 * each has its own limit. */
enum status report_measure(struct run *run, double total_s, struct fault *fault);

/* Of the seconds for all parts, those for the next one. What a part leaves over, the later ones have; whatever the others took, it
 * has half of an equal share. 0: each has its own limit. */
double report_share_s(double total, double elapsed, int left, int parts);
