/* SPDX-License-Identifier: MIT */
/* The definitions of core-to-core latency that published tools print, written anew from their descriptions:
 * what differs is the protocol, the statistic and the line, and those are what is compared. For
 * tests/peers/core-latency. core_latency_definitions CPU_A CPU_B    prints "name<TAB>one-way ns" lines */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum protocol { CAS, COUNTER, WORDS, ONE_LINE };
enum statistic { MEDIAN, MEAN, LEAST };

struct definition {
    const char *name;
    enum protocol protocol;
    int samples, trips;
    enum statistic statistic;
};

/* Samples, round trips and statistic as the tool's defaults have them; the longest are cut to a tenth of a
 * second. */
static const struct definition definitions[] = {
    {"jc-cas (median of 500 x 400)", CAS, 500, 400, MEDIAN},
    {"jc-readwrite (median of 500 x 400)", WORDS, 500, 400, MEDIAN},
    {"nv-cas (mean of 300 x 1000)", CAS, 300, 1000, MEAN},
    {"nv-readwrite (mean of 300 x 1000)", WORDS, 300, 1000, MEAN},
    {"c2-write (least of 1000 x 100)", COUNTER, 1000, 100, LEAST},
    {"c2-default (least of 1000 x 100)", WORDS, 1000, 100, LEAST},
    {"mc-l (least of 5 x 100000)", CAS, 5, 100000, LEAST},
    {"sr-cas (mean of 15 x 1000)", CAS, 15, 1000, MEAN},
    {"cc-store (one of 500000)", ONE_LINE, 1, 500000, MEAN},
};

/* One line, and a second one 128 bytes on. */
static struct {
    _Alignas(4096) atomic_uint a;
    _Alignas(128) atomic_uint b;
} lines;

static void pin(int cpu)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    if (sched_setaffinity(0, sizeof set, &set) != 0) {
        perror("sched_setaffinity");
        exit(3);
    }
}

static void swap_when(unsigned expected, unsigned desired)
{
    for (unsigned found = expected; !atomic_compare_exchange_strong_explicit(
             &lines.a, &found, desired, memory_order_relaxed, memory_order_relaxed);)
        found = expected;
}

static void await(atomic_uint *word, unsigned value)
{
    while (atomic_load_explicit(word, memory_order_acquire) != value)
        ;
}

/* The part of one side, 0 or 1, in a trip, counted from 0; the other one answers it. */
static void play(enum protocol protocol, unsigned side, unsigned trip)
{
    const unsigned turn = 2 * trip + side;
    switch (protocol) {
    case CAS:
        swap_when(side, !side);
        break;
    case COUNTER:
        swap_when(turn, turn + 1);
        break;
    case WORDS:
        if (side)
            await(&lines.a, trip + 1);
        atomic_store_explicit(side ? &lines.b : &lines.a, trip + 1, memory_order_release);
        if (!side)
            await(&lines.b, trip + 1);
        break;
    case ONE_LINE:
        await(&lines.a, turn);
        atomic_store_explicit(&lines.a, turn + 1, memory_order_release);
        break;
    }
}

static const struct definition *definition;
static int partner_cpu;

static void *answer(void *unused)
{
    pin(partner_cpu);
    for (unsigned i = 0; i < (unsigned)(definition->trips * definition->samples); i++)
        play(definition->protocol, 1, i);
    return unused;
}

static double now_ns(void)
{
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC_RAW, &at);
    return (double)at.tv_sec * 1e9 + (double)at.tv_nsec;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double measure(void)
{
    static double value[1000];
    const int samples = definition->samples;
    double sum = 0;
    pthread_t thread;
    unsigned trip = 0;

    atomic_store(&lines.a, 0);
    atomic_store(&lines.b, 0);
    if (pthread_create(&thread, NULL, answer, NULL) != 0)
        exit(3);
    for (int i = 0; i < samples; i++) {
        const double before = now_ns();
        for (int k = 0; k < definition->trips; k++)
            play(definition->protocol, 0, trip++);
        value[i] = (now_ns() - before) / definition->trips / 2;
        sum += value[i];
    }
    pthread_join(thread, NULL);
    qsort(value, (size_t)samples, sizeof *value, compare);
    return definition->statistic == MEAN ? sum / samples
                                         : value[definition->statistic == LEAST ? 0 : samples / 2];
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: %s CPU_A CPU_B\n", argv[0]);
        return 2;
    }
    pin(atoi(argv[1]));
    partner_cpu = atoi(argv[2]);
    for (size_t i = 0; i < sizeof definitions / sizeof *definitions; i++) {
        definition = &definitions[i];
        printf("%s\t%.2f\n", definition->name, measure());
    }
    return 0;
}
