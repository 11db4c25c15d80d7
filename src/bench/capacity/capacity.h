/* SPDX-License-Identifier: MIT */
/* The experiments of `capacity`, a file each. */
#pragma once

#include "uarchprobe/command.h"
#include "uarchprobe/experiment.h"

extern const struct experiment store_buffer_experiment; /* of sb-capacity */
extern const struct experiment windows_experiment, return_stack_experiment, branches_experiment;
extern const struct experiment first_tlb_experiment, second_tlb_experiment;
extern const struct experiment misses_experiment, cache_misses_experiment;
