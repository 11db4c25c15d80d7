/* SPDX-License-Identifier: MIT */
#include "classes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "uarchprobe/stats.h"

const char *const verdict_names[] = {"independent", "delayed", "renamed", "forwarded",
                                     "blocked",     "flush",   NULL};

/* A load that is blocked alone takes 19 to 22 cycles on some cores. */
static const double flush_ratio = 1.4;

/* Values of one geometry, copied into `value`. */
static size_t select_cells(const struct stlf_grid *grid, struct geometry wanted, double *value)
{
    size_t count = 0;
    for (int cell = 0; cell < STLF_CELLS; cell++) {
        if (!isnan(grid->cycles[cell]) && geometry_index(grid_geometry(grid, cell)) == geometry_index(wanted))
            value[count++] = grid->cycles[cell];
    }
    return count;
}

static double level_of(const struct stlf_grid *grid, struct geometry wanted, double quantile, double *value)
{
    const size_t count = select_cells(grid, wanted, value);
    return count ? quantile_of(value, count, quantile) : NAN;
}

/* The lowest level at which overlapping cells are served without being renamed. A tenth of a geometry is
 * enough: some cores forward only certain offsets. */
static double forwarded_level(const struct stlf_grid *grid, double l1, double *value)
{
    double lowest = NAN;
    for (int overlap = OVERLAP_SAME; overlap <= OVERLAP_PARTIAL; overlap++) {
        const size_t count = select_cells(grid, (struct geometry){.overlap = (enum overlap)overlap}, value);
        size_t kept = 0;
        for (size_t i = 0; i < count; i++) {
            if (!(value[i] < 0.9 * l1))
                value[kept++] = value[i];
        }
        if (kept * 10 >= count && kept)
            lowest = fmin(lowest, quantile_of(value, kept, 0.1));
    }
    return lowest;
}

/* Where the grid has no cells without overlap that cross so, the dearer of the two crossings stands in. */
static void crossing_levels(const struct stlf_grid *grid, struct stlf_levels *levels, double *value)
{
    double(*cost)[CROSSING_COUNT] = levels->crossing;
    for (int store = 0; store < CROSSING_COUNT; store++) {
        for (int load = 0; load < CROSSING_COUNT; load++) {
            const struct geometry geometry = {OVERLAP_NONE, (enum crossing)store, (enum crossing)load};
            const double level = level_of(grid, geometry, 0.5, value);
            cost[store][load] = isnan(level) ? fmax(cost[store][CROSSES_NOTHING], cost[CROSSES_NOTHING][load])
                                             : fmax(0, level - levels->independent);
        }
    }
}

/* Where all that overlaps costs the same, it is either all forwarded or all blocked: which, the usual widths
 * tell. */
static bool all_blocked(const struct stlf_levels *levels, const struct stlf_reference *reference)
{
    return reference->blocked > 1.25 * reference->forwarded && levels->forwarded > 0.8 * reference->blocked &&
           !(levels->partial > 1.25 * levels->forwarded);
}

/* With late addresses the chain is a few cycles longer, and a flush is longer than that: only what is near the
 * usual blocked level is one. */
static bool is_own_blocked(const struct stlf_levels *levels, const struct stlf_reference *reference)
{
    if (isnan(reference->blocked))
        return true;
    return !isnan(levels->partial) &&
           (!reference->late_address || levels->partial <= flush_ratio * reference->blocked);
}

static void find_levels(const struct stlf_grid *grid, const struct stlf_reference *reference,
                        struct stlf_levels *levels, double *value)
{
    const struct geometry none = {.overlap = OVERLAP_NONE}, same = {.overlap = OVERLAP_SAME};
    const struct geometry contained = {.overlap = OVERLAP_CONTAINED}, partial = {.overlap = OVERLAP_PARTIAL};
    levels->l1 = reference->l1;
    levels->independent = level_of(grid, none, 0.5, value);
    levels->same = level_of(grid, same, 0.5, value);
    levels->contained = level_of(grid, contained, 0.5, value);
    levels->partial = level_of(grid, partial, 0.5, value);
    levels->forwarded = forwarded_level(grid, reference->l1, value);
    if (all_blocked(levels, reference))
        levels->forwarded = NAN;
    levels->blocked = is_own_blocked(levels, reference) ? levels->partial : reference->blocked;
    crossing_levels(grid, levels, value);
}

/* A crossing costs loads that do not depend on the store, too: that share of a cell's value says nothing
 * about forwarding. */
enum stlf_verdict verdict_of(const struct stlf_levels *levels, struct geometry geometry, double cycles)
{
    const double bare = cycles - levels->crossing[geometry.store][geometry.load];
    const bool page = geometry.store == CROSSES_PAGE || geometry.load == CROSSES_PAGE;
    if (geometry.overlap == OVERLAP_NONE && bare < 0.75 * levels->l1)
        return VERDICT_INDEPENDENT;
    if (!page && bare > 20 && !(bare <= flush_ratio * levels->blocked))
        return VERDICT_FLUSH;
    if (geometry.overlap == OVERLAP_NONE)
        return VERDICT_DELAYED;
    if (cycles < 0.9 * levels->l1)
        return VERDICT_RENAMED;
    return bare <= levels->forwarded + 3 ? VERDICT_FORWARDED : VERDICT_BLOCKED;
}

