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
    unsigned char *page;                 /* the first of this sample */
    bool is_done;                        /* the kernel did all that it was asked for */
};

/* The partner: a thread of this process that runs elsewhere. */
static void stay(void *context)
{
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

static void operate(const struct point *point)
{
    struct pages *own = point->own;
    for (uint64_t i = 0; i < own->count; i++)
        own->is_done &= own->operate(own->page + i * own->step * own->bytes, own->bytes, i);
}

static const struct timed_work operations = {.work = operate};

/* One page more is there before, and the tables with it. The pages come from those that the sample before
 * gave back; NaN where the kernel had no huge page among them. */
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
    own->page = memory.data;
    own->is_done = true;
    const unsigned long turns = partner_turns(point);
    const double ns = time_work(point, &operations) / (double)own->count;
    own->is_done &= !own->is_shared || partner_turns(point) > turns;
    own->is_done &= !own->is_huge || memory_page_bytes(&memory) > own->bytes;
    memory_release(&memory);
    return own->is_done ? ns : NAN;
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
static const struct pages page_fault = {.operate = touch, .count = 64, .step = 1};
static const struct memory_row page_fault_memory = {.bytes = 65 << 12, .content = MEMORY_OF_BENCH};
static const struct metric page_fault_metrics[] = {{.key = "cost.page_fault",
                                                    .label = "first touch of a page",
                                                    .unit = "ns",
                                                    .kind = METRIC_VALUE,
                                                    .series = "once",
                                                    .beyond = true,
                                                    .classes = true,
                                                    .at_least = 1,
                                                    .sheet_cell = "core/cost",
                                                    .operand = "page-fault"},
                                                   {0}};
const struct experiment page_fault_experiment = {.name = "first touch of a page",
                                                 .context_bytes = sizeof page_fault,
                                                 .context_template = &page_fault,
                                                 .series = cost_once,
                                                 .metrics = page_fault_metrics,
                                                 .pace = {400, 80, 0.25, 0.06},
                                                 .open = open_pages,
                                                 .sample = sample,
                                                 .memory = &page_fault_memory};

static const struct pages huge_fault = {.operate = touch, .count = 1, .step = 1, .is_huge = true};
static const struct memory_row huge_fault_memory = {.bytes = 2 << 20, .content = MEMORY_OF_BENCH};
static const struct metric huge_fault_metrics[] = {{.key = "cost.huge_page_fault",
                                                    .label = "first touch of a huge page",
                                                    .unit = "ns",
                                                    .kind = METRIC_VALUE,
                                                    .series = "once",
                                                    .beyond = true,
                                                    .classes = true,
                                                    .at_least = 1,
                                                    .sheet_cell = "core/cost",
                                                    .range = true,
                                                    .operand = "huge-page-fault"},
                                                   {0}};
const struct experiment huge_fault_experiment = {.name = "first touch of a huge page",
                                                 .context_bytes = sizeof huge_fault,
                                                 .context_template = &huge_fault,
                                                 .series = cost_once,
                                                 .metrics = huge_fault_metrics,
                                                 .pace = {400, 80, 0.25, 0.06},
                                                 .open = open_pages,
                                                 .sample = sample,
                                                 .memory = &huge_fault_memory};

static const struct pages unmap_page = {.operate = unmap, .count = 16, .step = 1, .is_touched = true};
static const struct memory_row unmap_page_memory = {.bytes = 17 << 12, .content = MEMORY_OF_BENCH};
static const struct metric unmap_page_metrics[] = {{.key = "cost.unmap",
                                                    .label = "unmap a page",
                                                    .unit = "ns",
                                                    .kind = METRIC_VALUE,
                                                    .series = "once",
                                                    .beyond = true,
                                                    .classes = true,
                                                    .at_least = 1,
                                                    .sheet_cell = "core/cost",
                                                    .range = true,
                                                    .operand = "unmap"},
                                                   {0}};
const struct experiment unmap_page_experiment = {.name = "unmap a page",
                                                 .context_bytes = sizeof unmap_page,
                                                 .context_template = &unmap_page,
                                                 .series = cost_once,
                                                 .metrics = unmap_page_metrics,
                                                 .pace = {400, 80, 0.25, 0.06},
                                                 .open = open_pages,
                                                 .sample = sample,
                                                 .memory = &unmap_page_memory};

static const struct pages unmap_far = {
    .operate = unmap, .count = 16, .step = 1, .is_touched = true, .is_shared = true};
static const struct memory_row unmap_far_memory = {.bytes = 17 << 12, .content = MEMORY_OF_BENCH};
static const struct metric unmap_far_metrics[] = {{.key = "cost.unmap.two_cpus",
                                                   .label = "unmap a page, 2 CPUs",
                                                   .unit = "ns",
                                                   .kind = METRIC_VALUE,
                                                   .series = "once",
                                                   .beyond = true,
                                                   .classes = true,
                                                   .at_least = 1,
                                                   .sheet_cell = "core/cost",
                                                   .range = true,
                                                   .operand = "unmap"},
                                                  {0}};
const struct experiment unmap_far_experiment = {.name = "unmap a page, 2 CPUs",
                                                .context_bytes = sizeof unmap_far,
                                                .context_template = &unmap_far,
                                                .series = cost_once,
                                                .metrics = unmap_far_metrics,
                                                .pace = {400, 80, 0.25, 0.06},
                                                .open = open_pages,
                                                .sample = sample,
                                                .memory = &unmap_far_memory,
                                                .partner = stay};

static const struct pages protect_page = {.operate = protect, .count = 16};
static const struct memory_row protect_page_memory = {.bytes = 1 << 12, .content = MEMORY_OF_BENCH};
static const struct metric protect_page_metrics[] = {{.key = "cost.protect",
                                                      .label = "protect a page",
                                                      .unit = "ns",
                                                      .kind = METRIC_VALUE,
                                                      .series = "once",
                                                      .beyond = true,
                                                      .classes = true,
                                                      .at_least = 1,
                                                      .sheet_cell = "core/cost",
                                                      .range = true,
                                                      .operand = "protect"},
                                                     {0}};
const struct experiment protect_page_experiment = {.name = "protect a page",
                                                   .context_bytes = sizeof protect_page,
                                                   .context_template = &protect_page,
                                                   .series = cost_once,
                                                   .metrics = protect_page_metrics,
                                                   .pace = {400, 80, 0.25, 0.06},
                                                   .open = open_pages,
                                                   .sample = sample,
                                                   .memory = &protect_page_memory};
