/* SPDX-License-Identifier: MIT */
/* An experiment while it runs: series as groups of the engine's points, metrics as their results in each
 * state. */
#pragma once

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/engine_internal.h"
#include "uarchprobe/experiment.h"

/* TURNS: changes of CPU, of length of bursts, of the sibling's state. */
enum { CPUS_IN_TURN = 4, TURNS = 12 };

/* A series as it is measured. */
struct course {
    const struct series *series;
    const struct kernel *kernel;
    struct x_place *place; /* of each point; the lab's course owns the list, a part of it points into it */
    uint64_t step;         /* x of all places are multiples of it */
    size_t octave;         /* places for each doubling of x; 0: they are a step apart */
    uint64_t iterations;
    double height_ns;    /* of a step; 0: half the time of the last points */
    double call_ns;      /* of work of no iterations */
    size_t first, count; /* points of the engine */
    bool varies;         /* in bursts of several lengths */
    bool has_steps;      /* a round of all points shows a step, and is nothing without one of them */
    size_t lost;         /* rounds that something else interrupted in each try of a point */
};

/* The result of a metric in one state. */
struct result {
    bool has_value, is_asked; /* asked: this run measures its series */
    struct estimate estimate;
    struct verdict verdict;
    size_t rounds, agreeing; /* of a count: all of the state, and those that saw the value */
    uint64_t other;          /* a second value that a tenth of the rounds saw; 0: none */
    bool is_refused;         /* it is not above the control */
    bool is_torn;            /* placements differ by more than the promise */
    double step;             /* of entries: without the experiment's own; 0: none */
    bool is_split;           /* of entries: seen whole and as a half */
    bool is_bound;           /* of entries: there are at least so many */
    char remark[48];         /* what is to be said before all else, at most six words */
};
#define REMARK(result, ...) snprintf((result)->remark, sizeof(result)->remark, __VA_ARGS__)

struct fitted;
struct helper;
struct step_counts;
struct text;

/* A metric without label is never asked for, but may be needed. */
enum need { NEED_NOT, NEED_BY_OTHERS, NEED_ASKED };
enum { OPERANDS_MOST = 64 };

struct lab {
    const struct experiment *experiment;
    struct run *run;
    void *own;
    const struct engine_machine *machine;
    const struct memory *memory; /* that its row asks for; NULL: none, or a plan */
    struct members *members;     /* of its team; NULL: it has none */
    uint64_t begin_ns;           /* when it began to measure */
    uint64_t next_ns;            /* when the first sample of a round may be taken; 0: at once */
    struct course *course;
    size_t courses, points, *group, groups, metrics;
    size_t *order;        /* of the groups; NULL: as they are */
    enum need *need;      /* of each metric */
    uint64_t *iterations; /* of each point; within a series only points apart differ */
    int cpu[CPUS_IN_TURN], cpus;
    bool has_sibling; /* a thread keeps `sibling` busy in some turns: */
    int sibling;
    struct companion *companion;
    struct companion *partner; /* of the experiment */
    struct helper *helper;     /* that were started: */
    int helpers;
    unsigned burst;                     /* index of the present burst length */
    uint64_t turn;                      /* a random number, another one in each turn */
    struct stopwatch start;             /* of the first of all experiments */
    const struct engine_effort *effort; /* NULL: of a plan */
    bool is_uncontrolled;               /* hardly a round's control is a whole number of cycles */
    struct engine_data data, rows;      /* rows: the same rounds with a cell for each metric */
    struct result (*result)[STATE_COUNT];
    bool is_over; /* no sample follows */
    struct fitted *fitted;
};

static inline size_t metric_count(const struct experiment *experiment)
{
    size_t count = 0;
    while (experiment->metrics && experiment->metrics[count].key)
        count++;
    return count;
}

/* Which metrics this run asks for, and which others these need, to be freed. *any: whether there is one. */
enum need *needs_of(const struct experiment *experiment, const struct run *run, bool *any);
bool series_is_needed(const struct lab *lab, const struct series *series);

/* Takes all rounds and records the answers. The caller sets experiment, run, own, machine and cpus of lab. */
enum status experiment_measure(struct lab *lab, const struct engine_effort *effort, struct fault *fault);
void experiment_free(struct lab *lab);
/* Opens a course for each series that is needed and can be measured here. A plan (--dry-run) measures
 * nothing for it. */
