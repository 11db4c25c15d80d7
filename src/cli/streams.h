/* SPDX-License-Identifier: MIT */
#pragma once

#include "uarchprobe/status.h"

/* The first thing that a process does: so that no file of a result becomes standard output or error where these are closed. */
void streams_open(void);
/* The last one: the exit code, which says whether what was written has arrived. */
int streams_close(int code, struct fault *fault);
