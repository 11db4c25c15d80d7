/* SPDX-License-Identifier: MIT */
/* Shared by the files of `stlf`: points, experiments made of rows, and how answers are added. */
#pragma once

#include "grid.h"
#include "uarchprobe/command.h"
#include "uarchprobe/experiment.h"
#include "uarchprobe/memory.h"

enum stlf_window { WINDOW_ALIGNED, WINDOW_LINE, WINDOW_PAGE, WINDOW_COUNT };
extern const char *const stlf_window_names[];

/* UNROLL_MAX: pairs that a sled holds on every ISA. */
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
    const struct memory *memory;
    long page, line;    /* bytes */
    unsigned placement; /* pages by which stores, loads and the chain are moved up */
    int cpu[2];         /* the CPU that measures; with --smt also its sibling's, where the companion runs */
    bool was_renamed;   /* the last sample may have been of a renamed load */
    struct stlf_levels usual; /* of an 8-byte store and a 4-byte load; l1 0: unknown */
    size_t grid_table;        /* index in the record; all maps fill it */
    /* Of load offsets, kept until stlf_record_offsets: the screen begins with the chains, which need
     * levels first. */
    struct answer offset[2 * (STLF_LOADS_MAX + 1)];
    size_t offsets;
    struct text left_out; /* names of parts without values */
};

/* A grid at one number of pairs. */
struct stlf_map {
    unsigned pairs;
    enum stlf_window window;
    unsigned says;           /* SAYS_* of map.c */
    char name[160], key[80]; /* key: all answers begin with it */
    int first_offset;        /* of both axes */
    struct stlf_grid *grid;
};

enum stlf_cells { CELLS_NONE, CELLS_APART, CELLS_SAME }; /* cells whose addresses differ, or agree */
/* The points of one row: every kernel at each number of pairs and each load. Rows whose loads may be
 * renamed come last: a predictor that has learnt to rename forgets when the same code runs with other
 * addresses. */
struct stlf_series {
    const char *name; /* NULL ends the rows */
    enum operation operation;
    unsigned store_bytes, load_bytes; /* 0: each width that `like` has */
    long store, load;
    unsigned char pairs[7]; /* each number, ended by 0; none: 1 to 64 */
    int loads;              /* of `above`; 0: one load, at `load` */
    const long *above;      /* bytes of each load above `load`; at most STLF_LOADS_MAX */
    enum operation like;
    uint64_t added;        /* OPERATION_FORWARD_ADD: to what was loaded */
    enum stlf_cells cells; /* a grid from `store` and `load` on, instead of `loads` */
};

/* Loads of `series` that cost more than those of `base`. */
struct stlf_extra {
    const char *key, *label, *series, *base;
    double absolute,
        share;           /* in cycles, and as a share of the base: less than the larger of both is no cost */
    unsigned placements; /* that must agree where the cost depends on pages; or 0 */
    /* A flush costs more or less by where the code lies: 21.4 to 21.7 cycles in seven runs of high trust
     * and 23.2 in another (Zen 5 guest, 20 runs), so the cost has medium trust at most. */
    bool has_flush;
};

struct stlf_part;
struct stlf_sweep {
    struct table_spec table;
    const struct stlf_series *series; /* NULL: a map */
    double seconds;
    void (*report)(const struct stlf_part *part); /* adds answers before that of `extra`; or NULL */
    bool both;                                    /* a second call reports the busy state */
    struct stlf_extra extra;                      /* key NULL: none */
};
extern const struct stlf_sweep stlf_forwards, stlf_chains, stlf_renaming, stlf_alias, stlf_silent, stlf_waits,
    stlf_grids;
/* Adds all answers and rows (sweeps.c). */
void stlf_report(const struct stlf_part *part);

/* One experiment of a run: the points of a sweep or a map, series by series, and their estimates in one
 * state. */
