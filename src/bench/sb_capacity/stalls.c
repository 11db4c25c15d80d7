/* SPDX-License-Identifier: MIT */
/* Cycles in which the store buffer was full, as the CPU itself counts them, where it can be asked. Events go
 * by raw code: their names changed from one generation to the next. */
#include <math.h>
#include <unistd.h>

#include "engine/published.h"
#include "machine/counters.h"
#include "sb_capacity.h"

static void note(const struct sb_bench *bench, const char *text)
{
    record_fact(bench->run->record, (struct fact){.path = "run.counters", .value = TEXT_CELL(text)});
}

/* Many iterations a point: the two system calls around them must not show. */
static double stalls_of(int counter, struct store_probe *probe, size_t stores)
{
    uint64_t before, after;

    if (!counter_read(counter, &before))
        return NAN;
    store_probe_ticks(probe, stores);
    if (!counter_read(counter, &after))
        return NAN;
    return (double)(after - before) / probe->iterations;
}

void sb_stalls_read(const struct sb_sweeps *sweeps, double *stalls)
{
    enum { ITERATIONS = 500 };
    const struct sb_bench *bench = sweeps->bench;
    const uint64_t event = (uint64_t)fmax(0, published_range(bench->core, "store_buffer_full_event").most);
    struct store_probe probe = sweeps->probe;
    const char *reason = "no event is known for this CPU";

    for (size_t stores = sweeps->first; stores <= sweeps->last; stores++)
        stalls[stores - sweeps->first] = NAN;
    if (!bench->params->counters)
        return;
    const int counter = event != 0 ? counter_open(event, &reason) : -1;
    if (counter < 0) {
        note(bench, reason);
        return;
    }
    probe.iterations = ITERATIONS;
    for (size_t stores = sweeps->first; stores <= sweeps->last; stores++)
        stalls[stores - sweeps->first] = stalls_of(counter, &probe, stores);
    note(bench, "store buffer stalls");
    close(counter);
}
