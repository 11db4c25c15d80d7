/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "scene.h"

static struct record *find_all(struct scene *scene, const struct run *run)
{
    scene->matrix.run = run;
    scene->matrix.complete = true;
    latency_conclude(&scene->matrix);
    latency_answers(&scene->matrix);
    distances_free(&scene->matrix.distances);
    return run->record;
}

TEST(the_matrix_and_the_answer_have_one_value)
{
    static const struct common common;
    const struct run run = {.record = record_new(), .common = &common};
    struct scene scene;
    uint64_t random = 1;

    set_scene(&scene, 3);
    for (size_t sweep = 0; sweep < DISTANT_SWEEPS; sweep++)
        distant_set(&scene.distant, sweep, 2, 27.9, distant_near(&random, sweep / 20 % 2 ? 25 : 31));
    const struct record *record = find_all(&scene, &run);
    const struct answer *found = record_answer_find(record, "cas.one_l3", NULL);
    assert_non_null(found);
    assert_float_equal(cell_number(&found->value), scene.cas[2].value, 1e-4);
    assert_non_null(record_answer_find(record, "between_cores.slower", NULL));
    record_free(run.record);
}

TEST(the_larger_share_of_the_run_comes_first)
{
    static const struct common common;
    for (size_t core = 60; core <= 140; core += 80) {
        const struct run run = {.record = record_new(), .common = &common};
        struct scene scene;
        set_scene(&scene, 3);
        set_all(&scene, 0, core, 5.3, 10.3);
        set_all(&scene, core, DISTANT_SWEEPS, 27.9, 27.7);
        const struct record *record = find_all(&scene, &run);
        assert_string_equal(record_answer_at(record, 0)->key, core == 60 ? "cas.one_l3" : "cas.one_core");
        assert_string_equal(record_answer_at(record, 1)->key, core == 60 ? "cas.one_core" : "cas.one_l3");
        record_free(run.record);
    }
}

/* A key is one quantity, whatever else a run has. */
TEST(a_queue_has_a_key_for_each_consumer)
{
    static const struct common common;
    for (int waits = 0; waits < 2; waits++) {
        const struct run run = {.record = record_new(), .common = &common};
        struct scene scene;
        set_scene(&scene, 3);
        set_all(&scene, 0, DISTANT_SWEEPS, 27.9, 57);
        if (waits) {
            scene.params.benches = 1u << BENCH_READWRITE;
            scene.matrix.column[SERIES_READWRITE] = 1;
            scene.matrix.cell[SERIES_READWRITE] = scene.cas;
            scene.matrix.column[SERIES_CAS] = -1;
            scene.matrix.cell[SERIES_CAS] = NULL;
        }
        scene.matrix.run = &run;
        scene.matrix.complete = true;
        latency_conclude(&scene.matrix);
        latency_answers(&scene.matrix);
        distances_free(&scene.matrix.distances);
        const struct answer *later = record_answer_find(run.record, "queue.transfer", NULL);
        const struct answer *waiting = record_answer_find(run.record, "queue.readwrite", NULL);
        assert_float_equal(cell_number(&later->value), 27.9, 0.6);
        assert_int_equal(waiting != NULL, waits);
        if (waiting)
            assert_float_equal(cell_number(&waiting->value), 57, 1.5);
        record_free(run.record);
    }
}

/* One instruction, and LL/SC where there is another; at 2 GHz. */
TEST(own_lines_are_counted_in_cycles)
{
    static const struct common common;
    const struct run run = {.record = record_new(), .common = &common};
    struct scene scene;
    uint64_t random = 1;

    set_scene(&scene, 3);
    scene.matrix.column[SERIES_TRANSFER] = -1; /* its column is that of LL/SC */
    scene.matrix.column[SERIES_OWN_LLSC] = 0;
    for (size_t sweep = 0; sweep < DISTANT_SWEEPS; sweep++)
        distant_set(&scene.distant, sweep, DISTANT_PAIRS, distant_near(&random, 8),
                    distant_near(&random, 40));
    scene.matrix.run = &run;
    scene.matrix.complete = true;
    latency_answers(&scene.matrix);
    const struct answer *one = record_answer_find(run.record, "cas.own_line", NULL);
    const struct answer *llsc = record_answer_find(run.record, "cas.llsc", NULL);
    assert_float_equal(cell_number(&one->value), 80, 3);
    assert_float_equal(cell_number(&llsc->value), 16, 0.6);
    record_free(run.record);
}
