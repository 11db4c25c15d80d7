/* SPDX-License-Identifier: MIT */
/* How long is sampled, and what a run says of it: the plan before, what was left out after. */
#include "engine/engine_internal.h"
#include "uarchprobe/experiment.h"

struct engine_effort effort_of(const struct common *common, uint64_t least, double seconds)
{
    const bool counted = common->repeat > 0 || common->samples > 0;
    return (struct engine_effort){.rounds = common->repeat,
                                  .samples = common->samples,
                                  .least = least,
                                  .budget_s = common->time_budget > 0 ? common->time_budget
                                              : counted               ? 0
                                                                      : seconds};
}

void effort_warn(struct run *run, const struct engine_effort *effort, const struct engine_data *data)
{
    const uint64_t wanted = effort->rounds ? effort->rounds : effort->least;
    if (data->end != ENGINE_BUDGET || data->rounds >= wanted)
        return;
    record_warning(run->record, "time_budget",
                   "the time budget ended the measurement after %llu of %llu rounds",
                   (unsigned long long)data->rounds, (unsigned long long)wanted);
    run->left_out = true;
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
