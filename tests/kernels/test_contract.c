/* SPDX-License-Identifier: MIT */
/* Every kernel that can run here, against what kernel.h promises: right result, every byte that it must touch
 * touched and none other, nothing preserved lost, no signal. Kernels with a known fault then prove that each
 * of these checks can fail. Needs the C library only, so that it runs under qemu for any CPU. */
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "arena.h"
#include "contracts.h"

enum { ARENA = 24 * 1024, EVERY_COUNT_TO = 40, RANDOM_SIZES = 24, PLACES = 4 };

struct trial {
    const struct kernel *kernel;
    struct arena *a, *b, *x;
    size_t width; /* bytes of an element; 1 where the kernel has none */
    uint64_t random;
    char why[200]; /* empty: no fault so far */
};

__attribute__((format(printf, 2, 3))) static bool fail(struct trial *trial, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(trial->why, sizeof trial->why, format, list);
    va_end(list);
    return false;
}

static bool call_whole(struct trial *trial, void *a, const void *b, uint64_t n, uint64_t m, const void *x,
                       uint64_t y, uint64_t *result)
{
    struct checked_call call = {.argument = {(uintptr_t)a, (uintptr_t)b, n, m, (uintptr_t)x, y}};
    const char *why = broken_promise(trial->kernel, &call);
    *result = call.result;
    return !why || fail(trial, "%s with a=%p b=%p n=%llu m=%llu", why, a, b, (unsigned long long)n,
                        (unsigned long long)m);
}

static bool call_kernel(struct trial *trial, void *a, const void *b, uint64_t n, uint64_t m, uint64_t *result)
{
    return call_whole(trial, a, b, n, m, NULL, 0, result);
}

/* Where a call faults, if it does. */
static struct outcome call_of(const struct trial *trial, const void *a, const void *b, const void *x,
                              uint64_t n)
{
    struct checked_call call = {.entry = trial->kernel->entry,
                                .argument = {(uintptr_t)a, (uintptr_t)b, n, 1, (uintptr_t)x}};
    return call_caught(&call);
}

/* OR of the elements, as kernel.h has it: elements wider than 64 bits fold to 64, narrower ones to themselves. */
static uint64_t reference_or(const unsigned char *data, size_t bytes, size_t width)
{
    const size_t lane = width < 8 ? width : 8;
    uint64_t all = 0;
    for (size_t i = 0; i < bytes; i++)
        all |= (uint64_t)data[i] << (i % lane * 8);
    return all;
}

/* An address on the side with this mode must be a multiple of the element. */
static bool wants_alignment(const struct kernel *kernel, enum access_mode mode)
{
    return (kernel->strict || kernel->operation == OPERATION_ZERO) && mode != ACCESS_NONE &&
           mode != ACCESS_UNALIGNED;
}

/* Where in the arena: at its end, at its start, or a little off either; without a need for alignment at any byte. */
static size_t place(struct trial *trial, size_t n, enum access_mode mode, int where)
{
    size_t unit = wants_alignment(trial->kernel, mode) ? trial->width : 1;
    size_t shift = (1 + next_random(&trial->random) % 63) * unit;
    size_t room = trial->a->bytes - n;
    if (shift > room)
        shift = 0;
    const size_t places[PLACES] = {room / unit * unit, 0, (room - shift) / unit * unit, shift};
    return places[where];
}

static bool memory_is_as_expected(struct trial *trial, size_t n)
{
    long in_a = arena_difference(trial->a), in_b = arena_difference(trial->b);
    if (in_a >= 0)
        return fail(trial, "n=%zu: byte %ld of a's arena is wrong", n, in_a);
    if (in_b >= 0)
        return fail(trial, "n=%zu: byte %ld of b's arena is wrong", n, in_b);
    return true;
}

static bool try_copy(struct trial *trial, size_t n, size_t at_a, size_t at_b, uint64_t m)
{
    uint64_t result;
    memcpy(trial->a->expected + at_a, trial->b->expected + at_b, n);
    if (!call_kernel(trial, trial->a->data + at_a, trial->b->data + at_b, n, m, &result))
        return false;
    return result == 0 || fail(trial, "n=%zu: copy returned non-zero", n);
}

