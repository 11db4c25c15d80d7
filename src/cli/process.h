/* SPDX-License-Identifier: MIT */
/* The standard streams and signals of the process. A signal ends the measurement; the complete part is
 * still written. */
#pragma once

#include <stdbool.h>

#include "uarchprobe/interrupt.h"
#include "uarchprobe/status.h"

/* From here on the first signal that would end the process is only noted; a second one, or one of a fault,
 * ends it at once and leaves no unfinished file; crash.h says what is printed of a fault. A signal that was
 * ignored when the program began stays ignored. A pipe without reader and a file beyond its limit are errors
 * of writing, not signals. */
void interrupt_watch(void);
/* For struct run; context is ignored. */
bool interrupted(void *context);

/* How a program ended that was run. */
struct ended {
    int code; /* its exit code as a shell has it: 126 and 127: it could not be started, 128 and more: a signal */
    double seconds;
    double cpu_share; /* of the CPU time that it could use, it had; program_cpu_share */
};
/* Runs a program with the streams of this one, on these CPUs, and waits. Signals that are sent to this
 * process alone are sent on, those of a terminal reach both. Fault: it could not be started, and why. */
struct ended process_run(char *const *words, const int *cpu, int cpus, struct fault *fault);

/* Call first: no file of a result may become standard output or error where these are closed. */
void streams_open(void);
/* Call last. Returns the exit code, which is that of a write error where the output did not arrive. */
int streams_close(int code, struct fault *fault);
