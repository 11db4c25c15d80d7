/* SPDX-License-Identifier: MIT */
/* The standard streams and signals of the process. A signal ends the measurement; the complete part is still written. */
#pragma once

#include <stdbool.h>

#include "uarchprobe/status.h"

/* From here on the first signal that would end the process is only noted; a second one, or one of a fault, ends it at once
 * and leaves no unfinished file. A signal that was ignored when the program began stays ignored. A pipe without reader and a
 * file beyond its limit are errors of writing, not signals. */
void interrupt_watch(void);
/* For struct run; context is ignored. */
bool interrupted(void *context);
/* The number of the signal that came, 0: none. */
int interrupt_signal(void);

/* Call first: no file of a result may become standard output or error where these are closed. */
void streams_open(void);
/* Call last. Returns the exit code, which is that of a write error where the output did not arrive. */
int streams_close(int code, struct fault *fault);
