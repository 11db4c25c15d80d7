/* SPDX-License-Identifier: MIT */
#include "results.h"

#include <stdlib.h>
#include <string.h>

#include "result/record_internal.h"
#include "result/subject.h"

const char *results_command(const struct record *result)
{
    return fact_text(result, "run.command", "");
}

const struct record *results_partner(const struct results *from, size_t index, const struct results *in)
{
    const char *command = results_command(from->of[index]);
    size_t before = 0;
    for (size_t i = 0; i < index; i++)
        before += strcmp(results_command(from->of[i]), command) == 0;
    for (size_t i = 0; i < in->count; i++) {
        if (strcmp(results_command(in->of[i]), command) == 0 && before-- == 0)
            return in->of[i];
    }
    return NULL;
}

void results_take(void *context, struct record *document)
{
    struct results *results = context;
    const size_t children = document->children.count;
    LIST_ADD(results->documents, document);
    for (size_t i = 0; i < children; i++)
        LIST_ADD(*results, document->children.of[i]);
    if (children == 0)
        LIST_ADD(*results, document);
    if (results->count > RESULTS_MAX)
        fault_set(results->fault, STATUS_USAGE, "%s: holds more than %d results; give fewer", results->path,
                  RESULTS_MAX);
}

enum status results_load(struct results *results, const char *path, struct fault *fault)
{
    *results = (struct results){.path = path, .fault = fault};
    return record_load_each(path, results_take, results, fault);
}

void results_free(struct results *results)
{
    for (size_t i = 0; i < results->documents.count; i++)
        record_free(results->documents.of[i]);
    free(results->documents.of);
    free(results->of);
}
