/* SPDX-License-Identifier: MIT */
/* Answers of the maps of one width: how sure their cells are, and each fact once. */
#include "test.h"

#include "sets.h"
#include "synthetic.h"

enum { MANY, FEW, MAPS };

static struct stlf_params params;
static struct run run = {.params = &params};
static struct stlf stlf = {.run = &run,
                           .params = &params,
                           .page = 4096,
                           .line = 64,
                           .usual = {.l1 = 4, .forwarded = 7, .blocked = 14}};
static struct stlf_part part[MAPS];
static struct stlf_grid truth;
/* By cell. */
static struct estimate estimate[STLF_CELLS];

static void open_maps(enum stlf_window window)
{
    struct fault fault = {0};
    params.window = window;
    record_free(run.record);
    run.record = record_new();
    stlf.grid_table = record_table_add(run.record, &stlf_grids.table);
    for (int i = 0; i < MAPS; i++) {
        free(part[i].point);
        free(part[i].estimate);
        free(part[i].map.grid);
        part[i] = (struct stlf_part){0};
    }
    assert_int_equal(stlf_maps_add(&stlf, part, &fault), MAPS);
}

static void give(stlf_core *core, unsigned bytes)
{
    synthesise_wide(&truth, core, 0, bytes, bytes == 8 ? 4 : bytes);
    for (int cell = 0; cell < STLF_CELLS; cell++)
        estimate[cell] = sets_steady(truth.cell[cell].cycles);
}

/* The next cell with or without overlap behind this one. */
static int next_cell(int cell, bool overlapping)
{
    do
        cell++;
    while (cell < STLF_CELLS && ((truth.cell[cell].traits & OVERLAP) != OVERLAP_NONE) != overlapping);
    return cell;
}

/* Points are by series. */
static void report(int map)
{
    struct stlf_part *of = &part[map];
    of->state = STATE_IDLE;
    for (size_t i = 0; i < of->count; i++)
        of->estimate[i] = estimate[(of->point[i].store - of->map.grid->at) * STLF_SIDE + of->point[i].load -
                                   of->map.grid->at];
    stlf_report(of);
}

static const struct answer *found(const char *key)
{
    return record_answer_find(run.record, key, NULL);
}

TEST(a_fact_of_both_grids_is_said_once)
{
    open_maps(WINDOW_ALIGNED);
    give(zen5_64, 8);
    report(MANY);
    report(FEW);
    assert_string_equal(cell_text(&found("stlf.grid.fa.8_4.64.distances")->value), "64b->32b [0,4]");
    assert_null(found("stlf.grid.fa.8_4.4.distances"));
    assert_true(fabs(cell_number(&found("stlf.grid.fa.8_4.64.line_crossing")->value) - 0.4) < 0.01);
    assert_int_equal(run.record->tables.of[stlf.grid_table].row_count, MAPS * STLF_CELLS);
}

static double plain(long store, long load, unsigned traits)
{
    static const double level[] = {0.5, 7, 7, 14};
    return level[traits & OVERLAP];
}

/* Trust in the distances, where so many of 3,040 overlapping cells differ from the others: of eight samples, alike in both halves of
 * the run and, where pages matter, at four placements. */
TEST(one_cell_in_a_thousand_may_be_in_doubt)
{
    static const struct {
        int cells;
        enum stlf_window window;
        size_t samples;
        unsigned placements;
        double second, placement_high; /* 0: like the value */
        enum trust trust;
    } rows[] = {{3, WINDOW_ALIGNED, 8, 1, 7, 0, TRUST_HIGH},    {4, WINDOW_ALIGNED, 8, 1, 7, 0, TRUST_MEDIUM},
                {30, WINDOW_ALIGNED, 8, 1, 7, 0, TRUST_MEDIUM}, {31, WINDOW_ALIGNED, 8, 1, 7, 0, TRUST_LOW},
                {4, WINDOW_ALIGNED, 8, 1, 0, 30, TRUST_HIGH},   {4, WINDOW_ALIGNED, 7, 8, 0, 0, TRUST_MEDIUM},
                {4, WINDOW_PAGE, 8, 4, 0, 0, TRUST_HIGH},       {4, WINDOW_PAGE, 8, 3, 0, 0, TRUST_MEDIUM},
                {4, WINDOW_PAGE, 8, 4, 0, 30, TRUST_MEDIUM}};
    run.kernels.allowed = ~(feature_set)0;
    params.widths = (struct name_list){.count = 1, .name = {"32/32"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        open_maps(rows[i].window);
        give(plain, 32);
        /* Of a page's window those behind the boundary. */
        int cell = rows[i].window == WINDOW_PAGE ? 40 * (STLF_SIDE + 1) : 0;
        for (int left = rows[i].cells; left > 0; left--) {
            cell = next_cell(cell, true);
            estimate[cell].summary.count = rows[i].samples;
            estimate[cell].placements = rows[i].placements;
            estimate[cell].second = rows[i].second > 0 ? rows[i].second : estimate[cell].second;
            estimate[cell].placement_high = fmax(estimate[cell].placement_high, rows[i].placement_high);
        }
        report(MANY);
        assert_int_equal(found(rows[i].window == WINDOW_PAGE ? "stlf.grid.fa.32_32.64.page.distances"
                                                             : "stlf.grid.fa.32_32.64.distances")
                             ->trust,
                         rows[i].trust);
    }
    params.widths.count = 0;
}

/* Levels beyond a cycle, of which a tenth is more than 0.1. */
static double dear(long store, long load, unsigned traits)
{
    return (traits & OVERLAP) == OVERLAP_NONE ? (traits & STORE_CROSSES ? 7 : 5) : 9;
}

/* A share of the cells without overlap has an interval of `half` cycles to one side, the others one of `rest`: 1 makes low trust, 0.2
 * medium. */
TEST(a_level_needs_nine_tenths_of_its_cells)
{
    static const struct {
        int percent;
        double half, rest;
        enum trust trust;
    } rows[] = {{8, 1, 0, TRUST_HIGH},
                {12, 1, 0, TRUST_LOW},
                {12, 0.2, 0, TRUST_MEDIUM},
                {8, 1, 0.2, TRUST_MEDIUM},
                {12, 1, 0.2, TRUST_LOW}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int apart = 0;
        open_maps(WINDOW_ALIGNED);
        give(dear, 8);
        for (int cell = next_cell(-1, false); apart < 3426; cell = next_cell(cell, false))
            estimate[cell].high =
                estimate[cell].value + (apart++ % 100 < rows[i].percent ? rows[i].half : rows[i].rest);
        report(MANY);
        assert_int_equal(found("stlf.grid.fa.8_4.64.line_crossing")->trust, rows[i].trust);
    }
}
