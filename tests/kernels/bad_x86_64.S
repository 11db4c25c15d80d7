/* SPDX-License-Identifier: MIT */
/* Kernels with one fault each, which the contract test must find. Entry as in kernel.h; one pass will do. */
#include "kernels/asm.h"

    /* Stores n bytes; `before` and `after` are what is wrong. */
    .macro BAD_STORES name, before, after
FUNCTION \name
    test rcx, rcx
    jz 1f
    \before
    mov rcx, rdx
    mov eax, esi
    rep stosb
    \after
1:
    xor eax, eax
    ret
ENDFUNC \name
    .endm

    /* Goes through all bytes but the last. */
    .macro BAD_LOADS name, load
FUNCTION \name
    xor eax, eax
    test rcx, rcx
    jz 2f
    dec rdx
    jle 2f
1:
    \load
    inc rdi
    dec rdx
    jnz 1b
2:
    ret
ENDFUNC \name
    .endm

    BAD_STORES bad_clobber, , "mov ebx, 1"
    BAD_STORES bad_vector_state, , "vpcmpeqd ymm5, ymm5, ymm5"
    BAD_STORES bad_overrun, "inc rdx"
    BAD_STORES bad_underrun, "mov [rdi - 1], sil"
    BAD_STORES bad_short_write, "dec rdx; js 1f"
    BAD_LOADS bad_short_read, "mov r8b, [rdi]"
    BAD_LOADS bad_short_or, "or al, [rdi]"

FUNCTION bad_compare
    xor eax, eax
    ret
ENDFUNC bad_compare

FUNCTION bad_illegal
    ud2
ENDFUNC bad_illegal
