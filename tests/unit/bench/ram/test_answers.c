/* SPDX-License-Identifier: MIT */
/* The trust of answers, and which level they are of, on samples that are made up. */
#include "world.h"

enum { KIB = 1 << 10, MIB = 1 << 20, ROUNDS = 240 };

/* A run of a pass over 16 KiB in 128 cycles, at 3.2 GHz; times vary evenly by these shares of themselves, up and down. */
struct scene {
    int level;
    double ns, cycles; /* NAN: none stand */
    size_t placements; /* 0: 4 */
    double loads;      /* bytes a cycle that the core moves at most */
    bool undecided;    /* another state in each probe */
    uint64_t threads;  /* 0: 1 */
    bool guest;
    double last; /* three tenths of the run take that many times as long; 0: as long */
};

static struct answer found(struct scene scene)
{
    struct world *world = world_new(ROUNDS, "i", 0.1, scene.placements ? scene.placements : 4);
    world_add(world, &read_a, scene.level, 16 * KIB);
    world->plan.loads = scene.loads;
    world->plan.guest = scene.guest;
    world->plan.stores = 32;
    world->plan.crew[0].threads = scene.threads ? scene.threads : 1;
    for (size_t i = 0; i < ROUNDS; i++) {
        const double off = ((double)(i * 97 % ROUNDS) + 0.5) / ROUNDS * 2 - 1,
                     times = scene.last > 0 && i >= ROUNDS * 7 / 10 ? scene.last : 1;
        world_put(world, i, 0, 40 * times * (1 + scene.ns * off), 128 * times * (1 + scene.cycles * off));
        if (scene.undecided)
            world->plan.data.moment[i].sibling = i % 2 ? STATE_IDLE : STATE_ACTIVE;
    }
    const struct answer answer = *world_answer(world, 0);
    world_free(world);
    return answer;
}

/* A core that loads 126 bytes a cycle: passes of less time are errors of the clock. */
TEST(no_range_is_faster_than_the_core)
{
    const struct scene scene = {.level = 1, .cycles = 0.3, .loads = 126};
    const struct answer answer = found(scene);
    const double most = 1.021 * scene.loads * 3.2e9;
    assert_in_range(answer.trust, TRUST_LOW, TRUST_MEDIUM);
    assert_true(cell_number(&answer.low) < cell_number(&answer.value));
    assert_true(cell_number(&answer.high) >= cell_number(&answer.value) && cell_number(&answer.high) < most);
}

TEST(trust_is_earned_by_what_repeats)
{
    static const struct {
        struct scene scene;
        enum trust trust;
        enum limited_by limited_by;
    } cases[] = {
        /* Within the core cycles are judged, where there are any, beyond it the best times: a plateau is flat. */
        {{1, 0.5, 0.01}, TRUST_HIGH, LIMITED_BY_NONE},
        {{1, 0.01, 0.2}, TRUST_MEDIUM, LIMITED_BY_PRECISION},
        {{1, 0.01, 0.8}, TRUST_LOW, LIMITED_BY_PRECISION},
        {{2, 0.5, 0.01}, TRUST_HIGH, LIMITED_BY_NONE},
        {{3, 0.038, 0.8}, TRUST_HIGH, LIMITED_BY_NONE},
        {{3, 0.042, 0.8}, TRUST_LOW, LIMITED_BY_PRECISION},
        {{4, 0.8, 0.01}, TRUST_LOW, LIMITED_BY_PRECISION},
        {{1, 0.8, NAN}, TRUST_LOW, LIMITED_BY_PRECISION},
        {{1, 0.01, NAN}, TRUST_HIGH, LIMITED_BY_NONE},
        /* In the core three placements are asked for; beyond it each quarter of the run reaches the plateau. */
        {{.level = 1, .placements = 2}, TRUST_LOW, LIMITED_BY_REPETITION},
        {{.level = 1, .placements = 3}, TRUST_HIGH, LIMITED_BY_NONE},
        {{.level = 3, .placements = 2}, TRUST_HIGH, LIMITED_BY_NONE},
        {{.level = 3, .last = 1.034}, TRUST_HIGH, LIMITED_BY_NONE},
        {{.level = 3, .last = 1.037}, TRUST_MEDIUM, LIMITED_BY_REPETITION},
        /* The host of a guest chooses which neighbours use the last cache. */
        {{.level = 3, .guest = true}, TRUST_LOW, LIMITED_BY_REPETITION},
        {{.level = 2, .guest = true}, TRUST_HIGH, LIMITED_BY_NONE},
        {{.level = 4, .guest = true}, TRUST_MEDIUM, LIMITED_BY_REPETITION},
        {{.level = 4}, TRUST_MEDIUM, LIMITED_BY_REPETITION},
        {{.level = 4, .threads = 2}, TRUST_LOW, LIMITED_BY_REPETITION},
        {{.level = 3, .threads = 2}, TRUST_HIGH, LIMITED_BY_NONE},
        {{.level = 4, .last = 1.069}, TRUST_MEDIUM, LIMITED_BY_REPETITION},
        {{.level = 4, .last = 1.072}, TRUST_LOW, LIMITED_BY_REPETITION},
        {{.level = 3, .last = 1.069}, TRUST_MEDIUM, LIMITED_BY_REPETITION},
        {{.level = 3, .last = 1.072}, TRUST_LOW, LIMITED_BY_REPETITION},
        /* Each sample lies between probes of different states. */
        {{.level = 1, .undecided = true}, TRUST_LOW, LIMITED_BY_PRECISION},
        {{.level = 3, .undecided = true}, TRUST_HIGH, LIMITED_BY_NONE},
        /* More bytes a cycle than the core can load: it is 128. */
        {{.level = 1, .loads = 64}, TRUST_LOW, LIMITED_BY_PLAUSIBILITY},
        {{.level = 1, .loads = 125}, TRUST_LOW, LIMITED_BY_PLAUSIBILITY},
        {{.level = 1, .loads = 126}, TRUST_HIGH, LIMITED_BY_NONE},
        {{.level = 1, .loads = NAN}, TRUST_HIGH, LIMITED_BY_NONE},
        {{.level = 2, .loads = 64}, TRUST_HIGH, LIMITED_BY_NONE},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct answer answer = found(cases[i].scene);
        assert_int_equal(answer.trust, cases[i].trust);
        assert_int_equal(answer.limited_by, cases[i].limited_by);
    }
}

