/* SPDX-License-Identifier: MIT */
/* Writes facts about the host into a record: machine/ finds them out and knows no records. */
#ifndef CLI_HOST_H
#define CLI_HOST_H

#include "uarchprobe/clock.h"
#include "uarchprobe/cpu.h"
#include "uarchprobe/record.h"
#include "uarchprobe/topology.h"

/* Adds host.arch, host.kernel, host.hypervisor, host.cpu.*, host.features.* and RECORD_EMULATED. */
void host_cpu_record(const struct cpu *cpu, struct record *record);
/* Adds libcpuid's dump as host.cpuid_raw: what stands before and behind the "=" of each line. */
enum status host_cpu_dump_record(struct record *record, struct fault *fault);
/* Adds host.topology.*, host.caches.* and the settings of the system; null: unknown or none. */
void host_topology_record(const struct topology *topology, struct record *record);
/* Adds clock.*, except for what core_clock_record adds. */
void host_clock_record(const struct clock *clock, struct record *record);

#endif
