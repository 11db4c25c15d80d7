/* SPDX-License-Identifier: MIT */
/* Grids: measured, classified, written down, and what they say. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "patterns.h"
#include "stlf.h"

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

/* More widths than that get one grid each and one sentence. */
enum { FEW_WIDTHS = 4 };

struct map {
    struct stlf_width width;
    unsigned pairs;
    enum stlf_window window;
    enum stlf_chain chain;
    uint64_t alias;
    bool brief; /* one of many: its rows, and one sentence */
    char name[160];
    struct stlf_grid grid;
    struct stlf_classes classes;
    double agreement;
};

static const char *const window_titles[WINDOW_COUNT] = {"", ", a line's end in the middle",
                                                        ", a page's end in the middle"};
static const char *const chain_titles[CHAIN_COUNT] = {"", ", fast data", ", fast data without reuse"};

/* Offsets count from the middle boundary where there is one, so that -8 is 8 bytes before it. */
static long first_offset(enum stlf_window window)
{
    return window == WINDOW_ALIGNED ? 0 : -(STLF_SIDE / 2);
}

static long boundary_of(enum stlf_window window)
{
    return window == WINDOW_LINE ? STLF_PAGE + 8 * STLF_LINE : STLF_PAGE * (window == WINDOW_PAGE ? 2 : 1);
}

static void set_up(struct map *map)
{
    map->grid.store_bytes = map->width.store;
    map->grid.load_bytes = map->width.load;
    map->grid.store_at = boundary_of(map->window) + first_offset(map->window);
    map->grid.load_at = map->grid.store_at + (long)map->alias;
    char alias[48] = "";
    if (map->alias)
        snprintf(alias, sizeof alias, ", loads %llu bytes above", (unsigned long long)map->alias);
    snprintf(map->name, sizeof map->name, "%s bytes, %u pairs%s%s%s", map->width.name, map->pairs,
             chain_titles[map->chain], window_titles[map->window], alias);
}

static enum status classify(struct stlf *stlf, struct map *map, struct fault *fault)
{
    const struct stlf_reference reference = {.l1 = stlf->facts.l1,
                                             .forwarded = stlf->facts.forwarded,
                                             .blocked = stlf->facts.blocked,
                                             .late_address = map->chain != CHAIN_FA};
    if (stlf_classify(&map->grid, &reference, &map->classes))
        return STATUS_OK;
    return fault_set(fault, STATUS_NO_RESOURCE, "out of memory for the classes of a grid");
}

static enum status measure_outliers(struct stlf *stlf, struct map *map, struct stlf_set *set,
                                    struct fault *fault)
{
    bool *lone = calloc(STLF_CELLS, sizeof *lone);
    if (!lone)
        return fault_set(fault, STATUS_NO_RESOURCE, "out of memory for a grid");
    if (stlf_lone_cells(&map->grid, lone) * 20 <= STLF_CELLS)
        stlf_measure_again(&stlf->lab, set, lone, &stlf->effort, fault);
    free(lone);
    return fault->status;
}

static void copy_values(struct map *map, const struct stlf_set *set)
{
    memcpy(map->grid.cycles, set->cycles, sizeof map->grid.cycles);
    memcpy(map->grid.spread, set->spread, sizeof map->grid.spread);
    map->agreement = set->agreement;
}

