/* SPDX-License-Identifier: MIT */
/* What the engine is asked for. */
#include "sb_capacity.h"

struct engine_host sb_host(const struct sb_bench *bench)
{
    return (struct engine_host){.core_clock = bench->run->core_clock, .interrupted = bench->run->interrupted};
}

double sb_no_time(void *context, size_t first)
{
    return 0;
}

static struct engine_effort within(const struct sb_bench *bench, uint64_t rounds, double seconds)
{
    return (struct engine_effort){.rounds = rounds, .budget_s = seconds, .begin_ns = bench->begin_ns};
}

struct engine_effort sb_effort(const struct sb_bench *bench, uint64_t rounds)
{
    return within(bench, rounds, bench->enough_s);
}

struct engine_effort sb_check_effort(const struct sb_bench *bench, uint64_t rounds)
{
    return within(bench, rounds, bench->given_s);
}

struct engine_effort sb_asked_effort(const struct sb_bench *bench)
{
    struct engine_effort effort = sb_effort(bench, bench->run->common->repeat);

    effort.least = bench->rounds;
    effort.samples = bench->samples;
    return effort;
}

void sb_check_rounds(const struct sb_bench *bench, const struct engine_data *data)
{
    struct run *run = bench->run;

    if (!(bench->given_s > 0) || data->end != ENGINE_BUDGET || data->rounds >= bench->rounds)
        return;
    record_warning(run->record, "time_budget",
                   "the time budget ended the measurement after %llu of %llu rounds",
                   (unsigned long long)data->rounds, (unsigned long long)bench->rounds);
    run->left_out = true;
}
