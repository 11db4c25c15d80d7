/* SPDX-License-Identifier: MIT */
/* Geometry of a grid's cells, the verdict on their cycles, and the distances that forward. */
#include "grid.h"

#include <math.h>

#include "uarchprobe/stats.h"

#define CLASS(verdict) verdict, verdict " across a line", verdict " across a page"
const char *const stlf_class_names[] = {CLASS("independent"),
                                        CLASS("delayed"),
                                        CLASS("renamed"),
                                        CLASS("forwarded"),
                                        CLASS("blocked"),
                                        CLASS("flush"),
                                        NULL};

/* A blocked load alone takes 19 to 22 cycles on some cores: a flush takes clearly more. */
static const double FLUSH_RATIO = 1.4;
/* Least ratio of a blocked load to a forward that makes them two levels. */
static const double LEVELS_APART = 1.25;

static bool crosses(long address, unsigned bytes, long boundary)
{
    return address / boundary != (address + (long)bytes - 1) / boundary;
}

enum trait overlap_of(long store, unsigned store_bytes, long load, unsigned load_bytes)
{
    const long store_end = store + (long)store_bytes, load_end = load + (long)load_bytes;
    if (load_end <= store || store_end <= load)
        return OVERLAP_NONE;
    if (load < store || load_end > store_end)
        return OVERLAP_PARTIAL;
    return load == store ? OVERLAP_SAME : OVERLAP_CONTAINED;
}

void stlf_lay_out(struct stlf_grid *grid)
{
    const unsigned of_store = grid->store_bytes, of_load = grid->load_bytes;
    for (int cell = 0; cell < STLF_CELLS; cell++) {
        const long store = grid->at + cell / STLF_SIDE, load = grid->at + cell % STLF_SIDE;
        grid->cell[cell].traits = overlap_of(store, of_store, load, of_load) |
                                  (crosses(store, of_store, grid->line) ? STORE_LINE : 0U) |
                                  (crosses(store, of_store, grid->page) ? STORE_PAGE : 0U) |
                                  (crosses(load, of_load, grid->line) ? LOAD_LINE : 0U) |
                                  (crosses(load, of_load, grid->page) ? LOAD_PAGE : 0U);
    }
}

/* Cycles of the cells of exactly these traits, ascending. */
static size_t cells_of(const struct stlf_grid *grid, unsigned traits, double value[STLF_CELLS])
{
    size_t count = 0;
    for (const struct stlf_cell *cell = grid->cell; cell < grid->cell + STLF_CELLS; cell++)
        if (!isnan(cell->cycles) && cell->traits == traits)
            value[count++] = cell->cycles;
    values_sort(value, count);
    return count;
}

static double level_of(const struct stlf_grid *grid, unsigned traits)
{
    double value[STLF_CELLS];
    return median_of(value, cells_of(grid, traits, value));
}

bool is_renamed(double cycles, double l1)
{
    return cycles < 0.9 * l1;
}

/* The lowest level of overlapping cells that are not renamed. A tenth of a geometry is enough: some cores
 * forward only certain offsets. */
static double forwarded_level(const struct stlf_grid *grid, double l1)
{
    double lowest = NAN, value[STLF_CELLS];
    for (unsigned overlap = OVERLAP_SAME; overlap <= OVERLAP_PARTIAL; overlap++) {
        const size_t count = cells_of(grid, overlap, value);
        size_t renamed = 0;
        while (renamed < count && is_renamed(value[renamed], l1))
            renamed++;
        if (renamed < count && (count - renamed) * 10 >= count)
            lowest = fmin(lowest, quantile_of_sorted(value + renamed, count - renamed, 0.1));
    }
    return lowest;
}

static void find_levels(struct stlf_grid *grid, const struct stlf_levels *usual)
{
    struct stlf_levels *own = &grid->levels;
    const double partial = level_of(grid, OVERLAP_PARTIAL);
    *own = (struct stlf_levels){.l1 = usual->l1,
                                .independent = level_of(grid, OVERLAP_NONE),
                                .forwarded = forwarded_level(grid, usual->l1),
                                .blocked = isnan(partial) ? usual->blocked : partial};
    /* One level of all overlapping cells means either all forwarded or all blocked: the usual widths
     * decide. */
    if (usual->blocked > LEVELS_APART * usual->forwarded && own->forwarded > 0.8 * usual->blocked &&
        !(partial > LEVELS_APART * own->forwarded))
        own->forwarded = NAN;
}

