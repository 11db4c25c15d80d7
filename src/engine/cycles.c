/* SPDX-License-Identifier: MIT */
#include "uarchprobe/cycles.h"

#include <math.h>

#include "engine/engine_internal.h"
#include "uarchprobe/kernel.h"
#include "uarchprobe/random.h"

/* In operations. Under a load a reading must end before the core changes its clock. */
enum { UNTIMED = 400, DIFFERENCE = 4000, DIFFERENCE_UNDER = 3000, LEARNING = 9, READINGS_MOST = 1 << 16 };
/* Steps of the clock that the difference lasts at least, on a core of at most that many GHz. */
static const double STEPS = 50, FASTEST_GHZ = 6;
/* Error of the ends of the difference, as a share of it. */
static const double TOLERANCE = 0.02;

struct chain_lengths chain_lengths_for(const struct clock *clock, uint64_t least)
{
    const double wanted = ceil(STEPS * clock->resolution_ns * FASTEST_GHZ);
    const uint64_t difference = wanted > (double)least ? (uint64_t)wanted : least;
    return (struct chain_lengths){
        .shorter = difference / 4, .longer = difference / 4 + difference, .multiply = difference / 4};
}

/* An interruption only lengthens. */
static double least_of(const double ticks[CHAIN_ROUNDS])
{
    double least = ticks[0];
    for (int i = 1; i < CHAIN_ROUNDS; i++)
        least = fmin(least, ticks[i]);
    return least;
}

struct chain_fit chain_fit_of(const struct clock *clock, const struct chain_lengths *length,
                              const struct chain_ticks *ticks, double multiply)
{
    const struct chain_fit contradiction = {NAN, NAN};
    const double shorter = least_of(ticks->shorter) * clock->ns_per_tick,
                 longer = least_of(ticks->longer) * clock->ns_per_tick;
    /* ns of a chain: fixed + slope * operations */
    const double slope = (longer - shorter) / (double)(length->longer - length->shorter);
    const double fixed = shorter - slope * (double)length->shorter;
    /* Both chains without their operations leave the cost of reading the clock. A short chain that was
     * interrupted each time leaves more and makes the clock too fast; a long one leaves less than nothing. */
    const double slack = TOLERANCE * slope * (double)length->longer;
    if (!(slope > 0 && fixed >= -slack && fixed <= clock->overhead_ns + slack))
        return contradiction;
    struct chain_fit fit = {1 / slope, NAN};
    if (length->multiply == 0)
        return fit;
    fit.multiply =
        (least_of(ticks->multiply) * clock->ns_per_tick - fixed) / slope / (double)length->multiply;
    /* Its chain is shorter, so that the same error is a larger share of it. */
    return multiply > 0 && fabs(fit.multiply / multiply - 1) > 2 * TOLERANCE ? contradiction : fit;
}

static double ticks_of(const struct kernel *chain, uint64_t length)
{
    const uint64_t begin = clock_ticks();
    kernel_call(chain, NULL, NULL, length, 0);
    return (double)(clock_ticks() - begin);
}

/* The long chain comes first: under a load it must not see a later clock. multiply: as in chain_fit_of. */
static struct chain_fit take_fit(const struct clock *clock, struct chain_lengths length, double multiply,
                                 void (*load)(void *context), void *context)
{
    const struct kernel_filter any = {.allowed = ~(feature_set)0};
    const struct kernel *add = kernel_next(&any, OPERATION_CHAIN_ADD, NULL);
    const struct kernel *product = kernel_next(&any, OPERATION_CHAIN_MUL, NULL);
    struct chain_ticks ticks;
    for (int i = 0; i < CHAIN_ROUNDS; i++) {
        if (load)
            load(context);
        if (load || i == 0) { /* waiting stores would drain during the chains and lengthen them */
            clock_drain_stores();
            kernel_call(add, NULL, NULL, UNTIMED, 0);
        }
        ticks.longer[i] = ticks_of(add, length.longer);
        ticks.shorter[i] = ticks_of(add, length.shorter);
        ticks.multiply[i] = length.multiply ? ticks_of(product, length.multiply) : 0;
    }
    return chain_fit_of(clock, &length, &ticks, multiply);
}

double core_clock_ghz_under(const struct core_clock *core_clock, void (*load)(void *context), void *context)
{
    struct chain_lengths length = chain_lengths_for(core_clock->clock, DIFFERENCE_UNDER);
    length.multiply = 0; /* else the load's clock would end before it */
    return take_fit(core_clock->clock, length, 0, load, context).ghz;
}

void core_clock_keep(struct core_clock *core_clock, double ghz)
{
    struct samples *kept = &core_clock->ghz;
    if (isnan(ghz)) {
        core_clock->thrown_away++;
        return;
    }
    uint64_t state = ++core_clock->kept;
    const uint64_t place = random_next(&state) % core_clock->kept;
    if (kept->count < READINGS_MOST) /* a run may last for days */
        samples_add(kept, ghz);
    else if (place < READINGS_MOST)
        kept->value[place] = ghz;
}

double core_clock_read(struct core_clock *core_clock)
{
    const struct clock *clock = core_clock->clock;
    const double ghz =
        take_fit(clock, chain_lengths_for(clock, DIFFERENCE), core_clock->multiply, NULL, NULL).ghz;
    core_clock_keep(core_clock, ghz);
    return ghz;
}

double core_clock_multiply_cycles(const struct clock *clock)
{
    double cycles[LEARNING];
    for (int i = 0; i < LEARNING; i++)
        cycles[i] = take_fit(clock, chain_lengths_for(clock, DIFFERENCE), 0, NULL, NULL).multiply;
    return median_of(cycles, LEARNING);
}

/* An emulator has no whole number of cycles, so it gets no check by multiplications. */
void core_clock_init(struct core_clock *core_clock, const struct clock *clock)
{
    const double cycles = core_clock_multiply_cycles(clock);
    const bool known = fabs(cycles / round(cycles) - 1) <= 0.03;
    *core_clock = (struct core_clock){.clock = clock, .multiply = known ? round(cycles) : 0};
}

bool core_clock_record(const struct core_clock *core_clock, struct record *record)
{
    const double *ghz = core_clock->ghz.value;
    const size_t count = core_clock->ghz.count;
    const double p5 = quantile_of(ghz, count, 0.05), p95 = quantile_of(ghz, count, 0.95);
    if (count + core_clock->thrown_away == 0)
        return false;
    RECORD_FACTS(record, {"clock.core_ghz.p5", "core clock, 5 % quantile", "GHz", REAL_CELL(p5)},
                 {"clock.core_ghz.median", "core clock, median", "GHz", REAL_CELL(median_of(ghz, count))},
                 {"clock.core_ghz.p95", "core clock, 95 % quantile", "GHz", REAL_CELL(p95)},
                 {"clock.core_ghz.thrown_away", "core clock, probes thrown away", NULL,
                  INTEGER_CELL(core_clock->thrown_away)});
    if (count == 0)
        record_warning(record, "clock_unread",
                       "the core clock is unknown, as each of %zu probes contradicts itself: nothing is "
                       "given in core cycles; repeat on an idle CPU",
                       core_clock->thrown_away);
    if (p95 - p5 > 0.1 * median_of(ghz, count))
        record_warning(record, "clock_drift",
                       "the core clock moved between %.2f and %.2f GHz for nine tenths of the run: compare "
                       "values per cycle, not per second",
                       p5, p95);
    return true;
}

void core_clock_free(struct core_clock *core_clock)
{
    samples_free(&core_clock->ghz);
}
