/* SPDX-License-Identifier: MIT */
/* SIGINT and SIGTERM end a measurement, not the process: what is complete is still written. */
#ifndef CLI_INTERRUPT_H
#define CLI_INTERRUPT_H

#include <stdbool.h>

/* From here on the first of these signals is only noted; a second one ends the process at once. A signal that
 * was ignored when the program began stays ignored. */
void interrupt_watch(void);
/* For struct run; context is ignored. */
bool interrupted(void *context);
/* The number of the signal that came, 0: none. */
int interrupt_signal(void);

#endif
