/* SPDX-License-Identifier: MIT */
/* Where the text goes: standard output, or a file that is whole or absent. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "uarchprobe/status.h"

struct destination;

/* path: NULL for standard output. What exists and is no regular file (a device, a pipe) is written in place,
 * the rest through a temporary file in the same folder. NULL with *fault set: STATUS_USAGE for a folder that
 * is not there or a path that is a folder, else STATUS_FAILED. */
struct destination *destination_open(const char *path, struct fault *fault);
/* A file of a new name in $TMPDIR or /tmp, which nobody else can read, for what cannot be written where it was asked for. *path is the
 * caller's to free. NULL: none could be made. */
struct destination *destination_elsewhere(const char *extension, char **path);
/* One write(2) to a regular file unless the kernel takes less; the first error is kept for destination_close, and nothing is
 * written after it. */
void destination_write(struct destination *destination, const char *bytes, size_t length);
/* Renames the temporary file over its destination, or removes it after an error; frees. */
enum status destination_close(struct destination *destination, struct fault *fault);
/* For signal handlers. From now on a reader that takes nothing for two seconds is an error. */
void destination_hurry(void);
/* Likewise: removes the temporary files, as the process ends. */
void destination_abandon(void);
/* Removes the temporary file and frees. */
void destination_discard(struct destination *destination);
