/* SPDX-License-Identifier: MIT */
#include "../fixture.h"
#include "output/plot/plot.h"

enum { C_Y, C_X, C_VALUE, C_FLAG, C_SERIES, COUNT };

static const struct column named_columns[COUNT] = {
    {"kernel", "kernel", NULL, CELL_TEXT, ROLE_PARAMETER, 0},
    {"set", "set", NULL, CELL_TEXT, ROLE_PARAMETER, 0},
    {"speed", "speed", "Byte/s", CELL_REAL, ROLE_MEASURE, 1},
    {"flags", "flags", NULL, CELL_TEXT, ROLE_LABEL, 0},
    {"task", "task", NULL, CELL_TEXT, ROLE_PARAMETER, 0},
};

static const char *const flag_names[] = {"far", "noisy", NULL};

static const struct column cpu_columns[COUNT] = {
    {"from", "from CPU", NULL, CELL_CPU, ROLE_PARAMETER, 0},
    {"to", "to CPU", NULL, CELL_CPU, ROLE_PARAMETER, 0},
    {"ns", "latency", "ns", CELL_REAL, ROLE_MEASURE, 1},
    {"flags", "flags", NULL, CELL_FLAGS, ROLE_LABEL, 0, flag_names},
    {"task", "task", NULL, CELL_TEXT, ROLE_PARAMETER, 0},
};

static const struct view view = {
    .kind = VIEW_MATRIX, .x = C_X, .y = C_Y, .value = C_VALUE, .series = -1, .flag = C_FLAG};

static struct plot *only_plot(const struct record *record)
{
    size_t count;
    struct plot *plot = plots_of(record_table_at(record, 0), &count);
    assert_int_equal(count, 1);
    return plot;
}

static void add_named(struct record *record, int kernel, int set, double value, const char *task)
{
    char name[16], other[16];
    snprintf(name, sizeof name, "k%d", kernel);
    snprintf(other, sizeof other, "s%d", set);
    record_row(
        record, 0,
        (struct cell[COUNT]){TEXT_CELL(name), TEXT_CELL(other), REAL_CELL(value), NO_CELL, TEXT_CELL(task)});
}

TEST(names_are_bars_while_they_have_room)
{
    struct table_spec spec = {.name = "bars", .columns = named_columns, .column_count = COUNT, .view = view};
    spec.view.mark = MARK_COLUMN_MAX;
    for (int sets = 2; sets < 40; sets += 30) {
        struct record *record = record_new();
        record_table_add(record, &spec);
        for (int i = 0; i < 3 * sets; i++)
            add_named(record, i / sets, i % sets, i, "copy");
        struct plot *plot = only_plot(record);
        assert_int_equal(plot->kind, sets == 2 ? PLOT_BARS : PLOT_HEAT_MAP);
        assert_int_equal(plot->y.count, 3);
        assert_int_equal(plot->x.count, sets);
        assert_string_equal(plot->x.label[1].name, "s1");
        for (int i = 0; i < 3 * sets; i++) {
            assert_true(plot->cell[i].value == i);
            assert_int_equal(plot->cell[i].best, i >= 2 * sets);
        }
        assert_false(plot->one_scale);
        plots_free(plot, 1);
        record_free(record);
    }
}

static void add_pair(struct record *record, int from, int to, double value, int flags)
{
    record_row(record, 0,
               (struct cell[COUNT]){INTEGER_CELL(from), INTEGER_CELL(to), REAL_CELL(value),
                                    INTEGER_CELL(flags), NO_CELL});
}

/* Only the pairs above the diagonal are in the table, and not in the order of the numbers. */
TEST(cpus_are_on_both_axes_in_order)
{
    struct table_spec spec = {.name = "cpus", .columns = cpu_columns, .column_count = COUNT, .view = view};
    struct record *record = record_new();
    record_table_add(record, &spec);
    add_pair(record, 2, 10, 30, 0);
    add_pair(record, 0, 10, 20, 2);
    add_pair(record, 0, 2, 10, 0);
    struct plot *plot = only_plot(record);
    static const char *const names[] = {"0", "2", "10"};
    static const double values[] = {NAN, 10, 20, 10, NAN, 30, 20, 30, NAN};
    assert_int_equal(plot->kind, PLOT_HEAT_MAP);
    assert_int_equal(plot->x.count, 3);
    assert_int_equal(plot->y.count, 3);
    assert_int_equal(plot->measured, 6);
    for (int i = 0; i < 3; i++) {
        assert_string_equal(plot->x.label[i].name, names[i]);
        assert_string_equal(plot->y.label[i].name, names[i]);
    }
    for (int i = 0; i < 9; i++) {
        assert_true(isnan(values[i]) ? isnan(plot->cell[i].value) : plot->cell[i].value == values[i]);
        assert_int_equal(plot->cell[i].flagged, i == 2 || i == 6);
        assert_int_equal(plot->cell[i].shade == PLOT_BLANK, isnan(values[i]));
    }
    assert_true(plot->least == 10 && plot->median == 20 && plot->most == 30);
    plots_free(plot, 1);
    record_free(record);
}

/* A CPU with itself is off the scale and the reverse of a pair counts once; what differs by less than a tenth, or by two
 * steps of the clock, has one tint. */
TEST(pairs_count_once_and_noise_has_one_tint)
{
    static const struct {
        double from_0_to_2, step_ns;
        bool flat;
    } tries[] = {{74, 0, true}, {90, 0, false}, {90, 10, true}};
    struct table_spec spec = {.name = "cas", .columns = cpu_columns, .column_count = COUNT, .view = view};
    for (size_t i = 0; i < sizeof tries / sizeof *tries; i++) {
        struct record *record = record_new();
        const double value[][3] = {{0, 0, 2}, {0, 1, 70}, {0, 2, tries[i].from_0_to_2}, {1, 2, 72}};
        record_table_add(record, &spec);
        record_fact(record,
                    (struct fact){.path = "clock.resolution_ns", .value = REAL_CELL(tries[i].step_ns)});
        for (size_t k = 0; k < 4; k++)
            record_row(record, 0,
                       (struct cell[COUNT]){INTEGER_CELL(value[k][0]), INTEGER_CELL(value[k][1]),
                                            REAL_CELL(value[k][2]), NO_CELL, NO_CELL});
        struct plot *plot = only_plot(record);
        assert_true(plot->of_cpus);
        assert_true(plot->least == 70 && plot->most == tries[i].from_0_to_2);
        assert_true(plot->median == 72);
        assert_int_equal(plot->flat, tries[i].flat);
        assert_int_equal(plot->measured, 7);
        assert_true(plot_at(plot, 0, 0)->aside && !plot_at(plot, 0, 1)->aside && plot_at(plot, 1, 0)->aside);
        if (tries[i].flat)
            assert_int_equal(plot_at(plot, 0, 2)->shade, plot_at(plot, 0, 1)->shade);
        else
            assert_true(plot_at(plot, 0, 2)->shade > plot_at(plot, 0, 1)->shade);
        plots_free(plot, 1);
        record_free(record);
    }
}
