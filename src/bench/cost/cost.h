/* SPDX-License-Identifier: MIT */
/* The experiments of `cost`, a file each. */
#pragma once

#include "uarchprobe/command.h"
#include "uarchprobe/experiment.h"

/* A line to work on and those behind it, of another page in each turn: what leaves the core takes another
 * time for each. Begins the context of an experiment. */
struct cost_pages {
    uint8_t page[12][4096];
    unsigned turn; /* index of the page */
};
bool cost_move(void *pages, unsigned turn, struct fault *fault);

extern const struct experiment atomics_experiment, contended_experiment, mispredict_experiment;
/* The kernel's: calls, wakes, pages. */
extern const struct experiment parent_experiment, no_call_experiment, read_clock_experiment, yield_experiment,
    wake_nobody_experiment, futex_near_experiment, futex_far_experiment, pipe_near_experiment,
    pipe_far_experiment, page_fault_experiment, huge_fault_experiment, unmap_page_experiment,
    unmap_far_experiment, protect_page_experiment;
