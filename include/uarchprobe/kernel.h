/* SPDX-License-Identifier: MIT */
/* The hand-written kernels of this ISA and how to choose one at run time. All facts about a kernel are in
 * its row (kernels/<isa>/kernels.def); only the look-up compares names. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "uarchprobe/cpu.h"
#include "uarchprobe/status.h"

/* The task of a kernel and the arguments (a, b, n, m, x, y) of its entry; unnamed ones are ignored. Of
 * buffers, n is a multiple of the element; unaligned kernels are given unaligned addresses by the caller. */
enum operation {
    /* Buffers, for `ram`: n bytes each, m passes. */
    OPERATION_COPY,    /* a: destination, b: source; returns 0 */
    OPERATION_WRITE,   /* a: destination, low byte of b: the value; returns 0 */
    OPERATION_COMPARE, /* a, b: buffers; returns 0 if they were equal in every pass */
    OPERATION_AGG_OR, /* a: source; returns the OR of all elements, folded to 64 bits or, if narrower, the element */
    OPERATION_READ, /* a: source; every byte is loaded, returns 0 */
    /* Of doubles; a: destination, b and, as an address, x: sources, y: the bits of a factor; return 0. */
    OPERATION_UPDATE, /* a = y a */
    OPERATION_SCALE,  /* a = y b */
    OPERATION_ADD,    /* a = b + x */
    OPERATION_TRIAD,  /* a = b + y x; the product may be rounded by itself or not */

    /* Dependent chains of n operations. */
    OPERATION_LATENCY, /* a: first node of a cycle of pointers; returns the last pointer */
    /* Loads, each of one of m places that the load before drew. a: the first place; b: bytes from one to
     * the next, as an address; x: state of the draw, odd; returns the next state, x times KERNEL_DRAW to the
     * power of n. Place i of a state s is s * m / 2^64 */
    OPERATION_DRAW,
    OPERATION_ZERO,      /* a: lines of 64 bytes, n: bytes of whole ones, m: passes; returns 0 */
    OPERATION_CHAIN_ADD, /* additions of 1 cycle; returns a value that depends on all of them, as the next does */
    OPERATION_CHAIN_MUL, /* multiplications of 3 cycles or so */
    /* Independent instructions: `test` of two registers (aarch64: additions), and loads of the 64 bytes at
     * a. n: a multiple of KERNEL_THROUGHPUT_UNIT, less is left out; returns how many were executed. */
    OPERATION_THROUGHPUT_INTEGER,
    OPERATION_THROUGHPUT_LOAD,

    /* The store buffer, for `sb-capacity`. */
    /* A sled of n stores. a: four addresses (void *const [4]) that they take in turn, aligned to the
     * store; m: iterations; x: length of two chains of dependent operations, independent of each other, one
     * before the stores, begun with an empty store buffer, and one after them (0: neither the chains nor the
     * emptying); b: the kind of the chains, an enum store_chain as an address; y: no-operations at the end;
     * returns 0 */
    OPERATION_STORE_BURST,
    /* A sled of n - 1 stores behind one and before a load. a: the location to store to, the location to
     * load from, four addresses for the stores between them; b: a set of enum store_load_trial, as an
     * address; m: the value of all stores; x: the tick (of clock_ticks) at which to begin; y: square roots
     * before the first store, at most STORE_BURST_CHAIN_MAX; returns the value loaded */
    OPERATION_STORE_LOAD,
    OPERATION_STORE_LOAD_APART, /* the same; store i of units goes to the first of the four addresses + 64 i */

    /* Out-of-order execution, for `capacity`: a sled of n fillers between two chains of loads that are
     * independent of each other. a: where the chains are (void *[2]), each in a cycle of pointers, and where
     * they are left; behind those of the first, 8 bytes to load from; b: 8 more; m: iterations, each begun
     * with an empty pipeline; x: loads of each chain, 1 to WINDOW_LINKS_MOST; returns 0 */
    OPERATION_WINDOW,
    OPERATION_CALL_DEPTH, /* n calls within each other, m times; a, b and x are ignored; returns 0 */
    /* Branches whose ways both lead on, by each bit of m words of 32 bits at a; one word more is read;
     * returns 0 */
    OPERATION_BRANCH,
    /* m bursts of n accesses, 1 to MISSES_MOST, to a line each, at distances below MISSES_BYTES from an
     * address of a that no prefetcher foresees; the last is a load of 0, for which one a page behind it
     * waits. x, unless 0: a burst begins after the one before has ended, and its last load waits for x square
     * roots; returns 0 */
    OPERATION_MISSES,
    OPERATION_MISSES_FLUSH, /* the same lines leave all caches */
    /* For `cost`: a sled of n times one instruction, or a few, m times. a: COST_BYTES from a line's begin,
     * which they change; returns 0 */
    OPERATION_COST,

    /* Two CPUs, for `core-latency`. Ping-pongs return 0, or how many trips were left when y attempts
     * had failed; n and y are at least 1. */
    OPERATION_PINGPONG_CAS, /* a: line (32-bit word), n: trips, m: value awaited, x: value put in its place */
    /* a: word awaited, b: word stored, n: trips, m: value awaited first (0 or 1, then the opposite in turn),
     * x: 0 stores the value that came, 1 its opposite */
    OPERATION_PINGPONG_WORDS,
    OPERATION_CHASE_RMW, /* as latency, each access a locked read-modify-write that changes nothing */

