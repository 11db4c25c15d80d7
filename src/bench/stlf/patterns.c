/* SPDX-License-Identifier: MIT */
#include "patterns.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "uarchprobe/stats.h"

static bool is_plain(struct geometry geometry)
{
    return geometry.store == CROSSES_NOTHING && geometry.load == CROSSES_NOTHING;
}

static bool shares_block(const struct stlf_grid *grid, int cell, long block)
{
    const long store = grid->store_at + cell / STLF_SIDE, load = grid->load_at + cell % STLF_SIDE;
    const long store_last = store + (long)grid->store_bytes - 1,
               load_last = load + (long)grid->load_bytes - 1;
    return load / block <= store_last / block && store / block <= load_last / block;
}

/* A quarter more than a load that has nothing to do with the store, and more than noise. */
static bool waits(const struct stlf_levels *levels, double cycles)
{
    return cycles > levels->independent + fmax(0.35, 0.25 * levels->independent);
}

struct split {
    size_t near, near_waiting, far, far_waiting;
    double cycles;
};

/* Some cores charge every crossing of 16 bytes, which would hide what sharing a block costs. */
static bool crosses_16(const struct stlf_grid *grid, int cell)
{
    return crosses(grid->store_at + cell / STLF_SIDE, grid->store_bytes, 16) ||
           crosses(grid->load_at + cell % STLF_SIDE, grid->load_bytes, 16);
}

static struct split split_by_block(const struct stlf_grid *grid, const struct stlf_levels *levels, long block)
{
    struct split split = {.cycles = NAN};
    double *waiting = calloc(STLF_CELLS, sizeof *waiting);
    for (int cell = 0; waiting && cell < STLF_CELLS; cell++) {
        const struct geometry geometry = grid_geometry(grid, cell);
        if (geometry.overlap != OVERLAP_NONE || crosses_16(grid, cell) || isnan(grid->cycles[cell]))
            continue;
        const bool raised = waits(levels, grid->cycles[cell]);
        if (!shares_block(grid, cell, block)) {
            split.far++;
            split.far_waiting += raised;
            continue;
        }
        split.near++;
        if (raised)
            waiting[split.near_waiting++] = grid->cycles[cell];
    }
    if (waiting && split.near_waiting)
        split.cycles = median_of(waiting, split.near_waiting);
    free(waiting);
    return split;
}

struct stlf_granule stlf_granule_of(const struct stlf_grid *grid, const struct stlf_levels *levels)
{
    struct stlf_granule best = {0, 0, 0, NAN};
    for (int block = 4; block <= 16; block *= 2) {
        const struct split split = split_by_block(grid, levels, block);
        if (split.near == 0 || split.far == 0)
            continue;
        const double share = (double)split.near_waiting / (double)split.near;
        const double others = (double)split.far_waiting / (double)split.far;
        if (share >= 0.8 && others <= 0.15 && share - others > best.share - best.others)
            best = (struct stlf_granule){block, share, others, split.cycles};
    }
    return best;
}

/* Median over the cells without overlap in which the one access crosses a boundary of this size and no larger
 * one, and the other access crosses none of 16 bytes. */
static double crossing_cost(const struct stlf_grid *grid, long boundary, bool of_store, double *value)
{
    size_t count = 0;
    for (int cell = 0; cell < STLF_CELLS; cell++) {
        const long store = grid->store_at + cell / STLF_SIDE, load = grid->load_at + cell % STLF_SIDE;
        const long address = of_store ? store : load, other = of_store ? load : store;
        const unsigned bytes = of_store ? grid->store_bytes : grid->load_bytes;
        const unsigned other_bytes = of_store ? grid->load_bytes : grid->store_bytes;
        if (grid_geometry(grid, cell).overlap == OVERLAP_NONE && crosses(address, bytes, boundary) &&
            !crosses(address, bytes, 2 * boundary) && !crosses(other, other_bytes, 16) &&
            !shares_block(grid, cell, 16) && !isnan(grid->cycles[cell]))
            value[count++] = grid->cycles[cell];
    }
    return count ? median_of(value, count) : NAN;
}

