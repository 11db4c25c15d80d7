/* SPDX-License-Identifier: MIT */
/* Buffers whose place, page size and first touch are known. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "uarchprobe/status.h"

struct topology;

enum page_kind { PAGES_AUTO, PAGES_4K, PAGES_THP, PAGES_2M, PAGES_1G };
extern const char *const page_kind_names[]; /* "auto", "4k", "thp", "2m", "1g", NULL */

struct memory_request {
    uint64_t bytes;
    enum page_kind pages; /* auto: thp or, without it, the base page; forced and missing: a fault */
    int node;             /* NUMA node, -1: where the first touch puts it */
    const struct topology *topology; /* of the node; not asked where it is -1 */
};

struct memory {
    unsigned char *data; /* aligned to a page of the kind, 2 MiB at least */
    uint64_t bytes;      /* at least as many as asked for: whole pages of the kind */
    enum page_kind pages;
    void *map; /* for memory_release */
    uint64_t map_bytes;
};

/* Maps without pages. memory_populate, memory_touch and memory_fill bring them in; the thread that will use
 * them calls these, so that the pages come near it. Faults: STATUS_NO_RESOURCE. */
enum status memory_map(struct memory *memory, const struct memory_request *request, struct fault *fault);
/* Those of its bytes from `first` on, at most so many; without a mapping of its own. */
struct memory memory_piece(const struct memory *memory, uint64_t first, uint64_t bytes);
/* Brings every page in; what they hold is undefined. Reserved pages can be missing although they were mapped,
 * and the first access would then end in SIGBUS: nobody may touch them before. Faults: STATUS_NO_RESOURCE;
 * STATUS_FAILED, a signal came meanwhile. */
enum status memory_populate(const struct memory *memory, struct fault *fault);
/* The same, and fills them with non-zero bytes that depend on the offset and on `seed`: two buffers of the
 * same seed are equal. */
enum status memory_touch(const struct memory *memory, uint64_t seed, struct fault *fault);
/* The same from the begin on, for so many seconds at most; returns the bytes that were filled, 0 with a
 * fault. */
uint64_t memory_fill(const struct memory *memory, uint64_t seed, double seconds, struct fault *fault);
void memory_release(struct memory *memory);
/* The page size that most of the buffer really has, in bytes (smaps); the base page where it is unknown. */
uint64_t memory_page_bytes(const struct memory *memory);
/* The share of its first `bytes`, all touched, whose pages lie on the NUMA node, by move_pages; NaN: the
 * kernel does not say. */
double memory_share_on(const struct memory *memory, uint64_t bytes, int node);
/* Bytes that may still be mapped and touched: half of the least of MemAvailable, cgroup room, RLIMIT_AS and
 * RLIMIT_DATA. */
uint64_t memory_room(void);
/* The same for one buffer of a size that is known, next to which the program needs little: three quarters. */
uint64_t memory_room_of_one(void);
/* The lowest limit of the process itself, which allocations meet, and its name ("ulimit -v"); NULL: it has
 * none. */
const char *memory_limit(uint64_t *bytes);
