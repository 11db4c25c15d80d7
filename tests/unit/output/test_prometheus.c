/* SPDX-License-Identifier: MIT */
#include "fixture.h"

TEST(every_sample_is_a_number)
{
    struct record *record = record_new();
    record_fact(record, (struct fact){.path = "run.command", .value = TEXT_CELL("sb-capacity")});
    record_answer(record,
                  (struct answer){
                      .key = "entries", .value = INTEGER_CELL(112), .unit = "entries", .trust = TRUST_HIGH});
    record_answer(record,
                  (struct answer){.key = "coalescing", .value = BOOL_CELL(true), .trust = TRUST_MEDIUM});
    record_answer(record, (struct answer){.key = "alike", .value = BOOL_CELL(false)});
    record_answer(record, (struct answer){.key = "cores", .value = TEXT_CELL("a \"b\""), .trust = TRUST_LOW});
    record_answer(record, (struct answer){.key = "unknown", .value = NO_CELL});
    for (enum state of = STATE_IDLE; of <= STATE_ACTIVE; of++)
        record_answer(record,
                      (struct answer){.key = "half", .value = INTEGER_CELL(of), .state = state_names[of]});
    char *got = formatted(&prometheus_format, record);
    static const char *const lines[] = {
        "\nuarchprobe_finding{command=\"sb-capacity\",key=\"half\",unit=\"\",state=\"sibling idle\"} 1\n",
        "\nuarchprobe_finding{command=\"sb-capacity\",key=\"half\",unit=\"\",state=\"sibling active\"} 2\n",
        "\nuarchprobe_finding{command=\"sb-capacity\",key=\"entries\",unit=\"entries\"} 112\n",
        "\nuarchprobe_finding{command=\"sb-capacity\",key=\"coalescing\",unit=\"\"} 1\n",
        "\nuarchprobe_finding{command=\"sb-capacity\",key=\"alike\",unit=\"\"} 0\n",
        "\nuarchprobe_finding_trust{command=\"sb-capacity\",key=\"entries\"} 2\n",
        "\nuarchprobe_finding_trust{command=\"sb-capacity\",key=\"coalescing\"} 1\n",
        "\nuarchprobe_finding_text{command=\"sb-capacity\",key=\"cores\",value=\"a \\\"b\\\"\"} 1\n"};
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
        assert_non_null(strstr(got, lines[i]));
    assert_null(strstr(got, "unknown"));
    free(got);
    record_free(record);
}

/* Of a comparison, which looks at no machine, it is not known. */
TEST(an_emulator_is_a_metric)
{
    static const char *const expected[] = {NULL, "\nuarchprobe_emulated 0\n", "\nuarchprobe_emulated 1\n"};
    struct record *record = record_new();
    for (int i = 0; i < 3; i++) {
        if (i > 0)
            record_fact(record, (struct fact){.path = RECORD_EMULATED, .value = BOOL_CELL(i == 2)});
        char *got = formatted(&prometheus_format, record);
        if (expected[i])
            assert_non_null(strstr(got, expected[i]));
        else
            assert_null(strstr(got, "emulated"));
        free(got);
    }
    record_free(record);
}
