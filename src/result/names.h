/* SPDX-License-Identifier: MIT */
/* The names of a column of classes or flags. */
#ifndef RESULT_NAMES_H
#define RESULT_NAMES_H

#include "uarchprobe/cell.h"

/* Where the name stands, at the end if it is new; it is copied. */
int64_t names_index(struct names *names, const char *name);
void names_free(struct names *names);

#endif