struct stlf_part {
    struct stlf *stlf;
    const struct stlf_sweep *sweep;
    struct stlf_map map;
    struct series series[13]; /* for the engine; row: the first point */
    struct stlf_point *point;
    size_t count;
    enum state state;
    /* The second of two reported states: it has few spells, so answers of low trust are left out. */
    bool is_second;
    /* Core cycles of a pair by point; value NaN: not measured in this state. One more NaN stands after the
     * last. */
    struct estimate *estimate;
};

/* Points and how they are run (points.c). */

/* Finds the size of pages and lines; with --smt the SMT sibling (the user names it where a guest hides it).
 * Faults: STATUS_NO_RESOURCE (no sibling here), STATUS_USAGE (the CPU itself was named). */
enum status stlf_open(struct stlf *stlf, struct fault *fault);
/* Whether a predictor may learn to serve the load without memory. */
bool stlf_may_be_renamed(const struct stlf_point *point);
/* The functions of an experiment of pairs; `own` is the part. */
extern const struct experiment stlf_pairs;

/* Columns of every table of points. */
enum { C_SERIES, C_STORE, C_LOAD, C_PAIRS, C_CYCLES, C_SPREAD, C_VERDICT, C_LOAD_AT, C_GAP, C_COUNT };
extern const struct column stlf_point_columns[C_COUNT];
/* Makes the points of the rows, and an engine series of each row that has a kernel here. */
void stlf_points_add(struct stlf_part *part, const struct stlf_series *rows);
/* Adds the table of the sweep. */
void stlf_rows(const struct stlf_part *part);
/* The points of a series; without points, `of` is one estimate of NaN. */
struct stlf_curve {
    const struct stlf_point *point;
    const struct estimate *of;
    size_t count;
};
struct stlf_curve stlf_curve(const struct stlf_part *part, const char *series);

/* Answers and their trust (answers.c). */

/* Which samples a value is from: those of the run, or of one half. */
enum stlf_which { STLF_WHOLE, STLF_FIRST, STLF_SECOND };
static inline double stlf_value_of(const struct estimate *e, enum stlf_which which)
{
    return which == STLF_WHOLE ? e->value : which == STLF_FIRST ? e->first : e->second;
}

/* The answer as the part's state and a verdict make it. */
struct answer stlf_judged(const struct stlf_part *part, struct answer answer, struct verdict verdict);
/* Adds an answer in the state of the part. */
void stlf_say(const struct stlf_part *part, struct answer answer, struct verdict verdict);
/* Adds the answers of load offsets, behind all others (forwards.c). */
void stlf_record_offsets(struct stlf *stlf);
/* Adds an estimate in core cycles as an answer, with the key, the label, the remark and the place on the core
 * sheet of `names`. A remark of the estimate itself comes first. */
void stlf_add(const struct stlf_part *part, struct answer names, const struct estimate *estimate,
              struct verdict verdict);
#define stlf_words(part, ...) record_text((part)->stlf->run->record, __VA_ARGS__)
/* Judges by the promise for values of the core. placements: how many must agree; 0 where pages do not
 * matter. */
struct verdict stlf_judge(const struct estimate *estimate, unsigned placements);
/* Judges a yes or no: high where both halves of the run, all placements (at least so many) and the whole
 * interval lie on one side of the limit. A value of NaN has low trust. */
struct verdict stlf_judge_side(const struct estimate *estimate, double limit, unsigned placements);
/* a - b; both vary independently. */
struct estimate stlf_difference(const struct estimate *a, const struct estimate *b);
/* The estimate nearest to the median of the curve. */
const struct estimate *stlf_middle(const struct estimate *curve, size_t count);

/* Maps (map.c). */

/* Makes the maps that the options ask for, a part each; returns their number. Faults: STATUS_USAGE (no
 * kernel has such widths), STATUS_UNSUPPORTED (none of them runs here). */
size_t stlf_maps_add(struct stlf *stlf, struct stlf_part *part, struct fault *fault);
