/* SPDX-License-Identifier: MIT */
/* Parts of `uarchprobe core-latency` shared by its files: one turn of a pair (handover), all pairs in rounds
 * (matrix), where they were found (distances), what is said of them (report). */
#ifndef UARCHPROBE_BENCH_CORE_LATENCY_MATRIX_H
#define UARCHPROBE_BENCH_CORE_LATENCY_MATRIX_H

#include <stdalign.h>
#include <stdatomic.h>

#include "distances.h"
#include "modes.h"
#include "pairs.h"
#include "uarchprobe/command.h"
#include "uarchprobe/engine.h"
#include "uarchprobe/memory.h"
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
    uint64_t deadline_ticks;        /* no sample after it; 0: none */
    uint64_t meet_ns;               /* and the time for which it is awaited between benchmarks */
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
    uint64_t seed;                               /* of the orders */
    unsigned char *page;                         /* setup->lines pages, not touched yet */
    double *sample;                              /* setup->lines x setup->samples; and 2 x MESSAGES_MAX */
    struct handover_result result[SERIES_COUNT]; /* written by the thread at the `from` end */
    int order[LINES_MAX];
    void *node[NODES_MAX]; /* of the chain, in its order */
    int64_t delta[2][MESSAGES_MAX];
    uint64_t switches[2];            /* by end: how often something else took its CPU in this turn */
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

/* How much is measured of each pair, and what it is expected to take. */
struct latency_effort {
    int lines;
    uint64_t samples, iterations;
};

/* The first of some efforts, from thorough to thin, with which `rounds` rounds stay below `target_s`; else
 * the thinnest. What is given in `wanted` (non-zero fields) is kept. */
struct latency_effort effort_choose(const struct latency_effort *wanted, const struct pair_plan *plan,
                                    const struct cpu_place *place, unsigned benches, uint64_t rounds,
                                    double target_s);
/* What the command aims at by default, for its least number of rounds. */
extern const double effort_target_s;
/* Expected ns of one turn of a pair, by relation. Assumed latencies: the estimate before anything is known. */
struct pair_cost effort_cost(const struct latency_effort *effort, unsigned benches);
/* Expected seconds of that many rounds over the plan. */
double effort_seconds(const struct latency_effort *effort, const struct pair_plan *plan,
                      const struct cpu_place *place, unsigned benches, uint64_t rounds);

struct latency_params {
    uint64_t benches; /* bit set over enum handover_bench */
    uint64_t iterations, lines, sample;
    int pairs; /* enum pair_set */
    bool serial;
    const char *mem_node, *resume;
};

/* One series of one pair. What is added up over its turns, and what they amount to. */
struct latency_cell {
    double forward, backward; /* sums over the turns with a value */
    uint64_t samples, dropped;
    uint32_t turns, failures; /* with a value; without */
    float line_low, line_high;
    /* latency_conclude: */
    float value, low, high, spread; /* NaN: not known */
    uint32_t rounds;                /* that the value rests upon */
    uint8_t flags;                  /* of enum cell_flag */
    int8_t distance;                /* in which it was found; -1: in none */
    uint8_t trust, leg;             /* of a verdict */
    bool restored;                  /* from a file, and not measured */
};

/* Room of one pair that is under way. */
struct latency_slot {
    struct handover *handover;
    size_t pair; /* index into the plan */
    struct memory block;
    uint64_t used; /* bytes of the block */
};

struct latency_matrix {
    const struct run *run;
    const struct latency_params *params;
    unsigned benches;        /* measured: those asked for, and the transfer as a witness where it is cheap */
    int mem_node;            /* -1: by first touch */
    struct cpu_place *place; /* as people read a machine; the index is that of the team's member too */
    int count;
    struct pair_plan plan; /* after the last pair is one more: a CPU on lines that it owns already */
    struct handover_setup setup;
    uint64_t least_rounds;
    double duration_s;
    bool budget_given, out_of_time;
    uint64_t begin_ns;
    struct team *team;
    struct sibling *witness; /* of the first CPU */
    struct latency_slot *slot;
    int slot_count;
    int *member;                             /* of the turns under way */
    struct handover **turn;                  /* by member, of the turns under way */
    struct latency_cell *cell[SERIES_COUNT]; /* by pair; NULL: not wanted */
    int column[SERIES_COUNT];                /* of a point's values; -1: not wanted */
    size_t width;
    struct engine_data data; /* a point is a pair, a sample one turn of it */
    uint64_t contended;      /* turns in which something else had one of the CPUs */
    struct distances distances;
    double l2_ns, l3_ns;  /* a load that hits the own L2, or the L3 beyond it; NaN: not known */
    double parallel_bias; /* median of (alone / together) - 1 over the pairs checked; NaN: not checked */
    bool fell_back, complete;
    bool checking;  /* turns under way are of the check: they are not added up */
    bool biased;    /* parallel_bias is too large, but the time budget has none left to measure again */
    size_t resumed; /* pairs taken over from a file */
    bool abandoned; /* a thread did not come back and may still use what it was given: nothing is freed */
    size_t table[SERIES_COUNT], rounds_table, lines_table; /* in the record */
    bool keep_lines;
};

