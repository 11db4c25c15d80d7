/* SPDX-License-Identifier: MIT */
/* How enumerations are spelt in JSON, for the writer and the reader. Each list is in the order of its enum
 * and ended by NULL; the first leg is none, which is null. */
#ifndef OUTPUT_JSON_NAMES_H
#define OUTPUT_JSON_NAMES_H

extern const char json_schema[];
extern const char *const json_top_names[];   /* objects of the document made from facts, in their order */
extern const char *const json_child_names[]; /* the same of a member of "commands" */
extern const char *const json_view_names[],
    *const json_mark_names[], *const json_type_names[], *const json_role_names[],
                                                            *const json_trust_names[],
                                                                *const json_leg_names[],
                                                                    *const json_summary_names[],
                                                                        *const json_place_names[];

#endif
