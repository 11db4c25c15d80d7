/* SPDX-License-Identifier: MIT */
/* Results without all that nobody compares: the answers, which machine it is, and how it was meanwhile. */
#pragma once

#include "base/text.h"
#include "uarchprobe/record.h"

/* Adds that of a result and its children. */
void record_slim(struct record *to, const struct record *from);
/* Adds to the result in a file, which may be there already, the commands of another result of the same
 * machine and settings that are complete and that it lacks; it keeps those that it has. Takes these commands
 * out of the result. *sentence: what was added, and what was not complete. Fault: the result is emulated or
 * of another machine, or nothing of it is complete and there is no file. */
enum status baseline_keep(const char *path, struct record *result, struct text *sentence,
                          struct fault *fault);
