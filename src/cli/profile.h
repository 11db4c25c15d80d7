/* SPDX-License-Identifier: MIT */
/* The measurements of `check`: short, of every part of the machine, made by the commands that there are. */
#pragma once

#include "uarchprobe/command.h"

/* What a command is given, as a user would type it; the last one has no option. */
struct asked {
    const char *option, *text;
};

/* Runs the parts of the profile, and those other commands of which `wants` is true, each with a child of
 * the run's record, within some 15 s, and adds got.*. */
enum status profile_measure(struct run *run, bool (*wants)(const void *context, const char *command),
                            const void *context, struct fault *fault);
/* Probes the machine alone for so many seconds: the conditions of the run's record grow by what was seen. */
void profile_watch(struct run *run, double seconds);
/* Chooses CPUs between which each distance of the machine lies: the first of each L3, and of the first L3
 * the next ones. */
void profile_ends(const struct topology *topology, const struct cpu_list *allowed, struct cpu_list *ends);
/* The parts that are always measured; commands that only a baseline asks for come behind them. */
enum { PART_RAM, PART_PAIRS, PART_CORES, PART_WITNESS, PARTS, COMMANDS_MOST = 16 };
/* Seconds for each part on a machine of so many last caches: 15 together. */
void profile_plan(double *seconds, size_t others, int groups);