static bool try_write(struct trial *trial, size_t n, size_t at_a, size_t at_b, uint64_t m)
{
    uint64_t result, value = next_random(&trial->random);
    memset(trial->a->expected + at_a, (unsigned char)value, n);
    if (!call_kernel(trial, trial->a->data + at_a, (const void *)(uintptr_t)value, n, m, &result))
        return false;
    return result == 0 || fail(trial, "n=%zu: write returned non-zero", n);
}

static bool try_zero(struct trial *trial, size_t n, size_t at_a, size_t at_b, uint64_t m)
{
    uint64_t result;
    (void)at_b;
    memset(trial->a->expected + at_a, 0, n);
    return call_kernel(trial, trial->a->data + at_a, NULL, n, m, &result) &&
           (result == 0 || fail(trial, "n=%zu: zero returned non-zero", n));
}

static bool try_compare(struct trial *trial, size_t n, size_t at_a, size_t at_b, uint64_t m)
{
    uint64_t result;
    unsigned char *a = trial->a->data + at_a, *b = trial->b->data + at_b;
    memcpy(b, a, n);
    memcpy(trial->b->expected + at_b, a, n);
    if (!call_kernel(trial, a, b, n, m, &result))
        return false;
    if (result != 0)
        return fail(trial, "n=%zu: equal buffers are called different", n);
    size_t position = next_random(&trial->random) % n;
    const size_t sample[] = {0, n - 1, n / 2, position};
    for (size_t i = 0; i < sizeof sample / sizeof sample[0]; i++) {
        unsigned char bit = (unsigned char)(1 << next_random(&trial->random) % 8);
        b[sample[i]] ^= bit;
        bool called = call_kernel(trial, a, b, n, m, &result);
        b[sample[i]] ^= bit;
        if (!called)
            return false;
        if (result == 0)
            return fail(trial, "n=%zu: a difference in byte %zu is not seen", n, sample[i]);
    }
    return true;
}

static bool or_is(struct trial *trial, unsigned char *a, size_t n, uint64_t m, const char *what)
{
    uint64_t result, right = reference_or(a, n, trial->width);
    if (!call_kernel(trial, a, trial->b->data, n, m, &result))
        return false;
    if (result == right)
        return true;
    return fail(trial, "n=%zu: OR of %s is %#llx, not %#llx", n, what, (unsigned long long)result,
                (unsigned long long)right);
}

/* A lone bit among zeros shows that its byte is taken in; ones all around show that nothing else is. */
static bool try_agg_or(struct trial *trial, size_t n, size_t at_a, size_t at_b, uint64_t m)
{
    unsigned char *a = trial->a->data + at_a;
    if (!or_is(trial, a, n, m, "random bytes"))
        return false;
    arena_fill(trial->a, 0xff);
    memset(a, 0, n);
    memset(trial->a->expected + at_a, 0, n);
    size_t position = next_random(&trial->random) % n;
    const size_t sample[] = {0, n - 1, n / 2, position};
    for (size_t i = 0; i < sizeof sample / sizeof sample[0]; i++) {
        a[sample[i]] = (unsigned char)(1 << next_random(&trial->random) % 8);
        bool right = or_is(trial, a, n, m, "one bit");
        a[sample[i]] = 0;
        if (!right)
            return false;
    }
    return true;
}

/* A load leaves no trace but its fault: with an element right behind the end of the arena and all before it
 * inside, that element's load must be the one that faults. */
static bool loads_element(struct trial *trial, size_t n, size_t element)
{
    const unsigned char *end = trial->a->data + trial->a->bytes;
    const struct outcome outcome = call_of(trial, end - element * trial->width, NULL, NULL, n);
    if (outcome.signal == 0 || outcome.address < end || outcome.address >= end + trial->width)
        return fail(trial, "n=%zu: element %zu of %zu is not loaded in its turn", n, element,
                    n / trial->width);
    return true;
}

static bool try_read(struct trial *trial, size_t n, size_t at_a, size_t at_b, uint64_t m)
{
    uint64_t result;
    if (!call_kernel(trial, trial->a->data + at_a, trial->b->data, n, m, &result))
        return false;
    if (result != 0)
        return fail(trial, "n=%zu: read returned non-zero", n);
    size_t elements = n / trial->width;
    return loads_element(trial, n, 0) && loads_element(trial, n, elements - 1) &&
           loads_element(trial, n, next_random(&trial->random) % elements) &&
           loads_element(trial, n, elements / 8 * 8 == elements ? elements / 2 : elements / 8 * 8);
}

