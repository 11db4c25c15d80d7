/* SPDX-License-Identifier: MIT */
/* Maps: which, and what one says: how sure its cells are, its rows and answers. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "stlf.h"

enum map_answers { SAYS_DISTANCES = 1, SAYS_GRANULE = 2, SAYS_CROSSINGS = 4, SAYS_ALL = 7 };

/* One map of a run: a grid at one number of pairs. */
struct map {
    struct stlf_width width;
    unsigned pairs;
    enum stlf_window window;
    enum stlf_chain chain;
    unsigned says;          /* enum map_answers: what no other map of the run says */
    const struct map *many; /* of the same width at more pairs; NULL: none */
    char name[160];
    struct stlf_grid grid;
    struct text distances; /* empty: it was not measured */
    /* Cells without overlap and with; those whose verdict is sure; whose value has high, or medium trust at least. */
    struct tally {
        size_t of, sure, high, medium;
    } apart, overlapping;
};

/* More widths than that get one map each and one answer. */
enum { FEW_WIDTHS = 4 };

static const struct name_list usual_widths = {.count = 1, .name = {"8/4"}};

/* For --all, of the usual widths, in addition to those that were asked for. */
static const struct {
    enum stlf_chain chain;
    enum stlf_window window;
    unsigned says;
} more[] = {{CHAIN_FA, WINDOW_LINE, 0},
            {CHAIN_FA, WINDOW_PAGE, SAYS_CROSSINGS},
            {CHAIN_FD, WINDOW_ALIGNED, SAYS_ALL},
            {CHAIN_FD_NOREUSE, WINDOW_ALIGNED, SAYS_ALL}};
enum { MORE = sizeof more / sizeof more[0] };

static enum status find_widths(const struct run *run, struct stlf_width width[STLF_WIDTHS_MAX], int *count,
                               struct fault *fault)
{
    const struct stlf_params *params = run->params;
    const bool usual_only = params->widths.count == 0 && !params->all && !run->kernels.name;
    return stlf_find_widths(run, (enum stlf_chain)params->chain, usual_only ? &usual_widths : &params->widths,
                            width, count, fault);
}

/* One map at the asked number of pairs, or two whose difference is what is renamed. Every width with two maps would take too
 * long for --all: there the widths get the one that forwards. */
static int maps_of_width(const struct stlf_params *params, int widths)
{
    return widths <= FEW_WIDTHS && !params->unroll ? 2 : 1;
}

int stlf_map_count(const struct run *run)
{
    const struct stlf_params *params = run->params;
    struct stlf_width width[STLF_WIDTHS_MAX];
    struct fault ignored = {0};
    int count = 0;
    find_widths(run, width, &count, &ignored);
    return count * maps_of_width(params, count) + (params->all ? MORE : 0);
}

/* Offsets count from the middle boundary where there is one, so that -8 is 8 bytes before it. */
static void lay_out(const struct stlf *stlf, struct map *map)
{
    static const char *const windows[WINDOW_COUNT] = {"", ", a line's end in the middle",
                                                      ", a page's end in the middle"};
    static const char *const chains[CHAIN_COUNT] = {"", ", fast data", ", fast data without reuse"};
    const long boundary[WINDOW_COUNT] = {stlf->page, stlf->page + 8 * stlf->line, 2 * stlf->page};
    const long at = boundary[map->window] - (map->window == WINDOW_ALIGNED ? 0 : STLF_SIDE / 2);
    map->grid = (struct stlf_grid){.store_bytes = map->width.store,
                                   .load_bytes = map->width.load,
                                   .store_at = at,
                                   .load_at = at,
                                   .line = stlf->line,
                                   .page = stlf->page};
    snprintf(map->name, sizeof map->name, "%s bytes, %u pairs%s%s", map->width.name, map->pairs,
             chains[map->chain], windows[map->window]);
}

static void add_points(struct stlf_part *part, const struct map *map)
{
    static const char *const kinds[] = {"different addresses", "same address"};
    size_t cells[2] = {0};
    part->count = STLF_CELLS;
    part->point = memory_zeroed(STLF_CELLS, sizeof *part->point);
    for (int cell = 0; cell < STLF_CELLS; cell++) {
        struct stlf_point *point = &part->point[cell];
        *point = (struct stlf_point){.kernel = map->width.kernel,
                                     .store = grid_store(&map->grid, cell),
                                     .load = grid_load(&map->grid, cell),
                                     .pairs = map->pairs};
        point->is_trained = stlf_may_be_renamed(point);
        point->series = kinds[point->is_trained];
        point->index = cells[point->is_trained]++;
    }
}

