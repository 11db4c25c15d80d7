/* SPDX-License-Identifier: MIT */
/* The experiments of `cost`, a file each. */
#pragma once

#include "uarchprobe/command.h"
#include "uarchprobe/experiment.h"

extern const struct experiment atomics_experiment, contended_experiment, mispredict_experiment;
