/* SPDX-License-Identifier: MIT */
/* How enumerations and parts of structs are spelt in JSON, for the writer and the reader. Each list is in
 * the order of its enum and ended by NULL; the first of those that limit trust and of agreements is none,
 * which is null. */
#pragma once

#include <stddef.h>

extern const char json_schema[];
extern const char *const json_top_names[];   /* objects of the document made from facts, in their order */
extern const char *const json_child_names[]; /* the same of a member of "commands" */
extern const char *const json_view_names[];
extern const char *const json_type_names[], *const json_role_names[];
extern const char *const json_limited_by_names[], *const json_agreement_names[];
extern const char *const json_place_names[]; /* of the CPU and of its group at each level */

/* A member of a struct; each list is ended by a NULL key. */
struct json_part {
    const char *key;
    size_t offset;
    int least; /* of members that name a column: the lowest index that is meant */
};

extern const struct json_part json_view_columns[]; /* int */
extern const struct json_part json_view_flags[];   /* bool */
extern const struct json_part json_quantiles[];    /* double, of a summary */

#define JSON_PART(type, of, part) ((type *)(void *)((char *)(of) + (part)->offset))
