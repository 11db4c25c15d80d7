/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "output/format.h"
#include "output/output.h"

static const struct column matrix_columns[] = {
    {"from", "from CPU", NULL, CELL_INTEGER, ROLE_PARAMETER, 0},
    {"to", "to CPU", NULL, CELL_INTEGER, ROLE_PARAMETER, 0},
    {"latency_ns", "latency", "ns", CELL_REAL, ROLE_MEASURE, 1},
    {"class", "class", NULL, CELL_TEXT, ROLE_LABEL, 0},
};

static const struct column cpu_columns[] = {
    {"from", "from CPU", NULL, CELL_CPU, ROLE_PARAMETER, 0},
    {"to", "to CPU", NULL, CELL_CPU, ROLE_PARAMETER, 0},
    {"latency_ns", "latency", "ns", CELL_REAL, ROLE_MEASURE, 1},
    {"class", "class", NULL, CELL_TEXT, ROLE_LABEL, 0},
};

static const struct table_spec plain_matrix = {
    .name = "cas",
    .title = "Latency between CPUs",
    .note = "A note with < and & in it.",
    .columns = cpu_columns,
    .column_count = 4,
    .view = {.kind = VIEW_MATRIX, .x = 1, .y = 0, .value = 2, .series = -1}};

static const struct table_spec class_matrix = {
    .name = "classes",
    .title = "Classes",
    .columns = matrix_columns,
    .column_count = 4,
    .view = {.kind = VIEW_MATRIX, .x = 1, .y = 0, .value = 2, .series = -1, .class = 3}};

static const struct column curve_columns[] = {
    {"experiment", "experiment", NULL, CELL_TEXT, ROLE_PARAMETER, 0},
    {"size", "size", "Byte", CELL_SIZE, ROLE_PARAMETER, 0},
    {"cycles", "time", "cycles", CELL_REAL, ROLE_MEASURE, 1},
    {"knee", "last that fits", NULL, CELL_BOOL, ROLE_LABEL, 0},
};

static const struct table_spec curve_spec = {
    .name = "curve",
    .title = "Curve",
    .columns = curve_columns,
    .column_count = 4,
    .view = {.kind = VIEW_CURVE, .x = 1, .y = 2, .value = 2, .series = 0, .flag = 3, .log_x = true}};

static const struct column bar_columns[] = {
    {"kernel", "kernel", NULL, CELL_TEXT, ROLE_PARAMETER, 0},
    {"set", "set", NULL, CELL_TEXT, ROLE_PARAMETER, 0},
    {"task", "task", NULL, CELL_TEXT, ROLE_PARAMETER, 0},
    {"speed", "speed", "Byte/s", CELL_REAL, ROLE_MEASURE, 1},
};

static const struct table_spec bar_spec = {.name = "bars",
                                           .title = "Bars",
                                           .columns = bar_columns,
                                           .column_count = 4,
                                           .view = {.kind = VIEW_MATRIX,
                                                    .x = 1,
                                                    .y = 0,
                                                    .value = 3,
                                                    .series = 2,
                                                    .mark = MARK_COLUMN_MAX,
                                                    .scale = 1e-9,
                                                    .scale_unit = "GB/s"}};

static struct record *record_of(const struct table_spec *spec)
{
    struct record *record = record_new();
    record_fact(record, (struct fact){.path = "run.command", .value = TEXT_CELL("test")});
    record_fact(record, (struct fact){.path = "run.started", .value = TEXT_CELL("2026-01-02T03:04:05Z")});
    record_fact(record, (struct fact){.path = "host.cpu.brand", .value = TEXT_CELL("A CPU")});
    record_table_add(record, spec);
    return record;
}

static char *drawing_of(const struct record *record)
{
    const struct style style = {0};
    struct text out = {0};
    svg_format.write(&svg_format, &style, record, &out);
    return text_take(&out);
}

static size_t occurrences(const char *text, const char *of)
{
    size_t count = 0;
    for (const char *at = text; (at = strstr(at, of)); at += strlen(of))
        count++;
    return count;
}

/* Every element that is opened is closed, in order, and attributes are quoted: what a golden file would say
 * of structure, for any content. */
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

