/* SPDX-License-Identifier: MIT */
/* Records from files. */
#ifndef UARCHPROBE_LOAD_H
#define UARCHPROBE_LOAD_H

#include "uarchprobe/record.h"

/* Reads the results of a file one at a time, so that of a file of thousands one is in memory; take frees each. */
enum status record_load_each(const char *path, void (*take)(void *context, struct record *record),
                             void *context, struct fault *fault);

/* Reads a document written by --format json, jsonl or html (which holds the JSON) into a new record, which
 * owns its table specs; titles of facts are not in the document, so they are NULL. A file that cannot be
 * read, is cut off, is not of schema uarchprobe/3 or 2, or holds several documents: STATUS_USAGE with the place in
 * one line, and *record is NULL. */
enum status record_load(const char *path, struct record **record, struct fault *fault);

struct record_list {
    size_t count;
    struct record **record;
};

/* The same of a file with one document or more: an array of them, or one behind the other (jsonl). Nothing is
 * loaded where one of them is bad. Freed by record_list_free. */
enum status record_load_all(const char *path, struct record_list *list, struct fault *fault);
void record_list_free(struct record_list *list);

#endif
