/* SPDX-License-Identifier: MIT */
/* A machine with a known truth, in which only a script and a seed let time pass: a core with an SMT sibling
 * that comes and goes at random, a clock that steps, other processes, stops, late threads, outliers, values
 * that depend on addresses. It replaces the engine's probes and samples. */
#pragma once

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "engine/engine_internal.h"

enum { SIM_POINTS = 3 };

/* The script, in seconds; all zero is a quiet machine. */
struct sim_script {
    const char *name;
    double active, spell_s;     /* share of the time with an active sibling; mean length of an active spell */
    double clock_step, clock_s; /* every other clock_s the clock is lower by this share */
    double preempted_s, slice_s; /* mean time between preemptions; length of one */
    double stop_at_s;            /* a stop of 3 s begins then in every other run */
    double outliers, tail; /* share of the samples; Pareto's exponent: the smaller, the heavier the tail */
    double late;           /* share of the samples in which one of two threads is late */
    double placement, bad_placements; /* a bad placement is slower by this share; share of bad ones */
    double wander, wander_s;          /* noise from outside the core: relative size, correlation time */
    double bound;    /* declared highest plausible value over the true one; 0: none declared */
    double noise;    /* of a sample, relative; 0: 0.5 % */
    bool blind;      /* the witness never answers */
    bool even;       /* all spells of a state have the same length */
    double silent;   /* share of the probes without an answer of the witness; 0: 2 % */
    double modes;    /* share by which four random samples in ten are slower */
    unsigned rounds; /* exact number; 0: until settled */
    double tick_ns;  /* step of the clock; a sample lasts at most fifty; 0: none */
    double ghz;      /* of the core clock; 0: sim_ghz */
    int point;       /* 1 + the only point compared with the truth; 0: all */
    bool unseen;     /* the disturbance outlasts the run or is shorter than a sample: shown, not promised */
};

struct sim {
    const struct sim_script *script;
    uint64_t random;
    double now_s;
    bool active, stopped;
    double change_s, stop_s; /* time of the sibling's next change; of the stop */
    double preempt_s;        /* time of the next preemption */
    double clock_phase_s;
    double effect; /* effect of the sibling's present load: 0 to 1 */
    double wander, wander_at_s;
    double placement[32];
    unsigned placed;
    uint64_t switches;
};

static inline double sim_uniform(struct sim *sim)
{
    sim->random += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t z = sim->random;
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return ((double)((z ^ (z >> 31)) >> 11) + 0.5) * 0x1p-53;
}

static inline double sim_exponential(struct sim *sim, double mean)
{
    return -mean * log(sim_uniform(sim));
}

/* The sum of twelve uniform numbers is near enough to normal, and cheap. */
static inline double sim_normal(struct sim *sim)
{
    double sum = -6;
    for (int i = 0; i < 12; i++)
        sum += sim_uniform(sim);
    return sum;
}

static const double sim_ghz = 3.5;

static inline double sim_spell(struct sim *sim)
{
    const struct sim_script *script = sim->script;
    const double mean =
        sim->active ? script->spell_s : script->spell_s * (1 - script->active) / script->active;
    return script->even ? mean : sim_exponential(sim, mean);
}

static inline void sim_start(struct sim *sim, const struct sim_script *script, uint64_t seed)
{
    *sim = (struct sim){.script = script, .random = seed * UINT64_C(0x2545f4914f6cdd1d) + 1};
    sim_uniform(sim);
    sim->active = script->active > 0 && sim_uniform(sim) < script->active;
    sim->change_s = script->active > 0 ? sim_spell(sim) : INFINITY;
    if (script->even)
        sim->change_s *= sim_uniform(sim);
    sim->effect = sim_uniform(sim);
    sim->preempt_s = script->preempted_s > 0 ? sim_exponential(sim, script->preempted_s) : INFINITY;
    sim->stop_s = script->stop_at_s > 0 && seed % 2 ? script->stop_at_s : INFINITY;
    sim->clock_phase_s = sim_uniform(sim) * 2 * script->clock_s;
    sim->wander = sim_normal(sim) * script->wander;
    for (unsigned i = 0; i < 32; i++)
        sim->placement[i] = sim_uniform(sim) < script->bad_placements ? 1 + script->placement : 1;
}

