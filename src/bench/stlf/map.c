/* SPDX-License-Identifier: MIT */
/* Maps: which, and what one says: how sure its cells are, its rows and answers. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "stlf.h"

/* What no other map of the run says. */
enum { SAYS_DISTANCES = 1, SAYS_GRANULE = 2, SAYS_CROSSINGS = 4, SAYS_ALL = 7 };
/* More widths than that get one map each and one answer. */
enum { FEW_WIDTHS = 4 };

static const struct name_list usual_widths = {.count = 1, .name = {"8/4"}};

/* For --all, of the usual widths, in addition to those that were asked for. */
static const struct stlf_map more[] = {
    {.pairs = STLF_UNROLL_MAX, .window = WINDOW_LINE},
    {.pairs = STLF_UNROLL_MAX, .window = WINDOW_PAGE, .says = SAYS_CROSSINGS},
    {.pairs = STLF_UNROLL_MAX, .chain = CHAIN_FD, .says = SAYS_ALL},
    {.pairs = STLF_UNROLL_MAX, .chain = CHAIN_FD_NOREUSE, .says = SAYS_ALL}};

/* Offsets count from the middle boundary where there is one, so that -8 is 8 bytes before it. Cells at one address come last. */
static void open_map(struct stlf_part *part, struct stlf_map map, const struct stlf_width *width)
{
    static const char *const windows[WINDOW_COUNT] = {"", ", a line's end in the middle",
                                                      ", a page's end in the middle"};
    static const char *const chains[CHAIN_COUNT] = {"", ", fast data", ", fast data without reuse"};
    const struct stlf *stlf = part->stlf;
    const long boundary[WINDOW_COUNT] = {stlf->page, stlf->page + 8 * stlf->line, 2 * stlf->page};
    snprintf(map.name, sizeof map.name, "%s bytes, %u pairs%s%s", width->name, map.pairs, chains[map.chain],
             windows[map.window]);
    snprintf(map.key, sizeof map.key, "stlf.grid.%s.%s.%u.%s%s", stlf_chain_names[map.chain], width->name,
             map.pairs, map.window ? stlf_window_names[map.window] : "", map.window ? "." : "");
    map.first_offset = map.window == WINDOW_ALIGNED ? 0 : -(STLF_SIDE / 2);
    map.grid = memory_zeroed(1, sizeof *map.grid);
    *map.grid = (struct stlf_grid){.store_bytes = width->kernel->bits / 8,
                                   .load_bytes = width->kernel->load_bits / 8,
                                   .at = boundary[map.window] + map.first_offset,
                                   .line = stlf->line,
                                   .page = stlf->page};
    stlf_lay_out(map.grid);
    part->map = map;
    part->point = memory_zeroed(STLF_CELLS, sizeof *part->point);
    for (int same = 0; same < 2; same++)
        for (long cell = 0; cell < STLF_CELLS; cell++) {
            const long store = cell / STLF_SIDE, load = cell % STLF_SIDE;
            if ((store == load) == same)
                part->point[part->count++] =
                    (struct stlf_point){.kernel = width->kernel,
                                        .store = map.grid->at + store,
                                        .load = map.grid->at + load,
                                        .pairs = map.pairs,
                                        .series = same ? "same address" : "different addresses"};
        }
}

/* At the asked number of pairs, or two whose difference is what is renamed. Every width with two maps would take too long for
 * --all: there the widths get the one that forwards. */
