/* SPDX-License-Identifier: MIT */
/* data/machines.tsv: what the machines of results/ measured, by code name and by guest or not. */
#pragma once

#include "base/text.h"
#include "uarchprobe/cpu.h"
#include "uarchprobe/record.h"

/* "16.5 to 20.1 ns, 2 guests of Genoa (Zen 4)"; nothing where no machine like this CPU is known by that key. */
void known_spell(struct text *text, const struct cpu *cpu, const char *key);
/* Adds the table `known`: each answer of the children of `measured` that other machines like this one have, too. */
void known_record(struct record *record, const struct record *measured, const struct cpu *cpu);