static enum status measure_map(struct stlf *stlf, struct map *map, struct stlf_set *set, struct fault *fault)
{
    for (int cell = 0; cell < STLF_CELLS; cell++)
        set->point[cell] = (struct stlf_point){.kernel = map->width.kernel,
                                               .store = map->grid.store_at + cell / STLF_SIDE,
                                               .load = map->grid.load_at + cell % STLF_SIDE,
                                               .pairs = map->pairs};
    if (stlf_measure(&stlf->lab, set, &stlf->effort, fault))
        return fault->status;
    stlf->complete = stlf->complete && set->complete;
    copy_values(map, set);
    if (!set->complete)
        return STATUS_OK;
    if (measure_outliers(stlf, map, set, fault))
        return fault->status;
    copy_values(map, set);
    return classify(stlf, map, fault);
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
                       [M_STORE] = INTEGER_CELL(first_offset(map->window) + cell / STLF_SIDE),
                       [M_LOAD] = INTEGER_CELL(first_offset(map->window) + cell % STLF_SIDE),
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

static void add_text(struct stlf *stlf, const struct map *map, const char *what, const char *value,
                     const char *sentence)
{
    char key[96];
    key_of(map, what, key);
    record_finding(stlf->run->record, (struct finding){.key = key,
                                                       .value = TEXT_CELL(value),
                                                       .trust = stlf_trust(map->agreement),
                                                       .text = sentence});
}

static void find_distances(struct stlf *stlf, const struct map *map)
{
    char distances[STLF_DISTANCES], text[STLF_DISTANCES + 240];
    stlf_distances(&map->grid, &map->classes, distances);
    snprintf(text, sizeof text, "%s: loads this many bytes above the store are forwarded: %s", map->name,
             distances);
    add_text(stlf, map, "distances", distances, text);
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
    stlf_finding(stlf, key, granule.bytes ? granule.bytes : 1, "Byte", stlf_trust(map->agreement), "%s",
                 text);
}

static void find_boundaries(struct stlf *stlf, const struct map *map)
{
    const struct stlf_boundary of[] = {stlf_store_boundary(&map->grid), stlf_load_boundary(&map->grid)};
    static const char *const who[] = {"store", "load"}, *const what[] = {"store_boundary", "load_boundary"};
    for (int i = 0; i < 2; i++) {
        char key[96];
        if (of[i].bytes == 0 || of[i].bytes == STLF_LINE)
            continue; /* lines are told of with pages */
        key_of(map, what[i], key);
        stlf_finding(stlf, key, of[i].bytes, "Byte", stlf_trust(map->agreement),
                     "%s: a %s without overlap pays %.1f cycles for crossing %d bytes", map->name, who[i],
                     of[i].cycles, of[i].bytes);
    }
}

static void find_crossings(struct stlf *stlf, const struct map *map)
{
    static const char *const what[CROSSING_COUNT] = {"", "a line", "a page"};
    for (int crossing = CROSSES_LINE; crossing < CROSSING_COUNT; crossing++) {
        const double store = map->classes.levels.crossing[crossing][CROSSES_NOTHING];
        const double load = map->classes.levels.crossing[CROSSES_NOTHING][crossing];
        char key[96];
        key_of(map, crossing == CROSSES_LINE ? "line_crossing" : "page_crossing", key);
        if (store > 0.1 || load > 0.1)
            stlf_finding(stlf, key, store, "core cycles", stlf_trust(map->agreement),
                         "%s: crossing %s costs a store %.1f cycles and a load %.1f, even without overlap",
                         map->name, what[crossing], store, load);
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
        stlf_finding(stlf, key, (double)deviation[i].cells, "cells", stlf_trust(map->agreement),
                     "%s: %zu of %zu cells (%s) are %s (%.1f cycles), the others %s (%.1f)%s", map->name,
                     deviation[i].cells, deviation[i].of, name, verdict_names[deviation[i].verdict],
                     deviation[i].cycles, verdict_names[deviation[i].rule], deviation[i].rule_cycles,
                     reason_for(&deviation[i]));
    }
}

static void warn_of_noise(struct stlf *stlf, const struct map *map)
{
    if (map->agreement < 0.99)
        record_warning(stlf->run->record, "grid_unsteady",
                       "%s: only %.1f %% of the cells read the same in both halves of the passes", map->name,
                       100 * map->agreement);
}

static void report(struct stlf *stlf, const struct map *map)
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

/* What is renamed at few pairs and not at many. */
static void compare_unrolls(struct stlf *stlf, const struct map *few, const struct map *many)
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
    const enum trust trust = stlf_trust(fmin(few->agreement, many->agreement));
    if (of == 0)
        stlf_finding(stlf, key, 0, "cells", trust, "%s: no cell is renamed", few->name);
    else if (differing == 0)
        stlf_finding(stlf, key, (double)of, "cells", trust, "%s: %zu cells are renamed, at %u pairs too",
                     few->name, of, many->pairs);
    else
        stlf_finding(stlf, key, (double)of, "cells", trust,
                     "%s: %zu cells are renamed, %zu of them no longer at %u pairs", few->name, of, differing,
                     many->pairs);
}

static enum status measure_and_report(struct stlf *stlf, struct map *map, struct stlf_set *set,
                                      struct fault *fault)
{
    set_up(map);
    if (measure_map(stlf, map, set, fault) == STATUS_OK && set->complete)
        report(stlf, map);
    return fault->status;
}

