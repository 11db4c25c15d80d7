/* SPDX-License-Identifier: MIT */
/* Where the text goes: standard output, or a file that is whole or absent. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "uarchprobe/status.h"

struct destination;

/* path: NULL for standard output. Existing devices, pipes and the like are opened, to be written in place;
 * others are replaced by a file that is made in the same folder when all of it is known. NULL with *fault
 * set: STATUS_USAGE for a missing folder or a path that is a folder, else STATUS_FAILED. */
struct destination *destination_open(const char *path, struct fault *fault);
/* Makes a new file in $TMPDIR or /tmp that nobody else can read, for a result that cannot be written to its
 * path. The caller frees *path. NULL: no file could be made. */
struct destination *destination_elsewhere(const char *extension, char **path);
/* Writes all and frees; an existing file is replaced by the whole text, or stays as it was. */
enum status destination_write(struct destination *destination, const char *bytes, size_t length,
                              struct fault *fault);
/* Frees without writing. */
void destination_discard(struct destination *destination);
/* For signal handlers: makes a reader that takes nothing for two seconds an error. */
void destination_hurry(void);
/* For signal handlers of a process that ends: removes the file that is being written. */
void destination_abandon(void);