static double uncrossed_level(const struct stlf_grid *grid, double *value)
{
    size_t count = 0;
    for (int cell = 0; cell < STLF_CELLS; cell++) {
        const long store = grid->store_at + cell / STLF_SIDE, load = grid->load_at + cell % STLF_SIDE;
        if (grid_geometry(grid, cell).overlap == OVERLAP_NONE && !crosses(store, grid->store_bytes, 16) &&
            !crosses(load, grid->load_bytes, 16) && !shares_block(grid, cell, 16) &&
            !isnan(grid->cycles[cell]))
            value[count++] = grid->cycles[cell];
    }
    return count ? median_of(value, count) : NAN;
}

static struct stlf_boundary boundary_of(const struct stlf_grid *grid, bool of_store)
{
    struct stlf_boundary boundary = {0, 0};
    double *value = calloc(STLF_CELLS, sizeof *value);
    if (!value)
        return boundary;
    const double base = uncrossed_level(grid, value);
    for (int bytes = 16; bytes <= STLF_LINE && boundary.bytes == 0; bytes *= 2) {
        const double cost = crossing_cost(grid, bytes, of_store, value) - base;
        if (cost > fmax(0.1, 0.25 * base))
            boundary = (struct stlf_boundary){bytes, cost};
    }
    free(value);
    return boundary;
}

struct stlf_boundary stlf_store_boundary(const struct stlf_grid *grid)
{
    return boundary_of(grid, true);
}

struct stlf_boundary stlf_load_boundary(const struct stlf_grid *grid)
{
    return boundary_of(grid, false);
}

enum { DISTANCE_RANGE = 128 }; /* -63..64 and more than the widest store */

/* Share of the plain cells at this distance that get their data from the store; -1: no such cells. */
static double forwarding_share(const struct stlf_grid *grid, const struct stlf_classes *classes,
                               long distance)
{
    size_t all = 0, forwarding = 0;
    for (int cell = 0; cell < STLF_CELLS; cell++) {
        const long apart = grid->load_at + cell % STLF_SIDE - grid->store_at - cell / STLF_SIDE;
        if (apart != distance || classes->label[cell] < 0 || !is_plain(grid_geometry(grid, cell)))
            continue;
        const enum stlf_verdict verdict = classes->class[classes->label[cell]].verdict;
        all++;
        forwarding += verdict == VERDICT_FORWARDED || verdict == VERDICT_RENAMED;
    }
    return all ? (double)forwarding / (double)all : -1;
}

/* How many of the distances, from the first, follow each other without a gap. */
static int run_length(const long *distance, int count)
{
    int length = 1;
    while (length < count && distance[length] == distance[length - 1] + 1)
        length++;
    return length;
}

static int run_count(const long *distance, int count)
{
    int runs = 0;
    for (int at = 0; at < count; at += run_length(distance + at, count - at))
        runs++;
    return runs;
}

/* Distances in order, as ranges where these are few and long, else as a list. */
static int add_distances(char *text, int room, const long *distance, int count)
{
    int length = 0;
    if (count > 1 && run_count(distance, count) <= (count > 3 ? count / 3 : 1)) {
        for (int at = 0; at < count && length < room - 24;) {
            const int run = run_length(distance + at, count - at);
            length += snprintf(text + length, (size_t)(room - length), "%s[%ld,%ld]", at ? " " : "",
                               distance[at], distance[at + run - 1]);
            at += run;
        }
        return length;
    }
    length = snprintf(text, (size_t)room, "{");
    for (int i = 0; i < count && length < room - 8; i++)
        length += snprintf(text + length, (size_t)(room - length), i ? ",%ld" : "%ld", distance[i]);
    return length + snprintf(text + length, (size_t)(room - length), "}");
}

/* A core that splits a store in two forwards from one part or the other. */
static bool is_in_halves(const struct stlf_grid *grid, const long *distance, int count)
{
    const long half = (long)grid->store_bytes / 2, load = (long)grid->load_bytes;
    const int run = count ? run_length(distance, count) : 0;
    return load < half && run_count(distance, count) == 2 && distance[0] == 0 &&
           distance[run - 1] == half - load && distance[run] == half &&
           distance[count - 1] == 2 * half - load;
}

