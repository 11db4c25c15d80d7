/* SPDX-License-Identifier: MIT */
/* Cycles in which the store buffer was full, as the CPU itself counts them, where it can be asked. Events go
 * by raw code: their names changed from one generation to the next. */
#include <math.h>
#include <unistd.h>

#include "engine/published.h"
#include "machine/counters.h"
#include "sb_capacity.h"

static const struct column columns[] = {
    {"stores", "stores", NULL, CELL_INTEGER, ROLE_PARAMETER, 0},
    {"stall_cycles", "store buffer stalls", "cycles", CELL_REAL, ROLE_MEASURE, 1},
};
static const struct table_spec stalls_table = {
    .name = "stalls",
    .title = "cycles of an iteration with a full store buffer, counted by the CPU",
    .columns = columns,
    .column_count = sizeof columns / sizeof *columns,
    .view = {.kind = VIEW_CURVE, .x = 0, .y = 1, .value = 1, .series = -1}};

void sb_stalls(const struct sb_bench *bench, const struct store_probe *of)
{
    enum { ITERATIONS = 500, LAST = 160 }; /* many: the two system calls around them must not show */
    const struct range *stores = &bench->params->stores;
    const uint64_t event = (uint64_t)fmax(0, published_range(bench->core, "store_buffer_full_event").most);
    struct store_probe probe = *of;
    const char *reason = "no event is known for this CPU";
    const int counter = event != 0 ? counter_open(event, &reason) : -1;
    record_fact(bench->run->record,
                (struct fact){.path = "run.counters",
                              .value = TEXT_CELL(counter < 0 ? reason : "store buffer stalls")});
    if (counter < 0)
        return;
    const size_t table = record_table_add(bench->run->record, &stalls_table);
    probe.iterations = ITERATIONS;
    for (size_t n = stores->last ? stores->first : 1; n <= (stores->last ? stores->last : LAST); n++) {
        uint64_t before, after;
        struct cell stalls = NO_CELL;
        if (counter_read(counter, &before)) {
            store_probe_ticks(&probe, n);
            if (counter_read(counter, &after))
                stalls = REAL_CELL((double)(after - before) / ITERATIONS);
        }
        record_row(bench->run->record, table, (const struct cell[]){INTEGER_CELL((int64_t)n), stalls});
    }
    close(counter);
}
