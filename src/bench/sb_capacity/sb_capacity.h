/* SPDX-License-Identifier: MIT */
/* Parts of `uarchprobe sb-capacity` shared by its files: the three methods, and what follows from litmus trials. */
#pragma once

#include "engine/store_buffer.h"
#include "uarchprobe/command.h"
#include "uarchprobe/engine.h"
#include "uarchprobe/knee.h"

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
    const struct kernel *kernel; /* of the width asked for */
    enum store_pattern pattern;  /* asked for, or STORES_LINE */
    const char *core;            /* that is measured; or NULL */
};

/* Cycles with a full store buffer, as the CPU counts them, as a table; where it cannot, why as run.counters. */
void sb_stalls(const struct sb_bench *bench, const struct store_probe *probe);

/* The methods. Each adds its plan, or its rows and answers. */
enum status sb_iso_run(struct sb_bench *bench, struct fault *fault);
enum status sb_nops_run(struct sb_bench *bench, struct fault *fault);
enum status sb_litmus_run(struct sb_bench *bench, struct fault *fault);

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
enum sb_distance { SB_NEAR, SB_FAR, SB_DISTANCES };
enum { SB_KINDS = FILLINGS * 2 * SB_DISTANCES * STATE_COUNT };
extern const char *const sb_distance_names[]; /* "CPUs near each other", ... */

struct sb_count {
    size_t blocks, trials, both_old, one_old;
};
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
    struct reading before[2], after[2]; /* of the witness of each CPU */
    struct sb_count count;
    size_t fenced, fenced_both_old; /* the same trials with a fence before the load */
};
struct sb_passing {
    size_t entries;  /* of the whole buffer, from iso; 0: unknown */
    bool proved;     /* it is not itself a half */
    double ghz;      /* of the cores' clock; NaN: unknown */
    size_t whole[2]; /* that the witness of each CPU takes for all by now: with that, readings are resolved */
    struct sb_block *block; /* all of them; the caller frees it */
    size_t made, capacity;
    struct sb_sums {
        size_t blocks, shared; /* all that counts; those in which the CPUs shared a core, which do not */
        size_t last;           /* largest number of stores that was tried */
        size_t most;           /* that a load was seen to pass, of fillings that do not merge */
        size_t fenced, fenced_both_old;
        double least_ns, most_ns;         /* distance of the CPUs */
        size_t tried[SB_MOST_STORES + 1]; /* blocks by stores */
        /* by stores; then by filling, late, distance and state, the last of which changes first */
        struct sb_count at[SB_MOST_STORES + 1][SB_KINDS];
    } sum;
};
/* A size that is larger than was known files all blocks anew. */
void sb_passing_add(struct sb_passing *passing, const struct sb_block *block);

/* What to sum over: a bit for each index. 0: all of them; of fillings, those that do not merge. */
struct sb_part {
    unsigned fillings, late, distances, states;
};
/* Of `first` to `last` stores. */
struct sb_count sb_passing_count(const struct sb_passing *passing, struct sb_part part, size_t first,
                                 size_t last);

/* The answers: their value is CELL_NULL where it is not resolved, and the remark says why.
 * Knee: the last number of stores before the share of trials falls, while the first store's line comes in time. High: sharp, and
 * the whole buffer with idle siblings, or half of it with an active one; or one more, as the oldest store may be leaving. */
struct answer sb_knee(const struct sb_passing *passing);
/* The most that was passed: one trial proves it. High: at least this, seen so often that another run sees it again, and the next
 * number is never passed. */
struct answer sb_most(const struct sb_passing *passing);
/* From here on no trial passed, in `samples` of them. */
struct answer sb_never(const struct sb_passing *passing);
/* Whether stores in a row to one line leave the buffer by merging: then a load passes SB_MERGED buffers of them, for which there is
 * no other mechanism. */
enum { SB_MERGED = 3 };
struct answer sb_merging(const struct sb_passing *passing);
/* Whether no trial can change an answer any more. */
bool sb_passing_enough(const struct sb_passing *passing);
/* Facts, answers, the table. */
void sb_passing_record(const struct sb_passing *passing, struct record *record);

/* What is tried. Numbers beyond the usual ones wait until fewer than four of those are beyond what was passed. */
struct sb_points {
    size_t number[SB_MOST_STORES], numbers, usual; /* ascending */
    struct sb_point point[SB_MOST_STORES * FILLINGS * 2];
    size_t points;
};
void sb_points_choose(struct sb_points *points, const struct sb_params *params, size_t entries);
/* Whether trials of this kind in that round can change an answer. */
bool sb_points_wants(const struct sb_points *points, const struct sb_point *point,
                     const struct sb_passing *passing, uint64_t round);
