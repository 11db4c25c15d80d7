/* SPDX-License-Identifier: MIT */
#include "uarchprobe/clock.h"

#include <math.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <time.h>

#include "machine/clock_internal.h"
#include "machine/os.h"
#include "uarchprobe/cpu.h"

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

enum { WINDOWS = 4, WINDOW_NS = 5000000, BRACKETS = 16, READINGS = 1001, BATCH = 100, APART = 32 };
/* Far above the error of a bracketed reading (some 50 ns of 5 ms), far below any change of frequency. */
static const double rate_tolerance = 1e-3;

/* So many ticks of the counter are one tick here: for a build that tests coarse clocks, such as those of
 * most Arm cores (100 MHz and less, many 24 MHz). */
#ifndef CLOCK_DIVISOR
#define CLOCK_DIVISOR 1
#endif

/* Set once, by clock_calibrate: clock_ticks has no argument to carry it. */
static atomic_bool counter_unfit;

#if defined(__x86_64__)
static const char counter_name[] = "tsc";

static uint64_t counter(void)
{
    _mm_lfence();
    const uint64_t ticks = __rdtsc();
    _mm_lfence();
    return ticks / CLOCK_DIVISOR;
}

void clock_drain_stores(void)
{
    _mm_mfence();
}

/* The bit can be masked in a guest whose kernel nevertheless found the TSC good enough to keep time with. */
static bool counter_invariant(void)
{
    char clocks[256];

    if (features_usable() & FEATURE_BIT(INVARIANT_TSC))
        return true;
    return os_clocksource(clocks, sizeof(clocks)) && strcmp(clocks, "tsc") == 0;
}
#elif defined(__aarch64__)
static const char counter_name[] = "cntvct";

static uint64_t counter(void)
{
    uint64_t ticks;

    __asm__ volatile("isb\n\tmrs %0, cntvct_el0\n\tisb" : "=r"(ticks)::"memory");
    return ticks / CLOCK_DIVISOR;
}

void clock_drain_stores(void)
{
    __asm__ volatile("dsb ish" ::: "memory");
}

/* The architecture promises a constant rate. */
static bool counter_invariant(void)
{
    return true;
}
#endif

uint64_t clock_now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t clock_ticks(void)
{
    if (atomic_load_explicit(&counter_unfit, memory_order_relaxed))
        return clock_now_ns();
    return counter();
}

uint64_t clock_counter_at(uint64_t ticks)
{
    return ticks * CLOCK_DIVISOR;
}

/* Both clocks at one moment: the narrowest of several brackets, so that a preemption does not count. */
static void read_both(uint64_t *ticks, uint64_t *ns)
{
    uint64_t narrowest = UINT64_MAX;

    for (int i = 0; i < BRACKETS; i++) {
        const uint64_t before = clock_now_ns();
        const uint64_t inside = counter();
        const uint64_t after = clock_now_ns();
        if (after - before < narrowest) {
            narrowest = after - before;
            *ticks = inside;
            *ns = before + (after - before) / 2;
        }
    }
}

static bool fit_counter(double *ns_per_tick)
{
    uint64_t ticks[WINDOWS + 1], ns[WINDOWS + 1];

    read_both(&ticks[0], &ns[0]);
    for (int i = 1; i <= WINDOWS; i++) {
        nanosleep(&(struct timespec){.tv_nsec = WINDOW_NS}, NULL);
        read_both(&ticks[i], &ns[i]);
    }
    return clock_fit(ticks, ns, WINDOWS + 1, rate_tolerance, ns_per_tick);
}

bool clock_fit(const uint64_t *ticks, const uint64_t *ns, size_t count, double tolerance, double *ns_per_tick)
{
    if (count < 2 || ticks[count - 1] <= ticks[0] || ns[count - 1] <= ns[0])
        return false;
    *ns_per_tick = (double)(ns[count - 1] - ns[0]) / (double)(ticks[count - 1] - ticks[0]);
    for (size_t i = 1; i < count; i++) {
        if (ticks[i] <= ticks[i - 1] || ns[i] <= ns[i - 1])
            return false;
        const double rate = (double)(ns[i] - ns[i - 1]) / (double)(ticks[i] - ticks[i - 1]);
        if (fabs(rate / *ns_per_tick - 1) > tolerance)
            return false;
    }
    return true;
}

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
    while (b != 0) {
        const uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* The least distance between differences that are no neighbours; 1 where three are in a row, as with a
 * step of one tick, or where too few were seen. Differences longer than any reading are left out. */
static uint64_t rounded_step(const uint64_t *reading, size_t count)
{
    enum { LONGEST = 4096, FEWEST = 3 };
    bool seen[LONGEST + 1] = {false};
    uint64_t least = LONGEST, begin = 0;
    int groups = 0;

    for (size_t i = 1; i < count; i++)
        if (reading[i] > reading[i - 1] && reading[i] - reading[i - 1] < LONGEST)
            seen[reading[i] - reading[i - 1]] = true;
    for (uint64_t at = 1; at < LONGEST; at++) {
        if (!seen[at])
            continue;
        if (seen[at - 1] && seen[at + 1])
            return 1;
        if (seen[at - 1])
            continue;
        if (groups++ > 0 && at - begin < least)
            least = at - begin;
        begin = at;
    }
    return groups < FEWEST ? 1 : least;
}

uint64_t clock_granularity(const uint64_t *reading, size_t count)
{
    uint64_t divisor = 0, least = UINT64_MAX;
    bool stood = false;

    for (size_t i = 1; i < count; i++) {
        stood = stood || reading[i] == reading[i - 1];
        if (reading[i] <= reading[i - 1])
            continue;
        const uint64_t step = reading[i] - reading[i - 1];
        divisor = common_divisor(divisor, step);
        least = step < least ? step : least;
    }
    if (stood && divisor)
        return least;
    return divisor == 1 ? rounded_step(reading, count) : divisor;
}

double clock_step_cost(const uint64_t *reading, size_t count, size_t batch)
{
    uint64_t least = UINT64_MAX;

    for (size_t i = 0; i + batch < count; i += batch)
        if (reading[i + batch] >= reading[i] && reading[i + batch] - reading[i] < least)
            least = reading[i + batch] - reading[i];
    return least == UINT64_MAX ? 0 : (double)least / (double)batch;
}

void clock_calibrate(struct clock *clock)
{
    uint64_t reading[READINGS];
    double ns_per_tick = 1;

    const bool fit = counter_invariant() && fit_counter(&ns_per_tick);
    atomic_store_explicit(&counter_unfit, !fit, memory_order_relaxed);
    clock->source = fit ? counter_name : "clock_gettime";
    clock->ns_per_tick = fit ? ns_per_tick : 1;
    clock->invariant = fit;
    /* Apart by different times: readings in a row can show the same two differences only. */
    for (int i = 0; i < READINGS; i++) {
        for (volatile int wait = i % APART; wait > 0; wait--)
            ;
        reading[i] = clock_ticks();
    }
    clock->resolution_ns = (double)clock_granularity(reading, READINGS) * clock->ns_per_tick;
    for (int i = 0; i < READINGS; i++)
        reading[i] = clock_ticks();
    clock->overhead_ns = clock_step_cost(reading, READINGS, BATCH) * clock->ns_per_tick;
}
