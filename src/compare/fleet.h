/* SPDX-License-Identifier: MIT */
/* `uarchprobe compare --fleet`: results of many machines held against each other. */
#pragma once

#include "choice.h"
#include "uarchprobe/command.h"

/* Reads the operands of the run, a result in memory at a time; choice: which answers. */
enum status fleet_compare(struct run *run, const struct choice *choice, struct fault *fault);
