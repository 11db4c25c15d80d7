/* SPDX-License-Identifier: MIT */
/* Calls a kernel with every register that it must preserve set to a known value, and returns those that it lost. */
#pragma once

#include <stdint.h>

#include "uarchprobe/kernel.h"

/* call_<isa>.S knows the offsets. */
struct checked_call {
    kernel_entry *entry;
    uint64_t argument[6];
    uint64_t result;
    uint64_t lost;                /* bit set over checked_registers */
    uint64_t wide;                /* x86: 1 where the upper halves of ymm0-15 can be read */
    unsigned char vector[16][32]; /* x86: ymm0-15 after the call, when wide */
};

void checked_call(struct checked_call *call);

#if defined(__x86_64__)
#define CHECKED_REGISTERS "rbx", "rbp", "r12", "r13", "r14", "r15", "the direction flag"
#elif defined(__aarch64__)
#define CHECKED_REGISTERS                                                                                    \
    "x19", "x20", "x21", "x22", "x23", "x24", "x25", "x26", "x27", "x28", "d8", "d9", "d10", "d11", "d12",   \
        "d13", "d14", "d15", "x18"
#endif
