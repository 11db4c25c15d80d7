/* SPDX-License-Identifier: MIT */
/* Machine, tool and settings of results: differences between two, and the common name of machines in a fleet. */
#pragma once

#include "result/record_internal.h"

struct difference {
    char what[64], of[2][256]; /* "--isa", {"as by default", "sse2"} */
    bool decides;              /* the results are not comparable */
};

struct differences {
    LIST(struct difference);
};

/* Adds the differences that are not in the list yet. */
void settings_compare(struct differences *differences, const struct record *before,
                      const struct record *after);
/* Writes those that decide, "CPU model, --isa", or the others with their values, "kernel (6.1, 6.2)". */
void settings_write(const struct differences *differences, bool deciding, struct text *out);
/* Writes "x86_64, AMD EPYC, family 25, CPUs 2, KVM, --isa sse2": machines of one name ought to be alike. */
void settings_name(const struct record *record, struct text *out);
