/* SPDX-License-Identifier: MIT */
#ifndef CLI_REPORT_H
#define CLI_REPORT_H

#include "uarchprobe/command.h"

extern const struct command report_command;

/* Runs every measuring command but report itself, each with a child of the run's record; all of them within so many seconds, 0:
 * each has its own limit. */
enum status report_measure(struct run *run, double total_s, struct fault *fault);

#endif