enum status stlf_map_open(struct stlf_part *part, int index, struct fault *fault)
{
    const struct run *run = part->stlf->run;
    const struct stlf_params *params = run->params;
    struct stlf_width width[STLF_WIDTHS_MAX];
    int count = 0, found;
    if (find_widths(run, width, &count, fault))
        return fault->status;
    const int each = maps_of_width(params, count), extra = index - count * each;
    const bool is_short = extra < 0 && index % each > 0;
    struct map *map = part->map = memory_zeroed(1, sizeof *map);
    *map = (struct map){.says = is_short ? SAYS_DISTANCES : SAYS_ALL,
                        .pairs = is_short         ? STLF_UNROLL_SHORT
                                 : params->unroll ? (unsigned)params->unroll
                                                  : STLF_UNROLL_MAX,
                        .chain = (enum stlf_chain)params->chain,
                        .window = (enum stlf_window)params->window,
                        .many = is_short ? part[-1].map : NULL};
    if (extra < 0) {
        map->width = width[index / each];
        if (count > FEW_WIDTHS && strcmp(map->width.name, usual_widths.name[0]) != 0)
            map->says = SAYS_DISTANCES;
    } else {
        map->says = more[extra].says;
        map->chain = more[extra].chain;
        map->window = more[extra].window;
        if (stlf_find_widths(run, map->chain, &usual_widths, &map->width, &found, fault))
            return fault->status;
    }
    lay_out(part->stlf, map);
    add_points(part, map);
    return STATUS_OK;
}

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

void stlf_map_tables(struct stlf *stlf)
{
    stlf->grid_table = record_table_add(stlf->run->record, &map_table);
    stlf->class_table = record_table_add(stlf->run->record, &class_table);
}

enum { SURE_SAMPLES = 8 };

/* A cell's verdict is sure where it is the same in both halves of the run, all through the interval as far as samples
 * lie there, and, where pages matter, at several placements. */
static void judge_cells(struct map *map, const struct stlf_set *set)
{
    const bool placed = map->window == WINDOW_PAGE;
    const struct stlf_levels usual = stlf_levels_in(set->stlf, set->state);
    struct stlf_grid *grid = &map->grid;
    for (int cell = 0; cell < STLF_CELLS; cell++)
        grid->cycles[cell] = set->estimate[cell].value;
    stlf_classify(grid, &usual, map->chain != CHAIN_FA);
    for (int cell = 0; cell < STLF_CELLS; cell++) {
        const struct estimate *e = &set->estimate[cell];
        const struct geometry geometry = grid_geometry(grid, cell);
        struct tally *tally = geometry.overlap == OVERLAP_NONE ? &map->apart : &map->overlapping;
        const double at[] = {e->first,
                             e->second,
                             fmax(e->low, e->summary.min),
                             fmin(e->high, e->summary.p90),
                             placed ? e->placement_low : e->first,
                             placed ? e->placement_high : e->first};
        const enum trust trust = stlf_judge(e, placed ? STLF_PLACEMENTS_LEAST : 0).trust;
        bool sure = grid->verdict[cell] >= 0 && e->summary.count >= SURE_SAMPLES &&
                    !(placed && e->placements < STLF_PLACEMENTS_LEAST);
        for (int i = 0; sure && i < 6; i++)
            sure = !isnan(at[i]) && (int)verdict_of(&grid->levels, geometry, at[i]) == grid->verdict[cell];
        tally->of++;
        tally->sure += sure;
        tally->high += trust == TRUST_HIGH;
        tally->medium += trust >= TRUST_MEDIUM;
    }
}

/* Cells in doubt are those whose interval is too wide. */
static struct verdict judged(bool high, bool medium)
{
    const struct verdict doubt = {medium ? TRUST_MEDIUM : TRUST_LOW, LEG_PRECISION};
    return high ? (struct verdict){TRUST_HIGH, LEG_NONE} : doubt;
}

/* Of an answer about verdicts: a cell in a thousand may be in doubt. */
static struct verdict verdict_by(const struct tally *tally)
{
    const double share = tally->of ? (double)tally->sure / (double)tally->of : 0;
    return judged(share >= 0.999, share >= 0.99);
}

/* Differences below that are beyond any clock, and would fill a result with digits. */
static double rounded(double cycles)
{
    return round(cycles * 1e4) / 1e4;
}

