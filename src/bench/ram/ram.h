/* SPDX-License-Identifier: MIT */
/* Shared by the files of `ram`: what is measured (points), on what (lanes), and the results. */
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

/* A thread's state of a point. */
struct ram_memory {
    void *node;      /* of a chain: the next one of the walk */
    uint64_t loads;  /* latency: of the walk, or of all draws, so far */
    bool checked;    /* others: `result` is right */
    uint64_t result; /* of draws: their state */
};

/* The work of a kernel: its bytes of the buffers of one thread. */
struct ram_work {
    const struct kernel *kernel;
    unsigned char *source, *target;
    uint64_t bytes;
    struct chase chase;        /* latency only: its lines */
    bool streamed;             /* draws: through a cache, which a stream fills first */
    struct ram_memory *memory; /* of the point, in this thread */
};

/* An operation as a task: the bytes that count, and its buffers, target first and source second. */
struct ram_task {
    unsigned footprint, counted, read, written; /* in buffers of the typed size; counted: as speed */
    unsigned divisor;                           /* of that size: the bytes of the kernel's call */
    bool loads;                                 /* from the source */
    bool on_target;                             /* accesses the target */
    bool stores;                                /* to the target */
    unsigned buffers; /* of doubles, one behind another in the target; 0: of bytes */
    bool in_place;    /* stores only what it has loaded */
};
extern const struct ram_task ram_tasks[]; /* index: enum operation */
enum { RAM_TASK_COUNT = OPERATION_LATENCY + 1, RAM_TASK_MIX = RAM_TASK_COUNT };
/* The task of a kernel: latency is measured by a chain, or by draws. */
static inline enum operation ram_task_of(const struct kernel *kernel)
{
    return kernel->operation == OPERATION_DRAW ? OPERATION_LATENCY : kernel->operation;
}
/* From one buffer of doubles to the next; those of a kernel of n bytes together, or n. */
uint64_t ram_stride(uint64_t n);
uint64_t ram_span(const struct kernel *kernel, uint64_t n);

uint64_t ram_call(const struct ram_work *work, uint64_t passes);
/* Runs a pass on poisoned memory and checks every byte; compare must see a difference, too. */
bool ram_proves(const struct ram_work *work);
/* Before and after a sample: makes buffers compare equal; sets and clears marks in the first, middle and
 * last byte of the source: an OR that misses one is wrong. settled: doubles become normal numbers. */
void ram_begin(const struct ram_work *work, bool settled);
void ram_toggle_marks(const struct ram_work *work);
/* Whether a pass was right: the bytes of copy and write, the result of others. */
bool ram_is_right(const struct ram_work *work, uint64_t result);

enum {
    RAM_LEVELS_MAX = 6,
    RAM_CREWS_MAX = 2,
    RAM_SETS_MAX = SIZE_LIST_MAX,
    RAM_PLACEMENTS = 6,
    RAM_LINE_MOST = 256,
    RAM_SLICES = 20,
    RAM_DRAWS = 1024, /* that a stream warms a cache for */
    RAM_NAME = 64     /* of a level, of a set */
};

struct ram_bytes {
    uint64_t source, target, chain;
};

/* Threads that run at the same time, the first ones of the run. */
struct ram_crew {
    uint64_t threads;
    /* Bytes of a cache for each thread that shares it, by level: of the thread that has the least, and of
     * the one that has the most. */
    uint64_t share[RAM_LEVELS_MAX], most[RAM_LEVELS_MAX];
    uint64_t beyond;       /* the most of any level: a set of memory is larger */
    uint64_t side;         /* bytes of a memory-side cache; 0: none */
    struct ram_bytes each; /* of a thread's buffers */
};

struct working_set {
    const struct ram_crew *crew;
    uint64_t bytes; /* --size: of each buffer; default: the footprint of every task */
    int level;      /* it was chosen for; last_level + 1: memory; 0: typed size */
};

