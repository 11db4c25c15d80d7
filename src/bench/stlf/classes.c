/* SPDX-License-Identifier: MIT */
#include "classes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "uarchprobe/stats.h"

const char *const verdict_names[] = {"independent", "delayed", "renamed", "forwarded",
                                     "blocked",     "flush",   NULL};
#define CLASS(verdict) verdict, verdict " across a line", verdict " across a page"
const char *const stlf_class_names[] = {CLASS("independent"),
                                        CLASS("delayed"),
                                        CLASS("renamed"),
                                        CLASS("forwarded"),
                                        CLASS("blocked"),
                                        CLASS("flush"),
                                        NULL};

/* A load that is blocked alone takes 19 to 22 cycles on some cores. */
static const double flush_ratio = 1.4;
/* Of a blocked load and a forward: less is no two levels. */
static const double levels_apart = 1.25;
/* What high trust allows within the core. */
static const double l1_off = 0.02;

bool is_renamed(double cycles, double l1)
{
    return cycles < 0.9 * l1;
}

bool is_plausible_l1(double cycles, bool idle, double published)
{
    return !(cycles < (1 - l1_off) * published) && !(idle && fabs(cycles - round(cycles)) > l1_off * cycles);
}

/* Values of one geometry, ascending. */
static size_t select_cells(const struct stlf_grid *grid, int geometry, double value[STLF_CELLS])
{
    size_t count = 0;
    for (int cell = 0; cell < STLF_CELLS; cell++) {
        if (!isnan(grid->cycles[cell]) && geometry_index(grid_geometry(grid, cell)) == geometry)
            value[count++] = grid->cycles[cell];
    }
    values_sort(value, count);
    return count;
}

static double level_of(const struct stlf_grid *grid, struct geometry wanted)
{
    double value[STLF_CELLS];
    const size_t count = select_cells(grid, geometry_index(wanted), value);
    return count ? quantile_of_sorted(value, count, 0.5) : NAN;
}

/* The lowest level at which overlapping cells are served without being renamed. A tenth of a geometry is
 * enough: some cores forward only certain offsets. */
static double forwarded_level(const struct stlf_grid *grid, double l1)
{
    double lowest = NAN, value[STLF_CELLS];
    for (int overlap = OVERLAP_SAME; overlap <= OVERLAP_PARTIAL; overlap++) {
        const size_t count =
            select_cells(grid, geometry_index((struct geometry){.overlap = (enum overlap)overlap}), value);
        size_t renamed = 0;
        while (renamed < count && is_renamed(value[renamed], l1))
            renamed++;
        if (renamed < count && (count - renamed) * 10 >= count)
            lowest = fmin(lowest, quantile_of_sorted(value + renamed, count - renamed, 0.1));
    }
    return lowest;
}

/* Where the grid has no cells without overlap that cross so, the dearer of the two crossings stands in. */
static void crossing_levels(const struct stlf_grid *grid, struct stlf_levels *levels)
{
    double(*cost)[CROSSING_COUNT] = levels->crossing;
    for (int store = 0; store < CROSSING_COUNT; store++) {
        for (int load = 0; load < CROSSING_COUNT; load++) {
            const struct geometry geometry = {OVERLAP_NONE, (enum crossing)store, (enum crossing)load};
            const double level = level_of(grid, geometry);
            cost[store][load] = isnan(level) ? fmax(cost[store][CROSSES_NOTHING], cost[CROSSES_NOTHING][load])
                                             : fmax(0, level - levels->independent);
        }
    }
}

/* Where all that overlaps costs the same, it is either all forwarded or all blocked: which, the usual widths
 * tell. */
