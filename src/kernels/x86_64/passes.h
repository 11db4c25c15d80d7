/* SPDX-License-Identifier: MIT */
/* The loops around the kernels of ram.S and ram_scalar.S.
 *
 * Both run `element` over n = rdx bytes, rcx times: eight elements a step, then what is left one by one. They
 * are inside the kernels because a call per pass would cost a 4 KiB buffer tens of percent. The head of a
 * pass stands below the loop, so that the loop can be aligned without padding on the path of every pass.
 * rcx, rdx and r9 are theirs. */
#ifndef UARCHPROBE_PASSES_H
#define UARCHPROBE_PASSES_H

    /* element i, bytes, ...: works on [rdi + i * bytes]; takes r8 as well. `last` is the same for one
     * element alone. Pointers and not an index: with one, Intel splits a load fused with an operation in two,
     * and two streams of loads lose 2 % in L1. */
    .macro PASSES_OVER_ONE element, last, bytes, arguments:vararg
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
    add rdi, 8 * \bytes
    cmp rdi, r9
    jb 2b
3:
    cmp rdi, rdx
    jae 5f
4:
    \last 0, \bytes, \arguments
    add rdi, \bytes
    cmp rdi, rdx
    jb 4b
5:
    dec rcx
    jz 9f
1:
    mov rdi, r8
    cmp rdi, r9
    jb 2b
    jmp 3b
9:
    .endm

    /* element i, bytes, ...: works on [rdi + i * bytes] and [rsi + i * bytes]; takes r8 as well. */
    .macro PASSES_OVER_TWO element, bytes, arguments:vararg
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
    add rdi, 8 * \bytes
    add rsi, 8 * \bytes
    cmp rdi, r9
    jb 2b
3:
    cmp rdi, rdx
    jae 5f
4:
    \element 0, \bytes, \arguments
    add rdi, \bytes
    add rsi, \bytes
    cmp rdi, rdx
    jb 4b
5:
    dec rcx
    jz 9f
1:
    sub rdi, r8 /* as far as both have come */
    sub rsi, rdi
    mov rdi, r8
    cmp rdi, r9
    jb 2b
    jmp 3b
9:
    .endm

#endif
