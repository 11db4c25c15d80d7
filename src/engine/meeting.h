/* SPDX-License-Identifier: MIT */
/* A pinned thread is where it was put: what nothing but the hardware can say. */
#pragma once

#include "uarchprobe/pin.h"

/* Shows that members of a new team on two different CPUs run at the same time; the first two such CPUs stand
 * for all. The same pair is proved once in a row. Takes about a millisecond, and some time slices while busy
 * processes run. Fault: STATUS_NO_RESOURCE. */
enum status team_prove(struct team *team, const int *cpu, int count, struct fault *fault);
