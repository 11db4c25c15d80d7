/* SPDX-License-Identifier: MIT */
/* How fast all CPUs together read memory, of which one thread does not draw all that there is. */
#pragma once

#include "uarchprobe/command.h"

extern const struct command ram_command;

#define DRAM_BY_ONE "ram.DRAM.read"
#define DRAM_BY_ALL "ram.all.read"

/* Adds the answer DRAM_BY_ALL to a record of ram; nothing where it cannot be measured. */
void dram_measure(const struct run *run, double budget_s, struct record *ram);
