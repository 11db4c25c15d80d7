/* SPDX-License-Identifier: MIT */
/* What the files of `stlf` share: points, experiments made of rows, and how answers are added. */
#pragma once

#include "grid.h"
#include "uarchprobe/chase.h"
#include "uarchprobe/command.h"
#include "uarchprobe/experiment.h"
#include "uarchprobe/memory.h"

enum stlf_window { WINDOW_ALIGNED, WINDOW_LINE, WINDOW_PAGE, WINDOW_COUNT };
extern const char *const stlf_window_names[];

/* The longest pass: what a sled of pairs holds on every ISA. */
enum { STLF_UNROLL_MAX = 64, STLF_FEW_PAIRS = 8, STLF_WIDTHS_MAX = 32 };
enum { STLF_PLACEMENTS_LEAST = 4, STLF_LOADS_MAX = 15 };

struct stlf_params {
    bool grid, alias, silent, all;
    struct cpu_choice smt;
    struct name_list widths;
    int window;
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
    long page, line;          /* bytes */
    unsigned placement;       /* pages that everything is moved up by */
    int cpu[2];               /* that measures, and with --smt its companion's */
    bool was_renamed;         /* what was sampled last may have been */
    struct stlf_levels usual; /* of an 8-byte store and a 4-byte load; l1 0: unknown */
    size_t grid_table;        /* of the record, that all maps fill */
    struct text left_out;     /* names of parts without values */
};

/* A grid at one number of pairs. */
struct stlf_map {
    unsigned pairs;
    enum stlf_window window;
    unsigned says;           /* what no other map of the run says */
    char name[160], key[80]; /* key: all answers begin with it */
    int first_offset;        /* of both axes */
    struct stlf_grid *grid;
};

enum stlf_cells { CELLS_NONE, CELLS_APART, CELLS_SAME }; /* of different addresses, or of the same */
/* Points that one row stands for: of each kernel, at each number of pairs, of loads. Rows of an experiment that may
 * be renamed come last: a predictor that has learnt to rename forgets as soon as the same code runs with other addresses. */
struct stlf_series {
    const char *name; /* NULL ends the rows */
    enum operation operation;
    unsigned store_bytes, load_bytes; /* 0: each width that `like` has, too */
    long store, load;
    unsigned char pairs[7];     /* each number, ended by 0; none: 1 to 64 */
    int loads;                  /* 0: one */
    long above[STLF_LOADS_MAX]; /* so far above `load`, each */
    enum operation like;
    uint64_t added;        /* OPERATION_FORWARD_ADD: to what was loaded */
    enum stlf_cells cells; /* of a grid instead, from store and load on */
};

/* Loads that cost more than the same ones of another series. */
struct stlf_extra {
    const char *key, *label, *series, *base;
    double absolute, share; /* cycles, and of the base: the larger of the two is no cost */
    unsigned placements;    /* that must agree, as the cost depends on where pages lie; or 0 */
};

struct stlf_part;
struct stlf_sweep {
    struct table_spec table;
    const struct stlf_series *series; /* NULL: a map */
    double seconds;
    void (*report)(const struct stlf_part *part); /* answers, before that of `extra`; NULL: none */
    bool both;                                    /* those of the busy state, too, by another call */
    struct stlf_extra extra;                      /* key NULL: none */
};
extern const struct stlf_sweep stlf_forwards, stlf_chains, stlf_renaming, stlf_alias, stlf_silent, stlf_grids;
/* All answers and rows (sweeps.c). */
void stlf_report(const struct stlf_part *part);

/* One experiment of a run: points of a sweep or of a map, series by series, and what they come to in one state. */
struct stlf_part {
    struct stlf *stlf;
    const struct stlf_sweep *sweep;
    struct stlf_map map;
    struct series series[13]; /* for the engine; row: the first point */
    struct stlf_point *point;
    size_t count;
    enum state state;
    bool is_second; /* of two that are reported: of this one, whose spells are few, nothing below medium */
    /* In core cycles a pair. A value of NaN: not measured in this state. Behind the last is one more of that kind. */
    struct estimate *estimate;
};

