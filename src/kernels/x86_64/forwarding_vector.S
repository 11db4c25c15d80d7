/* SPDX-License-Identifier: MIT */
/* Store-to-load forwarding with vector registers, and between them and general registers.
 * Entry as in forwarding.S; the chain begins with y in the lowest 64 bits and zeros above. Where the store and
 * the load are of different kinds, the move that joins them is part of the chain. */
#include "../forwarding.h"

    .macro FORWARD_BEGIN
    movq xmm0, r9
    .endm
    .macro FORWARD_END
    movq rax, xmm0
    ret
    .endm

    .macro FA_16_16
    movups [rdi], xmm0
    movups xmm0, [rsi]
    .endm
    .macro SAME_BASE_16_16
    movups [rdi], xmm0
    movups xmm0, [rdi]
    .endm
    .macro FA_16_8
    movups [rdi], xmm0
    mov rax, [rsi]
    movq xmm0, rax
    .endm

FORWARD forward_fa_16_16, 64, 6, FA_16_16
FORWARD forward_same_base_16_16, 64, 6, SAME_BASE_16_16
FORWARD forward_fa_16_8, 64, 11, FA_16_8

    .purgem FORWARD_BEGIN
    .purgem FORWARD_END
    .macro FORWARD_BEGIN
    mov rax, r9
    .endm
    .macro FORWARD_END
    ret
    .endm

    .macro FA_8_16
    mov [rdi], rax
    movups xmm0, [rsi]
    movq rax, xmm0
    .endm
    .macro SPLIT_16
    mov [rdi], rax
    mov [rdi + 8], rax
    movups xmm0, [rsi]
    movq rax, xmm0
    .endm

FORWARD forward_fa_8_16, 64, 11, FA_8_16
FORWARD forward_split_8_16, 64, 15, SPLIT_16

    .purgem FORWARD_BEGIN
    .purgem FORWARD_END
    .macro FORWARD_BEGIN
    vmovq xmm0, r9
    .endm
    .macro FORWARD_END
    vmovq rax, xmm0
    vzeroupper
    ret
    .endm

    .macro FA_32_16
    vmovups [rdi], ymm0
    vmovups xmm0, [rsi]
    .endm
    .macro FA_32_32
    vmovups [rdi], ymm0
    vmovups ymm0, [rsi]
    .endm
    .macro FA_64_64
    vmovups [rdi], zmm0
    vmovups zmm0, [rsi]
    .endm
    .macro FA_64_8
    vmovups [rdi], zmm0
    mov rax, [rsi]
    vmovq xmm0, rax
    .endm

FORWARD forward_fa_32_16, 64, 8, FA_32_16
FORWARD forward_fa_32_32, 64, 8, FA_32_32
FORWARD forward_fa_64_64, 64, 12, FA_64_64
FORWARD forward_fa_64_8, 64, 14, FA_64_8
