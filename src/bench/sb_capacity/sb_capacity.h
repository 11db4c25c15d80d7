/* SPDX-License-Identifier: MIT */
/* Parts of `uarchprobe sb-capacity` shared by its files: the three methods, and what follows from litmus trials. */
#pragma once

#include "engine/store_buffer.h"
#include "uarchprobe/command.h"
#include "uarchprobe/engine.h"
#include "uarchprobe/knee.h"

enum { SB_MOST_STORES = KNEE_VALUES - 1, SB_FEWEST_POINTS = 12, SB_ADDRESS_AUTO = 0 };

struct sb_params {
    int method;
    int width;   /* index into the names of widths: bytes = 1 << width */
    int address; /* SB_ADDRESS_AUTO, or enum store_pattern + 1 */
    struct range stores;
    uint64_t nops;
    bool streaming, counters;
    struct cpu_choice smt;
};

/* What the methods share. */
struct sb_bench {
    struct run *run;
    const struct sb_params *params;
    const struct kernel *kernel; /* of the width asked for */
    enum store_pattern pattern;  /* asked for, or STORES_LINE */
    const char *core;            /* that is measured; or NULL */
};

/* Cycles with a full store buffer, as the CPU counts them, as a table; where it cannot, why as run.counters. */
void sb_stalls(const struct sb_bench *bench, const struct store_probe *probe);

/* The methods. Each adds its plan, or its rows and answers. */
enum status sb_iso_run(struct sb_bench *bench, struct fault *fault);
enum status sb_nops_run(struct sb_bench *bench, struct fault *fault);
enum status sb_litmus_run(struct sb_bench *bench, struct fault *fault);
