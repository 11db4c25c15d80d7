/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "output/format.h"
#include "output/output.h"

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
