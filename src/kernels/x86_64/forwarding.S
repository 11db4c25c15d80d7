/* SPDX-License-Identifier: MIT */
/* Store-to-load forwarding: pairs of a store and a load that form one dependent chain.
 *
 * Entry: rdi = a (store), rsi = b (load), rdx = n (pairs a pass), rcx = m (passes), r8 = x, r9 = y.
 * rax carries the chain. r10 = 0, not known to be so by the CPU: `and` with it makes a chain through the address
 * whose value is always 0. Loads narrower than 32 bits zero-extend: a write to a part of a register would add a
 * dependency of its own. */
#define PAIRS rdx
#define TARGET r11
#include "../forwarding.h"

    .macro FORWARD_BEGIN
    mov rax, r9
    .endm
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
    .macro FORWARD_END
    ret
    .endm

    .macro ST8 at
    mov [\at], rax
    .endm
    .macro ST4 at
    mov [\at], eax
    .endm
    .macro ST2 at
    mov [\at], ax
    .endm
    .macro ST1 at
    mov [\at], al
    .endm
    .macro LD8 at
    mov rax, [\at]
    .endm
    .macro LD4 at
    mov eax, [\at]
    .endm
    .macro LD2 at
    movzx eax, word ptr [\at]
    .endm
    .macro LD1 at
    movzx eax, byte ptr [\at]
    .endm
    /* The data of the chains through the address */
    .macro PUT8 at:vararg
    {disp32} mov [\at], r9
    .endm
    .macro PUT4 at:vararg
    {disp32} mov [\at], r9d
    .endm
    .macro PUT2 at:vararg
    {disp32} mov [\at], r9w
    .endm
    .macro PUT1 at:vararg
    {disp32} mov [\at], r9b
    .endm
    .macro GET8 at:vararg
    {disp32} mov rax, [\at]
    .endm
    .macro GET4 at:vararg
    {disp32} mov eax, [\at]
    .endm
    .macro GET2 at:vararg
    {disp32} movzx eax, word ptr [\at]
    .endm
    .macro GET1 at:vararg
    {disp32} movzx eax, byte ptr [\at]
    .endm

    /* The article's fast address: the data is late, both addresses are known long before. */
    .macro FA st, ld
    ST\st rdi
    LD\ld rsi
    .endm
    /* Both through the same base register, so that the CPU can tell from the text that the addresses agree. */
    .macro SAME_BASE st, ld
    ST\st rdi
    LD\ld rdi
    .endm
    /* With an addition in the chain: of 0 every store writes what is there already, of 1 something new. */
    .macro ADDED st, ld
    ST\st rdi
    LD\ld rsi
    add rax, r8
    .endm
    /* Fast data at any pair of addresses: the store's address waits for the load. */
    .macro FD st, ld
    PUT\st rdi + rax
    GET\ld rsi
    and rax, r10
    .endm
    /* The same with addresses of its own for each pair, 128 bytes apart */
    .macro FD_APART st, ld
    PUT\st rdi + rax + 128 * pair
    GET\ld rsi + 128 * pair
    and rax, r10
    .endm
    /* The article's own chains: what is stored and loaded is the pointer. */
    .macro FD_POINTER
    mov [rax], rdi
    mov rax, [rdi]
    .endm
    .macro FD_POINTER_APART
    {disp32} mov [rax + 8 * pair], rdi
    {disp32} mov rax, [rdi + 8 * pair]
    .endm

    .macro DISTANT gap
    mov [rdi], rax
    .rept \gap
    lea r10, [r9 + r9]
    .endr
    mov eax, [rsi]
    .endm
    /* `bytes` of no-operations, in units of 8, 4 and the rest */
    .macro PADDING bytes
    .if \bytes >= 8
    .byte 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0
    PADDING (\bytes-8)
    .elseif \bytes >= 4
    .byte 0x0f, 0x1f, 0x40, 0
    PADDING (\bytes-4)
    .elseif \bytes == 3
    .byte 0x0f, 0x1f, 0
    .elseif \bytes == 2
    .byte 0x66, 0x90
    .elseif \bytes == 1
    nop
    .endif
    .endm
    .macro SPACED pad
    mov [rdi], rax
    mov eax, [rsi]
    PADDING \pad
    .endm

