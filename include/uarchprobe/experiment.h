/* SPDX-License-Identifier: MIT */
/* An experiment as rows: series of points along x, one function that does the work of a point, and metrics.
 * The engine times, files by state, estimates, judges, compares with published values, and makes the
 * answers and the tables. */
#pragma once

#include "uarchprobe/engine.h"
#include "uarchprobe/memory.h"
#include "uarchprobe/option.h"
#include "uarchprobe/run.h"

struct companion;
struct series;

/* One of several buffers of an experiment. */
struct buffer {
    uint64_t bytes, least; /* wanted, and how few are enough; least 0: all of them */
    uint64_t margin;       /* beyond them, however few they become */
    int cpu; /* its pages lie near this CPU, as a thread there brings them in; -1: near the calling one */
    enum page_kind pages; /* PAGES_AUTO: those of the row */
    /* Filling the first so many bytes may take three times as long: memory that the host of a guest has
     * not backed yet takes longer. */
    uint64_t needed;
    bool is_on_node; /* of the machine's memory that node: */
    int node;
    /* The experiment can do without it: set to the reason, in a few words, where it is not there, and its
     * memory has no bytes. Some buffer must be there. NULL: it is needed. */
    const char **missing;
};

/* Memory that an experiment needs. The engine holds it against what the machine and its limits leave, so that
 * an experiment without room becomes a row with its reason. It maps the memory, brings its pages in and
 * releases it. Experiments that follow each other and name the same row share one mapping. */
struct memory_row {
    uint64_t bytes; /* wanted; 0: `wanted` says how many in this run */
    uint64_t (*wanted)(const struct run *run, const void *own);
    /* How few bytes are enough in this run. Where room is short, the wanted bytes are halved until they fit.
     * NULL: all of them are needed. */
    uint64_t (*least)(const struct run *run, const void *own);
    enum page_kind pages;
    enum {
        MEMORY_OF_BENCH, /* the bench maps it: mapping is measured, or each thread brings in pages of its own */
        MEMORY_MAPPED,   /* no page is there before the work touches it */
        MEMORY_PRESENT, /* all pages are there */
        MEMORY_FILLED   /* and hold non-zero bytes */
    } content;
    /* What fewer bytes than wanted mean for the values; NULL: nothing, so nobody warns. */
    const char *if_short;
    /* Instead of one mapping the row has several buffers: says what buffer n shall be. False: there are no
     * more. */
    bool (*buffer)(const struct run *run, const void *own, int n, struct buffer *buffer);
    /* A thread fills its buffers for so many seconds of its own. What it does not fill is cut off, and is
     * refused where less than the least is left. 0: all is filled, however long it takes. */
    double fill_s, quick_fill_s; /* with --quick; 0: the same */
    /* Writes what the work needs into a piece of 4 MiB of a buffer as soon as its pages are there, while that
     * time lasts; own is that of the experiment. NULL: the buffer has what `content` says. */
    void (*lay_out_piece)(void *own, const struct memory *piece);
    bool is_forced; /* the user took it upon himself: the wanted bytes are not held against the room */
    /* Writes what the work needs there, such as chains; called once for each mapping, after `open`. memory:
     * the first of the buffers. Returns early when a signal comes. NULL: nothing. */
    void (*lay_out)(const struct run *run, void *own, const struct memory *memory);
};

/* Threads that work at the same time: member i is pinned to cpu[i]. The engine starts them before the memory
 * is made, and ends them after `close`, within a second of a signal. */
struct team_row {
    const int *cpu;
    int count; /* 0: there is no team */
};
struct members;

/* The arguments of the work of one point. */
struct point {
    /* What a timed work needs stands in a line of the cache: */
    void *own; /* of the experiment, as given to experiment_run */
    /* Of the series, or of the work, if `prepare` says so; NULL: it names none. */
    const struct kernel *kernel;
    /* Where the memory of the sample begins, if `prepare` says so: a buffer, another one. */
    unsigned char *set, *second;
    uint64_t places; /* of the set, if `prepare` says so */
    uint64_t iterations;
    unsigned part;  /* this one of the parts of a sample, from 0 */
    unsigned parts; /* of the sample; `prepare` may set them; 0: it cannot be taken */
    int member;     /* of the team, that does it */
    /* The point: */
    const struct series *series;
    const struct memory *memory; /* the buffer of the series, before those behind it; NULL: the experiment has
                                  * none, or maps its own */
    uint64_t x;
    const struct clock *clock;
    const struct engine_machine *machine; /* that reads the clock; NULL: the machine at hand */
    const struct companion *partner;      /* of the experiment; NULL: it has none */
    /* A random number, another one in each turn: by it the memory of a sample lies elsewhere. */
    uint64_t turn;
    uint64_t begin_ns;       /* when the experiment began to measure */
    struct members *members; /* of the experiment's team; NULL: it has none */
    unsigned char *scratch;  /* SCRATCH_BYTES of the calling thread, from `prepare` to the last part */
};
enum { SCRATCH_BYTES = 512 };

