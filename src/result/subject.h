/* SPDX-License-Identifier: MIT */
/* The subject of a result, for headings. */
#pragma once

#include "uarchprobe/record.h"

/* "Intel(R) Xeon(R) Processor (Sapphire Rapids)"; freed by the caller. */
char *subject_cpu(const struct record *record);
/* "2026-11-21T12:33:45Z, Linux 6.1, KVM, uarchprobe 0.1.0"; freed by the caller. */
char *subject_details(const struct record *record);
/* A cache of the first CPU that was measured, from the inside to the outside; false: there is none of that
 * index. */
struct host_cache {
    int level;
    int64_t bytes;
    const char *type; /* "data", "instruction", "unified"; borrowed */
};
bool subject_cache(const struct record *record, int index, struct host_cache *cache);
/* Of a run that ended early: "run.complete" is false. */
extern const char subject_incomplete[];
/* A fact's text, else `otherwise`; borrowed. */
const char *fact_text(const struct record *record, const char *path, const char *otherwise);
/* False, too, for a fact that is missing or, in a file, no truth value. */
bool fact_is(const struct record *record, const char *path, bool value);
