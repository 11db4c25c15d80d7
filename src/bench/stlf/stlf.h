/* SPDX-License-Identifier: MIT */
/* What the files of `stlf` share: points, experiments made of them, and how answers are added. */
#pragma once

#include "grid.h"
#include "uarchprobe/chase.h"
#include "uarchprobe/command.h"
#include "uarchprobe/experiment.h"
#include "uarchprobe/memory.h"

enum stlf_window { WINDOW_ALIGNED, WINDOW_LINE, WINDOW_PAGE, WINDOW_COUNT };
enum stlf_chain { CHAIN_FA, CHAIN_FD, CHAIN_FD_NOREUSE, CHAIN_COUNT };
enum stlf_sweep_name { SWEEP_UNROLL, SWEEP_DISTANCE, SWEEP_ALIAS };
extern const char *const stlf_window_names[], *const stlf_chain_names[];

/* The longest pass: what a sled of pairs holds on every ISA. */
enum { STLF_UNROLL_MAX = 64, STLF_UNROLL_SHORT = 4, STLF_FEW_PAIRS = 8, STLF_WIDTHS_MAX = 32 };
enum { STLF_PAIRS_A_SAMPLE = 640, STLF_PLACEMENTS = 12, STLF_PLACEMENTS_LEAST = 4, STLF_DISTANCES = 15 };

struct stlf_params {
    bool grid, silent, all;
    struct cpu_choice smt;
    struct name_list widths;
    int window, chain;
    uint64_t sweep;  /* bits over stlf_sweep_name */
    uint64_t unroll; /* 0: both 64 and 4 */
};

struct stlf_point {
    const struct kernel *kernel; /* of OPERATION_FORWARD_*, or a chain without a store */
    long store, load;            /* bytes from a page boundary, up to two pages and a far load's distance */
    unsigned pairs;              /* in a pass; at most the units of the sled */
    uint64_t added;              /* OPERATION_FORWARD_ADD: added to what was loaded */
    const char *series;          /* that it belongs to; texts are compared by address */
    size_t index;                /* in the series */
    bool is_trained;             /* before each sample, untimed, for as long */
};

struct stlf {
    struct run *run;
    const struct stlf_params *params;
    struct memory memory;
    size_t member_bytes;                        /* of it, for each thread */
    long page, line;                            /* bytes */
    unsigned placement;                         /* pages that everything is moved up by */
    int cpu[2];                                 /* that measures, and with --smt its companion's */
    bool was_renamed;                           /* what was sampled last may have been */
    _Atomic(const struct stlf_point *) current; /* for the companion */
    struct stlf_levels levels[STATE_COUNT];     /* of an 8-byte store and a 4-byte load; l1 0: unknown */
    size_t grid_table, class_table;             /* of the record, see stlf_map_tables */
    uint64_t rounds;                            /* of the summary */
    size_t samples, counted;                    /* of all points; those in estimates */
    struct text left_out;                       /* names of parts without values */
};

/* Points, and what they come to in one state, in core cycles a pair. */
struct stlf_set {
    struct stlf *stlf;
    const struct stlf_point *point;
    size_t count;
    /* A value of NaN: not measured in this state. Behind the last is one more of that kind. */
    struct estimate *estimate;
    enum state state;
    bool is_second; /* of two that are reported: of this one, whose spells are few, nothing below medium */
};

/* One experiment of a run: points of a sweep or of a map, in series for the engine. */
struct stlf_part {
    struct stlf *stlf;
    const struct stlf_sweep *sweep; /* or NULL */
    struct map *map;                /* or NULL */
    struct stlf_point *point;
    size_t count;
    const struct stlf_point **order; /* by series; what may be renamed comes last */
    struct series *series;
};

/* Memory and calls (pairs.c). */

/* Maps memory, and with --smt finds the SMT sibling, which the user may have to name, as guests hide it.
 * Faults: STATUS_NO_RESOURCE (no sibling here, no memory), STATUS_USAGE (its own sibling). */
enum status stlf_open(struct stlf *stlf, struct fault *fault);
/* The chain of loads that takes L1's latency: each on a line of its own, all in one page. Pure. */
struct chase stlf_chain(unsigned char *page, long page_bytes, long line_bytes);
/* A chain of loads, or of multiplications. */
bool stlf_has_no_store(const struct stlf_point *point);
/* Whether the load may come to be served without going through memory: a predictor has to learn that first. */
bool stlf_may_be_renamed(const struct stlf_point *point);
/* Fills order and series: a predictor that has learnt to rename forgets as soon as the same code runs with other addresses, so
 * points that may be renamed come last, by themselves. Freed by the caller. */