void stlf_distances(const struct stlf_grid *grid, const struct stlf_classes *classes,
                    char text[STLF_DISTANCES])
{
    long every[2 * DISTANCE_RANGE], some[2 * DISTANCE_RANGE];
    int every_count = 0, some_count = 0;
    for (long distance = 1 - (long)grid->load_bytes; distance < (long)grid->store_bytes; distance++) {
        const double share = forwarding_share(grid, classes, distance);
        if (share >= 0.9)
            every[every_count++] = distance;
        else if (share >= 0.1)
            some[some_count++] = distance;
    }
    int length = snprintf(text, STLF_DISTANCES, "%ub->%ub ", grid->store_bytes * 8, grid->load_bytes * 8);
    if (every_count)
        length += add_distances(text + length, STLF_DISTANCES - length, every, every_count);
    else
        length += snprintf(text + length, (size_t)(STLF_DISTANCES - length), "none");
    if (is_in_halves(grid, every, every_count))
        length += snprintf(text + length, (size_t)(STLF_DISTANCES - length), " (the two %u-byte halves)",
                           grid->store_bytes / 2);
    if (some_count && length < STLF_DISTANCES - 40) {
        length += snprintf(text + length, (size_t)(STLF_DISTANCES - length), ", at some offsets ");
        add_distances(text + length, STLF_DISTANCES - length, some, some_count);
    }
}

struct tally {
    size_t all, by_verdict[VERDICT_COUNT];
};

static void count_geometries(const struct stlf_grid *grid, const struct stlf_classes *classes,
                             struct tally tally[GEOMETRY_COUNT])
{
    for (int cell = 0; cell < STLF_CELLS; cell++) {
        if (classes->label[cell] < 0)
            continue;
        struct tally *of = &tally[geometry_index(grid_geometry(grid, cell))];
        of->all++;
        of->by_verdict[classes->class[classes->label[cell]].verdict]++;
    }
}

/* Of two verdicts as frequent as each other, the slower one is the rule. */
static enum stlf_verdict most_frequent(const struct tally *tally)
{
    int most = 0;
    for (int verdict = 1; verdict < VERDICT_COUNT; verdict++)
        most = tally->by_verdict[verdict] >= tally->by_verdict[most] ? verdict : most;
    return (enum stlf_verdict)most;
}

static double level_of_verdict(const struct stlf_grid *grid, const struct stlf_classes *classes, int geometry,
                               enum stlf_verdict verdict)
{
    double *value = calloc(STLF_CELLS, sizeof *value), level = NAN;
    size_t count = 0;
    for (int cell = 0; value && cell < STLF_CELLS; cell++) {
        if (classes->label[cell] >= 0 && geometry_index(grid_geometry(grid, cell)) == geometry &&
            classes->class[classes->label[cell]].verdict == verdict)
            value[count++] = grid->cycles[cell];
    }
    if (count)
        level = median_of(value, count);
    free(value);
    return level;
}

int stlf_deviations(const struct stlf_grid *grid, const struct stlf_classes *classes,
                    struct stlf_deviation deviation[STLF_DEVIATION_MAX])
{
    struct tally tally[GEOMETRY_COUNT] = {{0}};
    int count = 0;
    count_geometries(grid, classes, tally);
    for (int i = 0; i < GEOMETRY_COUNT; i++) {
        const enum stlf_verdict rule = most_frequent(&tally[i]);
        for (int verdict = 0; verdict < VERDICT_COUNT && count < STLF_DEVIATION_MAX; verdict++) {
            if (verdict == (int)rule || tally[i].by_verdict[verdict] == 0)
                continue;
            deviation[count++] = (struct stlf_deviation){
                .geometry = geometry_at(i),
                .verdict = (enum stlf_verdict)verdict,
                .rule = rule,
                .cells = tally[i].by_verdict[verdict],
                .of = tally[i].all,
                .cycles = level_of_verdict(grid, classes, i, (enum stlf_verdict)verdict),
                .rule_cycles = level_of_verdict(grid, classes, i, rule),
            };
        }
    }
    return count;
}
