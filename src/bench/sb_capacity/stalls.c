/* SPDX-License-Identifier: MIT */
/* Cycles in which the store buffer was full, as the CPU itself counts them, where it can be asked. Events go
 * by raw code: their names changed from one generation to the next. */
#include <math.h>
#include <string.h>

#include "machine/counters.h"
#include "sb_capacity.h"

struct event_row {
    const char *vendor;
    int family, model_first, model_last;
    uint64_t config; /* umask << 8 | event */
};

/* Intel: RESOURCE_STALLS.SB (.STORE on Nehalem) on the large cores up to Raptor and Redwood Cove, model by model
 * because the small cores between them count something else by that code; MEM_SCHEDULER_BLOCK.ST_BUF on Sierra
 * Forest; nothing of the kind on Granite Rapids. AMD: store queue tokens. */
static const struct event_row events[] = {
    {"GenuineIntel", 6, 0x1a, 0x1a, 0x08a2},  {"GenuineIntel", 6, 0x1e, 0x1f, 0x08a2},
    {"GenuineIntel", 6, 0x25, 0x25, 0x08a2},  {"GenuineIntel", 6, 0x2a, 0x2a, 0x08a2},
    {"GenuineIntel", 6, 0x2c, 0x2f, 0x08a2},  {"GenuineIntel", 6, 0x3a, 0x3a, 0x08a2},
    {"GenuineIntel", 6, 0x3c, 0x3f, 0x08a2},  {"GenuineIntel", 6, 0x45, 0x47, 0x08a2},
    {"GenuineIntel", 6, 0x4e, 0x4f, 0x08a2},  {"GenuineIntel", 6, 0x55, 0x56, 0x08a2},
    {"GenuineIntel", 6, 0x5e, 0x5e, 0x08a2},  {"GenuineIntel", 6, 0x66, 0x66, 0x08a2},
    {"GenuineIntel", 6, 0x6a, 0x6a, 0x08a2},  {"GenuineIntel", 6, 0x6c, 0x6c, 0x08a2},
    {"GenuineIntel", 6, 0x7d, 0x7e, 0x08a2},  {"GenuineIntel", 6, 0x8c, 0x8d, 0x08a2},
    {"GenuineIntel", 6, 0x8e, 0x8f, 0x08a2},  {"GenuineIntel", 6, 0x97, 0x97, 0x08a2},
    {"GenuineIntel", 6, 0x9a, 0x9a, 0x08a2},  {"GenuineIntel", 6, 0x9e, 0x9e, 0x08a2},
    {"GenuineIntel", 6, 0xa5, 0xa7, 0x08a2},  {"GenuineIntel", 6, 0xaa, 0xaa, 0x08a2},
    {"GenuineIntel", 6, 0xac, 0xac, 0x08a2},  {"GenuineIntel", 6, 0xb7, 0xb7, 0x08a2},
    {"GenuineIntel", 6, 0xba, 0xba, 0x08a2},  {"GenuineIntel", 6, 0xbf, 0xbf, 0x08a2},
    {"GenuineIntel", 6, 0xcf, 0xcf, 0x08a2},  {"GenuineIntel", 6, 0xaf, 0xaf, 0x0104},
    {"AuthenticAMD", 21, 0x00, 0xff, 0x00d8}, {"AuthenticAMD", 25, 0x00, 0xff, 0x04ae},
    {"AuthenticAMD", 26, 0x00, 0x2f, 0x04ae}, {"AuthenticAMD", 26, 0x40, 0x4f, 0x04ae},
    {"AuthenticAMD", 26, 0x60, 0x7f, 0x04ae},
};

uint64_t sb_stall_event(const struct cpu *cpu)
{
    for (size_t i = 0; i < sizeof events / sizeof events[0] && !cpu->model_masked; i++)
        if (strcmp(events[i].vendor, cpu->vendor) == 0 && events[i].family == cpu->family &&
            events[i].model_first <= cpu->model && cpu->model <= events[i].model_last)
            return events[i].config;
    return 0;
}

static void note(const struct sb_bench *bench, const char *text)
{
    record_fact(bench->run->record, (struct fact){.path = "run.counters", .value = TEXT_CELL(text)});
}

/* Many iterations a point: the two system calls around them must not show. */
static double stalls_of(struct counters *counters, struct store_probe *probe, size_t stores)
{
    uint64_t before[COUNTERS_MAX], after[COUNTERS_MAX];

    if (!counters_read(counters, before))
        return NAN;
    store_probe_ticks(probe, stores);
    if (!counters_read(counters, after))
        return NAN;
    return (double)(after[0] - before[0]) / probe->iterations;
}

void sb_stalls_read(const struct sb_sweeps *sweeps, double *stalls)
{
    enum { ITERATIONS = 500 };
    const struct sb_bench *bench = sweeps->bench;
    const struct counter_event event = {.name = "store buffer full",
                                        .config = sb_stall_event(bench->run->cpu)};
    struct store_probe probe = sweeps->probe;
    const char *reason = "no event is known for this CPU";
    struct counters *counters = event.config != 0 ? counters_open(&event, 1, &reason) : NULL;

    for (size_t stores = sweeps->first; stores <= sweeps->last; stores++)
        stalls[stores - sweeps->first] = NAN;
    if (counters == NULL) {
        note(bench, reason);
        return;
    }
    probe.iterations = ITERATIONS;
    for (size_t stores = sweeps->first; stores <= sweeps->last; stores++)
        stalls[stores - sweeps->first] = stalls_of(counters, &probe, stores);
    note(bench, "store buffer stalls");
    counters_close(counters);
}
