/* SPDX-License-Identifier: MIT */
/* What surrounds every command: the machine is looked at, the command is run, its record is written. */
#pragma once

#include "cli/invocation.h"

/* Returns the exit code: a status, or 128 plus the number of the signal that ended the run, for
 * which *fault stays empty. */
int session_run(const struct invocation *invocation, struct fault *fault);