static inline double sim_clock(const struct sim *sim)
{
    const struct sim_script *script = sim->script;
    const double ghz = script->ghz > 0 ? script->ghz : sim_ghz;
    if (script->clock_step <= 0)
        return ghz;
    const double phase = fmod(sim->now_s + sim->clock_phase_s, 2 * script->clock_s);
    return phase < script->clock_s ? ghz : ghz * (1 - script->clock_step);
}

static inline double sim_next_clock_step(const struct sim *sim)
{
    const double length = sim->script->clock_s;
    if (sim->script->clock_step <= 0)
        return INFINITY;
    return sim->now_s + length - fmod(sim->now_s + sim->clock_phase_s, length);
}

static inline void sim_events(struct sim *sim)
{
    const struct sim_script *script = sim->script;
    if (sim->now_s >= sim->change_s) {
        sim->active = !sim->active;
        sim->effect = sim->active ? sim_uniform(sim) : sim->effect;
        sim->change_s = sim->now_s + sim_spell(sim);
    }
    if (sim->now_s >= sim->preempt_s) {
        sim->switches++;
        sim->now_s += script->slice_s;
        sim->preempt_s = sim->now_s + sim_exponential(sim, script->preempted_s);
    }
    if (sim->now_s >= sim->stop_s) {
        sim->now_s += 3;
        sim->stop_s = INFINITY;
    }
}

/* Lets work of `cycles` (or, without cycles, `ns`) pass, slower by `smt` times the spell's effect while the
 * sibling is active. Returns its seconds. */
static inline double sim_work(struct sim *sim, double cycles, double ns, double smt)
{
    const double begin_s = sim->now_s;
    double left = 1;
    while (left > 0) {
        const double slower = sim->active ? 1 + smt * (0.5 + sim->effect) : 1;
        const double whole_s = (cycles > 0 ? cycles / sim_clock(sim) : ns) * 1e-9 * slower;
        double until_s =
            fmin(fmin(sim->change_s, sim->preempt_s), fmin(sim->stop_s, sim_next_clock_step(sim)));
        until_s = fmax(until_s, sim->now_s);
        const double step = fmin(left, (until_s - sim->now_s) / whole_s);
        sim->now_s += step * whole_s;
        left -= step;
        if (left > 0 || sim->now_s >= until_s)
            sim_events(sim);
        if (step <= 0)
            sim->now_s += 1e-12;
    }
    return sim->now_s - begin_s;
}

static inline uint64_t sim_now_ns(void *context)
{
    const struct sim *sim = context;
    return (uint64_t)(sim->now_s * 1e9);
}

static inline bool sim_interrupted(void *context)
{
    return false;
}

static inline uint64_t sim_switches(void *context)
{
    return ((const struct sim *)context)->switches;
}

static inline void sim_forgive(void *context, uint64_t before)
{
    ((struct sim *)context)->switches = before;
}

/* Takes 40 us; in one probe of a hundred the witness is wrong, and in another the clock cannot be read. */
static inline void sim_probe(void *context, struct moment *moment)
{
    struct sim *sim = context;
    sim_work(sim, 0, 20e3, 0);
    const double chance = sim_uniform(sim);
    const double silent = sim->script->blind ? 1 : sim->script->silent > 0 ? sim->script->silent : 0.02;
    const bool seen = chance < 0.01 ? !sim->active : sim->active;
    const bool unseen = chance > 1 - silent || (sim->script->active <= 0 && seen);
    moment->reading = (struct reading){unseen ? 0 : seen ? 32 : 64, 64, true};
    moment->ghz = sim_uniform(sim) < 0.01 ? NAN : sim_clock(sim) * (1 + 0.002 * sim_normal(sim));
    sim_work(sim, 0, 20e3, 0);
    moment->switches = sim->switches;
}
