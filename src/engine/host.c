/* SPDX-License-Identifier: MIT */
/* The engine's probes of this machine. */
#include "engine/engine_internal.h"

#include "uarchprobe/experiment.h"
#include "uarchprobe/pin.h"

static uint64_t now_ns(void *context)
{
    return clock_now_ns();
}

struct probe {
    struct engine_host *host;
    struct moment *moment;
};

static struct core_clock *core_clock_of(const struct engine_host *host)
{
    return host->core_clock ? host->core_clock : host->run->core_clock;
}

static uint64_t switches(void *context)
{
    const struct engine_host *host = context;
    return host->switches ? host->switches(host->context) : pin_involuntary_switches();
}

static void forgive(void *context, uint64_t before)
{
    pin_forgive_switches(before);
}

/* The clock comes first: the one under the samples does not last. */
static void probe_here(void *context, int member)
{
    const struct probe *probe = context;
    struct engine_host *host = probe->host;
    probe->moment->ghz = core_clock_read(core_clock_of(host));
    probe->moment->reading = sibling_read(host->sibling, probe->moment->ghz);
    probe->moment->switches = switches(host);
}

static void probe(void *context, struct moment *moment)
{
    struct engine_host *host = context;
    struct probe probe = {host, moment};
    const uint64_t begin_ns = clock_now_ns();
    if (!host->team)
        probe_here(&probe, 0);
    else if (!team_run(host->team, NULL, 1, probe_here, &probe, 0))
        host->stuck = !run_has_ended(host->run);
    core_clock_of(host)->probing_s += (double)(clock_now_ns() - begin_ns) / 1e9;
}

static bool interrupted(void *context)
{
    const struct engine_host *host = context;
    return host->stuck || run_has_ended(host->run);
}

static bool in_place(void *context)
{
    const struct engine_host *host = context;
    struct fault *taken = host->run->taken;
    return pin_check(0, host->team ? -1 : pin_wanted(), taken) == STATUS_OK &&
           teams_check(taken) == STATUS_OK;
}

static void stood_still(void *context, double seconds)
{
    core_clock_of(context)->stopped_s += seconds;
}

static uint64_t ticks(void *context)
{
    return clock_ticks();
}

static uint64_t waited_ns(void *context)
{
    return clock_waited_ns();
}

static void progress(void *context, double done)
{
    const struct engine_host *host = context;
    const double all = host->of ? ((double)host->index + done) / (double)host->of : done;
    const double seconds = (double)(clock_now_ns() - host->begin_ns) / 1e9;
    run_progress(host->run, all, all > 0 ? seconds * (1 - all) / all : -1, host->what);
}

static bool run_team(void *context, struct team *team, const int *member, int count, team_task *task,
                     void *task_context, double planned_s)
{
    return team_run(team, member, count, task, task_context, planned_s);
}

/* Lets the witness learn its range in its first rounds, which take as long as fifty probes. */
struct engine_machine engine_host_machine(struct engine_host *host)
{
    host->begin_ns = clock_now_ns();
    probe(host, &(struct moment){0});
    return (struct engine_machine){host,  now_ns,   probe,     interrupted, in_place, stood_still,
                                   ticks, progress, waited_ns, switches,    forgive,  run_team};
}
