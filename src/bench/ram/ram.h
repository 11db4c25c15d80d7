/* SPDX-License-Identifier: MIT */
/* Parts of `uarchprobe ram` shared by its files: what is measured (points), on what (lanes), and what it came to. */
#pragma once

#include "engine/select.h"
#include "params.h"
#include "uarchprobe/chase.h"
#include "uarchprobe/engine.h"
#include "uarchprobe/memory.h"
#include "uarchprobe/pin.h"
#include "uarchprobe/stats.h"

extern const char *const ram_task_names[];   /* index: enum operation */
extern const char *const ram_bits_choices[]; /* "8" .. "2048", index = log2(bits) - 3 */

/* What a thread keeps of a point. */
struct ram_memory {
    void *node;     /* latency: where its walk stands */
    uint64_t loads; /* and how many it has made */
    bool checked;   /* others: what the kernel returned was right, and was this */
    uint64_t result;
};

/* What a kernel is given: its bytes of the buffers, of one thread. */
struct ram_work {
    const struct kernel *kernel;
    unsigned char *source, *target;
    uint64_t bytes;
    struct chase chase;        /* latency: the chain, and where its walk stands */
    struct ram_memory *memory; /* of the point, in this thread */
};

/* All that is known of an operation as a task: what is counted, and what its kernel is given, the target first and the source second. */
struct ram_task {
    unsigned footprint, traffic; /* in buffers of the size that is typed */
    unsigned divisor;            /* of that size, for what the kernel is given */
    bool loads;                  /* from the source */
    bool on_target;              /* and works on the target, too */
    bool stores;                 /* to the target */
};
extern const struct ram_task ram_tasks[]; /* index: enum operation */
enum { RAM_TASK_COUNT = OPERATION_LATENCY + 1 };

uint64_t ram_call(const struct ram_work *work, uint64_t passes);
/* A pass on poisoned memory, of which every byte is checked; compare must see a difference, too. */
bool ram_proves(const struct ram_work *work);
/* Before and after a sample: buffers that compare equal, and marks in the first, middle and last byte of what is read: an OR
 * that misses one of these bytes is wrong. */
void ram_begin(const struct ram_work *work);
void ram_toggle_marks(const struct ram_work *work);
/* What a pass came to: of copy and write the bytes, of others what the kernel returned. */
bool ram_is_right(const struct ram_work *work, uint64_t result);

enum {
    RAM_LEVELS_MAX = 6,
    RAM_SETS_MAX = SIZE_LIST_MAX,
    RAM_PLACEMENTS = 6,
    RAM_NAME = 64 /* of a level, of a set */
};

struct working_set {
    uint64_t bytes;   /* --size: of each buffer; default: the footprint of every task */
    int level;        /* that it was chosen for, last_level + 1 for memory; 0: it was typed */
    bool chased_only; /* for the latency alone */
};

/* One thing that is sampled, a kernel on a working set, in ns and core cycles of a pass, or of a load of a chain. */
enum ram_cell { RAM_NS, RAM_CYCLES, RAM_WIDTH };
struct ram_point {
    const struct kernel *kernel;
    const struct working_set *set;
    size_t group;
    uint64_t bytes;        /* buffer size as RAMOMETER counts it, rounded down to whole elements */
    uint64_t footprint;    /* bytes that one thread keeps touching */
    uint64_t kernel_bytes; /* what the kernel is called with */
    int level;             /* where the footprint fits by the sizes shown, last_level + 1: memory */
    uint64_t chain_offset; /* latency: where in the source, or its placement, its chain begins */
    uint64_t passes;       /* of a sample; latency: dependent loads; 0: it was left out */
    double expected_s;     /* what the next sample takes, as the last one did; with all that goes with it */
    /* By ram_estimate: what the fastest of its group takes, as many times as it takes longer; without an answer its median. NaN: unknown. */
    double value[RAM_WIDTH];
    bool tie; /* noise alone may have kept it from being the fastest */
};

/* What a kernel comes to in a state of the sibling. */
struct ram_value {
    struct estimate
        judged; /* in cycles within the core, where they are known, as time follows the core clock there; else in ns */
    bool by_cycles;
    double of[RAM_WIDTH]; /* cycles NaN: unknown */
};

/* The kernels of one task on one working set, neighbours among the points, and what the fastest comes to (ram_estimate). */
struct ram_group {
    size_t first;                  /* point */
    struct rivals rivals;          /* by ns of all samples */
    const struct ram_point *best;  /* NULL: not all of them were sampled in enough rounds */
    struct ram_value value, other; /* other: with the sibling in the other state */
    bool has_other;                /* it was in that often enough */
    bool implausible;              /* it is slower with the sibling idle than active */
};

/* How far a level reaches by its latencies: footprints of chains, 0: there is none. */
struct ram_plateau {
    uint64_t first; /* the smallest, whose latency is the level's */
    uint64_t holds; /* the largest with that latency, all smaller ones included */
    uint64_t after; /* the first that takes longer */
    double first_ns, after_ns;
    bool falls; /* a larger chain takes less than a smaller one: it is no plateau */
};

struct ram_plan {
    struct working_set sets[RAM_SETS_MAX]; /* ascending */
    int set_count;
    struct ram_point *points; /* set by set, task by task */
    struct rival *rival;      /* of each */
    struct ram_group *groups;
    size_t point_count, group_count;
    uint64_t threads;
    bool guest;                          /* or it may be one */
    const char *left_out;                /* why memory is; NULL: it is measured, or sizes were typed */
    struct engine_data data;             /* of point i the cells from RAM_WIDTH x i on */
    double loads, stores;                /* bytes that the core moves in a cycle at most; 0 or NaN: unknown */
    uint64_t source_bytes, target_bytes; /* of each thread */
    uint64_t near_source, near_target;   /* of them, from the start on, of a placement of L1 and L2 */
    uint64_t line_bytes, page_bytes;     /* of a cache line; the smallest page */
    int last_level;
    uint64_t share[RAM_LEVELS_MAX]; /* by level: bytes of a cache for each of the threads that share it */
};

