/* SPDX-License-Identifier: MIT */
#include <stdint.h>

#include "output/format.h"
#include "result/json/json.h"

static void write_json(const struct format *format, const struct style *style, const struct record *record,
                       struct text *out)
{
    json_write(record, format == &json_format, SIZE_MAX, out);
}

const struct format json_format = {.name = "json", .extension = ".json", .write = write_json};
const struct format jsonl_format = {.name = "jsonl", .extension = ".jsonl", .write = write_json};
