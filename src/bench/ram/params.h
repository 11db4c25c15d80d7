/* SPDX-License-Identifier: MIT */
/* The options of `uarchprobe ram`. */
#pragma once

#include "uarchprobe/command.h"
#include "uarchprobe/option.h"

struct ram_params {
    uint64_t tasks, methods, loads, stores, bits; /* sets of the choices of their options; 0: not given */
    struct size_list sizes;
    uint64_t threads; /* 0: one on each CPU */
    bool all;         /* each way that the task, width and modes leave */
    int pages;
    const char *mem_node;
    bool force;
    bool curve;
    double share_s; /* 0: not asked for */
    bool crossover;
    bool loaded, nodes, scale;
    int mix; /* of the loaders, index of ram_mix_names */
};

extern const char *const ram_mix_names[];
extern const struct command ram_command;