/* Points and how they are run (points.c). */

/* Maps memory, and with --smt finds the SMT sibling, which the user may have to name, as guests hide it.
 * Faults: STATUS_NO_RESOURCE (no sibling here, no memory), STATUS_USAGE (its own sibling). */
enum status stlf_open(struct stlf *stlf, struct fault *fault);
/* Whether the load may come to be served without going through memory: a predictor has to learn that first. */
bool stlf_may_be_renamed(const struct stlf_point *point);
/* The functions of an experiment of pairs; `own` is the part. */
extern const struct experiment stlf_pairs;

/* Columns of every table of points. */
enum { C_SERIES, C_STORE, C_LOAD, C_PAIRS, C_CYCLES, C_SPREAD, C_VERDICT, C_LOAD_AT, C_GAP, C_COUNT };
extern const struct column stlf_point_columns[C_COUNT];
/* Seen so, over that column. */
#define STLF_TABLE(key, heading, remark, how, over)                                                          \
    {                                                                                                        \
        .name = key, .title = heading, .note = remark, .columns = stlf_point_columns,                        \
        .column_count = C_COUNT, .view = {                                                                   \
            .kind = how,                                                                                     \
            .x = over,                                                                                       \
            .y = -1,                                                                                         \
            .value = C_CYCLES,                                                                               \
            .series = C_SERIES,                                                                              \
            .log_x = over == C_LOAD_AT                                                                       \
        }                                                                                                    \
    }

/* Makes the points of the rows, and a series of the engine of each that has a kernel here. */
void stlf_points_add(struct stlf_part *part, const struct stlf_series *rows);
/* The table of the sweep. */
void stlf_rows(const struct stlf_part *part);
/* The points of a series; of none there is one estimate, of NaN. */
struct stlf_curve {
    const struct stlf_point *point;
    const struct estimate *of;
    size_t count;
};
struct stlf_curve stlf_curve(const struct stlf_part *part, const char *series);

/* Answers, and what they rest on (answers.c). */

/* Of the whole run, or of one of its halves. */
enum stlf_which { STLF_WHOLE, STLF_FIRST, STLF_SECOND };
static inline double stlf_value_of(const struct estimate *e, enum stlf_which which)
{
    return which == STLF_WHOLE ? e->value : which == STLF_FIRST ? e->first : e->second;
}

/* Adds an answer in the state of the part. */
void stlf_say(const struct stlf_part *part, struct answer answer, struct verdict verdict);
/* The same of an estimate, in core cycles. remark may be NULL. */
void stlf_add(const struct stlf_part *part, const char *key, const char *label, const char *remark,
              const struct estimate *estimate, struct verdict verdict);
/* Text of up to 191 bytes for an answer that is added next: it stays as long as seven more are not asked for. */
char *stlf_words(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* By the promise for what lies within a core. placements: that must agree, as the value depends on where pages lie; or 0. */
struct verdict stlf_judge(const struct estimate *estimate, unsigned placements);
/* Of an answer that is yes or no for each value: is it on the same side of the limit in both halves of the run, at all of so many
 * placements, and all through the interval? NaN as value is low. */
struct verdict stlf_judge_side(const struct estimate *estimate, double limit, unsigned placements);
/* Of a and b: a - b. */
struct estimate stlf_difference(const struct estimate *a, const struct estimate *b);
/* The point of a curve that is nearest to the median of them. */
const struct estimate *stlf_middle(const struct estimate *curve, size_t count);

/* Maps (map.c). */

/* Makes the maps that the options ask for, a part each; returns how many. Faults: STATUS_USAGE for what no kernel has,
 * STATUS_UNSUPPORTED for what cannot run here. */
size_t stlf_maps_add(struct stlf *stlf, struct stlf_part *part, struct fault *fault);
