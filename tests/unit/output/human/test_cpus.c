/* SPDX-License-Identifier: MIT */
/* Matrices of CPUs on a screen. */
#include "../fixture.h"

static const struct style narrow = {.width = 80};

static struct record *pairs_of(int cpus)
{
    struct record *record = record_of(&placed_spec);
    for (int from = 0; from < cpus; from++)
        for (int to = from + 1; to < cpus; to++) {
            const bool is_far = to / 8 != from / 8;
            add_placed(record, from, to, 100 + from + to + 50 * is_far, from == 0 && to == 1, is_far);
        }
    return record;
}

/* Sixteen fit with their places into 80 columns and onto a screen; one more does not, and a file is named. Either way
 * the least, the greatest and the mean follow. */
TEST(sixteen_cpus_fit)
{
    for (int cpus = 16; cpus <= 17; cpus++) {
        char *got = formatted_in(&human_format, pairs_of(cpus), narrow);
        size_t lines = 0;
        for (char *line = strtok(own_text(strdup(got)), "\n"); line; line = strtok(NULL, "\n"), lines++)
            assert_true(strlen(line) <= 80);
        assert_true(lines <= 23);
        assert_int_equal(strstr(got, "matrix: -o") != NULL, cpus == 17);
        assert_int_equal(strstr(got, "101A") != NULL, cpus == 16); /* flagged */
        assert_int_equal(strstr(got, " 158b") != NULL, cpus == 16);
        assert_has(got, "101.0 ns");
        assert_has(got, "CPUs 0 and 1");
        assert_has(got, cpus == 16 ? "172.0 ns" : "181.0 ns");
        assert_has(got, cpus == 16 ? "CPUs 7 and 15" : "CPUs 15 and 16");
        assert_has(got, cpus == 16 ? "141.7 ns" : "145.4 ns");
    }
}

/* Where there is room numbers have decimals. The signs are explained; no number stands twice. */
TEST(signs_are_explained)
{
    char *got = formatted_in(&human_format, placed_pairs(), narrow);
    assert_has(got, "10.3A");
    assert_has(got, "26.9b");
    assert_int_equal(occurrences(got, "26.9b"), 1);
    assert_has(got, "a one core, b one L3; capital: noisy");
    got = formatted_in(&human_format, pairs_of(3), narrow);
    assert_has(got, "capital: far");
}

/* People ask for the matrix: it comes before the answers, which themselves would make one. */
TEST(the_matrix_comes_before_answers)
{
    struct record *record = placed_pairs();
    static const char *const sheet_cells[] = {"distance/CAS/one_core", "distance/CAS/one_L3",
                                              "distance/Way/one_core", "distance/Way/one_L3"};
    for (size_t i = 0; i < COUNT_OF(sheet_cells); i++)
        record_answer(record, (struct answer){.key = sheet_cells[i],
                                              .label = "an answer",
                                              .sheet_cell = sheet_cells[i],
                                              .value = REAL_CELL(700),
                                              .unit = "ns",
                                              .trust = TRUST_HIGH});
    const char *got = formatted_in(&human_format, record, narrow), *matrix = strstr(got, "10.3A"),
               *answer = strstr(got, "700");
    assert_true(matrix && answer && matrix < answer);
}
