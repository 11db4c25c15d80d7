/* SPDX-License-Identifier: MIT */
/* A thread of ours that works on another CPU, an SMT sibling mostly, while one measures. */
#pragma once

#include "uarchprobe/option.h"
#include "uarchprobe/run.h"
#include "uarchprobe/status.h"
#include "uarchprobe/topology.h"

struct companion;

/* Starts counting at once, until companion_free. NULL with *fault set: the thread cannot be made or pinned. */
struct companion *companion_new(int cpu, struct fault *fault);
/* The same with short work in place of counting, again and again. */
struct companion *companion_with(int cpu, void (*work)(void *context), void *context, struct fault *fault);
void companion_free(struct companion *companion);
/* Finds two allowed CPUs that share a core, or the run's first CPU and the one that the user names, as guests hide
 * siblings. Faults: STATUS_NO_RESOURCE (none is shown), STATUS_USAGE (the CPU itself was named). */
enum status companion_pair(const struct run *run, struct cpu_choice choice, int cpu[2], struct fault *fault);
