/* SPDX-License-Identifier: MIT */
/* Cycles in which the store buffer was full, as the CPU itself counts them, where it can be asked. Events go
 * by raw code: their names changed from one generation to the next. */
#include <math.h>

#include "engine/published.h"
#include "machine/counters.h"
#include "sb_capacity.h"

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
    const struct counter_event event = {
        .name = "store buffer full",
        .config = (uint64_t)fmax(0, published_most(bench->core, "store_buffer_full_event"))};
    struct store_probe probe = sweeps->probe;
    const char *reason = "no event is known for this CPU";

    for (size_t stores = sweeps->first; stores <= sweeps->last; stores++)
        stalls[stores - sweeps->first] = NAN;
    if (!bench->params->counters)
        return;
    struct counters *counters = event.config != 0 ? counters_open(&event, 1, &reason) : NULL;
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
