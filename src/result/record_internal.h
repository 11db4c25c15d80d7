/* SPDX-License-Identifier: MIT */
#ifndef OUTPUT_RECORD_INTERNAL_H
#define OUTPUT_RECORD_INTERNAL_H

#include "uarchprobe/record.h"

/* Hands memory (from malloc) over to the record, which frees it with itself; returns it. For the specs of a
 * record that was loaded: those of a measured one are borrowed. */
void *record_own(struct record *record, void *memory);

#endif
