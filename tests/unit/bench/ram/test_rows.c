/* SPDX-License-Identifier: MIT */
/* The tables of `ram` as their views show them. */
#include "world.h"

#include "base/text.h"
#include "output/format.h"
#include "output/plot/plot.h"
#include "output/scratch.h"

static int forget(void **state)
{
    (void)state;
    scratch_free();
    return 0;
}

AROUND_EACH(NULL, forget)

/* One thread and two that read and copy the same sizes: each pair of a speed and a thread count has a cell of
 * its own. */
static struct world *one_and_two_threads(void)
{
    static const struct kernel copy = {.name = "copy_one", .operation = OPERATION_COPY}, *const loops[] = {
                                                                                             &read_a, &read_b,
                                                                                             &copy};
    struct world *world = world_new(16, "i", 0.1, 3);
    world->plan.crew_count = 2;
    world->plan.crew[1].threads = 2;
    for (world->crew = 0; world->crew < 2; world->crew++)
        for (int level = 1; level <= 2; level++)
            for (size_t i = 0; i < COUNT_OF(loops); i++) {
                world_add(world, loops[i], level, level == 1 ? 16384 : 262144);
                for (size_t round = 0; round < 16; round++)
                    world_put(world, round, world->plan.point_count - 1, 100.0 * (double)(i + 1), 200);
            }
    world_answer(world, 0);
    return world;
}

TEST(no_two_rows_of_a_table_fall_into_one_cell)
{
    struct world *world = one_and_two_threads();
    for (size_t i = 0; i < world->record->tables.count; i++) {
        const struct record_table *table = &world->record->tables.of[i];
        size_t plots, cells = 0;
        const struct plot *plot = plots_of(table, &plots);
        for (size_t k = 0; k < plots; k++)
            for (size_t j = 0; j < plot[k].x.count * plot[k].y.count; j++)
                cells += plot[k].cell[j].row > 0;
        assert_true(table->row_count > 0);
        assert_int_equal(cells, table->row_count);
    }
    world_free(world);
}

/* A plot of one thread holds no speed of two: all threads together are twice as fast here. */
TEST(each_thread_count_has_its_own_plots)
{
    struct world *world = one_and_two_threads();
    for (size_t i = 0; i < world->record->tables.count; i++) {
        size_t plots;
        const struct plot *plot = plots_of(&world->record->tables.of[i], &plots);
        assert_int_equal(plots % 2, 0);
        for (size_t k = 0; k < plots; k++) {
            const struct plot *other = &plot[(k + plots / 2) % plots];
            assert_string_not_equal(plot[k].series, other->series);
            for (size_t j = 0; k < plots / 2 && j < plot[k].x.count * plot[k].y.count; j++)
                assert_float_equal(other->cell[j].value / plot[k].cell[j].value, 2, 1e-6);
        }
    }
    world_free(world);
}

/* A world of one copy that was sampled twice, as a file. */
static char *copy_as(const struct format *format)
{
    static const struct kernel copy = {.name = "copy_one",
                                       .operation = OPERATION_COPY,
                                       .method = METHOD_VECTOR,
                                       .load = ACCESS_ALIGNED,
                                       .store = ACCESS_STREAMING,
                                       .bits = 256};
    struct world *world = world_new(2, "i", 0.1, 1);
    struct text text = {0};
    world_add(world, &copy, 1, 16384);
    for (size_t round = 0; round < 2; round++)
        world_put(world, round, 0, round ? 1024 : 512, round ? 2048 : 1536);
    world_answer(world, 0);
    format->write(format, &(struct style){.tables = true}, world->record, &text);
    world_free(world);
    return own_text(text_take(&text));
}

/* What scripts read that know RAMOMETER: columns, their order and wording, the lines of a point, digits.
 * The CSV has no cell that needs quotes. */
TEST(the_lines_of_a_copy_are_ramometers)
{
    assert_string_equal(copy_as(&tsv_format), file_text(TEST_DATA "/output/ram.tsv"));
    assert_string_equal(copy_as(&csv_format), file_text(TEST_DATA "/output/ram.csv"));
}
