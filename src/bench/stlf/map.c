/* SPDX-License-Identifier: MIT */
/* Maps: which are measured, and the rows, answers and trust of each. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/key.h"
#include "stlf.h"

const char *const stlf_window_names[] = {"aligned", "line", "page", NULL};

/* Answers that only this map of the run adds. */
enum { SAYS_DISTANCES = 1, SAYS_CROSSINGS = 2 };
/* FEW_WIDTHS: more widths get one map and one answer each. SHORT: pairs of a short pass. */
enum { FEW_WIDTHS = 4, SHORT = 4 };

/* A kernel by its widths, named as in the article: bytes of the store, a slash, bytes of the load. */
struct width {
    char name[32]; /* "8/4", "2x8/16" */
    const struct kernel *kernel;
};

/* Finds the kernels of these names; without names, all that run here. "2x": two stores of half the width;
 * "p": pairs of general registers. */
static int find_widths(const struct kernel_filter *filter, const struct name_list *names,
                       struct width width[STLF_WIDTHS_MAX], struct fault *fault)
{
    static const struct {
        enum operation operation;
        const char *before, *between;
        unsigned stores;
    } forms[] = {{OPERATION_FORWARD_FA, "", "/", 1},
                 {OPERATION_FORWARD_SPLIT, "2x", "/", 2},
                 {OPERATION_FORWARD_PAIR, "p", "/p", 1}};
    const bool all = names->count == 0 || strcmp(names->name[0], "all") == 0;
    struct text list = {0};
    int count = 0;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        for (const struct kernel *kernel = NULL;
             count < STLF_WIDTHS_MAX && (kernel = kernel_next(filter, forms[i].operation, kernel));) {
            struct width one = {.kernel = kernel};
            snprintf(one.name, sizeof one.name, "%s%u%s%u", forms[i].before,
                     kernel->bits / 8 / forms[i].stores, forms[i].between, kernel->load_bits / 8);
            text_printf(&list, "%s%s", list.length ? " " : "", one.name);
            bool asked = all;
            for (int j = 0; j < names->count; j++)
                asked = asked || strcmp(names->name[j], one.name) == 0;
            if (asked)
                width[count++] = one;
        }
    for (int i = 0; !all && i < names->count && fault->status == STATUS_OK; i++) {
        unsigned store, load;
        char rest;
        bool found = false;
        for (int j = 0; j < count; j++)
            found = found || strcmp(width[j].name, names->name[i]) == 0;
        const bool is_pair = sscanf(names->name[i], "%u/%u%c", &store, &load, &rest) == 2;
        if (!found)
            fault_set(fault, is_pair ? STATUS_UNSUPPORTED : STATUS_USAGE, "--widths %s: %s: %s",
                      names->name[i],
                      is_pair ? "no kernel for it runs here; these run"
                              : "not STORE/LOAD in bytes, as in 8/4; these run here",
                      list.data);
    }
    text_free(&list);
    return count;
}

/* Offsets count from the boundary in the middle, if any: -8 is 8 bytes before it. Cells of equal addresses
 * come last. */
static void open_map(struct stlf_part *part, struct stlf_map map, const struct width *width)
{
    static const char *const windows[WINDOW_COUNT] = {"", ", a line's end in the middle",
                                                      ", a page's end in the middle"};
    const struct stlf *stlf = part->stlf;
    const long boundary[WINDOW_COUNT] = {stlf->page, stlf->page + 8 * stlf->line, 2 * stlf->page};
    struct text widths = {0};
    snprintf(map.name, sizeof map.name, "%s bytes, %u pairs%s", width->name, map.pairs, windows[map.window]);
    text_add_key(&widths, width->name);
    snprintf(map.key, sizeof map.key, "stlf.grid.fa.%s.%u.%s%s", widths.data, map.pairs,
             map.window ? stlf_window_names[map.window] : "", map.window ? "." : "");
    text_free(&widths);
    map.first_offset = map.window == WINDOW_ALIGNED ? 0 : -(STLF_SIDE / 2);
    map.grid = memory_zeroed(1, sizeof *map.grid);
    *map.grid = (struct stlf_grid){.store_bytes = width->kernel->bits / 8,
                                   .load_bytes = width->kernel->load_bits / 8,
                                   .at = boundary[map.window] + map.first_offset,
                                   .line = stlf->line,
                                   .page = stlf->page};
    stlf_lay_out(map.grid);
    part->map = map;
    part->sweep = &stlf_grids;
    const struct stlf_series cells = {.name = "different addresses",
                                      .operation = width->kernel->operation,
                                      .store_bytes = map.grid->store_bytes,
                                      .load_bytes = map.grid->load_bytes,
                                      .store = map.grid->at,
                                      .load = map.grid->at,
                                      .pairs = {(unsigned char)map.pairs},
                                      .cells = CELLS_APART};
    struct stlf_series rows[] = {cells, cells, {0}};
    rows[1].name = "same address";
    rows[1].cells = CELLS_SAME;
    stlf_points_add(part, rows);
}

