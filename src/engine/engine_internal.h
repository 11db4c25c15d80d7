/* SPDX-License-Identifier: MIT */
/* What the files of the engine share, and its tests. */
#pragma once

#include "uarchprobe/engine.h"

/* Where time and probes come from; tests script them. */
struct engine_machine {
    void *context;
    uint64_t (*now_ns)(void *context);
    void (*probe)(void *context, struct moment *moment); /* all that is not the engine's but the times */
    bool (*interrupted)(void *context);
    /* Whether the threads that measure are still where they were put. Where not, sampling is over as by an interruption, and
     * what was sampled since the last probe is left out. NULL: they always are. */
    bool (*in_place)(void *context);
    void (*stood_still)(void *context, double seconds); /* all of it was stopped so long; NULL: not asked */
    uint64_t (*ticks)(void *context); /* of the clock that times what an experiment does; of run->clock */
    void (*progress)(void *context, double done); /* 0..1; or NULL */
};

struct engine_machine engine_host_machine(struct engine_host *host);

/* data is zero-initialised by the caller and freed by engine_data_free in any case. */
enum engine_end engine_run(const struct engine_bench *bench, const struct engine_machine *machine,
                           const struct engine_effort *effort, struct engine_data *data, struct fault *fault);

extern const double MEDIUM; /* what medium promises, as a share of the value */