static void add_pair(struct record *record, int64_t from, int64_t to, double value, const char *class)
{
    const struct cell cells[] = {INTEGER_CELL(from), INTEGER_CELL(to), REAL_CELL(value),
                                 class ? TEXT_CELL(class) : NO_CELL};
    record_row(record, 0, cells);
}

/* Pairs of a machine with groups of 16 CPUs and some noise. */
static struct record *machine_of(int cpus, bool noisy)
{
    struct record *record = record_of(&plain_matrix);
    unsigned noise = 1;
    for (int from = 0; from < cpus; from++) {
        for (int to = 0; to < cpus; to++) {
            noise = noise * 1664525 + 1013904223;
            double base = from / 2 == to / 2       ? 20
                          : from / 16 == to / 16   ? 45
                          : from / 128 == to / 128 ? 130
                                                   : 300;
            double off = noisy ? noise % 1000 * 0.3 : noise % 1000 * 0.002;
            if (from != to)
                add_pair(record, from, to, base + off, NULL);
        }
    }
    for (int cpu = 0; cpu < cpus; cpu++)
        record_place_add(record, (struct place){cpu, {-1, -1, cpu / 16, -1, -1}});
    return record;
}

/* A CPU with itself is not missing; a pair is, in both directions. */
TEST(what_is_missing_is_counted)
{
    struct record *record = record_of(&plain_matrix);
    add_pair(record, 0, 1, 20, NULL);
    add_pair(record, 0, 2, 45, NULL);
    char *svg = drawing_of(record);
    assert_non_null(strstr(svg, "not measured: 2 cells"));
    free(svg);
    record_free(record);
}

/* Of nothing there are no percent. */
TEST(zeros_are_within_the_steps_of_the_clock)
{
    struct record *record = record_of(&plain_matrix);
    record_fact(record, (struct fact){.path = "clock.resolution_ns", .value = REAL_CELL(40)});
    for (int i = 0; i < 4; i++)
        add_pair(record, i / 2, i % 2, 0, NULL);
    char *svg = drawing_of(record);
    assert_null(strstr(svg, "nan"));
    assert_non_null(strstr(svg, ">all within two steps of the clock<"));
    free(svg);
    record_free(record);
}

TEST(a_small_matrix_has_a_cell_and_a_tooltip_a_pair)
{
    struct record *record = machine_of(4, false);
    char *svg = drawing_of(record);
    assert_well_formed(svg);
    assert_int_equal(occurrences(svg, "<title>from CPU "), 12);
    assert_non_null(strstr(svg, "A CPU"));
    assert_non_null(strstr(svg, "2026-01-02T03:04:05Z"));
    assert_non_null(strstr(svg, "latency [ns]"));
    assert_null(strstr(svg, "not measured"));
    assert_non_null(strstr(svg, "prefers-color-scheme:dark"));
    assert_non_null(strstr(svg, "A note with &lt; and &amp; in it."));
    free(svg);
    record_free(record);
}

TEST(l3_groups_are_bracketed_on_both_axes)
{
    struct record *record = machine_of(64, false);
    char *svg = drawing_of(record);
    for (int group = 0; group < 4; group++) {
        char label[16];
        snprintf(label, sizeof(label), ">L3 %d<", group);
        assert_int_equal(occurrences(svg, label), 2);
    }
    free(svg);
    record_free(record);
}

TEST(many_cpus_stay_below_two_megabytes)
{
    static const int cpus[] = {129, 256, 1000};
    for (int i = 0; i < (TEST_SLOW ? 2 : 3); i++) {
        for (int noisy = 0; noisy < 2; noisy++) {
            struct record *record = machine_of(cpus[i], noisy);
            char *svg = drawing_of(record);
            assert_in_range(strlen(svg), 10000, 2000000);
            assert_well_formed(svg);
            free(svg);
            record_free(record);
        }
    }
}

TEST(classes_have_one_color_each_ordered_by_value)
{
    static const char *const names[] = {"slow", "fast", "middle"};
    static const double values[] = {20, 1, 5};
    struct record *record = record_of(&class_matrix);
    for (int i = 0; i < 64 * 64; i++)
        add_pair(record, i / 64, i % 64, values[i % 3], names[i % 3]);
    char *svg = drawing_of(record);
    assert_well_formed(svg);
    const char *fast = strstr(svg, ">fast<"), *middle = strstr(svg, ">middle<"),
               *slow = strstr(svg, ">slow<");
    assert_true(fast && middle && slow && fast < middle && middle < slow);
    assert_non_null(strstr(svg, "1.0 ns, 13"));
    assert_int_equal(occurrences(svg, "ns, middle</title>"), 1365);
    free(svg);
    record_free(record);
}

