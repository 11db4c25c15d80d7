/* SPDX-License-Identifier: MIT */
#include "../fixture.h"

TEST(facts_are_grouped)
{
    struct record *record = record_new();
    add_facts(record);
    char *got = formatted(&human_format, record);
    assert_string_equal(got,
                        "Tool\n"
                        "  uarchprobe     0.0\n"
                        "\nHost\n"
                        "  Architecture   x86_64\n"
                        "  Memory         6.34 GiB\n"
                        "\nCPU\n"
                        "  CPU            Made up <CPU> & \"co\"\xef\xbf\xbd\xef\xbf\xbd[31m\n"
                        "  Family         6\n"
                        "  Code name      unknown\n"
                        "\nFeatures\n"
                        "  Features       sse2 avx2\n"
                        "\nCaches\n"
                        "  L1 data cache  48 KiB\n"
                        "  L2 cache       2 MiB\n"
                        "\nClock\n"
                        "  Clock rate     2.6 GHz\n");
    free(got);
    record_free(record);
}
