/* SPDX-License-Identifier: MIT */
#include "fixture.h"

static void assert_formatted(const struct format *format, const struct record *record, const char *expected)
{
    assert_string_equal(formatted(format, record), expected);
}

/* Lists texts and their forms in CSV and TSV: no file name and no CPU name may run a program in a spreadsheet. */
TEST(texts_are_quoted_and_formulas_are_texts)
{
    static const char *const cases[][3] = {{"=1+1", "'=1+1", "'=1+1"},
                                           {"+cmd|x", "'+cmd|x", "'+cmd|x"},
                                           {"-2+3", "'-2+3", "'-2+3"},
                                           {"@SUM(1)", "'@SUM(1)", "'@SUM(1)"},
                                           {"=a(1,2)", "\"'=a(1,2)\"", "'=a(1,2)"},
                                           {"-7", "-7", "-7"},
                                           {"+0.5", "+0.5", "+0.5"},
                                           {"a=1", "a=1", "a=1"},
                                           {"", "", ""},
                                           {"a\"b", "\"a\"\"b\"", "a\"b"},
                                           {"a\nb", "\"a\nb\"", "a\\nb"},
                                           {"a\rb", "\"a\rb\"", "a\\rb"},
                                           {"a,b", "\"a,b\"", "a,b"},
                                           {"a\tb\\", "a\tb\\", "a\\tb\\\\"}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char csv[96], tsv[96];
        struct record *record = record_of(&list_spec);
        ROW(record, TEXT_CELL(cases[i][0]), INTEGER_CELL(-7), REAL_CELL(0.1));
        snprintf(csv, sizeof(csv), "name,size [Byte],latency [ns]\r\n%s,-7,0.1\r\n", cases[i][1]);
        snprintf(tsv, sizeof(tsv), "name\tsize [Byte]\tlatency [ns]\n%s\t-7\t0.1\n", cases[i][2]);
        assert_formatted(&csv_format, record, csv);
        assert_formatted(&tsv_format, record, tsv);
    }
}

/* Headings, axes and facts are no formulas either; a column may have no title. */
TEST(headings_facts_and_axes_are_no_formulas)
{
    static const struct column columns[] = {{"x", "=x", NULL, CELL_TEXT, ROLE_PARAMETER, 0},
                                            {"y", "", NULL, CELL_INTEGER, ROLE_PARAMETER, 0},
                                            {"v", "=v", NULL, CELL_REAL, ROLE_MEASURE, 1}};
    static const struct table_spec spec = {
        .name = "t",
        .columns = columns,
        .column_count = 3,
        .view = {.kind = VIEW_MATRIX, .x = 0, .y = 1, .value = 2, .series = -1}};
    struct record *record = record_of(&spec), *facts = record_of(NULL);
    ROW(record, TEXT_CELL("=a"), INTEGER_CELL(-4), REAL_CELL(2));
    FACT(facts, "host.cpu.brand", TEXT_CELL("=cmd|calc"));
    assert_formatted(&csv_format, record, "'=x,,'=v\r\n'=a,-4,2\r\n");
    assert_formatted(&tsv_matrix_format, record, "'=v\t'=a\n-4\t2.0\n");
    assert_formatted(&csv_format, facts, "fact,value,unit\r\nhost.cpu.brand,'=cmd|calc,\r\n");
}

/* RAMOMETER's lines: each sample, then the summary; speeds are averaged by their times. A clock that was
 * thrown away counts for nothing, and extremes have none. */
