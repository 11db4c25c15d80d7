/* SPDX-License-Identifier: MIT */
/* Memory of which lines are drawn: for modes that ask what a load takes. */
#include <math.h>

#include "modes.h"
#include "uarchprobe/chase.h"
#include "uarchprobe/interrupt.h"
#include "uarchprobe/random.h"
#include "uarchprobe/stats.h"

static const struct kernel_filter any = {.allowed = ~(feature_set)0};

enum status ram_set_open(struct ram_set *set, const struct run *run, uint64_t bytes, int node, double fill_s,
                         struct fault *fault)
{
    const struct ram_params *params = run->params;
    const struct memory_request request = {
        .bytes = bytes, .pages = (enum page_kind)params->pages, .node = node, .topology = run->topology};
    *set = (struct ram_set){.state = 1, .draw = kernel_next(&any, OPERATION_DRAW, NULL), .clock = run->clock};
    if (memory_map(&set->memory, &request, fault) == STATUS_OK)
        set->bytes = memory_fill(&set->memory, 1, fill_s, fault);
    if (interrupt_came())
        fault_set(fault, STATUS_FAILED, "signal %d came before the memory was filled", interrupt_signal());
    if (fault->status != STATUS_OK)
        memory_release(&set->memory);
    return fault->status;
}

double ram_set_draw(struct ram_set *set, uint64_t first, uint64_t last, uint64_t loads)
{
    const uint64_t begin = clock_ticks();
    set->state = set->draw->entry(set->memory.data + first, (const void *)(uintptr_t)RAM_LINE, loads,
                                  (last - first) / RAM_LINE, set->state, 0);
    return (double)(clock_ticks() - begin) * set->clock->ns_per_tick / (double)loads;
}

double ram_set_median(struct ram_set *set, uint64_t first, uint64_t last, uint64_t loads, size_t times)
{
    double ns[512];
    for (size_t i = 0; i < times; i++)
        ns[i] = ram_set_draw(set, first, last, loads);
    return median_of(ns, times);
}

double ram_small_ns(const struct clock *clock, bool drawn)
{
    enum { LINES = 8, LOADS = 512, STEPS = 100, TRIES = 3 };
    unsigned char data[LINES * RAM_LINE] __attribute__((aligned(RAM_LINE)));
    const struct kernel *draw = kernel_next(&any, OPERATION_DRAW, NULL),
                        *walk = kernel_next(&any, OPERATION_LATENCY, NULL);
    const uint64_t loads = LOADS + (uint64_t)(STEPS * clock->resolution_ns);
    double least = INFINITY;
    chase_link(&(struct chase){.data = data, .count = LINES, .stride = RAM_LINE});
    for (int i = 0; i < TRIES; i++) {
        const uint64_t begin = clock_ticks();
        if (drawn)
            draw->entry(data, (const void *)(uintptr_t)RAM_LINE, loads, LINES, 1, 0);
        else
            kernel_call(walk, data, NULL, loads, 0);
        least = fmin(least, (double)(clock_ticks() - begin));
    }
    return least * clock->ns_per_tick / (double)loads;
}

double ram_drawing_ns(const struct clock *clock)
{
    return ram_small_ns(clock, true) - ram_small_ns(clock, false);
}

uint64_t ram_turn;

bool ram_move(void *own, unsigned number, struct fault *fault)
{
    uint64_t seed = clock_now_ns() + number;
    (void)own;
    (void)fault;
    ram_turn = random_next(&seed);
    return true;
}

struct cache ram_last_cache(const struct run *run, int count)
{
    const struct topology *topology = run->topology;
    struct cache last = topology_largest_last(topology, run->cpus.id, count);
    last.instances = 0;
    for (int i = 0; i < topology->cache_count; i++)
        if (topology->cache[i].level == last.level && topology->cache[i].type == last.type)
            last.instances += topology->cache[i].instances;
    last.instances = last.instances > 0 ? last.instances : 1;
    return last;
}

const struct kernel *ram_widest(const struct run *run, enum operation operation, enum access_mode store)
{
    const struct kernel *widest = NULL;
    for (const struct kernel *next = NULL; (next = kernel_next(&run->kernels, operation, next));)
        if ((next->method == METHOD_VECTOR || next->method == METHOD_SCALAR) && !next->by_name &&
            next->load <= ACCESS_ALIGNED && next->store == store)
            widest = next;
    return widest;
}
