/* SPDX-License-Identifier: MIT */
/* The sleds of `capacity` and `cost`: chains are left where that many links lead, memory holds what so many atomics make of
 * it, nothing else is written, all that must be preserved is. */
#include <sys/mman.h>
#include <unistd.h>

#include "../test.h"
#include "arena.h"
#include "contracts.h"

enum { ARENA = 4096, NODES = 97 };

static struct arena arena;

static void call(const struct kernel *kernel, void *a, uint64_t n, uint64_t m, uint64_t x)
{
    assert_int_equal(call_strictly(kernel, a, arena.data + ARENA - 8, n, m, x, 0), 0);
}

static void check_window(const struct kernel *kernel, uint64_t fillers, uint64_t iterations, uint64_t links)
{
    void **node = (void **)arena.data;
    void *chain[2] = {&node[0], &node[NODES]};
    for (size_t i = 0; i < NODES; i++) {
        node[i] = &node[(i + 1) % NODES];
        node[NODES + i] = &node[NODES + (i + 2) % NODES];
    }
    memcpy(arena.expected, arena.data, ARENA);
    call(kernel, chain, fillers, iterations, links);
    assert_ptr_equal(chain[0], &node[iterations * links % NODES]);
    assert_ptr_equal(chain[1], &node[NODES + 2 * iterations * links % NODES]);
}

/* What memory holds after `count` units. Atomics work with 1: add, put in the place of what was read, exchange in turn. */
static void expect(const char *name, uint8_t *bytes, uint64_t count)
{
    const uint64_t one = 1;
    uint64_t word, split;
    memcpy(&word, bytes, sizeof word);
    memcpy(&split, bytes + 60, sizeof split);
    if (strcmp(name, "cost_atomic_add") == 0)
        word += count;
    else if (strcmp(name, "cost_atomic_cas") == 0)
        word = count > 1 ? 1 : word; /* the first fails and reads the value that the second expects */
    else if (strstr(name, "swap") && count % 2)
        word = 1;
    split += count;
    memcpy(bytes, &word, sizeof word);
    if (strstr(name, "split"))
        memcpy(bytes + 60, &split, sizeof split);
    for (size_t at = 128; at < COST_BYTES && strstr(name, "cost_stores"); at += 64)
        memcpy(bytes + at, &one, sizeof one);
    if (strstr(name, "barrier_"))
        memcpy(bytes + 256, &one, sizeof one);
}

static void check_cost(const struct kernel *kernel, uint64_t n, uint64_t m)
{
    uint8_t *bytes = arena.data + ARENA / 2;
    arena_fill(&arena, 17);
    memcpy(arena.expected, arena.data, ARENA);
    expect(kernel->name, arena.expected + ARENA / 2, n * m);
    call(kernel, bytes, n, m, 0);
}

/* Behind the last word lies a page that must not be read. */
static void check_branch(const struct kernel *kernel, uint64_t m)
{
    arena_fill_random(&arena, m);
    call(kernel, arena.data + ARENA - (m + 1) * sizeof(uint32_t), 0, m, 0);
}

/* A page for each line but the two last, which lie in neighbouring ones; nothing may be written. */
static void check_misses(const struct kernel *kernel, uint64_t n, uint64_t m, uint64_t roots)
{
    enum { PAGE = 4096, PAGES = MISSES_BYTES / PAGE };
    unsigned char resident[PAGES];
    size_t touched = 0;
    unsigned char *data = mmap(NULL, MISSES_BYTES, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    void *places[] = {data, data, data};
    assert_true(data != MAP_FAILED);
    madvise(data, MISSES_BYTES, MADV_NOHUGEPAGE);
    call(kernel, places, n, m, roots);
    assert_int_equal(mincore(data, MISSES_BYTES, resident), 0);
    for (size_t i = 0; i < PAGES; i++)
        touched += resident[i] & 1;
    munmap(data, MISSES_BYTES);
    if (strcmp(kernel->name, "misses_load") == 0 && sysconf(_SC_PAGESIZE) == PAGE)
        assert_int_equal(touched, n + 1);
}

/* A place on each page: those drawn are read, each of them and none other, and the last bytes of the last page may be. */
static void check_draw(const struct kernel *kernel, uint64_t n, uint64_t m)
{
    enum { PAGES = 61 };
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes = PAGES * page;
    const uint64_t places = m < 3 ? PAGES / m : 1;
    unsigned char resident[PAGES], drawn[PAGES] = {0};
    unsigned char *data = mmap(NULL, bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    uint64_t state = 2 * n + 1;
    assert_true(data != MAP_FAILED);
    madvise(data, bytes, MADV_NOHUGEPAGE);
    const uint64_t last =
        call_strictly(kernel, data + page - 8, (const void *)(uintptr_t)page, n, places, state, 0);
    for (uint64_t i = 0; i < n; i++) {
        state *= KERNEL_DRAW;
        drawn[(uint64_t)(((unsigned __int128)state * places) >> 64)] = 1;
    }
    assert_int_equal(last, state);
    assert_int_equal(mincore(data, bytes, resident), 0);
    for (size_t i = 0; i < PAGES; i++)
        assert_int_equal(resident[i] & 1, drawn[i]);
    munmap(data, bytes);
}

static void check(const struct kernel *kernel, uint64_t n, uint64_t m)
{
    if (kernel->operation == OPERATION_MISSES || kernel->operation == OPERATION_MISSES_FLUSH)
        check_misses(kernel, n, m, n % 3);
    else if (kernel->operation == OPERATION_DRAW)
        for (uint64_t loads = 0; loads < 200; loads += 1 + loads / 2)
            check_draw(kernel, loads, m);
    else if (kernel->operation == OPERATION_COST)
        check_cost(kernel, n, m);
    else if (kernel->operation == OPERATION_BRANCH)
        check_branch(kernel, m);
    else if (kernel->operation == OPERATION_CALL_DEPTH)
        call(kernel, NULL, n, m, 0);
    else
        for (uint64_t x = 1; x <= WINDOW_LINKS_MOST; x += 5)
            check_window(kernel, n, m, x);
    if (arena_difference(&arena) >= 0)
        fail_msg("%s: byte %ld is wrong with n=%d m=%d", kernel->name, arena_difference(&arena), (int)n,
                 (int)m);
}

TEST(sleds_keep_their_contract)
{
    for (size_t i = 0; i < kernel_count; i++) {
        const uint64_t most = kernels[i].sled.units ? kernels[i].sled.units : 1;
        if (facts_of[kernels[i].operation].contract == CONTRACT_LABORATORY &&
            !(kernels[i].needs & ~features_usable()))
            for (uint64_t n = 1; n <= most; n += n < 9 ? 1 : 119)
                for (uint64_t m = 1; m < 4; m++)
                    check(&kernels[i], n, m);
    }
}

static int set_up(void **state)
{
    arena = arena_new(ARENA);
    catch_signals();
    return 0;
}

AROUND_ALL(set_up, NULL)
