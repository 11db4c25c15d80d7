/* SPDX-License-Identifier: MIT */
/* Where pairs of a store and a load are timed: memory of 4 KiB pages, the passes over all points, the core
 * clock beside them. */
#ifndef UARCHPROBE_STLF_LAB_H
#define UARCHPROBE_STLF_LAB_H

#include "samples.h"
#include "uarchprobe/command.h"
#include "uarchprobe/memory.h"
#include "uarchprobe/pin.h"
#include "uarchprobe/sibling.h"

struct stlf_point {
    const struct kernel *kernel; /* of OPERATION_FORWARD_* or OPERATION_LATENCY */
    long store, load;            /* bytes from a page boundary, at most STLF_REACH either way */
    unsigned pairs;              /* in a pass; at most the units of the sled */
    uint64_t added;              /* OPERATION_FORWARD_ADD: added to what was loaded */
};

enum { STLF_REACH = 2 << 20, STLF_PAIRS_A_SAMPLE = 640 };

/* Points to measure, and their values. */
struct stlf_set {
    size_t count;
    struct stlf_point *point;
    unsigned total;   /* pairs in a sample; 0: STLF_PAIRS_A_SAMPLE */
    double *cycles;   /* a pair; with the sibling idle where it was seen to be so for a part of the time */
    double *spread;   /* p90 - p10 of the samples */
    double *active;   /* with the sibling seen active; NaN where that was too rare */
    bool *steady;     /* the two halves of the passes agree */
    double agreement; /* share of the points that are steady */
    size_t rounds;    /* over all points */
    size_t passes, idle, busy; /* samples of a point; those with the sibling seen idle, and active */
    bool complete;             /* false: ended before the first rounds were done */
};

bool stlf_set_init(struct stlf_set *set, size_t count);
void stlf_set_free(struct stlf_set *set);

struct stlf_effort {
    size_t first;     /* rounds before the halves are compared */
    size_t most;      /* rounds at which it ends in any case */
    size_t samples;   /* of each point in a round */
    double agreement; /* share of steady points that is enough */
    double budget_s;  /* no further rounds after the first ones once it is over; 0: none */
};

struct stlf_lab {
    const struct run *run;
    const struct kernel *latency;
    struct memory memory;
    unsigned scale;    /* samples are so many times longer, for the clock's sake */
    struct team *team; /* with the SMT sibling; NULL: alone */
    struct sibling *witness;
    uint64_t deadline_ticks; /* no sample after it; UINT64_MAX: none */
    uint64_t share_ends_ns;  /* of the set being measured, by the time budget; 0: no budget */
    size_t sets_left;        /* that share what is left of the time budget */
    size_t thin_sets;        /* that the time budget ended before their first rounds were done */
    double done, share;      /* of the run, for the progress line: before, and of, the set being measured */
    const char *what;
};

/* Maps memory and pins the calling thread to the first CPU of the run. smt: the same pairs run on its SMT
 * sibling at the same time. Faults: STATUS_NO_RESOURCE (no sibling here, no memory). */
enum status stlf_lab_open(struct stlf_lab *lab, const struct run *run, bool smt, struct fault *fault);
void stlf_lab_close(struct stlf_lab *lab);
/* Everything that is measured from here on, in so many sets, ends within that time. */
void stlf_lab_limit(struct stlf_lab *lab, double seconds, size_t sets);
/* Whether the share of the set being measured has been used up. */
bool stlf_share_is_over(const struct stlf_lab *lab);
bool stlf_may_be_renamed(const struct stlf_point *point);
/* The pairs of the set in rounds over all of them, and no point again. */
enum status stlf_measure_once(struct stlf_lab *lab, struct stlf_set *set, const struct stlf_effort *effort,
                              struct fault *fault);
/* The pairs of the set, in rounds. Points that are not steady, or whose samples lie far apart, are measured
 * again alone. */
enum status stlf_measure(struct stlf_lab *lab, struct stlf_set *set, const struct stlf_effort *effort,
                         struct fault *fault);
/* Those points of the set that are marked, alone, with longer samples. */
enum status stlf_measure_again(struct stlf_lab *lab, struct stlf_set *set, const bool *marked,
                               const struct stlf_effort *effort, struct fault *fault);

#endif
