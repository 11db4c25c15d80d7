/* SPDX-License-Identifier: MIT */
/* What results are of: machine, tool, settings; what differs in that between two, and what machines of a fleet have in common. */
#pragma once

#include "result/record_internal.h"

struct difference {
    char what[64], of[2][256]; /* "--isa", {"as by default", "sse2"} */
    bool decides;              /* they are no results of the same thing */
};

struct differences {
    LIST(struct difference);
};

/* Adds those that are not in the list yet. */
void settings_compare(struct differences *differences, const struct record *before,
                      const struct record *after);
/* Those that decide, "CPU model, --isa", or the others with their values, "kernel (6.1, 6.2)". */
void settings_write(const struct differences *differences, bool deciding, struct text *out);
/* "x86_64, AMD EPYC, family 25, CPUs 2, KVM, --isa sse2": of one name are machines that ought to be alike. */
void settings_name(const struct record *record, struct text *out);
