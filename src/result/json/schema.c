/* SPDX-License-Identifier: MIT */
#include "schema.h"

#include "uarchprobe/record.h"

const char json_schema[] = "uarchprobe/4";
const char *const json_top_names[] = {"tool", "host", "run", "clock", NULL};
const char *const json_child_names[] = {"run", "clock", NULL};
const char *const json_view_names[] = {"list", "curve", "matrix", "hidden", NULL};
const char *const json_type_names[] = {"null", "text",  "integer", "real",    "bool", "size",
                                       "cpu",  "class", "flags",   "summary", NULL};
const char *const json_role_names[] = {"parameter", "measure", "label", NULL};
const char *const json_limited_by_names[] = {NULL, "precision", "repetition", "plausibility", NULL};
const char *const json_agreement_names[] = {NULL, "not published", "published", "disputed", "differs", NULL};
const char *const json_place_names[] = {"cpu", "package", "node", "l3", "l2", "core", "kind", NULL};

#define PART(type, name) #name, offsetof(struct type, name)

const struct json_part json_view_columns[] = {
    {PART(view, x), 0},     {PART(view, y), 0},     {PART(view, value), 0},    {PART(view, series), 0},
    {PART(view, class), 1}, {PART(view, flag), 1},  {PART(view, state), 1},    {PART(view, panel), 1},
    {PART(view, shown), 1}, {PART(view, lines), 1}, {PART(view, duration), 1}, {0}};
const struct json_part json_view_flags[] = {{PART(view, log_x), 0},
                                            {PART(view, log_value), 0},
                                            {PART(view, mark), 0},
                                            {PART(view, shade), 0},
                                            {PART(view, lead), 0},
                                            {PART(view, derived), 0},
                                            {0}};
const struct json_part json_quantiles[] = {{PART(summary, min), 0},    {PART(summary, p10), 0},
                                           {PART(summary, median), 0}, {PART(summary, p90), 0},
                                           {PART(summary, max), 0},    {0}};
