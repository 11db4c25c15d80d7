/* SPDX-License-Identifier: MIT */
#include "cli/host.h"

void host_clock_record(const struct clock *clock, struct record *record)
{
    const struct cell tick_hz = clock->ns_per_tick > 0 ? REAL_CELL(1e9 / clock->ns_per_tick) : NO_CELL;
    const struct cell resolution = clock->resolution_ns > 0 ? REAL_CELL(clock->resolution_ns) : NO_CELL;
    const struct fact facts[] = {
        {"clock.source", "Clock", NULL, TEXT_CELL(clock->source)},
        {"clock.tick_hz", "Clock rate", "Hz", tick_hz},
        {"clock.resolution_ns", "Clock resolution", "ns", resolution},
        {"clock.overhead_ns", "Cost of reading the clock", "ns", REAL_CELL(clock->overhead_ns)},
        {"clock.invariant", NULL, NULL, BOOL_CELL(clock->invariant)},
    };

    for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++)
        record_fact(record, facts[i]);
}
