/* SPDX-License-Identifier: MIT */
#include "engine/throughput.h"

#include <math.h>

#include "uarchprobe/kernel.h"

/* Instructions of the short run, and how many more the long run has at least. */
enum { SHORTER = 1536, DIFFERENCE = 12288 };
/* The difference lasts so many steps of the clock. With 100 of them 80 % of the readings of an idle sibling
 * were whole numbers on Zen 5, with 200 91 % (1,866 and 912 readings beside builds): the core clock has
 * errors of a step, too. */
static const double STEPS = 200;

static double ticks_of(const struct kernel *kernel, const void *line, uint64_t count)
{
    const uint64_t begin = clock_ticks();
    kernel_call(kernel, (void *)line, NULL, count, 0);
    return (double)(clock_ticks() - begin);
}

/* The difference of two lengths leaves the cost of the clock and of the kernel's first instructions out, and
 * an untimed call that of fetching them: with cold code 3.4 to 3.9 of 4 a cycle were read. */
static double instructions_a_cycle(const struct clock *clock, enum operation operation, double most_a_ns,
                                   double ghz)
{
    static _Alignas(64) const unsigned char line[64];
    const struct kernel_filter any = {.allowed = ~(feature_set)0};
    const struct kernel *kernel = kernel_next(&any, operation, NULL);
    const uint64_t wanted = (uint64_t)(STEPS * clock->resolution_ns * most_a_ns),
                   difference = (wanted > DIFFERENCE ? wanted : DIFFERENCE) / KERNEL_THROUGHPUT_UNIT *
                                KERNEL_THROUGHPUT_UNIT;
    ticks_of(kernel, line, SHORTER);
    const double shorter = ticks_of(kernel, line, SHORTER),
                 longer = ticks_of(kernel, line, SHORTER + difference);
    return (double)difference / ((longer - shorter) * clock->ns_per_tick * ghz);
}

struct throughput throughput_read(const struct clock *clock, double ghz)
{
    static const double INTEGERS_A_NS = 24, LOADS_A_NS = 16; /* 6 and 4 a cycle at 4 GHz */
    struct throughput throughput = {NAN, NAN, clock_now_ns()};
    if (ghz > 0) {
        throughput.integers = instructions_a_cycle(clock, OPERATION_THROUGHPUT_INTEGER, INTEGERS_A_NS, ghz);
        throughput.loads = instructions_a_cycle(clock, OPERATION_THROUGHPUT_LOAD, LOADS_A_NS, ghz);
    }
    return throughput;
}
