/* SPDX-License-Identifier: MIT */
/* Bursts of accesses to lines that no prefetcher foresees, so that as many wait at once as the core allows.
 *
 * misses_*: rdi = a, addresses; rdx = n lines; rcx = m bursts; r8 = x roots. See OPERATION_MISSES in
 * kernel.h. A line costs one instruction and at most one register, so that nothing else of the core runs out before. */
#include "../asm.h"

    .set LINES, 512

    /* To the next line: its pages are those of no other line, and any 64 lines in a row have different
     * places in them, hence sets of L1: a second line of a set waits for the first in some cores. */
    .macro ACCESS instruction:vararg
    .set pages, (5 * pages + 3) % LINES
    .set unit, unit - 1
    \instruction [rsi + 8192 * pages + (29 * unit % 64) * 64]
    .endm

    /* Begins when the roots are known, after all lines before it, and is followed by one that waits for it: longer than the
     * slowest of these. */
    .macro LAST_LOADED
    mov rdx, [rsi + r10]
    mov edx, [rsi + rdx + 4096]
    .endm

    .macro LAST_FLUSHED
    clflush [rsi]
    clflush [rsi + 4096]
    mfence
    .endm

    .macro MISSES name, bytes, last, body:vararg
FUNCTION \name
    test rcx, rcx
    jz 9f
    mov r9, 0x4000000000000000 /* 2.0 */
    movq xmm1, r9
    xor r10d, r10d
    xor r11d, r11d
    dec rdx
    SLED_TARGET \name, rdx, \bytes, rax
    .p2align 6
2:
    mov rsi, [rdi]
    add rdi, 8
    test r8, r8
    jz 3f
    lfence
    movapd xmm0, xmm1
    mov r9, r8
4:
    sqrtsd xmm0, xmm0
    dec r9
    jnz 4b
    movq r10, xmm0
    and r10, r11
3:
    SLED_GO rax
    .set pages, 0
    .set unit, LINES
    SLED \name, 511, \bytes, \body
    \last
    dec rcx
    jnz 2b
    lfence
9:
    xor eax, eax
    ret
ENDFUNC \name
    .endm

    MISSES misses_load, 6, LAST_LOADED, ACCESS mov edx,
    MISSES misses_prefetch, 7, LAST_LOADED, ACCESS prefetcht0
    MISSES misses_prefetch_far, 7, LAST_LOADED, ACCESS prefetcht1
    MISSES misses_flush, 7, LAST_FLUSHED, ACCESS clflush
