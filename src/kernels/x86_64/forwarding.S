/* SPDX-License-Identifier: MIT */
/* Store-to-load forwarding: pairs of a store and a load that form one dependent chain.
 *
 * Entry: rdi = a (store), rsi = b (load), rdx = n (pairs a pass), rcx = m (passes), r8 = x, r9 = y.
 * rax carries the chain. r10 = 0, not known to be so by the CPU: `and` with it makes a chain through the address
 * whose value is always 0. Loads narrower than 32 bits zero-extend: a write to a part of a register would add a
 * dependency of its own. */
#include "../forwarding.h"

    .macro FORWARD_BEGIN
    mov rax, r9
    .endm
    .macro FORWARD_END
    ret
    .endm

    /* st_bytes, ld_bytes: length of an ST and an LD. load: into as much of rax as it sets. */
    .macro WIDTH width, of_rax, st_bytes, ld_bytes, load
    .set BYTES_ST\width, \st_bytes
    .set BYTES_LD\width, \ld_bytes
    .macro ST\width at
    mov [\at], \of_rax
    .endm
    .macro LD\width at
    \load [\at]
    .endm
    .endm
    WIDTH 8, rax, 3, 3, "mov rax,"
    WIDTH 4, eax, 2, 2, "mov eax,"
    WIDTH 2, ax, 3, 3, "movzx eax, word ptr"
    WIDTH 1, al, 2, 3, "movzx eax, byte ptr"

    /* The article's fast address: the data is late, both addresses are known long before. */
    .macro FA st, ld
    ST\st rdi
    LD\ld rsi
    .endm
    /* Both through the same base register, so that the text shows the CPU that the addresses agree. */
    .macro SAME_BASE st, ld
    ST\st rdi
    LD\ld rdi
    .endm
    /* The same with a load that begins `bytes` above the store: a CPU that goes by the text may take it for a copy of the stored
     * value. */
    .macro DISPLACED bytes
    mov [rdi], rax
    mov eax, [rdi + \bytes]
    .endm
    /* With an addition in the chain: with 0 every store writes the value that is there already, with 1 another. */
    .macro ADDED
    ST8 rdi
    LD4 rsi
    add rax, r8
    .endm
    /* With multiplications in the chain: the forward then shows as a whole number of cycles, as the chain cannot fall out of step
     * with the load's own rhythm. */
    .macro SLACK slack, st, ld
    ST\st rdi
    LD\ld rsi
    .rept \slack
    imul rax, r8
    .endr
    .endm
    /* With loads that nothing waits for */
    .macro MORE loads, st, ld
    ST\st rdi
    LD\ld rsi
    .rept \loads
    mov r10d, [r8]
    .endr
    .endm
    /* All of the store is known early, and the load's address waits for the load before. */
    .macro LA
    {disp32} mov [rdi], r9
    {disp32} mov eax, [rsi + rax]
    and rax, r10
    .endm
    /* The same with multiplications in place of the mask */
    .macro LA_SLACK slack
    mov [rdi], r9
    movzx eax, byte ptr [rsi + rax]
    .rept \slack
    imul rax, r10
    .endr
    .endm
    /* The article's fast data, with one address and with one for each pair: the pointer is stored and loaded. */
    .macro FD_POINTER
    mov [rax], rdi
    mov rax, [rdi]
    .endm
    .macro FD_POINTER_APART
    {disp32} mov [rax + 8 * pair], rdi
    {disp32} mov rax, [rdi + 8 * pair]
    .endm

    .irp st, 8, 4, 2, 1
    .irp ld, 8, 4, 2, 1
FORWARD forward_fa_\st\()_\ld, 64, (BYTES_ST\st+BYTES_LD\ld), FA \st, \ld
    .endr
    .endr

FORWARD forward_same_base_8_8, 64, 6, SAME_BASE 8, 8
FORWARD forward_same_base_8_4, 64, 5, SAME_BASE 8, 4
FORWARD forward_same_base_8_2, 64, 6, SAME_BASE 8, 2
FORWARD forward_same_base_8_1, 64, 6, SAME_BASE 8, 1
FORWARD forward_same_base_4_4, 64, 4, SAME_BASE 4, 4
FORWARD forward_same_base_2_2, 64, 6, SAME_BASE 2, 2
FORWARD forward_same_base_1_1, 64, 5, SAME_BASE 1, 1

    .irp bytes, 1, 2, 4, 6
FORWARD forward_displaced_\bytes, 64, 6, DISPLACED \bytes
    .endr

FORWARD forward_add_8_4, 64, 8, ADDED

    .irp slack, 1, 2, 3
FORWARD forward_slack_\slack\()_8_1, 64, (BYTES_ST8+BYTES_LD1+4*\slack), SLACK \slack, 8, 1
FORWARD forward_slack_\slack\()_8_4, 64, (BYTES_ST8+BYTES_LD4+4*\slack), SLACK \slack, 8, 4
    .endr

    .irp loads, 0, 4, 8, 16
FORWARD forward_more_\loads\()_8_4, 64, (BYTES_ST8+BYTES_LD4+3*\loads), MORE \loads, 8, 4
    .endr

    /* In these rax is an offset, 0. */
    .purgem FORWARD_BEGIN
    .macro FORWARD_BEGIN
    xor eax, eax
    xor r10d, r10d
    .endm

FORWARD forward_la_8_4, 64, 17, LA
    .irp slack, 1, 2
FORWARD forward_la_slack_\slack\()_8_1, 64, (7+4*\slack), LA_SLACK \slack
    .endr

    /* In these rax is the pointer, and y is ignored. */
    .purgem FORWARD_BEGIN
    .macro FORWARD_BEGIN
    mov rax, rdi
    .endm

FORWARD forward_fd_pointer, 64, 6, FD_POINTER
FORWARD forward_fd_pointer_apart, 64, 14, FD_POINTER_APART
