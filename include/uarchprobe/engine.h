/* SPDX-License-Identifier: MIT */
/* The one way to measure. A bench defines its points and takes one sample of some of them; the engine
 * takes them in rounds (every point once, then all again, because noise comes in bursts), probes the machine
 * between batches of about a millisecond, and files each sample under the state that the machine was in.
 * Values of different states are never averaged. docs/truth.md has how far its promises held. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "uarchprobe/own_time.h"
#include "uarchprobe/record.h"
#include "uarchprobe/stats.h"
#include "uarchprobe/status.h"

struct clock;
struct cpu;
struct sibling;

/* The sibling witness. On an SMT core the store buffer is split while the sibling runs, and other
 * structures with it. A guest cannot see that sibling, but a few points of the iso experiment (some 20 us)
 * show the whole size or the half. A reading, and its meaning by now: */
struct reading {
    uint16_t entries; /* of the store buffer that this thread had; 0: unresolved */
    uint16_t whole;   /* taken for all of them: a later reading may have twice as many; 0: unknown */
    bool sure;        /* that is proved: its half was seen, too, it is certainly the size of this core, or
                         independent instructions ran as on a core of its own */
};
/* Never mixed. */
enum state reading_state(unsigned entries, unsigned whole);

/* NULL under an emulator, which has no store buffer; all other functions then do nothing. Freed by
 * sibling_free. */
struct sibling *sibling_new(const struct cpu *cpu, const struct clock *clock);
void sibling_free(struct sibling *sibling);
/* On the CPU of the calling thread; one thread at a time. The first call takes some 5 ms more, to learn
 * the size. ghz: its core clock, with which independent instructions may prove that the sibling is idle;
 * NaN: they are not asked. */
struct reading sibling_read(struct sibling *sibling, double ghz);
/* Names the size by which states are told now in the answers recorded so far that name none. */
void sibling_sign(const struct sibling *sibling, struct record *record);
/* Raises the trust of answers that were judged before the size by which their states were told was proved. */
void sibling_prove(const struct sibling *sibling, struct record *record);
/* Does both and sets the record's conditions: the share of the readings that found the buffer halved (NaN:
 * the size was not resolved, or nothing proves that it is the whole), and adds a warning when the share is
 * above a fifth or came in spells. */
void sibling_record(const struct sibling *sibling, struct record *record);

/* When a member of a team did the parts of its sample, and what an iteration took it. */
struct member_time {
    uint64_t begin_ns, end_ns;
    double ns;
};
/* ns of an iteration at the mean of the rates of all members. NaN: they did not run together for most of
 * it. */
double members_ns(const struct member_time *time, int count);

/* A probe of the machine between two batches. */
struct moment {
    uint64_t begin_ns, end_ns; /* of the probe itself */
    double ghz;                /* core clock; NaN: the reading contradicted itself */
    uint64_t switches;         /* involuntary ones of the measuring threads so far */
    struct reading reading;    /* of the witness */
    unsigned placement;        /* how often the bench had been re-mapped; the engine's */
    enum state sibling;        /* from the reading and all that is known by now; never mixed; the engine's */
};

struct core_clock;
struct run;
struct team;

/* The machine at hand, for a run. Nothing is sampled once a CPU was taken away. The thread that measures
 * takes the probes: the calling one, or the team's first member. */
struct engine_host {
    struct run *run;
    const char *what;              /* "rounds", where progress is shown */
    struct sibling *sibling;       /* or NULL */
    struct team *team;             /* of engine_host_start, or a bench's own; NULL: none */
    int *cpu;                      /* of its members; engine_host_start's */
    struct core_clock *core_clock; /* that keeps the readings; NULL: that of the run */
    void *context;
    uint64_t (*switches)(void *context); /* NULL: of the thread that probes */
    size_t index, of;                    /* of several experiments this one; of 0: it is the only one */
    uint64_t begin_ns;                   /* engine_host_machine's */
    bool stuck;                          /* the team did not come back, though no signal came */
};

/* Starts a team for the samples of a bench, member i on cpu[i]. Fault: STATUS_NO_RESOURCE, a thread cannot
 * be had or put there. */
enum status engine_host_start(struct engine_host *host, const int *cpu, int count, struct fault *fault);
/* Ends the threads. */
void engine_host_end(struct engine_host *host);
/* Runs task(context, member) on these members at the same time, or on the first ones (member NULL). False:
 * not all came back, though it was planned to take only so long: *fault has why. Without a fault the run has
 * ended. */
bool engine_host_together(struct engine_host *host, const int *member, int count,
                          void (*task)(void *context, int member), void *context, double planned_s,
                          struct fault *fault);

#define ENGINE_LATER UINT64_MAX

