/* SPDX-License-Identifier: MIT */
/* Memory of which lines are drawn: for modes that ask what a load takes. */
#include "modes.h"
#include "uarchprobe/chase.h"

static const struct kernel_filter any = {.allowed = ~(feature_set)0};

struct ram_set ram_set_of(const struct run *run, const struct memory *memory)
{
    return (struct ram_set){.memory = *memory,
                            .bytes = memory->bytes,
                            .state = 1,
                            .draw = kernel_next(&any, OPERATION_DRAW, NULL),
                            .clock = run->clock};
}

void ram_set_load(struct ram_set *set, uint64_t first, uint64_t last, uint64_t loads)
{
    set->state = set->draw->entry(set->memory.data + first, (const void *)(uintptr_t)RAM_LINE, loads,
                                  (last - first) / RAM_LINE, set->state, 0);
}

/* A window of a set, of which lines are drawn. */
struct window {
    struct ram_set *set;
    uint64_t first, last, loads;
};

static void count_loads(struct point *point)
{
    point->iterations = ((const struct window *)point->own)->loads;
}

static void draw_lines(const struct point *point)
{
    const struct window *window = point->own;
    ram_set_load(window->set, window->first, window->last, point->iterations);
}

double ram_set_median(struct ram_set *set, uint64_t first, uint64_t last, uint64_t loads, size_t times)
{
    struct window window = {set, first, last, loads};
    return time_work(
        &(struct point){.own = &window, .clock = set->clock},
        &(struct timed_work){.work = draw_lines, .prepare = count_loads, .parts = (unsigned)times});
}

double ram_set_draw(struct ram_set *set, uint64_t first, uint64_t last, uint64_t loads)
{
    return ram_set_median(set, first, last, loads, 1);
}

/* Lines that the first level holds. */
enum { FEW = 8, FEW_LOADS = 512, FEW_STEPS = 100, FEW_TRIES = 3 };

static void link_few(struct point *point, enum operation operation)
{
    point->kernel = kernel_next(&any, operation, NULL);
    point->iterations = FEW_LOADS + (uint64_t)(FEW_STEPS * point->clock->resolution_ns);
    chase_link(&(struct chase){.data = point->scratch, .count = FEW, .stride = RAM_LINE});
}

static void link_to_chase(struct point *point)
{
    link_few(point, OPERATION_LATENCY);
}

static void chase_few(const struct point *point)
{
    kernel_call(point->kernel, point->scratch, NULL, point->iterations, 0);
}

static void link_to_draw(struct point *point)
{
    link_few(point, OPERATION_DRAW);
}

static void draw_few(const struct point *point)
{
    point->kernel->entry(point->scratch, (const void *)(uintptr_t)RAM_LINE, point->iterations, FEW, 1, 0);
}

const struct timed_work ram_chased_few = {.work = chase_few,
                                          .prepare = link_to_chase,
                                          .parts = FEW_TRIES,
                                          .is_least = true},
                        ram_drawn_few = {
                            .work = draw_few, .prepare = link_to_draw, .parts = FEW_TRIES, .is_least = true};

double ram_drawing_ns(const struct clock *clock)
{
    const struct point point = {.clock = clock};
    return time_work(&point, &ram_drawn_few) - time_work(&point, &ram_chased_few);
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
