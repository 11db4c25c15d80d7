/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "synthetic.h"

static struct stlf_grid grid;
static const struct stlf_levels golden_cove = {.l1 = 5, .forwarded = 5, .blocked = 19};

/* Of widths and a latency of L1, nothing else being known. */
static void classify(stlf_core *core, double noise, unsigned store_bytes, unsigned load_bytes, double l1)
{
    synthesise_wide(&grid, core, noise, store_bytes, load_bytes);
    stlf_classify(&grid, &(struct stlf_levels){.l1 = l1, .forwarded = NAN, .blocked = NAN});
}

/* Cells of this verdict with a value between low and high */
static size_t cells_at(enum stlf_verdict verdict, double low, double high)
{
    size_t cells = 0;
    for (const struct stlf_cell *cell = grid.cell; cell < grid.cell + STLF_CELLS; cell++)
        cells += cell->verdict == (int)verdict && cell->cycles >= low && cell->cycles <= high;
    return cells;
}

/* Core 2: as the article says, blocks of 8 bytes. Sandy Bridge: nothing but partial overlap fails. Phenom: needs a store
 * within 16 bytes. */
TEST(cells_are_as_the_cores_are_described)
{
    static const struct {
        stlf_core *core;
        double l1;
        int store, load;
        enum stlf_verdict verdict;
    } rows[] = {{core2, 3, 8, 8, VERDICT_FORWARDED},         {core2, 3, 8, 12, VERDICT_FORWARDED},
                {core2, 3, 8, 10, VERDICT_BLOCKED},          {core2, 3, 9, 13, VERDICT_BLOCKED},
                {core2, 3, 9, 20, VERDICT_DELAYED},    /* shares a block of 8 bytes with the store */
                {core2, 3, 60, 60, VERDICT_FORWARDED}, /* the store alone crosses the line */
                {core2, 3, 62, 62, VERDICT_BLOCKED},   /* the load does, too */
                {sandy_bridge, 4, 8, 11, VERDICT_FORWARDED}, {sandy_bridge, 4, 62, 62, VERDICT_FORWARDED},
                {sandy_bridge, 4, 8, 6, VERDICT_BLOCKED},    {phenom, 3, 8, 8, VERDICT_FORWARDED},
                {phenom, 3, 10, 10, VERDICT_BLOCKED},        {phenom, 3, 0, 2, VERDICT_BLOCKED}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        classify(rows[i].core, 0, 8, 4, rows[i].l1);
        assert_int_equal(grid.cell[rows[i].store * STLF_SIDE + rows[i].load].verdict, rows[i].verdict);
    }
}

/* By the nearest of the measured levels; a store across pages costs 21 cycles without overlap, too, which is neither a flush nor a
 * failed forward; a flush is beyond what is blocked. */