enum status courses_open(struct lab *lab, struct fault *fault);
/* Whether its limit of time leaves some. */
bool lab_has_time(const struct lab *lab);
/* Gives a course the list of a range, to be freed. */
void course_list(struct course *course, const struct x_range *range);
/* The x of a point, counted from 0; behind the last that of the last. */
static inline uint64_t course_x(const struct course *course, size_t point)
{
    return course->place[point < course->count ? point : course->count - 1].x;
}

/* The first point at x or behind it; the number of points: there is none. */
size_t course_index(const struct course *course, uint64_t x);
/* The least value of a point in all rounds, in what a sample returns. */
double lab_minimum(const struct lab *lab, size_t point);
/* ns of a point whose series has timed works. */
double series_ns(const struct point *point);
/* time_work, which sets when the first part began; begin_ns NULL: nobody asks. */
double time_parts(const struct point *point, const struct timed_work *timed, uint64_t *begin_ns);
/* Begins a turn: bursts have another length, and memory lies elsewhere. */
void turn_begin(struct lab *lab, unsigned number);
/* The arguments of the work of a course at x. */
struct point lab_point(const struct lab *lab, const struct course *course, uint64_t x, uint64_t iterations);
/* The values of all points of a course, where the experiment takes them at once. */
void lab_sample_series(const struct lab *lab, const struct course *course, double *value);
/* ns of one iteration at x. */
double lab_sample(const struct lab *lab, const struct course *course, uint64_t x);
/* Starts the partner and the helpers of an experiment that is open; ends those that were started. */
enum status helpers_start(struct lab *lab, struct fault *fault);
void helpers_end(struct lab *lab);
/* Starts the threads of a team; a simulated one has none. Fault: they cannot be made, or run not together. */
struct members *members_new(const struct team_row *row, bool is_simulated, struct fault *fault);
void members_free(struct members *members);
/* The course of one of the engine's points. */
struct course *course_at(const struct lab *lab, size_t point);
/* Takes `count` points of a course for one round, from the engine's point `first` on: the engine's
 * callback, whose context is the lab. Where each round shows a step, points that something else
 * interrupted are taken again; a round that loses one for all that has no values. */
bool lab_sample_points(void *context, size_t first, size_t count, double *value, struct fault *fault);
/* Chooses the length of a course: twice the visible step, or the longest where none shows in time. */
void steps_explore(const struct lab *lab, struct course *course);
/* How many points of a course lie before the step in one round of it; 0: there is none. */
size_t step_of(const struct course *course, const double *ns);
/* NULL: not measured in this run. */
const struct course *course_named(const struct lab *lab, const char *series);
/* The part of a course that a metric uses; false: not measured in this run. */
bool course_of(const struct lab *lab, const struct metric *metric, struct course *course);
/* An estimate without an interval, as of a count: only its halves can differ. */
static inline struct estimate count_estimate(const struct lab *lab, enum state state, size_t rounds,
                                             double value)
{
    return (struct estimate){.state = state,
                             .summary = {.count = rounds},
                             .value = value,
                             .low = value,
                             .high = value,
                             .first = value,
                             .second = value,
                             .indifferent = true,
                             .unproved = state == STATE_IDLE && !lab->data.reading.sure};
}
/* Counts the rounds of a state with a step behind each point, from 1. */
void steps_count(const struct lab *lab, size_t metric, const struct course *course, enum state state,
                 struct step_counts *counts);
/* 0 for no point. */
uint64_t steps_x(const struct course *course, size_t point);

void fitted_free(struct lab *lab);

static inline double lab_quantile(const struct lab *lab)
{
    return lab->experiment->quantile > 0 ? lab->experiment->quantile : 0.5;
}

/* Answers a metric in one state. course: its series, where it reads one. */
typedef void metric_answer(struct lab *lab, const struct metric *metric, const struct course *course,
                           enum state state, struct result *result);
/* By the jumps of the rounds. */
metric_answer jump_answer;
/* By the curve of the state: a slope change, the end of a level, or where it passes a threshold, which
 * lies between two points: from 10 % to 90 % of the estimate's summary. */
metric_answer curve_answer;
/* By the ratios of two series in the rounds in which both had the state: from which x on the first stays
 * faster. */
metric_answer crossing_answer;
/* By the fit of its series, which is made once, when the run is over. */
metric_answer cache_answer;