struct engine_data;
struct engine_bench {
    void *context;
    size_t points;
    size_t width;        /* values of one sample, 1 or more */
    const size_t *group; /* group g is points group[g] to group[g + 1] - 1, sampled side by side; the last is
                            followed by `points`. NULL: each point alone */
    size_t groups;       /* with group */
    const size_t *order; /* of the groups in a round; NULL: as they are */
    bool cycles;         /* values are ns, kept in cycles of the core clock found around them */
    /* One sample of `count` points from `first`: count x width values; NaN where one could not be taken.
     * False with *fault set ends everything. */
    bool (*sample)(void *context, size_t first, size_t count, double *value, struct fault *fault);
    /* Takes other addresses, for values that depend on them; NULL: none does. */
    bool (*remap)(void *context, unsigned placement, struct fault *fault);
    bool budget_binds_all; /* no sample begins after it, where otherwise the first round is whole */
    /* Seconds that the next sample of a group, named by its first point, is expected to take: none begins
     * that would end beyond the budget. NULL: they are short. */
    double (*expected_s)(void *context, size_t first);
    /* Whether a group, named by its first point, is sampled in this round or, ENGINE_LATER, in any to
     * come: a group in none delays no end. NULL: each is. */
    bool (*wants)(void *context, size_t first, uint64_t round);
    /* Before the first sample of a round: prepares the groups that join in it. False with *fault set ends
     * everything. NULL: all are prepared. */
    bool (*begins)(void *context, uint64_t round, struct fault *fault);
    /* Whether the samples so far are enough, asked in place of `settled`; NULL: intervals decide. */
    bool (*enough)(void *context, const struct engine_data *data);
};

struct engine_effort {
    uint64_t rounds;      /* exactly so many; 0: from `least` until settled, `most` or the budget */
    uint64_t samples;     /* of a point in a round; 0: 1 */
    uint64_t least, most; /* rounds; most 0: none but the budget */
    double budget_s;   /* from `begin` on; binds every round but the first (see budget_binds_all); 0: none */
    bool is_wall;      /* the budget is the user's, of wall time; all others are time of one's own */
    double patience_s; /* binds the rounds beyond `least`, where they take longer than planned; 0: none */
    double duration_s; /* neither settled nor at `most` before; 0: none */
    struct stopwatch begin;  /* of the budget; 0: the first probe */
    double batch_s;          /* between two probes; 0: 1 ms */
    unsigned placements;     /* with remap; spread over the least rounds, or over: */
    uint64_t placing_rounds; /* 0: the least */
    double settled;          /* relative width of all intervals at which it is enough; 0: never */
    size_t bytes_most;       /* of the samples kept; 0: 32 MiB */
};

enum engine_end { ENGINE_SETTLED, ENGINE_ROUNDS, ENGINE_BUDGET, ENGINE_INTERRUPTED, ENGINE_FAILED };

/* The samples: all, or, where these are too many, an even part of the whole run. Estimates and their
 * counts rest on the samples kept; rounds, times and shares of probes are of all. Cell: point x width + which
 * value. */
struct engine_data {
    size_t cells, kept; /* kept: rounds, each sample of one by itself, the last perhaps in part */
    uint64_t taken;     /* all: rounds x samples */
    bool cycles;
    float *value;     /* kept x cells; NaN: not taken */
    uint32_t *before; /* kept x points: the moment before; the next one is after */
    uint64_t *number; /* by round: which of all it is, from 0 */
    size_t points, capacity;
    struct moment *moment; /* the probes that samples lie next to */
    size_t moments, moment_capacity;
    size_t row;               /* of the round under way; behind all others: it is not kept */
    unsigned halvings;        /* one round in 2^halvings is kept */
    bool filed, spare;        /* a sample was kept since the last probe; none lies next to that */
    struct reading reading;   /* of the last probe */
    size_t seen[STATE_COUNT], /* probes by state */
        followed[STATE_COUNT][STATE_COUNT]; /* and by that of the next, where samples lie in between */
    bool sampled;                           /* since the last probe */
    uint64_t rounds;                        /* whole ones */
    enum engine_end end;
    double seconds, probing_s; /* all, and of it the engine's own probes */
};

void engine_data_free(struct engine_data *data);
/* The values of a sample of an experiment, in this order. Other benches number theirs in an order of their
 * own. */
enum sample_unit { UNIT_NS, UNIT_CYCLES };
/* One value of the sample of a point in a round, as the bench returned it. NaN: it was not taken. */
static inline double sample_value(const struct engine_data *data, size_t round, size_t point, size_t unit)
{
    const size_t width = data->cells / data->points;
    return (double)data->value[round * data->cells + point * width + unit];
}
/* The state in which a sample was taken. */
enum state engine_state(const struct engine_data *data, size_t round, size_t cell);
/* In the unit of estimates: cycles where the bench says so. NaN: not taken, no probe followed, or the
 * clock moved. */
