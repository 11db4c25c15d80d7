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
extern const char *const stlf_window_names[], *const stlf_chain_names[];

/* The longest pass: what a sled of pairs holds on every ISA. */
enum { STLF_UNROLL_MAX = 64, STLF_UNROLL_SHORT = 4, STLF_FEW_PAIRS = 8, STLF_WIDTHS_MAX = 32 };
enum {
    STLF_PAIRS_A_SAMPLE = 640,
    STLF_PLACEMENTS = 12,
    STLF_PLACEMENTS_LEAST = 4,
    STLF_DISTANCES = 15,
    STLF_OFFSETS = 8
};

struct stlf_params {
    bool grid, silent, all;
    struct cpu_choice smt;
    struct name_list widths;
    int window, chain;
    uint64_t sweep;  /* bits: unroll, distance, alias */
    uint64_t unroll; /* 0: both 64 and 4 */
};

struct stlf_point {
    const struct kernel *kernel; /* of OPERATION_FORWARD_*, or a chain without a store */
    long store, load;            /* bytes from a page boundary, up to two pages and a far load's distance */
    unsigned pairs;              /* in a pass; at most the units of the sled */
    uint64_t added;              /* OPERATION_FORWARD_ADD: added to what was loaded */
    const char *series;          /* that it belongs to, with those next to it */
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
    size_t grid_table;                          /* of the record, of stlf_map_table */
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

/* A grid at one number of pairs. */
struct stlf_map {
    unsigned pairs;
    enum stlf_window window;
    enum stlf_chain chain;
    unsigned says;               /* what no other map of the run says */
    const struct stlf_map *many; /* of the same width at more pairs; NULL: none */
    char name[160], key[80];     /* key: all answers begin with it */
    int first_offset;            /* of both axes */
    struct stlf_grid *grid;
    struct text distances; /* empty: it was not measured */
    /* Cells without overlap and with; those whose verdict is sure; whose value has high, or medium trust at least. */
    struct stlf_tally {
        size_t of, sure, high, medium;
    } apart, overlapping;
};

/* One experiment of a run: points of a sweep or of a map, series by series. */
struct stlf_part {
    struct stlf *stlf;
    const struct stlf_sweep *sweep; /* NULL: a map */
    struct stlf_map map;
    struct stlf_point *point;
    size_t count;
    struct series series[12]; /* for the engine */
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
/* The series of a part for the engine: a predictor that has learnt to rename forgets as soon as the same code runs with other
 * addresses, so series that may be renamed come last. */
void stlf_arrange(struct stlf_part *part);
/* The functions of an experiment of pairs; `own` is the part, the companion's the struct stlf. */
extern const struct experiment stlf_pairs;

/* Kernels by width (widths.c). */
struct stlf_width {
    char name[32]; /* "8/4", "2x8/16" */
    const struct kernel *kernel;
};
/* Adds the kernels of that chain for names like 8/4, all that can run here for no names. Faults: STATUS_USAGE
 * for what no kernel has, STATUS_UNSUPPORTED for what cannot run here. */
enum status stlf_find_widths(const struct run *run, enum stlf_chain chain, const struct name_list *names,
                             struct stlf_width *width, int *count, struct fault *fault);

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
/* Of so many columns, seen so, over that column. */
#define STLF_TABLE(key, heading, remark, width, how, over)                                                   \
    {                                                                                                        \
        .name = key, .title = heading, .note = remark, .columns = stlf_point_columns, .column_count = width, \
        .view = {                                                                                            \
            .kind = how,                                                                                     \
            .x = over,                                                                                       \
            .y = -1,                                                                                         \
            .value = C_CYCLES,                                                                               \
            .series = C_SERIES,                                                                              \
            .log_x = over == C_LOAD_AT,                                                                      \
        },                                                                                                   \
    }

enum stlf_over {
    OVER_KERNELS,      /* each of the operation, and of the widths where they are named */
    OVER_OFFSETS,      /* loads 4 bytes below to 7 above */
    OVER_DISTANCES,    /* loads 64 bytes to 1 MiB further on, powers of two */
    OVER_VALUES,       /* the same value and a new one */
    OVER_WIDTHS,       /* each pair of widths that has a kernel with one base register */
    OVER_DISPLACEMENTS /* loads displaced in the text, or as far above the store */
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
    struct table_spec table;
    const struct stlf_series *series;
    int count;
    double seconds;
    void (*report)(const struct stlf_set *set);    /* answers, before the rows of the table */
    bool both;                                     /* those of the busy state, too, by another call */
    bool (*shown)(const struct stlf_point *point); /* in the table; NULL: each point is */
    bool (*enough)(const struct stlf_set *set);    /* NULL: not before the time is over */
};
extern const struct stlf_sweep stlf_summary, stlf_forwards, stlf_renaming, stlf_unroll[CHAIN_COUNT],
    stlf_distance, stlf_alias, stlf_silent;
void stlf_points_add(struct stlf_part *part);
/* The table of the sweep. active: the same points with the sibling busy; NULL: it was not. */
void stlf_rows(const struct stlf_set *set, const struct stlf_set *active, const struct stlf_sweep *sweep);
/* The points of a series; of none there is one estimate, of NaN. */
struct stlf_curve {
    const struct stlf_point *point;
    const struct estimate *of;
    size_t count;
};
struct stlf_curve stlf_curve(const struct stlf_set *set, const char *series);
/* Adds an answer in the state of the set. */
void stlf_say(const struct stlf_set *set, struct answer answer, struct verdict verdict);
/* The same of an estimate, in core cycles. remark may be NULL. */
void stlf_add(const struct stlf_set *set, const char *key, const char *label, const char *remark,
              const struct estimate *estimate, struct verdict verdict);
/* Text of up to 191 bytes for an answer that is added next: it stays as long as seven more are not asked for. key: without blanks
 * and signs that no key has. */
char *stlf_words(const char *format, ...) __attribute__((format(printf, 1, 2)));
char *stlf_key(char *words);

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
/* The point of a curve that is nearest to the median of them. */
const struct estimate *stlf_middle(const struct estimate *curve, size_t count);
/* What a value in that state is compared with: of the same state, but for L1's latency, which stands in from another. */
struct stlf_levels stlf_levels_in(const struct stlf *stlf, enum state state);
unsigned stlf_bytes_a_pair(const struct kernel *kernel);

/* Maps (map.c). */

/* Makes the maps that the options ask for, a part each; returns how many. */
size_t stlf_maps_add(struct stlf *stlf, struct stlf_part *part, struct fault *fault);
extern const struct table_spec stlf_map_table; /* that all maps fill */
void stlf_map_report(struct stlf_map *map, const struct stlf_set *set);