/* A kernel on a working set, in ns and core cycles of a pass, or of a load of a chain. */
enum ram_cell { RAM_NS, RAM_CYCLES, RAM_WIDTH };
struct ram_point {
    const struct kernel *kernel;
    const struct working_set *set;
    size_t group;
    uint64_t bytes;        /* buffer size as RAMOMETER counts it, rounded down to whole elements */
    uint64_t footprint;    /* bytes that one thread keeps touching */
    uint64_t kernel_bytes; /* bytes of the kernel's call */
    int level;             /* that holds the footprint by the sizes shown; last_level + 1: memory */
    uint64_t passes;       /* of a sample; latency: dependent loads; 0: it was left out */
    double expected_s;     /* of the next sample: the whole time of the last */
    unsigned stage;        /* of the run in which it joins (ram_plan_stage) */
    /* By ram_estimate: the value of the fastest of its group times their ratio; without an answer the
     * median. NaN: unknown. */
    double value[RAM_WIDTH];
    bool tie; /* noise alone may have kept it from being the fastest */
};

/* The value of a kernel in a state of the sibling. */
struct ram_value {
    struct estimate
        judged; /* in cycles within the core, if known, as time follows the core clock there; else in ns */
    bool by_cycles;
    double of[RAM_WIDTH]; /* cycles NaN: unknown */
};

/* The kernels of one task on one working set (consecutive points) and the value of the fastest
 * (ram_estimate). */
struct ram_group {
    size_t first;                  /* point */
    struct candidates candidates;  /* by ns of all samples */
    const struct ram_point *best;  /* NULL: none of them was sampled */
    struct ram_value value, other; /* other: with the sibling in the other state */
    bool has_other;                /* `other` was there often enough */
    bool implausible;              /* slower with the sibling idle than busy */
    bool of_some;                  /* some of its kernels were not sampled */
};

struct ram_plan {
    struct working_set sets[RAM_SETS_MAX]; /* ascending */
    size_t ways, all_ways;                 /* kernels that the options leave, and that --all runs */
    int set_count;
    struct ram_point *points;    /* set by set, task by task */
    struct candidate *candidate; /* of each */
    struct ram_group *groups;
    size_t point_count, group_count;
    struct ram_crew crew[RAM_CREWS_MAX]; /* by number of threads; the first thread is in each */
    int crew_count;
    unsigned stages;
    bool apart;                      /* streaming stores are groups of their own beyond the caches */
    struct engine_data data;         /* of point i the cells from RAM_WIDTH x i on */
    double loads, stores;            /* bytes that the core moves in a cycle at most; 0 or NaN: unknown */
    struct ram_bytes near;           /* from their start on, of a placement of L1 and L2 */
    uint64_t line_bytes, page_bytes; /* of a cache line; the smallest page */
    int last_level;                  /* of any CPU; usual levels where a CPU shows no caches */
    unsigned hidden;                 /* bit n: a CPU does not show its level n */
    bool guest;                      /* or it may be: neighbours share the last cache */
    char kind[KIND_NAME_LENGTH];     /* of core of the first CPU; empty: the machine has one kind */
};

/* Finds the levels and the longest line of the run's CPUs, and what each thread of a crew has of them. */
void ram_find_levels(struct ram_plan *plan, const struct run *run);
void ram_share_caches(const struct ram_plan *plan, struct ram_crew *crew, const struct run *run);
/* "L2", "L2 or L3", "L3 or DRAM", "DRAM" of a set of which so many bytes are touched, by the first and the
 * last level that may hold it. Where a cache that may hold it is not shown, it is "cache or DRAM" or, of a
 * set below, empty. */
void ram_level_name(const struct ram_plan *plan, const struct working_set *set, int first, int last,
                    uint64_t bytes, char name[RAM_NAME]);

bool ram_is_given(const struct run *run, const char *option);
/* Builds all points that the parameters and this CPU leave, or sets a fault. By default that is one thread
 * and all CPUs; their sets take at most half of `room` bytes, or become smaller or are left out.
 * ram_plan_free frees plan and samples in any case. */
enum status ram_plan_make(struct ram_plan *plan, const struct ram_params *params, const struct run *run,
                          uint64_t room, struct fault *fault);
void ram_plan_free(struct ram_plan *plan);
/* Makes a set of memory so much smaller that each of its points needs no more than the first `bytes` of a
 * buffer. False: the last cache would hold it; it stays as it is. */
bool ram_plan_shrink(struct ram_plan *plan, const struct working_set *set, uint64_t bytes);
/* Which ways to do a task a run of these options measures (ways.c). apart: the mixes have rows of their
 * own, and a copy among them is one of vectors. */