/* Whole numbers of all but the last bits, so that a product or sum has one result however it is rounded. */
static void put_doubles(struct trial *trial, struct arena *arena, size_t at, size_t n)
{
    for (size_t i = 0; i < n; i += 8) {
        const double value = (double)(int64_t)(next_random(&trial->random) >> 20) - 0x1p43;
        memcpy(arena->data + at + i, &value, 8);
    }
    memcpy(arena->expected + at, arena->data + at, n);
}

static bool try_mix(struct trial *trial, size_t n, size_t at_a, size_t at_b, uint64_t m)
{
    static const double factors[] = {-1, 2, -0.5, 1};
    const enum operation operation = trial->kernel->operation;
    const double y = factors[next_random(&trial->random) % 4];
    /* x lies as b does, but not always on the same side of its arena. */
    const size_t at_x = trial->x->bytes - n - at_b;
    uint64_t result, bits;
    arena_fill_random(trial->x, next_random(&trial->random));
    put_doubles(trial, trial->a, at_a, n);
    put_doubles(trial, trial->b, at_b, n);
    put_doubles(trial, trial->x, at_x, n);
    for (size_t i = 0; i < n; i += 8) {
        double a, b, x;
        memcpy(&a, trial->a->data + at_a + i, 8);
        memcpy(&b, trial->b->data + at_b + i, 8);
        memcpy(&x, trial->x->data + at_x + i, 8);
        for (uint64_t pass = 0; pass < m; pass++)
            a = operation == OPERATION_UPDATE  ? y * a
                : operation == OPERATION_SCALE ? y * b
                : operation == OPERATION_ADD   ? b + x
                                               : b + y * x;
        memcpy(trial->a->expected + at_a + i, &a, 8);
    }
    memcpy(&bits, &y, 8);
    if (!call_whole(trial, trial->a->data + at_a, trial->b->data + at_b, n, m, trial->x->data + at_x, bits,
                    &result))
        return false;
    const long in_x = arena_difference(trial->x);
    return (result == 0 && in_x < 0) ||
           fail(trial, "n=%zu: returned %llu, x is wrong at byte %ld", n, (unsigned long long)result, in_x);
}

typedef bool operation_attempt(struct trial *trial, size_t n, size_t at_a, size_t at_b, uint64_t m);

static bool try_everywhere(struct trial *trial, operation_attempt *attempt, size_t n)
{
    const struct kernel *kernel = trial->kernel;
    enum access_mode of_a = kernel->store != ACCESS_NONE ? kernel->store : kernel->load;
    enum access_mode of_b = kernel->load;
    for (int where = 0; where < PLACES; where++) {
        size_t at_a = place(trial, n, of_a, where);
        size_t at_b = place(trial, n, of_b, (where + (int)(next_random(&trial->random) % 2) * 2) % PLACES);
        arena_fill_random(trial->a, next_random(&trial->random));
        arena_fill_random(trial->b, next_random(&trial->random));
        uint64_t m = 1 + next_random(&trial->random) % 3;
        if (!attempt(trial, n, at_a, at_b, m) || !memory_is_as_expected(trial, n))
            return false;
    }
    return true;
}

/* No bytes or no passes: the inaccessible area must not be touched. */
static bool try_nothing(struct trial *trial)
{
    unsigned char *nowhere = trial->a->data + trial->a->bytes;
    uint64_t result;
    return call_kernel(trial, nowhere, nowhere, 0, 2, &result) &&
           (result == 0 || fail(trial, "n=0 returned non-zero")) &&
           call_kernel(trial, nowhere, nowhere, 16 * trial->width, 0, &result) &&
           (result == 0 || fail(trial, "m=0 returned non-zero"));
}

/* A strict kernel that takes a misaligned buffer would be measured under a wrong name. */
static bool faults_when_misplaced(struct trial *trial, enum access_mode mode, const char *which)
{
    if (!wants_alignment(trial->kernel, mode))
        return true;
    if (call_of(trial, trial->a->data + (*which == 'a'), trial->b->data + (*which == 'b'),
                trial->x->data + (*which == 'x'), trial->width)
            .signal == SIGSEGV)
        return true;
    return fail(trial, "takes an unaligned address of %s without a fault", which);
}

