/* SPDX-License-Identifier: MIT */
/* Dependent chains: memory latency, and the core clock by operations of a known latency.
 * Entry: x0 = a, x2 = n. Unrolled by 16, so that the loop's own instructions fit next to the chain. */
#include "../asm.h"

    .arch armv8-a

    /* Runs `link` n times. */
    .macro CHAIN link:vararg
    lsr x4, x2, #4
    cbz x4, 2f
    .p2align 6
1:
    .rept 16
    \link
    .endr
    subs x4, x4, #1
    b.ne 1b
2:
    ands x2, x2, #15
    b.eq 4f
3:
    \link
    subs x2, x2, #1
    b.ne 3b
4:
    .endm

FUNCTION latency_chase
    CHAIN ldr x0, [x0]
    ret
ENDFUNC latency_chase

    /* As on x86_64. */
FUNCTION draw_load
    cbz x2, 2f
    ldr x6, =0xd1342543de82ef95
    mov x7, #0
    .p2align 6
1:
    mul x4, x4, x6
    umulh x5, x4, x3
    mul x5, x5, x1
    ldr x5, [x0, x5]
    and x5, x5, x7
    add x4, x4, x5
    subs x2, x2, #1
    b.ne 1b
2:
    mov x0, x4
    ret
ENDFUNC draw_load

    /* Returns n. Register to register, as on x86_64. */
FUNCTION chain_add
    mov x0, #0
    mov x1, #1
    CHAIN add x0, x0, x1
    ret
ENDFUNC chain_add

    /* Returns x1 to the power of n. */
FUNCTION chain_mul
    mov x0, #1
    ldr x1, =0x9e3779b97f4a7c15
    CHAIN mul x0, x0, x1
    ret
ENDFUNC chain_mul

    /* Executes `row`, eight instructions, 64 times in each turn of a loop and returns n / 512 * 512. */
    .macro THROUGHPUT row:vararg
    and x12, x2, #-512
    lsr x2, x2, #9
    cbz x2, 2f
    .p2align 6
1:
    .rept 64
    \row
    .endr
    subs x2, x2, #1
    b.ne 1b
2:
    mov x0, x12
    ret
    .endm

    .macro ADDS
    .irp to, x1, x3, x4, x5, x6, x7, x8, x9
    add \to, x0, x2
    .endr
    .endm

    .macro LOADS
    ldr x1, [x0]
    ldr x3, [x0, #8]
    ldr x4, [x0, #16]
    ldr x5, [x0, #24]
    ldr x6, [x0, #32]
    ldr x7, [x0, #40]
    ldr x8, [x0, #48]
    ldr x9, [x0, #56]
    .endm

FUNCTION throughput_integer
    THROUGHPUT ADDS
ENDFUNC throughput_integer

FUNCTION throughput_load
    THROUGHPUT LOADS
ENDFUNC throughput_load
