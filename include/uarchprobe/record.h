/* SPDX-License-Identifier: MIT */
/* The result of a command: facts about the host and the run, tables of rows, answers, warnings. A bench
 * adds to the record, a format reads from it; neither knows the other. Base units only (bytes, seconds, ns,
 * cycles); an unknown value is CELL_NULL, never 0. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "uarchprobe/cell.h"
#include "uarchprobe/status.h"

/* parameter: varied; measure: measured; label: for the reader of both. */
enum column_role { ROLE_PARAMETER, ROLE_MEASURE, ROLE_LABEL };

struct column {
    const char *key;   /* snake_case, the name in JSON */
    const char *title; /* heading of TSV, CSV and people's tables, without the unit */
    const char *unit;  /* "Byte", "s", "ns", "cycles", ... or NULL */
    enum cell_type type;
    enum column_role role;
    int digits;               /* decimals in tables; machine formats print up to 15 */
    const char *const *names; /* of classes and flags, ended by NULL; NULL: those that record_row meets */
    bool is_clocked;          /* needs the core clock read after a sample, which fits an extreme one least */
};

/* How a table wants to be seen. Machine formats ignore it. */
enum view_kind {
    VIEW_LIST,   /* as it is */
    VIEW_CURVE,  /* y over x, one line per value of series */
    VIEW_MATRIX, /* one row per value of `y`, one column per value of `x`, `value` in the cells */
    VIEW_HIDDEN  /* raw material for machines: people see only the answers drawn from it */
};

struct view {
    enum view_kind kind;
    int x, y, value, series; /* column indices; -1: none */
    int state; /* column of states, 0: none. Rows that differ in nothing else that was varied follow
                                each other; the first of them is drawn, the others are for machines */
    int panel; /* column, 0: none. Rows of each of its values are drawn by themselves: thread counts, say */
    int shown; /* column, 0: none. Rows without a value in it are for machines */
    double scale;           /* factor in tables and pictures, 0: none; bytes/s shown as GiB/s, say */
    const char *scale_unit; /* unit after scaling, NULL: the column's own */
    bool log_x, log_value;
    bool aside;   /* results of several machines again, for pictures of one scale; all else leaves it out */
    bool mark;    /* marks the greatest of a matrix column, and those as good */
    bool shade;   /* a matrix is coloured by value, low to high */
    bool lead;    /* on a page and a screen before the answers */
    bool derived; /* restates the rows of an earlier table: TSV and CSV leave it out */
    /* For pictures; 0 and -1: none (column 0 is always a parameter). */
    int class; /* matrix: puts cells into classes, each drawn in one colour */
    int flag;  /* cells to be marked. Curve: a bool (its title is the label) or a text (the label). Matrix:
                 flags, or null where the value is plain */
    /* For TSV and CSV. > 0: a row is written as a line for each of its samples, and AVG, MIN, MED and MAX of
     * them, the word in front of this column; least and most are of `value`. The samples of the column
     * `duration` weigh the others in the average; 0: all alike. */
    int lines, duration;
};

/* Lives as long as the program: benches keep theirs const at the foot of their file. */
struct table_spec {
    const char *name; /* key in JSON */
    const char *title;
    const char *note; /* definitions, printed under the table; or NULL */
    const struct column *columns;
    int column_count;
    struct view view;
};

/* The state of an SMT sibling meanwhile, for a column of states and for the state of an answer. Mixed: not
 * the same before and after a sample. */
enum state { STATE_UNKNOWN, STATE_IDLE, STATE_ACTIVE, STATE_MIXED, STATE_COUNT };
extern const char *const state_names[]; /* "unknown", "sibling idle", "sibling active", "mixed" */

enum trust { TRUST_LOW, TRUST_MEDIUM, TRUST_HIGH };
extern const char *const trust_names[]; /* "low", "medium", "high" */

/* What keeps trust from high; nothing where trust is high or was not judged. */
enum limited_by { LIMITED_BY_NONE, LIMITED_BY_PRECISION, LIMITED_BY_REPETITION, LIMITED_BY_PLAUSIBILITY };

/* The values of consecutive parts of a run, each by itself, by which two runs are compared. */
enum { PARTS_MOST = 24 };
struct parts {
    size_t count;
    float value[PARTS_MOST];
};

/* Disputed: sources are further apart than high trust promises. Differs: the answer is further from each
 * than its own does. */
enum quote_agreement {
    AGREEMENT_UNKNOWN,
    AGREEMENT_MISSING,
    AGREEMENT_PUBLISHED,
    AGREEMENT_DISPUTED,
    AGREEMENT_DIFFERS
};

/* A value that others have published: quoted, so it has no trust. */
struct quote {
    struct cell value;         /* of the first source; CELL_NULL: nothing */
    const char *unit, *source; /* of that */
    enum quote_agreement agreement;
    struct cell least, most; /* of all sources */
};

