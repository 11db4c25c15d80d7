/* SPDX-License-Identifier: MIT */
#include "fixture.h"

/* Makes a report of two commands, one of which failed. */
static struct record *report(const char *brand)
{
    struct record *record = record_of(NULL);
    FACT(record, "run.command", TEXT_CELL("report"));
    FACT(record, "host.cpu.brand", TEXT_CELL(brand));
    record_warning(record, "command_failed", "lat: needs 2 CPUs");
    struct record *good = record_child_add(record), *failed = record_child_add(record);
    FACT(good, "run.command", TEXT_CELL("ram"));
    FACT(good, "run.method", TEXT_CELL("How it is done.\nWhere it is from."));
    record_table_add(good, &bar_spec);
    for (int i = 0; i < 4; i++)
        ROW(good, TEXT_CELL(i % 2 ? "a" : "</script><script>alert(1)</script>"),
            TEXT_CELL(i / 2 ? "L1" : "L2"), REAL_CELL(1e9 * i));
    placed(good, "memory/L1/read", REAL_CELL(3e10), "Byte/s", TRUST_HIGH);
    placed(good, "memory/L1/copy", REAL_CELL(2e10), "Byte/s", TRUST_MEDIUM);
    placed(good, "memory/L2/read", REAL_CELL(1e10), "Byte/s", TRUST_LOW);
    found(good, "other", REAL_CELL(5e9), "Byte/s", TRUST_LOW);
    FACT(failed, "run.command", TEXT_CELL("lat"));
    FACT(failed, "run.fault", TEXT_CELL("needs 2 CPUs"));
    FACT(failed, "run.complete", BOOL_CELL(false));
    return record;
}

static char *html_of(const struct record *record)
{
    return formatted_in(&html_format, record, (struct style){0});
}

/* The page needs no other file and has a section for each command, failed or not. */
TEST(a_page_has_its_parts)
{
    static const char *const parts[] = {"<title>report: A CPU</title>",
                                        "<section id=\"summary\">",
                                        "<section id=\"part1\">",
                                        "<p>Where it is from.</p>",
                                        "A note &amp; more.",
                                        "<p class=\"warn\">failed: needs 2 CPUs</p>",
                                        "<details><summary>Table (4 rows)</summary>"};
    static const char *const balanced[][2] = {
        {"<section", "</section>"}, {"<div", "</div>"}, {"<details", "</details>"}};
    char *page = html_of(report("A CPU"));
    for (size_t i = 0; i < COUNT_OF(parts); i++)
        assert_has(page, parts[i]);
    for (size_t i = 0; i < COUNT_OF(balanced); i++)
        assert_int_equal(occurrences(page, balanced[i][0]), occurrences(page, balanced[i][1]));
    assert_lacks(page, "src=");
    assert_lacks(page, "://");
}

TEST(no_text_becomes_markup)
{
    char *page = html_of(report("<b onload=\"x\">&amp;'\xC3\xA9\xFF]]>-->"));
    assert_lacks(page, "<b onload");
    assert_lacks(page, "<script>alert");
    assert_int_equal(occurrences(page, "<script"), 1);
    assert_int_equal(occurrences(page, "</script"), 1);
    assert_has(page, "&lt;b onload=&quot;x&quot;&gt;&amp;amp;&#39;\xC3\xA9");
}

TEST(the_page_holds_the_result)
{
    const struct format *const written_as[] = {&html_format, &json_format, &jsonl_format};
    const char *path = path_in(a_folder(), "result");
    struct record *record = report("A <CPU> & more");
    for (size_t i = 0; i < COUNT_OF(written_as); i++) {
        file_write(path, formatted_in(written_as[i], record, (struct style){0}));
        struct record *loaded = record_at(path);
        assert_int_equal(loaded->children.count, 2);
        assert_string_equal(value_of(loaded->children.of[0], "host.cpu.brand").text, "A <CPU> & more");
        assert_string_equal(formatted(&json_format, loaded), formatted(&json_format, record));
    }
}

TEST(a_cut_page_is_refused)
{
    char *page = html_of(report("A CPU"));
    const char *path = path_in(a_folder(), "result");
    const size_t length = strlen(page), data = (size_t)(strstr(page, "</script>") - page);
    for (size_t cut = 0; cut < length; cut += length / 200) {
        struct record *loaded = NULL;
        struct fault fault = {0};
        file_write(path, own_text(strndup(page, cut)));
        const enum status status = record_load(path, &loaded, &fault);
        if (cut + 2 < data) {
            assert_int_equal(status, STATUS_USAGE);
            assert_has(fault.text, "line ");
        }
        record_free(loaded);
    }
}