/* A map at the number of pairs that --unroll names, or two at 64 and 4, as loads renamed at few pairs may
 * not be at many. Many widths get one map each, the one that forwards: two would take --all too long. */
size_t stlf_maps_add(struct stlf *stlf, struct stlf_part *part, struct fault *fault)
{
    const struct stlf_params *params = stlf->params;
    const struct name_list usual = {.count = 1, .name = {"8/4"}};
    const bool usual_only = params->widths.count == 0 && !params->all;
    struct width width[STLF_WIDTHS_MAX];
    size_t parts = 0;
    const int count = find_widths(&stlf->run->kernels, usual_only ? &usual : &params->widths, width, fault);
    const int each = count <= FEW_WIDTHS && !params->unroll ? 2 : 1;
    for (int i = 0; i < count * each; i++) {
        const struct width *of = &width[i / each];
        const bool is_short = i % each > 0, is_usual = strcmp(of->name, usual.name[0]) == 0;
        struct stlf_map map = {.pairs = is_short         ? SHORT
                                        : params->unroll ? (unsigned)params->unroll
                                                         : STLF_UNROLL_MAX,
                               .window = (enum stlf_window)params->window};
        if (!is_short)
            map.says = SAYS_DISTANCES | (count <= FEW_WIDTHS || is_usual ? SAYS_CROSSINGS : 0);
        part[parts].stlf = stlf;
        open_map(&part[parts++], map, of);
        for (int window = WINDOW_LINE; params->all && is_usual && window <= WINDOW_PAGE; window++) {
            map.window = (enum stlf_window)window;
            map.says = window == WINDOW_PAGE ? SAYS_CROSSINGS : 0;
            part[parts].stlf = stlf;
            open_map(&part[parts++], map, of);
        }
    }
    return parts;
}

enum { M_GRID, M_ST, M_LD, M_PAIRS, M_STORE, M_LOAD, M_CYCLES, M_SPREAD, M_CLASS, M_COUNT };

static const struct column map_columns[M_COUNT] = {
    [M_GRID] = {"grid", "grid", NULL, CELL_CLASS, ROLE_PARAMETER, 0},
    [M_ST] = {"store_bytes", "store width", "Byte", CELL_SIZE, ROLE_PARAMETER, 0},
    [M_LD] = {"load_bytes", "load width", "Byte", CELL_SIZE, ROLE_PARAMETER, 0},
    [M_PAIRS] = {"pairs", "pairs", NULL, CELL_INTEGER, ROLE_PARAMETER, 0},
    [M_STORE] = {"store_offset", "store offset", "Byte", CELL_INTEGER, ROLE_PARAMETER, 0},
    [M_LOAD] = {"load_offset", "load offset", "Byte", CELL_INTEGER, ROLE_PARAMETER, 0},
    [M_CYCLES] = {"cycles", "a pair takes", "cycles", CELL_REAL, ROLE_MEASURE, 2},
    [M_SPREAD] = {"spread", "p90 - p10", "cycles", CELL_REAL, ROLE_LABEL, 2},
    [M_CLASS] = {"class", "class", NULL, CELL_CLASS, ROLE_LABEL, 0, stlf_class_names, false},
};

enum { SURE_SAMPLES = 8 };

/* A verdict is sure where both halves of the run, the interval as far as samples reach, and, where pages
 * matter, several placements agree on it. */
static bool is_sure(const struct stlf_map *map, const struct stlf_cell *cell, const struct estimate *e)
{
    const bool placed = map->window == WINDOW_PAGE;
    const double at[] = {e->first,
                         e->second,
                         fmax(e->low, e->summary.min),
                         fmin(e->high, e->summary.p90),
                         placed ? e->placement_low : e->first,
                         placed ? e->placement_high : e->first};
    bool sure = cell->verdict >= 0 && e->summary.count >= SURE_SAMPLES &&
                !(placed && e->placements < STLF_PLACEMENTS_LEAST);
    for (int i = 0; sure && i < 6; i++)
        sure = !isnan(at[i]) &&
               (int)classify_cycles(&map->grid->levels, cell->traits, cell->crossing, at[i]) == cell->verdict;
    return sure;
}

/* Cells in total, of a sure verdict, of high trust, of medium or high trust. */
struct tally {
    size_t of, sure, high, medium;
};

/* Adds values, verdicts and rows of all cells. No clock resolves a ten thousandth of a cycle: more digits
 * would only lengthen a result. */
