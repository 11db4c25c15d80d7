/* SPDX-License-Identifier: MIT */
/* Trust of rows whose samples all agree: what states that outlast a run were seen to move is promised
 * less, the rest is promised what its samples show. */
#include "test.h"

#include "../../engine/simulated_lab.h"
#include "bench/cost/cost.h"

static const struct metric *metric_named(const char *key)
{
    static const struct experiment *const of[] = {
        &atomics_experiment,   &contended_experiment,   &mispredict_experiment, &parent_experiment,
        &yield_experiment,     &wake_nobody_experiment, &futex_near_experiment, &futex_far_experiment,
        &pipe_near_experiment, &pipe_far_experiment,    &page_fault_experiment, &huge_fault_experiment,
        &unmap_page_experiment};
    for (size_t i = 0; i < COUNT_OF(of); i++)
        for (const struct metric *metric = of[i]->metrics; metric->key; metric++)
            if (strcmp(metric->key, key) == 0)
                return metric;
    fail_msg("no %s", key);
    return NULL;
}

/* ns of x operations, of 2 % noise. */
static double sample(const struct point *point)
{
    struct sim *sim = point->own;
    sim->now_s += 1e-4;
    return 1000 * (double)point->x * (1 + 0.01 * (sim_uniform(sim) - 0.5));
}

static int trust_of(const char *key)
{
    static const struct sim_script quiet = {.name = "quiet"};
    const struct metric *metric = metric_named(key);
    struct metric metrics[] = {*metric, {0}};
    const struct series series[] = {{.name = metric->series, .range = {16, 112, 96}}, {0}};
    const struct experiment experiment = {
        .name = "cost", .series = series, .metrics = metrics, .sample = sample};
    struct sim sim;
    metrics->by_name = false;
    sim_start(&sim, &quiet, 3);
    struct record *record = sim_measured(&sim, &experiment, &sim, record_new(),
                                         (struct engine_effort){.rounds = 200, .least = 200}, -1);
    const struct answer *answer = sim_find(record, key, STATE_IDLE);
    assert_non_null(answer);
    const int trust = (int)answer->trust;
    record_free(record);
    return trust;
}

/* The series that each low or medium row rests upon stand beside the rows, and in docs/reliability.md. */
TEST(trust_is_capped_only_where_a_series_broke_it)
{
    static const struct {
        const char *key;
        int trust;
    } rows[] = {{"cost.multiply", TRUST_HIGH},
                {"cost.cpuid", TRUST_HIGH},
                {"cost.pause", TRUST_MEDIUM},
                {"cost.page_fault", TRUST_MEDIUM},
                {"cost.flush", TRUST_LOW},
                {"cost.split_lock", TRUST_LOW},
                {"cost.system_call.instruction", TRUST_LOW},
                {"cost.contended.atomic_add", TRUST_LOW},
                {"cost.yield", TRUST_LOW},
                {"cost.futex.nobody", TRUST_LOW},
                {"cost.futex.same_cpu", TRUST_LOW},
                {"cost.pipe.same_cpu", TRUST_LOW},
                {"cost.huge_page_fault", TRUST_LOW},
                {"cost.unmap", TRUST_LOW}};
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        if (trust_of(rows[i].key) != rows[i].trust)
            fail_msg("%s: trust %d", rows[i].key, trust_of(rows[i].key));
}
