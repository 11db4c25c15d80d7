/* SPDX-License-Identifier: MIT */
#include "../fixture.h"

static char *drawing_of(const struct record *record)
{
    return formatted_in(&svg_format, record, (struct style){0});
}

/* Asserts that every element is closed in order and attributes are quoted, for any content. */
static void assert_well_formed(const char *svg)
{
    const char *open[64];
    size_t length[64], depth = 0;
    for (const char *at = strchr(svg, '<'); at; at = strchr(at + 1, '<')) {
        const char *end = strchr(at, '>');
        assert_non_null(end);
        size_t quotes = 0;
        for (const char *in = at; in < end; in++)
            quotes += *in == '"';
        assert_int_equal(quotes % 2, 0);
        if (at[1] == '/') {
            assert_true(depth > 0);
            depth--;
            assert_memory_equal(at + 2, open[depth], length[depth]);
            assert_true(at[2 + length[depth]] == '>');
        } else if (end[-1] != '/') {
            assert_true(depth < 64);
            open[depth] = at + 1;
            length[depth++] = strcspn(at + 1, " >");
        }
    }
    assert_int_equal(depth, 0);
}

/* Fills in the pairs of a machine with groups of 16 CPUs and some noise. */
static void fill_machine(struct record *record, int cpus, bool noisy)
{
    unsigned noise = 1;
    record_table_add(record, &pair_spec);
    for (int from = 0; from < cpus; from++) {
        record_place_add(record, (struct place){from, {-1, -1, from / 16, -1, -1}});
        for (int to = 0; to < cpus; to++) {
            noise = noise * 1664525 + 1013904223;
            const double base = from / 2 == to / 2       ? 20
                                : from / 16 == to / 16   ? 45
                                : from / 128 == to / 128 ? 130
                                                         : 300;
            if (from != to)
                add_pair(record, from, to, base + noise % 1000 * (noisy ? 0.3 : 0.002), 0);
        }
    }
}

static struct record *machine_of(int cpus)
{
    struct record *record = record_of(NULL);
    fill_machine(record, cpus, false);
    return record;
}

/* A CPU with itself is no missing pair; a pair counts in both directions. */
TEST(what_is_missing_is_counted)
{
    struct record *record = record_of(&pair_spec);
    add_pair(record, 0, 1, 20, 0);
    add_pair(record, 0, 2, 45, 0);
    char *svg = drawing_of(record);
    assert_has(svg, "not measured: 1 cell<");
}

TEST(l3_groups_are_bracketed_on_both_axes)
{
    struct record *record = machine_of(64);
    char *svg = drawing_of(record);
    for (int group = 0; group < 4; group++) {
        char label[16];
        snprintf(label, sizeof(label), ">L3 %d<", group);
        assert_int_equal(occurrences(svg, label), 2);
    }
}

TEST(many_cpus_stay_below_four_megabytes)
{
    static const int cpus[] = {129, 256, 512};
    for (int i = 0; i < (TEST_SLOW ? 2 : 3); i++) {
        for (int noisy = 0; noisy < 2; noisy++) {
            struct record *record = record_new();
            fill_machine(record, cpus[i], noisy);
            char *svg = drawing_of(record);
            record_free(record);
            assert_in_range(strlen(svg), 10000, 4000000);
            assert_well_formed(svg);
        }
    }
}

TEST(what_comes_from_outside_is_text)
{
    static const char brand[] = "<script>\"&'\xC3\xA9 \xFF\xFE\x01\xEF\xBF\xBF]]>";
    struct record *record = machine_of(4);
    FACT(record, "host.cpu.brand", TEXT_CELL(brand));
    char *svg = drawing_of(record);
    assert_well_formed(svg);
    assert_lacks(svg, "<script");
    assert_lacks(svg, "\xFF");
    assert_lacks(svg, "\xEF\xBF\xBF");
    assert_lacks(svg, "\x01");
    assert_has(svg, "&lt;script&gt;&quot;&amp;&#39;\xC3\xA9 ");
}

TEST(values_that_are_none_are_not_drawn)
{
    static const double odd[] = {0.0 / 0.0, 1.0 / 0.0, -1.0 / 0.0, 0, -5, 1e308};
    struct record *const records[] = {record_of(&pair_spec), record_of(&size_spec), record_of(&bar_spec)};
    for (int i = 0; i < 6; i++) {
        add_pair(records[0], i, 0, odd[i], 0);
        add_size(records[1], "a", i, odd[i], false);
        ROW(records[2], TEXT_CELL("a"), TEXT_CELL(i % 2 ? "b" : "c"), REAL_CELL(odd[i]));
    }
    for (size_t i = 0; i < COUNT_OF(records); i++) {
        char *svg = drawing_of(records[i]);
        assert_well_formed(svg);
        assert_lacks(svg, "nan");
        assert_lacks(svg, "inf");
    }
}

/* A label has a panel of its own where others would be printed over it. */
TEST(many_labels_have_a_panel_each)
{
    for (int series = 4; series <= 5; series++) {
        struct record *record = record_of(&size_spec);
        for (int i = 0; i < series; i++)
            for (int x = 10; x < 40; x++) {
                char name[16];
                snprintf(name, sizeof name, "series %d", i);
                add_size(record, name, 1LL << x, i + x, x == 20);
            }
        char *svg = drawing_of(record);
        assert_well_formed(svg);
        assert_int_equal(occurrences(svg, "last that fits"), series);
        assert_int_equal(occurrences(svg, "<g transform") - 1, series > 4 ? series : 1);
    }
}

static void add_timed(struct record *record, const char *sheet_cell, int number, enum state state)
{
    char name[32];
    snprintf(name, sizeof name, "answer %d", number);
    record_answer(record, (struct answer){.key = name,
                                          .label = name,
                                          .sheet_cell = sheet_cell,
                                          .value = REAL_CELL(7 + number),
                                          .low = REAL_CELL(6 + number),
                                          .high = REAL_CELL(9 + number),
                                          .unit = "core cycles",
                                          .state = state_names[state],
                                          .trust = TRUST_LOW});
}

/* Without a picture of its tables the figure is of the answers, each once, whatever state is known. */
TEST(answers_are_dots_with_ranges)
{
    struct record *record = record_of(&list_spec);
    ROW(record, TEXT_CELL("raw"), INTEGER_CELL(7), REAL_CELL(100));
    for (int i = 0; i < 3; i++)
        add_timed(record, NULL, i, STATE_ACTIVE);
    add_timed(record, NULL, 0, STATE_IDLE);
    char *svg = drawing_of(record);
    assert_well_formed(svg);
    assert_int_equal(occurrences(svg, "<circle"), 3);
    assert_int_equal(occurrences(svg, ">answer 0<"), 1);
    assert_int_equal(occurrences(svg, "class=\"l s0\"/>"), 3);
}

/* Of stlf the figure is what a load costs at each offset, not a curve for experts. */
TEST(offsets_stand_in_place_of_curves)
{
    struct record *record = record_of(&size_spec);
    for (int x = 10; x < 40; x++)
        add_size(record, "pairs", 1LL << x, x, false);
    add_timed(record, NULL, 9, STATE_IDLE);
    assert_has(drawing_of(record), "<path");
    add_timed(record, "offsets/load/0", 0, STATE_IDLE);
    add_timed(record, "offsets/load/4", 4, STATE_IDLE);
    char *svg = drawing_of(record);
    assert_lacks(svg, "<path");
    assert_int_equal(occurrences(svg, "<circle"), 2);
}
