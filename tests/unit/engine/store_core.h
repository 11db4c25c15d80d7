/* SPDX-License-Identifier: MIT */
/* A simulated core with a store buffer. Its functions replace those that run kernels, and only the script lets time pass: a
 * point follows the model of docs/method-sb-capacity.md, one chain while the stores fit and two from the first that does
 * not, on a slight slope, with noise and interruptions, and half of the entries while the SMT sibling is active. */
#pragma once

#include <stdio.h>

#include "engine/store_buffer.h"
#include "engine/throughput.h"
#include "machine/cpu_internal.h"
#include "simulated.h"

enum { OPERATION_TICKS = 12, COST_TICKS = 60, NOISE_TICKS = 4 };

/* The CPU that the core metrics to be; vendor NULL: unknown. */
struct core {
    const char *vendor, *hypervisor;
    int family, model;
    size_t entries;
    unsigned apart; /* kinds of chain that never overlap */
    double busy,
        spell_s; /* share of the time with the sibling active; mean length of an active spell, 0: 10 ms */
    double interrupted; /* share of the points */
    double slope;       /* ticks a store; 0: 0.15 */
    bool drains;        /* stores drain faster than they come, so the published experiment shows nothing */
    bool as_published;  /* the published experiment gives the curve of Zen 4 */
};

static const size_t core_sizes[] = {16, 32, 48, 56, 64, 72, 84, 104, 112, 144, 192};
static const struct core core_published[] = {
    {.vendor = "AuthenticAMD", .family = 23, .model = 0x31, .entries = 48},
    {.vendor = "GenuineIntel", .family = 6, .model = 0x55, .entries = 56},
    {.vendor = "AuthenticAMD", .family = 25, .model = 0x11, .entries = 64},
    {.vendor = "GenuineIntel", .family = 6, .model = 0xa7, .entries = 72},
    {.vendor = "GenuineIntel", .family = 6, .model = 0x8f, .entries = 112},
};
enum {
    CORE_SIZES = sizeof core_sizes / sizeof *core_sizes,
    CORE_PUBLISHED = sizeof core_published / sizeof *core_published
};

static struct sim sim;
static struct core core;
static struct cpu core_cpu;
static const struct clock core_clock_ns = {.ns_per_tick = 1, .resolution_ns = 1};

static inline void core_start(struct core of, uint64_t seed)
{
    static struct sim_script script;
    script = (struct sim_script){.active = of.busy, .spell_s = of.spell_s > 0 ? of.spell_s : 1e-2};
    core = of;
    core_cpu = (struct cpu){.family = of.vendor ? of.family : -1, .model = of.vendor ? of.model : -1};
    snprintf(core_cpu.hypervisor, sizeof core_cpu.hypervisor, "%s", of.hypervisor ? of.hypervisor : "none");
    snprintf(core_cpu.vendor, sizeof core_cpu.vendor, "%s", of.vendor ? of.vendor : "");
    cpu_name_x86(&core_cpu, 0);
    sim_start(&sim, &script, seed);
    if (of.busy >= 1)
        sim.change_s = INFINITY;
}

const struct store_chain_lengths store_chains[] = {{CHAIN_ROOTS, 16, 11},
                                                   {CHAIN_QUOTIENTS, 24, 16},
                                                   {CHAIN_PRODUCTS, 24, 16},
                                                   {CHAIN_WHOLE_PRODUCTS, 24, 16}};

const struct kernel *store_kernel_find(const struct kernel_filter *filter, unsigned bits, bool streaming)
{
    static const struct kernel kernel = {.name = "simulated", .bits = 64, .sled.units = 512};
    return bits == 64 && !streaming ? &kernel : NULL;
}

void store_probe_init(struct store_probe *probe, const struct kernel *kernel, enum store_pattern pattern)
{
    *probe = (struct store_probe){.kernel = kernel, .chain_length = 16, .iterations = 1};
}

void store_probe_free(struct store_probe *probe)
{
}

void store_probe_fit(struct store_probe *probe, const struct clock *clock)
{
}

double store_probe_chain_ticks(const struct store_probe *probe)
{
    return probe->chain_length * OPERATION_TICKS;
}

bool store_probe_overlaps(const struct store_probe *probe)
{
    return (core.apart >> probe->chain & 1) == 0;
}

/* The published experiment: a slight slope, and a small step where the buffer is full unless it drains in
 * time. Zen 4, EPYC Genoa, 2026-11-21: 60.0 and 101.9 cycles with 500 and 1000 no-operations up to 64 stores,
 * a step of 3.8, then 0.35 more for each store; and noise of 0.2. */
static inline double core_nops_ticks(unsigned nops, size_t stores, size_t there)
{
    const double behind = stores > there && !core.drains ? (double)(stores - there) : 0;
    if (core.as_published)
        return 18.1 + 0.0838 * nops + 0.2 * sim_normal(&sim) + (behind > 0 ? 3.45 + 0.35 * behind : 0);
    return nops / 10.0 + 0.1 * (double)stores + 0.2 * sim_uniform(&sim) +
           (behind > 0 ? 3.8 + 0.1 * behind : 0);
}

double store_probe_ticks(const struct store_probe *probe, size_t stores)
{
    const double chain = store_probe_chain_ticks(probe);
    const size_t there = core.entries / (sim.active ? 2 : 1);
    const bool waits = stores > there || !store_probe_overlaps(probe);
    sim_work(&sim, 0, 500, 0);
    if (probe->chain_length == 0)
        return core_nops_ticks(probe->nops, stores, there);
    return COST_TICKS + chain * (waits ? 2 : 1) + (core.slope > 0 ? core.slope : 0.15) * (double)stores +
           NOISE_TICKS * sim_uniform(&sim) +
           (sim_uniform(&sim) < core.interrupted ? 5000 * sim_uniform(&sim) : 0);
}

/* What independent instructions reach next to the sibling, by a test's own rule; NULL: no whole number. */
static struct throughput (*core_throughput)(void);

struct throughput throughput_read(const struct clock *clock, double ghz)
{
    struct throughput throughput = {NAN, NAN, 0};
    if (!isnan(ghz))
        throughput = core_throughput ? core_throughput() : (struct throughput){3.5, 2.5, 0};
    throughput.read_ns = sim_now_ns(&sim);
    return throughput;
}
