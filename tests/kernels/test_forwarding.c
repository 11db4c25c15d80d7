/* SPDX-License-Identifier: MIT */
/* Every store-to-load kernel against a model in C: the bytes that it stores and no other, the bytes that it
 * loads and no other (guard pages on both sides of the window), the number of pairs, the value at the end. */
#include "test.h"

#include <unistd.h>

#include "arena.h"
#include "contracts.h"

static const size_t WINDOW_PAGES = 2;

struct pair {
    long store, load;
    uint64_t n, m, x, y;
};

static struct arena arena;

static void fill(unsigned char *data, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        data[i] = (unsigned char)(i * 37 + i / 256 * 11 + 1);
}

/* Operations that do otherwise than store carried data and load it from b. */
static const struct {
    bool by_address; /* carries an address: the stored data is always the same */
    bool by_pointer; /* and it is what is stored */
    bool same_base;  /* loads from a, as far behind it as the row's gap says where it is displaced */
    long apart;      /* bytes from pair to pair */
} facts[OPERATION_COUNT] = {
    [OPERATION_FORWARD_SAME_BASE] = {.same_base = true},
    [OPERATION_FORWARD_DISPLACED] = {.same_base = true},
    [OPERATION_FORWARD_LA] = {.by_address = true},
    [OPERATION_FORWARD_FD_POINTER] = {.by_address = true, .by_pointer = true, .same_base = true},
    [OPERATION_FORWARD_FD_POINTER_APART] = {true, true, true, FORWARD_POINTER_BYTES},
};

/* A register of 64 bytes that the pair passes its data through, little-endian. */
struct carried {
    unsigned char byte[64];
};

static void carry(struct carried *carried, const unsigned char *loaded, const struct kernel *kernel,
                  uint64_t x)
{
    memset(carried, 0, sizeof *carried);
    memcpy(carried->byte, loaded, kernel->load_bits / 8);
    /* A value of a vector register goes on through a general one. */
    if (kernel->bits == 64 && kernel->load_bits > 64)
        memset(carried->byte + 8, 0, sizeof carried->byte - 8);
    if (kernel->operation == OPERATION_FORWARD_SPLIT)
        memcpy(carried->byte + 8, carried->byte, 8);
    uint64_t word;
    memcpy(&word, carried->byte, sizeof word);
    if (kernel->operation == OPERATION_FORWARD_ADD)
        word += x;
    for (unsigned i = 0; kernel->operation == OPERATION_FORWARD_SLACK && i < kernel->gap; i++)
        word *= x;
    memcpy(carried->byte, &word, sizeof word);
}

static uint64_t model(const struct kernel *kernel, unsigned char *data, const struct pair *pair)
{
    const long apart = facts[kernel->operation].apart;
    const uint64_t constant =
        facts[kernel->operation].by_pointer ? (uint64_t)(uintptr_t)(data + pair->store) : pair->y;
    struct carried carried = {{0}}, stored = {{0}};
    memcpy(carried.byte, &constant, sizeof constant);
    memcpy(stored.byte, &constant, sizeof constant);
    if (kernel->operation == OPERATION_FORWARD_SPLIT)
        memcpy(carried.byte + 8, carried.byte, 8);
    for (uint64_t i = 0; i < pair->n * pair->m; i++) {
        const long shift = apart * (long)(kernel->sled.units - pair->n + i % pair->n);
        unsigned char loaded[64];
        memcpy(data + pair->store + shift, facts[kernel->operation].by_address ? stored.byte : carried.byte,
               kernel->bits / 8);
        memcpy(loaded, data + pair->load + shift, kernel->load_bits / 8);
        carry(&carried, loaded, kernel, pair->x);
    }
    uint64_t result;
    memcpy(&result, carried.byte, sizeof result);
    if (facts[kernel->operation].by_pointer)
        return constant;
    return facts[kernel->operation].by_address ? 0 : result;
}

