/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "scene.h"

/* Made by scene_make and filled; the record is freed by the caller. */
static struct record *answer(void)
{
    s.run.record = record_new();
    latency_conclude(&s.matrix);
    latency_answers(&s.matrix);
    return s.run.record;
}

static double value_of(const struct record *record, const char *key)
{
    const struct answer *found = record_answer_find(record, key, NULL);
    return found ? cell_number(&found->value) : NAN;
}

TEST(the_matrix_and_the_answer_have_one_value)
{
    uint64_t random = 1;
    scene_make();
    for (size_t sweep = 0; sweep < SWEEPS; sweep++)
        scene_set(sweep, 2, 27.9, near_to(&random, sweep / 20 % 2 ? 25 : 31));
    struct record *record = answer();
    assert_float_equal(value_of(record, "cas.one_l3"), cas_of(2)->value, 1e-4);
    assert_float_equal(value_of(record, "between_cores.slower"), 31 / 25.0, 0.05);
    record_free(record);
}

TEST(the_larger_share_of_the_run_comes_first)
{
    for (size_t core = 60; core <= 140; core += 80) {
        scene_make();
        scene_set_all(0, core, 5.3, 10.3);
        scene_set_all(core, SWEEPS, 27.9, 27.7);
        struct record *record = answer();
        assert_string_equal(record->answers.of[0].key, core == 60 ? "cas.one_l3" : "cas.one_core");
        assert_string_equal(record->answers.of[1].key, core == 60 ? "cas.one_core" : "cas.one_l3");
        assert_float_equal(value_of(record, "transfer.per_cas"), 27.9 / 27.7, 0.02);
        assert_float_equal(value_of(record, "placement.changes"), PAIRS, 0);
        assert_float_equal(value_of(record, "placement.shared_core"), (double)core / SWEEPS, 1e-9);
        assert_float_equal(value_of(record, "placement.share_one_core"), 100 * (double)core / SWEEPS, 1e-9);
        assert_true(isnan(value_of(record, "cas.fastest"))); /* another one in the next run */
        record_free(record);
    }
}

/* A key is one quantity, whatever else a run has. */
TEST(a_queue_has_a_key_for_each_consumer)
{
    for (int waits = 0; waits < 2; waits++) {
        scene_make();
        scene_set_all(0, SWEEPS, 27.9, 57);
        if (waits) {
            s.params.benches = 1u << BENCH_READWRITE;
            s.matrix.setup.measures[SERIES_READWRITE] = true;
            s.matrix.setup.measures[SERIES_CAS] = false;
            for (size_t i = 0; i < SWEEPS * POINTS; i++)
                s.value[i][SERIES_READWRITE] = s.value[i][SERIES_CAS];
        }
        struct record *record = answer();
        assert_float_equal(value_of(record, "queue.transfer"), 27.9, 0.6);
        assert_int_equal(isnan(value_of(record, "queue.readwrite")), !waits);
        assert_true(!waits || fabs(value_of(record, "queue.readwrite") - 57) < 1.5);
        record_free(record);
    }
}

/* One instruction, and LL/SC where there is another; at 2 GHz. A run that was cut promises no more than medium. */
TEST(own_lines_are_counted_in_cycles)
{
    for (int complete = 0; complete < 2; complete++) {
        uint64_t random = 1;
        scene_make();
        s.matrix.complete = complete;
        s.matrix.setup.measures[SERIES_OWN_LLSC] = true;
        for (size_t sweep = 0; sweep < SWEEPS; sweep++) {
            scene_set(sweep, POINTS - 1, NAN, near_to(&random, 40));
            s.value[sweep * POINTS + POINTS - 1][SERIES_OWN_LLSC] = (float)near_to(&random, 8);
        }
        struct record *record = answer();
        assert_float_equal(value_of(record, "cas.own_line"), 80, 3);
        assert_float_equal(value_of(record, "cas.llsc"), 16, 0.6);
        assert_int_equal(record_answer_find(record, "cas.llsc", NULL)->trust,
                         complete ? TRUST_HIGH : TRUST_MEDIUM);
        record_free(record);
    }
}

TEST(the_extremes_of_the_pairs)
{
    scene_make();
    scene_set_all(0, SWEEPS, 27.9, 27.7);
    for (size_t sweep = 0; sweep < SWEEPS; sweep++) {
        scene_set(sweep, 0, 27.9, 25);
        scene_set(sweep, 5, 27.9, 29);
    }
    struct record *record = answer();
    assert_float_equal(value_of(record, "cas.fastest"), 25, 1e-4);
    assert_float_equal(value_of(record, "cas.slowest"), 29, 1e-4);
    assert_int_equal(record_answer_find(record, "cas.slowest", NULL)->trust, TRUST_MEDIUM);
    record_free(record);
}

/* What lies between the cores is slower by a third in half of the moments; of few measurements nothing is said. */
TEST(slow_moments_are_held_against_the_fastest)
{
    for (size_t sweeps = 95; sweeps <= 96; sweeps++) {
        uint64_t random = 1;
        scene_make();
        for (size_t i = 0; i < sweeps; i++)
            scene_set(i, 0, 28, near_to(&random, i / 25 % 2 ? 60 : 80));
        struct record *record = answer();
        assert_int_equal(isnan(value_of(record, "between_cores.slower")), sweeps < 96);
        assert_true(sweeps < 96 || fabs(value_of(record, "between_cores.slower") - 80 / 60.0) < 0.05);
        record_free(record);
    }
}

/* Pairs below one L3 that were found beyond it are elsewhere in the next run. A part of the pairs is no value of all. */
TEST(what_promises_nothing)
{
    for (uint64_t rounds = 0; rounds < 2; rounds++) {
        scene_make();
        scene_set_all(0, SWEEPS, 124.6, 105);
        s.matrix.data.rounds = rounds;
        struct record *record = answer();
        assert_int_equal(isnan(value_of(record, "cas.beyond_one_l3")), !rounds);
        assert_int_equal(isnan(value_of(record, "cas.slowest")), !rounds);
        if (rounds)
            assert_int_equal(record_answer_find(record, "cas.slowest", NULL)->trust, TRUST_LOW);
        record_free(record);
    }
}
