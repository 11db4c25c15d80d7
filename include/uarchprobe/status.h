/* SPDX-License-Identifier: MIT */
/* How every part of the program says that it failed: a status, which is also the exit code of the process,
 * and one sentence that names the value, the reason and the way out. Nothing below main prints or exits. */
#pragma once

enum status {
    STATUS_OK = 0,
    STATUS_FAILED = 1,      /* failed while running, a write error included */
    STATUS_USAGE = 2,       /* the command line cannot be taken */
    STATUS_NO_RESOURCE = 3, /* too few CPUs, too little memory */
    STATUS_UNSUPPORTED = 4, /* not possible on this CPU or kernel */
    STATUS_UNTRUSTED = 5,   /* measured, but not to be trusted; with --strict only */
    STATUS_SIGNAL = 128     /* plus the number of the signal */
};

enum { FAULT_TEXT = 512 };

/* Zero-initialised by its owner; the first fault set is kept, later ones are consequences of it. */
struct fault {
    enum status status;
    char text[FAULT_TEXT]; /* one line, no newline, no program name */
};

/* Sets *fault unless it is set already; returns status, for `return fault_set(...)`. */
enum status fault_set(struct fault *fault, enum status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
