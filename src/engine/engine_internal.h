/* SPDX-License-Identifier: MIT */
/* What the files of the engine share, and its tests. */
#pragma once

#include "uarchprobe/clock.h"
#include "uarchprobe/engine.h"

enum { STEP_VALUES = 513 }; /* values that a count may have, and points of a curve */

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

/* Files the last moment, and all others anew where the witness knows better by now. */
void state_count(struct engine_data *data);
/* Of the samples filed under the state, the share during which it was left and entered again unseen, as far as the
 * changes that were seen tell. */
double state_hidden_share(const struct engine_data *data, enum state state);

/* One reading of the core clock, made of the times of three chains. Pure. */
enum { CHAIN_ROUNDS = 5 };

/* In operations: two chains of additions, one of multiplications (0: none). */
struct chain_lengths {
    uint64_t shorter, longer, multiply;
};

struct chain_ticks {
    double shorter[CHAIN_ROUNDS], longer[CHAIN_ROUNDS], multiply[CHAIN_ROUNDS];
};

/* NaN: the times contradict each other. */
struct chain_fit {
    double ghz;
    double multiply; /* cycles of one multiplication; NaN without that chain, too */
};

/* The two chains of additions differ by `least` operations, or more where the clock's steps are coarse: their
 * difference lasts at least 50 steps. */
struct chain_lengths chain_lengths_for(const struct clock *clock, uint64_t least);
/* multiply: cycles of a multiplication on this CPU; 0: unknown, the reading is not held against it. */
struct chain_fit chain_fit_of(const struct clock *clock, const struct chain_lengths *length,
                              const struct chain_ticks *ticks, double multiply);