static void judge_cells(const struct stlf_part *part, struct tally tallies[2])
{
    const struct stlf_map *map = &part->map;
    struct record *record = part->stlf->run->record;
    const size_t table = part->stlf->grid_table;
    struct stlf_grid *grid = map->grid;
    const int64_t name = record_class(record, table, M_GRID, map->name);
    const struct estimate *of[STLF_CELLS];
    for (size_t i = 0; i < part->count; i++) {
        const struct stlf_point *point = &part->point[i];
        const long cell = (point->store - grid->at) * STLF_SIDE + point->load - grid->at;
        of[cell] = &part->estimate[i];
        grid->cell[cell].cycles = of[cell]->value;
    }
    stlf_classify(grid, &part->stlf->usual);
    for (int i = 0; i < STLF_CELLS; i++) {
        const struct stlf_cell *cell = &grid->cell[i];
        const struct estimate *e = of[i];
        struct tally *tally = &tallies[(cell->traits & OVERLAP) != OVERLAP_NONE];
        const struct verdict verdict = stlf_judge(e, map->window == WINDOW_PAGE ? STLF_PLACEMENTS_LEAST : 0);
        const int class = stlf_class_of(cell);
        tally->of++;
        tally->sure += is_sure(map, cell, e);
        tally->high += verdict.limited_by == LIMITED_BY_NONE;
        tally->medium += !verdict_is_low(verdict);
        record_row(record, table,
                   (struct cell[M_COUNT]){
                       [M_GRID] = INTEGER_CELL(name),
                       [M_ST] = INTEGER_CELL(grid->store_bytes),
                       [M_LD] = INTEGER_CELL(grid->load_bytes),
                       [M_PAIRS] = INTEGER_CELL(map->pairs),
                       [M_STORE] = INTEGER_CELL(map->first_offset + i / STLF_SIDE),
                       [M_LOAD] = INTEGER_CELL(map->first_offset + i % STLF_SIDE),
                       [M_CYCLES] = REAL_CELL(round(cell->cycles * 1e4) / 1e4),
                       [M_SPREAD] = REAL_CELL(round((e->summary.p90 - e->summary.p10) * 1e4) / 1e4),
                       [M_CLASS] = class >= 0 ? INTEGER_CELL(class) : NO_CELL,
                   });
    }
}

static struct verdict judged(bool high, bool medium)
{
    return verdict_capped(high ? LIMITED_BY_NONE : LIMITED_BY_PRECISION,
                          medium ? LIMITED_BY_NONE : LIMITED_BY_PRECISION);
}

/* A key such as "stlf.grid.fa.8_4.64.page.distances" does not depend on the other maps of the run. */
static void add(const struct stlf_part *part, const char *what, const char *words, struct answer answer,
                struct verdict verdict)
{
    answer.key = stlf_words(part, "%s%s", part->map.key, what);
    answer.label = stlf_words(part, "%s: %s", part->map.name, words);
    stlf_say(part, answer, verdict);
}

/* Adds the cost of crossing each boundary: of a store, and in the remark of a load. Each is a median of
 * many cells without overlap: nine tenths of them must have the trust that it gets. */
static void add_crossings(const struct stlf_part *part, const struct tally *apart)
{
    const struct stlf_grid *grid = part->map.grid;
    struct stlf_cost cost[STLF_COSTS];
    const int count = stlf_crossing_costs(grid, cost);
    const double of = (double)apart->of;
    const struct verdict verdict = judged((double)apart->high >= 0.9 * of, (double)apart->medium >= 0.9 * of);
    for (int i = 0; i < count; i++) {
        const char *what = cost[i].bytes == grid->line ? "line_crossing"
                           : cost[i].bytes == grid->page
                               ? "page_crossing"
                               : stlf_words(part, "%ld_byte_crossing", cost[i].bytes);
        add(part, what, stlf_words(part, "store across %ld bytes", cost[i].bytes),
            (struct answer){.value = REAL_CELL(cost[i].store),
                            .unit = "cycles",
                            .remark = stlf_words(part, "a load %.1f", cost[i].load)},
            verdict);
    }
}

/* For high trust in distances at most one cell in a thousand may be unsure, for medium one in a hundred. */
static void report(const struct stlf_part *part)
{
    const struct stlf_map *map = &part->map;
    struct tally tally[2] = {{0}};
    const struct tally *apart = &tally[0], *overlapping = &tally[1];
    struct text distances = {0};
    judge_cells(part, tally);
    const double sure = (double)(apart->sure + overlapping->sure) / STLF_CELLS,
                 share = (double)overlapping->sure / (double)overlapping->of;
    if (sure < 0.99)
        record_warning(part->stlf->run->record, "grid_unsteady",
                       "%s: only %.1f %% of the cells have a sure verdict", map->name, 100 * sure);
    stlf_spell_distances(map->grid, &distances);
    if (map->says & SAYS_DISTANCES)
        add(part, "distances", "distances", (struct answer){.value = TEXT_CELL(distances.data)},
            judged(share >= 0.999, share >= 0.99));
    if (map->says & SAYS_CROSSINGS)
        add_crossings(part, apart);
    text_free(&distances);
}

const struct stlf_sweep stlf_grids = {.table = {.name = "grid",
                                                .title = "Store offset (down) x load offset (across)",
                                                .columns = map_columns,
                                                .column_count = M_COUNT,
                                                .view = {.kind = VIEW_MATRIX,
                                                         .x = M_LOAD,
                                                         .y = M_STORE,
                                                         .value = M_CYCLES,
                                                         .series = M_GRID,
                                                         .class = M_CLASS}},
                                      .seconds = 0.35,
                                      .report = report};