/* A row for each kind of metric. */
struct metric_type {
    const char *name;
    /* The value of a round; `before` becomes the probe before it where that is not that of the series'
     * last point. NULL: a value belongs to a state, not to a round. course NULL: the kind reads no series. */
    double (*value_of_round)(const struct lab *lab, const struct metric *metric, const struct course *course,
                             size_t round, uint32_t *before);
    metric_answer *answer; /* NULL: metrics_attribute makes it of the answers of all states */
    /* How far apart two values may lie that count as the same; without bounds of the possible, which are
     * the metric's. */
    struct promise (*tolerance)(const struct lab *lab, const struct metric *metric,
                                const struct course *course);
    unsigned members;    /* groups of struct metric that it reads */
    bool is_place;       /* the value is a place along x: at a point, or */
    bool is_between;     /* between two points: no number to the unit */
    bool is_fitted;      /* the value follows from a fit of its whole series */
    bool is_whole;       /* the value is a whole number */
    bool has_verdict;    /* the answer has a verdict of its own, besides that of its estimate */
    double steps_before; /* the place may lie that many steps of the series before the value */
};

/* Groups of members of struct metric. */
enum {
    OF_SERIES = 1,
    OF_DENOMINATOR = 2,
    OF_THRESHOLD = 4,
    OF_CACHE = 8,
    OF_METRICS = 16,
    OF_KEY_PREFIX = 32,
    OF_STRUCTURE = 64
};

extern const struct metric_type metric_types[]; /* by kind */

static inline const struct metric_type *type_of(const struct metric *metric)
{
    return &metric_types[metric->kind];
}

/* The groups of members that a row sets: those of its type, in a correct row. */
unsigned metric_members(const struct metric *metric);

/* -1: none, or NULL. */
int metric_of_key(const struct lab *lab, const char *key);

/* Whether the metric of that key is one of those of which this one is the least. */
static inline bool metric_competes(const struct metric *metric, const char *key)
{
    return metric->key_prefix && strncmp(key, metric->key_prefix, strlen(metric->key_prefix)) == 0;
}

/* Takes from the rows what is not known to be busy where the round's control is no whole number of cycles. */
void control_apply(struct lab *lab);
/* The least of the metrics that one compares, -1: none has a value; the names of it and of those that tie,
 * unless NULL: their labels without the first part, "stack atomic" of "store, stack atomic". */
int least_metric(const struct lab *lab, size_t metric, enum state state, struct text *names);
/* NULL: no such key. */
struct result *lab_result(const struct lab *lab, const char *key, int state);
/* Filler n of a structure, its sharers behind the others; NULL: there is none. */
static inline const char *metric_filler(const struct metric *metric, int n)
{
    return n < FILLERS_MOST ? metric->structure.fillers[n] : metric->structure.sharers[n - FILLERS_MOST];
}

/* Which structure of a core ends a step. */
struct attribution {
    int filler, partner; /* that show the step; filler -1: none does; partner -1: it is a bound only */
    int ended_by;        /* the structure that such a bound lies at; -1: unknown */
};

/* Steps of the fillers and of the structures below, as in struct metric; 0: none seen. */
struct fillers {
    double step[FILLERS_MOST + SHARERS_MOST], bound[LIMITS_MOST];
    bool have_sharers;
    unsigned instructions;
};

struct attribution attribution_of(const struct fillers *fillers);
/* Entries of a structure that two threads split evenly, by its steps next to an idle and to a busy
 * sibling: the work itself takes the same in both, so whole + own = 2 (half + own). 0: it is no such
 * structure. */
double attribution_split(double whole, double half);
/* Of a metric on entries, or one that splits or has another metric for each entry: names the structure
 * behind its step, or says which bound it is. */
void metric_attribute(struct lab *lab, const struct metric *metric);
/* Key n of those that a metric needs, NULL among them; false: no more. */
bool metric_needs(const struct experiment *experiment, const struct metric *metric, size_t n,
                  const char **key);

/* Chooses among the CPUs of the run those of the first one's kind of core, and says which others there
 * are. */
void lab_choose_cpus(struct lab *lab);
/* Judges all metrics by the samples so far. */
void metrics_answer(struct lab *lab);
/* Whether more rounds would change no printed answer. */
bool metrics_enough(struct lab *lab);
/* Records the answers of both states. */
void metrics_record(struct lab *lab);
/* Records what was asked of an experiment that could not begin, without values; the remark is the reason. */
void metrics_record_missing(const struct experiment *experiment, const struct run *run, const char *remark);
/* Records the table of all points, if the experiment has one, and that of steps. */
void tables_record(const struct lab *lab);
