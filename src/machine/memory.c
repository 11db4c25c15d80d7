/* SPDX-License-Identifier: MIT */
#include "uarchprobe/memory.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "machine/cgroup.h"
#include "machine/os.h"
#include "uarchprobe/interrupt.h"
#include "uarchprobe/own_time.h"
#include "uarchprobe/random.h"
#include "uarchprobe/topology.h"

#ifndef MAP_HUGE_SHIFT
#define MAP_HUGE_SHIFT 26
#endif
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* of Linux 5.14 */
#endif

static const uint64_t mebibyte = 1024 * 1024;

const char *const page_kind_names[] = {"auto", "4k", "thp", "2m", "1g", NULL};

static uint64_t base_page(void)
{
    return (uint64_t)sysconf(_SC_PAGESIZE);
}

static uint64_t round_up(uint64_t value, uint64_t step)
{
    return (value + step - 1) / step * step;
}

static bool is_reserved_kind(enum page_kind pages)
{
    return pages == PAGES_2M || pages == PAGES_1G;
}

/* Of a transparent huge page: 2 MiB with base pages of 4 KiB, 32 MiB with 16 KiB, 512 MiB with 64 KiB. */
static uint64_t huge_page(void)
{
    uint64_t huge;
    return sys_number(&huge, "/sys/kernel/mm/transparent_hugepage/hpage_pmd_size") && huge ? huge
                                                                                           : 2 * mebibyte;
}

/* Alignment of the first byte and of the size, so that the tail has the same pages as the rest. A buffer
 * that is far smaller than a huge page has base pages, unless it must have huge ones. */
static uint64_t granule_of(const struct memory_request *request)
{
    const uint64_t huge = huge_page();

    if (is_reserved_kind(request->pages))
        return request->pages == PAGES_1G ? 1024 * mebibyte : 2 * mebibyte;
    if (request->pages == PAGES_4K ||
        (request->pages == PAGES_AUTO && huge > 2 * mebibyte && request->bytes < huge))
        return base_page();
    return huge;
}

static enum status no_memory(const struct memory_request *request, int error, struct fault *fault)
{
    return fault_set(
        fault, STATUS_NO_RESOURCE,
        "cannot map %llu bytes: %s; choose a smaller size or raise the limit (ulimit -v, cgroup)",
        (unsigned long long)request->bytes, strerror(error));
}

/* Address space with room for the alignment and an inaccessible page on both sides. The pages around are
 * kept: they also stop the kernel from merging neighbouring mappings, whose page sizes could then not be kept
 * apart. */
static enum status reserve(struct memory *memory, const struct memory_request *request, struct fault *fault)
{
    const uint64_t granule = granule_of(request), page = base_page();
    /* Also of base pages, so that addresses mean the same whatever the pages are. */
    const uint64_t align = granule > 2 * mebibyte ? granule : 2 * mebibyte;

    if (request->bytes == 0 || request->bytes > UINT64_MAX / 4)
        return fault_set(fault, STATUS_NO_RESOURCE, "a buffer of %llu bytes cannot be made",
                         (unsigned long long)request->bytes);
    memory->bytes = round_up(request->bytes, granule);
    memory->map_bytes = memory->bytes + align + 2 * page;
    memory->map =
        mmap(NULL, memory->map_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory->map == MAP_FAILED)
        return no_memory(request, errno, fault);
    memory->data = (unsigned char *)memory->map +
                   (round_up((uintptr_t)memory->map + page, align) - (uintptr_t)memory->map);
    return STATUS_OK;
}

static int reserved_log2(enum page_kind pages)
{
    return pages == PAGES_1G ? 30 : 21;
}

static enum status open_reserved_pages(struct memory *memory, const struct memory_request *request,
                                       struct fault *fault)
{
    const int log2_size = reserved_log2(request->pages);
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_HUGETLB | (log2_size << MAP_HUGE_SHIFT);
    const unsigned long kib = 1ul << (log2_size - 10);
    uint64_t spare = 0;

