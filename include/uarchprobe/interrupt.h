/* SPDX-License-Identifier: MIT */
/* The signal that ends the run. Whatever waits or works for long asks for it, in any thread. */
#pragma once

#include <stdbool.h>

/* For a signal handler. The first signal counts. */
void interrupt_note(int number);
/* Before a run. */
void interrupt_forget(void);
/* The number of the signal that came; 0: none. */
int interrupt_signal(void);
/* Seconds since it came; negative: none did. */
double interrupt_since_s(void);
static inline bool interrupt_came(void)
{
    return interrupt_signal() != 0;
}
