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

/* The methods. Each adds its plan, or its rows and answers. kernel: of the width asked for. */
enum status sb_iso_run(struct run *run, const struct kernel *kernel, struct fault *fault);
enum status sb_nops_run(struct run *run, const struct kernel *kernel, struct fault *fault);
enum status sb_litmus_run(struct run *run, const struct kernel *kernel, struct fault *fault);