    if (mmap(memory->data, memory->bytes, PROT_READ | PROT_WRITE, flags, -1, 0) != MAP_FAILED)
        return STATUS_OK;
    const int error = errno;
    if (!sys_number(&spare, "/sys/kernel/mm/hugepages/hugepages-%lukB/free_hugepages", kib))
        return fault_set(fault, STATUS_NO_RESOURCE,
                         "this kernel has no reserved pages of %lu KiB; use --pages thp or auto", kib);
    return fault_set(fault, STATUS_NO_RESOURCE,
                     "%llu bytes need %llu reserved pages of %lu KiB, free are %llu (%s); reserve them in "
                     "/sys/kernel/mm/hugepages/hugepages-%lukB/nr_hugepages or use --pages thp",
                     (unsigned long long)request->bytes, (unsigned long long)(memory->bytes >> log2_size),
                     kib, (unsigned long long)spare, strerror(error), kib);
}

static enum status open_pages(struct memory *memory, const struct memory_request *request,
                              struct fault *fault)
{
    if (is_reserved_kind(request->pages))
        return open_reserved_pages(memory, request, fault);
    /* "never" makes the kernel ignore MADV_HUGEPAGE, which then still succeeds. */
    char word[32];
    if (request->pages == PAGES_THP && (!os_huge_pages(word, sizeof(word)) || strcmp(word, "never") == 0))
        return fault_set(fault, STATUS_NO_RESOURCE,
                         "transparent huge pages are off (/sys/kernel/mm/transparent_hugepage/enabled); "
                         "use --pages 4k or auto");
    if (mprotect(memory->data, memory->bytes, PROT_READ | PROT_WRITE) != 0)
        return no_memory(request, errno, fault);
    const int advice = request->pages == PAGES_4K ? MADV_NOHUGEPAGE : MADV_HUGEPAGE;
    if (madvise(memory->data, memory->bytes, advice) != 0 && request->pages == PAGES_THP)
        return fault_set(fault, STATUS_NO_RESOURCE, "the kernel gives no transparent huge pages: %s",
                         strerror(errno));
    return STATUS_OK;
}

enum status memory_map(struct memory *memory, const struct memory_request *request, struct fault *fault)
{
    *memory = (struct memory){.pages = request->pages};
    if (reserve(memory, request, fault) != STATUS_OK) {
        *memory = (struct memory){0};
        return fault->status;
    }
    enum status status = open_pages(memory, request, fault);
    if (status == STATUS_OK && request->node >= 0)
        status = topology_bind_memory(request->topology, memory->data, memory->bytes, request->node, fault);
    if (status != STATUS_OK)
        memory_release(memory);
    return status;
}

/* The memory may begin and end within a page. */
static bool each_page_comes(const struct memory *memory)
{
    const uint64_t step =
        is_reserved_kind(memory->pages) ? UINT64_C(1) << reserved_log2(memory->pages) : base_page();
    for (uint64_t at = 0; at < memory->bytes; at += step)
        if (!os_page_comes(memory->data + at))
            return false;
    return memory->bytes < 8 || os_page_comes(memory->data + memory->bytes - 8);
}

/* A mapping is a promise of pages that the kernel need not keep: a cgroup limits reserved pages when they are
 * touched, and the reserved pages of the node that the memory is bound to may be fewer than those of the
 * machine. */
static enum status populate_piece(const struct memory *memory, uint64_t whole, struct fault *fault)
{
    if (madvise(memory->data, memory->bytes, MADV_POPULATE_WRITE) == 0 || each_page_comes(memory))
        return STATUS_OK;
    if (is_reserved_kind(memory->pages))
        return fault_set(fault, STATUS_NO_RESOURCE,
                         "the kernel refuses reserved pages of %llu KiB for %llu bytes: a cgroup (hugetlb) "
                         "limits them, or their NUMA node has none free; use --pages thp or auto",
                         1ull << (reserved_log2(memory->pages) - 10), (unsigned long long)whole);
    return fault_set(
        fault, STATUS_NO_RESOURCE,
        "the kernel has no pages for %llu bytes; choose a smaller size or raise the limit of the "
        "cgroup",
        (unsigned long long)whole);
}

