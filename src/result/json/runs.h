/* SPDX-License-Identifier: MIT */
/* Columns of few different values, shorter: {"runs": [value, how many rows have it, ...]}. */
#ifndef RESULT_JSON_RUNS_H
#define RESULT_JSON_RUNS_H

#include <jansson.h>

/* An array; as runs where these are much shorter. Takes it over. */
json_t *runs_pack(json_t *values);
/* Its members that are runs become arrays. What are none that a page could have is left as it is. */
void runs_unpack(json_t *rows);

#endif
