/* SPDX-License-Identifier: MIT */
/* Parts of `uarchprobe ram` shared by its files: what is measured (points), on what (lanes), how (job). */
#ifndef UARCHPROBE_BENCH_RAM_H
#define UARCHPROBE_BENCH_RAM_H

#include "uarchprobe/command.h"
#include "uarchprobe/engine.h"
#include "uarchprobe/memory.h"
#include "uarchprobe/pin.h"
#include "uarchprobe/sibling.h"
#include "uarchprobe/stats.h"

struct ram_params {
    uint64_t tasks, methods, loads, stores, bits; /* bit sets over the choices below; 0: not given */
    struct size_list sizes;
    uint64_t threads;
    int pages;
    const char *mem_node;
    bool zero, force;
};

extern const char *const ram_task_names[];   /* index: enum operation */
extern const char *const ram_bits_choices[]; /* "8" .. "2048", index = log2(bits) - 3 */

/* One column of the people's table. */
struct working_set {
    char label[64];
    uint64_t bytes; /* --size: of each buffer; default: the footprint of every task */
    bool is_footprint;
};

enum { RAM_SETS_MAX = SIZE_LIST_MAX, RAM_LEVELS_MAX = 6 };

/* One thing that is sampled: a kernel on a working set. */
struct ram_point {
    const struct kernel *kernel;
    const struct working_set *set;
    uint64_t bytes;        /* buffer size as RAMOMETER counts it, rounded down to whole elements */
    uint64_t footprint;    /* bytes that one thread keeps touching */
    uint64_t traffic;      /* bytes that one thread loads and stores in a pass */
    uint64_t kernel_bytes; /* what the kernel is called with */
    const char *level;     /* where the footprint fits */
    bool in_cache, zero;
    uint64_t chain_offset; /* latency: where in the source its chain begins */
    uint64_t passes;       /* latency: dependent loads */
    struct samples seconds,
        ghz; /* one entry a sample: of a pass (of a load), of the core clock after it (NaN: thrown away) */
    double expected_s; /* what the next sample takes, as the last one did; with all that goes with it */
    size_t row;        /* of its table, once it has one */
    bool measured;     /* with the three estimates; else there is none */
    struct estimate seconds_of_pass,
        cycles_of_pass;        /* in the state that is reported; cycles: NaN where unknown */
    struct estimate otherwise; /* seconds with the sibling in the other state; NaN: seldom or never seen */
};

struct ram_plan {
    struct working_set sets[RAM_SETS_MAX];
    int set_count;
    struct ram_point *points; /* bandwidth first, then latency */
    size_t point_count, bandwidth_count;
    uint64_t threads;
    uint64_t source_bytes, target_bytes; /* of each thread */
    int last_level;
    uint64_t share[RAM_LEVELS_MAX]; /* by level: bytes of a cache for each of the threads that share it */
};

/* Builds all points that the parameters and this CPU leave, or a fault. The default sets that do not fit into
 * `room` bytes (all threads) are made smaller or, for DRAM,
 * left out, with a warning in the record. */
enum status ram_plan_make(struct ram_plan *plan, const struct ram_params *params, const struct run *run,
                          uint64_t room, struct fault *fault);
void ram_plan_free(struct ram_plan *plan);
/* How many of the first `done` of `count` points make whole operations on a set. The fastest of some of an operation's
 * kernels is not its best, so where a budget ends among them none of them is sampled, unless nothing else would be left: then
 * `done`, for their rows alone. */
size_t ram_whole_operations(const struct ram_point *points, size_t done, size_t count);
/* All threads together. */
uint64_t ram_plan_memory(const struct ram_plan *plan);
/* A rough estimate for --dry-run and the deadline: rounds of every point at 4 GB/s. */
double ram_plan_seconds(const struct ram_plan *plan, uint64_t rounds, double sample_s);

/* What one thread has for itself. */
struct ram_lane {
    struct memory source, target;
    double ghz;
    const void **position; /* latency: one per point of the plan, where its walk stands */
    uint64_t *walked;      /* and how many loads it has taken */
    uint64_t filled;       /* bytes of the source, and of the target */
    bool right;            /* the last check found what it should */
    bool preempted;        /* another thread had the CPU during the last sample */
};

struct ram_lanes {
    const struct ram_plan *plan;
    const struct core_clock *core_clock;
    struct team *team;
    struct sibling *sibling; /* of the first lane */
    uint64_t preempted;      /* samples during which a lane lost its CPU */
    struct ram_lane *lane;
    struct lane_time *time; /* of each lane, of the last sample */
    int count;
    uint64_t deadline_ns; /* filling and the building of chains end there; UINT64_MAX: none */
    double
        check_s_per_byte; /* what the check of a kernel took at most; to begin with, half of what filling took */
};

enum status ram_lanes_open(struct ram_lanes *lanes, const struct ram_plan *plan, const struct run *run,
                           enum page_kind pages, int node, struct fault *fault);
/* Fills the buffers until deadline_ns. */
enum status ram_lanes_fill(struct ram_lanes *lanes, struct fault *fault);
/* Whether what the point touches has been filled. */
bool ram_is_filled(const struct ram_lanes *lanes, const struct ram_point *point);
/* What ram_prepare and a sample of a point that is not in a cache are expected to take. */
double ram_check_seconds(const struct ram_lanes *lanes, const struct ram_point *point);
void ram_lanes_close(struct ram_lanes *lanes);
/* Runs the point's kernel once on poisoned memory and checks every byte; then finds the passes for a sample
 * of sample_ns. Where a chain was not finished by deadline_ns, the point has no passes. */
enum status ram_prepare(struct ram_lanes *lanes, struct ram_point *point, double sample_ns,
                        struct fault *fault);
/* One sample: seconds of one pass (of one load) as lanes_ns has them, and the core clock under it; NaN where it cannot
 * count. */
enum status ram_sample(struct ram_lanes *lanes, struct ram_point *point, double *seconds, double *ghz,
                       struct fault *fault);

/* Measures all points, adds rows and findings. */
enum status ram_measure(struct run *run, struct ram_plan *plan, enum page_kind pages, int node,
                        struct fault *fault);
/* How long a sample of the point is to take; and the rounds that are made in any case. */
double ram_sample_ns(const struct common *common, const struct ram_point *point);
uint64_t ram_rounds_least(const struct common *common);

/* The result's columns and rows (ram_rows.c). */
extern const struct table_spec ram_table, ram_best_table, ram_latency_table;

/* Where rows go. */
struct ram_sink {
    struct record *record;
    const struct ram_plan *plan;
    size_t table, best_table, latency_table;
    uint64_t page_bytes; /* obtained for the source */
};

/* A row for every point that was sampled, with its samples. */
void ram_rows(const struct ram_sink *sink);
/* The best kernel of every task on every working set. */
void ram_findings(const struct ram_sink *sink);

/* What kernels leave behind, for the check of their work. The OR over elements of `width` bytes, folded to 64 bits by
 * OR-ing every 8 bytes of an element; narrower ones stay as wide as they are. */
uint64_t ram_expected_or(const unsigned char *source, uint64_t bytes, unsigned width);
bool ram_all_bytes_are(const unsigned char *data, uint64_t bytes, unsigned char value);

#endif