static int add_class(struct stlf_classes *classes, int *of_pair, int cluster, enum stlf_verdict verdict,
                     const struct clusters *clusters)
{
    int *class = &of_pair[cluster * VERDICT_COUNT + (int)verdict];
    if (*class < 0 && classes->count < STLF_CLASS_MAX) {
        *class = classes->count++;
        classes->class[*class] = (struct stlf_class){.low = INFINITY,
                                                     .high = -INFINITY,
                                                     .family = clusters->cluster[cluster].family,
                                                     .verdict = verdict};
    }
    return *class < 0 ? STLF_CLASS_MAX - 1 : *class;
}

/* The median of a plateau's cells of one geometry. */
static double level_within(const struct stlf_grid *grid, const int *plateau, int cluster, int geometry,
                           double *value)
{
    size_t count = 0;
    for (int cell = 0; cell < STLF_CELLS; cell++) {
        if (plateau[cell] == cluster && geometry_index(grid_geometry(grid, cell)) == geometry)
            value[count++] = grid->cycles[cell];
    }
    return count ? quantile_reordering(value, count, 0.5) : NAN;
}

/* Plateaus are parted by verdict: renamed cells and independent ones run at the same pace. All cells of a plateau and
 * a geometry have the same one, as a limit would cut what is one population in two. Classes come out in the order of
 * their plateaus. */
static void label_cells(const struct stlf_grid *grid, const struct clusters *clusters, const int *plateau,
                        struct stlf_classes *classes, double *value)
{
    int of_pair[CLUSTER_MAX * VERDICT_COUNT];
    memset(of_pair, -1, sizeof of_pair);
    for (int cluster = 0; cluster < clusters->count; cluster++) {
        enum stlf_verdict verdict[GEOMETRY_COUNT];
        bool present[GEOMETRY_COUNT] = {false};
        for (int cell = 0; cell < STLF_CELLS; cell++)
            present[geometry_index(grid_geometry(grid, cell))] |= plateau[cell] == cluster;
        for (int i = 0; i < GEOMETRY_COUNT; i++)
            if (present[i])
                verdict[i] = verdict_of(&classes->levels, geometry_at(i),
                                        level_within(grid, plateau, cluster, i, value));
        for (int cell = 0; cell < STLF_CELLS; cell++) {
            if (plateau[cell] == cluster)
                classes->label[cell] = add_class(
                    classes, of_pair, cluster, verdict[geometry_index(grid_geometry(grid, cell))], clusters);
        }
    }
}

static void describe(size_t *by_geometry, char text[STLF_MEANING])
{
    int length = 0;
    text[0] = '\0';
    for (int listed = 0; listed < 3; listed++) {
        int most = 0;
        for (int i = 1; i < GEOMETRY_COUNT; i++)
            most = by_geometry[i] > by_geometry[most] ? i : most;
        char name[GEOMETRY_NAME];
        geometry_name(geometry_at(most), name);
        if (by_geometry[most] == 0 || length + (int)strlen(name) + 16 > STLF_MEANING)
            return;
        length += snprintf(text + length, (size_t)(STLF_MEANING - length), "%s%s (%zu)", listed ? ", " : "",
                           name, by_geometry[most]);
        by_geometry[most] = 0;
    }
}

static void fill_class(const struct stlf_grid *grid, struct stlf_classes *classes, int index, double *value)
{
    struct stlf_class *class = &classes->class[index];
    size_t by_geometry[GEOMETRY_COUNT] = {0};
    for (int cell = 0; cell < STLF_CELLS; cell++) {
        if (classes->label[cell] != index)
            continue;
        value[class->cells++] = grid->cycles[cell];
        class->low = fmin(class->low, grid->cycles[cell]);
        class->high = fmax(class->high, grid->cycles[cell]);
        by_geometry[geometry_index(grid_geometry(grid, cell))]++;
    }
    class->cycles = median_of(value, class->cells);
    describe(by_geometry, class->meaning);
}

bool stlf_classify(const struct stlf_grid *grid, const struct stlf_reference *reference,
                   struct stlf_classes *classes)
{
    struct clusters clusters;
    double *value = calloc(STLF_CELLS, sizeof *value);
    int *plateau = calloc(STLF_CELLS, sizeof *plateau);
    const bool ok =
        value && plateau && cluster_by_gaps(grid->cycles, STLF_CELLS, &gap_rule_cycles, &clusters, plateau);
    if (ok) {
        classes->count = 0;
        memset(classes->label, -1, sizeof classes->label);
        find_levels(grid, reference, &classes->levels, value);
        label_cells(grid, &clusters, plateau, classes, value);
        for (int i = 0; i < classes->count; i++)
            fill_class(grid, classes, i, value);
    }
    free(value);
    free(plateau);
    return ok;
}

static bool same_level(const struct stlf_class *a, const struct stlf_class *b)
{
    const double lower = fmin(a->cycles, b->cycles), apart = fabs(a->cycles - b->cycles);
    const struct gap_rule *rule = &gap_rule_cycles;
    return apart <= (lower < rule->fine_below ? rule->fine : fmax(rule->absolute, rule->relative * lower));
}

double stlf_agreement(const struct stlf_classes *a, const struct stlf_classes *b)
{
    size_t equal = 0;
    for (int cell = 0; cell < STLF_CELLS; cell++) {
        const int x = a->label[cell], y = b->label[cell];
        if (x < 0 || y < 0)
            equal += x == y;
        else
            equal += a->class[x].verdict == b->class[y].verdict && same_level(&a->class[x], &b -> class[y]);
    }
    return (double)equal / STLF_CELLS;
}
