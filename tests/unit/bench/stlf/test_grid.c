/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "synthetic.h"

static struct stlf_grid grid;

static void classify(stlf_core *core, double noise, double l1)
{
    synthesise(&grid, core, noise);
    stlf_classify(&grid, &(struct stlf_levels){.l1 = l1, .forwarded = NAN, .blocked = NAN}, false);
}

/* Cells of this verdict with a value between low and high */
static size_t cells_at(enum stlf_verdict verdict, double low, double high)
{
    size_t cells = 0;
    for (int cell = 0; cell < STLF_CELLS; cell++)
        cells += grid.verdict[cell] == (int)verdict && grid.cycles[cell] >= low && grid.cycles[cell] <= high;
    return cells;
}

/* Cells by verdict and value, of grids with and without noise. */
TEST(classes_have_as_many_cells_as_were_measured)
{
    static const struct {
        stlf_core *core;
        enum stlf_verdict verdict;
        double low, high;
        size_t cells;
    } rows[] = {
        {zen5_64, VERDICT_INDEPENDENT, 0, 2, 3426},      {zen5_64, VERDICT_FORWARDED, 6.5, 8.5, 295 + 18},
        {zen5_64, VERDICT_BLOCKED, 13, 18, 348 + 6 + 3}, {zen5_64, VERDICT_RENAMED, 0, 100, 0},
        {zen5_5, VERDICT_RENAMED, 0, 1.5, 64},           {zen5_5, VERDICT_INDEPENDENT, 0, 1.5, 3426},
        {zen5_5, VERDICT_FORWARDED, 6.5, 7.5, 234},      {zen5_5, VERDICT_FORWARDED, 7.5, 8.5, 15},
        {zen5_5, VERDICT_BLOCKED, 13.5, 14.5, 348},      {sandy_bridge, VERDICT_FLUSH, 0, 100, 0}};
    for (size_t i = 0; i < 2 * sizeof rows / sizeof *rows; i++) {
        classify(rows[i / 2].core, i % 2 ? 0.01 : 0, 4);
        assert_int_equal(cells_at(rows[i / 2].verdict, rows[i / 2].low, rows[i / 2].high), rows[i / 2].cells);
    }
}

/* Core 2: as the article says, blocks of 8 bytes. Sandy Bridge: nothing but partial overlap fails. Phenom: needs a store
 * within 16 bytes. Piledriver: what is contained. */
TEST(cells_are_as_the_cores_are_described)
{
    static const struct {
        stlf_core *core;
        double l1;
        int store, load;
        enum stlf_verdict verdict;
    } rows[] = {{core2, 3, 8, 8, VERDICT_FORWARDED},
                {core2, 3, 8, 12, VERDICT_FORWARDED},
                {core2, 3, 8, 10, VERDICT_BLOCKED},
                {core2, 3, 9, 13, VERDICT_BLOCKED},
                {core2, 3, 8, 0, VERDICT_INDEPENDENT},
                {core2, 3, 9, 20, VERDICT_DELAYED}, /* shares a block of 8 bytes with the store */
                {core2, 3, 60, 20, VERDICT_INDEPENDENT},
                {core2, 3, 60, 60, VERDICT_FORWARDED}, /* the store alone crosses the line */
                {core2, 3, 62, 62, VERDICT_BLOCKED},   /* the load does, too */
                {sandy_bridge, 4, 8, 8, VERDICT_FORWARDED},
                {sandy_bridge, 4, 8, 11, VERDICT_FORWARDED},
                {sandy_bridge, 4, 62, 62, VERDICT_FORWARDED},
                {sandy_bridge, 4, 8, 6, VERDICT_BLOCKED},
                {sandy_bridge, 4, 58, 61, VERDICT_FORWARDED},
                {sandy_bridge, 4, 8, 13, VERDICT_BLOCKED},
                {sandy_bridge, 4, 20, 61, VERDICT_INDEPENDENT},
                {phenom, 3, 8, 8, VERDICT_FORWARDED},
                {phenom, 3, 10, 10, VERDICT_BLOCKED},
                {phenom, 3, 0, 2, VERDICT_BLOCKED},
                {phenom, 3, 30, 30, VERDICT_BLOCKED},
                {piledriver, 4, 8, 10, VERDICT_FORWARDED},
                {piledriver, 4, 10, 12, VERDICT_FORWARDED},
                {piledriver, 4, 10, 13, VERDICT_BLOCKED}, /* the load crosses 16 bytes */
                {piledriver, 4, 14, 14, VERDICT_FORWARDED}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        classify(rows[i].core, 0, rows[i].l1);
        print_message("row %zu\n", i);
        assert_int_equal(grid.verdict[rows[i].store * STLF_SIDE + rows[i].load], rows[i].verdict);
    }
}

