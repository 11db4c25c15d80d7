/* SPDX-License-Identifier: MIT */
/* Shared by the files of the engine and its tests. */
#pragma once

#include "uarchprobe/clock.h"
#include "uarchprobe/engine.h"
#include "uarchprobe/pin.h"

enum { STEP_VALUES = 1401 }; /* values that a count may have, and points of a curve */

/* The source of time and probes; tests script it. */
struct engine_machine {
    void *context;
    uint64_t (*now_ns)(void *context);
    void (*probe)(void *context, struct moment *moment); /* fills all but the times */
    bool (*interrupted)(void *context);
    /* Whether the measuring threads are still on their CPUs. If not, sampling ends as by an interruption,
     * without the samples since the last probe. NULL: they always are. */
    bool (*in_place)(void *context);
    void (*stood_still)(void *context,
                        double seconds);          /* reports that the whole machine was stopped; or NULL */
    uint64_t (*ticks)(void *context);             /* of run->clock, which times experiments */
    void (*progress)(void *context, double done); /* 0..1; or NULL */
    uint64_t (*waited_ns)(void *context);         /* own_time.h; NULL: nothing else runs */
    /* How often something else took the CPU from the measuring thread; NULL: nothing else runs. A probe
     * forgets the switches since `before` that the bench forgives: none of them lies in a sample that was
     * kept. */
    uint64_t (*switches)(void *context);
    void (*forgive)(void *context, uint64_t before);
    /* team_run, which simulated machines do without threads: their team is NULL. */
    bool (*run_team)(void *context, struct team *team, const int *member, int count, team_task *task,
                     void *task_context, double planned_s);
};

struct engine_machine engine_host_machine(struct engine_host *host);

/* Reads both clocks, for the begin of an effort. */
struct stopwatch engine_now(const struct engine_machine *machine);
/* Seconds of its budget that are left at least; INFINITY where it has none. Waiting is asked for, and counts,
 * only once the wall time is as long as the budget, so that a quiet run never asks: zero or less is exact,
 * more may be too little. */
double engine_budget_left_s(const struct engine_machine *machine, const struct engine_effort *effort);

/* The caller zeroes data, and frees it by engine_data_free in any case. */
enum engine_end engine_run(const struct engine_bench *bench, const struct engine_machine *machine,
                           const struct engine_effort *effort, struct engine_data *data, struct fault *fault);

extern const double MEDIUM; /* promise of medium trust, as a share of the value */

/* The sample store, samples.c. Begins a round in data->row, without values. Samples take at most bytes_most
 * (0: 32 MiB), and at most bytes_room, which is what memory has for them. */
void round_begin(struct engine_data *data, size_t bytes_most, size_t bytes_room);
/* Adds a sample of `count` points from `first` on, taken since the last probe. */
void sample_add(struct engine_data *data, size_t first, size_t count, const double *value);
/* Makes room for a probe behind the last one that a kept sample needs. */
struct moment *moment_add(struct engine_data *data);
/* Files the last moment; files all anew when the witness learns a larger size. */
void state_count(struct engine_data *data);
/* The share of the samples filed under the state during which it was left and entered again unseen,
 * estimated from the changes that were seen. */
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

/* ghz NaN: the times contradict each other. */
struct chain_fit {
    double ghz;
    double multiply; /* cycles of one multiplication; NaN without that chain, too */
};

/* The two chains of additions differ by at least `least` operations, and by 50 steps of the clock. */
struct chain_lengths chain_lengths_for(const struct clock *clock, uint64_t least);
/* multiply: cycles of a multiplication on this CPU, as a check; 0: unknown. */
struct chain_fit chain_fit_of(const struct clock *clock, const struct chain_lengths *length,
                              const struct chain_ticks *ticks, double multiply);
/* Warns of what the time budget left out, and marks the run as incomplete. */
void effort_left_out(struct run *run, const char *what);
