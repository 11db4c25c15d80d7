/* SPDX-License-Identifier: MIT */
/* Facts of a record around the answers of its command: the build, the machine (machine/ knows no records),
 * the conditions of the run, and the answers got.*. */
#pragma once

#include <stdio.h>

#include "uarchprobe/clock.h"
#include "uarchprobe/cpu.h"
#include "uarchprobe/pin.h"
#include "uarchprobe/record.h"
#include "uarchprobe/stats.h"
#include "uarchprobe/topology.h"

void version_print(FILE *stream);
/* Adds tool.*. */
void version_record(struct record *record);

/* Adds host.arch, host.hypervisor, host.cpu.*, host.features.* and RECORD_EMULATED. */
void host_cpu_record(const struct cpu *cpu, struct record *record);
/* Adds host.caches.* alone. */
void host_caches_record(const struct topology *topology, struct record *record);
/* Adds host.kinds.*, a line for each kind of core. */
void host_kinds_record(const struct topology *topology, struct record *record);
/* Adds host.topology.*, host.caches.*, the kernel and the settings of the system; null: unknown or none. */
void host_topology_record(const struct topology *topology, struct record *record);
/* Adds clock.*, except for what core_clock_record adds. */
void host_clock_record(const struct cpu *cpu, const struct clock *clock, struct record *record);

/* Of a record and its children together: shares weigh as much as the times of the commands that know them,
 * CPUs moved as often as all saw. The one answer that a page has of its run. */
struct conditions conditions_of(const struct record *record);
/* Of a command that ended: run.sibling_active and run.sibling_samples, null where nobody could see. */
void conditions_record_own(struct record *record, const struct disturbance *during, double seconds,
                           double waited_s);
/* Adds run.conditions.*, from the record, from readings of the core clock, and from the share of one CPU
 * that was stolen. NaN and no readings become null. */
void conditions_record(struct record *record, const struct cpu *cpu, const struct samples *ghz,
                       double steal_share);
/* Adds the warnings that a whole run deserves: steal, throttling, preemption, stops. */
void conditions_warn(struct record *record, const struct disturbance *during, double seconds, double waited_s,
                     double stopped_s);
/* The share of a CPU that a run had which waited so long; NaN: unknown. */
double cpu_share(double seconds, double waited_s);
/* The share of one CPU that the hypervisor took; NaN: nobody counts it. */
double steal_share(const struct disturbance *during, double seconds);

/* Adds the facts got.size, got.cores and got.kind_* or got.caches, got.where. */
void shown_record(const struct topology *topology, struct record *record);
/* Adds the answers got.*, yes, no or unknown, to what the machine gave, by the conditions that `seen` and
 * its children had and by readings of the core clock; as facts got.reasons.*, all that speaks against
 * measuring on it, the gravest first, its caches and where its CPUs are. */
void fitness_record(struct record *record, const struct record *seen, const struct cpu *cpu,
                    const struct topology *topology, const struct samples *ghz);