TEST(samples_become_lines)
{
    static const struct column columns[] = {{"kernel", "kernel", NULL, CELL_TEXT, ROLE_PARAMETER, 0},
                                            {"seconds", "time", "s", CELL_SUMMARY, ROLE_MEASURE, 1},
                                            {"speed", "speed", "B/s", CELL_REAL, ROLE_MEASURE, 1},
                                            {"ghz", "clock", "GHz", CELL_REAL, ROLE_MEASURE, 1, NULL, true}};
    static const struct table_spec spec = {
        .name = "t",
        .columns = columns,
        .column_count = 4,
        .view = {.kind = VIEW_MATRIX, .x = 0, .y = 0, .value = 2, .series = -1, .lines = 1, .duration = 1}};
    static const double values[][3] = {{2, 1, 6}, {6, 12, 2}, {1, NAN, 4}};
    struct record *record = record_of(&spec);
    for (size_t row = 0; row < 2; row++) {
        const size_t count = row ? 1 : 3;
        ROW(record, TEXT_CELL(row ? "b" : "a"), NO_CELL, NO_CELL, NO_CELL);
        for (int column = 0; column < 3; column++) {
            const struct summary summary = {.count = count, .median = median_of(values[column], count)};
            record_samples(record, 0, 1 + column,
                           &(struct samples){(double *)(uintptr_t)values[column], count, count}, &summary);
        }
    }
    ROW(record, TEXT_CELL("c"), NO_CELL, REAL_CELL(7), NO_CELL);
    assert_formatted(&tsv_format, record,
                     "kernel\tind/AVG\ttime [s]\tspeed [B/s]\tclock [GHz]\n"
                     "a\tind\t2\t6\t1\nb\tind\t2\t6\t1\na\tind\t1\t12\t\na\tind\t6\t2\t4\n"
                     "a\tAVG\t3\t4\t3.25\na\tMIN\t6\t2\t\na\tMED\t2\t6\t2.5\na\tMAX\t1\t12\t\n"
                     "b\tAVG\t2\t6\t1\nb\tMIN\t2\t6\t\nb\tMED\t2\t6\t1\nb\tMAX\t2\t6\t\nc\tMED\t\t7\t\n");
}

/* Both axes have all CPUs; a pair that was measured once stands below the diagonal, and nothing is copied above it. */
TEST(a_matrix_of_cpus_is_square)
{
    struct record *record = record_of(&pair_spec);
    add_pair(record, 0, 2, 58.25, 0);
    add_pair(record, 0, 5, 60, 0);
    assert_formatted(&tsv_matrix_format, record,
                     "latency [ns]\t0\t2\t5\n0\t\t\t\n2\t58.2\t\t\n5\t60.0\t\t\n");
    add_pair(record, 2, 0, 59, 0);
    assert_formatted(&tsv_matrix_format, record,
                     "latency [ns]\t0\t2\t5\n0\t\t58.2\t\n2\t59.0\t\t\n5\t60.0\t\t\n");
}

/* A snapshot is no bare number: it stands with the place where the pair was found and with its flags. Several tables
 * follow each other, each with its name; the long table has columns for both. */
TEST(a_snapshot_has_its_place_and_its_flags)
{
    struct record *record = placed_pairs();
    assert_formatted(&tsv_matrix_format, record,
                     "latency [ns]\t0\t1\t2\n0\t\t\t\n1\t10.3 one core (noisy)\t\t\n2\t26.9 one L3\t\t\n");
    assert_formatted(&csv_matrix_format, record,
                     "latency [ns],0,1,2\r\n0,,,\r\n1,10.3 one core (noisy),,\r\n2,26.9 one L3,,\r\n");
    record_table_add(record, &pair_spec);
    record_row(record, 1,
               (const struct cell[]){INTEGER_CELL(0), INTEGER_CELL(1), REAL_CELL(30), INTEGER_CELL(3)});
    assert_formatted(&csv_matrix_format, record,
                     "placed: latency [ns],0,1,2\r\n0,,,\r\n1,10.3 one core (noisy),,\r\n2,26.9 one L3,,\r\n"
                     "\r\ncas: latency [ns],0,1\r\n0,,\r\n1,\"30.0 (far,noisy)\",\r\n");
    assert_has(formatted(&csv_format, record), "0,1,10.3,noisy,one core\r\n");
}

/* Tables begin with the kind of core, and answers end with it, where there are several. */
TEST(a_kind_of_core_is_a_column)
{
    extern const struct format answers_format;
    struct record *record = record_of(NULL), *part = record_part_new(record);
    record_table_add(part, &list_spec);
    ROW(part, TEXT_CELL("a"), INTEGER_CELL(7), REAL_CELL(0.5));
    found(part, "k", INTEGER_CELL(1), NULL, TRUST_HIGH);
    found(record, "any", INTEGER_CELL(2), NULL, TRUST_HIGH);
    assert_formatted(&answers_format, record, "key\tvalue\tunit\ttrust\tstate\nany\t2\t\thigh\t\n");
    record_part_take(record, part, "Zen 5c");
    record_free(part);
    assert_formatted(&csv_format, record, "kind,name,size [Byte],latency [ns]\r\nZen 5c,a,7,0.5\r\n");
    assert_formatted(&answers_format, record,
                     "key\tvalue\tunit\ttrust\tstate\tkind\nany\t2\t\thigh\t\t\nk\t1\t\thigh\t\tZen 5c\n");
}
