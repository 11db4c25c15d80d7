/* SPDX-License-Identifier: MIT */
#include "uarchprobe/cycles.h"

#include <math.h>

#include "uarchprobe/kernel.h"

/* Lengths of the two chains in operations. The long one must be well above the 10 to 20 ns steps of a TSC;
 * the short one carries the same fixed cost. */
struct chain_lengths {
    uint64_t shorter, longer;
};

static const struct chain_lengths careful = {4000, 40000};
static const struct chain_lengths at_once = {400, 4400};

enum { ATTEMPTS = 3 };

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
static double ns_per_operation(const struct clock *clock, enum operation operation,
                               struct chain_lengths length)
{
    const struct kernel *chain = chain_of(operation);
    double shorter = INFINITY, longer = INFINITY;
    for (int i = 0; i < ATTEMPTS; i++) {
        longer = fmin(longer, ticks_of(chain, length.longer));
        shorter = fmin(shorter, ticks_of(chain, length.shorter));
    }
    return (longer - shorter) * clock->ns_per_tick / (double)(length.longer - length.shorter);
}

double core_clock_ghz(const struct clock *clock)
{
    return 1 / ns_per_operation(clock, OPERATION_CHAIN_ADD, careful);
}

/* One chain, at once: after 512-bit arithmetic the core stays at its lower clock for some 2 us, halts for 1.5
 * us and goes on at the higher one (seen on a Granite Rapids class core: 3.1, then 3.6 GHz). Only the fixed
 * cost, which does not depend on the clock much, is looked up afterwards. */
double core_clock_ghz_at_once(const struct clock *clock)
{
    const struct kernel *chain = chain_of(OPERATION_CHAIN_ADD);
    const double longer = ticks_of(chain, at_once.longer);
    double shorter = INFINITY;
    for (int i = 0; i < ATTEMPTS; i++)
        shorter = fmin(shorter, ticks_of(chain, at_once.shorter));
    return (double)(at_once.longer - at_once.shorter) / ((longer - shorter) * clock->ns_per_tick);
}

double core_clock_read(struct core_clock *core_clock)
{
    const double ghz = core_clock_ghz(core_clock->clock);
    samples_add(&core_clock->ghz, ghz);
    return ghz;
}

double core_clock_cross_check(const struct clock *clock)
{
    const double add = ns_per_operation(clock, OPERATION_CHAIN_ADD, careful);
    return ns_per_operation(clock, OPERATION_CHAIN_MUL, careful) / add;
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