/* A value of low trust has the range of the run, not the interval of its median, which has no bound. */
TEST(intervals_are_of_what_is_judged)
{
    const struct answer narrow = found((struct scene){1, 0.5, 0.01});
    assert_float_equal(narrow.ghz, 3.2, 0.05);
    assert_true(cell_number(&narrow.high) < 1.01 * cell_number(&narrow.value));
    for (int level = 1; level <= 3; level += 2) {
        const struct answer low = found((struct scene){.level = level, .last = 1.2, .placements = 1});
        assert_int_equal(low.trust, TRUST_LOW);
        assert_float_equal(cell_number(&low.high) / cell_number(&low.value), 1, 1e-6);
        assert_float_equal(cell_number(&low.value) / cell_number(&low.low), 1.2, 1e-6);
    }
}

/* The level of one of some latencies and streams (ns a byte), by its name and that of its set; the limited_by of the first answer. */
struct machine {
    size_t index;
    const char *level, *set;
    enum limited_by limited_by;
    struct chain {
        int level;
        uint64_t bytes;
        double ns;
        bool streamed;
    } of[9];
};

static struct world *measured(const struct chain *chain)
{
    struct world *world = world_new(16, "i", 0.1, 3);
    for (size_t i = 0; chain[i].level; i++) {
        const double ns = chain[i].ns * (chain[i].streamed ? (double)chain[i].bytes : 1);
        world_add(world,
                  chain[i].streamed    ? &read_a
                  : chain[i].level > 2 ? &draws
                                       : &chase,
                  chain[i].level, chain[i].bytes);
        for (size_t round = 0; round < 16; round++)
            world_put(world, round, i, ns, 2 * ns);
    }
    world_answer(world, 0);
    return world;
}

