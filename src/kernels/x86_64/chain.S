/* SPDX-License-Identifier: MIT */
/* Dependent chains: memory latency, and the core clock by operations of a known latency.
 * Entry: rdi = a, rdx = n. Unrolled by 16, so that the loop's own instructions fit next to the chain. */
#include "../asm.h"

    /* Runs `link` n times. */
    .macro CHAIN link:vararg
    mov r8, rdx
    shr r8, 4
    jz 2f
    .p2align 6
1:
    .rept 16
    \link
    .endr
    dec r8
    jnz 1b
2:
    and edx, 15
    jz 4f
    .p2align 4
3:
    \link
    dec edx
    jnz 3b
4:
    .endm

FUNCTION latency_chase
    CHAIN mov rdi, [rdi]
    mov rax, rdi
    ret
ENDFUNC latency_chase

    /* The product of the state, the place, its address, the load: the `and` with 0 is no idiom of any core, so that the next state
     * waits for the load. */
FUNCTION draw_load
    mov r9, rdx
    mov rax, r8
    test r9, r9
    jz 2f
    movabs r10, 0xd1342543de82ef95
    xor r11d, r11d
    .p2align 6
1:
    imul r8, r10
    mov rax, r8
    mul rcx
    imul rdx, rsi
    mov rdx, [rdi + rdx]
    and rdx, r11
    add r8, rdx
    dec r9
    jnz 1b
    mov rax, r8
2:
    ret
ENDFUNC draw_load

    /* Returns n. Register to register: newer Intel cores execute an add of an immediate at rename, several a cycle, which would
     * make the clock too fast. */
FUNCTION chain_add
    xor eax, eax
    mov ecx, 1
    CHAIN add rax, rcx
    ret
ENDFUNC chain_add

    /* Returns rcx to the power of n. */
FUNCTION chain_mul
    mov eax, 1
    movabs rcx, 0x9e3779b97f4a7c15
    CHAIN imul rax, rcx
    ret
ENDFUNC chain_mul

    /* Executes `row`, eight instructions, 64 times in each turn of a loop and returns n / 512 * 512. */
    .macro THROUGHPUT row:vararg
    mov rax, rdx
    and rax, -512
    shr rdx, 9
    jz 2f
    .p2align 6
1:
    .rept 64
    \row
    .endr
    dec rdx
    jnz 1b
2:
    ret
    .endm

    /* Nothing but two registers each, in two bytes. On Zen 5 these fill all six units (6.03 a cycle), where
       additions are held up by something else (5.3 to 5.5); a loop of 64 of them is held up by the front end
       (5.3). */
    .macro TESTS
    test ecx, ecx
    test esi, esi
    test edi, edi
    test ecx, esi
    test esi, edi
    test edi, ecx
    test ecx, edi
    test esi, ecx
    .endm

    .macro LOADS
    mov rcx, [rdi]
    mov rsi, [rdi + 8]
    mov r8, [rdi + 16]
    mov r9, [rdi + 24]
    mov r10, [rdi + 32]
    mov r11, [rdi + 40]
    mov rcx, [rdi + 48]
    mov rsi, [rdi + 56]
    .endm

FUNCTION throughput_integer
    THROUGHPUT TESTS
ENDFUNC throughput_integer

FUNCTION throughput_load
    THROUGHPUT LOADS
ENDFUNC throughput_load
