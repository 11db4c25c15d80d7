/* SPDX-License-Identifier: MIT */
/* A thread of ours that keeps an SMT sibling busy while another one measures. */
#pragma once

#include "uarchprobe/option.h"
#include "uarchprobe/run.h"
#include "uarchprobe/status.h"
#include "uarchprobe/topology.h"

struct companion;

/* NULL with *fault set when the thread cannot be made or pinned. It counts until companion_free. */
struct companion *companion_new(int cpu, struct fault *fault);
void companion_free(struct companion *companion);
/* Two allowed CPUs that share a core, or the first one of the run and the one that the user names, as guests hide siblings.
 * Faults: STATUS_NO_RESOURCE (none is shown), STATUS_USAGE (its own sibling). */
enum status companion_pair(const struct run *run, struct cpu_choice choice, int cpu[2], struct fault *fault);
