/* SPDX-License-Identifier: MIT */
/* Parts of `uarchprobe core-latency` shared by its files: all pairs in rounds, where they were found, what is
 * reported of them. */
#ifndef UARCHPROBE_BENCH_CORE_LATENCY_H
#define UARCHPROBE_BENCH_CORE_LATENCY_H

#include "distances.h"
#include "measurement.h"
#include "pairs.h"
#include "uarchprobe/command.h"
#include "uarchprobe/engine.h"
#include "uarchprobe/memory.h"
#include "uarchprobe/pin.h"

enum cell_flag {
    FLAG_REGIME = 1,    /* the pair was found at two or more distances: the CPUs were moved */
    FLAG_NOISY = 2,     /* its values do not repeat */
    FLAG_PREEMPTED = 4, /* many samples, or most measurements, were disturbed by something else that ran */
    FLAG_PLACEMENT = 8, /* the distance contradicts the topology that the machine shows */
    CELL_FLAGS_COUNT = 4
};
/* By their bits, ended by NULL. */
extern const char *const cell_flag_names[];

/* The first of some efforts, from thorough to thin, with which `rounds` rounds stay below `target_s`; else
 * the thinnest. What is given in `wanted` (non-zero fields) is kept. */
struct latency_effort effort_choose(const struct latency_effort *wanted, const struct pair_plan *plan,
                                    const struct cpu_place *place, unsigned benches, uint64_t rounds,
                                    double target_s);
/* What the command aims at by default, for its least number of rounds. */
extern const double effort_target_s;
/* Expected ns of one measurement of a pair, by relation. Assumed latencies: the estimate before anything is known. */
void effort_cost(const struct latency_effort *effort, unsigned benches, double cost_ns[RELATIONS]);
/* Expected seconds of that many rounds over the plan. */
double effort_seconds(const struct latency_effort *effort, const struct pair_plan *plan,
                      const struct cpu_place *place, unsigned benches, uint64_t rounds);

struct latency_params {
    uint64_t benches; /* bit set over enum latency_bench */
    uint64_t iterations, lines;
    int pairs; /* enum pair_set */
    bool serial;
    double duration_s; /* 0: the command's own */
};

/* One series of one pair. */
struct latency_cell {
    double forward, backward; /* sums over the measurements with a value */
    uint64_t samples, dropped;
    uint32_t measured, failures; /* with a value; without */
    float line_low, line_high;
    /* latency_conclude: */
    float value, low, high, spread; /* NaN: not known */
    uint32_t rounds;                /* that the value rests upon */
    uint8_t flags;                  /* of enum cell_flag */
    int8_t distance;                /* in which it was found; -1: in none */
    struct verdict verdict;
};

/* One pair that is under way. */
struct latency_slot {
    struct measurement *measurement;
    size_t pair; /* index into the plan */
};

struct latency_matrix {
    const struct run *run;
    const struct latency_params *params;
    unsigned benches; /* measured: those asked for, and the transfer as a witness where it is cheap */
    struct cpu_place
        *place; /* in the order of pairs_compare_places; the index is that of the team's member too */
    int count;
    struct pair_plan plan;
    uint32_t *pair_at; /* count x count: index of the pair + 1; 0: none */
    struct latency_setup setup;
    uint64_t least_rounds;
    double duration_s; /* at least so long; 0: as its rounds take */
    bool guest;        /* or it may be: what lies between the cores is then the host's to slow down */
    bool budget_given, out_of_time;
    bool late; /* rounds took so much longer than planned that some were left out */
    uint64_t begin_ns;
    struct team *team;
    struct sibling **witness; /* by member: of its SMT sibling; NULL: there are too many CPUs, or no time */
    struct latency_slot *slot;
    int slot_count, slots_used;              /* there are; now */
    struct memory block;                     /* of fresh pages */
    uint64_t block_used;                     /* bytes */
    int *member;                             /* of the measurements under way */
    struct latency_cell *cell[SERIES_COUNT]; /* by pair; NULL: not measured */
    int column[SERIES_COUNT];                /* of a point's values; -1: not measured */
    int plain_column;                        /* of plain_cas on an own line; -1: not measured */
    size_t width, state_column;              /* the last value of a point is the state, of enum state */
    struct engine_data data;                 /* a point is a pair, a sample one measurement of it */
    uint64_t contended;                      /* measurements in which something else had one of the CPUs */
    struct distances distances;
    struct own_ns l2, l3; /* a load that hits the own L2, or the L3 beyond it */
    double parallel_bias; /* median of (alone / together) - 1 over the pairs checked; NaN: not checked */
    bool fell_back, complete;
    bool checking;  /* measurements under way are of the check: they are not added up */
    bool biased;    /* parallel_bias is too large, but the time budget has none left to measure again */
    bool abandoned; /* a thread did not come back and may still use what it was given: nothing is freed */
    size_t table[SERIES_COUNT]; /* in the record */
};

/* Plans; no thread, little memory. What it holds is freed by latency_matrix_close in any case. */
enum status latency_matrix_plan(struct latency_matrix *matrix, struct fault *fault);
/* Chooses the kernels of what is measured. Fault: STATUS_UNSUPPORTED where --kernel names none of them. */
enum status latency_pick_kernels(struct latency_matrix *matrix, struct fault *fault);
/* The kernel of the same operation that every CPU can run, next to one that needs a feature (LL/SC next to LSE).
 * NULL: the kernel is that itself. */
