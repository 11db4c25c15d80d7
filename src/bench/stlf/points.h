/* SPDX-License-Identifier: MIT */
/* Points in series, declared as rows: measured, written as rows of a table, and spelt as knees. */
#ifndef UARCHPROBE_STLF_POINTS_H
#define UARCHPROBE_STLF_POINTS_H

#include "parts.h"

enum { STLF_POINTS_MOST = 5 * STLF_UNROLL_MAX, STLF_FEW_PAIRS = 8, STLF_DISTANCES = 15 };

/* The columns of every table of points; a table whose points all lie at one place ends before C_STORE_AT. */
enum {
    C_SERIES,
    C_STORE,
    C_LOAD,
    C_PAIRS,
    C_CODE,
    C_CYCLES,
    C_SPREAD,
    C_VERDICT,
    C_ACTIVE,
    C_STORE_AT,
    C_LOAD_AT,
    C_GAP,
    C_ADDED,
    C_COUNT
};
extern const struct column stlf_point_columns[C_COUNT];

struct stlf_series {
    const char *name;
    enum operation operation;
    unsigned store_bytes, load_bytes;
    long store, load;
    unsigned pairs;
    /* Which points it consists of. */
    void (*points)(const struct stlf *stlf, const struct stlf_series *series, struct stlf_set *set);
};
/* One; each number of pairs; powers of two of pairs, from two on; each kernel of the operation and, where they are named, of the
 * widths; loads at distances of powers of two; with the same and with a new value, at few and at many pairs; every width, with one
 * base register and with two, at few and at many pairs; loads displaced in the text, or as far above the store; half of a vector
 * missing. */
void stlf_one(const struct stlf *stlf, const struct stlf_series *series, struct stlf_set *set);
void stlf_over_pairs(const struct stlf *stlf, const struct stlf_series *series, struct stlf_set *set);
void stlf_over_loops(const struct stlf *stlf, const struct stlf_series *series, struct stlf_set *set);
void stlf_over_gaps(const struct stlf *stlf, const struct stlf_series *series, struct stlf_set *set);
void stlf_over_distances(const struct stlf *stlf, const struct stlf_series *series, struct stlf_set *set);
void stlf_over_values(const struct stlf *stlf, const struct stlf_series *series, struct stlf_set *set);
void stlf_over_widths(const struct stlf *stlf, const struct stlf_series *series, struct stlf_set *set);
void stlf_over_displacements(const struct stlf *stlf, const struct stlf_series *series, struct stlf_set *set);
void stlf_over_vectors(const struct stlf *stlf, const struct stlf_series *series, struct stlf_set *set);

struct stlf_sweep {
    const struct table_spec *table;
    const struct stlf_series *series;
    int count;
    void (*report)(struct stlf *stlf, const struct stlf_set *set); /* before the rows are added; or NULL */
    bool (*shown)(const struct stlf_point *point);                 /* in the table; NULL: each */
    bool (*enough)(const struct stlf_set *set);                    /* see struct stlf_set */
};
extern const struct stlf_sweep stlf_summary, stlf_forwards, stlf_renaming, stlf_unroll[CHAIN_COUNT],
    stlf_distance, stlf_alias, stlf_silent;
/* Measures the points, if there is time; adds answers and rows. */
enum status stlf_sweep(struct stlf *stlf, const struct stlf_sweep *sweep, struct fault *fault);
void stlf_rows(struct stlf *stlf, size_t table, const struct stlf_set *set,
               bool (*shown)(const struct stlf_point *point));
/* The first point of a series, and how many follow. */
size_t stlf_series_at(const struct stlf_set *set, const char *name, size_t *count);
/* The sentences of a series over pairs: cycles of what is renamed, and for how many pairs (`renamed` and `renamed`_pairs), and
 * what it takes beyond (`key`); for an active sibling under keys of their own, where they can be trusted. */
void stlf_say_curve(struct stlf *stlf, const struct stlf_set *set, const char *key, const char *renamed,
                    const char *name);
/* For how many pairs the load stays renamed, from one on; 0: not at all. Pure. */
size_t stlf_renamed_pairs(const struct estimate *curve, size_t count, enum stlf_which which, double l1);
struct verdict stlf_judge_renamed_pairs(const struct estimate *curve, size_t count, double l1);
/* "forwarded, 6.4 rising to 6.9 cycles a pair from 27 to 64 pairs", of the plateaus from one on. */
void stlf_spell_plateaus(const struct stlf *stlf, const struct stlf_set *set, const struct stlf_point *point,
                         const struct stlf_plateaus *plateaus, int from, struct text *text);

#endif
