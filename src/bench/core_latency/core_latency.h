/* SPDX-License-Identifier: MIT */
/* Parts of `uarchprobe core-latency` shared by its files: all pairs in rounds, where they were found, and the answers drawn
 * from them. */
#pragma once

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
    int8_t distance;                /* at which it was found; -1: at none */
    struct verdict verdict;
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
    uint64_t begin_ns;
    struct team *team;
    int *member;              /* of the measurements under way */
    struct sibling **witness; /* by member: of its SMT sibling; NULL: there are too many CPUs, or no time */
    struct measurement *slot;
    int slot_count, slots_used;              /* there are; now */
    struct memory block;                     /* of fresh pages */
    uint64_t block_used;                     /* bytes */
    struct latency_cell *cell[SERIES_COUNT]; /* by pair; NULL: not measured */
    int column[SERIES_COUNT];                /* of a point's values; -1: not measured */
    size_t width, state_column;              /* the last value of a point is the state, of enum state */
    struct engine_data data;                 /* a point is a pair, a sample one measurement of it */
    uint64_t contended;                      /* measurements in which something else had one of the CPUs */
    struct distances distances;
    struct own_ns l2, l3; /* a load that hits the own L2, or the L3 beyond it */
    double parallel_bias; /* median of (alone / together) - 1 over the pairs checked; NaN: not checked */
    bool complete;        /* neither interrupted nor out of time */
    bool out_of_time;     /* the user's budget left rounds out */
    bool late;            /* rounds took so much longer than planned that some were left out */
    bool checking;        /* measurements under way are of the check: they are not added up */
    bool biased;          /* parallel_bias is too large */
    bool fell_back;       /* and so all was measured again one by one */
    bool abandoned; /* a thread did not come back and may still use what it was given: nothing is freed */
};

/* Plans; no thread, little memory. What it holds is freed by latency_close in any case. */
enum status latency_plan(struct latency_matrix *matrix, struct fault *fault);
/* Threads and memory; the time budget begins. */
enum status latency_open(struct latency_matrix *matrix, struct fault *fault);
void latency_close(struct latency_matrix *matrix);
void latency_cell_clear(struct latency_cell *cell);
/* Whether a matrix of it was asked for; what is only measured serves as a witness, or on own lines. */
bool latency_reports(const struct latency_matrix *matrix, enum latency_series series);
enum relation latency_relation(const struct latency_matrix *matrix, size_t pair);

/* Chooses the kernels of what is measured. Fault: STATUS_UNSUPPORTED where --kernel names none of them. */
enum status effort_pick_kernels(struct latency_matrix *matrix, struct fault *fault);
enum { ROUNDS_LEAST = 3 /* made wherever each takes long */ };
/* The first of some efforts, from thorough to thin, with which the least rounds stay below `target_s`; else the thinnest. What is
 * given in `wanted` (non-zero fields) is kept. */
struct latency_effort effort_choose(const struct latency_matrix *matrix, const struct latency_effort *wanted,
                                    double target_s);
/* What the command aims at by default, for its least number of rounds. */
extern const double effort_target_s;
/* Expected ns of one measurement of a pair, by relation. Assumed latencies: the estimate before anything is known. */
void effort_cost(const struct latency_effort *effort, unsigned benches, double cost_ns[RELATIONS]);
/* Expected seconds of that many rounds over the plan. */
double effort_seconds(const struct latency_matrix *matrix, const struct latency_effort *effort,
                      uint64_t rounds);
/* Lines, samples, trips, rounds and the time for them, from the options and the number of pairs. */
void effort_set(struct latency_matrix *matrix);
/* Seconds that the run is expected to take. */
double effort_planned_s(const struct latency_matrix *matrix);

/* Runs a task on the members in matrix->member. One that does not come back keeps using what it was given. */
enum status latency_run_members(struct latency_matrix *matrix, int count, team_task *task, void *context,
                                struct fault *fault);
/* Memory for the next measurements where what is mapped is used up. */
enum status latency_map_pages(struct latency_matrix *matrix, struct fault *fault);
/* Whether the time that the user gave is over, if need be in the middle of the first round. */
bool latency_is_cut(const struct latency_matrix *matrix);
/* One measurement of each of some pairs at the same time, as the engine wants a sample; the context is the matrix. */
bool latency_sample(void *context, size_t first, size_t count, double *value, struct fault *fault);
/* A load that hits the own L2 or L3, once more each time. */
enum status latency_own_measure(struct latency_matrix *matrix, struct fault *fault);
/* All rounds, then the check of pairs alone. An interruption leaves what there is. */
enum status latency_run(struct latency_matrix *matrix, struct fault *fault);

/* Which measurements: of one series, or of that divided by another. */
struct latency_selection {
    enum latency_series series, below; /* SERIES_COUNT: by nothing */
    size_t first, pairs;
    int distance; /* -1: whatever it was */
};
/* Their values in the order of time, without disturbed ones where enough others are left: of times those with the siblings in
 * the state that counts, of several pairs as if all were the median pair; of ratios all. Freed by latency_selected_free. */
struct latency_selected {
    double *value;
    uint32_t *pair; /* of each: which of those selected */
    unsigned *stay; /* of each: which of the stays of pairs at the distance */
    unsigned stays;
    size_t count, all; /* values, and all that the selection has, whatever the state */
    enum state state;  /* of the SMT siblings meanwhile; unknown: whatever it was */
    bool unproved;     /* idle: a witness may have taken the half of the store buffer for the whole */
    size_t visits;     /* how often siblings became active, at the pair that saw most of it */
    bool known;        /* there is a value: of times the lower quartile, of ratios the median of stays */
    struct estimate estimate;
    struct verdict verdict;
};
struct latency_selected latency_select(const struct latency_matrix *matrix,
                                       const struct latency_selection *wanted);
void latency_selected_free(struct latency_selected *selected);
extern const double latency_quantile;
/* No time beyond one core is promised where the host may slow down what lies there. */
struct verdict latency_judge(const struct latency_matrix *matrix, const struct latency_selection *wanted,
                             const struct estimate *estimate);
/* The series that tells the distances. */
enum latency_series latency_witness(const struct latency_matrix *matrix);
/* The distances, and the value of each cell. */
void latency_conclude(struct latency_matrix *matrix);

/* A table of each series. */
void latency_report(const struct latency_matrix *matrix);
/* An answer of a series, whose name then leads its key and text, or of the machine (SERIES_COUNT). A cut run makes it
 * medium at most. */
void latency_answer(const struct latency_matrix *matrix, enum latency_series series, struct answer answer,
                    const char *format, ...) __attribute__((format(printf, 4, 5)));
void latency_answers(const struct latency_matrix *matrix);
/* What lies between the cores comes and goes. Of up to 40 equal parts of the run: how many times as slow as the fastest one
 * 95 of 100 are at most; NaN: there are too few values. */
double latency_slower(const double *value, size_t count, double *fastest);
/* The placements that the host chose: what it moves, what it hides, groups. */
void latency_placement_answers(const struct latency_matrix *matrix);
/* Warns of what is flagged, missing or left out, and sets what the run came to. */
void latency_warnings(const struct latency_matrix *matrix, struct run *run, struct fault *fault);
