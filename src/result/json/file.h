/* SPDX-License-Identifier: MIT */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "uarchprobe/status.h"

/* The JSON documents of a file, one at a time: one, several behind each other (jsonl), the members of one
 * array, or those in a page of --format html. Zero-initialised but for the path. */
struct json_file {
    const char *path;
    FILE *file; /* closed by the caller, if there is one */
    int line;   /* that the next byte is on, from 1 */
    bool in_array, in_page;
    size_t taken; /* documents so far */
};

/* NULL with *fault not set: there are no more. Otherwise *fault names the line. */
json_t *json_file_next(struct json_file *file, struct fault *fault);