    /* Store-to-load forwarding, for `stlf`: sleds of n pairs of a store and a load that form one dependent
     * chain. a: where to store, b: where to load, any alignment; m: passes, at least 1; y: the value of the
     * first store (zero-extended); returns the value of the last load, as the next store would store it (its
     * low 64 bits). */
    OPERATION_FORWARD_FA,        /* fast address: the data is late, both addresses early */
    OPERATION_FORWARD_SPLIT,     /* two stores of half the width each */
    OPERATION_FORWARD_PAIR,      /* two general registers each way */
    OPERATION_FORWARD_SAME_BASE, /* b is ignored: a serves both */
    OPERATION_FORWARD_DISPLACED, /* the same with the load `gap` bytes above a */
    OPERATION_FORWARD_ADD,       /* x is added to the value loaded */
    OPERATION_FORWARD_SLACK,     /* the value loaded is multiplied by x, `gap` times */
    OPERATION_FORWARD_MORE, /* fast address with `gap` loads of 4 bytes at the address x, for which nothing waits */
    OPERATION_FORWARD_FD_POINTER, /* fast data: the store's address waits for the load; b and y are ignored: a itself is stored at a
                                     and loaded again; returns a */
    OPERATION_FORWARD_FD_POINTER_APART, /* the same; pair i of units works at a + 8 i */
    /* The load's address waits for the load before and `gap` multiplications; y is stored, returns 0. */
    OPERATION_FORWARD_LA,
    OPERATION_COUNT
};

/* Square roots, divisions, and multiplications of numbers with a fraction; multiplications of whole
 * numbers. */
enum store_chain { CHAIN_ROOTS, CHAIN_QUOTIENTS, CHAIN_PRODUCTS, CHAIN_WHOLE_PRODUCTS, CHAIN_KINDS };

enum {
    STORE_BURST_CHAIN_MAX = 64,
    STORE_BURST_NOPS_MAX = 8192,
    STORE_BURST_ADDRESSES = 4,
    STORE_APART_BYTES = 64
};

/* The first store's address waits for the roots, so that its line is asked for late; a full fence before
 * the load. */
enum store_load_trial { TRIAL_LATE = 1, TRIAL_FENCED = 2 };

enum { WINDOW_LINKS_MOST = 16, MISSES_MOST = 512, MISSES_BYTES = 4 << 20, COST_BYTES = 640 };

enum { FORWARD_POINTER_BYTES = 8 };

/* A multiplier of full period with good high bits (Steele and Vigna, 2022). */
#define KERNEL_THROUGHPUT_UNIT 512
#define KERNEL_DRAW UINT64_C(0xd1342543de82ef95)

enum method { METHOD_SCALAR, METHOD_VECTOR, METHOD_LIBC, METHOD_REP };
enum access_mode { ACCESS_NONE, ACCESS_ALIGNED, ACCESS_UNALIGNED, ACCESS_STREAMING };

typedef uint64_t kernel_entry(void *a, const void *b, uint64_t n, uint64_t m, uint64_t x, uint64_t y);

/* A sled is a run of `units` equal code units ending at `end`; the entry jumps to end - N * unit_bytes, so
 * that N units are executed. All zero where the kernel is none. */
struct sled {
    const unsigned char *begin, *end;
    unsigned units;
};

struct kernel {
    const char *name; /* "copy_avx512_aligned_streaming" */
    enum operation operation;
    enum method method;
    feature_set needs;
    unsigned bits; /* of one element; 0 for library calls; SVE: set at run time by kernel_bits() */
    enum access_mode load, store;
    bool strict;        /* a misaligned address faults, on each side whose mode is not UNALIGNED */
    bool by_name;       /* joins only runs that name it (--kernel) or ask for its width */
    unsigned load_bits; /* forwarding: `bits` is the width of the store, this of the load */
    unsigned gap;       /* forwarding: instructions within or bytes between the pairs, see above */
    kernel_entry *entry;
    struct sled sled;
};

/* All kernels of this ISA, usable or not, in the order of kernels.def. */
extern const struct kernel kernels[];
extern const size_t kernel_count;

extern const char *const operation_names[]; /* index: enum operation; NULL-terminated */
extern const char *const method_names[];
extern const char *const access_names[]; /* "none", "aligned", "unaligned", "streaming" */

/* Element size in bits; asks the CPU where the vector length is not fixed (SVE). */
unsigned kernel_bits(const struct kernel *kernel);

/* The kernels that --isa and --kernel leave of those that the CPU can run. */
struct kernel_filter {
    feature_set allowed; /* usable features, capped by --isa */
    const char *name;    /* --kernel: a name or a shell pattern; NULL: any */
};

/* isa: a name from isa_levels, or NULL for no cap. Faults: an unknown level, or one that cannot run here
 * (STATUS_UNSUPPORTED, with the levels that can); a kernel name that matches nothing (STATUS_USAGE) or
 * nothing that can run here (STATUS_UNSUPPORTED, with the features missing). */
enum status kernel_filter_init(struct kernel_filter *filter, feature_set usable, const char *isa,
                               const char *name, struct fault *fault);
bool kernel_passes(const struct kernel_filter *filter, const struct kernel *kernel);
/* The first kernel of an operation that passes, NULL if none does: rows are listed from narrow to wide, so
 * ask with kernel_next from NULL to go through all of them. */
const struct kernel *kernel_next(const struct kernel_filter *filter, enum operation operation,
                                 const struct kernel *after);

static inline uint64_t kernel_call(const struct kernel *kernel, void *a, const void *b, uint64_t n,
                                   uint64_t m)
{
    return kernel->entry(a, b, n, m, 0, 0);
}
