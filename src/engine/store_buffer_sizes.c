/* SPDX-License-Identifier: MIT */
/* What was published about the store buffer of this CPU. */
#include <stddef.h>
#include <string.h>

#include "engine/store_buffer.h"

#define SIZE(...) {__VA_ARGS__},
static const struct store_buffer_size sizes[] = {
#include "store_buffer_sizes.def"
};
#undef SIZE

/* A masked number says nothing of the core; AMX does. */
static bool applies(const struct store_buffer_size *size, const struct cpu *cpu)
{
    if (strcmp(size->vendor, cpu->vendor) != 0 || size->family != cpu->family)
        return false;
    if (size->by_amx)
        return cpu->shows_amx;
    return !cpu->model_masked && size->model_first <= cpu->model && cpu->model <= size->model_last;
}

const struct store_buffer_size *store_buffer_published(const struct cpu *cpu)
{
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        if (applies(&sizes[i], cpu))
            return &sizes[i];
    return NULL;
}

struct published_size store_buffer_expected(const struct cpu *cpu)
{
    const struct store_buffer_size *published = store_buffer_published(cpu);
    struct published_size size = {0};

    if (published == NULL)
        return size;
    size.entries = published->entries;
    size.certain = strcmp(cpu->hypervisor, "none") == 0;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        size.certain |= sizes[i].by_amx && applies(&sizes[i], cpu) && sizes[i].entries == size.entries;
    return size;
}
