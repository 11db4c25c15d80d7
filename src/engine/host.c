/* SPDX-License-Identifier: MIT */
/* The machine at hand behind the engine's probes. */
#include "uarchprobe/engine.h"

#include "uarchprobe/cycles.h"
#include "uarchprobe/pin.h"

static const double PROBE_DEADLINE_S = 60;

static uint64_t now_ns(void *context)
{
    return clock_now_ns();
}

struct probe {
    struct engine_host *host;
    struct moment *moment;
};

/* The clock first: what the samples left behind of it does not last. */
static void probe_here(void *context, int member)
{
    const struct probe *probe = context;
    struct engine_host *host = probe->host;
    probe->moment->ghz = core_clock_read(host->core_clock);
    probe->moment->reading = sibling_read(host->sibling);
    probe->moment->switches = host->switches ? host->switches(host->context) : pin_involuntary_switches();
}

static void probe(void *context, struct moment *moment)
{
    struct engine_host *host = context;
    struct probe probe = {host, moment};
    static const int first = 0;
    const uint64_t begin_ns = clock_now_ns();
    if (!host->team)
        probe_here(&probe, first);
    else if (!team_run_on(host->team, &first, 1, probe_here, &probe, PROBE_DEADLINE_S))
        host->stuck = true;
    host->core_clock->probing_s += (double)(clock_now_ns() - begin_ns) / 1e9;
}

static bool interrupted(void *context)
{
    const struct engine_host *host = context;
    return host->stuck || host->taken->status || (host->interrupted && host->interrupted(host->context));
}

static bool in_place(void *context)
{
    const struct engine_host *host = context;
    const struct team *team = host->team ? host->team : host->with;
    return (team ? team_check(team, host->taken) : pin_check(0, pin_wanted(), host->taken)) == STATUS_OK;
}

static void stood_still(void *context, double seconds)
{
    ((struct engine_host *)context)->core_clock->stopped_s += seconds;
}

static uint64_t ticks(void *context)
{
    return clock_ticks();
}

/* The witness learns its range in its first sweeps, which take as long as fifty probes. */
struct engine_machine engine_host_machine(struct engine_host *host)
{
    probe(host, &(struct moment){0});
    return (struct engine_machine){host, now_ns, probe, interrupted, in_place, stood_still, ticks};
}
