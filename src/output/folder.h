/* SPDX-License-Identifier: MIT */
/* A result as a folder: a file per table, the answers, and what the columns are. */
#pragma once

#include <stdbool.h>

#include "output/format.h"

/* Whether a path names one: it ends in a slash, or there is a folder of that name. */
bool folder_is_meant(const char *path);
/* Makes the folder where there is none. A fault where the format is of one document. */
enum status folder_open(const char *path, const struct format *format, struct fault *fault);
enum status folder_write(const char *path, const struct format *format, const struct record *record,
                         struct fault *fault);
