/* SPDX-License-Identifier: MIT */
/* Where pairs of a store and a load are timed: memory, how one sample is taken, and what a set of points amounts to. */
#ifndef UARCHPROBE_STLF_LAB_H
#define UARCHPROBE_STLF_LAB_H

#include "uarchprobe/chase.h"
#include "uarchprobe/command.h"
#include "uarchprobe/engine.h"
#include "uarchprobe/memory.h"
#include "uarchprobe/pin.h"

struct stlf_point {
    const struct kernel *kernel; /* of OPERATION_FORWARD_* or OPERATION_LATENCY */
    long store, load;            /* bytes from a page boundary, up to two pages and a far load's distance */
    unsigned pairs;              /* in a pass; at most the units of the sled */
    uint64_t added;              /* OPERATION_FORWARD_ADD: added to what was loaded */
    const char *series;          /* that it belongs to; or NULL */
};

enum { STLF_FAR = 1 << 20, STLF_PAIRS_A_SAMPLE = 640, STLF_PLACEMENTS = 8 };

/* Points to measure, and what each of them amounts to: core cycles a pair. */
struct stlf_set {
    size_t count;
    struct stlf_point *point;
    unsigned pairs; /* in a sample */
    struct estimate
        *estimate; /* in `state` where the point was seen in it, else in STATE_MIXED; a value of NaN: not
                                  measured */
    struct estimate *active; /* with the sibling active; values are NaN where `both` is false */
    bool (*enough)(
        const struct stlf_set *set); /* whether its estimates are; NULL: never before the time is over */
    enum state state;                /* that is reported first */
    bool second;                     /* another set reports the same points in the other state first */
    bool both;                       /* the sibling was seen idle, and active, in a tenth of the looks each */
    uint64_t rounds;                 /* over all points */
    size_t counted, disturbed;       /* samples of all points in the states that are reported */
    bool complete;                   /* false: ended before the least rounds were done */
};

void stlf_set_init(struct stlf_set *set, size_t count);
void stlf_set_free(struct stlf_set *set);
/* p90 - p10 of the samples */
double stlf_spread(const struct estimate *estimate);
/* Fills the estimates from what was sampled; cell i is point order[i]. False: no point has a value, as where every reading
 * of the core clock was thrown away. */
bool stlf_set_estimate(struct stlf_set *set, const struct engine_data *data, const size_t *order);

struct stlf_lab {
    const struct run *run;
    struct memory memory;
    size_t member_bytes; /* of it, for each thread */
    long page, line;     /* bytes */
    unsigned placement;  /* pages that everything is moved up by */
    double least_ns;     /* of a sample, for the clock's sake */
    uint64_t begin_ns;
    struct team *team; /* with the SMT sibling; NULL: alone */
    struct sibling *witness;
    uint64_t deadline_ns; /* no sample after it; UINT64_MAX: none */
    size_t sets_left;     /* that share what is left of the time budget */
    size_t thin_sets;     /* that the time budget ended before their rounds were done */
    bool complete;        /* all sets so far are */
    size_t idle, active;  /* looks that found the sibling so */
    size_t samples, counted,
        disturbed;      /* of all sets: those that estimates rest on, and those without the CPU or a clock */
    double done, share; /* of the run, for the progress line: before, and of, the set being measured */
};

/* Maps memory and pins the calling thread to the first CPU of the run. far_loads: with room for distances up to STLF_FAR.
 * smt: the same pairs run at the same time on its SMT sibling, which the user may have to name, as guests hide it. Faults:
 * STATUS_NO_RESOURCE (no sibling here, no memory), STATUS_USAGE (its own sibling). */
enum status stlf_lab_open(struct stlf_lab *lab, const struct run *run, bool far_loads, struct cpu_choice smt,
                          struct fault *fault);
void stlf_lab_close(struct stlf_lab *lab);
/* The chain of loads that takes L1's latency: each on a line of its own, all in one page. Pure. */
struct chase stlf_chain(unsigned char *page, long page_bytes, long line_bytes);
/* Everything that is measured from here on, in so many sets, ends within that time. */
void stlf_lab_limit(struct stlf_lab *lab, double seconds, size_t sets);
/* An equal part of the time that is left, in seconds, so that every set has some; 0: no limit. */
double stlf_lab_share(struct stlf_lab *lab);
/* A chain of loads, or of multiplications. */
bool stlf_has_no_store(const struct stlf_point *point);
/* Whether the load may come to be served without going through memory: a predictor has to learn that first. */
bool stlf_may_be_renamed(const struct stlf_point *point);
/* Numbers of the points in the order in which they are sampled: a predictor that has learnt to rename forgets as
 * soon as the same code runs with other addresses, so points that may be renamed come last, by themselves. */
void stlf_order(const struct stlf_set *set, size_t *order);
/* Rounds that fit into the budget, with a fifth to spare, between those that every placement has one in and the least of the
 * effort. */
uint64_t stlf_rounds_within(const struct engine_effort *effort, double round_s);
/* The pairs of the set. The time of the lab binds in addition to that of the effort. */
enum status stlf_measure(struct stlf_lab *lab, struct stlf_set *set, const struct engine_effort *effort,
                         struct fault *fault);

#endif
