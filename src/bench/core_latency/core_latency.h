/* SPDX-License-Identifier: MIT */
/* Parts of `uarchprobe core-latency` shared by its files: all pairs in rounds, where they were found, and
 * the answers drawn from them. */
#pragma once

#include "engine/fresh_pages.h"
#include "measurement.h"
#include "uarchprobe/command.h"
#include "uarchprobe/engine.h"
#include "uarchprobe/pin.h"

struct latency_params {
    uint64_t benches; /* asked for: bit set over enum latency_bench */
    uint64_t iterations, lines;
    double duration_s; /* 0: the command's own */
    bool both_ways;
};

/* At which of a few sharply different distances each measurement found its pair. A host that moves virtual
 * CPUs gives the same pair two or three values in a second; the distances repeat, and the values at each of
 * them. */
enum distance_kind {
    DISTANCE_CORE,
    DISTANCE_L3,
    DISTANCE_BEYOND,
    DISTANCE_UNNAMED,
    DISTANCE_L2,
    DISTANCE_BEYOND_L2
};
struct distance {
    enum distance_kind kind;
    int name;                         /* index of distance_names */
    double low, high, ns;             /* of the witness: bounds and median */
    size_t found, related[RELATIONS]; /* measurements; by relation of the pair in the topology */
};
/* Ended by NULL: "one core", "one L3", "one L3 2", "distance 1". */
extern const char *const distance_names[];
enum { DISTANCES_MOST = 12 };
struct distances {
    struct distance of[DISTANCES_MOST]; /* ascending */
    size_t count;
    size_t seen;    /* measurements of pairs that gave the witness a value */
    size_t changes; /* how often a pair was found elsewhere than before */
    int8_t *at;     /* rounds x pairs: index of a distance; -1: none, or not known */
};

/* Of several readings, at moments far apart; NaN: none. */
struct own_ns {
    double least, most;
};

/* Indices of latency_matrix.place. */
struct pair {
    int from, to;
};

/* Of the measurements of a pair. */
struct pair_tally {
    uint64_t samples[SERIES_NAMED], dropped[SERIES_NAMED];
    uint32_t measured, failed; /* with a value of the witness; without */
    int main;                  /* its most frequent distance, of equals the nearer; -1: none */
    double share;              /* of its measurements, those at that distance */
};

struct latency_matrix {
    struct run *run;
    const struct latency_params *params;
    int count;
    struct cpu_place *place; /* sorted by shared caches; index: member of the team */
    size_t pairs, width;     /* of a point: series, with those of sharing only where they are measured */
    struct pair *pair;       /* by point: each pair once, with --both-ways twice, then the first CPU alone */
    struct latency_setup setup;
    uint64_t least_rounds;
    double duration_s; /* at least; 0: as long as the rounds take */
    bool guest;        /* or it may be: the host may slow down the interconnect */
    struct stopwatch begin;
    struct engine_host host; /* with a thread on each CPU */
    uint64_t random;         /* for the seed of the next measurement */
    struct measurement *measurement;
    struct sibling *sibling;  /* of the first CPU */
    struct fresh_pages pages; /* each line of a measurement has its own */
    struct pair_tally *tally; /* by pair */
    struct engine_data data;  /* points x width */
    uint64_t contended;       /* measurements in which something else had one of the CPUs */
    struct distances distances;
    struct own_ns l2, l3; /* a load that hits the own L2, or the L3 beyond it; NaN: no witness loads */
    bool complete;        /* neither interrupted nor out of time */
    bool out_of_time;     /* the user's budget left rounds out */
};

/* Plans pairs, kernels, rounds and effort; starts no thread. latency_close frees the matrix in any case.
 * Fault: too few CPUs; STATUS_UNSUPPORTED where --kernel names nothing that is measured. */
enum status latency_plan(struct latency_matrix *matrix, struct fault *fault);
enum { ROUNDS_LEAST = 3 /* made wherever each takes long */ };
/* Seconds that the run is expected to take, and one measurement of a pair. */
double latency_planned_s(const struct latency_matrix *matrix);
double latency_measurement_s(const struct latency_setup *setup);
enum relation latency_relation(const struct latency_matrix *matrix, size_t pair);
/* Whether a named one was asked for and can be measured here; other measured series are witnesses only. */
bool latency_reports(const struct latency_matrix *matrix, enum latency_series series);

/* Starts the threads, measures own caches and all rounds, finds the distances. An interruption leaves the
 * measurements so far. */
enum status latency_measure(struct latency_matrix *matrix, struct fault *fault);
void latency_close(struct latency_matrix *matrix);

/* The series that separates the distances. */
enum latency_series latency_witness(const struct latency_matrix *matrix);
void distances_find(struct latency_matrix *matrix);
/* Of a measurement; -1: at none, or not taken. */
int distances_at(const struct latency_matrix *matrix, size_t round, size_t pair);
/* Adds an answer that holds at a distance, with the key PREFIX one_l3 and the label "LABEL, one L3". A key
 * without its distance would be one name for two quantities, and compare would hold 124 ns beyond an L3
 * against 27 ns within one. is_cell: the screen shows it in the matrix of rows by distance. */
void distance_record(const struct latency_matrix *matrix, int at, const char *prefix, const char *label,
                     bool is_cell, struct answer answer);

/* A number for the kinds of core of both CPUs of a pair, the same whichever comes first; 0: one is
 * unknown. */
static inline unsigned latency_kinds(const struct latency_matrix *matrix, size_t pair)
{
    const int a = matrix->place[matrix->pair[pair].from].kind, b = matrix->place[matrix->pair[pair].to].kind;
    return a < 0 || b < 0 ? 0 : 1 + (unsigned)((a < b ? a : b) * KIND_MAX + (a < b ? b : a));
}

enum { ALL_PAIRS = -1 };
/* Measurements of one series, or of one divided by another. */
struct latency_selection {
    enum latency_series series, below; /* SERIES_COUNT: by nothing */
    int pair, distance;                /* ALL_PAIRS: each; -1: any distance */
    unsigned kinds;                    /* of latency_kinds; 0: any */
};
/* Times: the lower quartile, of several pairs as if all were the median pair; in a guest, of all pairs
 * beyond one core, the median of those of the placements. Ratios: the median of placements, which are the
 * stays of each pair at the distance. Both in all states of SMT siblings, which move them by less than the
 * promise. */
struct latency_selected {
    struct estimate estimate; /* of no samples: there is none */
    struct promise promise;   /* by which the engine judges it */
    bool lacks_placements;    /* the host showed one choice of cores: another run may see another */
};
struct latency_selected latency_select(const struct latency_matrix *matrix, struct latency_selection wanted);

/* Adds a table of each series, warns of flagged, missing and left-out values, and sets the outcome of the
 * run. */
void latency_report(const struct latency_matrix *matrix, struct fault *fault);
void latency_answers(const struct latency_matrix *matrix);
/* How far apart two CPUs must keep their words, at each distance beyond a core; and the costs in a table. */
void latency_sharing_answers(const struct latency_matrix *matrix);
void latency_sharing_rows(const struct latency_matrix *matrix);
