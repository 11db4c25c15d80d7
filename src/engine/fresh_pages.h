/* SPDX-License-Identifier: MIT */
/* Pages that nobody has touched yet, for a bench that needs others in each sample. They are taken from a
 * block that holds `takes` of them, so that the kernel does not hand out the same few pages again and
 * again. */
#pragma once

#include "uarchprobe/memory.h"
#include "uarchprobe/status.h"

struct fresh_pages {
    enum page_kind pages;
    unsigned takes; /* 0: FRESH_TAKES */
    struct memory block;
    uint64_t used; /* bytes of the block */
};
enum { FRESH_TAKES = 64 };
/* Those of the take before may be gone. NULL with a fault: there is no room. */
unsigned char *fresh_pages_take(struct fresh_pages *pages, uint64_t bytes, struct fault *fault);
void fresh_pages_free(struct fresh_pages *pages);