/* By the nearest of the measured levels; a store across pages costs 21 cycles without overlap, too, which is neither a flush nor a
 * failed forward; a flush is beyond what is blocked. */
TEST(a_verdict_is_by_levels)
{
    static const struct stlf_levels
        paged = {4, 0.5, NAN, 7, 14, {[CROSSES_PAGE] = {[CROSSES_NOTHING] = 21.4, [CROSSES_PAGE] = 21.4}}},
        golden = {5, 0.5, NAN, 5, 19, {{0}}}, zen4 = {4, 0.67, 19, 6, 19, {{0}}},
        alike = {4, NAN, 6.5, 6, 6.5, {{0}}};
    static const struct {
        const struct stlf_levels *levels;
        struct geometry geometry;
        double cycles;
        enum stlf_verdict verdict;
    } rows[] = {{&paged, {OVERLAP_NONE, CROSSES_PAGE, CROSSES_NOTHING}, 21.9, VERDICT_INDEPENDENT},
                {&paged, {OVERLAP_CONTAINED, CROSSES_PAGE, CROSSES_NOTHING}, 27.2, VERDICT_FORWARDED},
                {&paged, {OVERLAP_SAME, CROSSES_PAGE, CROSSES_PAGE}, 30.7, VERDICT_FORWARDED},
                {&paged, {OVERLAP_PARTIAL, CROSSES_PAGE, CROSSES_PAGE}, 40.2, VERDICT_BLOCKED},
                {&paged, {.overlap = OVERLAP_SAME}, 33, VERDICT_FLUSH},
                {&paged, {.overlap = OVERLAP_SAME}, 3, VERDICT_RENAMED},
                {&golden, {.overlap = OVERLAP_PARTIAL}, 21, VERDICT_BLOCKED},
                {&zen4, {.overlap = OVERLAP_SAME}, 12.4, VERDICT_FORWARDED},
                {&zen4, {.overlap = OVERLAP_SAME}, 12.6, VERDICT_BLOCKED},
                {&alike, {.overlap = OVERLAP_SAME}, 8.3, VERDICT_FORWARDED},
                {&alike, {.overlap = OVERLAP_SAME}, 8.5, VERDICT_BLOCKED}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(verdict_of(rows[i].levels, rows[i].geometry, rows[i].cycles), rows[i].verdict);
}

TEST(cells_that_were_not_measured)
{
    synthesise(&grid, zen5_64, 0);
    grid.cycles[100] = NAN;
    stlf_classify(&grid, &(struct stlf_levels){.l1 = 4, .forwarded = NAN, .blocked = NAN}, false);
    assert_int_equal(grid.verdict[100], -1);
    assert_int_equal(stlf_class_of(&grid, 100), -1);
    assert_int_equal(cells_at(VERDICT_INDEPENDENT, 0, 2), 3425);
    for (int cell = 0; cell < STLF_CELLS; cell++)
        grid.cycles[cell] = NAN;
    stlf_classify(&grid, &(struct stlf_levels){.l1 = 4, .forwarded = NAN, .blocked = NAN}, false);
    for (int i = 0; i < STLF_CLASSES; i++)
        assert_false(stlf_class_at(&grid, i, &(struct stlf_class){0}));
}

/* On Zen 4, late data without reuse: a limit of 1.4 times the blocked level, 26.6, lies within this population. */
TEST(no_limit_cuts_one_population_in_two)
{
    synthesise(&grid, zen5_64, 0);
    for (int cell = 0; cell < STLF_CELLS; cell++) {
        if (grid_geometry(&grid, cell).overlap == OVERLAP_CONTAINED)
            grid.cycles[cell] = 26.5 + 0.01 * (cell % 20);
    }
    stlf_classify(&grid, &(struct stlf_levels){.l1 = 4, .forwarded = 6.5, .blocked = 19}, true);
    int verdict = -1;
    for (int cell = 0; cell < STLF_CELLS; cell++) {
        const struct geometry geometry = grid_geometry(&grid, cell);
        if (geometry.overlap != OVERLAP_CONTAINED || geometry.store != CROSSES_NOTHING ||
            geometry.load != CROSSES_NOTHING)
            continue;
        const int here = grid.verdict[cell];
        assert_true(verdict < 0 || verdict == here);
        verdict = here;
    }
}

TEST(classes_are_a_verdict_and_what_is_crossed)
{
    const int forwarded = VERDICT_FORWARDED * CROSSING_COUNT;
    struct stlf_class class;
    size_t cells = 0;
    classify(zen5_64, 0, 4);
    assert_true(stlf_class_at(&grid, forwarded, &class));
    assert_string_equal(stlf_class_names[forwarded], "forwarded");
    assert_string_equal(class.meaning, "contained (228), same address (57)");
    assert_int_equal(class.cells, 285);
    assert_true(class.low >= 7 && class.cycles <= 7.02 && class.high <= 7.02);
    assert_true(stlf_class_at(&grid, forwarded + CROSSES_LINE, &class));
    assert_string_equal(stlf_class_names[forwarded + CROSSES_LINE], "forwarded across a line");
    for (int i = 0; i < STLF_CLASSES; i++)
        cells += stlf_class_at(&grid, i, &class) ? class.cells : 0;
    assert_int_equal(cells, STLF_CELLS);
}

static void read_grid(const char *name)
{
    char path[512], line[4096];
    int cell = 0;
    snprintf(path, sizeof path, "%s/stlf/%s", TEST_DATA, name);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    grid = (struct stlf_grid){.store_bytes = 8, .load_bytes = 4, .line = 64, .page = 4096};
    while (fgets(line, sizeof line, file)) {
        char *at = line;
        for (int i = 0; line[0] != '#' && i < STLF_SIDE; i++)
            grid.cycles[cell++] = strtod(at, &at);
    }
    fclose(file);
    assert_int_equal(cell, STLF_CELLS);
}

/* The geometry of these verdicts is the same on every recording of the core, however noisy. */
static void check_golden_cove(const char *name)
{
    read_grid(name);
    stlf_classify(&grid, &(struct stlf_levels){.l1 = 5, .forwarded = 5, .blocked = 19}, false);
    assert_int_equal(cells_at(VERDICT_INDEPENDENT, 0, 3), 3426);
    assert_int_equal(cells_at(VERDICT_RENAMED, 0, 3), 61);
    assert_int_equal(cells_at(VERDICT_FORWARDED, 4.5, 5.5), 234);
    assert_int_equal(cells_at(VERDICT_FORWARDED, 7, 9), 15);
    assert_int_equal(cells_at(VERDICT_BLOCKED, 18, 22), 360);
}

TEST(recorded_golden_cove)
{
    check_golden_cove("golden_cove_64_pairs.txt");
    check_golden_cove("golden_cove_5_pairs.txt");
    check_golden_cove("golden_cove_64_pairs_noisy.txt");
}

TEST(recordings_agree)
{
    signed char noisy[STLF_CELLS];
    size_t equal = 0;
    const struct stlf_levels usual = {.l1 = 5, .forwarded = 5, .blocked = 19};
    read_grid("golden_cove_64_pairs_noisy.txt");
    stlf_classify(&grid, &usual, false);
    memcpy(noisy, grid.verdict, sizeof noisy);
    read_grid("golden_cove_64_pairs.txt");
    stlf_classify(&grid, &usual, false);
    for (int cell = 0; cell < STLF_CELLS; cell++)
        equal += noisy[cell] == grid.verdict[cell];
    assert_true(equal >= 0.999 * STLF_CELLS);
}

/* Where a store narrower than the load can serve none of it, all that overlaps costs the same; only the usual
 * widths tell that this is the price of waiting. */
static double never_forwarded(long store, long load, struct geometry g)
{
    return g.overlap == OVERLAP_NONE ? 0.5 : 19;
}

static double always_forwarded(long store, long load, struct geometry g)
{
    return g.overlap == OVERLAP_NONE ? 0.5 : 7.5;
}

TEST(all_blocked_against_all_forwarded)
{
    synthesise(&grid, never_forwarded, 0);
    stlf_classify(&grid, &(struct stlf_levels){.l1 = 5, .forwarded = 5, .blocked = 19}, false);
    assert_true(cells_at(VERDICT_BLOCKED, 18, 20) > 0);
    assert_int_equal(cells_at(VERDICT_FORWARDED, 0, 100), 0);
    synthesise(&grid, always_forwarded, 0);
    stlf_classify(&grid, &(struct stlf_levels){.l1 = 3, .forwarded = 7.5, .blocked = 7.5}, false);
    assert_true(cells_at(VERDICT_FORWARDED, 7, 8) > 0);
    assert_int_equal(cells_at(VERDICT_BLOCKED, 0, 100), 0);
}

/* The chain through the store's address is longer by what computes the address, blocked loads included. */
static double late_address(long store, long load, struct geometry g)
{
    if (g.overlap == OVERLAP_NONE)
        return 0.5;
    if (g.overlap != OVERLAP_PARTIAL)
        return 8;
    return g.store == CROSSES_NOTHING ? 22.3 : 29;
}

static double late_address_flushed(long store, long load, struct geometry g)
{
    return g.overlap == OVERLAP_PARTIAL ? 40 : late_address(store, load, g);
}

TEST(late_address_is_held_against_its_own_chain)
{
    synthesise(&grid, late_address, 0);
    stlf_classify(&grid, &(struct stlf_levels){.l1 = 5, .forwarded = 5, .blocked = 19}, true);
    assert_int_equal(cells_at(VERDICT_FLUSH, 0, 100), 0);
    assert_true(cells_at(VERDICT_BLOCKED, 28, 30) > 0);
    synthesise(&grid, late_address_flushed, 0);
    stlf_classify(&grid, &(struct stlf_levels){.l1 = 5, .forwarded = 5, .blocked = 19}, true);
    assert_true(cells_at(VERDICT_FLUSH, 39, 41) > 0);
    assert_int_equal(cells_at(VERDICT_BLOCKED, 0, 100), 0);
}

/* A width whose partial overlap costs as much as the same address tells nothing by itself. */
TEST(levels_of_a_width_are_its_own_where_they_differ)
{
    const struct stlf_levels usual = {.l1 = 4, .partial = 19, .forwarded = 6, .blocked = 19};
    assert_true(stlf_levels_of_width(&usual, 9, 11.3).blocked < 11.5);
    assert_true(stlf_levels_of_width(&usual, 9, 11.2).blocked > 18.5);
    assert_true(stlf_levels_of_width(&usual, NAN, 19).forwarded < 6.5);
    assert_true(stlf_levels_of_width(&usual, 9, NAN).forwarded < 6.5);
}
