/* SPDX-License-Identifier: MIT */
#include "kernels/asm.h"

    /* Offsets into struct checked_call. */
    .set RESULT, 56
    .set LOST, 64
    .set WIDE, 72
    .set VECTOR, 80

    .macro SET register, value
    movabs \register, \value
    .endm

    .macro CHECK register, value, bit
    movabs r10, \value
    cmp \register, r10
    je 1f
    bts rcx, \bit
1:
    .endm

FUNCTION checked_call
    push rbx
    push rbp
    push r12
    push r13
    push r14
    push r15
    push rdi
    cmp qword ptr [rdi + WIDE], 0
    je 1f
    vzeroupper
1:
    SET rbx, 0x1b1b1b1b2c2c2c2c
    SET rbp, 0x2b2b2b2b3c3c3c3c
    SET r12, 0x3b3b3b3b4c4c4c4c
    SET r13, 0x4b4b4b4b5c5c5c5c
    SET r14, 0x5b5b5b5b6c6c6c6c
    SET r15, 0x6b6b6b6b7c7c7c7c
    mov rax, rdi
    mov rdi, [rax + 8]
    mov rsi, [rax + 16]
    mov rdx, [rax + 24]
    mov rcx, [rax + 32]
    mov r8, [rax + 40]
    mov r9, [rax + 48]
    mov r10, -1 /* nothing may count on a register that carries no argument */
    mov r11, -1
    call [rax]
    pop r11
    mov [r11 + RESULT], rax
    xor ecx, ecx
    CHECK rbx, 0x1b1b1b1b2c2c2c2c, 0
    CHECK rbp, 0x2b2b2b2b3c3c3c3c, 1
    CHECK r12, 0x3b3b3b3b4c4c4c4c, 2
    CHECK r13, 0x4b4b4b4b5c5c5c5c, 3
    CHECK r14, 0x5b5b5b5b6c6c6c6c, 4
    CHECK r15, 0x6b6b6b6b7c7c7c7c, 5
    pushfq
    pop rax
    cld
    test eax, 0x400
    jz 2f
    bts rcx, 6
2:
    mov [r11 + LOST], rcx
    cmp qword ptr [r11 + WIDE], 0
    je 3f
    .irp i, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
    vmovdqu [r11 + VECTOR + 32 * \i], ymm\i
    .endr
    vzeroupper
3:
    pop r15
    pop r14
    pop r13
    pop r12
    pop rbp
    pop rbx
    ret
ENDFUNC checked_call
