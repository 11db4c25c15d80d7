/* SPDX-License-Identifier: MIT */
/* Loops of other tools for tests/peers/loops: a shared library with the symbol `peer_loops`, an array that a row without a
 * name ends. */
#pragma once

#include <stdint.h>

struct peer_loop {
    const char *peer, *name;
    const char *task; /* "read", "write", "copy", "latency" */
    /* As our kernels (include/uarchprobe/kernel.h): copy: to a from b, n bytes, a multiple of 512, m times; write: to a; read:
     * of a; all buffers aligned to 512 bytes. latency: n loads, a multiple of 200, from the node a; returns the last pointer. */
    uint64_t (*entry)(void *a, const void *b, uint64_t n, uint64_t m, uint64_t x, uint64_t y);
};