static bool try_misplaced(struct trial *trial)
{
    const struct kernel *kernel = trial->kernel;
    const enum operation operation = kernel->operation;
    const bool loads_x = operation == OPERATION_ADD || operation == OPERATION_TRIAD;
    const bool loads_b = loads_x || operation == OPERATION_SCALE || operation == OPERATION_COPY ||
                         operation == OPERATION_COMPARE;
    return faults_when_misplaced(trial, kernel->store != ACCESS_NONE ? kernel->store : kernel->load, "a") &&
           faults_when_misplaced(trial, loads_b ? kernel->load : ACCESS_NONE, "b") &&
           faults_when_misplaced(trial, loads_x ? kernel->load : ACCESS_NONE, "x");
}

static bool check_memory(struct trial *trial)
{
    static operation_attempt *const attempts[OPERATION_COUNT] = {
        [OPERATION_COPY] = try_copy,     [OPERATION_WRITE] = try_write, [OPERATION_COMPARE] = try_compare,
        [OPERATION_AGG_OR] = try_agg_or, [OPERATION_READ] = try_read,   [OPERATION_UPDATE] = try_mix,
        [OPERATION_SCALE] = try_mix,     [OPERATION_ADD] = try_mix,     [OPERATION_TRIAD] = try_mix,
        [OPERATION_ZERO] = try_zero,
    };
    operation_attempt *attempt = attempts[trial->kernel->operation];
    if (!attempt)
        return fail(trial, "no test of %s is here", operation_names[trial->kernel->operation]);
    for (size_t i = 1; i <= EVERY_COUNT_TO; i++) {
        if (!try_everywhere(trial, attempt, i * trial->width))
            return false;
    }
    for (int i = 0; i < RANDOM_SIZES; i++) {
        size_t most = (ARENA - 4096) / trial->width;
        if (!try_everywhere(trial, attempt, (1 + next_random(&trial->random) % most) * trial->width))
            return false;
    }
    /* A line is zeroed from any of its addresses. */
    return try_nothing(trial) && (trial->kernel->operation == OPERATION_ZERO || try_misplaced(trial));
}

/* A cycle of nodes in scattered order; after n loads the chain must stand at the n-th. */
static bool check_latency(struct trial *trial)
{
    enum { NODES = 61, STRIDE = 27 }; /* coprime: one cycle through all */
    uint64_t *node = (uint64_t *)trial->a->data;
    arena_fill(trial->a, 0);
    for (size_t i = 0; i < NODES; i++)
        node[i] = (uintptr_t)&node[(i + STRIDE) % NODES];
    memcpy(trial->a->expected, trial->a->data, trial->a->bytes);
    for (size_t n = 0; n < 3 * NODES; n++) {
        uint64_t result;
        if (!call_kernel(trial, node, NULL, n, 1, &result))
            return false;
        if (result != (uintptr_t)&node[n * STRIDE % NODES])
            return fail(trial, "n=%zu: the chain ends at the wrong node", n);
    }
    return memory_is_as_expected(trial, sizeof(uint64_t) * NODES);
}

static bool check_chain(struct trial *trial)
{
    uint64_t base = 0, result;
    bool adds = trial->kernel->operation == OPERATION_CHAIN_ADD;
    if (!call_kernel(trial, NULL, NULL, 1, 1, &base))
        return false;
    if (adds ? base != 1 : base % 2 == 0 || base == 1)
        return fail(trial, "one operation gives %llu: the chain does not depend on each",
                    (unsigned long long)base);
    uint64_t expected = adds ? 0 : 1;
    for (uint64_t n = 0; n < 200; n++, expected = adds ? n : expected * base) {
        if (!call_kernel(trial, NULL, NULL, n, 1, &result))
            return false;
        if (result != expected)
            return fail(trial, "n=%llu: not that many operations", (unsigned long long)n);
    }
    return true;
}

/* Loads stay within the 64 bytes, which end at a guard page, and change nothing. */
static bool check_throughput(struct trial *trial)
{
    enum { LINE = 64, UNIT = KERNEL_THROUGHPUT_UNIT };
    static const uint64_t counts[] = {0, 1, UNIT - 1, UNIT, UNIT + 1, 3 * UNIT};
    arena_fill_random(trial->a, 1);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        uint64_t result;
        if (!call_kernel(trial, trial->a->data + trial->a->bytes - LINE, NULL, counts[i], 1, &result))
            return false;
        if (result != counts[i] / UNIT * UNIT)
            return fail(trial, "n=%llu: not that many instructions", (unsigned long long)counts[i]);
    }
    return memory_is_as_expected(trial, trial->a->bytes);
}