struct memory memory_piece(const struct memory *memory, uint64_t first, uint64_t bytes)
{
    const uint64_t left = memory->bytes > first ? memory->bytes - first : 0;
    return (struct memory){
        .data = memory->data + first, .bytes = bytes < left ? bytes : left, .pages = memory->pages};
}

/* Whoever waits for a large buffer may have to end: after each piece this asks for a signal. */
enum { PIECE_BYTES = 16 << 20 };

static bool is_interrupted(const struct memory *memory, uint64_t done, struct fault *fault)
{
    if (done % PIECE_BYTES || done == 0 || done >= memory->bytes || !interrupt_came())
        return false;
    fault_set(fault, STATUS_FAILED, "signal %d came before %llu bytes were filled", interrupt_signal(),
              (unsigned long long)memory->bytes);
    return true;
}

enum status memory_populate(const struct memory *memory, struct fault *fault)
{
    for (uint64_t at = 0; at < memory->bytes && !is_interrupted(memory, at, fault); at += PIECE_BYTES) {
        const struct memory piece = memory_piece(memory, at, PIECE_BYTES);
        if (populate_piece(&piece, memory->bytes, fault) != STATUS_OK)
            break;
    }
    return fault->status;
}

/* Blocks of the same random words, each combined with one more of its own: a fresh random word for each place
 * takes longer than the memory does. */
enum status memory_touch(const struct memory *memory, uint64_t seed, struct fault *fault)
{
    enum { BLOCK = 512 };
    uint64_t block[BLOCK], *word = (uint64_t *)(void *)memory->data;
    const uint64_t count = memory->bytes / sizeof(*word);
    uint64_t state = seed;

    if (memory_populate(memory, fault) != STATUS_OK)
        return fault->status;
    for (int i = 0; i < BLOCK; i++)
        block[i] = random_next(&state);
    for (uint64_t first = 0; first < count && !is_interrupted(memory, first * sizeof *word, fault);
         first += BLOCK) {
        const uint64_t other = random_next(&state), length = count - first < BLOCK ? count - first : BLOCK;
        /* One bit of every byte is set, so none is zero: zeroed pages can be special to caches and memory. */
        for (uint64_t i = 0; i < length; i++)
            word[first + i] = (block[i] ^ other) | 0x0101010101010101u;
    }
    return fault->status;
}

uint64_t memory_fill(const struct memory *memory, uint64_t seed, double seconds, struct fault *fault)
{
    const struct stopwatch begin = stopwatch_start_thread();
    uint64_t filled = 0;

    while (filled < memory->bytes &&
           (filled == 0 || (stopwatch_thread_s(&begin) < seconds && !interrupt_came()))) {
        const struct memory piece = memory_piece(memory, filled, mebibyte);
        if (memory_touch(&piece, seed + filled, fault) != STATUS_OK)
            return 0;
        filled += piece.bytes;
    }
    return filled;
}

void memory_release(struct memory *memory)
{
    if (memory->map)
        munmap(memory->map, memory->map_bytes);
    *memory = (struct memory){0};
}

struct mapping {
    uint64_t resident_kib, huge_kib, page_kib;
};

static void read_mapping_line(struct mapping *mapping, const char *line)
{
    unsigned long long kib;

    if (sscanf(line, "Rss: %llu", &kib) == 1)
        mapping->resident_kib += kib;
    else if (sscanf(line, "AnonHugePages: %llu", &kib) == 1)
        mapping->huge_kib += kib;
    else if (sscanf(line, "KernelPageSize: %llu", &kib) == 1 && kib > mapping->page_kib)
        mapping->page_kib = kib;
}

