/* SPDX-License-Identifier: MIT */
#include "uarchprobe/trust.h"

#include <unistd.h>

static enum trust lower_of(enum trust a, enum trust b)
{
    return a < b ? a : b;
}

/* high up to `limit`, medium up to twice that, low beyond. */
static enum trust grade(double value, double limit)
{
    if (!(value <= 2 * limit)) /* NaN is low */
        return TRUST_LOW;
    return value <= limit ? TRUST_HIGH : TRUST_MEDIUM;
}

enum trust trust_of(const struct evidence *evidence)
{
    const struct summary *s = &evidence->summary;
    if (s->count == 0)
        return TRUST_LOW;
    enum trust trust = grade((s->p90 - s->p10) / s->median, evidence->wide);
    trust = lower_of(trust, grade(evidence->preempted_share, 0.25));
    trust = lower_of(trust, grade(evidence->clock_drift, 0.1));
    if (s->count < evidence->enough || !evidence->complete)
        trust = lower_of(trust, TRUST_MEDIUM);
    return trust;
}

void trust_warn(struct record *record, const struct disturbance *during, double seconds)
{
    const double steal_share = (double)during->steal_ticks / (double)sysconf(_SC_CLK_TCK) / seconds;
    if (steal_share > 0.01)
        record_warning(record, "steal",
                       "the hypervisor took %.1f %% of a CPU from this machine during the run",
                       100 * steal_share);
    if (during->throttled)
        record_warning(record, "throttled",
                       "the CPU quota of this cgroup stopped the process %llu times during the run",
                       (unsigned long long)during->throttled);
    if ((double)during->involuntary_switches > 100 * seconds)
        record_warning(record, "preempted", "another process took the CPU %llu times during the run",
                       (unsigned long long)during->involuntary_switches);
}
