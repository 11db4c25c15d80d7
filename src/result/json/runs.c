/* SPDX-License-Identifier: MIT */
#include "runs.h"

enum { SHORTER = 4, ROWS_MOST = 1 << 16 }; /* a few bytes must not become memory without end */

json_t *runs_pack(json_t *values)
{
    json_t *runs = json_array();
    const size_t count = json_array_size(values);
    for (size_t i = 0, end; i < count; i = end) {
        json_t *value = json_array_get(values, i);
        for (end = i + 1; end < count && json_equal(json_array_get(values, end), value);)
            end++;
        json_array_append(runs, value);
        json_array_append_new(runs, json_integer((json_int_t)(end - i)));
    }
    if (json_array_size(runs) * SHORTER >= count) {
        json_decref(runs);
        return values;
    }
    json_decref(values);
    return json_pack("{s:o}", "runs", runs);
}

/* NULL: these are none. */
static json_t *unpack(const json_t *runs)
{
    json_t *values = json_array();
    for (size_t i = 0; i < json_array_size(runs); i += 2) {
        const json_int_t rows = json_integer_value(json_array_get(runs, i + 1));
        if (rows < 1 || rows > (json_int_t)(ROWS_MOST - json_array_size(values))) {
            json_decref(values);
            return NULL;
        }
        for (json_int_t k = 0; k < rows; k++)
            json_array_append(values, json_array_get(runs, i));
    }
    return values;
}

void runs_unpack(json_t *rows)
{
    const char *key;
    json_t *values;
    json_object_foreach(rows, key, values)
    {
        const json_t *runs = json_object_get(values, "runs");
        json_t *unpacked = json_is_array(runs) ? unpack(runs) : NULL;
        if (unpacked)
            json_object_set_new(rows, key, unpacked);
    }
}
