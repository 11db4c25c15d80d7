/* SPDX-License-Identifier: MIT */
/* The results of commands in a file, those within a report included. */
#pragma once

#include "uarchprobe/record.h"

enum { RESULTS_MAX = 1024 };
struct results {
    const char *path;
    struct fault *fault; /* set where they are too many; nothing more is taken then */
    LIST(struct record *) documents;
    LIST(const struct record *); /* borrowed from the documents */
};

/* Reads a file, as far as it can be read; freed by results_free in any case. */
enum status results_load(struct results *results, const char *path, struct fault *fault);
void results_free(struct results *results);
/* Adds the result of one command, or those of a report. */
void results_take(void *results, struct record *document);
/* The result of the same command that is as far down its file among those of that command; NULL: there is none. */
const struct record *results_partner(const struct results *from, size_t index, const struct results *in);
/* "" where it is unknown. */
const char *results_command(const struct record *result);
