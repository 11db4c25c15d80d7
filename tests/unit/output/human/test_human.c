/* SPDX-License-Identifier: MIT */
#include "../fixture.h"

static void nothing_hidden_and_no_control_character_is_shown(void **state)
{
    struct record *record = synthetic();
    char *got = formatted(&human_format, record);
    assert_null(strstr(got, "Raw"));
    for (const char *at = got; *at; at++)
        assert_true(*at == '\n' || (unsigned char)*at >= 0x20);
    free(got);
    record_free(record);
}

static void trust_is_told_unless_high(void **state)
{
    struct record *record = record_new();
    add_answers(record);
    char *got = formatted(&human_format, record);
    assert_string_equal(got, "store buffer: 56 entries\nlatency: none <yet> (low trust)\n");
    free(got);
    record_free(record);
}

/* All about the host only where there is nothing else to say. */
static void host_is_a_line_above_measurements(void **state)
{
    struct record *record = record_new();
    add_facts(record);
    add_curve(record);
    char *got = formatted(&human_format, record);
    assert_int_equal(strncmp(got, "Made up <CPU>", 13), 0);
    assert_null(strstr(got, "Family"));
    free(got);
    record_free(record);
}

static void incomplete_run_is_told(void **state)
{
    struct record *record = record_new();
    add_curve(record);
    record_fact(record, (struct fact){.path = "run.complete", .value = BOOL_CELL(true)});
    char *whole = formatted(&human_format, record);
    assert_null(strstr(whole, "Incomplete"));
    record_fact(record, (struct fact){.path = "run.complete", .value = BOOL_CELL(false)});
    char *cut = formatted(&human_format, record);
    assert_non_null(strstr(cut, "Incomplete"));
    free(whole);
    free(cut);
    record_free(record);
}

static void colour_only_where_welcome(void **state)
{
    struct record *record = synthetic();
    char *plain = formatted_in(&human_format, record, (struct style){0});
    char *colored = formatted_in(&human_format, record, (struct style){.color = true});
    assert_null(strchr(plain, '\033'));
    assert_non_null(strstr(colored, "\033[1mBandwidth\033[0m"));
    free(plain);
    free(colored);
    record_free(record);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_hidden_and_no_control_character_is_shown),
        cmocka_unit_test(trust_is_told_unless_high), cmocka_unit_test(host_is_a_line_above_measurements),
        cmocka_unit_test(incomplete_run_is_told), cmocka_unit_test(colour_only_where_welcome)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