static void add_rows(const struct stlf *stlf, const struct map *map, const struct stlf_set *set)
{
    struct record *record = stlf->run->record;
    const int64_t grid = record_class(record, stlf->grid_table, M_GRID, map->name);
    const int from = map->window == WINDOW_ALIGNED ? 0 : -(STLF_SIDE / 2);
    for (int cell = 0; cell < STLF_CELLS; cell++) {
        const int class = stlf_class_of(&map->grid, cell);
        record_row(record, stlf->grid_table,
                   (struct cell[M_COUNT]){
                       [M_GRID] = INTEGER_CELL(grid),
                       [M_ST] = INTEGER_CELL(map->width.store),
                       [M_LD] = INTEGER_CELL(map->width.load),
                       [M_PAIRS] = INTEGER_CELL(map->pairs),
                       [M_STORE] = INTEGER_CELL(from + cell / STLF_SIDE),
                       [M_LOAD] = INTEGER_CELL(from + cell % STLF_SIDE),
                       [M_CYCLES] = REAL_CELL(rounded(map->grid.cycles[cell])),
                       [M_SPREAD] = REAL_CELL(
                           rounded(set->estimate[cell].summary.p90 - set->estimate[cell].summary.p10)),
                       [M_CLASS] = class >= 0 ? INTEGER_CELL(class) : NO_CELL,
                   });
    }
    for (int i = 0; i < STLF_CLASSES; i++) {
        struct stlf_class class;
        if (!stlf_class_at(&map->grid, i, &class))
            continue;
        record_row(record, stlf->class_table,
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
static void add(const struct map *map, const struct stlf_set *set, const char *what, const char *words,
                struct answer answer, struct verdict verdict)
{
    char *key =
        stlf_words("stlf.grid.%s.%s.%u.%s%s%s", stlf_chain_names[map->chain], map->width.name, map->pairs,
                   map->window ? stlf_window_names[map->window] : "", map->window ? "." : "", what);
    for (char *at = key; *at; at++)
        *at = *at == '/' || *at == '-' ? '_' : *at;
    answer.key = key;
    answer.label = stlf_words("%s: %s", map->name, words);
    stlf_add(set, answer, NULL, verdict);
}

/* What is renamed at few pairs and not at many. */
static void add_renamed(const struct map *few, const struct stlf_set *set)
{
    const struct map *many = few->many;
    size_t no_longer = 0, of = 0;
    for (int cell = 0; cell < STLF_CELLS; cell++) {
        const bool renamed = few->grid.verdict[cell] == VERDICT_RENAMED && many->grid.verdict[cell] >= 0;
        of += renamed;
        no_longer += renamed && many->grid.verdict[cell] != VERDICT_RENAMED;
    }
    add(few, set, "renamed_cells", "renamed",
        (struct answer){.value = REAL_CELL(of),
                        .unit = "cells",
                        .remark = stlf_words("%zu no longer at %u pairs", no_longer, many->pairs)},
        verdict_lesser(verdict_by(&few->overlapping), verdict_by(&many->overlapping)));
}

static void add_granule(const struct map *map, const struct stlf_set *set)
{
    const struct stlf_granule granule = stlf_granule_of(&map->grid);
    add(map, set, "granule", "block compared",
        (struct answer){.value = REAL_CELL(granule.bytes ? granule.bytes : 1),
                        .unit = "Byte",
                        .remark = granule.bytes ? stlf_words("%.0f %% wait, %.1f cycles", 100 * granule.share,
                                                             granule.cycles)
                                                : "no load waits"},
        verdict_by(&map->apart));
}

/* For each boundary what crossing it costs a store; in the remark a load, too. These are medians of many cells without overlap:
 * nine tenths of them must have that trust. */
static void add_crossings(const struct map *map, const struct stlf_set *set)
{
    struct stlf_cost cost[STLF_COSTS];
    const int count = stlf_crossing_costs(&map->grid, cost);
    const double of = (double)map->apart.of;
    const struct verdict verdict =
        judged((double)map->apart.high >= 0.9 * of, (double)map->apart.medium >= 0.9 * of);
    for (int i = 0; i < count; i++) {
        const char *what = cost[i].bytes == map->grid.line   ? "line_crossing"
                           : cost[i].bytes == map->grid.page ? "page_crossing"
                                                             : stlf_words("%ld_byte_crossing", cost[i].bytes);
        add(map, set, what, stlf_words("store across %ld bytes", cost[i].bytes),
            (struct answer){.value = REAL_CELL(cost[i].store),
                            .unit = "core cycles",
                            .remark = stlf_words("a load %.1f", cost[i].load)},
            verdict);
    }
}

void stlf_map_report(struct stlf_part *part, const struct stlf_set *set)
{
    struct map *map = part->map;
    judge_cells(map, set);
    const double sure = (double)(map->apart.sure + map->overlapping.sure) / STLF_CELLS;
    add_rows(set->stlf, map, set);
    if (sure < 0.99)
        record_warning(set->stlf->run->record, "grid_unsteady",
                       "%s: only %.1f %% of the cells have a sure verdict", map->name, 100 * sure);
    stlf_spell_distances(&map->grid, &map->distances);
    const bool has_many = map->many && map->many->distances.length > 0;
    const bool same = has_many && strcmp(map->many->distances.data, map->distances.data) == 0;
    if (map->says & SAYS_DISTANCES && !same)
        add(map, set, "distances", "distances", (struct answer){.value = TEXT_CELL(map->distances.data)},
            verdict_by(&map->overlapping));
    if (has_many)
        add_renamed(map, set);
    if (map->says & SAYS_GRANULE)
        add_granule(map, set);
    if (map->says & SAYS_CROSSINGS)
        add_crossings(map, set);
}

void stlf_map_free(struct map *map)
{
    if (map)
        text_free(&map->distances);
    free(map);
}