const struct kernel *latency_plain_kernel(const struct kernel_filter *any, const struct kernel *kernel);
/* Lines, samples, trips, rounds and the time for them, from the options and the number of pairs. */
void latency_choose_effort(struct latency_matrix *matrix);
/* Rounds that are made wherever each takes long. */
extern const uint64_t latency_rounds_least;
/* Seconds that the rounds are expected to take. */
double latency_planned_s(const struct latency_matrix *matrix);
/* Threads and memory; the time budget begins. */
enum status latency_matrix_open(struct latency_matrix *matrix, struct fault *fault);
void latency_matrix_close(struct latency_matrix *matrix);
void latency_cell_clear(struct latency_cell *cell);
/* What a load takes that hits the own L2 or L3, once more each time. */
enum status latency_own_measure(struct latency_matrix *matrix, struct fault *fault);
/* All rounds, then the check of pairs alone. An interruption leaves what there is. */
enum status latency_matrix_run(struct latency_matrix *matrix, struct fault *fault);

/* Runs a task on the members in matrix->member. One that does not come back keeps using what it was given. */
enum status latency_run_members(struct latency_matrix *matrix, int count, team_task *task, void *context,
                                struct fault *fault);
/* Memory for the next measurements where what is mapped is used up. Once before all, so that a node without memory is
 * known then. */
enum status latency_map_pages(struct latency_matrix *matrix, struct fault *fault);
/* Whether the time that the user gave is over, if need be in the middle of the first round. */
bool latency_is_cut(struct latency_matrix *matrix);
/* One measurement of each of some pairs at the same time, as the engine wants a sample; the context is the matrix. */
bool latency_sample(void *context, size_t first, size_t count, double *value, struct fault *fault);

enum relation latency_relation(const struct latency_matrix *matrix, size_t pair);
/* Whether it was asked for, so that it is reported; what is only measured serves as a witness. */
bool latency_reports(const struct latency_matrix *matrix, enum latency_series series);
/* Whether the series has a meaning for the pair: some have none for a CPU with itself. */
bool latency_applies(const struct latency_matrix *matrix, enum latency_series series, size_t pair);
/* The series that tells the distances. */
enum latency_series latency_witness(const struct latency_matrix *matrix);
/* What the measurements of each cell amount to. */
void latency_conclude(struct latency_matrix *matrix);
/* Measurements of one series; distance -1: whatever it was. */
struct latency_selection {
    enum latency_series series;
    size_t first, pairs;
    int distance;
    enum state state; /* of the SMT siblings; STATE_MIXED: idle where that was often enough */
};
struct latency_found {
    size_t count, all; /* values collected, and all that the selection has */
    enum state state;  /* of the SMT siblings meanwhile; unknown: whatever it was */
    size_t visits;     /* how often siblings became active, at the pair that saw most of it */
};
/* Its values in the order of time: those with idle siblings where they are enough, without disturbed ones where enough
 * others are left. There is room for pairs x sweeps; of, if not NULL, has the pair of each. */
struct latency_found latency_collect(const struct latency_matrix *matrix,
                                     const struct latency_selection *wanted, double *value, uint32_t *of);
/* Of the measurements of a pair: the lower quartile, as a disturbance only ever adds. */
extern const double latency_quantile;
/* False: no values. */
bool latency_estimate(const struct latency_found *found, const double *value, struct estimate *estimate);
/* What slows down all that lies between the cores comes and goes. Of up to 40 equal parts of the run: how many times as slow as
 * the fastest one 95 of 100 are at most; NaN: there are too few values. */
double latency_slower(const double *value, size_t count, double *fastest);
/* No time beyond one core is promised where the host may slow down what lies there; distance -1: none. */
struct verdict latency_judge(const struct latency_matrix *matrix, const struct estimate *estimate,
                             int distance);
/* One series by another at a distance. Its placements are the stays of pairs there. False: no values. */
bool latency_ratio(const struct latency_matrix *matrix, enum latency_series series, enum latency_series base,
                   int distance, struct estimate *estimate);
struct verdict latency_judge_ratio(const struct latency_matrix *matrix, const struct estimate *estimate,
                                   enum latency_series series);
/* Quantile of the values; NaN: none. */
double latency_value_at(const struct latency_matrix *matrix, const struct latency_selection *wanted,
                        struct latency_found *found);
/* In which the siblings were during a measurement. */
enum state latency_state(const struct latency_matrix *matrix, size_t sweep, size_t pair);

/* Tables are declared before anything is measured, filled and judged after. */
void latency_report_begin(struct latency_matrix *matrix);
void latency_report(struct latency_matrix *matrix);
/* An answer of a series, whose name then leads its key and text, or of the machine (SERIES_COUNT). What a cut run finds is
 * medium at most. */
void latency_answer(const struct latency_matrix *matrix, enum latency_series series, struct answer answer,
                    const char *format, ...) __attribute__((format(printf, 4, 5)));
/* Values by distance. */
void latency_distance_answers(const struct latency_matrix *matrix, enum latency_series series);
/* Extremes, asymmetric pairs. */
void latency_pair_answers(const struct latency_matrix *matrix, enum latency_series series);
/* What the series have in common, and what a queue costs. */
void latency_common_answers(const struct latency_matrix *matrix);
/* Of the core clock during the looks; 0: unknown. */
double latency_mean_ghz(const struct latency_matrix *matrix);
/* What the operations cost one CPU by itself. */
void latency_own_answers(const struct latency_matrix *matrix);
/* One is a fifth above the other, and their intervals leave no doubt that they differ. */
bool latency_differs(const struct estimate *one, const struct estimate *other);
/* Where the host has the CPUs: what it moves, what it hides, groups. */
void latency_placement_answers(const struct latency_matrix *matrix);
void latency_warnings(const struct latency_matrix *matrix);

/* Of what was asked for. */
struct latency_tally {
    size_t values, missing; /* all, and those of which there are none */
    size_t pairs_missing, pairs_flagged[CELL_FLAGS_COUNT];
};
struct latency_tally latency_tally(const struct latency_matrix *matrix);

#endif
