/* SPDX-License-Identifier: MIT */
/* Two cores and the lines between them: the two ends of each ping-pong are one kernel, distinguished by its
 * arguments.
 *
 * Entry: rdi = a, rsi = b, rdx = n, rcx = m, r8 = x, r9 = y; see enum operation. Every failed attempt takes one
 * from y, and at none left the kernel gives up, so that a partner who never comes costs a bounded time. That count stands
 * off the path of a successful attempt. */
#include "../asm.h"

    /* Waits for the line to hold ecx and replaces it by r8d. */
FUNCTION pingpong_cas_lock
1:
    mov eax, ecx
    lock cmpxchg [rdi], r8d
    jne 2f
    dec rdx
    jnz 1b
    xor eax, eax
    ret
2:
    dec r9
    jnz 1b
    mov rax, rdx
    ret
ENDFUNC pingpong_cas_lock

    /* Waits for one word to hold ecx and stores it, or its opposite, to the other; the next time the opposite. Loads acquire and
     * stores release by themselves here. The count stands before the load and the loop ends with the branch back, as compilers
     * translate a loop over an atomic load: with the count behind a second branch the spin is slower, and the round trip 8 %
     * shorter. */
FUNCTION pingpong_words
    mov r10d, ecx
    xor r10d, r8d
    inc r9
1:
    dec r9
    jz 2f
    mov eax, [rdi]
    cmp eax, ecx
    jne 1b
    mov [rsi], r10d
    xor ecx, 1
    xor r10d, 1
    inc r9
    dec rdx
    jnz 1b
    xor eax, eax
    ret
2:
    mov rax, rdx
    ret
ENDFUNC pingpong_words

    /* Adding nothing returns the pointer and takes the line for writing. */
FUNCTION chase_rmw_lock
    test rdx, rdx
    jz 2f
1:
    xor eax, eax
    lock xadd [rdi], rax
    mov rdi, rax
    dec rdx
    jnz 1b
2:
    mov rax, rdi
    ret
ENDFUNC chase_rmw_lock
