/* SPDX-License-Identifier: MIT */
/* What the files of `stlf` share: points, how sets of them are measured, and how answers are added. */
#pragma once

#include "grid.h"
#include "uarchprobe/chase.h"
#include "uarchprobe/command.h"
#include "uarchprobe/engine.h"
#include "uarchprobe/memory.h"

enum stlf_window { WINDOW_ALIGNED, WINDOW_LINE, WINDOW_PAGE, WINDOW_COUNT };
enum stlf_chain { CHAIN_FA, CHAIN_FD, CHAIN_FD_NOREUSE, CHAIN_COUNT };
enum stlf_sweep_name { SWEEP_UNROLL, SWEEP_DISTANCE, SWEEP_ALIAS };
extern const char *const stlf_window_names[], *const stlf_chain_names[];

/* The longest pass: what a sled of pairs holds on every ISA. */
enum { STLF_UNROLL_MAX = 64, STLF_UNROLL_SHORT = 4, STLF_FEW_PAIRS = 8, STLF_WIDTHS_MAX = 32 };
enum { STLF_FAR = 1 << 20, STLF_PAIRS_A_SAMPLE = 640, STLF_PLACEMENTS = 8, STLF_DISTANCES = 15 };

struct stlf_params {
    bool grid, silent, all;
    struct cpu_choice smt;
    struct name_list widths;
    int window, chain;
    uint64_t sweep;  /* bits over stlf_sweep_name */
    uint64_t unroll; /* 0: both 64 and 4 */
};

struct stlf_point {
    const struct kernel *kernel; /* of OPERATION_FORWARD_* or OPERATION_LATENCY */
    long store, load;            /* bytes from a page boundary, up to two pages and a far load's distance */
    unsigned pairs;              /* in a pass; at most the units of the sled */
    uint64_t added;              /* OPERATION_FORWARD_ADD: added to what was loaded */
    const char *series;          /* that it belongs to; or NULL */
};

/* Points to measure, and their estimates in core cycles a pair. */
struct stlf_set {
    size_t count;
    struct stlf_point *point;
    unsigned pairs; /* in a sample */
    /* In `state` where the point was seen in it, else in STATE_MIXED; and with the sibling active. A value of NaN: not
     * measured, or, with the sibling active, `both` is false. */
    struct estimate *estimate, *active;
    bool (*enough)(
        const struct stlf_set *set); /* whether its estimates are; NULL: never before the time is over */
    enum state state;                /* that is reported first */
    bool second;                     /* of the state that is reported second: see stlf_active_set */
    bool both;                 /* the sibling was seen idle, and active, in a tenth of the probes each */
    uint64_t rounds;           /* over all points */
    size_t counted, disturbed; /* samples of all points in the states that are reported */
    bool complete;             /* false: ended before the least rounds were done */
};

struct stlf {
    const struct run *run;
    const struct stlf_params *params;
    struct memory memory;
    size_t member_bytes; /* of it, for each thread */
    long page, line;     /* bytes */
    unsigned placement;  /* pages that everything is moved up by */
    double least_ns;     /* of a sample, for the clock's sake */
    int cpu[2];          /* that measures, and with --smt its companion's */
    struct sibling *witness;
    uint64_t begin_ns, deadline_ns;         /* no sample after it; UINT64_MAX: none */
    size_t sets, sets_begun;                /* that share the time, and those that have had their part */
    size_t sets_cut;                        /* by the time budget, before their rounds were done */
    bool complete;                          /* all sets so far are */
    size_t idle, active;                    /* probes that found the sibling so */
    size_t samples, counted, disturbed;     /* of all sets: taken, in estimates, without the CPU or a clock */
    size_t grid_table, class_table;         /* of the record, see stlf_map_tables */
    struct engine_effort effort;            /* of the part being measured */
    struct stlf_levels levels[STATE_COUNT]; /* of an 8-byte store and a 4-byte load; l1 0: unknown */
};

/* Maps memory and pins the calling thread to the first CPU of the run. With --smt the same pairs run at the same time on its SMT sibling, which the user may have to name, as guests hide it.
 * Faults: STATUS_NO_RESOURCE (no sibling here, no memory), STATUS_USAGE (its own sibling). */
enum status stlf_open(struct stlf *stlf, struct fault *fault);
void stlf_close(struct stlf *stlf);
/* The chain of loads that takes L1's latency: each on a line of its own, all in one page. Pure. */
struct chase stlf_chain(unsigned char *page, long page_bytes, long line_bytes);
void stlf_set_init(struct stlf_set *set, size_t count);
void stlf_set_free(struct stlf_set *set);
/* Numbers of the points in the order in which they are sampled: a predictor that has learnt to rename forgets as
 * soon as the same code runs with other addresses, so points that may be renamed come last, by themselves. */
void stlf_order(const struct stlf_set *set, size_t *order);
/* Fills the estimates from what was sampled; cell i is point order[i]. False: no point has a value, as where every reading
 * of the core clock was thrown away. */
bool stlf_set_estimate(struct stlf_set *set, const struct engine_data *data, const size_t *order);
/* The pairs of the set, within an equal part of the time that is left. */
enum status stlf_measure(struct stlf *stlf, struct stlf_set *set, struct fault *fault);
/* A chain of loads, or of multiplications. */
bool stlf_has_no_store(const struct stlf_point *point);
/* Whether the load may come to be served without going through memory: a predictor has to learn that first. */
bool stlf_may_be_renamed(const struct stlf_point *point);

