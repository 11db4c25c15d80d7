/* SPDX-License-Identifier: MIT */
/* Lines of known size, and prefetchers that take a neighbour along: the distance that a run asks for. */
#include "test.h"

#include "scene.h"

static void release_record(void *record, size_t count)
{
    record_free(record);
}

enum { L = (int)TRUST_LOW, M = (int)TRUST_MEDIUM, H = (int)TRUST_HIGH, NONE = 0 };

static const struct story {
    const char *name;
    double transfer;               /* by which the distance is one L3, 27, or one core, 4 */
    size_t rounds;                 /* 0: all */
    double own[SHARING_DISTANCES]; /* cost by distance: of an own line 1, of a shared one 20 */
    double later;                  /* at 64 bytes in the second half of the run; 0: the same */
    double noise;                  /* of 64 bytes */
    bool cut;
    struct {
        long bytes, low, high; /* 0: no answer */
        int trust;
    } pad;
} written[] =
    {
        {"64-byte lines", 27, .own = {20, 20, 20, 1, 1, 1, 1}, .pad = {64, 64, 64, H}},
        {"128 is within 5 %", 27, .own = {20, 20, 20, 1.03, 1, 1, 1}, .pad = {64, 64, 64, H}},
        {"and beyond it", 27, .own = {20, 20, 20, 1.07, 1, 1, 1}, .pad = {128, 128, 128, H}},
        {"128-byte lines", 27, .own = {20, 20, 20, 20, 1, 1, 1}, .pad = {128, 128, 128, H}},
        {"256-byte lines", 27, .own = {20, 20, 20, 20, 20, 1, 1}, .pad = {256, 256, 256, H}},
        {"no plateau", 27, .own = {20, 20, 20, 20, 20, 20, 1}, .pad = {512, 512, 512, L}},
        {"a tie", 27, .own = {20, 20, 20, 1.05, 1, 1, 1}, .noise = 0.05, .pad = {0, 64, 128, L}},
        {"one core", 4, .own = {2, 2, 2, 1, 1, 1, 1}},
        {"few rounds", 27, 3, .own = {20, 20, 20, 1, 1, 1, 1}, .pad = {64, 64, 256, L}},
        {"cut", 27, .own = {20, 20, 20, 1, 1, 1, 1}, .cut = true, .pad = {64, 64, 64, M}},
        {"halves differ", 27, .own = {20, 20, 20, 1, 1, 1, 1}, .later = 1.2, .pad = {0, 64, 128, L}},
},
  read[] = {
      {"no neighbour", 27, .own = {20, 20, 20, 1, 1, 1, 1}, .pad = {64, 64, 64, H}},
      {"one of fifty", 27, .own = {20, 20, 20, 1.4, 1, 1, 1}, .pad = {64, 64, 64, H}},
      {"one of five", 27, .own = {20, 20, 20, 5, 1, 1, 1}, .pad = {128, 128, 128, H}},
      {"all", 27, .own = {20, 20, 20, 20, 1, 1, 1}, .pad = {128, 128, 128, H}},
      {"one core", 4, .own = {2, 2, 2, 1, 1, 1, 1}},
};

static void run(const struct story *story, enum latency_series first)
{
    const size_t rounds = story->rounds ? story->rounds : ROUNDS;
    uint64_t random = 7;
    scene_make();
    scene_set_all(0, rounds, story->transfer, 20);
    for (size_t i = 0; i < rounds * PAIRS; i++)
        for (int k = 0; k < SHARING_DISTANCES; k++) {
            const double wide = k == 3 ? story->noise : 0;
            const bool other = k == 3 && i >= rounds * PAIRS / 2 && story->later > 0;
            const double cost = other ? story->later : story->own[k];
            const double near = cost * (1 + wide * (near_to(&random, 1) - 1) / 0.03);
            s.value[i / PAIRS * POINTS + i % PAIRS][first + (enum latency_series)k] =
                (float)near_to(&random, 1.7 * near);
        }
    s.matrix.complete = !story->cut;
    s.matrix.setup.measures[SERIES_SHARING] = true;
    s.run.record = own(record_new(), 1, release_record);
    distances_find(&s.matrix);
    latency_answers(&s.matrix);
}

static void check(const struct story *story, size_t count, enum latency_series first, const char *key)
{
    for (; count > 0; story++, count--) {
        run(story, first);
        const struct answer *answer = record_answer_find(s.run.record, key, NULL);
        if (story->pad.high == 0) {
            if (answer)
                fail_msg("%s: there is an answer", story->name);
            continue;
        }
        if (!answer)
            fail_msg("%s: no answer", story->name);
        if ((story->pad.bytes && answer->value.integer != story->pad.bytes) ||
            lround(cell_number(&answer->low)) != story->pad.low ||
            lround(cell_number(&answer->high)) != story->pad.high || (int)answer->trust != story->pad.trust)
            fail_msg("%s: %ld, %g to %g, trust %d", story->name, (long)answer->value.integer,
                     cell_number(&answer->low), cell_number(&answer->high), (int)answer->trust);
    }
}

TEST(words_that_both_write)
{
    check(written, COUNT_OF(written), SERIES_SHARING, "sharing.pad_written.one_l3");
}

TEST(words_of_which_one_is_read)
{
    check(read, COUNT_OF(read), SERIES_TOUCHED, "sharing.pad_read.one_l3");
}

/* A pair on one core has rows, and what sharing costs it is an answer of its own. */
TEST(a_pair_on_one_core)
{
    run(&written[7], SERIES_SHARING);
    assert_non_null(record_answer_find(s.run.record, "sharing.times.one_core", NULL));
    latency_sharing_rows(&s.matrix);
    assert_int_equal(s.run.record->tables.of[0].row_count, SHARING_DISTANCES);
    for (size_t i = 0; i < s.run.record->answers.count; i++)
        assert_null(strstr(s.run.record->answers.of[i].key, "pad"));
}
