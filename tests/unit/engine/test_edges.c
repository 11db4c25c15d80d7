/* SPDX-License-Identifier: MIT */
/* Edges of simulated tables, and on either side of the limits. */
#include "engine/steps.h"

#include "test.h"

/* Pages of a cyclic walk, `stride` apart, in a table of sets by the low bits of the page, LRU: a set with one page too many
 * misses all of its pages. */
static double tlb_cycles(size_t pages, size_t stride, size_t sets, size_t ways)
{
    size_t held[256] = {0}, missed = 0;
    for (size_t i = 0; i < pages; i++)
        held[i * stride % sets]++;
    for (size_t set = 0; set < sets; set++)
        missed += held[set] > ways ? held[set] : 0;
    return 4 + 7 * (double)missed / (double)pages;
}

/* Odd strides fill all sets, strides that are powers of two a part of them. */
TEST(an_edge_is_the_size_of_a_table)
{
    static const struct {
        size_t sets, ways, stride, step, edge;
    } rows[] = {{1, 32, 17, 1, 32},   {1, 72, 23, 1, 72},   {16, 4, 17, 1, 64},    {16, 6, 23, 1, 96},
                {32, 7, 17, 1, 225},  {128, 16, 8, 8, 256}, {128, 16, 16, 8, 128}, {256, 5, 16, 8, 80},
                {128, 24, 8, 8, 384}, {256, 1, 17, 1, 0},   {128, 16, 1, 8, 0}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        double cycles[288];
        for (size_t x = 0; x < 288 / rows[i].step * (rows[i].step > 1 ? 2 : 1); x++)
            cycles[x] = tlb_cycles((x + 1) * rows[i].step, rows[i].stride, rows[i].sets, rows[i].ways);
        const size_t points = rows[i].step > 1 ? 72 : 250;
        assert_int_equal(edge_find(cycles, points) * rows[i].step, rows[i].edge);
    }
}

/* Four points on either side; the first rise is the edge, not the highest, unless it goes on as slowly as it began; a level may creep and an
 * outlier stand out, but noise may not be a sixth of what counts as risen. */
TEST(an_edge_leaves_its_level_for_good)
{
    static const struct {
        size_t left, points;
        double risen, soon, rise, creep, noise; /* soon: from the fifth point on */
        size_t edge;
    } rows[] = {
        {4, 12, 1, 1, 1.6, 0, 0, 4},       {3, 12, 1, 1, 1.6, 0, 0, 0},       {20, 40, 1, 1, 1.4, 0, 0, 0},
        {20, 40, 0.3, 0.3, 50, 0, 0, 20},  {20, 40, 0.06, 1, 50, 0, 0, 20},   {20, 40, 0.04, 1, 50, 0, 0, 24},
        {20, 40, 0.1, 0.14, 50, 0, 0, 20}, {20, 40, 0.08, 0.1, 50, 0, 0, 32}, {30, 60, 1, 1, 50, 0.2, 0, 30},
        {30, 60, 1, 1, 50, 0, 0.4, 30},    {30, 60, 1, 1, 50, 0, 0.45, 0},    {30, 60, 1, 1, -50, 0, 0, 0}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const size_t left = rows[i].left, points = rows[i].points;
        double cycles[60];
        print_message("row %zu\n", i);
        for (size_t x = 0; x < points; x++) {
            const double share = x + 8 >= points ? 1 : x >= left + 4 ? rows[i].soon : rows[i].risen;
            cycles[x] = 11 + rows[i].creep * (double)x + (x % 2 ? rows[i].noise : 0) +
                        (x >= left ? share * rows[i].rise : 0);
        }
        if (left == 30)
            cycles[15] += 30;
        assert_int_equal(edge_find(cycles, points), rows[i].edge);
    }
}