/* Where no cell without overlap has both crossings, the dearer of the two stands in. */
static double crossing_cost(const struct stlf_grid *grid, unsigned geometry)
{
    const unsigned store = geometry & (STORE_LINE | STORE_PAGE), load = geometry & (LOAD_LINE | LOAD_PAGE);
    const double level = level_of(grid, store | load);
    if (isnan(level) && store && load)
        return fmax(crossing_cost(grid, store), crossing_cost(grid, load));
    return isnan(level) ? 0 : fmax(0, level - grid->levels.independent);
}

enum stlf_verdict classify_cycles(const struct stlf_levels *levels, unsigned traits, double crossing,
                                  double cycles)
{
    const double bare = cycles - crossing;
    const bool apart = (traits & OVERLAP) == OVERLAP_NONE, page = traits & (STORE_PAGE | LOAD_PAGE);
    if (apart && bare < 0.75 * levels->l1)
        return VERDICT_INDEPENDENT;
    if (!page && bare > 20 && !(bare <= FLUSH_RATIO * levels->blocked))
        return VERDICT_FLUSH;
    if (apart)
        return VERDICT_DELAYED;
    if (is_renamed(cycles, levels->l1))
        return VERDICT_RENAMED;
    /* The nearest level decides; where both are one, a load far above it is blocked. */
    const bool forwarded = levels->blocked > LEVELS_APART * levels->forwarded
                               ? bare - levels->forwarded < levels->blocked - bare
                               : bare <= FLUSH_RATIO * levels->forwarded;
    return forwarded ? VERDICT_FORWARDED : VERDICT_BLOCKED;
}

/* Cells of a geometry without a gap between them get one verdict: a limit would cut one population in two. */
static void label_geometry(struct stlf_grid *grid, unsigned geometry)
{
    double value[STLF_CELLS];
    const size_t count = cells_of(grid, geometry, value);
    const double crossing = crossing_cost(grid, geometry);
    size_t begin = 0;
    for (size_t i = 1; i <= count; i++) {
        if (i < count && value[i] - value[i - 1] <= fmax(0.35, 0.03 * value[i - 1]))
            continue;
        const double middle = quantile_of_sorted(value + begin, i - begin, 0.5);
        const enum stlf_verdict verdict = classify_cycles(&grid->levels, geometry, crossing, middle);
        for (struct stlf_cell *cell = grid->cell; cell < grid->cell + STLF_CELLS; cell++)
            if (cell->traits == geometry && cell->cycles >= value[begin] && cell->cycles <= value[i - 1]) {
                cell->crossing = crossing;
                cell->verdict = (signed char)verdict;
            }
        begin = i;
    }
}

void stlf_classify(struct stlf_grid *grid, const struct stlf_levels *usual)
{
    for (int i = 0; i < STLF_CELLS; i++)
        grid->cell[i].verdict = -1;
    find_levels(grid, usual);
    for (int i = 0; i < STLF_CELLS; i++)
        if (grid->cell[i].verdict < 0 && !isnan(grid->cell[i].cycles))
            label_geometry(grid, grid->cell[i].traits);
}

int stlf_class_of(const struct stlf_cell *cell)
{
    const int widest = cell->traits & (STORE_PAGE | LOAD_PAGE)   ? 2
                       : cell->traits & (STORE_LINE | LOAD_LINE) ? 1
                                                                 : 0;
    return cell->verdict < 0 ? -1 : cell->verdict * 3 + widest;
}

/* The widest boundary that an access crosses, of those at least as far apart as it is wide; 0: none. */
static long crossed(const struct stlf_grid *grid, long at, unsigned bytes)
{
    const long boundary[STLF_COSTS] = {grid->page, grid->line, 32, 16};
    for (int i = 0; i < STLF_COSTS; i++)
        if (boundary[i] >= (long)bytes && crosses(at, bytes, boundary[i]))
            return boundary[i];
    return 0;
}

