/* SPDX-License-Identifier: MIT */
/* What two grids of one width say: how sure their cells are, and each fact once. */
#include "test.h"

#include "bench/stlf/map.h"
#include "synthetic.h"

static struct map map;
static const struct stlf_set set = {.state = STATE_IDLE};

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
static void script(stlf_core *core, unsigned pairs, size_t doubtful, const struct map_verdicts *many)
{
    const struct stlf_reference reference = {.l1 = 4, .forwarded = 7, .blocked = 14};
    map = (struct map){.pairs = pairs,
                       .many = many,
                       .says = many ? SAYS_DISTANCES : SAYS_ALL,
                       .width = {.name = "8/4", .store = 8, .load = 4}};
    synthesise(&map.grid, core, 0);
    strcpy(map.name, pairs == 64 ? "many" : "few");
    for (int cell = 0; cell < STLF_CELLS; cell++) {
        struct estimate e = steady(map.grid.cycles[cell]);
        if (doubtful > 0 && grid_geometry(&map.grid, cell).overlap == OVERLAP_PARTIAL) {
            e.second = 7;
            doubtful--;
        }
        stlf_map_take(&map, &set, (size_t)cell, &e);
    }
    stlf_classify(&map.grid, &reference, &map.classes);
    stlf_map_judge(&map, &set);
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

/* A page's end is a matter of where pages lie. */
TEST(what_depends_on_pages_needs_several_placements)
{
    struct estimate e = steady(14);
    e.placements = 3;
    script(zen5_64, 64, 0, NULL);
    map.window = WINDOW_PAGE;
    stlf_map_take(&map, &set, 0, &e);
    stlf_map_judge(&map, &set);
    assert_false(map.facts[0].sure);
    e = steady(map.grid.cycles[1]);
    e.placements = STLF_PLACEMENTS_LEAST;
    stlf_map_take(&map, &set, 1, &e);
    stlf_map_judge(&map, &set);
    assert_true(map.facts[1].sure);
    e.placement_high = 30;
    stlf_map_take(&map, &set, 1, &e);
    stlf_map_judge(&map, &set);
    assert_false(map.facts[1].sure);
}

static const char *text_of(const struct record *record, const char *key)
{
    for (size_t i = 0; i < record_answer_count(record); i++) {
        if (strcmp(record_answer_at(record, i)->key, key) == 0)
            return record_answer_at(record, i)->text;
    }
    return "";
}

TEST(a_fact_of_both_grids_is_said_once)
{
    struct run run = {.record = record_new()};
    struct stlf stlf = {.run = &run};
    const struct map_tables tables = stlf_map_tables(run.record);
    script(zen5_64, 64, 0, NULL);
    stlf_map_report(&stlf, &tables, &map);
    struct map_verdicts many = stlf_map_verdicts(&map);
    script(zen5_5, 4, 0, &many);
    stlf_map_report(&stlf, &tables, &map);
    assert_string_equal(text_of(run.record, "stlf.grid.fa.8_4.64.distances"),
                        "many: loads are forwarded that begin so many bytes above the store: [0,4]");
    assert_string_equal(text_of(run.record, "stlf.grid.fa.8_4.4.distances"), "");
    assert_string_equal(text_of(run.record, "stlf.grid.fa.8_4.4.renamed_cells"),
                        "few: 64 cells are renamed, 64 of them no longer at 64 pairs");
    assert_string_equal(
        text_of(run.record, "stlf.grid.fa.8_4.64.line_crossing"),
        "many: crossing a line costs a store 0.4 cycles and a load 0.2, even without overlap");
    assert_int_equal(record_table_at(run.record, tables.grid)->row_count, 2 * STLF_CELLS);
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

/* That share of the cells without overlap, in a hundred, has so little trust. */
static enum trust trust_of_level(size_t percent, enum trust trust)
{
    size_t apart = 0;
    script(zen5_64, 64, 0, NULL);
    for (int cell = 0; cell < STLF_CELLS; cell++)
        if (grid_geometry(&map.grid, cell).overlap == OVERLAP_NONE)
            map.facts[cell].trust = (unsigned char)(apart++ % 100 < percent ? trust : TRUST_HIGH);
    return stlf_map_level_trust(&map).trust;
}

TEST(a_level_needs_nine_tenths_of_its_cells)
{
    assert_int_equal(trust_of_level(8, TRUST_LOW), TRUST_HIGH);
    assert_int_equal(trust_of_level(12, TRUST_LOW), TRUST_LOW);
    assert_int_equal(trust_of_level(12, TRUST_MEDIUM), TRUST_MEDIUM);
    script(zen5_64, 64, 0, NULL);
    for (int cell = 0; cell < STLF_CELLS; cell++)
        map.facts[cell].trust = cell % 100 < 8 ? TRUST_LOW : TRUST_MEDIUM;
    assert_int_equal(stlf_map_level_trust(&map).trust, TRUST_MEDIUM);
}

TEST(eight_samples_make_a_cell_sure)
{
    struct estimate e;
    script(zen5_64, 64, 0, NULL);
    e = steady(map.grid.cycles[1]);
    e.summary.count = 8;
    stlf_map_take(&map, &set, 1, &e);
    e.summary.count = 7;
    stlf_map_take(&map, &set, 2, &e);
    assert_true(map.facts[1].enough && !map.facts[2].enough);
}
