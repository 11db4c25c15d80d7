/* SPDX-License-Identifier: MIT */
/* The machine at hand behind the engine's looks. */
#include "uarchprobe/engine.h"

#include <math.h>

#include "uarchprobe/cycles.h"
#include "uarchprobe/pin.h"

static const double LOOK_DEADLINE_S = 60;

static uint64_t host_now_ns(void *context)
{
    return clock_now_ns();
}

/* The clock first: what the samples left behind of it does not last. */
static void look_here(struct engine_host *host, struct moment *moment)
{
    moment->ghz = core_clock_read(host->core_clock);
    moment->reading = sibling_read(host->sibling);
    moment->switches = host->switches ? host->switches(host->context) : pin_involuntary_switches();
}

struct look {
    struct engine_host *host;
    struct moment *moment;
};

static void look_as_member(void *context, int member)
{
    struct look *look = context;
    look_here(look->host, look->moment);
}

static void host_look(void *context, struct moment *moment)
{
    struct engine_host *host = context;
    struct look look = {host, moment};
    static const int first = 0;
    const uint64_t begin_ns = clock_now_ns();
    if (!host->team)
        look_here(host, moment);
    else if (!team_run_on(host->team, &first, 1, look_as_member, &look, LOOK_DEADLINE_S))
        host->stuck = true;
    host->core_clock->looking_s += (double)(clock_now_ns() - begin_ns) / 1e9;
}

static bool host_interrupted(void *context)
{
    const struct engine_host *host = context;
    return host->stuck || host->taken->status || (host->interrupted && host->interrupted(host->context));
}

static bool host_in_place(void *context)
{
    const struct engine_host *host = context;
    const struct team *team = host->team ? host->team : host->with;
    return (team ? team_check(team, host->taken) : pin_check(0, pin_wanted(), host->taken)) == STATUS_OK;
}

static void host_stood_still(void *context, double seconds)
{
    ((struct engine_host *)context)->core_clock->stopped_s += seconds;
}

static uint64_t host_ticks(void *context)
{
    return clock_ticks();
}

/* The witness learns its range in its first sweeps, which take as long as fifty looks. */
struct engine_machine engine_host_machine(struct engine_host *host)
{
    host_look(host, &(struct moment){0});
    return (struct engine_machine){host,          host_now_ns,      host_look, host_interrupted,
                                   host_in_place, host_stood_still, host_ticks};
}
