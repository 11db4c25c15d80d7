/* SPDX-License-Identifier: MIT */
/* A fault of the program itself: a memory access outside of all buffers, an instruction that this CPU does
 * not have. */
#pragma once

/* From here on the thread that faults writes one line to standard error: the signal, the address it accessed,
 * and its instruction as an offset from the beginning of the program, which `addr2line -e uarchprobe OFFSET`
 * translates. Then it calls `before`, which must be safe in a signal handler, and the process ends by that
 * signal. A handler that is there already, such as the one of a sanitizer, tells more and stays. */
void crash_watch(void (*before)(void));
/* Gives the calling thread a second stack for that handler, which then also runs when the thread's own stack
 * has overflowed. Lasts as long as the thread. */
void crash_stack(void);
