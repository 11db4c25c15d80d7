/* SPDX-License-Identifier: MIT */
/* Loaded into a program that was built with -finstrument-functions (tests/trace/run): writes each function
 * that it enters to the file $TRACE, a line each: offset in the program, number of its first entrance,
 * number of its last; 0 0: none was counted. Counting begins with the first entrance of the function at
 * offset $TRACE_FROM (hexadecimal). The functions at the offsets of $TRACE_ASIDE are not counted, nor what
 * they call. That at $TRACE_TO is, but not what it calls. */
#include <link.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { SLOTS = 1 << 14 };

static struct {
    _Atomic uintptr_t function;
    atomic_ulong first, last;
} slot[SLOTS];
static atomic_ulong entrances;
enum { ASIDE = 4 };
static uintptr_t base, from, to, aside[ASIDE];
static atomic_bool counting;
static _Thread_local unsigned depth; /* below functions whose calls are not counted */

void __cyg_profile_func_enter(void *function, void *caller);
void __cyg_profile_func_exit(void *function, void *caller);

static bool is_aside(uintptr_t offset)
{
    for (int i = 0; i < ASIDE; i++)
        if (aside[i] && offset == aside[i])
            return true;
    return false;
}

void __cyg_profile_func_enter(void *function, void *caller)
{
    const uintptr_t offset = (uintptr_t)function - base;
    (void)caller;
    if (offset == from)
        counting = true;
    depth += is_aside(offset);
    const unsigned long now = depth || !counting ? 0 : ++entrances;
    depth += to && offset == to;
    for (size_t i = (uintptr_t)function * UINT64_C(0x9e3779b97f4a7c15) >> 50;; i = (i + 1) % SLOTS) {
        uintptr_t there = 0;
        if (atomic_compare_exchange_strong(&slot[i].function, &there, (uintptr_t)function))
            there = (uintptr_t)function;
        if (there != (uintptr_t)function)
            continue;
        if (now && !slot[i].first)
            slot[i].first = now;
        if (now)
            slot[i].last = now;
        return;
    }
}

void __cyg_profile_func_exit(void *function, void *caller)
{
    (void)caller;
    const uintptr_t offset = (uintptr_t)function - base;
    depth -= is_aside(offset) || (to && offset == to);
}

static int base_of_program(struct dl_phdr_info *info, size_t size, void *context)
{
    (void)size;
    (void)context;
    base = info->dlpi_addr;
    return 1;
}

static void read_offsets(const char *variable, uintptr_t *offset, size_t most)
{
    char *text = getenv(variable);
    for (size_t i = 0; text && *text && i < most; i++)
        offset[i] = strtoul(text, &text, 16);
}

__attribute__((constructor)) static void find_bounds(void)
{
    dl_iterate_phdr(base_of_program, NULL);
    read_offsets("TRACE_FROM", &from, 1);
    read_offsets("TRACE_TO", &to, 1);
    read_offsets("TRACE_ASIDE", aside, ASIDE);
}

__attribute__((destructor)) static void write_all(void)
{
    const char *path = getenv("TRACE");
    FILE *out = path ? fopen(path, "w") : NULL;
    if (!out)
        return;
    for (size_t i = 0; i < SLOTS; i++)
        if (slot[i].function)
            fprintf(out, "%#zx %lu %lu\n", (size_t)(slot[i].function - base), slot[i].first, slot[i].last);
    fclose(out);
}
