/* SPDX-License-Identifier: MIT */
/* Where the probe's stores go, and its requests to the kernel. */

#include "engine/store_buffer.h"

#include "test.h"

static uint64_t longest_chain;

static uint64_t scripted(void *a, const void *b, uint64_t n, uint64_t m, uint64_t x, uint64_t y)
{
    longest_chain = x > longest_chain ? x : longest_chain;
    return 0;
}

static struct store_probe probe_of(unsigned bits, enum store_pattern pattern)
{
    static struct kernel kernel;
    struct store_probe probe;
    kernel = (struct kernel){.name = "scripted", .bits = bits, .entry = scripted};
    longest_chain = 0;
    store_probe_init(&probe, &kernel, pattern);
    return probe;
}

/* Tests all widths, and lines of 256 bytes with pages of 64 KiB. */
TEST(addresses_are_aligned_inside_and_of_their_pattern)
{
    for (unsigned bits = 8; bits <= 512; bits *= 2)
        for (int pattern = STORES_SAME; pattern <= STORES_PAGES; pattern++) {
            struct store_probe probe = probe_of(bits, (enum store_pattern)pattern);
            uintptr_t last = 0;
            for (int i = 0; i < STORE_BURST_ADDRESSES; i++) {
                const uintptr_t at = (uintptr_t)probe.address[i] - (uintptr_t)probe.buffer;
                assert_true(at % (bits / 8) == 0 &&
                            at + bits / 8 <= (uintptr_t)STORE_BURST_ADDRESSES * STORES_PAGE_MOST);
                assert_true(i == 0 || pattern != STORES_SAME || at == last);
                assert_true(i == 0 || pattern > STORES_LINE || at / 64 == last / 64);
                assert_true(i == 0 || pattern < STORES_LINES || at / 256 != last / 256);
                assert_true(i == 0 || pattern != STORES_PAGES || at / 65536 != last / 65536);
                last = at;
            }
            store_probe_free(&probe);
        }
}

TEST(the_chain_is_never_longer_than_the_kernel_has)
{
    struct store_probe probe = probe_of(64, STORES_LINE);
    for (unsigned length = 0; length <= STORE_BURST_CHAIN_MAX; length++) {
        probe.chain_length = length;
        store_probe_chain_ticks(&probe);
        assert_true(longest_chain <= length);
    }
    assert_int_equal(longest_chain, STORE_BURST_CHAIN_MAX);
    store_probe_free(&probe);
}

/* The simulated core runs both chains side by side below 100 stores and in turn from there on; or always in turn. */
static bool side_by_side;

static uint64_t working(void *a, const void *b, uint64_t n, uint64_t m, uint64_t x, uint64_t y)
{
    const uint64_t start = clock_now_ns(), chains = side_by_side && n < 100 ? 1 : 2;
    while (clock_now_ns() - start < 2000 + m * x * chains * 100)
        continue;
    return 0;
}

TEST(chains_overlap_where_twice_as_long_costs_one_of_them)
{
    static const struct kernel kernel = {
        .name = "working", .bits = 64, .entry = working, .sled = {.units = 512}};
    struct store_probe probe;
    store_probe_init(&probe, &kernel, STORES_LINE);
    /* Others may take the CPU in all tries of one probe. */
    for (int is = 0; is < 2; is++) {
        int probes = 0;
        side_by_side = is == 1;
        while (store_probe_overlaps(&probe) != side_by_side && probes < 10)
            probes++;
        assert_true(probes < 10);
    }
    store_probe_free(&probe);
}

TEST(a_coarse_clock_is_fitted)
{
    struct store_probe probe = probe_of(64, STORES_LINE);
    struct clock clock = {.ns_per_tick = 1, .resolution_ns = 1e9};
    store_probe_fit(&probe, &clock);
    assert_true(probe.iterations >= 1 << 16);
    store_probe_free(&probe);
}

TEST(kernels_are_found_by_width)
{
    const struct kernel_filter any = {.allowed = ~(feature_set)0}, none = {.allowed = 0, .name = "copy*"};
    for (unsigned bits = 8; bits <= 64; bits *= 2) {
        assert_non_null(store_kernel_find(&any, bits, false));
        assert_int_equal(store_kernel_find(&any, bits, false)->bits, bits);
        assert_null(store_kernel_find(&none, bits, false));
    }
    assert_int_equal(store_kernel_find(&any, 64, true)->store, ACCESS_STREAMING);
    assert_null(store_kernel_find(&any, 7, false));
}