bool ram_runs_task(const struct ram_params *params, const struct run *run, enum operation task);
bool ram_is_apart(const struct ram_params *params, const struct run *run);
bool ram_has_way(const struct ram_params *params, const struct run *run, const struct kernel *kernel,
                 bool apart);
/* Whether a default run measures it in memory: two wide kernels of a task, with each kind of stores that
 * it has. */
bool ram_has_way_in_memory(const struct ram_params *params, const struct run *run,
                           const struct kernel *kernel);
/* Kernels on a set that no size rules out. */
size_t ram_count_ways(const struct ram_params *params, const struct run *run, bool apart);
/* Groups the points. */
void ram_plan_group(struct ram_plan *plan);
/* Puts the points into stages, breadth last: of each group the widest kernel, of each kind of stores in
 * memory; the same of all CPUs; then all others. A run that is cut short has answers of all levels rather
 * than samples of all kernels. */
void ram_plan_stage(struct ram_plan *plan);
/* The largest crew, in which each thread is; a thread's buffers; the bytes of all threads. */
static inline const struct ram_crew *ram_all(const struct ram_plan *plan)
{
    return &plan->crew[plan->crew_count - 1];
}
struct ram_bytes ram_buffers(const struct ram_plan *plan, uint64_t thread);
uint64_t ram_plan_memory(const struct ram_plan *plan);

/* Bytes of a pass that count as speed, and those that are read and written. */
static inline uint64_t ram_counted(const struct ram_point *point)
{
    return point->bytes * ram_tasks[ram_task_of(point->kernel)].counted;
}
static inline uint64_t ram_traffic(const struct ram_point *point)
{
    const struct ram_task *task = &ram_tasks[ram_task_of(point->kernel)];
    return point->bytes * (task->read + task->written);
}
static inline bool ram_is_latency(const struct ram_point *point)
{
    return ram_task_of(point->kernel) == OPERATION_LATENCY;
}
enum { RAM_LAST_NEAR = 2 };
/* Whether it lies in a private cache: there time follows the core clock and the sibling's state. */
static inline bool ram_is_near(const struct ram_point *point)
{
    return point->level <= RAM_LAST_NEAR;
}
static inline bool ram_in_cache(const struct ram_plan *plan, const struct ram_point *point)
{
    return point->level <= plan->last_level;
}
/* Whether a set of memory is four times each cache of its threads; a smaller one may lie in either. */
bool ram_is_memory(const struct working_set *set);
/* Whether one thread and all CPUs are measured, and this is the set of all. */
static inline bool ram_is_of_all(const struct ram_plan *plan, const struct working_set *set)
{
    return set->crew > plan->crew;
}
/* For a point of all CPUs the last one before it of that kernel and one thread: in a sample all pass as
 * many bytes. Threads that wait for each other's turns would take seconds to find the passes of all kernels
 * next to other programs. NULL: none. */
const struct ram_point *ram_point_of_one(const struct ram_plan *plan, const struct ram_point *point);
/* The lines of a latency's set, in the order of its chain; the caller places it, by itself: chains change
 * what others read. */
struct chase ram_chain(const struct ram_plan *plan, const struct ram_point *point);

/* The state of one thread. */
struct ram_lane {
    struct memory source, target, chain;
    struct ram_memory *memory; /* one per point of the plan */
    uint64_t filled;           /* bytes of the source, and of the target */
    double filling_s;          /* that the last of it took */
    const struct clock *clock;
    uint64_t turn; /* samples so far */
    /* Of the last sample: */
    struct ram_work work;
    struct samples slices; /* ns of a pass (of a load) in each */
    uint64_t slice_count, slice_bytes, slice_passes;
    uint64_t result;           /* OR of what the kernel returned */
    uint64_t begin_ns, end_ns; /* when it ran */
    double ns;                 /* of a pass, or of a load */
    double ghz;                /* core clock; NaN: no valid reading */
    bool right;                /* the sample or the last proof was right; the chain is complete */
    bool preempted;            /* another thread had the CPU */
    struct fault fault;        /* its pages could not be had */
};

/* ns of a pass by the rate of all threads (the harmonic mean). NaN where they did not run together for
 * most of it: a late or waiting thread leaves the others alone, and faster. */
