/* SPDX-License-Identifier: MIT */
/* What this executable was built from. */
#ifndef CLI_VERSION_H
#define CLI_VERSION_H

#include <stdio.h>

#include "uarchprobe/record.h"

void version_print(FILE *stream);
/* Adds tool.*. */
void version_record(struct record *record);

#endif
