/* SPDX-License-Identifier: MIT */
/* A baseline: a result that later runs are held against. */
#pragma once

#include "base/text.h"
#include "uarchprobe/record.h"

/* Adds to the result in a file, which may be there already, the commands of another result of the same
 * machine and settings that are complete and that it lacks; it keeps those that it has. Takes these commands
 * out of the result. *sentence: what was added, and what was not complete. Fault: the result is emulated or
 * of another machine, or nothing of it is complete and there is no file. */
enum status baseline_keep(const char *path, struct record *result, struct text *sentence,
                          struct fault *fault);
