/* SPDX-License-Identifier: MIT */
#include "fixture.h"

TEST(escapes_what_would_be_acted_upon)
{
    struct record *record = record_new();
    size_t table = record_table_add(record, &list_spec);
    const struct cell row[] = {TEXT_CELL("a|b<c>\n*d* `e` _f_ [g] \\ &"), NO_CELL, REAL_CELL(1)};
    record_row(record, table, row);
    char *got = formatted(&markdown_format, record);
    assert_string_equal(got,
                        "## Texts from outside\n\n"
                        "| name | latency \\[ns\\] |\n" /* the size is not known in any row */
                        "| --- | ---: |\n"
                        "| a\\|b&lt;c> \\*d\\* \\`e\\` \\_f\\_ \\[g\\] \\\\ &amp; | 1.00 |\n\n");
    free(got);
    record_free(record);
}

TEST(best_is_bold_and_answers_are_bullets)
{
    struct record *record = record_new();
    add_matrix(record);
    add_answers(record);
    char *got = formatted(&markdown_format, record);
    assert_non_null(strstr(got, "| avx2 | **6.0** |"));
    assert_non_null(strstr(got, "\n- latency: none &lt;yet> (low trust)\n"));
    assert_non_null(strstr(got, "\nWarning: the sibling ran in 12 % of the time\n"));
    free(got);
    record_free(record);
}

/* As a file that was loaded may have them. */
TEST(a_fact_may_be_empty)
{
    struct record *record = record_new();
    record_fact(record, (struct fact){"host.x", "x", NULL, TEXT_CELL("")});
    char *got = formatted(&markdown_format, record);
    assert_string_equal(got, "| host | |\n| --- | --- |\n| x |  |\n\n");
    free(got);
    record_free(record);
}
