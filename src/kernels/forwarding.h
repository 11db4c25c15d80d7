/* SPDX-License-Identifier: MIT */
/* clang-format off */
/* The shape that all store-to-load kernels have on both ISAs; pairs, and FORWARD_BEGIN and FORWARD_END around
 * the loop, are in forwarding.S and forwarding_vector.S.
 *
 *   FORWARD name, units, bytes, body    a kernel: m passes of n pairs, each pair one `body` of `bytes` bytes
 *
 * The entry to a sled is an indirect jump, which a pass of a few pairs would feel (2.0 cycles a pair instead of
 * 1.6 on Zen 5): up to four pairs are written out as loops of their own. A body that counts its pairs in the
 * assembler's symbol `pair`, from 0 or as PAIR_FROM sets it, gets the same numbers either way: the last
 * pair of every pass is number units - 1. */
#pragma once

#include "asm.h"

#if defined(__x86_64__)
#define PAIRS rdx
#define TARGET r11
    .macro BRANCH_UNLESS_PAIRS pairs, label
    cmp rdx, \pairs
    jne \label
    .endm
    .macro BRANCH label
    jmp \label
    .endm
    .macro NEXT_PASS label
    dec rcx
    jnz \label
    .endm
#elif defined(__aarch64__)
#define PAIRS x2
#define TARGET x8
    .macro BRANCH_UNLESS_PAIRS pairs, label
    cmp x2, #\pairs
    b.ne \label
    .endm
    .macro BRANCH label
    b \label
    .endm
    .macro NEXT_PASS label
    subs x3, x3, #1
    b.ne \label
    .endm
#endif

    .macro SHORT_PASSES units, bytes, body:vararg
    .irp pairs, 1, 2, 3, 4
    BRANCH_UNLESS_PAIRS \pairs, 702f
    .p2align 6
701:
    .set pair, \units - \pairs
    .rept \pairs
    \body
    .set pair, pair + 1
    .endr
    NEXT_PASS 701b
    BRANCH 709f
702:
    .endr
    .endm

    .macro FORWARD name, units, bytes, body:vararg
FUNCTION \name
    FORWARD_BEGIN
    SHORT_PASSES \units, \bytes, \body
    SLED_TARGET \name, PAIRS, \bytes, TARGET
    .p2align 6
703:
    SLED_GO TARGET
    .set pair, 0
    SLED \name, \units, \bytes, FORWARD_UNIT \body
    NEXT_PASS 703b
709:
    FORWARD_END
ENDFUNC \name
    .endm

    .macro FORWARD_UNIT body:vararg
    \body
    .set pair, pair + 1
    .endm
