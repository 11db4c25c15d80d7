/* SPDX-License-Identifier: MIT */
/* Parts of `uarchprobe sb-capacity` shared by its files: the sweeps of one experiment, the three methods, the
 * rows. */
#ifndef UARCHPROBE_BENCH_SB_CAPACITY_H
#define UARCHPROBE_BENCH_SB_CAPACITY_H

#include "engine/store_buffer.h"
#include "uarchprobe/command.h"
#include "uarchprobe/knee.h"
#include "uarchprobe/stats.h"

enum { SB_MOST_STORES = KNEE_VALUES - 1, SB_FEWEST_POINTS = 12, SB_ADDRESS_AUTO = 0 };

struct sb_params {
    int method;
    int width;   /* index into the names of widths: bytes = 1 << width */
    int address; /* SB_ADDRESS_AUTO, or enum store_pattern + 1 */
    struct range stores;
    uint64_t nops;
    bool streaming, counters;
    struct cpu_choice smt;
};

/* What the methods share. */
struct sb_bench {
    struct run *run;
    const struct sb_params *params;
    const struct kernel *kernel;             /* of the width asked for */
    enum store_pattern pattern;              /* asked for, or STORES_LINE */
    const char *core;                        /* that is measured; or NULL */
    struct engine_effort sampling, checking; /* checks have what sampling leaves of the time */
};

/* Where the time budget that was given ended the rounds, says so. */
void sb_check_rounds(const struct sb_bench *bench, const struct engine_data *data);

/* Cycles with a full store buffer, as the CPU counts them, as a table; where it cannot, why as run.counters. */
void sb_stalls(const struct sb_bench *bench, const struct store_probe *probe);

/* The methods. Each adds its rows and answers. */
enum status sb_iso_run(struct sb_bench *bench, struct fault *fault);
enum status sb_nops_run(struct sb_bench *bench, struct fault *fault);
enum status sb_litmus_run(struct sb_bench *bench, struct fault *fault);

