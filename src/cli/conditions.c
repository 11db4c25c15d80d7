/* SPDX-License-Identifier: MIT */
#include "cli/facts.h"

#include <math.h>
#include <unistd.h>

/* Of the commands that know it, the sum of their times, and of those times in which a sibling was active. */
static void add_sibling(const struct record *record, double *seconds, double *active)
{
    const struct conditions *own = &record->conditions;
    if (own->sibling_share >= 0) {
        *seconds += own->seconds;
        *active += own->seconds * own->sibling_share;
    }
    for (size_t i = 0; i < record->children.count; i++)
        add_sibling(record->children.of[i], seconds, active);
}

double conditions_sibling_share(const struct record *record)
{
    double seconds = 0, active = 0;
    add_sibling(record, &seconds, &active);
    return active / seconds;
}

void conditions_record_own(struct record *record, double seconds)
{
    const struct conditions *own = &record->conditions;
    record->conditions.seconds = seconds;
    RECORD_FACTS(record, {"run.sibling_active", .value = REAL_CELL(own->sibling_share)},
                 {"run.sibling_samples",
                  .value = own->sibling_readings > 0 ? INTEGER_CELL(own->sibling_readings) : NO_CELL});
}

/* How often CPUs were seen to be moved, by the commands that can see it; NaN: none of them could. */
static double count_changes(const struct record *record)
{
    const size_t children = record->children.count;
    double sum = children ? NAN : record_fact_number(record, "run.placement_changes");
    for (size_t i = 0; i < children; i++) {
        const double more = count_changes(record->children.of[i]);
        sum = isnan(sum) ? more : isnan(more) ? sum : sum + more;
    }
    return sum;
}

void conditions_record(struct record *record, const struct cpu *cpu, const struct samples *ghz,
                       double steal_share)
{
    const char *hypervisor = cpu->hypervisor;
    const bool known = *hypervisor;
    const double changes = count_changes(record);
    RECORD_FACTS(
        record, {"run.conditions.guest", .value = known ? BOOL_CELL(cpu_may_be_guest(cpu)) : NO_CELL},
        {"run.conditions.hypervisor", .value = known ? TEXT_CELL(hypervisor) : NO_CELL},
        {"run.conditions.sibling_share", .value = REAL_CELL(conditions_sibling_share(record))},
        {"run.conditions.clock_ghz.p5", .value = REAL_CELL(quantile_of(ghz->value, ghz->count, 0.05))},
        {"run.conditions.clock_ghz.median", .value = REAL_CELL(median_of(ghz->value, ghz->count))},
        {"run.conditions.clock_ghz.p95", .value = REAL_CELL(quantile_of(ghz->value, ghz->count, 0.95))},
        {"run.conditions.steal_share", .value = REAL_CELL(steal_share)},
        {"run.conditions.placement_changes", .value = isnan(changes) ? NO_CELL : INTEGER_CELL(changes)});
}

double steal_share(const struct disturbance *during, double seconds)
{
    return (double)during->steal_ticks / (double)sysconf(_SC_CLK_TCK) / seconds;
}

void conditions_warn(struct record *record, const struct disturbance *during, double seconds,
                     double stopped_s)
{
    if (steal_share(during, seconds) > 0.01)
        record_warning(record, "steal",
                       "the hypervisor took %.1f %% of a CPU from this machine during the run",
                       100 * steal_share(during, seconds));
    if (stopped_s > 0)
        record_warning(
            record, "stopped",
            "nothing ran for %.1f s of the run: the process was stopped, or the machine that it runs "
            "on; the samples of that time are left out",
            stopped_s);
    if (during->throttled)
        record_warning(record, "throttled",
                       "the CPU quota of this cgroup stopped the process %llu times during the run",
                       (unsigned long long)during->throttled);
    if ((double)during->involuntary_switches > 100 * seconds)
        record_warning(record, "preempted", "another process took the CPU %llu times during the run",
                       (unsigned long long)during->involuntary_switches);
}
