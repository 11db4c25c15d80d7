/* SPDX-License-Identifier: MIT */
/* The trust of answers, and which level they are of, on samples that are made up. */
#include "world.h"

enum { KIB = 1 << 10, MIB = 1 << 20, SWEEPS = 240 };

/* Everything about one run; times vary evenly by these shares of themselves, up and down. */
struct scene {
    int level;
    double ns, cycles; /* NAN: none stand */
    size_t placements; /* 0: 4 */
    double seconds;    /* 0: 24 */
    bool guest;
    double loads;   /* bytes a cycle that the core moves at most */
    bool undecided; /* another state in each probe */
    double last;    /* three tenths of the run take that many times as long; 0: as long */
};

/* A pass over 16 KiB in 128 cycles, at 3.2 GHz. */
static struct answer found(struct scene scene)
{
    const double every_s = (scene.seconds > 0 ? scene.seconds : 24) / SWEEPS;
    struct world *world = world_new(SWEEPS, "i", every_s, scene.placements ? scene.placements : 4);
    world_add(world, &read_a, scene.level, 16 * KIB);
    world->plan.guest = scene.guest;
    world->plan.loads = scene.loads;
    world->plan.stores = 32;
    for (size_t i = 0; i < SWEEPS; i++) {
        const double off = ((double)(i * 97 % SWEEPS) + 0.5) / SWEEPS * 2 - 1,
                     times = scene.last > 0 && i >= SWEEPS * 7 / 10 ? scene.last : 1;
        world_put(world, i, 0, 40 * times * (1 + scene.ns * off), 128 * times * (1 + scene.cycles * off));
        if (scene.undecided)
            world->plan.data.moment[i].sibling = i % 2 ? STATE_IDLE : STATE_ACTIVE;
    }
    const struct answer answer = *world_answer(world, 0);
    world_free(world);
    return answer;
}