extern const struct table_spec sb_litmus_table;
/* An answer whose sentence is made by the format. */
void sb_answer(const struct sb_bench *bench, struct answer answer, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* How many stores a later load can pass, from blocks of litmus trials. Pure. */
enum sb_filling {
    FILL_TWO,   /* two lines in turn */
    FILL_LINES, /* four lines in turn */
    FILL_APART, /* a line for each store */
    FILL_PAGES, /* four pages in turn; only where asked for */
    FILL_WORD, /* one word, and four words of one line (only where asked for): what is stored in a row to one line merges, */
    FILL_LINE, /* which is an answer of its own */
    FILLINGS
};
extern const char *const sb_filling_names[]; /* "two lines", ... */
enum sb_distance { SB_NEAR, SB_FAR, SB_DISTANCES };

/* What a block of trials is of. */
struct sb_point {
    enum sb_filling filling;
    bool
        late; /* the oldest store waits for its line; else that is asked for while square roots hold back all stores */
    size_t stores;
};
struct sb_block {
    struct sb_point point;
    double
        distance_ns; /* least one-way time between the two CPUs; NaN: they did not meet, and nothing counts */
    enum state state; /* of the siblings of both, active: of one of them */
    size_t trials, both_old, one_old;
    size_t fenced, fenced_both_old; /* the same trials with a fence before the load */
};
struct sb_count {
    size_t blocks, trials, both_old, one_old;
};
struct sb_passing {
    size_t entries;        /* of the whole buffer, from iso; 0: unknown */
    bool proved;           /* it is not itself a half */
    size_t blocks, shared; /* all that counts; those in which the CPUs shared a core, which do not */
    size_t last;           /* largest number of stores that was tried */
    size_t most;           /* that a load was seen to pass, of fillings that do not merge */
    size_t fenced, fenced_both_old;
    double ghz;               /* of the cores' clock; NaN: unknown */
    double least_ns, most_ns; /* distance of the CPUs */
    /* in time, late */
    struct sb_count at[FILLINGS][2][SB_DISTANCES][STATE_COUNT][SB_MOST_STORES + 1];
};
/* Of a block, from what the witnesses of both CPUs saw before and after it: one halved buffer is enough, as both must pass. */
enum state sb_state_of(const enum state before[2], const enum state after[2]);
void sb_passing_add(struct sb_passing *passing, const struct sb_block *block);

/* What to sum over; a negative member: all of it. All fillings: those that do not merge. */
struct sb_part {
    int filling, late, distance, state;
};
struct sb_count sb_passing_count(const struct sb_passing *passing, struct sb_part part, size_t stores);
/* Why nothing can be concluded; NULL: it can. */
const char *sb_passing_refusal(const struct sb_passing *passing);

/* The last number of stores before the share of trials falls, while the first store's line comes in time: what the buffer
 * itself lets a load pass. */
struct sb_knee {
    size_t stores;                /* 0: none */
    size_t next;                  /* of the next point */
    struct sb_count count, after; /* there, and at the next point */
    double fall;      /* by how much the share falls, at least: what saw none may have missed half of one */
    enum state state; /* of the blocks it rests on; STATE_MIXED: all */
};
struct sb_knee sb_knee_of(const struct sb_passing *passing);
/* High: sharp, and the whole buffer with idle siblings, or half of it with an active one; or one more, as the oldest store
 * may be leaving. */
struct verdict sb_knee_judge(const struct sb_knee *knee, const struct sb_passing *passing);

/* What no trial passed. */
struct sb_never {
    const char *unresolved; /* why there is no number; NULL: there is */
    size_t from, last;      /* the least, and the largest that was tried */
    size_t trials;          /* of all these */
    double share;           /* of trials that may pass all the same, at 95 % */
    bool far;               /* where the CPUs were far from each other; false: that case was not had */
};
struct sb_never sb_never_of(const struct sb_passing *passing);
struct verdict sb_never_judge(const struct sb_never *never, const struct sb_passing *passing);

/* The most that was passed: one trial proves it. */
struct sb_most {
    size_t stores;                    /* 0: none */
    struct sb_count count, far, late; /* there: all, in far blocks, where the first line was late */
};
struct sb_most sb_most_of(const struct sb_passing *passing);
/* High: at least this, seen so often that another run sees it again, and the next number is never passed. */
struct verdict sb_most_judge(const struct sb_most *most, const struct sb_never *never);

/* In buffers: no other mechanism takes so many stores. */
enum { SB_MERGED = 3 };
/* Whether stores in a row to one line leave the buffer by merging: then a load passes three buffers of them. */
struct sb_merging {
    bool known, merges;
    size_t stores; /* so many were tried */
    struct sb_count count;
};
struct sb_merging sb_merging_of(const struct sb_passing *passing);
struct verdict sb_merging_judge(const struct sb_merging *merging);

/* Whether trials of this kind in that round can change an answer; whether none can any more. */
bool sb_passing_wants(const struct sb_passing *passing, const struct sb_point *point, uint64_t round);
bool sb_passing_enough(const struct sb_passing *passing);

/* What is tried. Numbers beyond the usual ones wait until fewer than four of those are beyond what was passed. */
struct sb_points {
    size_t number[SB_MOST_STORES], numbers, usual; /* ascending */
    struct sb_point point[SB_MOST_STORES * FILLINGS * 2];
    size_t points;
};
void sb_points_choose(struct sb_points *points, const struct sb_params *params, size_t entries);
bool sb_points_wants(const struct sb_points *points, const struct sb_point *point,
                     const struct sb_passing *passing, uint64_t round);

void sb_passing_rows(const struct sb_bench *bench, size_t table, const struct sb_passing *passing);
/* The four answers. */
void sb_passing_answers(const struct sb_bench *bench, const struct sb_passing *passing);

#endif
