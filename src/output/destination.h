/* SPDX-License-Identifier: MIT */
/* Where the text goes: standard output, or a file that is whole or absent. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "uarchprobe/status.h"

struct destination;

/* path: NULL for standard output. Existing devices, pipes and the like are written in place, others through a
 * temporary file in the same folder. NULL with *fault set: STATUS_USAGE for a missing folder or a path that
 * is a folder, else STATUS_FAILED. */
struct destination *destination_open(const char *path, struct fault *fault);
/* Makes a new file in $TMPDIR or /tmp that nobody else can read, for a result that cannot be written to its
 * path. The caller frees *path. NULL: no file could be made. */
struct destination *destination_elsewhere(const char *extension, char **path);
/* Writes a regular file with one write(2) unless the kernel takes less. destination_close reports the first
 * error; nothing is written after it. */
void destination_write(struct destination *destination, const char *bytes, size_t length);
/* Renames the temporary file over its destination, or removes it after an error; frees. */
enum status destination_close(struct destination *destination, struct fault *fault);
/* For signal handlers: makes a reader that takes nothing for two seconds an error. */
void destination_hurry(void);
/* For signal handlers of a process that ends: removes the temporary files. */
void destination_abandon(void);
/* Removes the temporary file and frees. */
void destination_discard(struct destination *destination);
