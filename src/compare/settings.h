/* SPDX-License-Identifier: MIT */
/* Machine, tool and settings of results: what differs among them. */
#pragma once

#include "result/record_internal.h"

/* What a difference means: nothing but its name; results of one machine that cannot be held against each
 * other; two machines. */
enum weight { WEIGHT_NONE, WEIGHT_NAMED, WEIGHT_DECIDES, WEIGHT_MACHINE };

struct setting {
    const char *what; /* "--isa" */
    enum weight weight;
    const char **of; /* "as by default", "sse2": of each result; NULL: it lacks the command */
};

struct settings {
    struct record *owner; /* of the texts */
    size_t results;
    LIST(struct setting); /* those that differ */
};

/* Adds what differs among the results of one command. of: of each file; NULL: it has none. */
void settings_compare(struct settings *settings, const struct record *const *of);
/* The gravest difference between the first result and another one. */
enum weight settings_weight(const struct settings *settings, size_t other);
/* Writes the differences between them of these weights, "CPU model, --isa", and of those that are named
 * the values, "kernel (6.1, 6.2)". */
void settings_write(const struct settings *settings, size_t other, enum weight least, enum weight most,
                    struct text *out);
/* Whether two results are one and the same run: no other begins in the same second and finds all the same. */
bool settings_are_of_one_run(const struct record *a, const struct record *b);