TEST(equal_neighbours_share_a_tooltip)
{
    static const double values[] = {1, 1.01, 1.2, 1.2};
    struct record *record = record_of(&class_matrix);
    for (int i = 0; i < 16; i++)
        add_pair(record, i / 4, i % 4, values[i % 4], i % 4 == 3 ? "b" : "a");
    char *svg = drawing_of(record);
    assert_int_equal(occurrences(svg, "<title>from CPU "), 8);
    assert_non_null(strstr(svg, "<title>from CPU 2, to CPU 0 to 2: 1.0 to 1.2 ns, a</title>"));
    assert_non_null(strstr(svg, "<title>from CPU 2, to CPU 3: 1.2 ns, b</title>"));
    free(svg);
    record_free(record);
}

TEST(a_flag_is_seen_in_the_cell_and_at_the_pointer)
{
    struct table_spec spec = plain_matrix;
    spec.view.flag = 3;
    struct record *record = record_of(&spec);
    add_pair(record, 0, 1, 20, "noisy");
    add_pair(record, 1, 0, 20, NULL);
    char *svg = drawing_of(record);
    assert_non_null(strstr(svg, ">20.0!</text>"));
    assert_non_null(strstr(svg, ">20.0</text>"));
    assert_int_equal(occurrences(svg, "20.0 ns, flagged</title>"), 1);
    free(svg);
    record_free(record);
}

TEST(too_many_classes_become_a_range)
{
    struct record *record = record_of(&class_matrix);
    for (int i = 0; i < 40; i++) {
        char name[8];
        snprintf(name, sizeof(name), "c%d", i);
        add_pair(record, i, 0, i, name);
    }
    char *svg = drawing_of(record);
    assert_non_null(strstr(svg, "number of cells"));
    free(svg);
    record_free(record);
}

TEST(a_curve_marks_its_knee_and_the_caches)
{
    struct record *record = record_of(&curve_spec);
    record_fact(record, (struct fact){.path = "host.caches.0.bytes", .value = INTEGER_CELL(49152)});
    record_fact(record, (struct fact){.path = "host.caches.0.level", .value = INTEGER_CELL(1)});
    record_fact(record, (struct fact){.path = "host.caches.0.type", .value = TEXT_CELL("data")});
    for (int i = 10; i < 24; i++) {
        const struct cell cells[] = {TEXT_CELL(i % 2 ? "odd" : "even"), INTEGER_CELL(INT64_C(1) << i),
                                     REAL_CELL(i < 16 ? 5 : 14), BOOL_CELL(i == 15)};
        record_row(record, 0, cells);
    }
    char *svg = drawing_of(record);
    assert_well_formed(svg);
    assert_non_null(strstr(svg, ">32 KiB: last that fits (odd)<"));
    assert_non_null(strstr(svg, ">L1, 48 KiB<"));
    assert_non_null(strstr(svg, ">odd (7 points)<"));
    assert_int_equal(occurrences(svg, "<path class=\"l s"), 2);
    assert_int_equal(occurrences(svg, "</title></circle>"), 14);
    free(svg);
    record_free(record);
}

TEST(a_matrix_of_names_is_drawn_as_bars)
{
    static const char *const sets[] = {"L1", "L2"}, *const tasks[] = {"copy", "read"};
    struct record *record = record_of(&bar_spec);
    for (int i = 0; i < 12; i++) {
        char kernel[8];
        snprintf(kernel, sizeof(kernel), "k%d", i / 4);
        const struct cell cells[] = {TEXT_CELL(kernel), TEXT_CELL(sets[i % 2]), TEXT_CELL(tasks[i / 2 % 2]),
                                     REAL_CELL((i + 1) * 1e9)};
        record_row(record, 0, cells);
    }
    char *svg = drawing_of(record);
    assert_well_formed(svg);
    assert_non_null(strstr(svg, "task = copy: speed [GB/s]"));
    assert_int_equal(occurrences(svg, "class=\"f\"><title>"), 4);
    assert_int_equal(occurrences(svg, "class=\"r\"><title>"), 8);
    assert_non_null(strstr(svg, "<title>k0, L1: 1.0 GB/s</title>"));
    free(svg);
    record_free(record);
}