size_t stlf_maps_add(struct stlf *stlf, struct stlf_part *part, struct fault *fault)
{
    const struct run *run = stlf->run;
    const struct stlf_params *params = stlf->params;
    const bool usual_only = params->widths.count == 0 && !params->all && !run->kernels.name;
    struct stlf_width width[STLF_WIDTHS_MAX];
    size_t parts = 0;
    int count, found;
    if (stlf_find_widths(run, (enum stlf_chain)params->chain, usual_only ? &usual_widths : &params->widths,
                         width, &count, fault))
        return 0;
    const int each = count <= FEW_WIDTHS && !params->unroll ? 2 : 1;
    for (int i = 0; i < count * each; i++) {
        const struct stlf_width *of = &width[i / each];
        const bool is_short = i % each > 0,
                   is_one_of_many = count > FEW_WIDTHS && strcmp(of->name, usual_widths.name[0]) != 0;
        struct stlf_part *next = &part[parts++];
        next->stlf = stlf;
        open_map(next,
                 (struct stlf_map){.says = is_short || is_one_of_many ? SAYS_DISTANCES : SAYS_ALL,
                                   .pairs = is_short         ? STLF_UNROLL_SHORT
                                            : params->unroll ? (unsigned)params->unroll
                                                             : STLF_UNROLL_MAX,
                                   .chain = (enum stlf_chain)params->chain,
                                   .window = (enum stlf_window)params->window,
                                   .many = is_short ? &next[-1].map : NULL},
                 of);
    }
    for (size_t i = 0; params->all && i < sizeof more / sizeof *more; i++) {
        if (stlf_find_widths(run, more[i].chain, &usual_widths, width, &found, fault))
            return parts;
        part[parts].stlf = stlf;
        open_map(&part[parts++], more[i], width);
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
    [M_CYCLES] = {"cycles", "a pair takes", "core cycles", CELL_REAL, ROLE_MEASURE, 2},
    [M_SPREAD] = {"spread", "p90 - p10", "core cycles", CELL_REAL, ROLE_LABEL, 2},
    [M_CLASS] = {"class", "class", NULL, CELL_CLASS, ROLE_LABEL, 0, stlf_class_names, false},
};

const struct table_spec stlf_map_table = {
    .name = "grid",
    .title = "Store offset (down) x load offset (across)",
    .columns = map_columns,
    .column_count = M_COUNT,
    .view = {.kind = VIEW_MATRIX,
             .x = M_LOAD,
             .y = M_STORE,
             .value = M_CYCLES,
             .series = M_GRID,
             .class = M_CLASS},
};

/* Differences below that are beyond any clock, and would fill a result with digits. */
static double rounded(double cycles)
{
    return round(cycles * 1e4) / 1e4;
}

enum { SURE_SAMPLES = 8 };

/* Values, verdicts and rows of all cells. A verdict is sure where it is the same in both halves of the run, all through the
 * interval as far as samples lie there, and, where pages matter, at several placements. */
static void judge_cells(struct stlf_map *map, const struct stlf_set *set)
{
    struct record *record = set->stlf->run->record;
    struct stlf_grid *grid = map->grid;
    const bool placed = map->window == WINDOW_PAGE;
    const struct stlf_levels usual = stlf_levels_in(set->stlf, set->state);
    const int64_t name = record_class(record, set->stlf->grid_table, M_GRID, map->name);
    const struct estimate *of[STLF_CELLS];
    for (size_t i = 0; i < set->count; i++) {
        const struct stlf_point *point = &set->point[i];
        const long cell = (point->store - grid->at) * STLF_SIDE + point->load - grid->at;
        of[cell] = &set->estimate[i];
        grid->cell[cell].cycles = of[cell]->value;
    }
    stlf_classify(grid, &usual, map->chain != CHAIN_FA);
    for (int i = 0; i < STLF_CELLS; i++) {
        const struct stlf_cell *cell = &grid->cell[i];
        const struct estimate *e = of[i];
        struct stlf_tally *tally = (cell->traits & OVERLAP) == OVERLAP_NONE ? &map->apart : &map->overlapping;
        const double at[] = {e->first,
                             e->second,
                             fmax(e->low, e->summary.min),
                             fmin(e->high, e->summary.p90),
                             placed ? e->placement_low : e->first,
                             placed ? e->placement_high : e->first};
        const enum trust trust = stlf_judge(e, placed ? STLF_PLACEMENTS_LEAST : 0).trust;
        const int class = stlf_class_of(cell);
        bool sure = cell->verdict >= 0 && e->summary.count >= SURE_SAMPLES &&
                    !(placed && e->placements < STLF_PLACEMENTS_LEAST);
        for (int j = 0; sure && j < 6; j++)
            sure = !isnan(at[j]) &&
                   (int)verdict_of(&grid->levels, cell->traits, cell->crossing, at[j]) == cell->verdict;
        tally->of++;
        tally->sure += sure;
        tally->high += trust == TRUST_HIGH;
        tally->medium += trust >= TRUST_MEDIUM;
        record_row(record, set->stlf->grid_table,
                   (struct cell[M_COUNT]){
                       [M_GRID] = INTEGER_CELL(name),
                       [M_ST] = INTEGER_CELL(grid->store_bytes),
                       [M_LD] = INTEGER_CELL(grid->load_bytes),
                       [M_PAIRS] = INTEGER_CELL(map->pairs),
                       [M_STORE] = INTEGER_CELL(map->first_offset + i / STLF_SIDE),
                       [M_LOAD] = INTEGER_CELL(map->first_offset + i % STLF_SIDE),
                       [M_CYCLES] = REAL_CELL(rounded(cell->cycles)),
                       [M_SPREAD] = REAL_CELL(rounded(e->summary.p90 - e->summary.p10)),
                       [M_CLASS] = class >= 0 ? INTEGER_CELL(class) : NO_CELL,
                   });
    }
}

/* Cells in doubt are those whose interval is too wide. */
static struct verdict judged(bool high, bool medium)
{
    const struct verdict doubt = {medium ? TRUST_MEDIUM : TRUST_LOW, LEG_PRECISION};
    return high ? (struct verdict){TRUST_HIGH, LEG_NONE} : doubt;
}

/* Of an answer about verdicts: a cell in a thousand may be in doubt. */
static struct verdict verdict_by(const struct stlf_tally *tally)
{
    const double share = tally->of ? (double)tally->sure / (double)tally->of : 0;
    return judged(share >= 0.999, share >= 0.99);
}

/* "stlf.grid.fa.8_4.64.page.distances": one key for one thing, whatever else was measured in the run. */
static void add(const struct stlf_map *map, const struct stlf_set *set, const char *what, const char *words,
                struct answer answer, struct verdict verdict)
{
    answer.key = stlf_key(stlf_words("%s%s", map->key, what));
    answer.label = stlf_words("%s: %s", map->name, words);
    stlf_say(set, answer, verdict);
}

/* What is renamed at few pairs and not at many. */
static void add_renamed(const struct stlf_map *few, const struct stlf_set *set)
{
    const struct stlf_map *many = few->many;
    size_t no_longer = 0, of = 0;
    for (int cell = 0; cell < STLF_CELLS; cell++) {
        const int verdict = many->grid->cell[cell].verdict;
        const bool renamed = few->grid->cell[cell].verdict == VERDICT_RENAMED && verdict >= 0;
        of += renamed;
        no_longer += renamed && verdict != VERDICT_RENAMED;
    }
    add(few, set, "renamed_cells", "renamed",
        (struct answer){.value = REAL_CELL(of),
                        .unit = "cells",
                        .remark = stlf_words("%zu no longer at %u pairs", no_longer, many->pairs)},
        verdict_lesser(verdict_by(&few->overlapping), verdict_by(&many->overlapping)));
}

/* For each boundary what crossing it costs a store; in the remark a load, too. These are medians of many cells without overlap:
 * nine tenths of them must have that trust. */
static void add_crossings(const struct stlf_map *map, const struct stlf_set *set)
{
    struct stlf_cost cost[STLF_COSTS];
    const int count = stlf_crossing_costs(map->grid, cost);
    const double of = (double)map->apart.of;
    const struct verdict verdict =
        judged((double)map->apart.high >= 0.9 * of, (double)map->apart.medium >= 0.9 * of);
    for (int i = 0; i < count; i++) {
        const char *what = cost[i].bytes == map->grid->line ? "line_crossing"
                           : cost[i].bytes == map->grid->page
                               ? "page_crossing"
                               : stlf_words("%ld_byte_crossing", cost[i].bytes);
        add(map, set, what, stlf_words("store across %ld bytes", cost[i].bytes),
            (struct answer){.value = REAL_CELL(cost[i].store),
                            .unit = "core cycles",
                            .remark = stlf_words("a load %.1f", cost[i].load)},
            verdict);
    }
}

void stlf_map_report(struct stlf_map *map, const struct stlf_set *set)
{
    struct record *record = set->stlf->run->record;
    judge_cells(map, set);
    const double sure = (double)(map->apart.sure + map->overlapping.sure) / STLF_CELLS;
    if (sure < 0.99)
        record_warning(record, "grid_unsteady", "%s: only %.1f %% of the cells have a sure verdict",
                       map->name, 100 * sure);
    stlf_spell_distances(map->grid, &map->distances);
    const bool has_many = map->many && map->many->distances.length > 0;
    const bool same = has_many && strcmp(map->many->distances.data, map->distances.data) == 0;
    if (map->says & SAYS_DISTANCES && !same)
        add(map, set, "distances", "distances", (struct answer){.value = TEXT_CELL(map->distances.data)},
            verdict_by(&map->overlapping));
    if (has_many)
        add_renamed(map, set);
    if (map->says & SAYS_GRANULE) {
        const struct stlf_granule granule = stlf_granule_of(map->grid);
        add(map, set, "granule", "block compared",
            (struct answer){.value = REAL_CELL(granule.bytes ? granule.bytes : 1),
                            .unit = "Byte",
                            .remark = granule.bytes ? stlf_words("%.0f %% wait, %.1f cycles",
                                                                 100 * granule.share, granule.cycles)
                                                    : "no load waits"},
            verdict_by(&map->apart));
    }
    if (map->says & SAYS_CROSSINGS)
        add_crossings(map, set);
}
