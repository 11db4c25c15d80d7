/* SPDX-License-Identifier: MIT */
/* The kernel: calls that come back at once, and pages of memory. */
#include <errno.h>
#include <linux/futex.h>
#include <math.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "engine/companion.h"
#include "system.h"
#include "uarchprobe/memory.h"
#include "uarchprobe/pin.h"

static double ns_per_tick;

struct call {
    long (*make)(uint64_t times);
};

#define CALL(name, expression)                                                                               \
    static long make_##name(uint64_t times)                                                                  \
    {                                                                                                        \
        long result = 0;                                                                                     \
        for (; times > 0; times--)                                                                           \
            result = (expression);                                                                           \
        return result;                                                                                       \
    }                                                                                                        \
    static struct call name = {make_##name};

static struct timespec now;
static uint32_t word;
CALL(no_call, syscall(-1))
CALL(parent, syscall(SYS_getppid))
CALL(read_clock, clock_gettime(CLOCK_MONOTONIC, &now))
CALL(wake_nobody, syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0))
CALL(yield, sched_yield())

/* A filter may end a process for a number that it does not know. */
static enum status open_call(struct run *run, void **own, struct fault *fault)
{
    const struct call *call = *own;
    ns_per_tick = run->clock->ns_per_tick;
    if (call == &no_call && prctl(PR_GET_SECCOMP) != 0)
        return fault_set(fault, STATUS_UNSUPPORTED, "a filter of system calls might end the program");
    if (call != &no_call && call->make(1) == -1)
        return fault_set(fault, STATUS_UNSUPPORTED, "the call is refused: %s", strerror(errno));
    return STATUS_OK;
}

static void work(const struct point *point)
{
    ((const struct call *)point->own)->make(point->iterations);
}

/* NaN where somebody waits, who keeps the CPU for milliseconds. */
static double sample_yield(const struct point *point)
{
    enum { YIELDS = 16 };
    const uint64_t switches = pin_involuntary_switches();
    make_yield(1);
    const bool is_alone = pin_involuntary_switches() == switches;
    const uint64_t begin = clock_ticks();
    make_yield(is_alone ? YIELDS : 0);
    const double ns = (double)(clock_ticks() - begin) * ns_per_tick / YIELDS;
    return pin_involuntary_switches() == switches ? ns : NAN;
}

#define CALL_ROW(id, which, words, in, asked, ...)                                                           \
    COST_ROW(id, which, words, in, asked, __VA_ARGS__, .open = open_call, .work = work, .has_call = true,    \
             .iterations = 32)
CALL_ROW(parent, "system_call", "system call", "cycles", "system-call", .in_quick = true);
CALL_ROW(no_call, "system_call.entry", "kernel entry and exit", "cycles", "system-call", .in_quick = false);
CALL_ROW(read_clock, "clock_gettime", "clock_gettime", "ns", "clock-gettime", .in_quick = false);
CALL_ROW(wake_nobody, "futex.nobody", "futex wake, nobody waits", "ns", "futex", .in_quick = false);
COST_ROW(yield, "yield", "yield, nobody waits", "ns", "yield", .in_quick = false, .open = open_call,
         .sample = sample_yield);

struct pages {
    bool (*operate)(unsigned char *page, uint64_t bytes, uint64_t n);
    uint64_t count, step; /* pages in a row, or one again and again */
    bool is_huge, is_touched,
        is_shared;  /* before; with a thread on another CPU, which has translations, too */
    uint64_t bytes; /* of a base page */
    struct companion *companion;
    atomic_ullong turns; /* of the companion */
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

static long faults(void)
{
    struct rusage usage = {0};
    getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_minflt;
}

/* One page more is there before, and the tables with it; not of a huge page, where a second fault would show that the kernel
 * had none. The pages come from those that the sample before gave back. */
static double sample(const struct point *point)
{
    struct pages *own = point->own;
    const uint64_t step = own->step * own->bytes, end = own->count * step;
    const struct memory_request request = {
        .bytes = end + own->bytes, .pages = own->is_huge ? PAGES_THP : PAGES_4K, .node = -1};
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
    const double ns = (double)(clock_ticks() - begin) * ns_per_tick / (double)own->count;
    done &= !own->is_shared || atomic_load(&own->turns) > turns;
    const long before = faults();
    touch(memory.data + end, own->bytes, own->count);
    done &= !own->is_huge || faults() == before;
    memory_release(&memory);
    return done ? ns : NAN;
}

/* With larger base pages a huge one has up to 512 MiB. */
static enum status find_huge(struct fault *fault)
{
    static const uint64_t most = 16 << 20;
    const struct memory_request request = {.bytes = 1, .pages = PAGES_THP, .node = -1};
    struct memory memory;
    if (memory_map(&memory, &request, fault) != STATUS_OK)
        fault->status = STATUS_UNSUPPORTED;
    else if (memory.bytes > most)
        fault_set(fault, STATUS_UNSUPPORTED, "a huge page has %llu MiB here",
                  (unsigned long long)memory.bytes >> 20);
    memory_release(&memory);
    return fault->status;
}

static enum status open_pages(struct run *run, void **own, struct fault *fault)
{
    struct pages *pages = *own;
    pages->bytes = (uint64_t)sysconf(_SC_PAGESIZE);
    ns_per_tick = run->clock->ns_per_tick;
    if (pages->is_huge && find_huge(fault) != STATUS_OK)
        return fault->status;
    const int cpu = pages->is_shared ? cost_other_cpu(run, fault) : -1;
    pages->companion = cpu >= 0 ? companion_with(cpu, stay, pages, fault) : NULL;
    return fault->status;
}

static void close_pages(void *own)
{
    companion_free(((struct pages *)own)->companion);
}

/* Ranges: huge pages take the memory of other guests, too, and the kernel does more once it has seen the process on other CPUs. */
#define PAGES(id, which, words, asked, is_range, ...)                                                        \
    static struct pages id = {__VA_ARGS__};                                                                  \
    COST_ROW(id, which, words, "ns", asked, .range = is_range, .open = open_pages, .close = close_pages,     \
             .sample = sample)
PAGES(page_fault, "page_fault", "first touch of a page", "page-fault", false, touch, 64, 1);
PAGES(huge_fault, "huge_page_fault", "first touch of a huge page", "huge-page-fault", true, touch, 1, 1,
      true);
PAGES(unmap_page, "unmap", "unmap a page", "unmap", true, unmap, 16, 1, .is_touched = true);
PAGES(unmap_far, "unmap.two_cpus", "unmap a page, 2 CPUs", "unmap", true, unmap, 16, 1, false, true, true);
PAGES(protect_page, "protect", "protect a page", "protect", true, protect, 16, 0);
