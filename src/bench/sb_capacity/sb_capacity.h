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
    const struct kernel *kernel;               /* of the width asked for */
    enum store_pattern pattern;                /* asked for, or STORES_LINE */
    const struct store_buffer_size *published; /* of the core that is measured; or NULL */
    struct published_size expected;            /* its size */
    struct engine_effort sampling, checking;   /* checks have what sampling leaves of the time */
    size_t curve, histogram;                   /* tables of the record */
};

/* Exactly that many rounds, of one sample of a point. */
struct engine_effort sb_rounds(struct engine_effort effort, uint64_t rounds);
/* Where the time budget that was given ended the rounds, says so. */
void sb_check_rounds(const struct sb_bench *bench, const struct engine_data *data);

/* Many sweeps of one experiment over one range. */
struct sb_sweeps {
    const struct sb_bench *bench;
    struct store_probe probe;
    size_t first, last;
    double chain; /* ticks of a chain; 0: nothing can be found with it */
    struct knee_counts counts;
    double minimum[KNEE_VALUES];     /* index: stores - first */
    struct published_size published; /* in entries for these stores */
    struct capacity capacity;        /* what they amount to, for sb_sweeps_judge to fill in */
    /* Sweeps of other stores, one right before each of these; or NULL. How often each whole number of these entries was
     * in one of those. */
    struct sb_sweeps *paired;
    struct knee_counts ratios;
    struct sibling *witness; /* or NULL: sweeps of iso are one */
    const int *cpu;          /* in turn; none: that of the calling thread */
    int cpus;
    bool until_enough;       /* not for a number of rounds */
    struct engine_data data; /* of the last run; of a pair the second has it */
    const struct engine_data *from;
    size_t column; /* in it: the first of these points */
};

enum status sb_sweeps_open(struct sb_sweeps *sweeps, const struct sb_bench *bench,
                           const struct kernel *kernel, enum store_pattern pattern, struct fault *fault);
void sb_sweeps_close(struct sb_sweeps *sweeps);
/* Another range: forgets all sweeps. */
void sb_sweeps_range(struct sb_sweeps *sweeps, size_t first, size_t last);
/* Adds sweeps to those that are counted; one that is cut does not count. */
enum status sb_sweeps_run(struct sb_sweeps *sweeps, const struct engine_effort *effort, struct fault *fault);
/* A published size that the range does not hold is not looked at: it could not have been seen. */
void sb_sweeps_judge(struct sb_sweeps *sweeps);
/* Widens the range from 1 up until a peak shows, with the first kind of chain that shows one, and sets the range so that
 * twice the largest peak would show too. Returns that peak; 0: none. */
size_t sb_sweeps_explore(struct sb_sweeps *sweeps, struct fault *fault);
/* What other chains say of the size that was found. */
enum opinion sb_sweeps_second_opinion(const struct sb_sweeps *sweeps, struct fault *fault);
/* The size as 8-byte stores see it now, from a few sweeps on the CPU of the calling thread. */
struct capacity sb_quick_capacity(const struct sb_bench *bench, struct fault *fault);
/* Stall cycles of one iteration for each point of the sweeps' range, NaN where there is no counter; notes why
 * as run.counters. */
void sb_stalls_read(const struct sb_sweeps *sweeps, double *stalls);

/* The methods. Each adds its rows and findings. */
enum status sb_iso_run(struct sb_bench *bench, struct fault *fault);
enum status sb_nops_run(struct sb_bench *bench, struct fault *fault);
enum status sb_litmus_run(struct sb_bench *bench, struct fault *fault);
/* Two allowed CPUs that share a core, or the first one and the one that the user names, as guests hide siblings. Faults:
 * STATUS_NO_RESOURCE (none is shown), STATUS_USAGE (its own sibling). */
enum status sb_smt_pair(const struct run *run, int cpu[2], struct fault *fault);
/* The size with a busy companion on the SMT sibling; full: without. */
enum status sb_smt_run(const struct sb_bench *bench, size_t full, struct fault *fault);

extern const struct table_spec sb_curve_table, sb_histogram_table, sb_litmus_table;
/* The curve and the histogram of knees; the knees are those of the capacity. */
void sb_sweeps_rows(const struct sb_sweeps *sweeps, const char *experiment);
/* Ticks as core cycles. */
double sb_cycles(const struct sb_bench *bench, double ticks);
/* Findings of the iso method. */
void sb_capacity_findings(const struct sb_sweeps *sweeps, const char *unresolved);
/* A finding whose sentence is made by the format. */
void sb_finding(const struct sb_bench *bench, struct finding finding, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* What detectors say of the curves of one state with some no-operations, and with twice as many. Numbers of stores; 0: no
 * break, or points are missing. */
struct sb_breaks {
    size_t line2, diff; /* two lines, the largest difference */
    size_t twice;       /* two lines, with twice the no-operations */
    double jump_cycles, noise_cycles;
};
/* Ticks of `count` points from a column in one state, below what disturbs them, and means; false: some point was not seen in
 * that state. Pure. */
bool sb_nops_curve(const struct engine_data *data, size_t column, size_t count, enum state state, double *low,
                   double *mean);
/* Next to what iso found. Low: not resolved, because of `why`. Pure. */
struct verdict sb_nops_judge(const struct sb_breaks *breaks, const struct capacity *iso, enum state state,
                             char *why, size_t size);

/* The reorder bound from the rates of a litmus test. Pure. Points by ascending stores; a rate is the share of
 * trials in which both loads missed the other's store. */
struct sb_bound {
    bool found;
    size_t stores;      /* the last whose rate stands above the floor */
    size_t next_stores; /* of the next point */
    bool tight;         /* no number between them, and those before it are above the floor, too */
    double rate;        /* there */
    double floor;       /* mean rate of the points beyond the fall */
    double fall;        /* rate / floor, at least; trials that saw none count as half of one */
};
struct sb_bound sb_bound_of(const size_t *stores, const size_t *hits, const size_t *trials, size_t count);
/* Trust of the bound that one filling shows, next to a capacity that iso found (0: none). The promise of high: one
 * entry. */
struct verdict sb_bound_judge(const struct sb_bound *bound, size_t capacity);

/* What the trials of one filling, or of several, gave, by number of stores. */
struct sb_trials {
    size_t blocks; /* of trials; trials that began too late are none */
    size_t trials, both_old, one_old;
};
struct sb_filling {
    const char *address;
    bool one_line;                                        /* all stores go there */
    bool cold;                                            /* it is the one that the other CPU wrote last */
    struct sb_trials at[STATE_COUNT][SB_MOST_STORES + 1]; /* STATE_MIXED: all, whatever their state */
    enum state state;                                     /* of the bound; STATE_MIXED: all */
    struct sb_bound bound;
};
struct sb_bound sb_filling_bound(const struct sb_filling *filling, enum state state);
void sb_filling_rows(const struct sb_bench *bench, size_t table, const struct sb_filling *filling);
void sb_filling_finding(const struct sb_bench *bench, const struct sb_filling *filling,
                        const struct capacity *capacity, bool cut);
/* The number of stores to design for, from all fillings that were measured. */
void sb_bound_finding(const struct sb_bench *bench, const struct sb_filling *filling, size_t count,
                      const struct capacity *capacity, bool cut);

#endif
