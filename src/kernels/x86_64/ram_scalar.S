/* SPDX-License-Identifier: MIT */
/* Memory bandwidth with general registers of 8, 16, 32 and 64 bits, and with string instructions.
 *
 * Entry: rdi = a, rsi = b, rdx = n (bytes, a multiple of the element), rcx = m (passes). Any address will do.
 * Narrow loads extend to 32 bits: a load into r10b alone would wait for the rest of r10. */
#include "../asm.h"
#include "passes.h"

    .macro LOAD_8 address:vararg
    movzx r10d, byte ptr \address
    .endm
    .macro LOAD_16 address:vararg
    movzx r10d, word ptr \address
    .endm
    .macro LOAD_32 address:vararg
    mov r10d, \address
    .endm
    .macro LOAD_64 address:vararg
    mov r10, \address
    .endm

    /* part: the name of r10 at this width */
    .macro COPY_ELEMENT i, bytes, bits, part
    LOAD_\bits [rsi + \i * \bytes]
    mov [rdi + \i * \bytes], \part
    .endm

    .macro WRITE_ELEMENT i, bytes, part
    mov [rdi + \i * \bytes], \part
    .endm

    /* Two accumulators in turn, the most that is free; each grows by one OR a cycle. */
    .macro COMPARE_ELEMENT i, bytes, bits, part
    LOAD_\bits [rdi + \i * \bytes]
    xor \part, [rsi + \i * \bytes]
    .if \i & 1
    or r11, r10
    .else
    or rax, r10
    .endif
    .endm

    .macro AGG_OR_ELEMENT i, bytes, a0, a1, a2, a3
    .if (\i & 3) == 0
    or \a0, [rdi + \i * \bytes]
    .elseif (\i & 3) == 1
    or \a1, [rdi + \i * \bytes]
    .elseif (\i & 3) == 2
    or \a2, [rdi + \i * \bytes]
    .else
    or \a3, [rdi + \i * \bytes]
    .endif
    .endm

    .macro READ_ELEMENT i, bytes, bits
    LOAD_\bits [rdi + \i * \bytes]
    .endm

    /* The kernels of one width. a0 to a3: the accumulators' names at it. */
    .macro SCALARS bits, bytes, part, a0, a1, a2, a3
FUNCTION copy_scalar\bits
    PASSES 2, COPY_ELEMENT, COPY_ELEMENT, \bytes, \bits, \part
    xor eax, eax
    ret
ENDFUNC copy_scalar\bits

FUNCTION write_scalar\bits
    movzx esi, sil
    movabs r10, 0x0101010101010101
    imul r10, rsi
    PASSES 1, WRITE_ELEMENT, WRITE_ELEMENT, \bytes, \part
    xor eax, eax
    ret
ENDFUNC write_scalar\bits

FUNCTION compare_scalar\bits
    xor eax, eax
    xor r11d, r11d
    PASSES 2, COMPARE_ELEMENT, COMPARE_ELEMENT, \bytes, \bits, \part
    or rax, r11
    ret
ENDFUNC compare_scalar\bits

FUNCTION agg_or_scalar\bits
    xor eax, eax
    xor esi, esi
    xor r10d, r10d
    xor r11d, r11d
    PASSES 1, AGG_OR_ELEMENT, AGG_OR_ELEMENT, \bytes, \a0, \a1, \a2, \a3
    or rax, rsi
    or rax, r10
    or rax, r11
    ret
ENDFUNC agg_or_scalar\bits

FUNCTION read_scalar\bits
    PASSES 1, READ_ELEMENT, READ_ELEMENT, \bytes, \bits
    xor eax, eax
    ret
ENDFUNC read_scalar\bits
    .endm

    SCALARS 8, 1, r10b, al, sil, r10b, r11b
    SCALARS 16, 2, r10w, ax, si, r10w, r11w
    SCALARS 32, 4, r10d, eax, esi, r10d, r11d
    SCALARS 64, 8, r10, rax, rsi, r10, r11

    /* The line of rax. */
FUNCTION store_zero_line
    add rdx, rdi
    test rcx, rcx
    jz 3f
1:
    mov rax, rdi
    cmp rax, rdx
    jae 3f
    .p2align 6
2:
    clzero
    add rax, 64
    cmp rax, rdx
    jb 2b
    dec rcx
    jnz 1b
3:
    sfence
    xor eax, eax
    ret
ENDFUNC store_zero_line

    /* String instructions move rdi, rsi and count rcx down. */
    .macro STRING name, instruction
FUNCTION \name
    mov r10, rdi
    mov r11, rsi
    mov r8, rcx
    mov eax, esi
    test r8, r8
    jz 2f
1:
    mov rdi, r10
    mov rsi, r11
    mov rcx, rdx
    rep \instruction
    dec r8
    jnz 1b
2:
    xor eax, eax
    ret
ENDFUNC \name
    .endm

    STRING copy_rep_movsb, movsb
    STRING write_rep_stosb, stosb