static bool check_kernel(struct trial *trial)
{
    const struct kernel *kernel = trial->kernel;
    trial->width = kernel_bits(kernel) < 8 ? 1 : kernel_bits(kernel) / 8;
    trial->random = 20;
    trial->why[0] = 0;
    if (kernel->operation == OPERATION_LATENCY || kernel->operation == OPERATION_CHASE_RMW)
        return check_latency(trial);
    if (kernel->operation == OPERATION_CHAIN_ADD || kernel->operation == OPERATION_CHAIN_MUL)
        return check_chain(trial);
    if (kernel->operation == OPERATION_THROUGHPUT_INTEGER || kernel->operation == OPERATION_THROUGHPUT_LOAD)
        return check_throughput(trial);
    return check_memory(trial);
}

struct count {
    int passed, failed, skipped;
};

/* verdict: that of a kernel with a known fault; NULL: it has none. */
static void check_one(struct trial *trial, const struct kernel *kernel, const char *verdict,
                      struct count *count)
{
    const feature_set missing = kernel->needs & ~features_usable();
    trial->kernel = kernel;
    if (missing) {
        printf("skipped %s: this CPU or system lacks", kernel->name);
        for (int i = 0; i < FEATURE_COUNT; i++)
            if (missing >> i & 1)
                printf(" %s", feature_name((enum feature)i));
        printf("\n");
        count->skipped++;
    } else if (check_kernel(trial) ? !verdict : verdict && strstr(trial->why, verdict)) {
        count->passed++;
    } else {
        printf("FAILED %s: \"%s\" where \"%s\" is due\n", kernel->name, trial->why, verdict ? verdict : "");
        count->failed++;
    }
}

extern kernel_entry bad_clobber, bad_vector_state, bad_overrun, bad_underrun, bad_short_write, bad_short_read,
    bad_short_or, bad_compare, bad_illegal, copy_scalar64, write_scalar64;

#define BAD(id, op, need)                                                                                    \
    .kernel = {.name = #id, .operation = OPERATION_##op, .needs = (need), .bits = 8, .entry = (id)}

/* The verdict that each bad kernel must get. */
static const struct {
    struct kernel kernel;
    const char *verdict;
} bad_kernels[] = {
    {BAD(bad_clobber, WRITE, 0), "callee-saved"},
    {BAD(bad_vector_state, WRITE, FEATURE_BIT(AVX2)), "left dirty"},
    {BAD(bad_vector_state, WRITE, FEATURE_BIT(ASIMD)), "callee-saved d8"},
    {BAD(bad_overrun, WRITE, 0), "SIGSEGV"},
    {BAD(bad_underrun, WRITE, 0), "arena is wrong"},
    {BAD(bad_short_write, WRITE, 0), "arena is wrong"},
    {BAD(bad_short_read, READ, 0), "not loaded"},
    {BAD(bad_short_or, AGG_OR, 0), "OR of"},
    {BAD(bad_compare, COMPARE, 0), "not seen"},
    {{.name = "copy_scalar64 said to scale",
      .operation = OPERATION_SCALE,
      .bits = 64,
      .entry = copy_scalar64},
     "arena is wrong"},
    {{.name = "copy_scalar64 said to add", .operation = OPERATION_ADD, .bits = 64, .entry = copy_scalar64},
     "arena is wrong"},
    {{.name = "write_scalar64 said to be strict",
      .operation = OPERATION_WRITE,
      .bits = 64,
      .store = ACCESS_ALIGNED,
      .strict = true,
      .entry = write_scalar64},
     "without a fault"},
    {BAD(bad_illegal, WRITE, 0), "SIGILL"},
};

int main(void)
{
    struct arena a = arena_new(ARENA), b = arena_new(ARENA), x = arena_new(ARENA);
    struct trial trial = {.a = &a, .b = &b, .x = &x};
    struct count count = {0, 0, 0};
    catch_signals();
    for (size_t i = 0; i < kernel_count; i++)
        if (facts_of[kernels[i].operation].contract == CONTRACT_BASIC)
            check_one(&trial, &kernels[i], NULL, &count);
    for (size_t i = 0; i < sizeof bad_kernels / sizeof bad_kernels[0]; i++)
        check_one(&trial, &bad_kernels[i].kernel, bad_kernels[i].verdict, &count);
    printf("%d passed, %d failed, %d skipped\n", count.passed, count.failed, count.skipped);
    return count.failed ? 1 : 0;
}
