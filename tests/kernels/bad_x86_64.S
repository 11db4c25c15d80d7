/* SPDX-License-Identifier: MIT */
/* Kernels with one fault each, which the contract test must find. Entry as in kernel.h; one pass will do. */
#include "kernels/asm.h"

    .macro STORE_BYTES
    mov rcx, rdx
    mov eax, esi
    rep stosb
    xor eax, eax
    .endm

FUNCTION bad_clobber
    test rcx, rcx
    jz 1f
    STORE_BYTES
    mov ebx, 1
1:
    xor eax, eax
    ret
ENDFUNC bad_clobber

FUNCTION bad_vector_state
    test rcx, rcx
    jz 1f
    STORE_BYTES
    vpcmpeqd ymm5, ymm5, ymm5
1:
    xor eax, eax
    ret
ENDFUNC bad_vector_state

FUNCTION bad_overrun
    test rcx, rcx
    jz 1f
    inc rdx
    STORE_BYTES
1:
    xor eax, eax
    ret
ENDFUNC bad_overrun

FUNCTION bad_underrun
    test rcx, rcx
    jz 1f
    mov [rdi - 1], sil
    STORE_BYTES
1:
    xor eax, eax
    ret
ENDFUNC bad_underrun

FUNCTION bad_short_write
    test rcx, rcx
    jz 1f
    dec rdx
    js 1f
    STORE_BYTES
1:
    xor eax, eax
    ret
ENDFUNC bad_short_write

    /* Loads all bytes but the last. */
FUNCTION bad_short_read
    test rcx, rcx
    jz 2f
    dec rdx
    jle 2f
1:
    mov al, [rdi]
    inc rdi
    dec rdx
    jnz 1b
2:
    xor eax, eax
    ret
ENDFUNC bad_short_read

    /* Takes in all bytes but the last. */
FUNCTION bad_short_or
    xor eax, eax
    test rcx, rcx
    jz 2f
    dec rdx
    jle 2f
1:
    or al, [rdi]
    inc rdi
    dec rdx
    jnz 1b
2:
    ret
ENDFUNC bad_short_or

FUNCTION bad_compare
    xor eax, eax
    ret
ENDFUNC bad_compare

FUNCTION bad_illegal
    ud2
ENDFUNC bad_illegal
