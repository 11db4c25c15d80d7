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
    [M_CLASS] = {"class", "class", NULL, CELL_CLASS, ROLE_LABEL, 0, stlf_class_names, false},
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
    [K_CLASS] = {"class", "class", NULL, CELL_CLASS, ROLE_PARAMETER, 0, stlf_class_names, false},
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
    .note = "What the values mean, held against how the two accesses overlap and what they cross.",
    .columns = class_columns,
    .column_count = K_COUNT,
};

struct map_tables stlf_map_tables(struct record *record)
{
    return (struct map_tables){record_table_add(record, &map_table), record_table_add(record, &class_table)};
}

/* Differences below that are beyond any clock, and would fill a result with digits. */
static double rounded(double cycles)
{
    return round(cycles * 1e4) / 1e4;
}

static void add_cells(struct record *record, size_t table, const struct map *map)
{
    const int64_t grid = record_class(record, table, M_GRID, map->name);
    for (int cell = 0; cell < STLF_CELLS; cell++) {
        const int class = stlf_class_of(&map->grid, &map->classes, cell);
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
                       [M_CLASS] = class >= 0 ? INTEGER_CELL(class) : NO_CELL,
                   });
    }
}

static void add_classes(struct record *record, size_t table, const struct map *map)
{
    for (int i = 0; i < STLF_CLASSES; i++) {
        struct stlf_class class;
        if (!stlf_class_at(&map->grid, &map->classes, i, &class))
            continue;
        record_row(record, table,
                   (struct cell[K_COUNT]){
                       [K_GRID] = TEXT_CELL(map->name),
                       [K_CLASS] = INTEGER_CELL(i),
                       [K_CYCLES] = REAL_CELL(class.cycles),
                       [K_LOW] = REAL_CELL(class.low),
                       [K_HIGH] = REAL_CELL(class.high),
                       [K_CELLS] = INTEGER_CELL(class.cells),
                       [K_SHARE] = REAL_CELL((double)class.cells / STLF_CELLS),
                       [K_MEANING] = TEXT_CELL(class.meaning),
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

static void say_distances(struct stlf *stlf, const struct map *map)
{
    const struct stlf_distances distances = stlf_distances_of(&map->grid, &map->classes);
    struct text text = {0};
    char key[96];
    if (map->many && memcmp(&map->many->distances, &distances, sizeof distances) == 0)
        return;
    stlf_spell_distances(&map->grid, &distances, &text);
    key_of(map, "distances", key);
    const char *list = strchr(text.data, ' ') + 1; /* behind the widths, which the map's name has too */
    const struct answer answer =
        stlf_found(key, TEXT_CELL(text.data), NULL, map->state, stlf_map_trust(map, CELLS_OVERLAPPING));
    if (strcmp(list, "none") == 0)
        stlf_say(stlf, answer, "%s: no load is forwarded", map->name);
    else
        stlf_say(stlf, answer, "%s: loads are forwarded that begin so many bytes above the store: %s",
                 map->name, list);
    text_free(&text);
}

struct map_verdicts stlf_map_verdicts(const struct map *map)
{
    struct map_verdicts verdicts = {.pairs = map->pairs, .verdict = stlf_map_trust(map, CELLS_OVERLAPPING)};
    memcpy(verdicts.of, map->classes.verdict, sizeof verdicts.of);
    verdicts.distances = stlf_distances_of(&map->grid, &map->classes);
    return verdicts;
}

/* What is renamed at few pairs and not at many. */
static void say_renamed(struct stlf *stlf, const struct map *few)
{
    const struct map_verdicts *many = few->many;
    size_t no_longer = 0, of = 0;
    for (int cell = 0; cell < STLF_CELLS; cell++) {
        const bool renamed = few->classes.verdict[cell] == VERDICT_RENAMED && many->of[cell] >= 0;
        of += renamed;
        no_longer += renamed && many->of[cell] != VERDICT_RENAMED;
    }
    char key[96];
    key_of(few, "renamed_cells", key);
    const struct answer answer =
        stlf_found(key, REAL_CELL(of), "cells", few->state,
                   verdict_lesser(stlf_map_trust(few, CELLS_OVERLAPPING), many->verdict));
    if (of == 0)
        stlf_say(stlf, answer, "%s: no cell is renamed", few->name);
    else if (no_longer == 0)
        stlf_say(stlf, answer, "%s: %zu cells are renamed, at %u pairs too", few->name, of, many->pairs);
    else
        stlf_say(stlf, answer, "%s: %zu cells are renamed, %zu of them no longer at %u pairs", few->name, of,
                 no_longer, many->pairs);
}

static void say_granule(struct stlf *stlf, const struct map *map)
{
    const struct stlf_granule granule = stlf_granule_of(&map->grid, &map->classes.levels);
    char key[96];
    key_of(map, "granule", key);
    const struct answer answer = stlf_found(key, REAL_CELL(granule.bytes ? granule.bytes : 1), "Byte",
                                            map->state, stlf_map_trust(map, CELLS_APART));
    if (granule.bytes == 0)
        stlf_say(stlf, answer, "%s: no load waits for a store that it does not overlap", map->name);
    else
        stlf_say(
            stlf, answer,
            "%s: addresses are compared in blocks of %d bytes: loads that share one with a store they do not "
            "overlap wait (%.0f %% of them, %.1f cycles)",
            map->name, granule.bytes, 100 * granule.share, granule.cycles);
}

/* One sentence a boundary: what it costs either access. */
static void say_crossings(struct stlf *stlf, const struct map *map)
{
    struct stlf_cost cost[STLF_COSTS];
    const int count = stlf_crossing_costs(&map->grid, cost);
    for (int i = 0; i < count; i++) {
        const bool line = cost[i].bytes == map->grid.line, page = cost[i].bytes == map->grid.page;
        char key[96], what[32], store[40] = "", load[40] = "";
        snprintf(what, sizeof what,
                 line   ? "line_crossing"
                 : page ? "page_crossing"
                        : "%ld_byte_crossing",
                 cost[i].bytes);
        key_of(map, what, key);
        snprintf(what, sizeof what, line ? "a line" : page ? "a page" : "%ld bytes", cost[i].bytes);
        if (cost[i].store > 0)
            snprintf(store, sizeof store, "a store %.1f cycles", cost[i].store);
        if (cost[i].load > 0)
            snprintf(load, sizeof load, *store ? " and a load %.1f" : "a load %.1f cycles", cost[i].load);
        stlf_say(
            stlf,
            stlf_found(key, REAL_CELL(cost[i].store), "core cycles", map->state, stlf_map_level_trust(map)),
            "%s: crossing %s costs %s%s, even without overlap", map->name, what, store, load);
    }
}

static void warn_of_noise(struct stlf *stlf, const struct map *map)
{
    const double share = stlf_map_sure(map, CELLS_ALL);
    if (share < 0.99)
        record_warning(stlf->run->record, "grid_unsteady",
                       "%s: only %.1f %% of the cells have a sure verdict", map->name, 100 * share);
}

void stlf_map_report(struct stlf *stlf, const struct map_tables *tables, const struct map *map)
{
    add_cells(stlf->run->record, tables->grid, map);
    add_classes(stlf->run->record, tables->classes, map);
    warn_of_noise(stlf, map);
    if (map->says & SAYS_DISTANCES && map->alias == 0)
        say_distances(stlf, map);
    if (map->many)
        say_renamed(stlf, map);
    if (map->says & SAYS_GRANULE && map->alias == 0) /* loads side by side hide what a few of them wait */
        say_granule(stlf, map);
    if (map->says & SAYS_CROSSINGS)
        say_crossings(stlf, map);
}
