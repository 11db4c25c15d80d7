/* SPDX-License-Identifier: MIT */
/* The store kernels: as many units as the row says, each one store; the stores that are asked for and none
 * other, with any chain and any number of no-operations; all that must be preserved preserved. */
#include "test.h"

#include "arena.h"
#include "contracts.h"

enum { ARENA = 8192, WIDE = 65536, SLOTS = STORE_BURST_ADDRESSES, FILL = 0x11, WIDTH_MOST = 64 };

struct burst {
    uint64_t stores, iterations, chain, nops;
    enum store_chain kind;
};

/* The fillers of a trial have a line each in the wide one. */
static struct arena arena, wide;
static const struct kernel_filter any = {.allowed = ~(feature_set)0};

static bool can_run(const struct kernel *kernel)
{
    return (kernel->needs & ~features_usable()) == 0;
}

/* At both ends of the arena, next to the inaccessible areas, and in its middle. */
static void set_slots(void *slot[SLOTS], size_t width)
{
    slot[0] = arena.data;
    slot[1] = arena.data + 4 * width;
    slot[2] = arena.data + arena.bytes / 2;
    slot[3] = arena.data + arena.bytes - width;
}

/* The last store goes to the last slot, the one before to the slot before, and so on. */
static void check_burst(const struct kernel *kernel, const struct burst *burst)
{
    size_t width = kernel->bits / 8, touched = burst->stores < SLOTS ? burst->stores : SLOTS;
    void *slot[SLOTS];

    set_slots(slot, width);
    arena_fill(&arena, FILL);
    for (size_t i = SLOTS - touched; i < SLOTS && burst->iterations > 0; i++) {
        unsigned char value[WIDTH_MOST];

        memset(value, FILL, sizeof value);
        /* Any value may be stored, the same in all slots. */
        assert_true(call_strictly(kernel, (void *const[]){slot[i], slot[i], slot[i], slot[i]}, NULL, 4, 1, 0,
                                  0) == 0);
        assert_memory_not_equal(slot[i], value, width);
        memcpy(arena.expected + ((unsigned char *)slot[i] - arena.data), slot[i], width);
        memset(slot[i], FILL, width);
    }
    assert_true(call_strictly(kernel, slot, (const void *)(uintptr_t)burst->kind, burst->stores,
                              burst->iterations, burst->chain, burst->nops) == 0);
    if (arena_difference(&arena) >= 0)
        fail_msg("%s, %d stores: byte %ld is wrong", kernel->name, (int)burst->stores,
                 arena_difference(&arena));
}

static void check_bursts(const struct kernel *kernel)
{
    static const uint64_t stores[] = {0, 1, 2, 3, 4, 5, 7, 100, 511, 512};
    static const uint64_t chains[] = {0, 1, 10, STORE_BURST_CHAIN_MAX};
    static const uint64_t nops[] = {0, 1, 500, STORE_BURST_NOPS_MAX};

    for (size_t s = 0; s < sizeof stores / sizeof stores[0]; s++)
        for (size_t c = 0; c < sizeof chains / sizeof chains[0]; c++)
            for (size_t n = 0; n < sizeof nops / sizeof nops[0]; n++)
                for (int kind = 0; kind < CHAIN_KINDS; kind++) {
                    const struct burst burst = {stores[s], 1 + (s + n) % 3, chains[c], nops[n],
                                                (enum store_chain)kind};

                    check_burst(kernel, &burst);
                }
}

/* The last filling store but `back` of a trial. */
static unsigned char *filler(void *const *place, const struct kernel *kernel, size_t back)
{
    if (kernel->operation == OPERATION_STORE_LOAD)
        return place[1 + SLOTS - back % SLOTS];
    return (unsigned char *)place[2] + STORE_APART_BYTES * (kernel->sled.units - 1 - back);
}

static void check_trial(const struct kernel *kernel, uint64_t n, uintptr_t kind, uint64_t roots)
{
    uint64_t *own = (uint64_t *)wide.data, *other = own + 8, value = 0x1234567890abcdef + n;
    void *place[2 + SLOTS] = {own, other, own + 16, own + 24, own + 32, wide.data + wide.bytes - 8};

    arena_fill(&wide, FILL);
    *other = ~n;
    memcpy(wide.expected + 64, other, sizeof *other);
    memcpy(wide.expected, &value, sizeof value);
    for (size_t i = 0; i + 1 < n; i++)
        memcpy(wide.expected + (filler(place, kernel, i) - wide.data), &value, sizeof value);
    assert_true(call_strictly(kernel, place, (const void *)kind, n, value, 0, roots) == ~n);
    assert_int_equal(arena_difference(&wide), -1);
}

static void check_trials(const struct kernel *kernel)
{
    static const uint64_t roots[] = {0, 1, 20, STORE_BURST_CHAIN_MAX};

    for (uint64_t n = 1; n <= kernel->sled.units; n += n < 8 ? 1 : 56)
        for (uintptr_t kind = 0; kind <= (TRIAL_LATE | TRIAL_FENCED); kind++)
            for (size_t r = 0; r < sizeof roots / sizeof *roots; r++)
                check_trial(kernel, n, kind, roots[r]);
}

TEST(kernels_keep_their_contract)
{
    int checked = 0;

    for (size_t i = 0; i < kernel_count; i++) {
        if (facts_of[kernels[i].operation].contract != CONTRACT_STORE_BUFFER || !can_run(&kernels[i]))
            continue;
        checked++;
        if (kernels[i].operation == OPERATION_STORE_BURST)
            check_bursts(&kernels[i]);
        else if (kernels[i].operation == OPERATION_STORE_LOAD ||
                 kernels[i].operation == OPERATION_STORE_LOAD_APART)
            check_trials(&kernels[i]);
        else
            fail_msg("no test of %s is here", operation_names[kernels[i].operation]);
    }
    assert_true(checked >= 7);
}

TEST(a_load_of_its_own_store_sees_it)
{
    uint64_t *own = (uint64_t *)wide.data;
    void *place[2 + SLOTS] = {own, own, own + 16, own + 24, own + 32, own + 40};

    for (enum operation of = OPERATION_STORE_LOAD; of <= OPERATION_STORE_LOAD_APART; of++)
        for (uintptr_t kind = 0; kind <= (TRIAL_LATE | TRIAL_FENCED); kind++)
            assert_true(call_strictly(kernel_next(&any, of, NULL), place, (const void *)kind, 9, 4711, 0,
                                      20) == 4711);
}

/* Units repeat every four, and no two of the four are the same: each is one store, to the next address. */
TEST(units_are_equal_but_for_the_address)
{
    for (size_t i = 0; i < kernel_count; i++) {
        const struct sled *sled = &kernels[i].sled;
        size_t unit;

        if (facts_of[kernels[i].operation].contract != CONTRACT_STORE_BUFFER)
            continue;
        assert_int_equal((size_t)(sled->end - sled->begin) % sled->units, 0);
        unit = (size_t)(sled->end - sled->begin) / sled->units;
        assert_in_range(unit, 3, 8);
        for (const unsigned char *at = sled->begin; at + 4 * unit < sled->end; at += unit) {
            if (kernels[i].operation !=
                OPERATION_STORE_LOAD_APART) /* each of its units has an address of its own */
                assert_memory_equal(at, at + 4 * unit, unit);
            assert_memory_not_equal(at, at + unit, unit);
        }
    }
}

static int set_up(void **state)
{
    arena = arena_new(ARENA);
    wide = arena_new(WIDE);
    catch_signals();
    return 0;
}

AROUND_ALL(set_up, NULL)
