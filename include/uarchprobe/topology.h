/* SPDX-License-Identifier: MIT */
/* Which CPUs this process may use and how they are related. CPU numbers are the kernel's: they can have holes
 * and need not begin at 0. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "uarchprobe/option.h"
#include "uarchprobe/status.h"

/* Group numbers are logical indices over the whole machine; -1: unknown. */
struct cpu_place {
    int id;     /* of the kernel */
    int core;   /* physical core */
    int l2, l3; /* cache groups */
    int node;   /* NUMA node, the operating system's number */
    int package;
    int sibling;     /* rank among the SMT siblings of its core, 0 first */
    int kind;        /* row of topology.kind; -1: unknown */
    uint64_t caches; /* bit n: topology.cache[n] serves this CPU */
};

enum { CACHE_MAX = 64, KIND_MAX = 16 };

/* Caches that are equal in all of this are one row. */
struct cache {
    int level;
    char type; /* 'd' data, 'i' instruction, 'u' unified, 'm' memory-side: in front of a NUMA node */
    uint64_t bytes;
    int line, ways; /* 0: unknown */
    int instances;  /* over the whole machine as it shows itself; 0: unknown */
    char *cpus;     /* those that they serve, as --cpus takes them; NULL: unknown */
};

/* Cores of one microarchitecture. Their core number proves it, or, where no number is known, equal first
 * and second caches: a frequency or a capacity that differs is a matter of silicon and firmware (preferred
 * cores), and another L3 (a stacked one) changes no core. */
struct core_kind {
    const char *name; /* "Golden Cove", or the type that the topology names, "IntelCore"; NULL: unknown */
    uint64_t number;  /* of the core, from core_numbers_read; 0: unknown */
    int rank;         /* 0: the least capable */
    int cores;        /* over the whole machine as it shows itself */
    char *cpus;       /* as of a cache */
};

struct topology {
    int packages, numa_nodes, l3_groups, cores, cpus; /* of the machine as it shows itself */
    int cpus_unknown;                                 /* allowed, and not among those */
    int place_count;                                  /* allowed CPUs */
    struct cpu_place *place;                          /* by ascending id */
    int cache_count;
    struct cache cache[CACHE_MAX]; /* L1 first; of a level that of the lowest CPU first */
    int kind_count;
    struct core_kind kind[KIND_MAX]; /* that of the lowest CPU first */
    uint64_t memory_bytes;
    uint64_t page_bytes;
    const char *source;             /* "this system", "file" or "synthetic"; NULL: of a dump or a test */
    struct hwloc_topology *machine; /* to place memory by; NULL: of a test */
};

/* How near two CPUs are, nearest first. */
enum relation { SAME_CPU, SAME_CORE, SAME_L2, SAME_L3, SAME_NODE, SAME_PACKAGE, SAME_MACHINE, RELATIONS };

extern const char *const relation_names[]; /* "same CPU", "SMT siblings", "same L2", ... */

/* NULL with *fault set when not even the affinity mask can be read. HWLOC_SYNTHETIC and HWLOC_XMLFILE replace
 * the machine, for tests. Freed by topology_free. */
struct topology *topology_load(struct fault *fault);
void topology_free(struct topology *topology);
/* NULL: not allowed here. */
const struct cpu_place *topology_place(const struct topology *topology, int cpu);
enum relation place_relation(const struct cpu_place *a, const struct cpu_place *b);
enum relation topology_relation(const struct topology *topology, int cpu_a, int cpu_b);
/* What the caches of a machine are depends on the CPU that asks. */
/* The data or unified cache of that level that serves the CPU; NULL: none is known. */
const struct cache *topology_cache(const struct topology *topology, int cpu, int level);
/* Its bytes, 0 where there is none. */
uint64_t topology_cache_bytes(const struct topology *topology, int cpu, int level);
/* The longest line of any cache of the CPU; 64 where none is known. */
uint64_t topology_line_bytes(const struct topology *topology, int cpu);
/* The highest level with a data or unified cache for the CPU, 0: none known. */
int topology_last_level(const struct topology *topology, int cpu);
/* Bytes of the data or unified cache of that level among those of these CPUs whose cores are of the first
 * one's kind: the least and the most. 0: one of them has none. */
struct cache_range {
    uint64_t least, most;
};
struct cache_range topology_cache_range(const struct topology *topology, const struct cpu_list *cpus,
                                        int level);
/* Among any CPUs, the last cache of one that has the most bytes; bytes 0: none is known. */
struct cache topology_largest_last(const struct topology *topology, const int *cpu, int count);
/* The kind of core that the CPU belongs to; NULL: unknown. */
const struct core_kind *topology_kind(const struct topology *topology, int cpu);
/* Writes the CPUs to be used, ascending or in the user's order: all that are allowed, or those of `wanted`.
 * Fault (STATUS_NO_RESOURCE) with the number and the reason for a CPU that does not exist, is offline or is
 * not allowed. */
enum status topology_select(const struct topology *topology, const struct cpu_list *wanted,
                            struct cpu_list *chosen, struct fault *fault);
const char *topology_library_version(void);

/* A sign for a kind of core next to the others: P for the most capable one, E for the least, M between
 * them; by capital letters from A on where nothing says which is more capable, or of more than three.
 * Empty where there is one kind. */
void topology_kind_letter(const struct topology *topology, int kind, char letter[2]);
enum { KIND_NAME_LENGTH = 64 };
/* Writes "Gracemont", or "E core" where no name is known, or another kind has the same. Returns `name`. */
const char *topology_kind_name(const struct topology *topology, int kind, char name[KIND_NAME_LENGTH]);

/* "0-3,8" or "0-254:2" of ascending CPU numbers, as --cpus takes it; "..." behind those for which there is
 * room. */
void cpu_numbers_text(const int *id, int count, char *text, size_t size);
/* The same of the allowed CPUs. */
void topology_allowed_text(const struct topology *topology, char *text, size_t size);

struct numa_node {
    int id;         /* the operating system's number */
    uint64_t bytes; /* of its memory; 0: none */
    int cpus;       /* of the machine */
};
/* The NUMA nodes by ascending number, `most` at most; returns how many. */
int topology_nodes(const struct topology *topology, struct numa_node *node, int most);
/* Binds the pages of [address, address + bytes), page-aligned and not yet touched, to a NUMA node; touches
 * the first page and checks that it came from there. */
enum status topology_bind_memory(const struct topology *topology, void *address, uint64_t bytes, int node,
                                 struct fault *fault);
