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

    .macro SCALAR_COPY name, bits, bytes, part
    FUNCTION \name
    PASSES 2, COPY_ELEMENT, COPY_ELEMENT, \bytes, \bits, \part
    xor eax, eax
    ret
    ENDFUNC \name
    .endm

    .macro SCALAR_WRITE name, bytes, part
    FUNCTION \name
    movzx esi, sil
    movabs r10, 0x0101010101010101
    imul r10, rsi
    PASSES 1, WRITE_ELEMENT, WRITE_ELEMENT, \bytes, \part
    xor eax, eax
    ret
    ENDFUNC \name
    .endm

    .macro SCALAR_COMPARE name, bits, bytes, part
    FUNCTION \name
    xor eax, eax
    xor r11d, r11d
    PASSES 2, COMPARE_ELEMENT, COMPARE_ELEMENT, \bytes, \bits, \part
    or rax, r11
    ret
    ENDFUNC \name
    .endm

    .macro SCALAR_AGG_OR name, bytes, a0, a1, a2, a3
    FUNCTION \name
    xor eax, eax
    xor esi, esi
    xor r10d, r10d
    xor r11d, r11d
    PASSES 1, AGG_OR_ELEMENT, AGG_OR_ELEMENT, \bytes, \a0, \a1, \a2, \a3
    or rax, rsi
    or rax, r10
    or rax, r11
    ret
    ENDFUNC \name
    .endm

    .macro SCALAR_READ name, bits, bytes
    FUNCTION \name
    PASSES 1, READ_ELEMENT, READ_ELEMENT, \bytes, \bits
    xor eax, eax
    ret
    ENDFUNC \name
    .endm

    SCALAR_COPY copy_scalar8, 8, 1, r10b
    SCALAR_COPY copy_scalar16, 16, 2, r10w
    SCALAR_COPY copy_scalar32, 32, 4, r10d
    SCALAR_COPY copy_scalar64, 64, 8, r10

FUNCTION copy_rep_movsb
    mov rax, rdi
    mov r8, rcx
    mov r9, rsi
    test r8, r8
    jz 2f
1:
    mov rdi, rax
    mov rsi, r9
    mov rcx, rdx
    rep movsb
    dec r8
    jnz 1b
2:
    xor eax, eax
    ret
ENDFUNC copy_rep_movsb

    SCALAR_WRITE write_scalar8, 1, r10b
    SCALAR_WRITE write_scalar16, 2, r10w
    SCALAR_WRITE write_scalar32, 4, r10d
    SCALAR_WRITE write_scalar64, 8, r10

FUNCTION write_rep_stosb
    mov r8, rcx
    mov r9, rdi
    mov eax, esi
    test r8, r8
    jz 2f
1:
    mov rdi, r9
    mov rcx, rdx
    rep stosb
    dec r8
    jnz 1b
2:
    xor eax, eax
    ret
ENDFUNC write_rep_stosb

    SCALAR_COMPARE compare_scalar8, 8, 1, r10b
    SCALAR_COMPARE compare_scalar16, 16, 2, r10w
    SCALAR_COMPARE compare_scalar32, 32, 4, r10d
    SCALAR_COMPARE compare_scalar64, 64, 8, r10

    SCALAR_AGG_OR agg_or_scalar8, 1, al, sil, r10b, r11b
    SCALAR_AGG_OR agg_or_scalar16, 2, ax, si, r10w, r11w
    SCALAR_AGG_OR agg_or_scalar32, 4, eax, esi, r10d, r11d
    SCALAR_AGG_OR agg_or_scalar64, 8, rax, rsi, r10, r11

    SCALAR_READ read_scalar8, 8, 1
    SCALAR_READ read_scalar16, 16, 2
    SCALAR_READ read_scalar32, 32, 4
    SCALAR_READ read_scalar64, 64, 8
