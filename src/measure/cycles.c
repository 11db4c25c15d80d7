/* SPDX-License-Identifier: MIT */
#include "uarchprobe/cycles.h"

#include <math.h>

#include "uarchprobe/kernel.h"

/* The long chain is some 10 us, well above the 10 ns steps of a TSC; the short one carries the same fixed
 * cost. */
enum { LONG_CHAIN = 40000, SHORT_CHAIN = 4000, ATTEMPTS = 3 };

static const struct kernel *chain_of(enum operation operation)
{
    const struct kernel_filter any = {.allowed = ~(feature_set)0};
    return kernel_next(&any, operation, NULL);
}

static double ticks_of(const struct kernel *chain, uint64_t length)
{
    const uint64_t begin = clock_ticks();
    kernel_call(chain, NULL, NULL, length, 0);
    return (double)(clock_ticks() - begin);
}

/* Interruptions only lengthen, so the least of a few attempts stands for the undisturbed time of each length.
 */
static double ns_per_operation(const struct clock *clock, const struct kernel *chain)
{
    double shorter = INFINITY, longer = INFINITY;
    for (int i = 0; i < ATTEMPTS; i++) {
        shorter = fmin(shorter, ticks_of(chain, SHORT_CHAIN));
        longer = fmin(longer, ticks_of(chain, LONG_CHAIN));
    }
    return (longer - shorter) * clock->ns_per_tick / (LONG_CHAIN - SHORT_CHAIN);
}

double core_clock_ghz(const struct clock *clock)
{
    return 1 / ns_per_operation(clock, chain_of(OPERATION_CHAIN_ADD));
}

double core_clock_read(struct core_clock *core_clock)
{
    const double ghz = core_clock_ghz(core_clock->clock);
    samples_add(&core_clock->ghz, ghz);
    return ghz;
}

double core_clock_cross_check(const struct clock *clock)
{
    const double add = ns_per_operation(clock, chain_of(OPERATION_CHAIN_ADD));
    return ns_per_operation(clock, chain_of(OPERATION_CHAIN_MUL)) / add;
}

static void record_ghz(struct record *record, const char *path, const char *title, double ghz)
{
    record_fact(record, (struct fact){path, title, "GHz", isnan(ghz) ? NO_CELL : REAL_CELL(ghz)});
}

void core_clock_record(const struct core_clock *core_clock, struct record *record)
{
    const struct summary ghz = summary_of(core_clock->ghz.value, core_clock->ghz.count);
    record_ghz(record, "clock.core_ghz.min", "core clock, lowest reading", ghz.min);
    record_ghz(record, "clock.core_ghz.median", "core clock, median", ghz.median);
    record_ghz(record, "clock.core_ghz.max", "core clock, highest reading", ghz.max);
    if (ghz.count && (ghz.max - ghz.min) / ghz.median > 0.1)
        record_warning(
            record, "clock_drift",
            "the core clock moved between %.2f and %.2f GHz during the run: compare values per cycle, "
            "not per second",
            ghz.min, ghz.max);
}

void core_clock_free(struct core_clock *core_clock)
{
    samples_free(&core_clock->ghz);
}
