/* SPDX-License-Identifier: MIT */
/* The shape that all store-to-load kernels have on both ISAs; the instructions are in forwarding.S.
 *
 *   FORWARD name, units, bytes, body    a kernel: m passes of n pairs, each pair one `body` of `bytes` bytes
 *
 * The entry to a sled is an indirect jump, which a pass of a few pairs would feel (2.0 cycles a pair instead of
 * 1.6 on Zen 5): up to four pairs are written out as loops of their own. A body that counts its pairs in the
 * assembler's symbol `pair`, from 0 or from what PAIR_FROM sets, gets the same numbers either way: the last
 * pair of every pass is number units - 1. */
#ifndef UARCHPROBE_FORWARDING_H
#define UARCHPROBE_FORWARDING_H

#include "asm.h"

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

#endif
