/* SPDX-License-Identifier: MIT */
/* A pinned thread is where it was put: what nothing but the hardware can say. */
#pragma once

#include "uarchprobe/pin.h"

/* Whether members of a new team on two different CPUs run at the same time: the first two such CPUs, once in a row. Takes 0.1 ms, or some
 * time slices next to busy processes. Fault: STATUS_NO_RESOURCE. */
enum status team_prove(struct team *team, const int *cpu, int count, struct fault *fault);
