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
    uint64_t rounds, samples;                  /* at least, and of a point in a round */
    uint64_t begin_ns;
    double enough_s, given_s; /* what sampling, and all of it, may take since then; 0: no limit */
    size_t curve, histogram;  /* tables of the record */
};

static inline size_t sb_published_entries(const struct sb_bench *bench)
{
    return bench->published ? bench->published->entries : 0;
}

/* The machine at hand without a witness: the sweeps are one. */
struct engine_host sb_host(const struct sb_bench *bench);
/* A sample is over before it matters, but none begins when the time is up, not in the first round either. */
double sb_no_time(void *context, size_t first);
/* Exactly that many rounds, as far as sampling may take; and of checks after it, as far as all may take. */
struct engine_effort sb_effort(const struct sb_bench *bench, uint64_t rounds);
struct engine_effort sb_check_effort(const struct sb_bench *bench, uint64_t rounds);
/* What --repeat, --samples and the budget ask for; without --repeat until the bench finds it enough. */
struct engine_effort sb_asked_effort(const struct sb_bench *bench);
/* Where the time budget that was given ended the rounds, says so. */
void sb_check_rounds(const struct sb_bench *bench, const struct engine_data *data);

/* Many sweeps of one experiment over one range. */
struct sb_sweeps {
    const struct sb_bench *bench;
    struct store_probe probe;
    size_t first, last;
    double chain; /* ticks of a chain; 0: nothing can be told with it */
    struct knee_counts counts;
    double minimum[KNEE_VALUES]; /* index: stores - first */
    /* Sweeps of other stores, one right before each of these; or NULL. How often each whole number of these entries was
     * in one of those. */
    struct sb_sweeps *paired;
    struct knee_counts ratios;
    const int *cpu; /* in turn; none: that of the calling thread */
    int cpus;
    bool (*enough)(struct sb_sweeps *sweeps); /* or NULL */
    struct iso *iso;                          /* for it */
    struct engine_data data;                  /* of the last run; of a pair the second has it */
    const struct engine_data *from;
    size_t column, counted; /* in it: the first of these points; sweeps that are counted */
};

enum status sb_sweeps_open(struct sb_sweeps *sweeps, const struct sb_bench *bench,
                           const struct kernel *kernel, enum store_pattern pattern, struct fault *fault);
void sb_sweeps_close(struct sb_sweeps *sweeps);
/* Another range: forgets all sweeps. */
void sb_sweeps_range(struct sb_sweeps *sweeps, size_t first, size_t last);
/* Adds sweeps to those that are counted; one that is cut does not count. */
enum status sb_sweeps_run(struct sb_sweeps *sweeps, const struct engine_effort *effort, struct fault *fault);
/* A documented size that the range does not hold is not looked at: it could not have been seen. */
struct capacity sb_sweeps_capacity(const struct sb_sweeps *sweeps, size_t documented);
/* Widens the range from 1 up until a peak shows, with the first kind of chain that shows one, and sets the range so that
 * twice the largest peak would show too. Returns that peak; 0: none. */
size_t sb_sweeps_explore(struct sb_sweeps *sweeps, struct fault *fault);
enum opinion sb_sweeps_second_opinion(struct sb_sweeps *second, const struct sb_sweeps *sweeps,
                                      size_t entries, struct fault *fault);
/* Of the ticks with so many stores, over all sweeps of the last run. */
void sb_sweeps_middle(const struct sb_sweeps *sweeps, size_t stores, double *median, double *mean);
/* The size as 8-byte stores see it now, from a few sweeps on the CPU of the calling thread. */
struct capacity sb_quick_capacity(const struct sb_bench *bench, struct fault *fault);

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
/* The size with a busy companion on the SMT sibling; full: without. */
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
    bool is_bound;
};
void sb_litmus_row(const struct sb_bench *bench, size_t table, const struct sb_litmus_point *point);
/* Ticks as core cycles. */
double sb_cycles(const struct sb_bench *bench, double ticks);

/* What is known of the size of the stores asked for. */
struct sb_proof {
    size_t documented; /* entries for them, 0: unknown */
    bool certain;      /* the published size is that of this very core */
    enum opinion opinion;
    size_t last; /* of the range, whose end bounds what can be said of larger sizes */
};
/* Nothing leaves room for twice as many. */
bool sb_is_proved(const struct capacity *capacity, const struct sb_proof *proof);
/* Findings of the iso method. */
void sb_capacity_findings(const struct sb_bench *bench, const struct capacity *capacity,
                          const struct sb_proof *proof, const char *unresolved);
/* A finding whose sentence is made by the format. */
void sb_finding(const struct sb_bench *bench, struct finding finding, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The reorder bound from the rates of a litmus test. Pure. Points by ascending stores; a rate is the share of
 * trials in which both loads missed the other's store. */
struct sb_bound {
    bool found;
    size_t stores;      /* the last whose rate stands above the floor */
    size_t next_stores; /* of the next point */
    bool tight;         /* no number between them, and those before it are above the floor, too */
    double rate, next;  /* there, and at the next point */
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
    size_t woken_old; /* both old in a block's first trial, which is none of the trials */
};
struct sb_filling {
    const char *address;
    struct sb_trials at[STATE_COUNT][SB_MOST_STORES + 1]; /* STATE_MIXED: all, whatever their state */
    enum state state;                                     /* that it speaks of; STATE_MIXED: all */
    struct sb_bound bound;
};
struct sb_bound sb_filling_bound(const struct sb_filling *filling, enum state state);
void sb_filling_rows(const struct sb_bench *bench, size_t table, const struct sb_filling *filling);
void sb_filling_finding(const struct sb_bench *bench, const struct sb_filling *filling,
                        const struct capacity *capacity, bool cut);
/* The number of stores to design for, from all fillings that were measured. */
void sb_bound_finding(const struct sb_bench *bench, const struct sb_filling *filling, size_t count,
                      const struct capacity *capacity, const struct sb_proof *proof, bool cut);

#endif
