/* SPDX-License-Identifier: MIT */
/* The answers to compare and their threshold, for `compare` and `check`. */
#pragma once

#include <fnmatch.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include "uarchprobe/option.h"

struct choice {
    double threshold; /* percent; 0: what repeated runs differ by */
    struct name_list only;
};

/* Rows for a struct that begins with its choice. */
#define CHOICE_OPTIONS                                                                                       \
    {.name = "threshold",                                                                                    \
     .kind = OPTION_REAL,                                                                                    \
     .offset = offsetof(struct choice, threshold),                                                           \
     .argument = "PERCENT",                                                                                  \
     .fallback = "auto",                                                                                     \
     .min = 0,                                                                                               \
     .max = 1e6,                                                                                             \
     .help = "a loss above this is worse; if repeated runs differ by less"},                                 \
    {                                                                                                        \
        .name = "only", .kind = OPTION_NAMES, .offset = offsetof(struct choice, only), .argument = "LIST",   \
        .fallback = "auto", .help = "these keys or patterns, as in 'ram.*.read'; auto: all"                  \
    }

static inline bool choice_takes(const struct choice *choice, const char *key)
{
    bool takes = choice->only.count == 0;
    for (int i = 0; i < choice->only.count && !takes; i++)
        takes = fnmatch(choice->only.name[i], key, 0) == 0;
    return takes;
}

/* The threshold as a share; NaN: none was given. */
static inline double choice_threshold(const struct choice *choice)
{
    return choice->threshold > 0 ? choice->threshold / 100 : NAN;
}
