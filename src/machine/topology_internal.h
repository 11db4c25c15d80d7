/* SPDX-License-Identifier: MIT */
#ifndef MACHINE_TOPOLOGY_INTERNAL_H
#define MACHINE_TOPOLOGY_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>

#include "uarchprobe/topology.h"

/* The CPUs of the calling thread's affinity mask, ascending; the mask grows until the kernel's fits. Returns
 * their number, -1 with errno set on failure; *cpus is freed by the caller. */
int affinity_read(int **cpus);
/* "0-3,8" of the allowed CPUs, cut at size. */
void topology_allowed_text(const struct topology *topology, char *text, size_t size);

#endif
