/* SPDX-License-Identifier: MIT */
#include "names.h"

#include "uarchprobe/record.h"

const char json_schema[] = "uarchprobe/2";
const char *const json_top_names[] = {"tool", "host", "run", "clock", NULL};
const char *const json_child_names[] = {"run", "clock", NULL};
const char *const json_view_names[] = {"list", "curve", "matrix", "hidden", NULL};
const char *const json_mark_names[] = {"none", "max", "min", NULL};
const char *const json_type_names[] = {"null", "text",   "integer", "real",  "bool",    "size",
                                       "cpu",  "kernel", "class",   "flags", "summary", NULL};
const char *const json_role_names[] = {"parameter", "measure", "label", NULL};
const char *const json_trust_names[] = {"low", "medium", "high", NULL};
const char *const json_leg_names[] = {NULL, "precision", "repetition", "plausibility", NULL};
const char *const json_level_names[] = {"package", "node", "l3", "l2", "core", NULL};

#define COLUMN(name, least)                                                                                  \
    {                                                                                                        \
#name, offsetof(struct view, name), least                                                            \
    }
const struct json_part json_view_columns[] = {COLUMN(x, 0),        COLUMN(y, 0),     COLUMN(value, 0),
                                              COLUMN(series, 0),   COLUMN(class, 1), COLUMN(spread, 1),
                                              COLUMN(flag, 1),     COLUMN(state, 1), COLUMN(lines, 1),
                                              COLUMN(duration, 1), {NULL, 0, 0}};

#define FLAG(name)                                                                                           \
    {                                                                                                        \
#name, offsetof(struct view, name), 0                                                                \
    }
const struct json_part json_view_flags[] = {FLAG(log_x), FLAG(log_value), FLAG(shade), {NULL, 0, 0}};

#define QUANTILE(name)                                                                                       \
    {                                                                                                        \
#name, offsetof(struct summary, name), 0                                                             \
    }
const struct json_part json_quantiles[] = {QUANTILE(min), QUANTILE(p10), QUANTILE(median),
                                           QUANTILE(p90), QUANTILE(max), {NULL, 0, 0}};