TEST(a_verdict_is_by_levels)
{
    static const struct stlf_levels paged = {4, 0.5, 7, 14}, golden = {5, 0.5, 5, 19},
                                    zen4 = {4, 0.67, 6, 19}, alike = {4, NAN, 6, 6.5};
    static const struct {
        const struct stlf_levels *levels;
        unsigned traits;
        double crossing, cycles;
        enum stlf_verdict verdict;
    } rows[] = {{&paged, OVERLAP_NONE | STORE_PAGE, 21.4, 21.9, VERDICT_INDEPENDENT},
                {&paged, OVERLAP_CONTAINED | STORE_PAGE, 21.4, 27.2, VERDICT_FORWARDED},
                {&paged, OVERLAP_SAME | STORE_PAGE | LOAD_PAGE, 21.4, 30.7, VERDICT_FORWARDED},
                {&paged, OVERLAP_PARTIAL | STORE_PAGE | LOAD_PAGE, 21.4, 40.2, VERDICT_BLOCKED},
                {&paged, OVERLAP_SAME, 0, 33, VERDICT_FLUSH},
                {&paged, OVERLAP_SAME, 0, 3, VERDICT_RENAMED},
                {&golden, OVERLAP_PARTIAL, 0, 21, VERDICT_BLOCKED},
                {&zen4, OVERLAP_SAME, 0, 12.4, VERDICT_FORWARDED},
                {&zen4, OVERLAP_SAME, 0, 12.6, VERDICT_BLOCKED},
                {&alike, OVERLAP_SAME, 0, 8.3, VERDICT_FORWARDED},
                {&alike, OVERLAP_SAME, 0, 8.5, VERDICT_BLOCKED}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(classify_cycles(rows[i].levels, rows[i].traits, rows[i].crossing, rows[i].cycles),
                         rows[i].verdict);
}

TEST(classes_are_a_verdict_and_what_is_crossed)
{
    classify(zen5_64, 0, 8, 4, 4);
    assert_string_equal(stlf_class_names[stlf_class_of(&grid.cell[0])], "forwarded");
    assert_string_equal(stlf_class_names[stlf_class_of(&grid.cell[61 * STLF_SIDE + 61])],
                        "forwarded across a line");
    grid.cell[100].cycles = NAN; /* not measured */
    stlf_classify(&grid, &golden_cove);
    assert_int_equal(stlf_class_of(&grid.cell[100]), -1);
    assert_int_equal(cells_at(VERDICT_INDEPENDENT, 0, 2), 3425);
    for (int cell = 0; cell < STLF_CELLS; cell++)
        grid.cell[cell].cycles = NAN;
    stlf_classify(&grid, &golden_cove);
    assert_int_equal(stlf_class_of(&grid.cell[0]), -1);
}

/* A limit of 1.4 times the blocked level, 19.6, lies within this population. */
TEST(no_limit_cuts_one_population_in_two)
{
    synthesise(&grid, zen5_64, 0);
    for (int cell = 0; cell < STLF_CELLS; cell++)
        if ((grid.cell[cell].traits & OVERLAP) == OVERLAP_CONTAINED)
            grid.cell[cell].cycles = 20.5 + 0.01 * (cell % 20);
    stlf_classify(&grid, &(struct stlf_levels){.l1 = 4, .forwarded = 6.5, .blocked = 14.7});
    for (int cell = 0; cell < STLF_CELLS; cell++)
        if (grid.cell[cell].traits == OVERLAP_CONTAINED)
            assert_int_equal(grid.cell[cell].verdict, grid.cell[1].verdict);
}

/* The geometry of these verdicts is the same on every recording of the core, however noisy. */
TEST(recorded_golden_cove)
{
    static const char *const names[] = {"golden_cove_64_pairs.txt", "golden_cove_5_pairs.txt",
                                        "golden_cove_64_pairs_noisy.txt"};
    for (int name = 0; name < 3; name++) {
        char path[512], line[4096];
        int cell = 0;
        snprintf(path, sizeof path, "%s/stlf/%s", TEST_DATA, names[name]);
        FILE *file = fopen(path, "r");
        assert_non_null(file);
        synthesise(&grid, zen5_64, 0);
        while (fgets(line, sizeof line, file)) {
            char *at = line;
            for (int i = 0; line[0] != '#' && i < STLF_SIDE; i++)
                grid.cell[cell++].cycles = strtod(at, &at);
        }
        fclose(file);
        assert_int_equal(cell, STLF_CELLS);
        stlf_classify(&grid, &golden_cove);
        assert_int_equal(cells_at(VERDICT_INDEPENDENT, 0, 3), 3426);
        assert_int_equal(cells_at(VERDICT_RENAMED, 0, 3), 61);
        assert_int_equal(cells_at(VERDICT_FORWARDED, 4.5, 5.5), 234);
        assert_int_equal(cells_at(VERDICT_FORWARDED, 7, 9), 15);
        assert_int_equal(cells_at(VERDICT_BLOCKED, 18, 22), 360);
    }
}

static double never_forwarded(long store, long load, unsigned traits)
{
    return (traits & OVERLAP) == OVERLAP_NONE ? 0.5 : 19;
}

static double always_forwarded(long store, long load, unsigned traits)
{
    return (traits & OVERLAP) == OVERLAP_NONE ? 0.5 : 7.5;
}

/* Where a store narrower than the load can serve none of it, all that overlaps costs the same; only the usual widths show that this
 * is the price of waiting. */
TEST(what_overlaps_is_held_against_the_usual_widths)
{
    static const struct {
        stlf_core *core;
        struct stlf_levels usual;
        enum stlf_verdict verdict, none;
    } rows[] = {{never_forwarded, {5, 0, 5, 19}, VERDICT_BLOCKED, VERDICT_FORWARDED},
                {always_forwarded, {3, 0, 7.5, 7.5}, VERDICT_FORWARDED, VERDICT_BLOCKED}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        synthesise(&grid, rows[i].core, 0);
        stlf_classify(&grid, &rows[i].usual);
        assert_true(cells_at(rows[i].verdict, 0, 100) > 0);
        assert_int_equal(cells_at(rows[i].none, 0, 100), 0);
    }
}

/* Zen 4: a store pays at 32 bytes, so at a line's end, too; the load pays at the line only. */
static double boundary_of_32(long store, long load, unsigned traits)
{
    return (traits & OVERLAP) == OVERLAP_NONE
               ? 0.67 + (splits(store, 8, 32) ? 1.3 : 0) + (traits & LOAD_CROSSES ? 0.4 : 0)
               : 7;
}

/* An access as wide as its boundary lies on it somewhere. */
static double wide(long store, long load, unsigned traits)
{
    return (traits & OVERLAP) == OVERLAP_NONE ? 1 + (traits & STORE_LINE ? 2 : 0) : 9;
}

/* The boundaries that cost a store or a load something, and more than the one before. */
TEST(one_cost_is_said_once)
{
    static const struct {
        stlf_core *core;
        double l1;
        int count;
        struct stlf_cost cost[STLF_COSTS];
        unsigned store_bytes;
    } rows[] = {{zen5_64, 4, 1, {{64, 0.40, 0.25}}},
                {core2, 3, 1, {{64, 9.7, 12.1}}},
                {sandy_bridge, 4, 1, {{64, 2, 3.9}}},
                {phenom, 3, 1, {{16, 1, 1}}},
                {boundary_of_32, 4, 2, {{32, 1.3, 0}, {64, 1.3, 0.4}}},
                {wide, 4, 1, {{64, 2, 0}}, 32}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct stlf_cost cost[STLF_COSTS];
        classify(rows[i].core, 0.003, rows[i].store_bytes ? rows[i].store_bytes : 8, 4, rows[i].l1);
        assert_int_equal(stlf_crossing_costs(&grid, cost), rows[i].count);
        for (int j = 0; j < rows[i].count; j++) {
            assert_int_equal(cost[j].bytes, rows[i].cost[j].bytes);
            assert_true(fabs(cost[j].store - rows[i].cost[j].store) < 0.1);
            assert_true(fabs(cost[j].load - rows[i].cost[j].load) < 0.1);
        }
    }
}

/* A 64-byte store in two parts, as on Zen 4. */
static double two_parts(long store, long load, unsigned traits)
{
    return (traits & OVERLAP) == OVERLAP_NONE ? 1 : load >= store && (load - store) % 32 <= 24 ? 9 : 19;
}

static double halves_only(long store, long load, unsigned traits)
{
    return (traits & OVERLAP) == OVERLAP_NONE ? 1 : load == store || load == store + 4 ? 5 : 11;
}

TEST(distances_are_ranges_or_a_list)
{
    static const struct {
        stlf_core *core;
        unsigned store_bytes, load_bytes;
        const char *text;
    } rows[] = {{zen5_64, 8, 4, "64b->32b [0,4]"},
                {core2, 8, 4, "64b->32b {0}, at some offsets {4}"},
                {halves_only, 8, 4, "64b->32b {0,4}"},
                {two_parts, 64, 8, "512b->64b [0,24] [32,56]"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct text text = {0};
        classify(rows[i].core, 0, rows[i].store_bytes, rows[i].load_bytes, 4);
        stlf_spell_distances(&grid, &text);
        assert_string_equal(text.data, rows[i].text);
        text_free(&text);
    }
}
