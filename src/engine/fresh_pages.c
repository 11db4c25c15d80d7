/* SPDX-License-Identifier: MIT */
#include "engine/fresh_pages.h"

#include <stddef.h>

unsigned char *fresh_pages_take(struct fresh_pages *pages, uint64_t bytes, struct fault *fault)
{
    const struct memory_request request = {
        .bytes = bytes * (pages->takes ? pages->takes : FRESH_TAKES), .pages = pages->pages, .node = -1};
    if (pages->used + bytes > pages->block.bytes) {
        fresh_pages_free(pages);
        if (memory_map(&pages->block, &request, fault) != STATUS_OK)
            return NULL;
    }
    pages->used += bytes;
    return pages->block.data + pages->used - bytes;
}

void fresh_pages_free(struct fresh_pages *pages)
{
    memory_release(&pages->block);
    pages->used = 0;
}
