/* SPDX-License-Identifier: MIT */
#include "fixture.h"

TEST(every_sample_is_a_number)
{
    static const char *const lines[] = {
        "\nuarchprobe_answer{command=\"sb-capacity\",key=\"half\",unit=\"\",state=\"sibling idle\"} 1\n",
        "\nuarchprobe_answer{command=\"sb-capacity\",key=\"half\",unit=\"\",state=\"sibling active\"} 2\n",
        "\nuarchprobe_answer{command=\"sb-capacity\",key=\"entries\",unit=\"entries\"} 112\n",
        "\nuarchprobe_answer{command=\"sb-capacity\",key=\"coalescing\",unit=\"\"} 1\n",
        "\nuarchprobe_answer{command=\"sb-capacity\",key=\"alike\",unit=\"\"} 0\n",
        "\nuarchprobe_answer{command=\"sb-capacity\",key=\"kinds\",unit=\"\",kind=\"Zen 5\"} 0\n",
        "\nuarchprobe_answer{command=\"sb-capacity\",key=\"kinds\",unit=\"\",kind=\"Zen 5c\"} 1\n",
        "\nuarchprobe_answer_trust{command=\"sb-capacity\",key=\"entries\"} 2\n",
        "\nuarchprobe_answer_trust{command=\"sb-capacity\",key=\"coalescing\"} 1\n",
        "\nuarchprobe_answer_text{command=\"sb-capacity\",key=\"cores\",value=\"a \\\"b\\\"\"} 1\n"};
    struct record *record = record_of(NULL);
    FACT(record, "run.command", TEXT_CELL("sb-capacity"));
    found(record, "entries", INTEGER_CELL(112), "entries", TRUST_HIGH);
    found(record, "coalescing", BOOL_CELL(true), NULL, TRUST_MEDIUM);
    found(record, "alike", BOOL_CELL(false), NULL, TRUST_LOW);
    found(record, "cores", TEXT_CELL("a \"b\""), NULL, TRUST_LOW);
    found(record, "unknown", NO_CELL, NULL, TRUST_LOW);
    for (enum state of = STATE_IDLE; of <= STATE_ACTIVE; of++)
        record_answer(record,
                      (struct answer){.key = "half", .value = INTEGER_CELL(of), .state = state_names[of]});
    for (int i = 0; i < 2; i++)
        record_answer(record, (struct answer){
                                  .key = "kinds", .kind = i ? "Zen 5c" : "Zen 5", .value = INTEGER_CELL(i)});
    char *got = formatted(&prometheus_format, record);
    for (size_t i = 0; i < COUNT_OF(lines); i++)
        assert_has(got, lines[i]);
    assert_lacks(got, "unknown");
}

/* A comparison measures no machine, so it is unknown whether one was emulated. */
TEST(an_emulator_is_a_metric)
{
    struct record *record = record_of(NULL);
    assert_lacks(formatted(&prometheus_format, record), "emulated");
    FACT(record, RECORD_EMULATED, BOOL_CELL(false));
    assert_has(formatted(&prometheus_format, record), "\nuarchprobe_emulated 0\n");
    FACT(record, RECORD_EMULATED, BOOL_CELL(true));
    assert_has(formatted(&prometheus_format, record), "\nuarchprobe_emulated 1\n");
}