double engine_value(const struct engine_data *data, size_t round, size_t cell);
/* Whether something else had the CPU around a sample. */
bool engine_disturbed(const struct engine_data *data, size_t round, size_t cell);
/* Share of the probes that found the state; NaN without probes. */
double engine_share(const struct engine_data *data, enum state state);

/* The estimate of one cell in one state. */
struct estimate {
    enum state state;
    struct summary summary;  /* of the samples that count */
    size_t taken, disturbed; /* of the state: all; those with another process, or a moved clock */
    double value, low, high; /* the estimate and its 99 % interval */
    double first, second;    /* of the two halves of the run */
    double plateau; /* the best of all samples, whatever their state: the end of a twentieth or a tenth */
    double tilt; /* of a value that is its plateau: from the best twentieth to the best fifth, as a share */
    double mode[2]; /* medians of the two modes of the samples, the faster first; NaN: there is one */
    unsigned placements;
    double placement_low, placement_high; /* least and largest estimate of a placement */
    size_t visits;                        /* how often the state was entered while these samples were taken */
    bool indifferent;                     /* the same with the sibling idle and busy */
    bool unproved; /* filed as idle, but nothing proves that the witness saw the whole */
    struct parts parts;
};

/* quantile: of the costs, 0.5 for the median. STATE_MIXED: of all samples, whatever their state. False: no
 * sample. */
bool engine_estimate(const struct engine_data *data, size_t cell, enum state state, double quantile,
                     struct estimate *estimate);
/* The state whose estimate is worth reporting first: idle where it was there for a tenth of the probes,
 * else the more frequent one. */
enum state engine_main_state(const struct engine_data *data);

/* The demands of an answer on its estimate. */
struct promise {
    double relative, absolute; /* the promise of high: the larger of the two */
    unsigned placements;       /* that it rests on at least; 0: it depends on no placement */
    double at_least, at_most;  /* bounds of the possible; NaN: none */
    bool floor;                /* noise only adds to it, so that its plateau is a second estimate */
    /* A reason that no number of samples takes away, by what it limits; LIMITED_BY_NONE: there is none. A
     * doubt leaves medium at most (another run may find another value, nothing proves it), a refusal low
     * (another method that must agree does not). A bench states them here and has no word of trust of its
     * own. */
    enum limited_by doubt, refusal;
};

/* 2 % or 0.1 cycle within the core, 5 % beyond. */
extern const struct promise promise_core, promise_beyond;

struct verdict {
    enum trust trust;
    enum limited_by limited_by; /* the first that keeps it from high */
    double within;              /* the promise of high, as a share; 0: none was asked */
    double within_absolute;     /* of a count: in its unit; 0: it is a share */
    /* The same judged as if the sibling were proved to be idle, which counts once something proves it. */
    enum trust proved_trust;
    enum limited_by proved_limited_by;
};

struct verdict trust_judge(const struct estimate *estimate, const struct promise *promise);
/* Whether all samples were disturbed. Such an estimate is good for a table, but is no answer. */
static inline bool estimate_is_disturbed(const struct estimate *estimate)
{
    return estimate->taken > 0 && estimate->disturbed == estimate->taken;
}
/* Why its samples have no range: their number, if it is one to three, or that all were disturbed; NULL:
 * they have one. */
const char *estimate_reason(const struct estimate *estimate);
/* An answer with everything from its estimate, and the reason above as its remark; key, unit and other
 * text are the caller's. */
struct answer answer_of(const struct estimate *estimate, struct verdict verdict);
/* The same, judged by a promise. */
struct answer answer_judged(const struct estimate *estimate, const struct promise *promise);
/* Trust of an answer that no estimate judges, such as a count of what was seen: high but for a doubt or a
 * refusal, as those of a promise. */
void answer_cap(struct answer *answer, enum limited_by doubt, enum limited_by refusal);
/* An answer is trusted no more than another one that it rests on. */
void answer_rests_on(struct answer *answer, const struct answer *part);
/* The lesser of two, within the wider of both: of an answer that rests on both. */
struct verdict verdict_lesser(struct verdict a, struct verdict b);
/* Where no estimate is judged: high but for a doubt or a refusal, as those of a promise. */
struct verdict verdict_capped(enum limited_by doubt, enum limited_by refusal);
/* Medium until the sibling is proved to be idle, high then; high if it is proved already. */
struct verdict verdict_unproved(bool unproved, enum limited_by limited_by);
void answer_take(struct answer *answer, struct verdict verdict);
/* Records an answer that is known and not measured: what the machine shows, or what the run was given,
 * which an unpromised one of another run may not have. */
void record_known(struct record *record, struct answer answer);
/* Nothing limits high. */
static inline bool verdict_is_low(struct verdict verdict)
{
    return verdict.trust == TRUST_LOW;
}