TEST(what_comes_from_outside_is_text)
{
    static const char brand[] = "<script>\"&'\xC3\xA9 \xFF\xFE\x01\xEF\xBF\xBF]]>";
    struct record *record = machine_of(4, false);
    record_fact(record, (struct fact){.path = "host.cpu.brand", .value = TEXT_CELL(brand)});
    char *svg = drawing_of(record);
    assert_well_formed(svg);
    assert_null(strstr(svg, "<script"));
    assert_null(strstr(svg, "\xFF"));
    assert_null(strstr(svg, "\xEF\xBF\xBF"));
    assert_null(strstr(svg, "\x01"));
    assert_non_null(strstr(svg, "&lt;script&gt;&quot;&amp;&#39;\xC3\xA9 "));
    free(svg);
    record_free(record);
}

TEST(values_that_are_none_are_not_drawn)
{
    static const double odd[] = {0.0 / 0.0, 1.0 / 0.0, -1.0 / 0.0, 0, -5, 1e308};
    for (int table = 0; table < 3; table++) {
        const struct table_spec *const specs[] = {&plain_matrix, &curve_spec, &bar_spec};
        struct record *record = record_of(specs[table]);
        for (int i = 0; i < 6; i++) {
            const struct cell rows[][4] = {
                {INTEGER_CELL(i), INTEGER_CELL(0), REAL_CELL(odd[i]), NO_CELL},
                {TEXT_CELL("a"), INTEGER_CELL(i), REAL_CELL(odd[i]), NO_CELL},
                {TEXT_CELL("a"), TEXT_CELL(i % 2 ? "b" : "c"), TEXT_CELL("d"), REAL_CELL(odd[i])}};
            record_row(record, 0, rows[table]);
        }
        char *svg = drawing_of(record);
        assert_well_formed(svg);
        assert_null(strstr(svg, "nan"));
        assert_null(strstr(svg, "inf"));
        free(svg);
        record_free(record);
    }
}

TEST(nothing_to_draw_is_said)
{
    struct record *record = record_of(&plain_matrix);
    char *svg = drawing_of(record);
    assert_well_formed(svg);
    assert_non_null(strstr(svg, "nothing to draw"));
    free(svg);
    record_free(record);
}

/* A list is not drawn, so its answers are all that the drawing has, however many they are. */
TEST(answers_are_printed_where_nothing_is_drawn)
{
    (void)state;
    static const struct table_spec list = {
        .name = "list", .columns = matrix_columns, .column_count = 4, .view = {.kind = VIEW_LIST}};
    struct record *record = record_of(&list);
    add_pair(record, 0, 1, 20, NULL);
    for (int i = 0; i < 20; i++) {
        char key[32], sentence[32];
        snprintf(key, sizeof key, "key.%d", i);
        snprintf(sentence, sizeof sentence, "sentence %d.", i);
        record_answer(record, (struct answer){.key = key, .value = INTEGER_CELL(i), .text = sentence});
    }
    char *svg = drawing_of(record);
    assert_int_equal(occurrences(svg, "sentence "), 20);
    free(svg);
    record_free(record);
}

/* Ticks are written around their place: half the longest label has room to the right of the last. */
TEST(the_last_tick_is_not_cut_off)
{
    (void)state;
    struct record *record = record_of(&curve_spec);
    for (int64_t size = 4096; size <= 512 << 20; size *= 2) {
        const struct cell cells[] = {TEXT_CELL("a"), INTEGER_CELL(size), REAL_CELL(5), NO_CELL};
        record_row(record, 0, cells);
    }
    char *svg = drawing_of(record);
    size_t seen = 0;
    for (const char *at = svg; (at = strstr(at, "<text ")); at++) {
        const char *x = strstr(at, " x=\""), *end = strchr(at, '>'), *text = end + 1;
        const size_t length = strcspn(text, "<");
        if (!x || x > end || length < 4 || strncmp(text + length - 3, "MiB", 3) != 0)
            continue;
        seen++;
        assert_true(strtod(x + 4, NULL) + (double)length * 7 / 2 <= 960);
    }
    assert_true(seen >= 3);
    free(svg);
    record_free(record);
}
