/* SPDX-License-Identifier: MIT */
#include "uarchprobe/cycles.h"

#include <math.h>

#include "cycles_fit.h"
#include "uarchprobe/kernel.h"

/* Operations. Under a load the round has to end before the core changes its clock. */
enum { UNTIMED = 400, DIFFERENCE = 4000, DIFFERENCE_UNDER = 3000, LEARNING = 9, READINGS_MOST = 1 << 16 };

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

/* Stores that still wait go out while the chains run and lengthen them. */
static void settle(const struct kernel *chain)
{
    clock_drain_stores();
    kernel_call(chain, NULL, NULL, UNTIMED, 0);
}

/* The long chain comes first: under a load it is the one that must not see a later clock. */
static void take_rounds(const struct chain_lengths *length, void (*load)(void *context), void *context,
                        struct chain_ticks *ticks)
{
    const struct kernel *add = chain_of(OPERATION_CHAIN_ADD), *multiply = chain_of(OPERATION_CHAIN_MUL);
    for (int i = 0; i < CHAIN_ROUNDS; i++) {
        if (load)
            load(context);
        if (load || i == 0)
            settle(add);
        ticks->longer[i] = ticks_of(add, length->longer);
        ticks->shorter[i] = ticks_of(add, length->shorter);
        ticks->multiply[i] = length->multiply ? ticks_of(multiply, length->multiply) : 0;
    }
}

static struct chain_fit take_fit(const struct clock *clock, double multiply)
{
    const struct chain_lengths length = chain_lengths_for(clock, DIFFERENCE);
    struct chain_ticks ticks;
    take_rounds(&length, NULL, NULL, &ticks);
    return chain_fit_of(clock, &length, &ticks, multiply);
}

double core_clock_ghz_under(const struct core_clock *core_clock, void (*load)(void *context), void *context)
{
    struct chain_lengths length = chain_lengths_for(core_clock->clock, DIFFERENCE_UNDER);
    struct chain_ticks ticks;
    length.multiply = 0; /* the load's clock would be over */
    take_rounds(&length, load, context, &ticks);
    return chain_fit_of(core_clock->clock, &length, &ticks, 0).ghz;
}

/* A run may last for days. */
static void halve(struct core_clock *core_clock)
{
    struct samples *ghz = &core_clock->ghz;
    for (size_t i = 0; 2 * i < ghz->count; i++)
        ghz->value[i] = ghz->value[2 * i];
    ghz->count = (ghz->count + 1) / 2;
    core_clock->halvings++;
}

void core_clock_keep(struct core_clock *core_clock, double ghz)
{
    if (isnan(ghz)) {
        core_clock->thrown_away++;
        return;
    }
    if (core_clock->ghz.count == READINGS_MOST)
        halve(core_clock);
    if (core_clock->kept++ % (UINT64_C(1) << core_clock->halvings) == 0)
        samples_add(&core_clock->ghz, ghz);
}

double core_clock_read(struct core_clock *core_clock)
{
    const double ghz = take_fit(core_clock->clock, core_clock->multiply).ghz;
    core_clock_keep(core_clock, ghz);
    return ghz;
}

double core_clock_multiply_cycles(const struct clock *clock)
{
    double cycles[LEARNING];
    for (int i = 0; i < LEARNING; i++)
        cycles[i] = take_fit(clock, 0).multiply;
    return median_of(cycles, LEARNING);
}

/* An emulator has no whole number of cycles: nothing is held against it. */
void core_clock_init(struct core_clock *core_clock, const struct clock *clock)
{
    const double cycles = core_clock_multiply_cycles(clock);
    const bool known = fabs(cycles / round(cycles) - 1) <= 0.03;
    *core_clock = (struct core_clock){.clock = clock, .multiply = known ? round(cycles) : 0};
}

bool core_clock_was_read(const struct core_clock *core_clock)
{
    return core_clock->ghz.count + core_clock->thrown_away > 0;
}

double core_clock_drift(const double *ghz, size_t count)
{
    return (quantile_of(ghz, count, 0.95) - quantile_of(ghz, count, 0.05)) / median_of(ghz, count);
}

void core_clock_record(const struct core_clock *core_clock, struct record *record)
{
    const double *ghz = core_clock->ghz.value;
    const size_t count = core_clock->ghz.count;
    const double p5 = quantile_of(ghz, count, 0.05), p95 = quantile_of(ghz, count, 0.95);
    RECORD_FACTS(record, {"clock.core_ghz.p5", "core clock, 5 % quantile", "GHz", REAL_CELL(p5)},
                 {"clock.core_ghz.median", "core clock, median", "GHz", REAL_CELL(median_of(ghz, count))},
                 {"clock.core_ghz.p95", "core clock, 95 % quantile", "GHz", REAL_CELL(p95)},
                 {"clock.core_ghz.thrown_away", "core clock, readings thrown away", NULL,
                  INTEGER_CELL(core_clock->thrown_away)});
    if (count == 0)
        record_warning(record, "clock_unread",
                       "the core clock is unknown, as each of %zu readings contradicts itself: nothing is "
                       "given in core cycles; repeat on an idle CPU",
                       core_clock->thrown_away);
    if (core_clock_drift(ghz, count) > 0.1)
        record_warning(record, "clock_drift",
                       "the core clock moved between %.2f and %.2f GHz for nine tenths of the run: compare "
                       "values per cycle, not per second",
                       p5, p95);
}

void core_clock_free(struct core_clock *core_clock)
{
    samples_free(&core_clock->ghz);
}
