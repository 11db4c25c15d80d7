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
    int width;   /* index into sb_width_names: bytes = 1 << width */
    int address; /* SB_ADDRESS_AUTO, or enum store_pattern + 1 */
    struct range stores;
    uint64_t nops;
    bool streaming, smt;
};

/* What the methods share. */
struct sb_bench {
    struct run *run;
    const struct sb_params *params;
    const struct kernel *kernel;               /* of the width asked for */
    enum store_pattern pattern;                /* asked for, or STORES_LINE */
    const struct store_buffer_size *published; /* or NULL */
    uint64_t rounds,
        samples;        /* of each point, and of it in a round; iso has more rounds where it is not sure */
    uint64_t enough_ns; /* when sampling ends, so that there is time for the checks after it */
    uint64_t deadline_ticks; /* no sample after it: the time budget that the user gave */
    size_t curve, histogram; /* tables of the record */
};

static inline size_t sb_published_entries(const struct sb_bench *bench)
{
    return bench->published ? bench->published->entries : 0;
}

/* Interrupted, or out of time. */
bool sb_must_stop(const struct sb_bench *bench);
/* Where the time budget ended the rounds, says so. */
void sb_check_rounds(const struct sb_bench *bench, uint64_t done);

/* Many sweeps of one experiment over one range. */
struct sb_sweeps {
    struct store_probe probe;
    size_t first, last;
    double chain; /* ticks of a chain; 0: nothing can be told with it */
    struct knee_counts counts;
    double minimum[KNEE_VALUES]; /* index: stores - first */
    struct samples kept;         /* the first sweeps, whole */
    bool cut;                    /* by the deadline */
};

enum status sb_sweeps_open(struct sb_sweeps *sweeps, const struct sb_bench *bench,
                           const struct kernel *kernel, enum store_pattern pattern, struct fault *fault);
void sb_sweeps_close(struct sb_sweeps *sweeps);
/* Another chain: forgets all sweeps. */
void sb_sweeps_chain(struct sb_sweeps *sweeps, enum store_chain chain, unsigned length);
/* Another range: forgets all sweeps. */
void sb_sweeps_range(struct sb_sweeps *sweeps, size_t first, size_t last);
/* On the CPU of the calling thread. A sweep that the deadline cuts does not count, and none follows. */
void sb_sweeps_take(struct sb_sweeps *sweeps, int count);
/* The knee of the minimum curve, as a number of stores; 0: none. */
size_t sb_sweeps_minimum_knee(const struct sb_sweeps *sweeps);
/* A documented size that the range does not hold is not looked at: it could not have been seen. */
struct capacity sb_sweeps_capacity(const struct sb_sweeps *sweeps, size_t documented);
/* Widens the range from 1 up until a peak shows, with the second chain where the first shows none, and sets
 * the range so that twice the peak would show too unless `documented` already explains it. Returns the
 * largest peak; 0: none. */
size_t sb_sweeps_explore(struct sb_sweeps *sweeps, const struct sb_bench *bench, size_t documented);
/* What sweeps with other chains say of a size: a capacity stays where it is, a limit of the rate or of the
 * reorder buffer moves with the chain. */
enum sb_opinion { SB_AGREES, SB_SILENT, SB_CONTRADICTS };
enum sb_opinion sb_sweeps_second_opinion(struct sb_sweeps *second, const struct sb_sweeps *sweeps,
                                         size_t entries);

/* Raw code of this CPU's event for a full store buffer; 0: none known. Pure. */
uint64_t sb_stall_event(const struct cpu *cpu);
/* Stall cycles of one iteration for each point of the sweeps' range, NaN where there is no counter; notes why
 * as run.counters. */
void sb_stalls_read(const struct sb_bench *bench, const struct sb_sweeps *sweeps, double *stalls);

/* The methods. Each adds its rows and findings. */
enum status sb_iso_run(struct sb_bench *bench, struct fault *fault);
enum status sb_nops_run(struct sb_bench *bench, struct fault *fault);
enum status sb_litmus_run(struct sb_bench *bench, struct fault *fault);
/* Whether two allowed CPUs share a core. */
bool sb_smt_possible(const struct run *run);
/* The size with a busy companion on the SMT sibling. */
enum status sb_smt_run(struct sb_bench *bench, size_t full, struct fault *fault);

/* One point of a curve; NaN: unknown. */
struct sb_point {
    const char *experiment;
    size_t stores;
    uint64_t samples;
    double minimum_ticks, median_ticks, mean_ticks, stall_cycles;
    const char *knee; /* what the point is, NULL: no knee */
};

extern const struct table_spec sb_curve_table, sb_histogram_table, sb_litmus_table;
void sb_point_row(const struct sb_bench *bench, const struct sb_point *point);
extern const char sb_knee_word[];
/* knee, halved_knee: the stores that still fit, always and while a sibling is active; 0: none. */
void sb_curve_rows(const struct sb_bench *bench, const struct sb_sweeps *sweeps, const char *experiment,
                   size_t knee, size_t halved_knee);
void sb_histogram_rows(const struct sb_bench *bench, const struct knee_counts *counts,
                       const char *experiment);
struct sb_litmus_point {
    const char *address;
    size_t stores, trials, both_old, one_old;
    uint64_t rounds; /* in which it was reached */
    bool is_bound;
};
void sb_litmus_row(const struct sb_bench *bench, size_t table, const struct sb_litmus_point *point);
/* Ticks as core cycles. */
double sb_cycles(const struct sb_bench *bench, double ticks);

/* Findings of the iso method. documented: entries for the stores asked for, 0: unknown; last: of the range, whose
 * end bounds what can be said of larger sizes. */
void sb_capacity_findings(const struct sb_bench *bench, const struct capacity *capacity, size_t documented,
                          size_t last, const char *unresolved);
/* A finding whose sentence is made by the format. */
void sb_finding(const struct sb_bench *bench, const char *key, struct cell value, const char *unit,
                enum trust trust, const char *format, ...) __attribute__((format(printf, 6, 7)));

/* The reorder bound from the rates of a litmus test. Pure. Points by ascending stores; a rate is the share of
 * trials in which both loads missed the other's store. */
struct sb_bound {
    bool found;
    size_t stores;      /* the last whose rate stands above the floor */
    size_t next_stores; /* of the next point */
    double rate, next;  /* there, and at the next point */
    double floor;       /* mean rate of the points beyond the fall */
    double fall;        /* rate / floor, at least; trials that saw none count as half of one */
};
struct sb_bound sb_bound_of(const size_t *stores, const size_t *hits, const size_t *trials, size_t count);

#endif
