/* SPDX-License-Identifier: MIT */
/* What `ram` measures in place of its table of kernels. */
#pragma once

#include "engine/metrics.h"
#include "params.h"
#include "uarchprobe/experiment.h"
#include "uarchprobe/memory.h"

enum status ram_curve(struct run *run, struct fault *fault);
enum status ram_nodes(struct run *run, struct fault *fault);
enum status ram_share(struct run *run, struct fault *fault);
enum status ram_crossover(struct run *run, struct fault *fault);
enum status ram_loaded(struct run *run, struct fault *fault);
enum status ram_scale(struct run *run, struct fault *fault);

enum { RAM_LINE = 64 };

/* Memory of which lines are drawn, each by the load before. */
struct ram_set {
    struct memory memory;
    uint64_t bytes, state; /* that were filled; of the draw */
    const struct kernel *draw;
    const struct clock *clock;
};
/* Of memory that the engine made, and releases. */
struct ram_set ram_set_of(const struct run *run, const struct memory *memory);
/* Loads lines that are drawn from `first` to `last`, in bytes. */
void ram_set_load(struct ram_set *set, uint64_t first, uint64_t last, uint64_t loads);
/* ns of a load of lines from `first` to `last`, in bytes. */
double ram_set_draw(struct ram_set *set, uint64_t first, uint64_t last, uint64_t loads);
/* The median of so many of these, 512 at most. */
double ram_set_median(struct ram_set *set, uint64_t first, uint64_t last, uint64_t loads, size_t times);
/* A load of few lines that the first level holds, each chosen by a pointer or drawn at random. */
extern const struct timed_work ram_chased_few, ram_drawn_few;
/* ns that drawing a line adds to its load. */
double ram_drawing_ns(const struct clock *clock);
/* The largest last cache of the first CPUs of the run; its instances are those of all sizes, one at least. */
struct cache ram_last_cache(const struct run *run, int count);

/* The widest vectors, aligned, with such stores; or a scalar kernel. */
const struct kernel *ram_widest(const struct run *run, enum operation operation, enum access_mode store);

/* A round of `ram --loaded`: of each point the latency in ns and the bytes of all loaders in a second,
 * then the values that follow. Points: the loaders asleep, spinning, each in its own L1, then with ever
 * fewer additions between their lines. */
enum {
    LOADED_ASLEEP,
    LOADED_SPINNING,
    LOADED_IN_L1,
    LOADED_FIRST,
    LOADED_MIDDLE = LOADED_FIRST + 5,        /* asleep again */
    LOADED_HALF_OF_THEM = LOADED_MIDDLE + 4, /* the others spin */
    LOADED_FULL,
    LOADED_LAST, /* asleep again */
    LOADED_POINTS
};
enum {
    LOADED_NONE,
    LOADED_CONTROL,
    LOADED_IDLE,
    LOADED_RISE,
    LOADED_HALF,
    LOADED_NINE_TENTHS,
    LOADED_PEAK,
    LOADED_KNEE,
    LOADED_VALUES
};
struct loaded_round {
    double latency[LOADED_POINTS], rate[LOADED_POINTS], value[LOADED_VALUES];
};
/* Sets the values, NaN where the idle latencies differ; those of a peak are 0 where the loaders do not
 * reach it. */
void loaded_values(struct loaded_round *round);
/* Its series, metrics and table, which take a round from a struct loaded_source, with which own begins. */
struct loaded_source {
    struct loaded_round round;
    struct record *record;
    void (*take)(struct loaded_source *source, const struct point *point);
};
extern const struct experiment loaded_experiment;

/* A round of `ram --scale`: bytes a second of each task by 1, 2, 4 ... threads, as `take` finds them (NaN:
 * it did not). */
enum { SCALE_TASKS = 4, SCALE_STEPS = 14, SCALE_CELLS = SCALE_STEPS * SCALE_TASKS };
struct scale_source {
    int steps, threads[SCALE_STEPS];
    struct record *record;
    double (*take)(struct scale_source *source, const struct point *point, int threads, int task);
    double rate[SCALE_STEPS][SCALE_TASKS];
    struct series series[2];
    struct metric metrics[SCALE_CELLS + 3];
};
/* Threads of the first step that reads 95 % of the most; 0: the last step does, and it alone; NaN: a step
 * was not taken, and may be the one that reads most. */
double scale_saturates(const struct scale_source *source);
/* Fills series and metrics by its steps and makes an experiment of them. name: "node0.", or "" for all
 * CPUs. */
struct experiment scale_experiment(struct scale_source *source, const char *name);