/* A work that the engine times part by part; the experiment knows how many iterations a sample needs. */
struct timed_work {
    /* Repeats the work of a part point->iterations times. */
    void (*work)(const struct point *point);
    /* Runs untimed before the first part: sets the iterations of a part (1 otherwise), chooses where the
     * memory of the sample lies, warms it. NULL: nothing. */
    void (*prepare)(struct point *point);
    bool prepares_each; /* `prepare` runs before each part, not before the first alone */
    unsigned parts;     /* at most TIMED_PARTS_MOST; 0: 1 */
    /* The time of the sample is that of its fastest part; false: the median of the parts, which drops most
     * interruptions. */
    bool is_least;
    /* How often the partner of the experiment must do its work during a part, or the sample has no value,
     * as something else had its CPU. A part begins once the partner has seen what `prepare` did. 0: as it
     * likes. */
    unsigned partner_turns;
};
enum { TIMED_PARTS_MOST = 512 };

/* ns of an iteration of the work, for a bench that combines such times itself; NaN: the partner was away. */
double time_work(const struct point *point, const struct timed_work *timed);
/* The same by these members of the team at the same time, each prepared by itself: an iteration takes what it
 * takes at the mean of their rates. member NULL: the first ones. NaN: they did not run together. */
double time_together(const struct point *point, const struct timed_work *timed, const int *member, int count);
/* How often the partner has done its work so far; 0: there is none. */
unsigned long partner_turns(const struct point *point);

/* Batches of the parts of a work, one right after another for so many seconds. */
struct timed_batches {
    const struct timed_work *timed;
    double seconds;
    /* Before and after a batch, which took so many ns; whether it counts. NULL: nothing, each counts. */
    void (*begin)(const struct point *point);
    bool (*end)(const struct point *point, double ns);
};
/* The median of the parts of all batches that count; NaN: none does. */
double time_batches(const struct point *point, const struct timed_batches *batches);
/* Seconds since the experiment began to measure. */
double point_seconds(const struct point *point);

/* A place along x, of which a series has a list. */
struct x_place {
    uint64_t x;
    uint64_t period; /* it is sampled in one of so many rounds; 0 or 1: in each */
};

/* The rule by which the engine makes the list of a series. */
struct x_range {
    uint64_t first, last; /* last 0: as far as it takes to see a jump, and as far again behind it */
    uint64_t step;        /* 0: 1 */
    unsigned
        per_octave;  /* so many places for each doubling of x, at multiples of the step; 0: at each step */
    bool is_rounded; /* per_octave: x are 2, 3, 4, 6, 8, 12, or 4, 5, 6, 7, 8, 10 times a power of two */
    /* Places above `x_of_every_round` are sampled in one of `period` rounds; 0: all in each. */
    uint64_t period, x_of_every_round;
};

/* The list of a range, ascending, to be freed; of one without an end `most` places. */
struct x_place *x_range_places(const struct x_range *range, size_t most, size_t *count);

/* Points at a list of places, sampled right after each other: a sample of a series is one of each point. */
struct series {
    const char *name;   /* NULL ends the rows. Of rows of one name the first that can be measured here is */
    const char *kernel; /* of the registry; NULL: none. One that cannot run here leaves the row out */
    struct x_range range;
    const void *row; /* the experiment's own */
    unsigned buffer; /* of the experiment's buffers this one, from 0 */
    bool hidden;     /* not in the table of points */
    bool apart; /* each point by itself, probes in between: for many points, of which a metric names one */
    bool again; /* rises at each multiple of the first step, which alone counts */
    /* Instead of `work` and `sample` of the experiment: a sample is the sum of the times of these works,
     * taken one after another, less the time of `less`, such as what drawing a line costs. NULL: no further
     * one. A team does each of them with all of its members. */
    const struct timed_work *timed[2], *less;
};

