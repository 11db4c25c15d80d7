/* SPDX-License-Identifier: MIT */
/* Files that people wrote, on any system: limits, results, dumps. */
#pragma once

#include <stdio.h>

#include "uarchprobe/status.h"

/* Opens a file for reading, behind the byte order mark of UTF-8 where it has one; lines may end with CR
 * LF, which its reader skips. NULL: *fault says why, which includes that the text is UTF-16. An error of
 * reading is left for the first read. */
FILE *text_file_open(const char *path, struct fault *fault);
