/* SPDX-License-Identifier: MIT */
/* One round of the iso experiment over its store kernels. */
#include "engine/store_buffer.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

const struct store_chain_lengths store_chains[] = {{CHAIN_ROOTS, 16, 11},
                                                   {CHAIN_QUOTIENTS, 24, 16},
                                                   {CHAIN_PRODUCTS, 24, 16},
                                                   {CHAIN_WHOLE_PRODUCTS, 24, 16}};

enum { BUFFER = 4 * STORES_PAGE_MOST, CHAIN_LENGTH = 16, ITERATIONS = 4 };

/* Distance of the four places, STORES_LINE at most. Pages are a page and a line apart, so that they do not
 * meet in one set of the cache. */
static const size_t strides[] = {[STORES_LINE] = STORES_LINE_LEAST / STORE_BURST_ADDRESSES,
                                 [STORES_LINES] = STORES_LINE_MOST,
                                 [STORES_PAGES] = STORES_PAGE_MOST + STORES_LINE_MOST};

void store_probe_init(struct store_probe *probe, const struct kernel *kernel, enum store_pattern pattern)
{
    const size_t width = kernel->bits / 8;
    const bool is_narrow = pattern == STORES_LINE && width < strides[pattern];
    *probe = (struct store_probe){.kernel = kernel, .chain_length = CHAIN_LENGTH, .iterations = ITERATIONS};
    probe->buffer = aligned_alloc(STORES_PAGE_MOST, BUFFER);
    if (probe->buffer == NULL)
        memory_exhausted(BUFFER);
    /* Places within a line wrap at its end, so that wide stores stay aligned. */
    for (size_t i = 0; i < STORE_BURST_ADDRESSES; i++) {
        size_t place = i * (is_narrow ? width : strides[pattern]);
        if (pattern == STORES_LINE)
            place = place / width * width % STORES_LINE_LEAST;
        probe->address[i] = probe->buffer + place;
        memset(probe->address[i], 0x5a, width);
    }
}

void store_probe_free(struct store_probe *probe)
{
    free(probe->buffer);
}

static uint64_t ticks_taken(const struct store_probe *probe, unsigned chain_length, size_t stores)
{
    const void *kind = (const void *)(uintptr_t)probe->chain;
    void *addresses = (void *)probe->address;
    uint64_t start = clock_ticks();
    probe->kernel->entry(addresses, kind, stores, probe->iterations, chain_length, probe->nops);
    return clock_ticks() - start;
}

double store_probe_ticks(const struct store_probe *probe, size_t stores)
{
    return (double)ticks_taken(probe, probe->chain_length, stores) / probe->iterations;
}

void store_probe_fit(struct store_probe *probe, const struct clock *clock)
{
    enum { STEPS = 40, MOST = 1 << 16 };

    store_probe_ticks(probe, 1);
    while (probe->iterations < MOST &&
           (double)ticks_taken(probe, probe->chain_length, 1) * clock->ns_per_tick <
               STEPS * clock->resolution_ns)
        probe->iterations *= 2;
}

/* Ticks that the second half of its chains adds to an iteration. */
static double growth_of(const struct store_probe *probe, size_t stores)
{
    enum { TRIES = 20 };
    const unsigned half = probe->chain_length / 2;
    uint64_t shorter = UINT64_MAX, longer = UINT64_MAX;

    for (int i = 0; i < TRIES; i++) {
        uint64_t ticks = ticks_taken(probe, half, stores);
        shorter = ticks < shorter ? ticks : shorter;
        ticks = ticks_taken(probe, probe->chain_length, stores);
        longer = ticks < longer ? ticks : longer;
    }
    return longer > shorter ? (double)(longer - shorter) / probe->iterations : 0;
}

double store_probe_chain_ticks(const struct store_probe *probe)
{
    const unsigned half = probe->chain_length / 2, rest = probe->chain_length - half;
    return half > 0 ? growth_of(probe, 1) * probe->chain_length / rest : 0;
}

bool store_probe_overlaps(const struct store_probe *probe)
{
    const double together = growth_of(probe, 1), apart = growth_of(probe, probe->kernel->sled.units);
    return together > 0 && together < 0.75 * apart;
}

const struct kernel *store_kernel_find(const struct kernel_filter *kernel_filter, unsigned bits,
                                       bool streaming)
{
    const struct kernel *kernel = NULL;
    while ((kernel = kernel_next(kernel_filter, OPERATION_STORE_BURST, kernel)) != NULL)
        if (kernel->bits == bits && (kernel->store == ACCESS_STREAMING) == streaming)
            return kernel;
    return NULL;
}