/* Plans; no thread, little memory. What it holds is freed by latency_matrix_close in any case. */
enum status latency_matrix_plan(struct latency_matrix *matrix, struct fault *fault);
/* Chooses the kernels of what is measured. Fault: STATUS_UNSUPPORTED where --kernel names none of them. */
enum status latency_pick_kernels(struct latency_matrix *matrix, struct fault *fault);
/* Lines, samples, trips, rounds and the time for them, from the options and the number of pairs. */
void latency_choose_effort(struct latency_matrix *matrix);
/* Starts the time budget. */
void latency_matrix_begin(struct latency_matrix *matrix);
/* Threads and memory. */
enum status latency_matrix_open(struct latency_matrix *matrix, struct fault *fault);
/* All rounds, then the check of pairs alone. An interruption leaves what there is. */
enum status latency_matrix_run(struct latency_matrix *matrix, struct fault *fault);
void latency_matrix_close(struct latency_matrix *matrix);
/* Whether it is measured; whether it was asked for. */
bool latency_wants(const struct latency_matrix *matrix, enum handover_series series);
bool latency_reports(const struct latency_matrix *matrix, enum handover_series series);
/* Whether the series has a meaning for the pair: some have none for a CPU with itself. */
bool latency_applies(const struct latency_matrix *matrix, enum handover_series series, size_t pair);
/* The series that tells the distances. */
enum handover_series latency_witness(const struct latency_matrix *matrix);
void latency_cell_clear(struct latency_cell *cell);
/* Takes over what the file of --resume has of these pairs. Faults: STATUS_USAGE for a file of another
 * machine. */
enum status latency_resume(struct latency_matrix *matrix, struct fault *fault);

/* The first pages of each slot, so that a node without memory is known before anything is measured. */
enum status latency_map_slots(struct latency_matrix *matrix, struct fault *fault);
/* One turn of each of some pairs at the same time, as the engine wants a sample; the context is the matrix. */
bool latency_sample(void *context, size_t first, size_t count, double *value, struct fault *fault);
/* Runs a task on the members in matrix->member. One that does not come back keeps using what it was given. */
enum status latency_run_members(struct latency_matrix *matrix, int count, team_task *task, void *context,
                                struct fault *fault);
/* What a load takes that hits the own L2 or L3. */
enum status latency_own_measure(struct latency_matrix *matrix, struct fault *fault);

/* What the turns of each cell amount to. False: no memory. */
bool latency_conclude(struct latency_matrix *matrix);
/* Turns of one series; distance -1: whatever it was. */
struct latency_selection {
    enum handover_series series;
    size_t first, pairs;
    int distance;
};
/* Their values in the order of time, without those of disturbed turns where enough others are left. Returns how many;
 * there is room for pairs x sweeps; of, if not NULL, has the pair of each. */
size_t latency_collect(const struct latency_matrix *matrix, const struct latency_selection *wanted,
                       double *value, uint32_t *of);
/* Of the turns of a pair: the lower quartile, as a disturbance only ever adds. */
extern const double latency_quantile;
/* Quantile of the cell's values in the turns that found its pair at a distance; NaN: none. *turns: how many. */
double latency_value_at(const struct latency_matrix *matrix, enum handover_series series, size_t pair,
                        int distance, size_t *turns);

/* Tables are declared before anything is measured, filled and judged after. */
void latency_report_begin(struct latency_matrix *matrix);
void latency_report_lines(struct latency_matrix *matrix, const struct latency_slot *slot);
void latency_report(struct latency_matrix *matrix);

#endif