double ram_lanes_ns(const struct ram_lane *lane, int count);

/* Threads that do one job at the same time, each in a lane. */
struct ram_threads {
    struct team *team;
    struct ram_lane *lane;
    int count;
};

/* A run of the command. */
struct ram {
    struct run *run;
    struct ram_plan *plan;
    struct ram_threads threads;
    struct sibling *sibling; /* of the first lane */
    int count;               /* in the present task */
    /* The present task of all lanes, and its passes. */
    void (*work)(struct ram *ram, struct ram_lane *lane);
    struct ram_point *point;
    uint64_t passes;
    unsigned placement;
    uint64_t preempted;             /* samples during which a lane lost its CPU */
    double memory_s[RAM_CREWS_MAX]; /* left for filling memory */
    unsigned stages_joined;         /* ram_plan_stage */
    struct time_limit whole;        /* of the run */
    struct time_limit preparing;    /* of filling, proofs and the building of chains */
    double fill_s;                  /* of its own that a thread may fill now */
    uint64_t fill_needed;           /* bytes of each buffer for which it may fill longer: */
    double fill_needed_s;
    uint64_t fill_end_ns; /* of wall time; UINT64_MAX: none */
};

/* Maps the buffers and starts the threads; the caller sets run and plan, and zeroes the rest. */
enum status ram_open(struct ram *ram, int node, struct fault *fault);
void ram_close(struct ram *ram);
/* Fills the point's bytes, proves its kernel, and finds the passes of a sample: 0 where the deadline comes
 * first. */
enum status ram_prepare(struct ram *ram, struct ram_point *point, struct fault *fault);
/* A sample of memory is one pass over a part of its set, another each time, behind an untimed one over so
 * many others that they fill the last cache: else it holds lines of the part, or such that the kernel before
 * has yet to write back. Parts 1: it is the whole. */
uint64_t ram_parts(const struct ram_plan *plan, const struct ram_point *point);
uint64_t ram_parts_before(const struct ram_plan *plan, const struct ram_point *point);
/* The work of the present point, and a thread's part of its sample. */
struct ram_work ram_work_of(const struct ram *ram, const struct ram_lane *lane);
void ram_sample_lane(struct ram *ram, struct ram_lane *lane);
/* For the engine; context is a struct ram. A sample is NaN where it cannot count, its cycles without a
 * valid reading of the clock. A placement has other pages for sets within L1 or L2. ram_wants decides by the
 * samples so far. */
bool ram_sample(void *context, size_t index, size_t count, double *value, struct fault *fault);
bool ram_remap(void *context, unsigned placement, struct fault *fault);
bool ram_wants(void *context, size_t index, uint64_t round);

/* Roughly what a run without a limit of time takes. */
double ram_plan_seconds(const struct ram_plan *plan, const struct common *common, double rounds);
/* Measures all points, adds rows and answers; with --dry-run, the plan alone. */
enum status ram_measure(struct run *run, struct ram_plan *plan, int node, struct fault *fault);

/* The intended ns of a sample. */
double ram_sample_ns(const struct common *common, const struct ram_point *point);
/* Estimates each group and each point. */
void ram_estimate(struct ram_plan *plan);
/* ns of a latency's load, or of a byte, of the fastest kernel on that set, or (NULL) on the crew's set of
 * memory; NaN: not measured. */
double ram_ns(const struct ram_plan *plan, enum operation operation, const struct ram_crew *crew,
              const struct working_set *set);
/* level: "L1", "L2", ..., "DRAM"; "L3 or DRAM" where a stream is hardly faster than one of memory, or
 * where the threads have caches of several sizes; empty where a cache is not shown. set: "L2 256 KiB";
 * without a level where the size was typed or the level is in doubt. */
void ram_names(const struct ram_plan *plan, const struct ram_point *point, char level[RAM_NAME],
               char set[RAM_NAME]);

/* Adds the tables of the result: each sampled point with its samples, then views of them. page_bytes:
 * obtained for the source. ram_answers: the best kernel of every task on every set. */
void ram_rows(struct record *record, const struct ram_plan *plan, uint64_t page_bytes);
void ram_answers(struct record *record, const struct ram_plan *plan);
