/* SPDX-License-Identifier: MIT */
/* Parts of `uarchprobe core-latency` shared by its files: all pairs in rounds, where they were found, and the answers drawn
 * from them. */
#pragma once

#include "measurement.h"
#include "pairs.h"
#include "uarchprobe/command.h"
#include "uarchprobe/engine.h"
#include "uarchprobe/memory.h"
#include "uarchprobe/pin.h"

struct latency_params {
    uint64_t benches; /* asked for: bit set over enum latency_bench */
    uint64_t iterations, lines;
    int pairs; /* enum pair_set */
    bool serial;
    double duration_s; /* 0: the command's own */
};

/* At which of a few sharply different distances each measurement found its pair. A host that moves virtual CPUs gives the same pair
 * two or three values in a second; what repeats are the distances, and the values while a pair is at one of them. */
enum distance_kind { DISTANCE_CORE, DISTANCE_L3, DISTANCE_BEYOND, DISTANCE_UNNAMED };
struct distance {
    enum distance_kind kind;
    int name;                         /* index of distance_names */
    double low, high, ns;             /* what the witness read: bounds and median */
    size_t found, related[RELATIONS]; /* measurements, and by how the topology relates the pair */
};
/* Ended by NULL: "one core", "one L3", "one L3 2", "distance 1". */
extern const char *const distance_names[];
enum { DISTANCES_MOST = 12 };
struct distances {
    struct distance of[DISTANCES_MOST]; /* ascending */
    size_t count;
    size_t seen;    /* measurements of pairs that gave the witness a value */
    size_t changes; /* how often a pair was found elsewhere than before */
    int8_t *at;     /* rounds x points: index of a distance; -1: none, or not known */
};

/* Of several readings, at moments far apart; NaN: none. */
struct own_ns {
    double least, most;
};

enum cell_flag {
    FLAG_REGIME = 1,      /* the pair was found at two or more distances: the CPUs were moved */
    FLAG_NOISY = 2,       /* its values do not repeat */
    FLAG_PREEMPTED = 4,   /* many samples, or most measurements, were disturbed by something else that ran */
    FLAG_PLACEMENT = 8,   /* the distance contradicts the topology that the machine shows */
    FLAG_ASYMMETRIC = 16, /* one direction takes longer than the other */
    CELL_FLAGS_COUNT = 5
};
extern const char *const cell_flag_names[]; /* by their bits, ended by NULL */

/* One series of one pair. */
struct latency_cell {
    double forward, backward; /* sums over the measurements with a value */
    uint64_t samples, dropped;
    uint32_t measured, failures; /* with a value; without */
    float line_low, line_high;
    /* latency_conclude: */
    float value, spread; /* NaN: not known */
    uint32_t rounds;     /* that the value rests upon */
    uint8_t flags;       /* of enum cell_flag */
    int8_t distance;     /* at which it was found; -1: at none */
};

/* Values of a sample, which is a measurement: those of the series, and its state. */
enum { STATE_COLUMN = SERIES_COUNT, COLUMNS };

struct latency_matrix {
    struct run *run;
    const struct latency_params *params;
    struct cpu_place *place; /* as pairs_compare_places has them; the index is that of the team's member */
    int count;
    struct pair_plan plan;
    struct latency_setup setup;
    uint64_t least_rounds;
    double duration_s; /* at least so long; 0: as its rounds take */
    bool guest;        /* or it may be: what lies between the cores is then the host's to slow down */
    bool witnessed;    /* there is time to ask for the siblings of all CPUs, and not of the first one alone */
    uint64_t begin_ns;
    struct team *team;
    int *member;              /* of the measurements under way */
    struct measurement *slot; /* as many as the widest batch has pairs */
    double *samples;          /* of all slots */
    int slots_used;
    struct memory block;       /* of fresh pages */
    uint64_t block_used;       /* bytes */
    struct latency_cell *cell; /* pairs x SERIES_COUNT: latency_cell */
    struct engine_data data;   /* of points as the plan has them */
    uint64_t contended;        /* measurements in which something else had one of the CPUs */
    struct distances distances;
    struct own_ns l2, l3; /* a load that hits the own L2, or the L3 beyond it; NaN: no witness loads */
    double parallel_bias; /* median of (alone / together) - 1 over the pairs checked; NaN: not checked */
    bool complete;        /* neither interrupted nor out of time */
    bool out_of_time;     /* the user's budget left rounds out */
    bool abandoned; /* a thread did not come back and may still use what it was given: nothing is freed */
};

