/* SPDX-License-Identifier: MIT */
#include "result/json/json.h"
#include "output/format.h"

static void json_end(const struct style *style, const struct record *record, struct text *out)
{
    json_write(record, true, out);
}

static void jsonl_end(const struct style *style, const struct record *record, struct text *out)
{
    json_write(record, false, out);
}

const struct format json_format = {
    .name = "json", .extension = ".json", .tells_findings = true, .end = json_end};
const struct format jsonl_format = {
    .name = "jsonl", .extension = ".jsonl", .tells_findings = true, .end = jsonl_end};
