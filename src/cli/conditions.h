/* SPDX-License-Identifier: MIT */
/* Under what conditions a run was measured: run.conditions, once for all commands of a report. */
#ifndef UARCHPROBE_CLI_CONDITIONS_H
#define UARCHPROBE_CLI_CONDITIONS_H

#include "uarchprobe/cpu.h"
#include "uarchprobe/pin.h"
#include "uarchprobe/record.h"
#include "uarchprobe/stats.h"

/* Adds run.conditions.*, of the record's own facts and of what it does not hold: readings of the core clock, and the
 * share of one CPU that was stolen. What is unknown (NaN, no readings) is null. */
void conditions_record(struct record *record, const struct cpu *cpu, const struct samples *ghz,
                       double steal_share);
/* Adds the warnings that a whole run deserves: steal, throttling, preemption, stops. */
void conditions_warn(struct record *record, const struct disturbance *during, double seconds,
                     double stopped_s);
/* Of one CPU, that the hypervisor took. */
double steal_share(const struct disturbance *during, double seconds);

#endif
