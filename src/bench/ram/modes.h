/* SPDX-License-Identifier: MIT */
/* What `ram` measures in place of its table of kernels. */
#pragma once

#include "params.h"
#include "uarchprobe/run.h"

enum status ram_share(struct run *run, struct fault *fault);
enum status ram_crossover(struct run *run, struct fault *fault);
