/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "base/text.h"
#include "uarchprobe/cell.h"

static void assert_takes(struct text *text, const char *expected)
{
    char *got = text_take(text);
    assert_string_equal(got, expected);
    free(got);
}

TEST(no_value_is_no_number)
{
    const struct cell none[] = {NO_CELL, REAL_CELL(NAN), REAL_CELL(INFINITY), REAL_CELL(-INFINITY),
                                TEXT_CELL(NULL)};
    for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
        struct text text = {0};
        assert_false(cell_has_value(&none[i]));
        text_add_cell(&text, &none[i]);
        assert_takes(&text, "");
        text_add_cell_human(&text, &none[i], 2);
        assert_takes(&text, "-");
    }
}

/* The parts of a cell share their memory: only a bool may be read as one. */
TEST(truth_is_asked_with_its_type)
{
    const struct cell others[] = {NO_CELL, TEXT_CELL("true"), INTEGER_CELL(1), REAL_CELL(1)};
    assert_true(cell_is(&BOOL_CELL(true), true) && cell_is(&BOOL_CELL(false), false));
    assert_false(cell_is(&BOOL_CELL(true), false) || cell_is(&BOOL_CELL(false), true));
    for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
        assert_false(cell_is(&others[i], true) || cell_is(&others[i], false));
}

TEST(values_have_units)
{
    static const struct {
        struct cell cell;
        const char *unit;
        const char *text;
    } cases[] = {{{.type = CELL_REAL, .real = 2.6e9}, "Hz", "2.6 GHz"},
                 {{.type = CELL_INTEGER, .integer = 50}, "Hz", "50 Hz"},
                 {{.type = CELL_REAL, .real = 15.384615}, "ns", "15.4 ns"},
                 {{.type = CELL_REAL, .real = 0.952381}, "ns", "0.952 ns"},
                 {{.type = CELL_REAL, .real = 146.639}, "s", "147 s"},
                 {{.type = CELL_REAL, .real = 1e6}, "s", "1000000 s"},
                 {{.type = CELL_REAL, .real = -2}, "s", "-2 s"},
                 {{.type = CELL_REAL, .real = 0.00002}, "s", "2e-05 s"},
                 {{.type = CELL_BOOL, .boolean = true}, NULL, "yes"},
                 {{.type = CELL_NULL}, "ns", "unknown"}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct text text = {0};
        text_add_value(&text, &cases[i].cell, cases[i].unit);
        assert_takes(&text, cases[i].text);
    }
}

TEST(cells_compare_by_type_and_value)
{
    const struct cell cells[] = {NO_CELL, TEXT_CELL("1"), INTEGER_CELL(1), REAL_CELL(1.5), BOOL_CELL(true)};
    for (size_t i = 0; i < sizeof(cells) / sizeof(cells[0]); i++) {
        for (size_t j = 0; j < sizeof(cells) / sizeof(cells[0]); j++)
            assert_int_equal(cell_equal(&cells[i], &cells[j]), i == j);
    }
}

TEST(rates_are_read_in_gibibytes)
{
    const char *unit;
    assert_float_equal(value_shown(1.5 * (1 << 30), "Byte/s", &unit), 1.5, 0);
    assert_string_equal(unit, "GiB/s");
    assert_float_equal(value_shown(73.5, "ns", &unit), 73.5, 0);
    assert_string_equal(unit, "ns");
    assert_true(isnan(value_shown(NAN, NULL, &unit)));
    assert_string_equal(unit, "");
}

TEST(a_unit_has_one_name)
{
    static const char *const known[] = {"",      "cycles", "ticks", "bytes/cycle",
                                        "GiB/s", "Byte/s", "ns",    "entries"};
    static const char *const unknown[] = {"core cycles", "cycle", "bytes/core cycle",
                                          "GiB/sec",     "gib/s", " ns"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        assert_true(unit_is_known(known[i]));
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
        assert_false(unit_is_known(unknown[i]));
}
