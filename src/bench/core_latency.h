/* SPDX-License-Identifier: MIT */
/* Parts of `uarchprobe core-latency` shared by its files: one pair's turn (handover), all pairs in rounds
 * (matrix), what is said of them (report). */
#ifndef UARCHPROBE_BENCH_CORE_LATENCY_H
#define UARCHPROBE_BENCH_CORE_LATENCY_H

#include <stdalign.h>
#include <stdatomic.h>

#include "uarchprobe/command.h"
#include "uarchprobe/memory.h"
#include "uarchprobe/modes.h"
#include "uarchprobe/pairs.h"
#include "uarchprobe/pin.h"

/* What can be asked for; the transfer yields two series of values. */
enum handover_bench { BENCH_CAS, BENCH_READWRITE, BENCH_TRANSFER, BENCH_MESSAGE, BENCH_COUNT };
enum handover_series {
    SERIES_CAS,
    SERIES_READWRITE,
    SERIES_TRANSFER,
    SERIES_TRANSFER_RMW,
    SERIES_MESSAGE,
    SERIES_COUNT
};
extern const char *const handover_bench_names[]; /* NULL-terminated, for --benchmark */
extern const char *const handover_series_names[];
enum handover_bench series_bench(enum handover_series series);

enum { LINES_MAX = 16, NODES_PER_LINE = 16, NODES_MAX = LINES_MAX * NODES_PER_LINE, MESSAGES_MAX = 1000 };

/* The same for all pairs of a run. */
struct handover_setup {
    const struct kernel *cas, *words, *chase, *chase_rmw,
        *message; /* NULL where its benchmark is not wanted */
    const struct clock *clock;
    int lines;                      /* pages, and lines in the ping-pongs */
    uint64_t samples;               /* of each line */
    uint64_t iterations;            /* round trips in a sample */
    uint64_t cas_spins, load_spins; /* failed attempts after which the partner is given up */
    bool one_toucher;               /* `from` touches all lines first and is the only writer; else by turns */
    uint64_t page_bytes;
};

/* What one round says of one series of one pair. */
struct handover_result {
    struct cell_round round;
    double forward, backward; /* ns, from -> to and back; NaN where it makes no difference */
    double line[LINES_MAX];   /* ns; NaN where lines are not told apart */
};

/* One pair's turn: filled in by the owner, run by two threads (by one where from and to are the same). */
struct handover {
    const struct handover_setup *setup;
    unsigned wanted;                             /* bit set over enum handover_bench */
    int from, to;                                /* members of the team */
    uint64_t seed;                               /* of the random orders */
    unsigned char *page;                         /* setup->lines pages, not touched yet */
    double *sample;                              /* setup->lines x setup->samples; and 2 x MESSAGES_MAX */
    struct handover_result result[SERIES_COUNT]; /* written by the thread at the `from` end */
    int order[LINES_MAX];
    void *node[NODES_MAX];
    int64_t delta[2][MESSAGES_MAX];
    alignas(128) atomic_uint met[2]; /* how many meetings each end has come to */
    alignas(128) atomic_bool failed;
};

enum handover_end { END_FROM, END_TO };

/* Runs one end. Comes back in bounded time whatever the partner does; what could not be measured is NaN. */
void handover_run(struct handover *handover, enum handover_end end);
/* Prepares for the next turn: no result, nobody met. */
void handover_reset(struct handover *handover);
/* Doubles that `sample` must have room for. */
size_t handover_room(const struct handover_setup *setup);

#endif
