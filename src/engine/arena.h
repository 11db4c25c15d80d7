/* SPDX-License-Identifier: MIT */
/* The memory of the experiments of a run, one mapping at a time. */
#pragma once

#include "uarchprobe/experiment.h"

/* What the functions of an experiment are given: a context of its own, to be freed, else `own` of the
 * experiment, else `given`. */
void *context_new(const struct experiment *experiment, void *given);
void context_free(const struct experiment *experiment, void *context);

struct arena {
    const struct memory_row *row; /* of the present buffers; NULL: there are none */
    struct memory *memory;        /* of each, as many bytes as were brought in */
    int count;
    bool is_laid_out;
};

/* Returns the bytes that an experiment would have in this run, if they are filled in time; 0: none. */
uint64_t arena_wanted(const struct experiment *experiment, const struct run *run);
/* Makes the memory of an experiment, unless the one at hand has its row. Faults: STATUS_NO_RESOURCE, with
 * *remark in a few words where there is no room; STATUS_FAILED, a signal came meanwhile. */
enum status arena_open(struct arena *arena, const struct experiment *experiment, struct run *run,
                       const char **remark, struct fault *fault);
/* Lays out what the experiment needs in a new mapping. Fault: STATUS_FAILED, a signal came meanwhile. */
enum status arena_lay_out(struct arena *arena, const struct run *run, void *own, struct fault *fault);
/* Returns the first of the buffers at hand; NULL: there are none. */
const struct memory *arena_memory(const struct arena *arena);
void arena_close(struct arena *arena);