/* What is estimated. engine/kinds.c has a row for each kind: how a value follows, what is promised, which
 * members of struct metric it reads. The order means nothing. */
enum metric_kind {
    METRIC_VALUE,        /* of the last point, or of that at `last` */
    METRIC_SLOPE,        /* the last point less the first, per x: the cost around the work cancels */
    METRIC_JUMP,         /* the last x before the time rises at once by the height of a step */
    METRIC_SLOPE_CHANGE, /* the last x before the time begins to rise faster */
    METRIC_LEVEL_END,    /* the last x before the time rises to another level, at once or over several x */
    METRIC_THRESHOLD,    /* the last x whose time is at most `threshold`: between two points */
    /* The first x from which on the times of `series` are at most `denominator.share` of those of the
     * denominator, by the ratios of their samples within a round: an interval between two points.
     * Experiments with it are side_by_side. */
    METRIC_CROSSING,
    /* A cache level in the times of accesses to places that are drawn at random from a set of x bytes
     * (engine/levels.h). All metrics of the same series and ends share one fit, which is made when the run
     * ends. */
    METRIC_CACHE_SIZE,      /* x that the level holds, or at least holds */
    METRIC_LEVEL_LATENCY,   /* the time of its hits */
    METRIC_NEXT_LEVEL_COST, /* the time that a miss of it adds */
    METRIC_DIFFERENCE,      /* the first of `metrics` less the second */
    METRIC_RATIO,           /* the first of `metrics` for each of the second */
    METRIC_PER_MICROSECOND, /* how often the first of `metrics`, in ns, fits into a microsecond */
    METRIC_LEAST,           /* the least of the earlier ones with `key_prefix`; the label names it */
    METRIC_STRUCTURE_SIZE   /* entries of the structure that ends the jumps of `structure.fillers` */
};

enum { FILLERS_MOST = 3, SHARERS_MOST = 2, LIMITS_MOST = 3 };

struct metric {
    const char *key;   /* NULL ends the rows. The answers of both states have it */
    const char *label; /* NULL: only other metrics use it */
    const char *unit;  /* "ns": times as they are; "cycles": of the core */
    enum metric_kind kind;
    /* Kinds that read points: their series, of which the points from this x to that one alone count; 0:
     * from its first, to its last. */
    const char *series;
    uint64_t first, last;
    /* Crossing: another series with the same points, whose times divide, and the share of them that counts
     * as faster. */
    struct {
        const char *series;
        double share;
    } denominator;
    double threshold; /* in what a sample returns */
    /* Cache size, level latency, next level cost: which level, from 1; and a series of larger x that goes
     * on where this one ends. */
    struct {
        unsigned level;
        const char *continued_by;
    } cache;
    const char *metrics[2]; /* difference, ratio, per microsecond: keys of earlier rows */
    const char *key_prefix; /* least */
    /* Structure size: keys of earlier jumps. `fillers` take one entry each, and may end at another
     * structure: they show at most its size. `sharers` take no other structure but those of `limits`, and
     * may share an entry: they show at least its size. Two that agree name the structure, one of each
     * where there are sharers, if their jump lies before those of the limits; else it is a bound. The
     * first limit is a structure that all fillers take, the second one that all fillers but the third may
     * take, too, the third one that the third filler may take; where there are sharers, one that fillers
     * take in thirds. */
    struct {
        const char *fillers[FILLERS_MOST], *sharers[SHARERS_MOST], *limits[LIMITS_MOST];
        unsigned instructions;  /* of one filler, which then keep the sharers apart; 0: 1 */
        unsigned fixed_entries; /* that the work itself takes, at least: they count, too */
        /* Each of two threads may have half: both sizes show the exact number of fixed entries. */
        bool is_halved_by_smt;
    } structure;
    /* Keys of earlier metrics, hidden ones mostly, that must have the same value wherever they have one;
     * where the first, which should be another experiment, has none, trust is medium at most. NULL: none. */
    const char *agrees[2];
    /* States of the core or the kernel that outlast a run move it: medium trust at most. Beside each row
     * that says so, or that is a `range`, stands the measured series in which its value broke the promise
     * without that (docs/reliability.md has all). */
    bool classes;
    const char *per; /* key of an earlier metric: the remark says how many there are for each of its own */
    const char *control; /* of an earlier metric: without the same value there is no answer */
    /* Key of an earlier metric, a control: without four values, and nine tenths of them above nine tenths
     * of its own, there is no answer but the remark `refused`, if there is one: of metrics with one control
     * the first has it. NULL: none. */
    const char *above, *refused;
    bool halves;     /* a busy sibling leaves half of it: rounds that show the whole were not next to one */
    double at_least; /* bound of the possible; 0: none */
    bool beyond;     /* lies outside the core, where high trust promises 5 % */
    bool of_all;     /* of all samples, whatever their state, as they last longer than one */
    bool optional;   /* some machines rightly have no value */
    bool range;      /* other runs have other values: the answer is the range of this one, with low trust */
    const char *published,
        *or_published; /* quantity of data/cores.tsv, and another where the core has none of that; NULL: none */
    const char *differs; /* the remark where the value differs from what is published: why it may; or NULL */
    const char *sheet_cell; /* on the core sheet: "core/reorder-buffer"; NULL: none */
    const char *operand;    /* asks for it: "return-stack"; several metrics may share one; NULL: none */
    bool by_name;           /* measured only where an operand asks: it may trap, or disturb others */
    bool in_quick;          /* part of `report --quick` */
};