TEST(levels_are_what_was_measured)
{
    static const struct machine cases[] = {
        {0, "L2", "L2 1 MiB", LIMITED_BY_NONE, {{2, MIB, 0.01, true}}}, /* nothing else is known */
        {0, "DRAM", "DRAM 128 MiB", LIMITED_BY_REPETITION, {{4, 128 * MIB, 170}}},
        /* Neighbours may have most of a cache: it is the level where it is read half again as fast as memory. */
        {0, "L3 or DRAM", "8 MiB", LIMITED_BY_NONE, {{3, 8 * MIB, 0.01, true}, {4, 128 * MIB, 0.0145, true}}},
        {0, "L3", "L3 8 MiB", LIMITED_BY_NONE, {{3, 8 * MIB, 0.01, true}, {4, 128 * MIB, 0.0155, true}}},
        {0, "L2", "L2 1 MiB", LIMITED_BY_NONE, {{2, MIB, 0.01, true}, {4, 128 * MIB, 0.01, true}}},
        {0,
         "L3 or DRAM",
         "8 MiB",
         LIMITED_BY_NONE,
         {{3, 8 * MIB, 15}, {3, 8 * MIB, 0.01, true}, {4, 128 * MIB, 0.0145, true}}},
        {0,
         "L3",
         "L3 8 MiB",
         LIMITED_BY_NONE,
         {{3, 8 * MIB, 15}, {3, 8 * MIB, 0.01, true}, {4, 128 * MIB, 0.0155, true}}},
        /* A latency of seven tenths of memory's is no cache. */
        {0, "L2", "L2 256 KiB", LIMITED_BY_NONE, {{2, 256 * KIB, 65}, {4, 128 * MIB, 100}}},
        {0, "L2", "L2 256 KiB", LIMITED_BY_PLAUSIBILITY, {{2, 256 * KIB, 75}, {4, 128 * MIB, 100}}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct world *world = measured(cases[i].of);
        const struct ram_point *point = &world->plan.points[cases[i].index];
        char level[RAM_NAME], set[RAM_NAME];
        ram_names(&world->plan, point, level, set);
        assert_string_equal(level, cases[i].level);
        assert_string_equal(set, cases[i].set);
        assert_int_equal(world_answer(world, 0)->limited_by, cases[i].limited_by);
        world_free(world);
    }
}

/* In memory each kind of stores has an answer, and plain ones a third by what the bus carries. */
TEST(kinds_of_stores_have_answers_in_memory)
{
    enum { BYTES = 48 * MIB };
    static const struct kernel plain = {.name = "add_a",
                                        .operation = OPERATION_ADD,
                                        .method = METHOD_VECTOR,
                                        .store = ACCESS_ALIGNED},
                               streaming = {.name = "add_b",
                                            .operation = OPERATION_ADD,
                                            .method = METHOD_VECTOR,
                                            .store = ACCESS_STREAMING};
    static const struct {
        const char *key, *sheet_cell;
        double ns_of_buffer;
    } answers[] = {{"ram.DRAM.add_plain", "memory/DRAM_plain/add", 3},
                   {"ram.DRAM.add_allocated", "memory/DRAM_allocated/add", 4},
                   {"ram.DRAM.add_streaming", "memory/DRAM_streaming/add", 3 * 2}};
    struct world *world = world_new(20, "i", 1, 4);
    world->plan.apart = true;
    world_add(world, &plain, 4, BYTES);
    world_add(world, &streaming, 4, BYTES);
    for (size_t round = 0; round < 20; round++) {
        world_put(world, round, 0, 8e6, NAN);
        world_put(world, round, 1, 4e6, NAN);
    }
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
        const struct answer *answer = world_answer(world, i);
        assert_string_equal(answer->key, answers[i].key);
        assert_string_equal(answer->sheet_cell, answers[i].sheet_cell);
        const double right = answers[i].ns_of_buffer * BYTES / 8e6 * 1e9;
        assert_true(fabs(answer->value.real / right - 1) < 1e-6);
        assert_true(answer->low.real <= right * 1.000001 && answer->high.real >= right * 0.999999);
    }
    world_free(world);
}

/* Memory below four times the last cache may lie in it: each of its labels names both. */
TEST(labels_name_the_level_of_their_key)
{
    for (uint64_t last = 16 * MIB; last <= 64 * MIB; last *= 4) {
        const bool is_memory = last == 16 * MIB;
        struct world *world = world_new(16, "i", 0.1, 3);
        world->plan.crew[0].beyond = last;
        world_add(world, &draws, 4, 128 * MIB);
        for (size_t round = 0; round < 16; round++)
            world_put(world, round, 0, 100, 200);
        world_answer(world, 0);
        size_t sized = 0;
        for (size_t i = 0; i < world->record->answers.count; i++) {
            const struct answer *answer = &world->record->answers.of[i];
            const bool beyond =
                strncmp(answer->key, "ram.DRAM.", 9) == 0 || strncmp(answer->key, "ram.L3_or_DRAM.", 15) == 0;
            assert_int_equal(beyond && strncmp(answer->label, "L3 or DRAM ", 11) == 0, beyond && !is_memory);
            sized += beyond && strstr(answer->label, " size") != NULL;
        }
        assert_int_equal(sized, 1);
        world_free(world);
    }
}
