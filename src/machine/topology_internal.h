/* SPDX-License-Identifier: MIT */
/* How the rows of caches and of kinds of cores come about, those of this machine and those of a dump
 * alike. */
#pragma once

#include <stdint.h>

#include "uarchprobe/topology.h"

/* What is known of the core of a CPU, besides its caches. */
struct core_evidence {
    uint64_t number;  /* from core_numbers_read; 0: unknown */
    const char *name; /* NULL: by core_number_name */
    const char *type; /* by name, as hwloc has it; NULL: unknown */
    int rank;         /* the higher the more capable; -1: unknown */
};

/* Writes the number of each CPU's core, by which cores of one kind are equal and others are not: EAX of
 * CPUID leaf 0x1a (Intel), type and model of leaf 0x80000026 (AMD), MIDR_EL1 without variant and revision
 * (aarch64). 0: the CPU does not say, as all but hybrids do on x86_64. CPUID answers for the CPU that
 * asks, so the calling thread visits each of them, and then has its affinity back. */
void core_numbers_read(const int *cpu, int count, uint64_t *number);
/* The name of a core by its number; NULL: not in the table. */
const char *core_number_name(uint64_t number);

/* The row of caches like this one, which is made where there is none yet. -1: no room, or the size is
 * unknown. */
int topology_cache_row(struct topology *topology, struct cache cache);
/* Fills topology->kind and the kind of each place. */
void topology_find_kinds(struct topology *topology, struct cpu_place *place,
                         const struct core_evidence *evidence, int count);
/* Writes the CPUs of each cache and of each kind. */
void topology_spell_cpus(struct topology *topology, const struct cpu_place *place, int count);
