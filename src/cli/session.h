/* SPDX-License-Identifier: MIT */
/* One command on one record: all of a session, or one of several that a command runs. */
#pragma once

#include "cli/commands.h"

/* Adds what is known of a command before it runs, run.complete false included. */
void run_announce(const struct command *command, struct record *record);
/* Runs run->command on run->record with a core clock of its own, and adds when it ran, for how long, how
 * it ended and what the core clock did. run->core_clock: that of the command that runs it, which gets its
 * readings; NULL: there is none, and the conditions of the run are added. A record that was replayed is left
 * as it is. */
enum status run_command(struct run *run, struct fault *fault);
/* The parameters of a command of which nothing was typed, then changed by `change` unless that is NULL:
 * for run_other. */
void *run_params(const struct command *command, void (*change)(void *params));
/* Whether another command can measure here. False: its record gets a row with the reason, and is complete. */
bool run_can_measure(const struct run *run, const struct command *command, struct record *record);
/* Runs another command on a record of its own with these parameters, which it frees, the common options of
 * `run` and this budget (0: its own). Its record says whether it is complete, and how far it can be
 * trusted. */
enum status run_other(const struct run *run, const struct command *command, void *params, double budget_s,
                      struct record *record, struct fault *fault);
/* Runs the command of the invocation, with what the machine is and where results go. Returns the exit
 * code; *fault is set where something failed. */
int session_run(const struct invocation *invocation, struct fault *fault);
