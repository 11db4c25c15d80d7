/* SPDX-License-Identifier: MIT */
/* Memory between two inaccessible areas, a copy of what it should hold, and calls whose signals are caught.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "checked_call.h"

struct arena {
    unsigned char *data;
    unsigned char *expected; /* a shadow of the same size */
    size_t bytes;
};

/* For the whole run; ends the program when there is no memory. */
struct arena arena_new(size_t bytes);
/* Fills data and expected alike with bytes that depend on seed, or with one value. */
void arena_fill_random(struct arena *arena, uint64_t seed);
void arena_fill(struct arena *arena, unsigned char value);
/* Offset of the first byte that is not as expected, or -1. */
long arena_difference(const struct arena *arena);

/* A number that depends on *state, which moves on. */
uint64_t next_random(uint64_t *state);

struct outcome {
    int signal; /* 0: returned */
    const unsigned char *address;
};
void catch_signals(void);
struct outcome call_caught(struct checked_call *call);

/* Calls a kernel with the arguments of *call, which gets the result. Returns the fault: a signal, a lost register, a vector register
 * with a dirty upper half; NULL: none. */
const char *broken_promise(const struct kernel *kernel, struct checked_call *call);
/* The result of a kernel of six arguments, the first two of them addresses; a promise that it breaks ends the program with a line. */
uint64_t call_strictly(const struct kernel *kernel, const void *a, const void *b, uint64_t n, uint64_t m,
                       uint64_t x, uint64_t y);
