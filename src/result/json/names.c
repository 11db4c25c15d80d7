/* SPDX-License-Identifier: MIT */
#include "names.h"

#include <stddef.h>

const char json_schema[] = "uarchprobe/2";
const char *const json_top_names[] = {"tool", "host", "run", "clock", NULL};
const char *const json_child_names[] = {"run", "clock", NULL};
const char *const json_view_names[] = {"list", "curve", "matrix", "hidden", NULL};
const char *const json_mark_names[] = {"none", "max", "min", NULL};
const char *const json_type_names[] = {"null", "text",   "integer", "real",  "bool",    "size",
                                       "cpu",  "kernel", "class",   "flags", "summary", NULL};
const char *const json_summary_names[] = {"n", "min", "p10", "median", "p90", "max", NULL};
const char *const json_place_names[] = {"cpu", "package", "node", "l3", "l2", "core", NULL};
const char *const json_role_names[] = {"parameter", "measure", "label", NULL};
const char *const json_trust_names[] = {"low", "medium", "high", NULL};
const char *const json_leg_names[] = {NULL, "precision", "repetition", "plausibility", NULL};
