/* SPDX-License-Identifier: MIT */
/* A thread of ours that works on another CPU, an SMT sibling mostly, while one measures. */
#pragma once

#include <stdbool.h>

#include "uarchprobe/status.h"

struct companion;

/* Short work, done again and again. Work that waits for something has an `end`: from then on no wait may
 * begin, and one under way returns. It is called once or more, when the companion has been told already, so
 * that work that returns is not done again. */
struct companion_work {
    void (*once)(void *context);
    void *context;
    void (*end)(void *context);
    bool is_counted; /* companion_turns says how often it was done */
};

/* Starts counting at once, until companion_free. NULL with *fault set: the thread cannot be made or
 * pinned. */
struct companion *companion_new(int cpu, struct fault *fault);
/* The same with other work. */
struct companion *companion_with(int cpu, struct companion_work work, struct fault *fault);
/* How often the work was done, from its begin to its end, so far. */
unsigned long companion_turns(const struct companion *companion);
/* Tells it to end, and waits for nothing: several are told before the first is waited for. NULL: nothing is
 * done. */
void companion_dismiss(struct companion *companion);
/* Tells it to end, if nobody did, and waits for that. It touches its context no more. */
void companion_free(struct companion *companion);
