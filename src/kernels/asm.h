/* SPDX-License-Identifier: MIT */
/* clang-format off */
/* The boilerplate of every .S file, once, with one spelling on both ISAs.
 *
 *   FUNCTION name ... ENDFUNC name      a kernel: hidden, typed, sized, aligned to 64 bytes
 *   SLED name, units, bytes, body       units of equal size between the labels name_begin and name_end
 *   SLED_TARGET name, count, bytes, tmp
 *   SLED_GO tmp                         jumps so that `count` units are run before name_end, as often as is wanted
 *
 * `body` is a macro or one instruction and must assemble to exactly `bytes` bytes in each unit: else the
 * build stops, because an entry at end - count * bytes would land inside an instruction. */
#pragma once

#if defined(__x86_64__)
    .intel_syntax noprefix
    .macro LANDING_PAD
    endbr64
    .endm
    /* count and tmp are 64-bit registers, both are lost. notrack: the units carry no endbr64, as they must
     * hold nothing else than the work measured. */
    .macro SLED_TARGET name, count, bytes, tmp
    imul \count, \count, \bytes
    lea \tmp, [rip + \name\()_end]
    sub \tmp, \count
    .endm
    .macro SLED_GO tmp
    notrack jmp \tmp
    .endm
#elif defined(__aarch64__)
    .macro LANDING_PAD
    hint #34 /* bti c, spelled so that every assembler takes it */
    .endm
    /* count and tmp are x registers, both are lost. */
    .macro SLED_TARGET name, count, bytes, tmp
    mov \tmp, #\bytes
    mul \count, \count, \tmp
    adrp \tmp, \name\()_end
    add \tmp, \tmp, :lo12:\name\()_end
    sub \tmp, \tmp, \count
    .endm
    .macro SLED_GO tmp
    br \tmp
    .endm
#endif

    .macro FUNCTION name
    .globl \name
    .hidden \name
    .type \name, %function
    .p2align 6
\name:
    LANDING_PAD
    .endm

    .macro ENDFUNC name
    .size \name, . - \name
    .endm

    .macro SLED name, units, bytes, body:vararg
    .globl \name\()_begin
    .hidden \name\()_begin
    .globl \name\()_end
    .hidden \name\()_end
\name\()_begin:
    .rept \units
771:
    \body
    .if (. - 771b) != (\bytes)
    .error "a unit of this sled is not as long as declared"
    .endif
    .endr
\name\()_end:
    .endm

    /* No object of ours needs an executable stack; without this note the linker would grant one. */
    .section .note.GNU-stack, "", %progbits
#if defined(__x86_64__)
    /* Fit for shadow stack and indirect-branch tracking. (On aarch64 there is no such note: `br` into a sled
     * finds no BTI, so the linker must not mark the program as guarded.) */
    .section .note.gnu.property, "a", %note
    .p2align 3
    .long 4, 16, 5
    .asciz "GNU"
    .long 0xc0000002, 4, 3, 0
#endif
    .text