/* Found by key, kind and state: the values next to an idle and next to a busy sibling are two answers of one
 * key, and so are those of two kinds of cores. */
struct answer {
    const char *key; /* "store_buffer.entries" */
    struct cell value;
    const char *unit; /* or NULL */
    enum trust trust;
    const char *label;      /* its row in a table: "Store buffer"; NULL: it has text, or is for machines */
    const char *remark;     /* in that row, at most six words: "32 hold state"; or NULL */
    const char *sheet_cell; /* its place on the core sheet: "core/reorder-buffer"; NULL: none */
    const char *text;       /* in place of a row: "store buffer: 104 entries (476 of 500 rounds)"; or NULL */
    struct cell low, high;  /* reals: the interval of the value; or CELL_NULL. low alone: a bound */
    const char *state;      /* that it holds for, such as one of state_names; NULL: none is known */
    const char *kind; /* of core that it holds for: "Gracemont"; NULL: the machine has one kind, or any */
    size_t samples;   /* that it rests upon; 0: unknown */
    enum limited_by limited_by;
    /* Trust, and what limits it, if something proves later that a sibling which leaves a store buffer of
     * `store_buffer` entries is idle; 0 entries: nothing can. */
    enum trust proved_trust;
    enum limited_by proved_limited_by;
    size_t store_buffer;
    struct parts parts;     /* in the unit of the value; none: unknown */
    double ghz;             /* of the core clock meanwhile; 0: unknown, or the value needs none */
    double within;          /* the promise of high trust, as a share of the value; 0: unknown */
    double within_absolute; /* the same in the unit of the value, as a count has it; 0: it is a share */
    /* By its kind it cannot have more than low trust, or need not be there: --strict lets it pass. */
    bool unpromised;
    struct quote published;
};

struct warning {
    const char *code; /* "sibling_active" */
    const char *text;
};

/* One value at a dotted path of the JSON document: "host.cpu.vendor"; a path component that is a number makes
 * an array: "host.caches.0.bytes". title and unit are those of `info`; title NULL keeps the fact to
 * machines. */
struct fact {
    const char *path, *title, *unit;
    struct cell value;
};

/* Groups of CPUs, from the outside to the inside, and those of one kind of core. */
enum place_level { LEVEL_PACKAGE, LEVEL_NODE, LEVEL_L3, LEVEL_L2, LEVEL_CORE, LEVEL_KIND, LEVEL_COUNT };

/* Where a CPU lies in the machine, as it shows itself: its group at each level, -1: unknown. */
struct place {
    int cpu, group[LEVEL_COUNT];
};

/* A run that had a smaller share of a CPU says so: wall time is then longer than the work takes. */
#define CPU_SHARE_LEAST 0.95

/* The machine as a command saw it while it measured; the session writes it as facts, and pools those of a
 * report's commands. */
struct conditions {
    double seconds;       /* that the command ran; the session's, as are the next three */
    double stolen_s;      /* of CPUs that the hypervisor took meanwhile; NaN: unknown */
    double waited_s;      /* ready to run, while other processes had the CPU or a quota none; NaN: unknown */
    double throttled;     /* times that a quota of the cgroup stopped the process */
    double sibling_share; /* of the readings, those that found an SMT sibling active; NaN: unknown */
    size_t sibling_readings; /* 0: none taken */
    size_t store_buffer;     /* entries that are proved to be the whole one; 0: nothing is */
    double pairs_seconds;    /* of the command that measured pairs of CPUs */
    int moves;               /* changes of the distance of a pair; -1: no pair was measured */
    double shared_core;      /* share of the probes that found CPUs, shown as cores, to be on one */
    bool cpu_was_taken;      /* away from the process, by its affinity or cpuset */
    int hidden_l3;           /* groups of CPUs below an L3 that is shown as one; 0: none */
};

struct record;
struct record_table {
    const struct record *record;
    const struct table_spec *spec;
    size_t row_count, capacity;
    const char *kind;         /* of core that was measured; NULL: as of an answer */
    struct cell *cells;       /* row_count x spec->column_count, row by row */
    struct names *names;      /* of each column; none but for classes and flags */
    struct samples **samples; /* of each row: NULL, or those of each column */
};

#define LIST(type)                                                                                           \
    struct {                                                                                                 \
        size_t count, capacity;                                                                              \
        type *of;                                                                                            \
    }

/* Read its members, but add by the functions below; conditions are written directly. */
struct record {
    LIST(struct fact) facts;
    LIST(struct record_table) tables;
    LIST(struct answer) answers;
    LIST(struct warning) warnings;
    LIST(struct place) places; /* of CPUs; those of a command of a report are in the report: record_whole */
    LIST(struct record *) children;
    LIST(void *) owned; /* texts of the others, specs that were loaded and their parts */
    const struct record *parent;
    struct conditions conditions; /* without any yet: a share that is unknown */
};

