/* SPDX-License-Identifier: MIT */
/* Pages of memory: the first touch, unmap, protect. */
#include <math.h>
#include <sys/mman.h>
#include <unistd.h>

#include "system.h"
#include "uarchprobe/memory.h"

struct pages {
    bool (*operate)(unsigned char *page, uint64_t bytes, uint64_t n);
    uint64_t count, step;                /* pages in a row, or one again and again */
    bool is_huge, is_touched, is_shared; /* touched before; shared with a thread on another CPU */
    uint64_t bytes;                      /* of a base page */
    atomic_ullong turns;                 /* of the partner */
};

static void stay(void *context)
{
    atomic_fetch_add(&((struct pages *)context)->turns, 1);
}

static bool touch(unsigned char *page, uint64_t bytes, uint64_t n)
{
    *(volatile unsigned char *)page = 1;
    return true;
}

static bool unmap(unsigned char *page, uint64_t bytes, uint64_t n)
{
    return munmap(page, bytes) == 0;
}

static bool protect(unsigned char *page, uint64_t bytes, uint64_t n)
{
    return mprotect(page, bytes, n % 2 ? PROT_READ | PROT_WRITE : PROT_READ) == 0;
}

/* One page more is there before, and the tables with it. The pages come from those that the sample before gave back; NaN where
 * the kernel had no huge page among them. */
static double sample(const struct point *point)
{
    struct pages *own = point->own;
    const uint64_t step = own->step * own->bytes;
    const struct memory_request request = {
        .bytes = own->count * step + own->bytes, .pages = own->is_huge ? PAGES_THP : PAGES_4K, .node = -1};
    struct memory memory;
    struct fault fault = {0};
    if (memory_map(&memory, &request, &fault) != STATUS_OK)
        return NAN;
    for (uint64_t i = own->is_touched ? 0 : own->count; !own->is_huge && i <= own->count; i++)
        touch(memory.data + i * step, own->bytes, i);
    bool done = true;
    const uint64_t turns = atomic_load(&own->turns), begin = clock_ticks();
    for (uint64_t i = 0; i < own->count; i++)
        done &= own->operate(memory.data + i * step, own->bytes, i);
    const double ns = (double)(clock_ticks() - begin) * point->clock->ns_per_tick / (double)own->count;
    done &= !own->is_shared || atomic_load(&own->turns) > turns;
    done &= !own->is_huge || memory_page_bytes(&memory) > own->bytes;
    memory_release(&memory);
    return done ? ns : NAN;
}

/* With larger base pages a huge one has up to 512 MiB. */
static enum status find_huge(struct fault *fault)
{
    const struct memory_request request = {.bytes = 1, .pages = PAGES_THP, .node = -1};
    struct memory memory;
    if (memory_map(&memory, &request, fault) != STATUS_OK)
        fault->status = STATUS_UNSUPPORTED;
    else if (memory.bytes > 16 << 20)
        fault_set(fault, STATUS_UNSUPPORTED, "a huge page has %llu MiB here",
                  (unsigned long long)memory.bytes >> 20);
    memory_release(&memory);
    return fault->status;
}

static enum status open_pages(struct run *run, void **own, struct fault *fault)
{
    struct pages *pages = *own;
    pages->bytes = (uint64_t)sysconf(_SC_PAGESIZE);
    return pages->is_huge ? find_huge(fault) : STATUS_OK;
}

/* Ranges: huge pages take the memory of other guests, too, 54 to 99 us in 20 runs; the kernel does more
 * once it has seen the process on other CPUs, 1375 ns to protect a page and then 1137; an unmap took 3.4
 * to 3.9 us, with two CPUs 14.2 or 17.3 for minutes (Zen 3 guest). */
#define PAGES(id, which, words, asked, is_range, shared, mapped, ...)                                        \
    static const struct pages id = {__VA_ARGS__, .is_shared = shared};                                       \
    static const struct memory_row id##_memory = {.bytes = mapped, .content = MEMORY_OF_BENCH};              \
    COST_ROW(id, which, words, "ns", asked, "core/cost", true, .range = is_range, .open = open_pages,        \
             .sample = sample, .memory = &id##_memory, .partner = (shared) ? stay : NULL)
PAGES(page_fault, "page_fault", "first touch of a page", "page-fault", false, false, 65 << 12, touch, 64, 1);
PAGES(huge_fault, "huge_page_fault", "first touch of a huge page", "huge-page-fault", true, false, 2 << 20,
      touch, 1, 1, true);
PAGES(unmap_page, "unmap", "unmap a page", "unmap", true, false, 17 << 12, unmap, 16, 1, .is_touched = true);
PAGES(unmap_far, "unmap.two_cpus", "unmap a page, 2 CPUs", "unmap", true, true, 17 << 12, unmap, 16, 1, false,
      true);
PAGES(protect_page, "protect", "protect a page", "protect", true, false, 1 << 12, protect, 16, 0);
