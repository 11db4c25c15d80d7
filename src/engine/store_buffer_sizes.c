/* SPDX-License-Identifier: MIT */
/* What was published about the store buffer of a core. */
#include <stddef.h>
#include <string.h>

#include "engine/store_buffer.h"

const char *const basis_words[] = {"documented", "reported", "measured", "inferred"};

static const struct store_buffer_size sizes[] = {
#define SIZE(...) {__VA_ARGS__},
#include "store_buffer_sizes.def"
#undef SIZE
};

const struct store_buffer_size *store_buffer_of(const char *core)
{
    for (size_t i = 0; core && i < sizeof sizes / sizeof sizes[0]; i++)
        if (strcmp(sizes[i].core, core) == 0)
            return &sizes[i];
    return NULL;
}

struct published_size store_buffer_expected(const struct cpu *cpu, const char *core)
{
    const struct store_buffer_size *row = store_buffer_of(core);

    if (!row || row->entries == 0)
        return (struct published_size){0};
    return (struct published_size){
        .entries = row->entries,
        .threads = row->threads,
        .certain = !cpu_may_be_guest(cpu) ||
                   (cpu->shows_amx && row->entries == store_buffer_of(CPU_CORE_AMX)->entries)};
}
