/* SPDX-License-Identifier: MIT */
/* A file next to the one that it will replace. */
#pragma once

#include <sys/stat.h>

/* Opens ".NAME.uarchprobe-XXXXXX" in the folder of the target, with the mode and group of what is there (NULL: nothing), as far as the file
 * system lets it. What processes that were killed left there for the same target is removed. The path is the caller's
 * to free in any case. -1 with errno set. */
int temporary_open(const char *target, const struct stat *existing, char **path);
