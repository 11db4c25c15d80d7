/* SPDX-License-Identifier: MIT */
/* What a user got: a whole core or half of one, CPUs that stay or are moved, and whether the machine is what it claims. */
#ifndef CLI_GOT_H
#define CLI_GOT_H

#include "uarchprobe/cpu.h"
#include "uarchprobe/record.h"
#include "uarchprobe/topology.h"

/* Adds got.*: answers that begin with yes, no or cannot tell, where CPUs are, and how fast memory is, from what ram,
 * sb-capacity and core-latency found: children of the record, any of which may be missing. */
void got_record(struct record *record, const struct cpu *cpu, const struct topology *topology);

#endif
