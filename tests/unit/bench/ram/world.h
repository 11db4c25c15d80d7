/* SPDX-License-Identifier: MIT */
/* A plan of made-up kernels and sets with made-up samples, from which `ram` makes its answers and tables. */
#pragma once

#include "bench/ram/ram.h"
#include "test.h"

enum { WORLD_POINTS = 16 };

static const struct kernel read_a = {.name = "read_one", .operation = OPERATION_READ},
                           read_b = {.name = "read_two", .operation = OPERATION_READ},
                           read_c = {.name = "read_three", .operation = OPERATION_READ},
                           chase = {.name = "chase", .operation = OPERATION_LATENCY},
                           draws = {.name = "draws", .operation = OPERATION_DRAW};

struct world {
    struct ram_plan plan;
    struct record *record;
    size_t crew; /* of the sets that are added next */
};

/* states: of each round, i or a, the last for all to come; a probe lies between rounds, `every_s` apart, and the buffers in
 * `placements` places in turn. */
static inline struct world *world_new(size_t rounds, const char *states, double every_s, size_t placements)
{
    struct world *world = calloc(1, sizeof *world);
    world->record = record_new();
    world->plan = (struct ram_plan){.points = calloc(WORLD_POINTS, sizeof *world->plan.points),
                                    .crew[0].threads = 1,
                                    .crew_count = 1,
                                    .line_bytes = 64,
                                    .last_level = 3};
    world->plan.data = (struct engine_data){.points = WORLD_POINTS,
                                            .cells = RAM_WIDTH * WORLD_POINTS,
                                            .kept = rounds,
                                            .value = calloc(rounds * RAM_WIDTH * WORLD_POINTS, sizeof(float)),
                                            .before = calloc(rounds * WORLD_POINTS, sizeof(uint32_t)),
                                            .moment = calloc(rounds + 1, sizeof(struct moment)),
                                            .moments = rounds + 1,
                                            .reading = {.sure = true}};
    for (size_t i = 0; i < rounds * RAM_WIDTH * WORLD_POINTS; i++)
        world->plan.data.value[i] = NAN;
    for (size_t i = 0; i < rounds * WORLD_POINTS; i++)
        world->plan.data.before[i] = (uint32_t)(i / WORLD_POINTS);
    for (size_t i = 0; i <= rounds; i++) {
        world->plan.data.moment[i] = (struct moment){.begin_ns = (uint64_t)(1e9 * every_s * (double)i),
                                                     .ghz = 2,
                                                     .placement = (unsigned)(i % placements),
                                                     .sibling = *states == 'i' ? STATE_IDLE : STATE_ACTIVE};
        world->plan.data.seen[world->plan.data.moment[i].sibling]++;
        states += states[1] != 0;
    }
    return world;
}

/* A kernel on the set of that level and size, which is the last one or another. */
static inline void world_add(struct world *world, const struct kernel *kernel, int level, uint64_t bytes)
{
    struct ram_plan *plan = &world->plan;
    const struct ram_crew *crew = &plan->crew[world->crew];
    struct working_set *set = &plan->sets[plan->set_count ? plan->set_count - 1 : 0];
    if (set->crew != crew || set->level != level || set->bytes != bytes)
        set = &plan->sets[plan->set_count++];
    *set = (struct working_set){.crew = crew, .bytes = bytes, .level = level};
    plan->points[plan->point_count++] = (struct ram_point){.kernel = kernel,
                                                           .set = set,
                                                           .bytes = bytes,
                                                           .footprint = bytes,
                                                           .kernel_bytes = bytes,
                                                           .level = level,
                                                           .passes = 1};
}

/* ns of a pass, or of a load, and its cycles. */
static inline void world_put(struct world *world, size_t round, size_t point, double ns, double cycles)
{
    float *value = &world->plan.data.value[round * world->plan.data.cells + RAM_WIDTH * point];
    value[RAM_NS] = (float)ns;
    value[RAM_CYCLES] = (float)cycles;
}

static inline const struct answer *world_answer(struct world *world, size_t index)
{
    if (!world->plan.groups) {
        ram_plan_group(&world->plan);
        ram_estimate(&world->plan);
        ram_rows(world->record, &world->plan, 4096);
        ram_answers(world->record, &world->plan);
    }
    return index < world->record->answers.count ? &world->record->answers.of[index] : NULL;
}

static inline void world_free(struct world *world)
{
    ram_plan_free(&world->plan);
    record_free(world->record);
    free(world);
}