/* Kernels by width (widths.c). */
struct stlf_width {
    char name[32];        /* "8/4", "2x8/16" */
    unsigned store, load; /* bytes */
    const struct kernel *kernel;
};
/* Adds the kernels of that chain for names like 8/4, all that can run here for no names. Faults: STATUS_USAGE
 * for what is no pair of widths, STATUS_UNSUPPORTED with those that can run for what has no kernel here. */
enum status stlf_find_widths(const struct run *run, enum stlf_chain chain, const struct name_list *names,
                             struct stlf_width *width, int *count, struct fault *fault);
/* The kernel of an operation for these widths in bytes; NULL: none that can run here. */
const struct kernel *stlf_kernel(const struct run *run, enum operation operation, unsigned store,
                                 unsigned load);

enum status stlf_grids(struct stlf *stlf, struct fault *fault);
/* Two of a few widths, one of many. */
int stlf_grid_count(const struct run *run);

/* Points in series, declared as rows (points.c). */

/* The columns of every table of points; a table whose points all lie at one place ends before C_STORE_AT. */
enum {
    C_SERIES,
    C_STORE,
    C_LOAD,
    C_PAIRS,
    C_CODE,
    C_CYCLES,
    C_SPREAD,
    C_VERDICT,
    C_ACTIVE,
    C_STORE_AT,
    C_LOAD_AT,
    C_GAP,
    C_ADDED,
    C_COUNT
};
extern const struct column stlf_point_columns[C_COUNT];

enum stlf_over {
    OVER_NOTHING,   /* one point */
    OVER_PAIRS,     /* 1 to 64 pairs */
    OVER_LOOPS,     /* powers of two of pairs, from two on */
    OVER_DISTANCES, /* loads 64 bytes to 1 MiB further on, powers of two */
    OVER_VALUES,    /* the same value and a new one, at few and at many pairs */
    OVER_GAPS,      /* each kernel of the operation and, where they are named, of the widths */
    OVER_WIDTHS, /* each pair of widths that has a kernel with one base register, at few and at many pairs */
    OVER_DISPLACEMENTS, /* loads displaced in the text, or as far above the store */
    OVER_VECTORS        /* half of each vector missing */
};
struct stlf_series {
    const char *name;
    enum operation operation;
    unsigned store_bytes, load_bytes;
    long store, load;
    unsigned pairs;
    enum stlf_over over;
};

struct stlf_sweep {
    const struct table_spec *table;
    const struct stlf_series *series;
    int count;
    void (*report)(struct stlf *stlf, const struct stlf_set *set); /* before the rows are added; or NULL */
    bool both;                                     /* reports the second state, too, by another call */
    bool (*shown)(const struct stlf_point *point); /* in the table; NULL: each */
    bool (*enough)(const struct stlf_set *set);    /* see struct stlf_set */
};
extern const struct stlf_sweep stlf_summary, stlf_forwards, stlf_renaming, stlf_unroll[CHAIN_COUNT],
    stlf_distance, stlf_alias, stlf_silent;
/* Measures the points, if there is time; adds answers and rows. */
enum status stlf_sweep(struct stlf *stlf, const struct stlf_sweep *sweep, struct fault *fault);
void stlf_rows(struct stlf *stlf, size_t table, const struct stlf_set *set,
               bool (*shown)(const struct stlf_point *point));
/* The first point of a series, and how many follow. */
size_t stlf_series_at(const struct stlf_set *set, const char *name, size_t *count);

/* Answers (report.c). */

enum { STLF_KEY = 96, STLF_LABEL = 192, STLF_REMARK = 80 };
/* An answer of a value, in the state of the set; one of an estimate, in core cycles. */
struct answer stlf_found(const struct stlf_set *set, const char *key, const char *label, struct cell value,
                         const char *unit, struct verdict verdict);
struct answer stlf_estimated(const char *key, const char *label, const struct estimate *estimate,
                             struct verdict verdict);
/* Adds it: of the state that is reported second none below medium. remark: or NULL. */
void stlf_add(struct stlf *stlf, const struct stlf_set *set, struct answer answer, const char *remark);
/* The same points with the sibling active; of none where it was not seen in both states, or is what is reported first. */
struct stlf_set stlf_active_set(const struct stlf_set *set);
/* Whether a core can have this latency of L1: a whole number where nothing shares the core, and never less than what is
 * published (NaN: nothing is). A clock that a sibling slows while it is read makes cycles too few. */
bool stlf_is_plausible_l1(double cycles, bool idle, double published);
void stlf_say_l1(struct stlf *stlf, const struct stlf_set *set, size_t point);
/* The answers of a series over pairs: cycles of what is renamed, and for how many pairs (`renamed` and `renamed`_pairs), and
 * what it takes beyond (`key`). label_of: of the series, for labels. */
void stlf_say_curve(struct stlf *stlf, const struct stlf_set *set, const char *key, const char *renamed,
                    const char *name, const char *label_of);
/* What a value in that state is compared with: of the same state, but for L1's latency, which stands in from another. */
struct stlf_levels stlf_levels_in(const struct stlf *stlf, enum state state);
/* The verdict on a point; NULL: none. */
const char *stlf_word(const struct stlf_levels *levels, const struct stlf_point *point, double cycles);
unsigned stlf_bytes_a_pair(const struct kernel *kernel);
