/* SPDX-License-Identifier: MIT */
/* A simulated machine with neighbours, on the SMT sibling, in the last cache and in memory, on which `ram` measures. */
#pragma once

#include "../../engine/simulated.h"
#include "world.h"

enum { TASKS = 6, LEVELS = 4, KERNELS = 3, POINTS = TASKS * LEVELS * KERNELS, ROUNDS = 60 };

/* A neighbour of a level beyond the core makes what it takes longer by `effect`, half as much to half as much again. */
struct neighbour {
    double share, spell_s, effect;
    bool active;
    double change_s, now; /* the present effect */
};

struct machine {
    struct sim sim;
    struct neighbour of[2]; /* in the last cache, in memory */
    double noise;
};

static inline void neighbour_turn(struct machine *machine, struct neighbour *at, double until_s)
{
    while (at->change_s < until_s) {
        at->active = !at->active;
        at->now = at->active ? at->effect * (0.5 + sim_uniform(&machine->sim)) : 0;
        at->change_s += sim_exponential(&machine->sim,
                                        at->active ? at->spell_s : at->spell_s * (1 - at->share) / at->share);
    }
}

/* How much longer a busy sibling made the tasks take in L1 and in L2 (Zen 4, 2026-11-23); how much longer each kernel takes. */
static const double smt[2][TASKS] = {{0.4, 0.4, 0.45, 0.28, 0.4, 0.4}, {0.16, 0.3, 0.5, 0.28, 0.15, 0.16}},
                    slower[KERNELS] = {1, 1, 1.3};

/* 128 cycles in 0.5 ms of passes, or 100 and 200 ns beyond the core in 2.5 ms. */
static inline bool neighbours_sample(void *context, size_t first, size_t count, double *value,
                                     struct fault *fault)
{
    struct machine *machine = context;
    struct sim *sim = &machine->sim;
    const size_t task = first / KERNELS % TASKS, level = first / KERNELS / TASKS;
    const double noise = slower[first % KERNELS] * (1 + machine->noise * sim_normal(sim));
    double ns = 128 / sim_ghz;
    if (level < 2) {
        const double passes = 0.5e6 / ns;
        ns = sim_work(sim, 128 * passes, 0, smt[level][task]) * 1e9 / passes * noise;
    } else {
        struct neighbour *at = &machine->of[level - 2];
        const double whole = level == 2 ? 100 : 200;
        double sum = 0;
        for (int slice = 0; slice < 10; slice++) {
            neighbour_turn(machine, at, sim->now_s);
            sum += sim_work(sim, 0, 250e3 * (1 + at->now), 0) * 1e9;
        }
        ns = sum / 2.5e6 * whole * noise;
    }
    value[RAM_NS] = ns;
    value[RAM_CYCLES] = ns * sim_clock(sim);
    return true;
}

static inline bool neighbours_remap(void *context, unsigned placement, struct fault *fault)
{
    return true;
}

static inline bool neighbours_wants(void *context, size_t first, uint64_t round)
{
    return first < POINTS / 2 || round == ENGINE_LATER || (round + first / KERNELS) % 3 == 0;
}

/* A run of `ram` with its answers; the neighbours work for that share of the time, in spells of that mean length. */
static inline struct world *run_of(double share, double spell_s, uint64_t seed)
{
    static const enum operation order[TASKS] = {OPERATION_READ, OPERATION_AGG_OR,  OPERATION_WRITE,
                                                OPERATION_COPY, OPERATION_COMPARE, OPERATION_LATENCY};
    static struct kernel kernel[TASKS][KERNELS];
    const struct sim_script script = {.active = share, .spell_s = spell_s};
    struct machine machine = {.noise = 0.003};
    struct fault fault = {0};
    sim_start(&machine.sim, &script, seed);
    for (int i = 0; i < 2; i++) {
        machine.of[i] = (struct neighbour){.share = share, .spell_s = spell_s, .effect = 0.3};
        machine.of[i].active = sim_uniform(&machine.sim) < share;
        machine.of[i].now = machine.of[i].active ? 0.3 : 0;
        machine.of[i].change_s = sim_exponential(&machine.sim, spell_s);
    }
    struct world *world = world_new(1, "i", 1, 1);
    free(world->plan.points);
    world->plan.points = calloc(POINTS, sizeof *world->plan.points);
    for (size_t i = 0; i < POINTS; i++) {
        const size_t task = i / KERNELS % TASKS, level = i / KERNELS / TASKS;
        kernel[task][i % KERNELS] = (struct kernel){.name = "simulated", .operation = order[task]};
        world_add(world, &kernel[task][i % KERNELS], (int)level + 1, UINT64_C(16384) << 4 * level);
    }
    engine_data_free(&world->plan.data);
    world->plan.data = (struct engine_data){0};
    const struct engine_machine at = {&machine.sim, sim_now_ns, sim_probe, sim_interrupted};
    const struct engine_bench bench = {.context = &machine,
                                       .points = POINTS,
                                       .width = RAM_WIDTH,
                                       .sample = neighbours_sample,
                                       .remap = neighbours_remap,
                                       .wants = neighbours_wants};
    const struct engine_effort effort = {.rounds = ROUNDS, .placements = RAM_PLACEMENTS};
    engine_run(&bench, &at, &effort, &world->plan.data, &fault);
    world_answer(world, 0);
    return world;
}