/* Builds all points that the parameters and this CPU leave, or a fault. The default sets that do not fit into
 * `room` bytes (all threads) are made smaller or, for DRAM, left out, with a warning in the record. Freed by ram_plan_free
 * in any case, with the samples. */
enum status ram_plan_make(struct ram_plan *plan, const struct ram_params *params, const struct run *run,
                          uint64_t room, struct fault *fault);
void ram_plan_free(struct ram_plan *plan);
/* Makes groups and rivals of the points. */
void ram_plan_group(struct ram_plan *plan);
/* All threads together. */
static inline uint64_t ram_plan_memory(const struct ram_plan *plan)
{
    return plan->threads * (plan->source_bytes + plan->target_bytes);
}

static inline bool ram_is_latency(const struct ram_point *point)
{
    return point->kernel->operation == OPERATION_LATENCY;
}
/* In a cache of the core's own: time follows the core clock and the state of the sibling there. */
static inline bool ram_is_near(const struct ram_point *point)
{
    return point->level <= 2;
}
static inline bool ram_in_cache(const struct ram_plan *plan, const struct ram_point *point)
{
    return point->level <= plan->last_level;
}
/* Through the lines of a latency's set; where they lie is up to the caller. */
struct chase ram_chain(const struct ram_plan *plan, const struct ram_point *point);

/* What one thread has for itself. */
struct ram_lane {
    struct memory source, target;
    struct ram_memory *memory; /* one per point of the plan */
    /* Of the last sample: */
    struct ram_work work;
    struct samples slices; /* ns of a pass (of a load) in each; of so many: */
    uint64_t slice_count, slice_bytes, slice_passes;
    uint64_t result;           /* OR of what the kernel returned */
    uint64_t begin_ns, end_ns; /* when it ran */
    double ns;                 /* of a pass, or of a load */
    double ghz;     /* the clock that its cycles show; NaN where each reading of it was thrown away */
    bool right;     /* it, or the last proof, found what it should; the chain was finished */
    bool preempted; /* another thread had the CPU */
};

/* ns of a pass by the rate of all threads together (the harmonic mean); NaN where they did not run at the same time for
 * most of it: a thread that comes late, or waits, leaves the others alone, and alone they are faster. */
double ram_lanes_ns(const struct ram_lane *lane, int count);

/* A run of the command. */
struct ram {
    struct run *run;
    struct ram_plan *plan;
    struct team *team;
    struct sibling *sibling; /* of the first lane */
    struct ram_lane *lane;
    int count;
    /* What all lanes do at present, and with how many passes. */
    void (*work)(struct ram *ram, struct ram_lane *lane);
    struct ram_point *point;
    uint64_t passes;
    unsigned placement;
    uint64_t preempted;   /* samples during which a lane lost its CPU */
    uint64_t deadline_ns; /* filling, proofs and the building of chains end there; UINT64_MAX: none */
    uint64_t filled;      /* bytes of each source, and of each target */
};

/* Maps the buffers and starts the threads; run and plan are given, all else is zero. */
enum status ram_open(struct ram *ram, int node, struct fault *fault);
void ram_close(struct ram *ram);
/* Fills what the point touches, proves its kernel or builds its chain, and finds the passes of a sample. What deadline_ns leaves no time
 * for has no passes. */
enum status ram_prepare(struct ram *ram, struct ram_point *point, struct fault *fault);
/* For the engine; context is a struct ram. A sample is NaN where it cannot count, its cycles where no reading of the clock stands. Other
 * placements are other pages for what fits L1 or L2: which of its lines compete for an L2 is up to them. Which points are part of a
 * round follows from the samples so far. */
bool ram_sample(void *context, size_t index, size_t count, double *value, struct fault *fault);
bool ram_remap(void *context, unsigned placement, struct fault *fault);
bool ram_wants(void *context, size_t index, uint64_t round);

/* Measures all points, adds rows and answers; with --dry-run, the plan alone. */
enum status ram_measure(struct run *run, struct ram_plan *plan, int node, struct fault *fault);

/* How long a sample of the point is to take. */
double ram_sample_ns(const struct common *common, const struct ram_point *point);
/* What each group, and each point, comes to. */
void ram_estimate(struct ram_plan *plan);
/* Of an operation on a set; NULL: it has no answer. */
const struct ram_group *ram_group_of(const struct ram_plan *plan, enum operation operation,
                                     const struct working_set *set);
struct ram_plateau ram_plateau_of(const struct ram_plan *plan, int level);
/* level: "L1", "L2", ..., "DRAM"; "L3 or DRAM" where the plateau of the level ends below the point, and a stream is no faster than one of
 * memory. set: "L2 256 KiB"; without the level where it was typed, or the level is not what was measured. */
void ram_names(const struct ram_plan *plan, const struct ram_point *point, char level[RAM_NAME],
               char set[RAM_NAME]);

/* The tables of the result: a row for every point that was sampled, with its samples; then views of them. page_bytes:
 * obtained for the source. And the answers: the best kernel of every task on every working set. */
void ram_rows(struct record *record, const struct ram_plan *plan, uint64_t page_bytes);
void ram_answers(struct record *record, const struct ram_plan *plan);