/* One grid at the asked number of pairs, or two whose difference is what is renamed. */
static enum status one_width(struct stlf *stlf, struct map *many, struct map *few, struct stlf_set *set,
                             struct fault *fault)
{
    const bool both = few && stlf->params->unroll == 0;
    many->pairs = stlf->params->unroll ? (unsigned)stlf->params->unroll : STLF_UNROLL_MAX;
    if (measure_and_report(stlf, many, set, fault) || !both || !set->complete)
        return fault->status;
    *few = (struct map){.width = many->width,
                        .window = many->window,
                        .chain = many->chain,
                        .alias = many->alias,
                        .brief = true,
                        .pairs = STLF_UNROLL_SHORT};
    if (measure_and_report(stlf, few, set, fault) == STATUS_OK && set->complete)
        compare_unrolls(stlf, few, many);
    return fault->status;
}

struct plan {
    struct map *many, *few;
    struct stlf_set set;
};

static enum status grid_of(struct stlf *stlf, struct plan *plan, struct map wanted, bool both,
                           struct fault *fault)
{
    *plan->many = wanted;
    return one_width(stlf, plan->many, both ? plan->few : NULL, &plan->set, fault);
}

static void show_share(struct stlf *stlf, int done, int of)
{
    stlf->lab.done = (double)done / of;
    stlf->lab.share = 1.0 / of;
}

/* Every width with two grids would take too long for --all: there the widths get the one that forwards. */
static enum status widths(struct stlf *stlf, struct plan *plan, struct fault *fault)
{
    const struct stlf_params *params = stlf->params;
    struct name_list usual = {.count = 1, .name = {"8/4"}};
    struct stlf_width width[STLF_WIDTHS_MAX];
    int count = 0;
    const bool usual_only = params->widths.count == 0 && !params->all && !stlf->run->kernels.name;
    const struct name_list *names = usual_only ? &usual : &params->widths;
    if (stlf_find_widths(stlf->run, (enum stlf_chain)params->chain, names, width, &count, fault))
        return fault->status;
    for (int i = 0; i < count && plan->set.complete; i++) {
        const struct map wanted = {.width = width[i],
                                   .window = (enum stlf_window)params->window,
                                   .chain = (enum stlf_chain)params->chain,
                                   .alias = params->alias,
                                   .brief = count > FEW_WIDTHS && strcmp(width[i].name, "8/4") != 0};
        show_share(stlf, i, count);
        if (grid_of(stlf, plan, wanted, count <= FEW_WIDTHS, fault))
            return fault->status;
    }
    return STATUS_OK;
}

static enum status one_more(struct stlf *stlf, struct plan *plan, enum stlf_chain chain,
                            enum stlf_window window, uint64_t alias, struct fault *fault)
{
    const struct name_list usual = {.count = 1, .name = {"8/4"}};
    struct map wanted = {.window = window, .chain = chain, .alias = alias};
    int count;
    if (!plan->set.complete)
        return STATUS_OK;
    if (stlf_find_widths(stlf->run, chain, &usual, &wanted.width, &count, fault))
        return fault->status;
    return grid_of(stlf, plan, wanted, false, fault);
}

static enum status all_the_rest(struct stlf *stlf, struct plan *plan, struct fault *fault)
{
    if (one_more(stlf, plan, CHAIN_FA, WINDOW_LINE, 0, fault) ||
        one_more(stlf, plan, CHAIN_FA, WINDOW_PAGE, 0, fault) ||
        one_more(stlf, plan, CHAIN_FA, WINDOW_ALIGNED, STLF_PAGE, fault) ||
        one_more(stlf, plan, CHAIN_FD, WINDOW_ALIGNED, 0, fault))
        return fault->status;
    return one_more(stlf, plan, CHAIN_FD_NOREUSE, WINDOW_ALIGNED, 0, fault);
}

enum status stlf_grids(struct stlf *stlf, struct fault *fault)
{
    struct plan plan = {.many = calloc(1, sizeof *plan.many), .few = calloc(1, sizeof *plan.few)};
    if (!plan.many || !plan.few || !stlf_set_init(&plan.set, STLF_CELLS)) {
        fault_set(fault, STATUS_NO_RESOURCE, "out of memory for a grid");
    } else {
        stlf->tables[TABLE_GRID] = record_table_add(stlf->run->record, &map_table);
        stlf->tables[TABLE_CLASSES] = record_table_add(stlf->run->record, &class_table);
        plan.set.complete = true;
        if (widths(stlf, &plan, fault) == STATUS_OK && stlf->params->all)
            all_the_rest(stlf, &plan, fault);
        stlf_set_free(&plan.set);
    }
    free(plan.many);
    free(plan.few);
    return fault->status;
}