/* Sums over the mappings that overlap the buffer; those of memory_map lie wholly within it. */
static struct mapping read_mappings(const struct memory *memory)
{
    const uint64_t begin = (uintptr_t)memory->data, end = begin + memory->bytes;
    FILE *file = sys_open("/proc/self/smaps");
    struct mapping mapping = {0};
    bool inside = false;
    char line[512];

    while (file && fgets(line, sizeof(line), file)) {
        unsigned long long from, to;
        if (sscanf(line, "%llx-%llx ", &from, &to) == 2)
            inside = from < end && to > begin;
        else if (inside)
            read_mapping_line(&mapping, line);
    }
    if (file)
        fclose(file);
    return mapping;
}

uint64_t memory_page_bytes(const struct memory *memory)
{
    const struct mapping mapping = read_mappings(memory);

    if (mapping.page_kib * 1024 > base_page())
        return mapping.page_kib * 1024;
    if (mapping.huge_kib * 2 <= mapping.resident_kib)
        return base_page();
    return huge_page();
}

double memory_share_on(const struct memory *memory, uint64_t bytes, int node)
{
    enum { PAGES = 1024 };
    void *page[PAGES];
    int at[PAGES], there = 0;

    for (uint64_t i = 0; i < PAGES; i++)
        page[i] = memory->data + bytes / PAGES * i / base_page() * base_page();
    if (syscall(SYS_move_pages, 0, (unsigned long)PAGES, page, NULL, at, 0) != 0)
        return NAN;
    for (int i = 0; i < PAGES; i++)
        there += at[i] == node;
    return (double)there / PAGES;
}

/* A field of /proc/self/statm, from 0, in bytes; 0: unknown. */
static uint64_t used_by_process(int field)
{
    char line[256];
    const char *at = sys_line(line, sizeof line, "/proc/self/statm") ? line : "";
    for (; field > 0 && *at; field--)
        at += strcspn(at, " "), at += strspn(at, " ");
    return strtoull(at, NULL, 10) * base_page();
}

enum { PROCESS_LIMITS = 2 };
static const struct process_limit {
    int resource, statm_field;
    const char *name;
} process_limits[PROCESS_LIMITS] = {{RLIMIT_AS, 0, "ulimit -v"}, {RLIMIT_DATA, 5, "ulimit -d"}};

/* UINT64_MAX: none. */
static uint64_t process_limit(const struct process_limit *row)
{
    struct rlimit limit;
    return getrlimit(row->resource, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY ? limit.rlim_cur
                                                                                    : UINT64_MAX;
}

static uint64_t process_room(const struct process_limit *row)
{
    const uint64_t limit = process_limit(row),
                   used = limit < UINT64_MAX ? used_by_process(row->statm_field) : 0;
    return limit > used ? limit - used : 0;
}

const char *memory_limit(uint64_t *bytes)
{
    const struct process_limit *least = &process_limits[0];
    for (int i = 1; i < PROCESS_LIMITS; i++)
        if (process_room(&process_limits[i]) < process_room(least))
            least = &process_limits[i];
    *bytes = process_limit(least);
    return *bytes < UINT64_MAX ? least->name : NULL;
}

/* The least of MemAvailable, cgroup room and limits of the process. */
static uint64_t whole_room(void)
{
    const uint64_t limits[] = {cgroup_memory_room(), process_room(&process_limits[0]),
                               process_room(&process_limits[1])};
    uint64_t room = os_memory("MemAvailable", UINT64_MAX);

    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        room = limits[i] < room ? limits[i] : room;
    return room;
}

uint64_t memory_room(void)
{
    return whole_room() / 2;
}

uint64_t memory_room_of_one(void)
{
    return whole_room() / 4 * 3;
}
