/* SPDX-License-Identifier: MIT */
/* What a grid says: its rows and sentences. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "map.h"
#include "patterns.h"

enum { M_GRID, M_ST, M_LD, M_PAIRS, M_STORE, M_LOAD, M_CYCLES, M_SPREAD, M_CLASS, M_COUNT };

static const struct column map_columns[M_COUNT] = {
    [M_GRID] = {"grid", "grid", NULL, CELL_CLASS, ROLE_PARAMETER, 0},
    [M_ST] = {"store_bytes", "store width", "Byte", CELL_SIZE, ROLE_PARAMETER, 0},
    [M_LD] = {"load_bytes", "load width", "Byte", CELL_SIZE, ROLE_PARAMETER, 0},
    [M_PAIRS] = {"pairs", "pairs", NULL, CELL_INTEGER, ROLE_PARAMETER, 0},
    [M_STORE] = {"store_offset", "store offset", "Byte", CELL_INTEGER, ROLE_PARAMETER, 0},
    [M_LOAD] = {"load_offset", "load offset", "Byte", CELL_INTEGER, ROLE_PARAMETER, 0},
    [M_CYCLES] = {"cycles", "a pair takes", "core cycles", CELL_REAL, ROLE_MEASURE, 2},
    [M_SPREAD] = {"spread", "p90 - p10", "core cycles", CELL_REAL, ROLE_LABEL, 2},
    [M_CLASS] = {"class", "class", NULL, CELL_CLASS, ROLE_LABEL, 0},
};

static const struct table_spec map_table = {
    .name = "grid",
    .title = "Store offset (down) x load offset (across)",
    .columns = map_columns,
    .column_count = M_COUNT,
    .view = {.kind = VIEW_MATRIX,
             .x = M_LOAD,
             .y = M_STORE,
             .value = M_CYCLES,
             .series = M_GRID,
             .class = M_CLASS,
             .spread = M_SPREAD},
};

enum { K_GRID, K_CLASS, K_CYCLES, K_LOW, K_HIGH, K_CELLS, K_SHARE, K_MEANING, K_COUNT };

static const struct column class_columns[K_COUNT] = {
    [K_GRID] = {"grid", "grid", NULL, CELL_CLASS, ROLE_PARAMETER, 0},
    [K_CLASS] = {"class", "class", NULL, CELL_CLASS, ROLE_PARAMETER, 0},
    [K_CYCLES] = {"cycles", "a pair takes", "core cycles", CELL_REAL, ROLE_MEASURE, 2},
    [K_LOW] = {"low", "lowest", "core cycles", CELL_REAL, ROLE_LABEL, 2},
    [K_HIGH] = {"high", "highest", "core cycles", CELL_REAL, ROLE_LABEL, 2},
    [K_CELLS] = {"cells", "cells", NULL, CELL_INTEGER, ROLE_MEASURE, 0},
    [K_SHARE] = {"share", "share", NULL, CELL_REAL, ROLE_LABEL, 3},
    [K_MEANING] = {"meaning", "meaning", NULL, CELL_TEXT, ROLE_LABEL, 0},
};

static const struct table_spec class_table = {
    .name = "classes",
    .title = "Classes of cells",
    .note = "Plateaus of the values, held against how the two accesses overlap and what they cross.",
    .columns = class_columns,
    .column_count = K_COUNT,
};

long stlf_map_offset(enum stlf_window window)
{
    return window == WINDOW_ALIGNED ? 0 : -(STLF_SIDE / 2);
}

void stlf_map_tables(struct stlf *stlf)
{
    stlf->tables[TABLE_GRID] = record_table_add(stlf->run->record, &map_table);
    stlf->tables[TABLE_CLASSES] = record_table_add(stlf->run->record, &class_table);
}

/* "forwarded 5" */
static void name_class(const struct stlf_class *class, char name[STLF_LABEL * 2])
{
    char cycles[STLF_LABEL];
    stlf_spell(class->cycles, cycles);
    snprintf(name, STLF_LABEL * 2, "%s %s", verdict_names[class->verdict], cycles);
}

/* Differences below that are beyond any clock, and would fill a result with digits. */
static double rounded(double cycles)
{
    return round(cycles * 1e4) / 1e4;
}