TEST(within_the_core_cycles_are_judged_beyond_it_times)
{
    static const struct {
        struct scene scene;
        enum trust trust;
    } cases[] = {{{1, 0.5, 0.01}, TRUST_HIGH}, {{1, 0.01, 0.2}, TRUST_MEDIUM}, {{1, 0.01, 0.8}, TRUST_LOW},
                 {{2, 0.5, 0.01}, TRUST_HIGH}, {{3, 0.1, 0.8}, TRUST_HIGH},    {{4, 0.8, 0.01}, TRUST_LOW},
                 {{1, 0.8, NAN}, TRUST_LOW},   {{1, 0.01, NAN}, TRUST_HIGH}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(found(cases[i].scene).trust, cases[i].trust);
    const struct answer narrow = found((struct scene){1, 0.5, 0.01});
    assert_float_equal(narrow.ghz, 3.2, 0.05);
    assert_true(cell_number(&narrow.high) < 1.01 * cell_number(&narrow.value));
}

/* In the core three placements are asked for; beyond it in a guest twelve windows of 10 s, as what comes and goes within minutes is not
 * seen by a run of a few. */
TEST(placements_and_windows_are_counted)
{
    static const struct {
        struct scene scene;
        enum leg leg;
    } cases[] = {{{.level = 1, .placements = 2}, LEG_REPETITION},
                 {{.level = 1, .placements = 3}, LEG_NONE},
                 {{.level = 3, .placements = 2}, LEG_NONE},
                 {{.level = 2, .guest = true}, LEG_NONE},
                 {{.level = 3, .guest = true, .seconds = 109}, LEG_REPETITION},
                 {{.level = 4, .guest = true, .seconds = 109}, LEG_REPETITION},
                 {{.level = 3, .guest = true, .seconds = 119}, LEG_NONE},
                 {{.level = 3, .seconds = 9}, LEG_NONE}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(found(cases[i].scene).leg, cases[i].leg);
}

/* What is not trusted has the range of the run, not the interval of its median, which knows no bound. */
TEST(what_does_not_repeat_has_its_range)
{
    for (int level = 1; level <= 3; level += 2) {
        const struct answer low = found((struct scene){.level = level, .last = 1.2, .placements = 1});
        assert_int_equal(low.trust, TRUST_LOW);
        assert_float_equal(cell_number(&low.high) / cell_number(&low.value), 1, 1e-6);
        assert_float_equal(cell_number(&low.value) / cell_number(&low.low), 1.2, 1e-6);
    }
}

/* No sample lies between two probes of one state. */
TEST(states_that_mix_are_not_trusted_in_the_core)
{
    assert_int_equal(found((struct scene){.level = 1, .undecided = true}).trust, TRUST_LOW);
    assert_int_equal(found((struct scene){.level = 3, .undecided = true}).trust, TRUST_HIGH);
}

/* A pass of 128 bytes a cycle. */
TEST(more_than_the_core_can_load_is_not_believed)
{
    static const struct scene cases[] = {{.level = 1, .loads = 64},  {.level = 1, .loads = 125},
                                         {.level = 1, .loads = 126}, {.level = 1, .loads = 128},
                                         {.level = 1, .loads = NAN}, {.level = 2, .loads = 64}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(found(cases[i]).leg, i < 2 ? LEG_PLAUSIBILITY : LEG_NONE);
}

struct chain {
    int level;
    uint64_t bytes;
    double ns;
};

/* Chains and, behind them, streams, of which ns is that of a byte. */
static struct world *machine(const struct chain *chain, size_t chains, const struct chain *stream,
                             size_t streams)
{
    struct world *world = world_new(12, "i", 0.1, 3);
    for (size_t i = 0; i < chains + streams; i++) {
        const struct chain *c = i < chains ? &chain[i] : &stream[i - chains];
        const double ns = c->ns * (i < chains ? 1 : (double)c->bytes);
        world_add(world, i < chains ? &chase : &read_a, c->level, c->bytes);
        for (size_t sweep = 0; sweep < 12; sweep++)
            world_put(world, sweep, i, ns, 2 * ns);
    }
    world_answer(world, 0);
    return world;
}

static void check_names(const struct world *world, size_t index, const char *level, const char *set)
{
    char name[RAM_NAME];
    ram_level(&world->plan, &world->plan.points[index], name);
    assert_string_equal(name, level);
    ram_set_name(&world->plan, world->plan.points[index].set, name);
    assert_string_equal(name, set);
}

/* A guest that has an eighth of the 32 MiB that it is shown. What comes later in a run's noise does not count. */
TEST(a_shared_cache_holds_less_than_it_shows)
{
    static const struct chain chains[] = {{1, 16 * KIB, 1.1},  {2, 256 * KIB, 3.9}, {2, 512 * KIB, 3.9},
                                          {3, 2 * MIB, 12.3},  {3, 4 * MIB, 15.3},  {3, 8 * MIB, 72.6},
                                          {3, 16 * MIB, 15.0}, {4, 128 * MIB, 172}};
    struct world *world = machine(chains, 8, NULL, 0);
    const struct ram_plateau l2 = ram_plateau_of(&world->plan, 2), l3 = ram_plateau_of(&world->plan, 3);
    assert_int_equal(l2.first, 256 * KIB);
    assert_int_equal(l2.holds, 512 * KIB);
    assert_int_equal(l2.after, 0);
    assert_false(l2.falls);
    assert_int_equal(l3.first, 2 * MIB);
    assert_int_equal(l3.holds, 4 * MIB);
    assert_int_equal(l3.after, 8 * MIB);
    assert_float_equal(l3.after_ns, 72.6, 1e-4);
    assert_true(l3.falls);
    check_names(world, 4, "L3", "L3 4 MiB");
    check_names(world, 5, "L3 or DRAM", "8 MiB");
    check_names(world, 7, "DRAM", "DRAM 128 MiB");
    assert_int_equal(world->record->answers.count, 4); /* the smallest chain of each level */
    world_free(world);
}

/* A chain that takes less than a shorter one by more than a quarter is no plateau. */
TEST(a_curve_that_falls_is_no_plateau)
{
    static const double last_ns[] = {17.6, 22.4};
    for (int i = 0; i < 2; i++) {
        const struct chain chains[] = {{3, 2 * MIB, 18}, {3, 4 * MIB, 22.4}, {3, 8 * MIB, last_ns[i]}};
        struct world *world = machine(chains, 3, NULL, 0);
        assert_int_equal(ram_plateau_of(&world->plan, 3).falls, i == 0);
        assert_int_equal(world_answer(world, 0)->leg, i == 0 ? LEG_PLAUSIBILITY : LEG_NONE);
        world_free(world);
    }
}

/* Neighbours take lines from a slow chase that a stream keeps: then it is read faster than memory. */
TEST(a_stream_may_keep_what_a_chase_loses)
{
    static const struct chain chains[] = {{3, 4 * MIB, 17}, {3, 8 * MIB, 90}};
    for (int i = 0; i < 2; i++) {
        const struct chain streams[] = {{3, 8 * MIB, 0.01}, {4, 128 * MIB, i ? 0.016 : 0.014}};
        struct world *world = machine(chains, 2, streams, 2);
        check_names(world, 2, i ? "L3" : "L3 or DRAM", i ? "L3 8 MiB" : "8 MiB");
        check_names(world, 1, "L3 or DRAM", i ? "L3 8 MiB" : "8 MiB");
        world_free(world);
    }
}

TEST(without_chains_the_size_shown_counts)
{
    static const struct chain streams[] = {{2, MIB, 0.01}};
    struct world *world = machine(NULL, 0, streams, 1);
    assert_int_equal(ram_plateau_of(&world->plan, 2).first, 0);
    check_names(world, 0, "L2", "L2 1 MiB");
    world_free(world);
}

/* Seven tenths of the latency of memory. */
TEST(a_chain_as_slow_as_memory_is_no_cache)
{
    static const double ns[] = {65, 75};
    for (int i = 0; i < 2; i++) {
        const struct chain chains[] = {{2, 256 * KIB, ns[i]}, {4, 128 * MIB, 100}};
        struct world *world = machine(chains, 2, NULL, 0);
        assert_int_equal(world_answer(world, 0)->trust, i ? TRUST_LOW : TRUST_HIGH);
        assert_int_equal(world_answer(world, 0)->leg, i ? LEG_PLAUSIBILITY : LEG_NONE);
        world_free(world);
    }
}
