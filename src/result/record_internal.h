/* SPDX-License-Identifier: MIT */
#ifndef RESULT_RECORD_INTERNAL_H
#define RESULT_RECORD_INTERNAL_H

#include "uarchprobe/record.h"

/* Takes memory (from malloc) over; returns it. For the specs of a record that was loaded: those of a measured one are
 * borrowed. */
void *record_own(struct record *record, void *memory);
/* Moves the newest answer in front of the one at that index. */
void record_answer_first(struct record *record, size_t index);
/* Takes its sentence away: another answer says it too. */
void record_answer_silence(struct record *record, size_t index);
/* At a path that is not taken; nor is the warning there yet: nothing is searched. */
void record_fact_new(struct record *record, struct fact fact);
void record_warning_new(struct record *record, const char *code, const char *text);

#endif
