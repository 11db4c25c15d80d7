/* SPDX-License-Identifier: MIT */
/* Which answers are compared, and what they may lose: the same in `compare` and `check`. */
#pragma once

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
     .help = "worse is only what is worse by more than this, and by more than repeated runs differ"},        \
    {                                                                                                        \
        .name = "only", .kind = OPTION_NAMES, .offset = offsetof(struct choice, only), .argument = "LIST",   \
        .fallback = "auto",                                                                                  \
        .help = "findings of these keys or shell patterns only, as in 'ram.*.read'; auto: all"               \
    }

bool choice_takes(const struct choice *choice, const char *key);
/* The threshold as a share; NaN: none was given. */
double choice_threshold(const struct choice *choice);
