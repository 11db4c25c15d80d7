/* SPDX-License-Identifier: MIT */
/* How much the options ask for, what of it the budget left out, and a run of the engine with it on this
 * machine. */
#include <stdio.h>

#include "engine/engine_internal.h"
#include "uarchprobe/experiment.h"

struct engine_effort effort_of(const struct common *common, uint64_t least, double seconds)
{
    const bool counted = common->repeat > 0 || common->samples > 0;
    return (struct engine_effort){.rounds = common->repeat,
                                  .samples = common->samples,
                                  .least = least,
                                  .is_wall = common->time_budget > 0 && !common->is_share,
                                  .budget_s = common->time_budget > 0 ? common->time_budget
                                              : counted               ? 0
                                                                      : seconds};
}

void effort_left_out(struct run *run, const char *what)
{
    record_warning(run->record, "time_budget", "the time budget left out, in whole or in part: %s", what);
    run->left_out = true;
}

void effort_warn(struct run *run, const struct engine_effort *effort, const struct engine_data *data)
{
    const uint64_t wanted = effort->rounds ? effort->rounds : effort->least;
    char text[64];
    snprintf(text, sizeof text, "round %llu of %llu", (unsigned long long)data->rounds + 1,
             (unsigned long long)wanted);
    if (data->end == ENGINE_BUDGET && data->rounds < wanted)
        effort_left_out(run, text);
}

void effort_plan(struct run *run, const struct engine_effort *effort, double seconds)
{
    const uint64_t rounds = effort->rounds ? effort->rounds : effort->least;
    RECORD_FACTS(run->record, {"plan.rounds", "rounds, at least", NULL, INTEGER_CELL((int64_t)rounds)},
                 {"plan.samples", "samples of a point in a round", NULL,
                  INTEGER_CELL((int64_t)(effort->samples ? effort->samples : 1))},
                 {"plan.seconds", "time, roughly", "s", seconds > 0 ? REAL_CELL(seconds) : NO_CELL});
}

enum engine_end engine_host_run(struct engine_host *host, const struct engine_bench *bench,
                                const struct engine_effort *effort, struct engine_data *data,
                                struct fault *fault)
{
    const struct engine_machine machine = engine_host_machine(host);
    engine_run(bench, &machine, effort, data, fault);
    if (host->stuck) {
        fault_set(fault, STATUS_FAILED, "CPU %d did not come back from a probe", host->run->cpus.id[0]);
        data->end = ENGINE_FAILED;
    }
    host->run->left_out |= data->end == ENGINE_INTERRUPTED || data->end == ENGINE_FAILED;
    return data->end;
}
