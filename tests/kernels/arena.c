/* SPDX-License-Identifier: MIT */
#include "arena.h"

#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Wide enough that a kernel that runs away hits it, whatever its step. */
enum { GUARD = 1 << 18 };

static void *must(void *memory)
{
    if (memory && memory != MAP_FAILED)
        return memory;
    perror("arena");
    exit(1);
}

struct arena arena_new(size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    bytes = (bytes + page - 1) / page * page;
    unsigned char *map =
        must(mmap(NULL, bytes + 2 * GUARD, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
    if (mprotect(map + GUARD, bytes, PROT_READ | PROT_WRITE) != 0)
        must(NULL);
    return (struct arena){.data = map + GUARD, .expected = must(malloc(bytes)), .bytes = bytes};
}

uint64_t next_random(uint64_t *state)
{
    *state += 0x9e3779b97f4a7c15;
    uint64_t z = *state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

void arena_fill_random(struct arena *arena, uint64_t seed)
{
    for (size_t i = 0; i < arena->bytes; i += sizeof seed) {
        uint64_t value = next_random(&seed);
        memcpy(arena->data + i, &value, sizeof value);
    }
    memcpy(arena->expected, arena->data, arena->bytes);
}

void arena_fill(struct arena *arena, unsigned char value)
{
    memset(arena->data, value, arena->bytes);
    memset(arena->expected, value, arena->bytes);
}

long arena_difference(const struct arena *arena)
{
    if (memcmp(arena->data, arena->expected, arena->bytes) == 0)
        return -1;
    size_t i = 0;
    while (arena->data[i] == arena->expected[i])
        i++;
    return (long)i;
}

static sigjmp_buf before_call;
static volatile struct outcome caught;

static void on_signal(int signal, siginfo_t *info, void *context)
{
    caught.signal = signal;
    caught.address = info->si_addr;
    siglongjmp(before_call, 1);
}

void catch_signals(void)
{
    static unsigned char stack[1 << 16];
    stack_t alternate = {.ss_sp = stack, .ss_size = sizeof stack};
    sigaltstack(&alternate, NULL);
    struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    static const int signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP};
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++)
        sigaction(signals[i], &action, NULL);
}

struct outcome call_caught(struct checked_call *call)
{
    caught.signal = 0;
    caught.address = NULL;
    if (sigsetjmp(before_call, 1) == 0)
        checked_call(call);
    return (struct outcome){caught.signal, caught.address};
}

const char *broken_promise(const struct kernel *kernel, struct checked_call *call)
{
    static const char *const names[] = {CHECKED_REGISTERS};
    static const unsigned char clean[16];
    static feature_set usable; /* a guest waits for its host in each CPUID */
    static char why[200];
    usable = usable ? usable : features_usable();
    call->entry = kernel->entry;
    call->wide = usable & FEATURE_BIT(AVX) ? 1 : 0;
    const struct outcome outcome = call_caught(call);
    if (outcome.signal) {
        snprintf(why, sizeof why, "%s at %p", outcome.signal == SIGILL ? "SIGILL" : "memory fault (SIGSEGV)",
                 (const void *)outcome.address);
        return why;
    }
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (call->lost >> i & 1) {
            snprintf(why, sizeof why, "callee-saved %s is lost", names[i]);
            return why;
        }
    }
    for (int i = 0; call->wide && i < 16; i++) {
        if (memcmp(call->vector[i] + 16, clean, sizeof clean) != 0)
            return "the upper half of a vector register is left dirty";
    }
    return NULL;
}

uint64_t call_strictly(const struct kernel *kernel, const void *a, const void *b, uint64_t n, uint64_t m,
                       uint64_t x, uint64_t y)
{
    struct checked_call call = {.argument = {(uintptr_t)a, (uintptr_t)b, n, m, x, y}};
    const char *why = broken_promise(kernel, &call);
    if (!why)
        return call.result;
    printf("FAILED %s: %s with n=%llu m=%llu x=%llu y=%llu\n", kernel->name, why, (unsigned long long)n,
           (unsigned long long)m, (unsigned long long)x, (unsigned long long)y);
    exit(1);
}
