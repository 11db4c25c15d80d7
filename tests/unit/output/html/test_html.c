/* SPDX-License-Identifier: MIT */
#include "test.h"

#include <unistd.h>

#include "output/format.h"
#include "output/output.h"
#include "uarchprobe/record.h"

static const struct column columns[] = {
    {"kernel", "kernel", NULL, CELL_TEXT, ROLE_PARAMETER, 0},
    {"set", "set", NULL, CELL_TEXT, ROLE_PARAMETER, 0},
    {"speed", "speed", "Byte/s", CELL_REAL, ROLE_MEASURE, 1},
};
static const struct table_spec table = {
    .name = "bars",
    .title = "Speed <of> \"kernels\"",
    .note = "A note & more.",
    .columns = columns,
    .column_count = 3,
    .view = {.kind = VIEW_MATRIX, .x = 1, .y = 0, .value = 2, .series = -1}};

static void text_fact(struct record *record, const char *path, const char *text)
{
    record_fact(record, (struct fact){.path = path, .value = TEXT_CELL(text)});
}

static void add_answer(struct record *record, const char *key, double value, enum trust trust)
{
    char text[64];
    snprintf(text, sizeof(text), "the finding %s", key);
    record_answer(record, (struct answer){.key = key,
                                          .value = REAL_CELL(value),
                                          .unit = "Byte/s",
                                          .trust = trust,
                                          .text = text,
                                          .low = REAL_CELL(value * 0.9),
                                          .high = REAL_CELL(value * 1.1)});
}

/* Of two commands, one of which failed. */
static struct record *report(const char *brand)
{
    struct record *record = record_new();
    text_fact(record, "run.command", "report");
    text_fact(record, "host.cpu.brand", brand);
    record_warning(record, "command_failed", "lat: needs 2 CPUs");
    struct record *good = record_child_add(record), *failed = record_child_add(record);
    text_fact(good, "run.command", "ram");
    text_fact(good, "run.method", "How it is done.\nWhere it is from.");
    record_table_add(good, &table);
    for (int i = 0; i < 4; i++) {
        const struct cell cells[] = {TEXT_CELL(i % 2 ? "a" : "</script><script>alert(1)</script>"),
                                     TEXT_CELL(i / 2 ? "L1" : "L2"), REAL_CELL(1e9 * i)};
        record_row(good, 0, cells);
    }
    add_answer(good, "ram.L1.read", 3e10, TRUST_HIGH);
    add_answer(good, "ram.L1.copy", 2e10, TRUST_MEDIUM);
    add_answer(good, "ram.L2.read", 1e10, TRUST_LOW);
    add_answer(good, "ram.L2.copy", 5e9, TRUST_HIGH);
    add_answer(good, "other", 5e9, TRUST_LOW);
    text_fact(failed, "run.command", "lat");
    text_fact(failed, "run.fault", "needs 2 CPUs");
    record_fact(failed, (struct fact){.path = "run.complete", .value = BOOL_CELL(false)});
    return record;
}

static char *written(const struct format *format, const struct record *record)
{
    const struct style style = {0};
    struct text out = {0};
    format->write(format, &style, record, &out);
    return text_take(&out);
}

static size_t occurrences(const char *text, const char *of)
{
    size_t count = 0;
    for (const char *at = text; (at = strstr(at, of)); at += strlen(of))
        count++;
    return count;
}

TEST(a_page_has_its_parts)
{
    static const char *const parts[] = {"<!DOCTYPE html>",
                                        "<html lang=\"en\">",
                                        "charset=\"utf-8\"",
                                        "width=device-width",
                                        "prefers-color-scheme:dark",
                                        "@media print",
                                        "<title>report: A CPU</title>",
                                        "<section id=\"summary\">",
                                        "<section id=\"part0\">",
                                        "<section id=\"part1\">",
                                        "<section id=\"machine\">",
                                        "<figure><svg ",
                                        "<details><summary>Table (4 rows)</summary>",
                                        "<p>Where it is from.</p>",
                                        "<p class=\"warn\">needs 2 CPUs</p>",
                                        "<p class=\"warn\">lat: needs 2 CPUs</p>",
                                        "A note &amp; more.",
                                        "<script type=\"application/json\" id=\"result\">",
                                        "</html>"};
    struct record *record = report("A CPU");
    char *page = written(&html_format, record);
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        if (!strstr(page, parts[i]))
            fail_msg("no %s", parts[i]);
    }
    assert_null(strstr(page, "src="));
    assert_null(strstr(page, "http://"));
    assert_null(strstr(page, "https://"));
    assert_int_equal(occurrences(page, "<section"), occurrences(page, "</section>"));
    assert_int_equal(occurrences(page, "<div"), occurrences(page, "</div>"));
    assert_int_equal(occurrences(page, "<details"), occurrences(page, "</details>"));
    free(page);
    record_free(record);
}

TEST(no_text_becomes_markup)
{
    static const char brand[] = "<b onload=\"x\">&amp;'\xC3\xA9\xFF]]>-->";
    struct record *record = report(brand);
    char *page = written(&html_format, record);
    assert_null(strstr(page, "<b onload"));
    assert_null(strstr(page, "<script>alert"));
    assert_int_equal(occurrences(page, "<script"), 1);
    assert_int_equal(occurrences(page, "</script"), 1);
    assert_non_null(strstr(page, "&lt;b onload=&quot;x&quot;&gt;&amp;amp;&#39;\xC3\xA9"));
    free(page);
    record_free(record);
}

static void save(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

TEST(the_page_holds_the_result)
{
    static const char *const names[] = {"html", "json", "jsonl"};
    const struct format *const written_as[] = {&html_format, &json_format, &jsonl_format};
    struct record *record = report("A <CPU> & more");
    char *json = written(&json_format, record), path[] = "/tmp/test_html.XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    for (int i = 0; i < 3; i++) {
        struct record *loaded;
        struct fault fault = {0};
        char *text = written(written_as[i], record);
        save(path, text);
        if (record_load(path, &loaded, &fault) != STATUS_OK)
            fail_msg("%s: %s", names[i], fault.text);
        assert_int_equal(record_child_count(loaded), 2);
        assert_string_equal(record_fact_find(record_child_at(loaded, 0), "host.cpu.brand")->value.text,
                            "A <CPU> & more");
        char *again = written(&json_format, loaded);
        assert_string_equal(again, json);
        free(again);
        free(text);
        record_free(loaded);
    }
    unlink(path);
    free(json);
    record_free(record);
}

TEST(a_cut_page_is_refused)
{
    struct record *record = report("A CPU");
    char *page = written(&html_format, record), path[] = "/tmp/test_html.XXXXXX";
    const size_t length = strlen(page), data = (size_t)(strstr(page, "</script>") - page);
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    for (size_t cut = 0; cut < length; cut += length / 200) {
        struct record *loaded = NULL;
        struct fault fault = {0};
        const char kept = page[cut];
        page[cut] = '\0';
        save(path, page);
        page[cut] = kept;
        enum status status = record_load(path, &loaded, &fault);
        if (cut + 2 < data) {
            assert_int_equal(status, STATUS_USAGE);
            assert_non_null(strstr(fault.text, "line "));
        }
        record_free(loaded);
    }
    unlink(path);
    free(page);
    record_free(record);
}
