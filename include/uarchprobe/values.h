/* SPDX-License-Identifier: MIT */
/* The values that a command line can hold. All parsers are pure: text in, value or fault out; the fault's
 * text names the offending value and what is allowed. None allocates: the values have a fixed size. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "uarchprobe/status.h"

enum { SIZE_LIST_MAX = 64, CPU_LIST_MAX = 8192, NAME_LIST_MAX = 32, NAME_MAX_LENGTH = 48 };

struct size_list {
    int count;
    uint64_t bytes[SIZE_LIST_MAX];
};

/* CPU numbers in the order that the user gave, none twice. `all`: every CPU that is allowed. */
struct cpu_list {
    bool all;
    int count;
    int id[CPU_LIST_MAX];
};

/* One CPU, where naming it is left to the user. */
struct cpu_choice {
    bool given, named;
    int id;
};

struct range {
    uint64_t first, last;
};

/* Free names, as in --method sse2,avx2: checked by the command against what it has, not by the parser. */
struct name_list {
    int count;
    char name[NAME_LIST_MAX][NAME_MAX_LENGTH];
};

/* "64mi": k m g are powers of 1000, ki mi gi powers of 1024, each with an optional b, case ignored.
 * Fractions, signs, zero and overflow are refused. */
enum status parse_size_list(const char *text, struct size_list *list, struct fault *fault);
/* Kernel cpulist syntax: "0-3,8", "0-31:2", or "all". Whether a CPU exists is for topology to say. */
enum status parse_cpu_list(const char *text, struct cpu_list *list, struct fault *fault);
/* "5" or "1-140", first <= last. */
enum status parse_range(const char *text, struct range *range, struct fault *fault);
enum status parse_count(const char *text, uint64_t min, uint64_t max, uint64_t *value, struct fault *fault);
enum status parse_real(const char *text, double min, double max, double *value, struct fault *fault);
enum status parse_name_list(const char *text, struct name_list *list, struct fault *fault);
