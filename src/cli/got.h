/* SPDX-License-Identifier: MIT */
/* What a user got: a whole core or half of one, CPUs that stay or are moved, and whether the machine is what it claims. */
#ifndef CLI_GOT_H
#define CLI_GOT_H

#include "uarchprobe/cpu.h"
#include "uarchprobe/record.h"
#include "uarchprobe/topology.h"

/* Adds got.*, each an answer that begins with yes, no or cannot tell, from what sb-capacity and core-latency found: two
 * of the record's children, either of which may be missing. */
void got_record(struct record *record, const struct cpu *cpu, const struct topology *topology);

#endif
