/* SPDX-License-Identifier: MIT */
/* The sibling witness. On an SMT core the store buffer is split while the sibling runs, and other structures with it. A
 * guest cannot see that sibling, but a few points of the iso experiment (some 20 us) show the whole size or the half. */
#ifndef UARCHPROBE_SIBLING_H
#define UARCHPROBE_SIBLING_H

#include "uarchprobe/clock.h"
#include "uarchprobe/cpu.h"
#include "uarchprobe/record.h"

struct sibling;

/* NULL where there is no memory for it, and under an emulator, which has no store buffer; all other functions then
 * do nothing. Freed by sibling_free. */
struct sibling *sibling_new(const struct cpu *cpu, const struct clock *clock);
void sibling_free(struct sibling *sibling);
/* On the CPU of the calling thread; one thread at a time. The first call takes some 5 ms more, to learn the size. The
 * reading is of now and provisional: a size that later turns out to be twice as large makes it wrong. */
enum state sibling_sample(struct sibling *sibling);
/* Sets the record's conditions: the share of the readings that found the buffer halved (NaN: the size was not
 * resolved, or nothing proves that it is the whole), and adds a warning when the share is above a fifth or came in spells. */
void sibling_record(const struct sibling *sibling, struct record *record);

#endif
