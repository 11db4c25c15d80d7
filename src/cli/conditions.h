/* SPDX-License-Identifier: MIT */
/* Under what conditions a run was measured: run.conditions, once for all commands of a report. */
#ifndef UARCHPROBE_CLI_CONDITIONS_H
#define UARCHPROBE_CLI_CONDITIONS_H

#include "uarchprobe/cpu.h"
#include "uarchprobe/record.h"
#include "uarchprobe/stats.h"

/* What is known of a run besides what its record holds; NaN: unknown. */
struct conditions {
    const struct cpu *cpu;
    const struct samples *ghz; /* readings of the core clock */
    double steal_share;        /* of one CPU */
};

/* Adds run.conditions.*; what is unknown is null. RECORD_EMULATED is there before anything is measured. */
void conditions_record(const struct conditions *conditions, struct record *record);

#endif