FORWARD forward_fa_8_8, 64, 6, FA 8, 8
FORWARD forward_fa_8_4, 64, 5, FA 8, 4
FORWARD forward_fa_8_2, 64, 6, FA 8, 2
FORWARD forward_fa_8_1, 64, 6, FA 8, 1
FORWARD forward_fa_4_8, 64, 5, FA 4, 8
FORWARD forward_fa_4_4, 64, 4, FA 4, 4
FORWARD forward_fa_4_2, 64, 5, FA 4, 2
FORWARD forward_fa_4_1, 64, 5, FA 4, 1
FORWARD forward_fa_2_8, 64, 6, FA 2, 8
FORWARD forward_fa_2_4, 64, 5, FA 2, 4
FORWARD forward_fa_2_2, 64, 6, FA 2, 2
FORWARD forward_fa_2_1, 64, 6, FA 2, 1
FORWARD forward_fa_1_8, 64, 5, FA 1, 8
FORWARD forward_fa_1_4, 64, 4, FA 1, 4
FORWARD forward_fa_1_2, 64, 5, FA 1, 2
FORWARD forward_fa_1_1, 64, 5, FA 1, 1

FORWARD forward_same_base_8_8, 64, 6, SAME_BASE 8, 8
FORWARD forward_same_base_8_4, 64, 5, SAME_BASE 8, 4
FORWARD forward_same_base_8_2, 64, 6, SAME_BASE 8, 2
FORWARD forward_same_base_8_1, 64, 6, SAME_BASE 8, 1
FORWARD forward_same_base_4_4, 64, 4, SAME_BASE 4, 4
FORWARD forward_same_base_2_2, 64, 6, SAME_BASE 2, 2
FORWARD forward_same_base_1_1, 64, 5, SAME_BASE 1, 1

FORWARD forward_add_8_8, 64, 9, ADDED 8, 8
FORWARD forward_add_8_4, 64, 8, ADDED 8, 4

    /* In these rax is an offset, 0. */
    .purgem FORWARD_BEGIN
    .macro FORWARD_BEGIN
    xor eax, eax
    xor r10d, r10d
    .endm

FORWARD forward_fd_8_8, 64, 18, FD 8, 8
FORWARD forward_fd_8_4, 64, 17, FD 8, 4
FORWARD forward_fd_4_4, 64, 17, FD 4, 4
FORWARD forward_fd_2_2, 64, 19, FD 2, 2
FORWARD forward_fd_1_1, 64, 18, FD 1, 1

FORWARD forward_fd_apart_8_8, 64, 18, FD_APART 8, 8
FORWARD forward_fd_apart_8_4, 64, 17, FD_APART 8, 4
FORWARD forward_fd_apart_4_4, 64, 17, FD_APART 4, 4

    /* In these rax is the pointer, and y is ignored. */
    .purgem FORWARD_BEGIN
    .macro FORWARD_BEGIN
    mov rax, rdi
    .endm

FORWARD forward_fd_pointer, 64, 6, FD_POINTER
FORWARD forward_fd_pointer_apart, 64, 14, FD_POINTER_APART

    .purgem FORWARD_BEGIN
    .macro FORWARD_BEGIN
    mov rax, r9
    .endm

FORWARD forward_distance_0, 8, 5, DISTANT 0
FORWARD forward_distance_1, 8, 9, DISTANT 1
FORWARD forward_distance_2, 8, 13, DISTANT 2
FORWARD forward_distance_4, 8, 21, DISTANT 4
FORWARD forward_distance_8, 8, 37, DISTANT 8
FORWARD forward_distance_12, 8, 53, DISTANT 12
FORWARD forward_distance_16, 8, 69, DISTANT 16
FORWARD forward_distance_24, 8, 101, DISTANT 24
FORWARD forward_distance_32, 8, 133, DISTANT 32
FORWARD forward_distance_48, 8, 197, DISTANT 48
FORWARD forward_distance_64, 8, 261, DISTANT 64
FORWARD forward_distance_96, 8, 389, DISTANT 96
FORWARD forward_distance_128, 8, 517, DISTANT 128

FORWARD forward_spacing_0, 64, 5, SPACED 0
FORWARD forward_spacing_1, 64, 6, SPACED 1
FORWARD forward_spacing_2, 64, 7, SPACED 2
FORWARD forward_spacing_3, 64, 8, SPACED 3
FORWARD forward_spacing_4, 64, 9, SPACED 4
FORWARD forward_spacing_6, 64, 11, SPACED 6
FORWARD forward_spacing_8, 64, 13, SPACED 8
FORWARD forward_spacing_11, 64, 16, SPACED 11
FORWARD forward_spacing_19, 64, 24, SPACED 19
FORWARD forward_spacing_27, 64, 32, SPACED 27
FORWARD forward_spacing_59, 64, 64, SPACED 59
