/* SPDX-License-Identifier: MIT */
/* The table of kernels, made from the rows of this ISA's kernels.def, and how to ask it. */
#include "uarchprobe/kernel.h"

#include <sys/prctl.h>

#if defined(__x86_64__)
#define KERNEL_ROWS "x86_64/kernels.def"
#elif defined(__aarch64__)
#define KERNEL_ROWS "aarch64/kernels.def"
#endif

#define BIT(feature) FEATURE_BIT(feature)

/* Families of `ram`. row: KERNEL or STRICT; stream: the feature that a streaming load needs. */
#define SCALAR_WIDTHS(task, op)                                                                              \
    BY_NAME(task##_scalar8, op, SCALAR, 0, 8, NONE, NONE)                                                    \
    BY_NAME(task##_scalar16, op, SCALAR, 0, 16, NONE, NONE)                                                  \
    BY_NAME(task##_scalar32, op, SCALAR, 0, 32, NONE, NONE)                                                  \
    KERNEL(task##_scalar64, op, SCALAR, 0, 64, NONE, NONE)
#define SCALARS                                                                                              \
    SCALAR_WIDTHS(copy, COPY)                                                                                \
    SCALAR_WIDTHS(write, WRITE)                                                                              \
    SCALAR_WIDTHS(compare, COMPARE) SCALAR_WIDTHS(agg_or, AGG_OR) SCALAR_WIDTHS(read, READ)
#define LOADS(row, name, op, need, stream, width)                                                            \
    row(name##_aligned, op, VECTOR, need, width, ALIGNED, NONE)                                              \
        row(name##_unaligned, op, VECTOR, need, width, UNALIGNED, NONE)                                      \
            row(name##_streaming, op, VECTOR, stream, width, STREAMING, NONE)
#define STORES(row, name, op, need, width, in)                                                               \
    MIX(row, name, op, need, width, in) row(name##_unaligned, op, VECTOR, need, width, in, UNALIGNED)
#define MIX(row, name, op, need, width, in)                                                                  \
    row(name##_aligned, op, VECTOR, need, width, in, ALIGNED)                                                \
        row(name##_streaming, op, VECTOR, need, width, in, STREAMING)
#define VECTORS(row, isa, need, stream, width)                                                               \
    STORES(row, copy_##isa##_aligned, COPY, need, width, ALIGNED)                                            \
    STORES(row, copy_##isa##_unaligned, COPY, need, width, UNALIGNED)                                        \
    STORES(row, copy_##isa##_streaming, COPY, stream, width, STREAMING)                                      \
    STORES(row, write_##isa, WRITE, need, width, NONE)                                                       \
    LOADS(row, compare_##isa, COMPARE, need, stream, width)                                                  \
    LOADS(row, agg_or_##isa, AGG_OR, need, stream, width)                                                    \
    LOADS(row, read_##isa, READ, need, stream, width)                                                        \
    row(mix_update_##isa##_aligned, UPDATE, VECTOR, need, width, ALIGNED, ALIGNED)                           \
        MIX(row, mix_scale_##isa, SCALE, need, width, ALIGNED)                                               \
            MIX(row, mix_add_##isa, ADD, need, width, ALIGNED)                                               \
                MIX(row, mix_triad_##isa, TRIAD, need, width, ALIGNED)
/* Of `stlf`: stores of one width, loads of each. */
#define LOADED_BY_ALL(name, op, put)                                                                         \
    FORWARD(name##_1, op, SCALAR, 0, put, 8, 0, 64)                                                          \
    FORWARD(name##_2, op, SCALAR, 0, put, 16, 0, 64)                                                         \
    FORWARD(name##_4, op, SCALAR, 0, put, 32, 0, 64)                                                         \
    FORWARD(name##_8, op, SCALAR, 0, put, 64, 0, 64)

#define KERNEL(id, op, how, need, width, in, out) extern kernel_entry id;
#define STRICT KERNEL
#define BY_NAME KERNEL
#define SLED(id, op, how, need, width, in, out, count)                                                       \
    extern kernel_entry id;                                                                                  \
    extern const unsigned char id##_begin[], id##_end[];
#define FORWARD(id, op, how, need, put, get, apart, count) SLED(id, op, how, need, put, NONE, NONE, count)
#include KERNEL_ROWS
#undef KERNEL
#undef STRICT
#undef BY_NAME
#undef SLED
#undef FORWARD

#define FACTS(id, op, how, need, width, in, out)                                                             \
    .name = #id, .operation = OPERATION_##op, .method = METHOD_##how, .needs = (need), .bits = (width),      \
    .load = ACCESS_##in, .store = ACCESS_##out, .entry = (id)
#define KERNEL(id, op, how, need, width, in, out) {FACTS(id, op, how, need, width, in, out)},
#define STRICT(id, op, how, need, width, in, out) {FACTS(id, op, how, need, width, in, out), .strict = true},
#define BY_NAME(id, op, how, need, width, in, out)                                                           \
    {FACTS(id, op, how, need, width, in, out), .by_name = true},
#define SLED(id, op, how, need, width, in, out, count)                                                       \
    {FACTS(id, op, how, need, width, in, out), .sled = {id##_begin, id##_end, (count)}},
#define FORWARD(id, op, how, need, put, get, apart, count)                                                   \
    {FACTS(id, op, how, need, put, NONE, NONE), .load_bits = (get), .gap = (apart),                          \
     .sled = {id##_begin, id##_end, (count)}},

const struct kernel kernels[] = {
#include KERNEL_ROWS
};
const size_t kernel_count = sizeof kernels / sizeof kernels[0];

const char *const operation_names[] = {
    [OPERATION_COPY] = "copy",
    [OPERATION_WRITE] = "write",
    [OPERATION_COMPARE] = "compare",
    [OPERATION_AGG_OR] = "agg_or",
    [OPERATION_READ] = "read",
    [OPERATION_UPDATE] = "mix_update",
    [OPERATION_SCALE] = "mix_scale",
    [OPERATION_ADD] = "mix_add",
    [OPERATION_TRIAD] = "mix_triad",
    [OPERATION_ZERO] = "store_zero",
    [OPERATION_LATENCY] = "latency",
    [OPERATION_DRAW] = "draw",
    [OPERATION_CHAIN_ADD] = "chain_add",
    [OPERATION_CHAIN_MUL] = "chain_mul",
    [OPERATION_THROUGHPUT_INTEGER] = "throughput_integer",
    [OPERATION_THROUGHPUT_LOAD] = "throughput_load",
    [OPERATION_STORE_BURST] = "store_burst",
    [OPERATION_STORE_LOAD] = "store_load",
    [OPERATION_STORE_LOAD_APART] = "store_load_apart",
    [OPERATION_WINDOW] = "window",
    [OPERATION_CALL_DEPTH] = "call_depth",
    [OPERATION_BRANCH] = "branch",
    [OPERATION_MISSES] = "misses",
    [OPERATION_MISSES_FLUSH] = "misses_flush",
    [OPERATION_COST] = "cost",
    [OPERATION_PINGPONG_CAS] = "pingpong_cas",
    [OPERATION_PINGPONG_WORDS] = "pingpong_words",
    [OPERATION_CHASE_RMW] = "chase_rmw",
    [OPERATION_FORWARD_FA] = "forward_fa",
    [OPERATION_FORWARD_SPLIT] = "forward_split",
    [OPERATION_FORWARD_PAIR] = "forward_pair",
    [OPERATION_FORWARD_SAME_BASE] = "forward_same_base",
    [OPERATION_FORWARD_DISPLACED] = "forward_displaced",
    [OPERATION_FORWARD_ADD] = "forward_add",
    [OPERATION_FORWARD_SLACK] = "forward_slack",
    [OPERATION_FORWARD_MORE] = "forward_more",
    [OPERATION_FORWARD_FD_POINTER] = "forward_fd_pointer",
    [OPERATION_FORWARD_FD_POINTER_APART] = "forward_fd_pointer_apart",
    [OPERATION_FORWARD_LA] = "forward_la",
    [OPERATION_COUNT] = NULL,
};
const char *const method_names[] = {
    [METHOD_SCALAR] = "scalar", [METHOD_VECTOR] = "vector", [METHOD_LIBC] = "libc",
    [METHOD_REP] = "rep",       [METHOD_REP + 1] = NULL,
};
const char *const access_names[] = {
    [ACCESS_NONE] = "none",           [ACCESS_ALIGNED] = "aligned",  [ACCESS_UNALIGNED] = "unaligned",
    [ACCESS_STREAMING] = "streaming", [ACCESS_STREAMING + 1] = NULL,
};

/* The kernel knows the vector length of this thread, and asking it cannot raise SIGILL. */
static unsigned sve_bits(void)
{
    int answer = prctl(PR_SVE_GET_VL, 0, 0, 0, 0);
    return answer < 0 ? 0 : (unsigned)(answer & PR_SVE_VL_LEN_MASK) * 8;
}

unsigned kernel_bits(const struct kernel *kernel)
{
    return kernel->needs & FEATURE_BIT(SVE) ? sve_bits() : kernel->bits;
}
