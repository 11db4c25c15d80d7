/* SPDX-License-Identifier: MIT */
#include "cli/facts.h"

#include <math.h>
#include <unistd.h>

struct conditions conditions_of(const struct record *record)
{
    struct conditions all = record->conditions;
    const bool knows = !isnan(all.sibling_share);
    double known_s = knows ? all.seconds : 0, busy_s = knows ? all.seconds * all.sibling_share : 0;
    if (all.moves >= 0 && all.pairs_seconds == 0)
        all.pairs_seconds = all.seconds;
    for (size_t i = 0; i < record->children.count; i++) {
        const struct conditions own = conditions_of(record->children.of[i]);
        all.seconds += own.seconds;
        all.stolen_s += own.stolen_s;
        all.waited_s += own.waited_s;
        all.throttled += own.throttled;
        if (!isnan(own.sibling_share)) {
            known_s += own.seconds;
            busy_s += own.seconds * own.sibling_share;
        }
        if (own.moves >= 0) {
            all.moves = own.moves + (all.moves > 0 ? all.moves : 0);
            all.pairs_seconds += own.pairs_seconds;
        }
        all.shared_core = fmax(all.shared_core, own.shared_core);
        all.cpu_was_taken |= own.cpu_was_taken;
        all.hidden_l3 = own.hidden_l3 > all.hidden_l3 ? own.hidden_l3 : all.hidden_l3;
    }
    all.sibling_share = busy_s / known_s;
    return all;
}

void conditions_record_own(struct record *record, const struct disturbance *during, double seconds,
                           double waited_s)
{
    struct conditions *own = &record->conditions;
    own->seconds = seconds;
    own->stolen_s = seconds * steal_share(during, seconds);
    own->waited_s = waited_s;
    own->throttled = (double)during->throttled;
    RECORD_FACTS(record, {"run.sibling_active", .value = REAL_CELL(own->sibling_share)},
                 {"run.sibling_samples",
                  .value = own->sibling_readings > 0 ? INTEGER_CELL(own->sibling_readings) : NO_CELL});
}

void conditions_record(struct record *record, const struct cpu *cpu, const struct samples *ghz,
                       double steal_share)
{
    const char *hypervisor = cpu->hypervisor;
    const bool known = *hypervisor;
    const struct conditions all = conditions_of(record);
    RECORD_FACTS(
        record, {"run.conditions.guest", .value = known ? BOOL_CELL(cpu_may_be_guest(cpu)) : NO_CELL},
        {"run.conditions.hypervisor", .value = known ? TEXT_CELL(hypervisor) : NO_CELL},
        {"run.conditions.sibling_share", .value = REAL_CELL(all.sibling_share)},
        {"run.conditions.clock_ghz.p5", .value = REAL_CELL(quantile_of(ghz->value, ghz->count, 0.05))},
        {"run.conditions.clock_ghz.median", .value = REAL_CELL(median_of(ghz->value, ghz->count))},
        {"run.conditions.clock_ghz.p95", .value = REAL_CELL(quantile_of(ghz->value, ghz->count, 0.95))},
        {"run.conditions.steal_share", .value = REAL_CELL(steal_share)},
        {"run.conditions.cpu_share", .value = REAL_CELL(cpu_share(all.seconds, all.waited_s))},
        {"run.conditions.placement_changes", .value = all.moves < 0 ? NO_CELL : INTEGER_CELL(all.moves)});
}

double cpu_share(double seconds, double waited_s)
{
    return seconds > 0 && !isnan(waited_s) ? 1 - fmin(1, waited_s / seconds) : NAN;
}

double steal_share(const struct disturbance *during, double seconds)
{
    return during->counts_steal ? (double)during->steal_ticks / (double)sysconf(_SC_CLK_TCK) / seconds : NAN;
}

void conditions_warn(struct record *record, const struct disturbance *during, double seconds, double waited_s,
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
    if (cpu_share(seconds, waited_s) < CPU_SHARE_LEAST)
        record_warning(record, "preempted", "other processes had the CPU for %.0f %% of the run",
                       100 * (1 - cpu_share(seconds, waited_s)));
}