/* A place of which a quantity has an answer, such as a node or a number of threads. */
struct metric_place {
    const char *key, *label, *sheet_cell;
};
/* The metric on that quantity at a place, for whose texts the stars of its key, label and sheet_cell
 * stand. */
struct metric metric_at(const struct metric *metric, struct record *record, const struct metric_place *place);

struct lab;

/* The table of all points: series, x, minimum, median and mean of a point (the mean because sources have
 * it), and a mark at the x that an answer names. */
struct curve {
    enum view_kind how;
    const char *title, *x_key, *x_title;
};

struct experiment {
    const char *name; /* where one of several is left out */
    void *own;        /* of its functions; NULL: that of experiment_run */
    /* What its functions keep between samples, instead of `own`: each run gives them a copy of these bytes,
     * or zeros where there is no template. It begins at a page and is freed after `close`. 0: nothing. */
    size_t context_bytes;
    const void *context_template;
    /* Before its first sample and after its last: threads, whatever *own then names. A fault leaves this
     * experiment out, with a warning, and its rows say why. NULL: nothing. */
    enum status (*open)(struct run *run, void **own, struct fault *fault);
    void (*close)(void *own);
    const struct series *series;  /* also made at run time */
    const struct metric *metrics; /* NULL: none */
    /* Key of a metric that is a whole number of cycles: without it no value of a round counts but next to a
     * busy sibling; or NULL. */
    const char *control;
    /* `iterations` times the work of x, timed by the engine in bursts of several lengths: a value that
     * depends on the length is no promise about later runs. */
    void (*work)(const struct point *point);
    /* Untimed, before each burst, of which it may change the iterations; NULL: nothing. */
    void (*prepare)(struct point *point);
    uint64_t iterations; /* of the shortest burst, more where the clock is coarse; 0: 4 */
    bool one_length;     /* all bursts are as long as that */
    bool has_call;       /* work of no iterations is a call, whose time is taken off */
    struct team_row team;
    /* Makes the value of a sample of the ns that an iteration of timed works took; NULL: they are the
     * value. */
    double (*value)(const struct point *point, double ns);
    /* Instead of `work`: the value of one iteration of x in ns, or a count; NaN: it could not be taken. */
    double (*sample)(const struct point *point);
    /* Instead of `sample`, where one measurement gives the values of all points of a series: sets value[i]
     * for the point of index i. The point is the first of the series. */
    void (*sample_all)(const struct point *point, double *value);
    /* Other pages, or whatever else values must not depend on, by the number of the turn; NULL: nothing. */
    bool (*move)(void *own, unsigned turn, struct fault *fault);
    /* A round begins so long after the one before, less than a second, or later; 0: at once. */
    double period_s;
    double quantile; /* of the samples; 0: the median */
    /* The x that the machine shows for level nth of a metric: an edge near it is that level's; 0: unknown,
     * the edges are counted. NULL: none is known. */
    double (*shown)(void *own, const struct metric *metric);
    /* The rise at a step in ns; 0: this series can have none. NULL: half of the time of its last points. */
    double (*height)(const struct point *point);
    struct pace {
        uint64_t rounds, quick_rounds; /* at least; then until more would change no answer */
        double seconds, quick_seconds; /* at most, without -r and --time-budget; quick 0: the same */
    } pace;
    bool side_by_side; /* all points are apart: the first ones of all series, then the second ones, ... */
    bool takes_turns;  /* on up to four CPUs of the first one's kind; false: on the first */
    const struct memory_row *memory; /* NULL: none */
    /* Whether a place of a series is measured: the options ask for it, and its buffer holds it. A series
     * without a place is left out. NULL: all places are. A plan asks for none, as it maps nothing. */
    bool (*has_place)(const void *own, const struct series *series, uint64_t x, const struct memory *memory);
    /* A thread on another core repeats this work from after `open` to before `close`; context is that of the
     * experiment. Without such a CPU the experiment is left out. NULL: no thread. */
    void (*partner)(void *context);
    /* Threads on these CPUs repeat this work meanwhile; number: of the CPU in the row. */
    struct team_row helpers;
    void (*help)(void *context, int number);
    bool two_cpus;        /* `open` starts a thread on another core: for the plan */
    const int *companion; /* CPU that a thread keeps busy meanwhile, an SMT sibling; NULL: none */
    /* In a quarter of the turns a thread keeps the SMT sibling busy, where --cpus leaves it to the run:
     * both states in one run, which the witness tells apart. */
    bool both_states;
    bool any_state;     /* a sample lasts longer than a state, or lies beyond the core: no witness is asked */
    struct curve curve; /* title NULL: no table of points */
    /* Adds answers and tables that no metric can state, after those of the metrics; `enough` is a further
     * condition for the end. NULL: none. */
    void (*answers)(struct lab *lab, void *own);
    bool (*enough)(const struct lab *lab, void *own);
};