static void add_cells(struct stlf *stlf, size_t table, const struct map *map)
{
    struct record *record = stlf->run->record;
    const int64_t grid = record_class(record, table, M_GRID, map->name);
    int64_t class_of[STLF_CLASS_MAX];
    for (int i = 0; i < map->classes.count; i++) {
        char name[STLF_LABEL * 2];
        name_class(&map->classes.class[i], name);
        class_of[i] = record_class(record, table, M_CLASS, name);
    }
    for (int cell = 0; cell < STLF_CELLS; cell++) {
        const int class = map->classes.label[cell];
        record_row(record, table,
                   (struct cell[M_COUNT]){
                       [M_GRID] = INTEGER_CELL(grid),
                       [M_ST] = INTEGER_CELL(map->width.store),
                       [M_LD] = INTEGER_CELL(map->width.load),
                       [M_PAIRS] = INTEGER_CELL(map->pairs),
                       [M_STORE] = INTEGER_CELL(stlf_map_offset(map->window) + cell / STLF_SIDE),
                       [M_LOAD] = INTEGER_CELL(stlf_map_offset(map->window) + cell % STLF_SIDE),
                       [M_CYCLES] = REAL_CELL(rounded(map->grid.cycles[cell])),
                       [M_SPREAD] = REAL_CELL(rounded(map->grid.spread[cell])),
                       [M_CLASS] = class >= 0 ? INTEGER_CELL(class_of[class]) : NO_CELL,
                   });
    }
}

static void add_classes(struct stlf *stlf, size_t table, const struct map *map)
{
    for (int i = 0; i < map->classes.count; i++) {
        const struct stlf_class *class = &map->classes.class[i];
        char name[STLF_LABEL * 2];
        name_class(class, name);
        record_row(stlf->run->record, table,
                   (struct cell[K_COUNT]){
                       [K_GRID] = TEXT_CELL(map->name),
                       [K_CLASS] = TEXT_CELL(name),
                       [K_CYCLES] = REAL_CELL(class->cycles),
                       [K_LOW] = REAL_CELL(class->low),
                       [K_HIGH] = REAL_CELL(class->high),
                       [K_CELLS] = INTEGER_CELL(class->cells),
                       [K_SHARE] = REAL_CELL((double)class->cells / STLF_CELLS),
                       [K_MEANING] = TEXT_CELL(class->meaning),
                   });
    }
}

/* "stlf.grid.fa.8_4.64.page.distances": one key for one thing, whatever else was measured in the run. */
static void key_of(const struct map *map, const char *what, char key[96])
{
    char place[40] = "";
    if (map->window != WINDOW_ALIGNED)
        snprintf(place, sizeof place, "%s.", stlf_window_names[map->window]);
    if (map->alias)
        snprintf(place + strlen(place), sizeof place - strlen(place), "alias_%llu.",
                 (unsigned long long)map->alias);
    snprintf(key, 96, "stlf.grid.%s.%s.%u.%s%s", stlf_chain_names[map->chain], map->width.name, map->pairs,
             place, what);
    for (char *at = key; *at; at++)
        *at = *at == '/' || *at == '-' ? '_' : *at;
}

static void find_distances(struct stlf *stlf, const struct map *map)
{
    char key[96], distances[STLF_DISTANCES], text[STLF_DISTANCES + 280];
    stlf_distances(&map->grid, &map->classes, distances);
    snprintf(text, sizeof text, "%s: loads this many bytes above the store are forwarded: %s%s", map->name,
             distances, map->during);
    key_of(map, "distances", key);
    stlf_text(stlf, key, distances, map->state, stlf_map_trust(map, CELLS_OVERLAPPING), text);
}

static void find_granule(struct stlf *stlf, const struct map *map)
{
    const struct stlf_granule granule = stlf_granule_of(&map->grid, &map->classes.levels);
    char text[400], key[96];
    key_of(map, "granule", key);
    if (granule.bytes == 0)
        snprintf(text, sizeof text, "%s: no load waits for a store that it does not overlap", map->name);
    else
        snprintf(text, sizeof text,
                 "%s: addresses are compared in blocks of %d bytes: %.0f %% of the loads that share one with "
                 "a store "
                 "they do not overlap wait (%.1f cycles)",
                 map->name, granule.bytes, 100 * granule.share, granule.cycles);
    stlf_finding(stlf, key, granule.bytes ? granule.bytes : 1, "Byte", map->state,
                 stlf_map_trust(map, CELLS_APART), "%s%s", text, map->during);
}

static void find_boundaries(struct stlf *stlf, const struct map *map)
{
    const struct stlf_boundary of[] = {stlf_store_boundary(&map->grid), stlf_load_boundary(&map->grid)};
    static const char *const who[] = {"store", "load"}, *const what[] = {"store_boundary", "load_boundary"};
    for (int i = 0; i < 2; i++) {
        char key[96];
        if (of[i].bytes == 0 || of[i].bytes == STLF_LINE)
            continue; /* lines are reported with pages */
        key_of(map, what[i], key);
        stlf_finding(stlf, key, of[i].bytes, "Byte", map->state, stlf_map_level_trust(map, NULL),
                     "%s: a %s without overlap pays %.1f cycles for crossing %d bytes%s", map->name, who[i],
                     of[i].cycles, of[i].bytes, map->during);
    }
}

/* A line's end is one of a smaller boundary's, too: where both cost the same, that is one fact. */
static bool is_said(const struct stlf_boundary *boundary, double line)
{
    return boundary->bytes && boundary->bytes < STLF_LINE && fabs(boundary->cycles - line) <= 0.1;
}

