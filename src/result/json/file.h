/* SPDX-License-Identifier: MIT */
#ifndef OUTPUT_JSON_FILE_H
#define OUTPUT_JSON_FILE_H

#include <jansson.h>

#include "uarchprobe/status.h"

/* The JSON documents of a file as an array: one, several behind each other (jsonl), the members of one array,
 * or what a page of --format html holds. NULL with *fault set, which names the place. */
json_t *json_file_documents(const char *path, struct fault *fault);

#endif