/* For `answers` and `enough`: the estimate of point `index` of a series in a state. False: none. */
bool lab_estimate(const struct lab *lab, const char *series, size_t index, enum state state,
                  struct estimate *estimate);
const struct engine_data *lab_data(const struct lab *lab);

/* Runs them one after another, with one witness, companion and deadline: plan (--dry-run), rounds,
 * answers, tables, warnings. own is handed to the functions above. A CPU that is taken away, a signal and
 * the budget end it with the values so far; each has an equal part of the time budget left. CPU and
 * companion are those of the first. One that gives no value does not end the others. Fault: nothing of it
 * can be measured here. */
enum status experiment_run(const struct experiment *experiment, size_t count, struct run *run, void *own,
                           struct fault *fault);

/* The same for a command that is rows alone, ended by NULL: those that its operands ask for; without
 * operands all but metrics by name. Fault, besides: an operand that no metric has (STATUS_USAGE, with the
 * nearest). */
enum status experiments_run(const struct experiment *const *experiments, struct run *run,
                            struct fault *fault);
/* Operand n of these experiments, each once, in their order; NULL: there are no more. */
const char *experiments_operand(const struct experiment *const *experiments, size_t n);

/* The first CPU of the run on another core than its first one, which becomes the fact run.other_cpu. -1, with
 * a fault: there is none. */
int run_other_core(const struct run *run, struct fault *fault);

/* For a bench that samples by itself, on a team of its own. As many rounds, samples and seconds as the
 * options say, else `least` rounds and more for `seconds` at most. */
struct engine_effort effort_of(const struct common *common, uint64_t least, double seconds);
/* Facts of --dry-run; seconds 0: as long as it takes. */
void effort_plan(struct run *run, const struct engine_effort *effort, double seconds);
/* engine_run on the machine at hand. An early end sets left_out of the run; a team that did not come back
 * is a fault. */
enum engine_end engine_host_run(struct engine_host *host, const struct engine_bench *bench,
                                const struct engine_effort *effort, struct engine_data *data,
                                struct fault *fault);
/* Warns where the budget ended it before the rounds that were asked for. */
void effort_warn(struct run *run, const struct engine_effort *effort, const struct engine_data *data);
/* Finds two allowed CPUs that share a core, or the run's first CPU and the one that the user names, as
 * guests hide siblings. Faults: STATUS_NO_RESOURCE (none is shown), STATUS_USAGE (the CPU itself was
 * named). */
enum status run_smt_pair(const struct run *run, struct cpu_choice choice, int cpu[2], struct fault *fault);