/* The pointer chains store addresses, so that the model must work at the same place, before the kernel. */
static void check(const struct kernel *kernel, const struct pair *pair)
{
    fill(arena.data, arena.bytes);
    const uint64_t result = model(kernel, arena.data, pair);
    memcpy(arena.expected, arena.data, arena.bytes);
    fill(arena.data, arena.bytes);
    const uint64_t x = kernel->operation == OPERATION_FORWARD_MORE ? (uint64_t)(uintptr_t)&arena : pair->x;
    const uint64_t got = call_strictly(kernel, arena.data + pair->store, arena.data + pair->load, pair->n,
                                       pair->m, x, pair->y);
    const long wrong = arena_difference(&arena);
    if (got != result || wrong >= 0)
        fail_msg(
            "%s: store %ld, load %ld, %lu pairs, %lu passes: result %#lx, expected %#lx, byte %ld is wrong",
            kernel->name, pair->store, pair->load, (unsigned long)pair->n, (unsigned long)pair->m,
            (unsigned long)got, (unsigned long)result, wrong);
}

static bool is_forwarding(const struct kernel *kernel)
{
    return facts_of[kernel->operation].contract == CONTRACT_FORWARDING;
}

static const struct kernel *next_usable(const struct kernel *after)
{
    const struct kernel *kernel = after ? after + 1 : kernels;
    for (; kernel < kernels + kernel_count; kernel++) {
        if (is_forwarding(kernel) && (kernel->needs & features_usable()) == kernel->needs)
            return kernel;
    }
    return NULL;
}

/* Load address of a kernel that may take none from b */
static long load_at(const struct kernel *kernel, long store, long load)
{
    if (!facts[kernel->operation].same_base)
        return load;
    return store + (kernel->operation == OPERATION_FORWARD_DISPLACED ? kernel->gap : 0);
}

TEST(test_pairs_and_passes)
{
    int tested = 0;
    for (const struct kernel *kernel = next_usable(NULL); kernel; kernel = next_usable(kernel), tested++) {
        assert_true(kernel->sled.units > 0);
        for (uint64_t n = 1; n <= kernel->sled.units; n++) {
            const struct pair pair = {256, load_at(kernel, 256, 259), n, 1 + n % 3, 1, 0x8877665544332211};
            check(kernel, &pair);
        }
    }
    assert_true(tested > 30);
}

TEST(test_every_offset_of_a_line)
{
    for (const struct kernel *kernel = next_usable(NULL); kernel; kernel = next_usable(kernel)) {
        for (long store = 0; store < 64; store++) {
            for (long load = store % 8; load < 64; load += TEST_SLOW ? 29 : 9) {
                const struct pair pair = {store, load_at(kernel, store, load), 7, 2, 3, 0x0123456789abcdef};
                check(kernel, &pair);
            }
        }
    }
}

/* One byte too many on either side and the kernel dies of a signal. */
TEST(test_ends_of_the_window)
{
    for (const struct kernel *kernel = next_usable(NULL); kernel; kernel = next_usable(kernel)) {
        const long span = facts[kernel->operation].apart * (long)(kernel->sled.units - 1);
        const long beyond = kernel->operation == OPERATION_FORWARD_DISPLACED
                                ? (long)kernel->gap + kernel->load_bits / 8 - kernel->bits / 8
                                : 0; /* of the store, where the load ends */
        const long last_store = (long)arena.bytes - span - kernel->bits / 8 - (beyond > 0 ? beyond : 0);
        const long last_load = (long)arena.bytes - span - kernel->load_bits / 8;
        const struct pair low = {0, load_at(kernel, 0, 0), kernel->sled.units, 2, 1, 0xfedcba9876543210};
        const struct pair high = {
            last_store, load_at(kernel, last_store, last_load), kernel->sled.units, 2, 1, 0xfedcba9876543210};
        check(kernel, &low);
        if (beyond > 0 || load_at(kernel, 0, 1) == 1 || kernel->bits >= kernel->load_bits)
            check(kernel, &high);
    }
}

static int set_up(void **state)
{
    arena = arena_new(WINDOW_PAGES * (size_t)sysconf(_SC_PAGESIZE));
    catch_signals();
    return 0;
}

AROUND_ALL(set_up, NULL)