const struct cell *record_cell(const struct record_table *table, size_t row, int column);
/* NULL: none were added. */
const struct samples *record_samples_at(const struct record_table *table, size_t row, int column);

/* Everything added is copied; specs are borrowed. All additions are made by one thread. */
struct record *record_new(void);
void record_free(struct record *record);

/* A text that lives as long as the record. */
const char *record_text(struct record *record, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A fact at a path that is taken replaces it; several are ended by one without a path. */
void record_fact(struct record *record, struct fact fact);
void record_facts(struct record *record, const struct fact *facts);
#define RECORD_FACTS(record, ...) record_facts(record, (const struct fact[]){__VA_ARGS__, {0}})
/* Declares a table and returns its index; an empty table is part of the result. */
size_t record_table_add(struct record *record, const struct table_spec *spec);
/* cells: spec->column_count of them, each CELL_NULL or of its column's type, which it also takes on where
 * only the meaning differs: an integer becomes a size, a text the name of a class, a new one too. */
void record_row(struct record *record, size_t table, const struct cell *cells);
/* A measure of the newest row: the cell becomes the summary, or its median where the column is of reals. The
 * samples behind it are copied and kept in parallel to the table. */
void record_samples(struct record *record, size_t table, int column, const struct samples *samples,
                    const struct summary *summary);
/* The index of a class, which is added where the column has none such. */
int64_t record_class(struct record *record, size_t table, int column, const char *name);
void record_place_add(struct record *record, struct place place);
/* Where the record says RECORD_EMULATED, each answer has low trust, whatever its own evidence, and a
 * warning says why. */
#define RECORD_EMULATED "run.conditions.emulated"
bool record_is_emulated(const struct record *record);
void record_answer(struct record *record, struct answer answer);
/* Puts the quote next to the answer that record_answer_find has of that key, where there is one. */
void record_quote(struct record *record, const char *key, struct quote quote);
/* That warning alone, for results without answers; false: no emulator. */
bool record_warn_emulated(struct record *record);
/* Replaces the remark of the answer where its quote agrees in that way, unless it is a bound, whose remark
 * says what ends it. */
void record_remark(struct record *record, const char *key, enum quote_agreement agreement,
                   const char *remark);
/* The same code and text twice is kept once. */
void record_warning(struct record *record, const char *code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* NULL, NaN: there is no such fact. */
const struct fact *record_fact_find(const struct record *record, const char *path);
double record_fact_number(const struct record *record, const char *path);
/* NULL: the record itself has none, whatever its children have. state NULL: idle before unknown before busy.
 * Of several kinds of cores the first that has the key. */
const struct answer *record_answer_find(const struct record *record, const char *key, const char *state);
/* The same of one kind of core. */
const struct answer *record_answer_find_kind(const struct record *record, const char *key, const char *kind,
                                             const char *state);
/* Whether it holds for a busy sibling. */
bool answer_is_busy(const struct answer *answer);
/* Whether it is only known that there are at least so many: its interval has no upper end. */
bool answer_is_bound(const struct answer *answer);
/* The report that a command was run for, else the record itself. */
const struct record *record_whole(const struct record *record);
/* The record of a command that another one ran (`report`), owned by its parent. Facts that it lacks
 * (record_fact_find) and the places of CPUs are those of the parent. */
struct record *record_child_add(struct record *record);
/* A record for what is measured on one kind of core. It is no child, but finds the facts that it lacks in
 * `record` as one does. */
struct record *record_part_new(const struct record *record);
/* Moves answers and tables of the part, as of that kind, behind those of the record, and the facts that the
 * record lacks. Warnings and conditions stay in the part, which the caller frees. */
void record_part_take(struct record *record, struct record *part, const char *kind);
/* Moves the content of `from` into `record`; frees `from`. */
void record_replace(struct record *record, struct record *from);

/* Whether there is an answer or a row, a child's too. */
bool record_has_results(const struct record *record);
/* Whether any of it was measured here: an answer's value that rests on samples or has an interval, or a
 * row's; what the machine says of itself is none. */
bool record_has_values(const struct record *record);
/* Whether any such answer has a value. */
bool record_has_answers(const struct record *record);
/* Whether any answer has low trust, a child's too; for --strict. */
bool record_has_low_trust(const struct record *record);
/* Gives the answers whose states were told by a store buffer of so many entries the trust that they have
 * where these are proved to be the whole. */
void record_prove(struct record *record, size_t store_buffer);

/* Reads the results of a file one at a time, so that of a file of thousands one is in memory; take frees
 * each. */
enum status record_load_each(const char *path, void (*take)(void *context, struct record *record),
                             void *context, struct fault *fault);

/* Reads the document that --format json, jsonl or html wrote, of schema uarchprobe/4 or 2, into a new
 * record, which owns its table specs. Fault: STATUS_USAGE with the place in one line, and *record is NULL. */
enum status record_load(const char *path, struct record **record, struct fault *fault);
