/* SPDX-License-Identifier: MIT */
/* A whole experiment on the simulated machine, and what its answers must be. */
#pragma once

#include "engine/metrics.h"
#include "simulated.h"

static inline uint64_t sim_ticks(void *context)
{
    return (uint64_t)(((const struct sim *)context)->now_s * 1e12);
}

/* Members begin at the same time, but for the last one of a late sample. */
static inline bool sim_run_team(void *context, struct team *team, const int *member, int count,
                                team_task *task, void *task_context, double planned_s)
{
    struct sim *sim = context;
    const double begin_s = sim->now_s;
    double end_s = begin_s;
    const double late_s = sim->script->late > 0 && sim_uniform(sim) < sim->script->late ? 1e-3 : 0;
    for (int i = 0; i < count; i++) {
        sim->now_s = begin_s + (count > 1 && i == count - 1 ? late_s : 0);
        task(task_context, member ? member[i] : i);
        end_s = fmax(end_s, sim->now_s);
    }
    sim->now_s = end_s;
    return true;
}

/* Into a new record, on a machine that sim_start has started. own: the experiment's; sibling -1: there is none. */
static inline struct record *sim_measured(struct sim *sim, const struct experiment *experiment, void *own,
                                          struct record *record, struct engine_effort effort, int sibling)
{
    const struct engine_machine machine = {.context = sim,
                                           .now_ns = sim_now_ns,
                                           .probe = sim_probe,
                                           .interrupted = sim_interrupted,
                                           .ticks = sim_ticks,
                                           .switches = sim_switches,
                                           .forgive = sim_forgive,
                                           .run_team = sim_run_team};
    const struct clock clock = {.ns_per_tick = 1e-3, .resolution_ns = 10};
    const struct common common = {.repeat = 0};
    struct core_clock core_clock = {0};
    struct run run = {.clock = &clock, .core_clock = &core_clock, .common = &common, .record = record};
    struct lab lab = {.experiment = experiment,
                      .run = &run,
                      .own = own,
                      .machine = &machine,
                      .cpus = 1,
                      .has_sibling = sibling >= 0,
                      .sibling = sibling};
    struct fault fault = {0};
    if (experiment->team.count > 0)
        lab.members = members_new(&experiment->team, true, &fault);
    assert_int_equal(experiment_measure(&lab, &effort, &fault), STATUS_OK);
    members_free(lab.members);
    experiment_free(&lab);
    return record;
}

/* The same with series that need no kernel. */
static inline struct record *sim_measured_bare(struct sim *sim, struct experiment experiment,
                                               struct engine_effort effort)
{
    struct series series[8] = {0};
    for (size_t i = 0; experiment.series[i].name; i++) {
        series[i] = experiment.series[i];
        series[i].kernel = NULL;
    }
    experiment.series = series;
    return sim_measured(sim, &experiment, NULL, record_new(), effort, -1);
}

static inline const struct answer *sim_find(const struct record *record, const char *key, enum state state)
{
    return record_answer_find(record, key, state_names[state]);
}

/* Within `off` of the value, with a trust from `least` to `most`. NaN: an answer without value; infinite: no answer. */
static inline void sim_expect(const struct record *record, const char *key, int state, double value,
                              double off, int least, int most)
{
    const struct answer *answer = sim_find(record, key, (enum state)state);
    const double found = answer ? cell_number(&answer->value) : INFINITY;
    if (!(isnan(value) ? isnan(found) : found == value || fabs(found - value) <= off))
        fail_msg("%s, %s: %g instead of %g", key, state_names[state], found, value);
    if (answer && ((int)answer->trust < least || (int)answer->trust > most))
        fail_msg("%s, %s: %g has trust %s", key, state_names[state], found, trust_names[answer->trust]);
}
