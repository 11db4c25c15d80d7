/* SPDX-License-Identifier: MIT */
#include "fixture.h"

TEST(escapes_what_would_be_acted_upon)
{
    struct record *record = record_of(&list_spec);
    ROW(record, TEXT_CELL("a|b<c>\n*d* `e` _f_ [g] \\ &"), NO_CELL, REAL_CELL(1));
    assert_string_equal(formatted(&markdown_format, record),
                        "## Texts from outside\n\n"
                        "| name | latency \\[ns\\] |\n" /* the size is not known in any row */
                        "| --- | ---: |\n"
                        "| a\\|b&lt;c> \\*d\\* \\`e\\` \\_f\\_ \\[g\\] \\\\ &amp; | 1.00 |\n\n");
}