static bool all_blocked(const struct stlf_levels *levels, const struct stlf_reference *reference)
{
    return reference->blocked > levels_apart * reference->forwarded &&
           levels->forwarded > 0.8 * reference->blocked &&
           !(levels->partial > levels_apart * levels->forwarded);
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
                        struct stlf_levels *levels)
{
    *levels = (struct stlf_levels){.l1 = reference->l1,
                                   .independent = level_of(grid, (struct geometry){.overlap = OVERLAP_NONE}),
                                   .partial = level_of(grid, (struct geometry){.overlap = OVERLAP_PARTIAL}),
                                   .forwarded = forwarded_level(grid, reference->l1)};
    if (all_blocked(levels, reference))
        levels->forwarded = NAN;
    levels->blocked = is_own_blocked(levels, reference) ? levels->partial : reference->blocked;
    crossing_levels(grid, levels);
}

/* By the nearest of the levels; where those are one and the same, what lies far above it is not served by it. */
static bool is_forwarded(const struct stlf_levels *levels, double bare)
{
    if (levels->blocked > levels_apart * levels->forwarded)
        return bare - levels->forwarded < levels->blocked - bare;
    return bare <= flush_ratio * levels->forwarded;
}

struct stlf_levels stlf_levels_of_width(const struct stlf_levels *usual, double same, double partial)
{
    struct stlf_levels own = *usual;
    if (partial > levels_apart * same) {
        own.forwarded = same;
        own.partial = own.blocked = partial;
    }
    return own;
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
    if (is_renamed(cycles, levels->l1))
        return VERDICT_RENAMED;
    return is_forwarded(levels, bare) ? VERDICT_FORWARDED : VERDICT_BLOCKED;
}

/* Cells of a geometry that no gap parts have one verdict: a limit would cut what is one population in two. */
static void label_geometry(const struct stlf_grid *grid, int geometry, struct stlf_classes *classes)
{
    double value[STLF_CELLS];
    const size_t count = select_cells(grid, geometry, value);
    size_t begin = 0;
    for (size_t i = 1; i <= count; i++) {
        if (i < count && value[i] - value[i - 1] <= fmax(0.35, 0.03 * value[i - 1]))
            continue;
        const double middle = quantile_of_sorted(value + begin, i - begin, 0.5);
        const enum stlf_verdict verdict = verdict_of(&classes->levels, geometry_at(geometry), middle);
        for (int cell = 0; cell < STLF_CELLS; cell++) {
            if (grid->cycles[cell] >= value[begin] && grid->cycles[cell] <= value[i - 1] &&
                geometry_index(grid_geometry(grid, cell)) == geometry)
                classes->verdict[cell] = (signed char)verdict;
        }
        begin = i;
    }
}

void stlf_classify(const struct stlf_grid *grid, const struct stlf_reference *reference,
                   struct stlf_classes *classes)
{
    memset(classes->verdict, -1, sizeof classes->verdict);
    find_levels(grid, reference, &classes->levels);
    for (int geometry = 0; geometry < GEOMETRY_COUNT; geometry++)
        label_geometry(grid, geometry, classes);
}

int stlf_class_of(const struct stlf_grid *grid, const struct stlf_classes *classes, int cell)
{
    const struct geometry geometry = grid_geometry(grid, cell);
    const enum crossing widest = geometry.store > geometry.load ? geometry.store : geometry.load;
    return classes->verdict[cell] < 0 ? -1 : classes->verdict[cell] * CROSSING_COUNT + (int)widest;
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

bool stlf_class_at(const struct stlf_grid *grid, const struct stlf_classes *classes, int index,
                   struct stlf_class *class)
{
    size_t by_geometry[GEOMETRY_COUNT] = {0}, count = 0;
    double value[STLF_CELLS];
    for (int cell = 0; cell < STLF_CELLS; cell++) {
        if (stlf_class_of(grid, classes, cell) != index)
            continue;
        value[count++] = grid->cycles[cell];
        by_geometry[geometry_index(grid_geometry(grid, cell))]++;
    }
    if (count == 0)
        return false;
    values_sort(value, count);
    *class = (struct stlf_class){.low = value[0],
                                 .cycles = quantile_of_sorted(value, count, 0.5),
                                 .high = value[count - 1],
                                 .cells = count};
    describe(by_geometry, class->meaning);
    return true;
}