/* Median cycles of cells without overlap that cross these boundaries. */
static double level_across(const struct stlf_grid *grid, long of_store, long of_load)
{
    double value[STLF_CELLS];
    size_t count = 0;
    for (int i = 0; i < STLF_CELLS; i++)
        if ((grid->cell[i].traits & OVERLAP) == OVERLAP_NONE && grid->cell[i].verdict >= 0 &&
            crossed(grid, grid->at + i / STLF_SIDE, grid->store_bytes) == of_store &&
            crossed(grid, grid->at + i % STLF_SIDE, grid->load_bytes) == of_load)
            value[count++] = grid->cell[i].cycles;
    return median_of(value, count);
}

/* A difference too small to report counts as none; a boundary that the grid does not contain costs as much
 * as the one before. */
int stlf_crossing_costs(const struct stlf_grid *grid, struct stlf_cost cost[STLF_COSTS])
{
    const long boundary[STLF_COSTS] = {16, 32, grid->line, grid->page};
    const double base = level_across(grid, 0, 0), least = fmax(0.1, 0.25 * base);
    struct stlf_cost last = {0, 0, 0};
    int count = 0;
    for (int i = 0; i < STLF_COSTS; i++) {
        struct stlf_cost here = {boundary[i], level_across(grid, boundary[i], 0) - base,
                                 level_across(grid, 0, boundary[i]) - base};
        here.store = isnan(here.store) ? last.store : here.store > least ? here.store : 0;
        here.load = isnan(here.load) ? last.load : here.load > least ? here.load : 0;
        if (fabs(here.store - last.store) > least || fabs(here.load - last.load) > least)
            last = cost[count++] = here;
    }
    return count;
}

/* Distances, ascending, and the number of runs without a gap. */
struct distances {
    long of[2 * STLF_SIDE];
    int count, runs;
};

/* Writes ranges where runs are few and long, else a list. */
static void spell(const struct distances *distances, struct text *text)
{
    const int count = distances->count;
    const bool ranges = count > 1 && distances->runs <= (count > 3 ? count / 3 : 1);
    for (int begin = 0, end; begin < count; begin = end) {
        for (end = begin + 1; ranges && end < count && distances->of[end] == distances->of[end - 1] + 1;)
            end++;
        if (ranges)
            text_printf(text, "%s[%ld,%ld]", begin ? " " : "", distances->of[begin], distances->of[end - 1]);
        else
            text_printf(text, "%s%ld", begin ? "," : "{", distances->of[begin]);
    }
    text_add(text, count == 0 ? "none" : ranges ? "" : "}");
}

void stlf_spell_distances(const struct stlf_grid *grid, struct text *text)
{
    struct distances every = {.count = 0}, some = {.count = 0};
    for (long distance = 1 - (long)grid->load_bytes; distance < (long)grid->store_bytes; distance++) {
        size_t cells = 0, forwarding = 0;
        for (long store = distance < 0 ? -distance : 0; store < STLF_SIDE && store + distance < STLF_SIDE;
             store++) {
            const struct stlf_cell *cell = &grid->cell[store * STLF_SIDE + store + distance];
            if (cell->verdict < 0 || cell->traits & ~(unsigned)OVERLAP)
                continue;
            cells++;
            forwarding += cell->verdict == VERDICT_FORWARDED || cell->verdict == VERDICT_RENAMED;
        }
        if (cells == 0 || 10 * forwarding < cells)
            continue;
        struct distances *of = 10 * forwarding >= 9 * cells ? &every : &some;
        of->runs += of->count == 0 || of->of[of->count - 1] != distance - 1;
        of->of[of->count++] = distance;
    }
    text_printf(text, "%ub->%ub ", grid->store_bytes * 8, grid->load_bytes * 8);
    spell(&every, text);
    if (some.count) {
        text_add(text, ", at some offsets ");
        spell(&some, text);
    }
}
