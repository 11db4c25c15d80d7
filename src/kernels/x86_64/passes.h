/* SPDX-License-Identifier: MIT */
/* clang-format off */
/* The loop around the kernels of ram.S and ram_scalar.S.
 *
 * It runs `element` over n = rdx bytes, rcx times: eight elements a step, then the rest one by one, with `last`. It is
 * inside the kernels because a call per pass would cost a 4 KiB buffer tens of percent. The head of a pass stands below
 * the loop, so that the loop can be aligned without padding on the path of every pass. rcx, rdx, r8 and r9 are its own. */
#pragma once

    /* buffers: 1 to 3; element i, bytes, ...: works on [rdi + i * bytes], and [rsi + i * bytes] and [rax + i * bytes] where there are more.
     * Pointers and not an index: with one, Intel splits a load fused with an operation in two, and two streams of
     * loads lose 2 % in L1. */
    .macro PASSES buffers, element, last, bytes, arguments:vararg
    test rcx, rcx
    jz 9f
    mov r8, rdi
    mov r9, rdx
    and r9, -8 * \bytes
    add r9, rdi
    add rdx, rdi
    jmp 1f
    .p2align 6
2:
    .irp i, 0, 1, 2, 3, 4, 5, 6, 7
    \element \i, \bytes, \arguments
    .endr
    ADVANCE \buffers, 8 * \bytes
    LOOP_BELOW r9, 2b
3:
    cmp rdi, rdx
    jae 5f
    .p2align 5
4:
    \last 0, \bytes, \arguments
    ADVANCE \buffers, \bytes
    LOOP_BELOW rdx, 4b
    .p2align 5
5:
    dec rcx
    jz 9f
1:
    .if \buffers > 1
    sub rdi, r8 /* as far as all have come */
    sub rsi, rdi
    .endif
    .if \buffers > 2
    sub rax, rdi
    .endif
    mov rdi, r8
    cmp rdi, r9
    jb 2b
    jmp 3b
9:
    .endm

    .macro ADVANCE buffers, bytes:vararg
    add rdi, \bytes
    .if \buffers > 1
    add rsi, \bytes
    .endif
    .if \buffers > 2
    add rax, \bytes
    .endif
    .endm

    /* Back to `head`, which is aligned to 32 bytes, while rdi is below end. Where the comparison and the jump together
     * would cross or end on 32 bytes, they are moved behind: cores from Skylake to Cascade Lake do not keep such a jump
     * in their cache of decoded instructions. */
    .macro LOOP_BELOW end, head
    .set loop_end, 5 /* bytes of both */
    .if . - \head > 128 - 5
    .set loop_end, 9
    .endif
    .if (. - \head) % 32 + loop_end >= 32
    .p2align 5
    .endif
    cmp rdi, \end
    jb \head
    .endm
