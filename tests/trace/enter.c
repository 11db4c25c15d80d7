/* SPDX-License-Identifier: MIT */
/* Loaded into a program that was built with -finstrument-functions (tests/trace/run): writes each function that it enters
 * to the file $TRACE, a line each: offset in the program, number of its first entrance, number of its last. Counted is from the first
 * entrance of the function at offset $TRACE_FROM (hexadecimal) on, and not below that at $TRACE_PROBE, which asks the machine between
 * samples; 0 0: none was counted. */
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
static uintptr_t base, from, probe;
static atomic_bool counting;
static _Thread_local unsigned probing;

void __cyg_profile_func_enter(void *function, void *caller);
void __cyg_profile_func_exit(void *function, void *caller);

void __cyg_profile_func_enter(void *function, void *caller)
{
    (void)caller;
    if ((uintptr_t)function == base + from)
        counting = true;
    probing += probe && (uintptr_t)function == base + probe;
    const unsigned long now = probing || !counting ? 0 : ++entrances;
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
    probing -= probe && (uintptr_t)function == base + probe;
}

static int base_of_program(struct dl_phdr_info *info, size_t size, void *context)
{
    (void)size;
    (void)context;
    base = info->dlpi_addr;
    return 1;
}

static uintptr_t offset_in(const char *variable)
{
    const char *offset = getenv(variable);
    return offset ? strtoul(offset, NULL, 16) : 0;
}

__attribute__((constructor)) static void find_bounds(void)
{
    dl_iterate_phdr(base_of_program, NULL);
    from = offset_in("TRACE_FROM");
    probe = offset_in("TRACE_PROBE");
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
