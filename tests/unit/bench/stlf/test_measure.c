/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "bench/stlf/stlf.h"
#include "engine/samples.h"

/* Two loads on one line would be two hits of one, and a page's end one more translation, wherever lines and pages end. */
TEST(every_load_has_a_line_of_one_page)
{
    static const long pages[] = {4096, 16384, 65536}, lines[] = {64, 128, 256};

    for (int p = 0; p < 3; p++) {
        unsigned char *page = aligned_alloc((size_t)pages[p], (size_t)pages[p]);
        assert_non_null(page);
        for (int l = 0; l < 3; l++) {
            const struct chase chain = stlf_chain(page, pages[p], lines[l]);
            bool taken[1024] = {false};
            unsigned char *node = page;

            assert_true(chain.count >= 16);
            chase_link(&chain);
            for (uint64_t i = 0; i < chain.count; i++, node = *(unsigned char **)(void *)node) {
                assert_true(node >= page && node + sizeof(void *) <= page + pages[p]);
                assert_false(taken[(node - page) / lines[l]]);
                taken[(node - page) / lines[l]] = true;
            }
            assert_ptr_equal(node, page);
        }
        free(page);
    }
}

/* A set without points takes its share and no time. */
TEST(an_empty_set_is_complete)
{
    struct stlf stlf = {.deadline_ns = UINT64_MAX, .sets = 2};
    struct fault fault = {0};
    struct stlf_set set;
    stlf_set_init(&set, 1);
    set.count = 0;
    assert_int_equal(stlf_measure(&stlf, &set, &fault), STATUS_OK);
    assert_int_equal(stlf.sets_begun, 1);
    assert_true(set.complete);
    stlf_set_free(&set);
}

static const struct kernel two = {.operation = OPERATION_FORWARD_FA};
static const struct kernel one = {.operation = OPERATION_FORWARD_SAME_BASE};

TEST(what_may_be_renamed_is_sampled_last)
{
    struct stlf_point point[] = {
        {&two, 0, 0, 64, 0}, {&two, 0, 2, 64, 0}, {&one, 0, 2, 64, 0}, {&two, 2, 0, 64, 0}};
    const struct stlf_set set = {.count = 4, .point = point};
    size_t order[4];
    stlf_order(&set, order);
    assert_int_equal(order[0], 1);
    assert_int_equal(order[1], 3);
    assert_int_equal(order[2], 0);
    assert_int_equal(order[3], 2);
}

enum { SWEEPS = 60, LOOKS = SWEEPS + 1, POINTS = 2 };

/* A core of 3 GHz: the points take 5 and 19 cycles with an idle sibling, a fifth more with an active one. It is active
 * from sweep `from` on. */
struct script {
    float value[SWEEPS * POINTS];
    uint32_t before[SWEEPS * POINTS];
    struct moment moment[LOOKS];
};

static struct engine_data scripted(struct script *script, size_t from)
{
    for (size_t i = 0; i < LOOKS; i++)
        script->moment[i] = (struct moment){.ghz = 3, .reading = {i >= from ? 32 : 64, 64, true}};
    for (size_t i = 0; i < SWEEPS * POINTS; i++) {
        const double cycles = (i % POINTS ? 19 : 5) * (i / POINTS >= from ? 1.2 : 1);
        script->value[i] = (float)(cycles / 3 * (1 + 1e-4 * (double)(i % 7)));
        script->before[i] = (uint32_t)(i / POINTS);
    }
    struct engine_data data = {.cells = POINTS,
                               .points = POINTS,
                               .sweeps = SWEEPS,
                               .cycles = true,
                               .value = script->value,
                               .before = script->before,
                               .moment = script->moment};
    while (data.moments++ < LOOKS) {
        data.sampled = true;
        state_count(&data);
    }
    data.moments = LOOKS;
    return data;
}

static const size_t swapped[POINTS] = {1, 0};

static bool is_about(double value, double expected)
{
    return fabs(value - expected) < 0.01 * expected;
}

TEST(states_are_kept_apart)
{
    struct script script;
    struct stlf_set set;
    const struct engine_data data = scripted(&script, 40);
    stlf_set_init(&set, POINTS);
    stlf_set_estimate(&set, &data, swapped);
    assert_int_equal(set.state, STATE_IDLE);
    assert_true(set.both);
    assert_true(is_about(set.estimate[1].value, 5) && is_about(set.estimate[0].value, 19));
    assert_true(is_about(set.active[1].value, 6) && is_about(set.active[0].value, 22.8));
    stlf_set_free(&set);
}

TEST(a_state_that_is_rare_is_not_reported)
{
    struct script script;
    struct stlf_set set;
    const struct engine_data data = scripted(&script, 57);
    stlf_set_init(&set, POINTS);
    stlf_set_estimate(&set, &data, swapped);
    assert_false(set.both);
    assert_true(is_about(set.estimate[1].value, 5));
    assert_true(isnan(set.active[1].value));
    stlf_set_free(&set);
}

TEST(what_was_not_seen_in_the_state_has_one_of_its_own)
{
    struct script script;
    struct stlf_set set;
    const struct engine_data data = scripted(&script, 40);
    for (size_t i = 0; i < 40; i++)
        script.value[i * POINTS] = NAN;
    stlf_set_init(&set, POINTS);
    stlf_set_estimate(&set, &data, swapped);
    assert_int_equal(set.estimate[1].state, STATE_MIXED);
    assert_true(is_about(set.estimate[1].value, 6));
    for (size_t i = 40; i < SWEEPS; i++)
        script.value[i * POINTS] = NAN;
    stlf_set_estimate(&set, &data, swapped);
    assert_true(isnan(set.estimate[1].value));
    assert_true(is_about(set.estimate[0].value, 19));
    stlf_set_free(&set);
}
