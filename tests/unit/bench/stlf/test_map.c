/* SPDX-License-Identifier: MIT */
/* What two grids of one width say: how sure their cells are, and each fact once. */
#include "test.h"

#include "bench/stlf/map.h"
#include "synthetic.h"

static struct map map;
static struct estimate estimate[STLF_CELLS];
static struct stlf_set set = {.count = STLF_CELLS, .estimate = estimate, .state = STATE_IDLE};
static const struct stlf_levels usual = {.l1 = 4, .forwarded = 7, .blocked = 14};

static struct estimate steady(double value)
{
    return (struct estimate){
        .state = STATE_IDLE,
        .summary = {.count = 40, .min = value, .p10 = value, .median = value, .p90 = value},
        .value = value,
        .low = value - 0.01,
        .high = value + 0.01,
        .first = value,
        .second = value,
        .placements = 8,
        .placement_low = value,
        .placement_high = value,
        .visits = 1};
}

/* The first `doubtful` overlapping cells had another value in one half of the run. */
static void script(stlf_core *core, unsigned pairs, size_t doubtful, const struct map *many)
{
    map = (struct map){.pairs = pairs,
                       .many = many,
                       .says = many ? SAYS_DISTANCES : SAYS_ALL,
                       .width = {.name = "8/4", .store = 8, .load = 4}};
    synthesise(&map.grid, core, 0);
    strcpy(map.name, pairs == 64 ? "many" : "few");
    for (int cell = 0; cell < STLF_CELLS; cell++) {
        estimate[cell] = steady(map.grid.cycles[cell]);
        if (doubtful > 0 && grid_geometry(&map.grid, cell).overlap == OVERLAP_PARTIAL) {
            estimate[cell].second = 7;
            doubtful--;
        }
    }
    stlf_map_judge(&map, &set, &usual);
}

TEST(a_cell_that_changes_sides_is_in_doubt)
{
    script(zen5_64, 64, 0, NULL);
    assert_true(stlf_map_sure(&map, CELLS_ALL) == 1);
    assert_int_equal(stlf_map_trust(&map, CELLS_OVERLAPPING).trust, TRUST_HIGH);
    assert_int_equal(stlf_map_level_trust(&map).trust, TRUST_HIGH);
    script(zen5_64, 64, 5, NULL);
    assert_int_equal(stlf_map_trust(&map, CELLS_OVERLAPPING).trust, TRUST_MEDIUM);
    assert_int_equal(stlf_map_trust(&map, CELLS_APART).trust, TRUST_HIGH);
    script(zen5_64, 64, 50, NULL);
    assert_int_equal(stlf_map_trust(&map, CELLS_OVERLAPPING).trust, TRUST_LOW);
    assert_int_equal(stlf_map_trust(&map, CELLS_OVERLAPPING).leg, LEG_PRECISION);
}

/* Of all cells, those that are sure after this one became so. */
static size_t sure_with(int cell, struct estimate e)
{
    estimate[cell] = e;
    stlf_map_judge(&map, &set, &usual);
    return map.cells[CELLS_APART].sure + map.cells[CELLS_OVERLAPPING].sure;
}

/* A page's end is a matter of where pages lie. */
TEST(what_depends_on_pages_needs_several_placements)
{
    script(zen5_64, 64, 0, NULL);
    map.window = WINDOW_PAGE;
    struct estimate e = estimate[1];
    e.placements = STLF_PLACEMENTS_LEAST;
    assert_int_equal(sure_with(1, e), STLF_CELLS);
    e.placements--;
    assert_int_equal(sure_with(1, e), STLF_CELLS - 1);
    e.placements = STLF_PLACEMENTS_LEAST;
    e.placement_high = 30;
    assert_int_equal(sure_with(1, e), STLF_CELLS - 1);
    map.window = WINDOW_ALIGNED;
    assert_int_equal(sure_with(1, e), STLF_CELLS);
}

static const struct answer *found(const struct record *record, const char *key)
{
    return record_answer_find(record, key, NULL);
}

TEST(a_fact_of_both_grids_is_said_once)
{
    struct run run = {.record = record_new()};
    struct stlf stlf = {.run = &run};
    stlf_map_tables(&stlf);
    set.stlf = &stlf;
    script(zen5_64, 64, 0, NULL);
    stlf_map_say(&map, &set);
    struct map *many = malloc(sizeof *many);
    *many = map;
    script(zen5_5, 4, 0, many);
    stlf_map_say(&map, &set);
    assert_string_equal(cell_text(&found(run.record, "stlf.grid.fa.8_4.64.distances")->value),
                        "64b->32b [0,4]");
    assert_null(found(run.record, "stlf.grid.fa.8_4.4.distances"));
    assert_int_equal(cell_number(&found(run.record, "stlf.grid.fa.8_4.4.renamed_cells")->value), 64);
    assert_true(fabs(cell_number(&found(run.record, "stlf.grid.fa.8_4.64.line_crossing")->value) - 0.4) <
                0.01);
    assert_int_equal(cell_number(&found(run.record, "stlf.grid.fa.8_4.64.granule")->value), 1);
    assert_int_equal(run.record->tables.of[stlf.grid_table].row_count, 2 * STLF_CELLS);
    text_free(&map.distances);
    text_free(&many->distances);
    free(many);
    record_free(run.record);
}

/* Of all 4,096 cells. */
static enum trust trust_of_doubtful(size_t cells)
{
    script(zen5_64, 64, cells, NULL);
    return stlf_map_trust(&map, CELLS_ALL).trust;
}

TEST(one_cell_in_a_thousand_may_be_in_doubt)
{
    assert_int_equal(trust_of_doubtful(4), TRUST_HIGH);
    assert_int_equal(trust_of_doubtful(5), TRUST_MEDIUM);
    assert_int_equal(trust_of_doubtful(40), TRUST_MEDIUM);
    assert_int_equal(trust_of_doubtful(41), TRUST_LOW);
}

/* That share of the cells without overlap, in a hundred, has an interval of that many cycles to either side, the others one
 * of `rest`: 1 makes low trust, 0.2 medium. */
static enum trust trust_of_level(size_t percent, double half, double rest)
{
    size_t apart = 0;
    script(zen5_64, 64, 0, NULL);
    for (int cell = 0; cell < STLF_CELLS; cell++)
        if (grid_geometry(&map.grid, cell).overlap == OVERLAP_NONE) {
            estimate[cell] = steady(5);
            estimate[cell].high = 5 + (apart++ % 100 < percent ? half : rest);
        }
    stlf_map_judge(&map, &set, &usual);
    return stlf_map_level_trust(&map).trust;
}

TEST(a_level_needs_nine_tenths_of_its_cells)
{
    assert_int_equal(trust_of_level(8, 1, 0), TRUST_HIGH);
    assert_int_equal(trust_of_level(12, 1, 0), TRUST_LOW);
    assert_int_equal(trust_of_level(12, 0.2, 0), TRUST_MEDIUM);
    assert_int_equal(trust_of_level(8, 1, 0.2), TRUST_MEDIUM);
    assert_int_equal(trust_of_level(12, 1, 0.2), TRUST_LOW);
}

TEST(eight_samples_make_a_cell_sure)
{
    script(zen5_64, 64, 0, NULL);
    struct estimate e = estimate[1];
    e.summary.count = 8;
    assert_int_equal(sure_with(1, e), STLF_CELLS);
    e.summary.count = 7;
    assert_int_equal(sure_with(1, e), STLF_CELLS - 1);
}
