/* SPDX-License-Identifier: MIT */
/* Shared by the files of `sb-capacity`: the three methods, and the conclusions from litmus trials. */
#pragma once

#include <stdatomic.h>

#include "engine/store_buffer.h"
#include "uarchprobe/command.h"
#include "uarchprobe/engine.h"

enum { SB_MOST_STORES = 512, SB_FEWEST_POINTS = 12, SB_ADDRESS_AUTO = 0 };

struct sb_params {
    int method;
    int width;   /* index into the names of widths: bytes = 1 << width */
    int address; /* SB_ADDRESS_AUTO, or enum store_pattern + 1 */
    struct range stores;
    uint64_t nops;
    bool streaming, counters;
    struct cpu_choice smt;
};

/* One number of stores is no search: the method nops runs its loop alone. */
static inline bool sb_is_loop(const struct sb_params *params)
{
    return params->stores.last != 0 && params->stores.first == params->stores.last;
}

/* Each series has a probe, stores between two chains. A probe without a kernel is not measured. */
enum { SB_PROBES = 4 };
struct sb_probes {
    struct store_probe of[SB_PROBES];
};

/* The methods. Each adds its plan, or its rows and answers. kernel: of the chosen width. */
enum status sb_iso_run(struct run *run, const struct kernel *kernel, struct fault *fault);
enum status sb_nops_run(struct run *run, const struct kernel *kernel, struct fault *fault);
enum status sb_litmus_run(struct run *run, const struct kernel *kernel, struct fault *fault);

/* Where two threads meet before their trials. */
struct sb_start {
    double distance_ns; /* least one-way time between their CPUs */
    uint64_t ticks;     /* when the first trial begins */
};
/* Two sides pass a line to and fro by counting *now up from `first`, which is there already; odd turns are
 * of side 0, which then fills in *start for both. False: the other side does not come within 20 ms. */
bool sb_meet(atomic_uint_least64_t *now, uint64_t first, double ns_per_tick, int side,
             struct sb_start *start);

/* How many stores a later load can pass: the points, their counts, the answers. Pure. */

/* Where the stores between the first one and the load go; the first four as in enum store_pattern. Stores
 * in a row to one word or line may merge, which is an answer of its own. */
enum sb_filling {
    FILL_WORD,
    FILL_LINE,  /* four words of one line; only by --address */
    FILL_LINES, /* four lines in turn */
    FILL_PAGES, /* four pages in turn; only by --address */
    FILL_TWO,   /* two lines in turn */
    FILL_APART, /* a line for each store */
    FILLINGS
};
enum sb_distance { SB_NEAR, SB_FAR, SB_DISTANCES };
extern const char *const sb_distance_names[]; /* "CPUs near each other", ... */

struct sb_count {
    size_t trials, both_old;
};
struct sb_point {
    enum sb_filling filling;
    /* The oldest store waits for its line; else the line is fetched while all stores are held back. */
    bool late;
    size_t stores;
    struct sb_count count[SB_DISTANCES][STATE_COUNT];
};
struct sb_block {
    size_t point;                       /* its index */
    double distance_ns;                 /* least one-way time between the two CPUs; 0: they share a core */
    struct reading before[2], after[2]; /* of the witness of each CPU */
    struct sb_count count, fenced;      /* fenced: of trials with a fence before the load */
};
struct sb_passing {
    size_t entries; /* of the whole buffer, by the witnesses so far; 0: unknown */
    bool proved;    /* `entries` is no half */
    double ghz;     /* of the cores' clock; NaN: unknown */
    struct sb_point point[SB_MOST_STORES * FILLINGS * 2]; /* by number of stores */
    size_t points;
    size_t usual, reserved; /* numbers beyond `usual` wait until `reserved` was passed */
    /* Blocks that count; those in which the CPUs shared a core, which do not. */
    size_t blocks, shared;
    size_t last, most; /* largest number of stores tried; passed by a load, where stores do not merge */
    struct sb_count fenced;
    enum sb_distance distance; /* of the last block that counts */
};

/* Stores to one line merge where a load passes so many buffers of them: nothing else explains it. */
enum { SB_MERGED = 3 };
/* The points of a buffer of `entries`, or those of --stores and --address. */
void sb_points_choose(struct sb_passing *passing, const struct sb_params *params, size_t entries);
/* Whether trials of this point in that round can change an answer. */
bool sb_point_wanted(const struct sb_passing *passing, const struct sb_point *point, uint64_t round);
/* Adds a block; a larger whole size than known before drops all counts. */
void sb_passing_add(struct sb_passing *passing, const struct sb_block *block);

/* Without an answer the value is CELL_NULL and the remark has the reason. KNEE: the last number of stores
 * before the share of trials falls, while the first store's line comes in time. High: sharp, and the whole
 * buffer with idle siblings, or half of it with a busy one; or one more, as the oldest store may be leaving.
 * MOST: the most that was passed; one trial proves it. High: seen so often that another run sees it again,
 * and never a larger number. NEVER: from here on no trial passed, in `samples` of them. MERGING: whether
 * stores in a row to one line merge. */
enum { SB_KNEE, SB_MOST, SB_NEVER, SB_MERGING, SB_ANSWERS };
void sb_passing_answer(const struct sb_passing *passing, struct answer answer[SB_ANSWERS]);
/* Whether no trial can change an answer any more. */
bool sb_passing_enough(const struct sb_passing *passing);
/* Adds facts, answers and the table. */
void sb_passing_record(const struct sb_passing *passing, struct record *record);