void stlf_arrange(struct stlf_part *part);
/* The functions of an experiment of pairs; `own` is the part, the companion's the struct stlf. */
extern const struct experiment stlf_pairs;

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
    OVER_KERNELS,       /* each of the operation, and of the widths where they are named */
    OVER_DISTANCES,     /* loads 64 bytes to 1 MiB further on, powers of two */
    OVER_VALUES,        /* the same value and a new one */
    OVER_WIDTHS,        /* each pair of widths that has a kernel with one base register */
    OVER_DISPLACEMENTS, /* loads displaced in the text, or as far above the store */
    OVER_VECTORS        /* half of each vector missing */
};
struct stlf_series {
    const char *name;
    enum operation operation;
    unsigned store_bytes, load_bytes; /* 0: any */
    long store, load;
    enum stlf_over over;
    unsigned char pairs[7]; /* each number, ended by 0; none: 1 to 64 */
};

struct stlf_sweep {
    struct {
        const struct table_spec *spec;                 /* NULL: there is none */
        bool (*shown)(const struct stlf_point *point); /* NULL: each point is */
    } table[2];
    const struct stlf_series *series;
    int count;
    double seconds;
    void (*report)(const struct stlf_set *set); /* answers, before the rows of the tables */
    bool both;                                  /* those of the busy state, too, by another call */
    bool (*enough)(const struct stlf_set *set); /* NULL: not before the time is over */
};
extern const struct stlf_sweep stlf_summary, stlf_forwards, stlf_renaming, stlf_unroll[CHAIN_COUNT],
    stlf_distance, stlf_alias, stlf_silent;
void stlf_points_add(struct stlf_part *part);
/* active: the same points with the sibling busy; NULL: it was not. */
void stlf_rows(const struct stlf_set *set, const struct stlf_set *active, const struct table_spec *table,
               bool (*shown)(const struct stlf_point *point));
/* The first point of a series, and how many follow. */
size_t stlf_series_at(const struct stlf_set *set, const char *name, size_t *count);
/* Adds an answer in the state of the set, with what the estimate (or NULL) knows, in core cycles. */
void stlf_add(const struct stlf_set *set, struct answer answer, const struct estimate *estimate,
              struct verdict verdict);
/* Text of up to 191 bytes for an answer that is added next: it stays as long as seven more are not asked for. */
char *stlf_words(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* What estimates say (points.c). */

/* Of the whole run, or of one of its halves. */
enum stlf_which { STLF_WHOLE, STLF_FIRST, STLF_SECOND };
static inline double stlf_value_of(const struct estimate *e, enum stlf_which which)
{
    return which == STLF_WHOLE ? e->value : which == STLF_FIRST ? e->first : e->second;
}
/* By the promise for what lies within a core. placements: that must agree, as the value depends on where pages lie; or 0. */
struct verdict stlf_judge(const struct estimate *estimate, unsigned placements);
/* Of an answer that is yes or no for each value: is it on the same side of the limit in both halves of the run, and all through
 * the interval? NaN as value is low. */
struct verdict stlf_judge_side(const struct estimate *estimate, double limit);
/* Of a and b: a - b. */
struct estimate stlf_difference(const struct estimate *a, const struct estimate *b);
struct stlf_plateau {
    size_t first, last;       /* indices into the curve, both included */
    double cycles, low, high; /* median, least, greatest */
};
/* The points of a curve before `end`, at most STLF_UNROLL_MAX. */
struct stlf_plateau stlf_plateau_of(const struct estimate *curve, size_t begin, size_t end,
                                    enum stlf_which which);
/* The point of a plateau that is nearest to its median. */
const struct estimate *stlf_middle(const struct estimate *curve, const struct stlf_plateau *plateau);
/* The verdict on a point; NULL: none. */
const char *stlf_word(const struct stlf_levels *levels, const struct stlf_point *point, double cycles);
/* What a value in that state is compared with: of the same state, but for L1's latency, which stands in from another. */
struct stlf_levels stlf_levels_in(const struct stlf *stlf, enum state state);
unsigned stlf_bytes_a_pair(const struct kernel *kernel);

/* Maps (map.c). */

/* How many maps these options ask for. */
int stlf_map_count(const struct run *run);
/* Makes the map of that index, from 0, and its points; of two of one width the part before has the other one. */
enum status stlf_map_open(struct stlf_part *part, int index, struct fault *fault);
/* Adds the two tables that maps fill. */
void stlf_map_tables(struct stlf *stlf);
void stlf_map_report(struct stlf_part *part, const struct stlf_set *set);
void stlf_map_free(struct map *map);