/* Pairs, kernels, rounds and how much is measured in one; no thread, little memory. What the matrix holds is freed by latency_close in
 * any case. Fault: too few CPUs; STATUS_UNSUPPORTED where --kernel names nothing that is measured. */
enum status latency_plan(struct latency_matrix *matrix, struct fault *fault);
/* Threads and memory, own caches, all rounds, and what they come to. An interruption leaves what there is. */
enum status latency_measure(struct latency_matrix *matrix, struct fault *fault);
/* A load that hits the own L2 or L3, once more each time. */
enum status latency_own_measure(struct latency_matrix *matrix, struct fault *fault);
void latency_close(struct latency_matrix *matrix);
/* Runs a task on the members in matrix->member. One that does not come back keeps using what it was given. */
enum status latency_run_members(struct latency_matrix *matrix, int count, team_task *task, void *context,
                                struct fault *fault);
enum { ROUNDS_LEAST = 3 /* made wherever each takes long */ };
/* Seconds that the run is expected to take, and one measurement of a pair. */
double latency_planned_s(const struct latency_matrix *matrix);
double latency_measurement_s(const struct latency_setup *setup);
/* Whether it was asked for; what is only measured serves as a witness. */
bool latency_reports(const struct latency_matrix *matrix, enum latency_series series);
enum relation latency_relation(const struct latency_matrix *matrix, size_t point);
struct latency_cell *latency_cell(const struct latency_matrix *matrix, enum latency_series series,
                                  size_t pair);
/* Makes all cells anew, without values. */
void latency_clear(struct latency_matrix *matrix);

/* The series that tells the distances. */
enum latency_series latency_witness(const struct latency_matrix *matrix);
void distances_find(struct latency_matrix *matrix);
/* Bounds and medians, of values in ascending order: one belongs to a distance where those next to it, a hundredth of all, lie within `gap`
 * (relative) of it; what lies between distances belongs to none. */
void distances_split(struct distances *distances, const double *sorted, size_t count, double gap);
/* The one that a value lies in; -1: none. */
int distances_of(const struct distances *distances, double value);
/* Of a measurement; -1: at none, or not taken. */
int distances_at(const struct latency_matrix *matrix, size_t round, size_t point);
/* The one at which a pair was found most often, of equals the nearer; -1: none. *share: of its measurements. */
int distances_main(const struct latency_matrix *matrix, size_t pair, double *share);
/* Its name for a key: "one_core". Returns buffer. */
const char *distance_key(const struct distance *distance, char *buffer, size_t size);

enum { ALL_PAIRS = -1 };
/* Which measurements: of one series, or of that divided by another. */
struct latency_selection {
    enum latency_series series, below; /* SERIES_COUNT: by nothing */
    int pair, distance;                /* ALL_PAIRS; -1: whatever it was */
};
/* Times: the lower quartile in the state of the siblings that counts, on one core in any; of several pairs as if all were the median
 * pair. Ratios: the median of stays, where each stay of a pair at the distance is a placement. */
struct latency_selected {
    size_t count;             /* all that the selection has, whatever the state */
    struct estimate estimate; /* of no samples: there is none */
    struct verdict verdict;
};
struct latency_selected latency_select(const struct latency_matrix *matrix, struct latency_selection wanted);
/* The value of each cell at its distance. */
void latency_conclude(struct latency_matrix *matrix);

/* CPUs that are nearer to each other than to the rest: each has the first of its group as its label. How many groups there are; 0 where
 * nearness is no equivalence: fewer than nine in ten of the pairs within groups are near. */
int groups_label(const struct pair_plan *plan, const bool *near, int cpus, int *label);
/* Groups by distances up to the index `nearest`; 0: a pair was not seen. *held: whether they last, as nearly all measurements of each
 * pair over some seconds found it at its distance. */
int groups_find(const struct latency_matrix *matrix, int nearest, int *label, bool *held);

/* A table of each series. */
void latency_report(const struct latency_matrix *matrix);
void latency_answers(const struct latency_matrix *matrix);
/* The placements that the host chose: what it moves, what it hides, groups. */
void latency_placement_answers(const struct latency_matrix *matrix);
/* A cut run makes it medium at most. */
void latency_answer(const struct latency_matrix *matrix, struct answer answer);
/* Warns of what is flagged, missing or left out, and sets what the run came to. */
void latency_warnings(const struct latency_matrix *matrix, struct run *run, struct fault *fault);