static void find_crossings(struct stlf *stlf, const struct map *map)
{
    static const char *const what[CROSSING_COUNT] = {"", "a line", "a page"};
    const struct stlf_boundary boundary = stlf_store_boundary(&map->grid);
    for (int crossing = CROSSES_LINE; crossing < CROSSING_COUNT; crossing++) {
        const double store = map->classes.levels.crossing[crossing][CROSSES_NOTHING];
        const double load = map->classes.levels.crossing[CROSSES_NOTHING][crossing];
        char key[96];
        key_of(map, crossing == CROSSES_LINE ? "line_crossing" : "page_crossing", key);
        const bool said = crossing == CROSSES_LINE && is_said(&boundary, store) && !(load > 0.1);
        if (!said && (store > 0.1 || load > 0.1))
            stlf_finding(stlf, key, store, "core cycles", map->state, stlf_map_level_trust(map, NULL),
                         "%s: crossing %s costs a store %.1f cycles and a load %.1f, even without overlap%s",
                         map->name, what[crossing], store, load, map->during);
    }
}

/* Why a cell may differ from its like, where the geometry says it. */
static const char *reason_for(const struct stlf_deviation *deviation)
{
    if (deviation->verdict == VERDICT_FORWARDED && deviation->geometry.overlap == OVERLAP_PARTIAL &&
        deviation->geometry.load != CROSSES_NOTHING)
        return ": the load is split there, and one part is forwarded";
    return "";
}

static void find_deviations(struct stlf *stlf, const struct map *map)
{
    const struct stlf_granule granule = stlf_granule_of(&map->grid, &map->classes.levels);
    struct stlf_deviation deviation[STLF_DEVIATION_MAX];
    const int count = stlf_deviations(&map->grid, &map->classes, deviation);
    for (int i = 0; i < count; i++) {
        char name[GEOMETRY_NAME], key[96], what[40];
        if (granule.bytes && deviation[i].geometry.overlap == OVERLAP_NONE &&
            deviation[i].verdict == VERDICT_DELAYED)
            continue; /* the blocks say why */
        snprintf(what, sizeof what, "deviation.%d", i);
        key_of(map, what, key);
        geometry_name(deviation[i].geometry, name);
        stlf_finding(stlf, key, (double)deviation[i].cells, "cells", map->state,
                     stlf_map_level_trust(map, &deviation[i].geometry),
                     "%s: %zu of %zu cells (%s) are %s (%.1f cycles), the others %s (%.1f)%s%s", map->name,
                     deviation[i].cells, deviation[i].of, name, verdict_names[deviation[i].verdict],
                     deviation[i].cycles, verdict_names[deviation[i].rule], deviation[i].rule_cycles,
                     reason_for(&deviation[i]), map->during);
    }
}

static void warn_of_noise(struct stlf *stlf, const struct map *map)
{
    const double share = stlf_map_sure(map, CELLS_ALL);
    if (share < 0.99)
        record_warning(stlf->run->record, "grid_unsteady",
                       "%s: only %.1f %% of the cells have a sure verdict", map->name, 100 * share);
}

void stlf_map_report(struct stlf *stlf, const struct map *map)
{
    add_cells(stlf, stlf->tables[TABLE_GRID], map);
    add_classes(stlf, stlf->tables[TABLE_CLASSES], map);
    warn_of_noise(stlf, map);
    if (map->alias == 0)
        find_distances(stlf, map);
    if (map->brief)
        return;
    find_granule(stlf, map);
    find_boundaries(stlf, map);
    find_crossings(stlf, map);
    find_deviations(stlf, map);
}

void stlf_map_compare(struct stlf *stlf, const struct map *few, const struct map *many)
{
    size_t differing = 0, of = 0;
    for (int cell = 0; cell < STLF_CELLS; cell++) {
        const int a = few->classes.label[cell], b = many->classes.label[cell];
        if (a < 0 || b < 0 || few->classes.class[a].verdict != VERDICT_RENAMED)
            continue;
        of++;
        differing += many->classes.class[b].verdict != VERDICT_RENAMED;
    }
    char key[96];
    key_of(few, "renamed_cells", key);
    const struct verdict verdict =
        verdict_lesser(stlf_map_trust(few, CELLS_OVERLAPPING), stlf_map_trust(many, CELLS_OVERLAPPING));
    if (of == 0)
        stlf_finding(stlf, key, 0, "cells", few->state, verdict, "%s: no cell is renamed", few->name);
    else if (differing == 0)
        stlf_finding(stlf, key, (double)of, "cells", few->state, verdict,
                     "%s: %zu cells are renamed, at %u pairs too", few->name, of, many->pairs);
    else
        stlf_finding(stlf, key, (double)of, "cells", few->state, verdict,
                     "%s: %zu cells are renamed, %zu of them no longer at %u pairs", few->name, of, differing,
                     many->pairs);
}
