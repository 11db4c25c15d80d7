/* SPDX-License-Identifier: MIT */
/* What others wrote: a compare-and-swap as the compiler translates it, and the C library's own copy, fill and compare, one call per pass. The barrier makes the compiler assume that every pass reads and
 * changes the buffers, so that it merges or drops none. */
#include "libc.h"

#include <stdatomic.h>
#include <string.h>

static void barrier(const void *a, const void *b)
{
    __asm__ volatile("" : : "r"(a), "r"(b) : "memory");
}

uint64_t copy_memcpy(void *a, const void *b, uint64_t n, uint64_t m, uint64_t x, uint64_t y)
{
    for (uint64_t pass = 0; pass < m; pass++) {
        memcpy(a, b, n);
        barrier(a, b);
    }
    return 0;
}

uint64_t write_memset(void *a, const void *b, uint64_t n, uint64_t m, uint64_t x, uint64_t y)
{
    for (uint64_t pass = 0; pass < m; pass++) {
        memset(a, (unsigned char)(uintptr_t)b, n);
        barrier(a, b);
    }
    return 0;
}

uint64_t compare_memcmp(void *a, const void *b, uint64_t n, uint64_t m, uint64_t x, uint64_t y)
{
    /* The order is used, not only whether it is zero: else a compiler may call bcmp instead. */
    uint64_t differs = 0;
    for (uint64_t pass = 0; pass < m; pass++) {
        differs |= (unsigned)memcmp(a, b, n);
        barrier(a, b);
    }
    return differs;
}

/* On aarch64 the compiler may call a function that chooses between one atomic instruction and LL/SC. */
uint64_t pingpong_cas_compiled(void *a, const void *b, uint64_t n, uint64_t m, uint64_t x, uint64_t y)
{
    atomic_uint_least32_t *line = a;
    while (n > 0) {
        uint_least32_t expected = (uint_least32_t)m;
        if (atomic_compare_exchange_strong_explicit(line, &expected, (uint_least32_t)x, memory_order_relaxed,
                                                    memory_order_relaxed))
            n--;
        else if (--y == 0)
            break;
    }
    return n;
}
