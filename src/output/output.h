/* SPDX-License-Identifier: MIT */
/* Where a record goes: standard output or a file, in one of the formats. */
#pragma once

#include <stdbool.h>

#include "uarchprobe/record.h"

/* NULL-terminated names for --format, in the order of the format table; the first is the default. */
extern const char *const format_names[];
extern const char *const color_names[]; /* auto, always, never, NULL */
/* The index of a name into format_names. */
int output_format(const char *name);

struct output_choice {
    int format;       /* index into format_names; -1: by the extension of path, else the default */
    const char *path; /* NULL: standard output */
    int color;        /* index into color_names */
    bool tables;      /* show people the tables, not only the answers */
    bool brief;       /* of them only as many rows as a screen holds */
    bool quiet;       /* no warnings on standard error */
    bool keep;        /* write to another place where path cannot be written */
};

struct output;

/* Opens the destination before anything is measured: a missing folder is found at once. A file is written
 * next to its destination and renamed over it by output_close, so that it is whole or absent. Returns NULL
 * with *fault set. */
struct output *output_open(const struct output_choice *choice, struct record *record, struct fault *fault);
/* Writes the record and reports every write error; frees output. */
enum status output_close(struct output *output, struct fault *fault);
/* Frees output without writing; a destination file stays as it was. For a command that failed before it had
 * any result. */
void output_discard(struct output *output);

/* Shows one line on standard error with the share done and the time left; silent unless standard error is a
 * terminal. progress_new returns NULL where nothing is to be shown, which the other functions accept. */
struct progress;
struct progress *progress_new(bool wanted);
/* done: 0..1; eta_s: seconds left, negative: unknown; what: a word or two, borrowed for the call. */
void progress_show(struct progress *progress, double done, double eta_s, const char *what);
/* From here on progress is that of part `index` of `count`, called `name` (borrowed); after_s: the time that
 * the later parts take, NaN: unknown. */
void progress_part(struct progress *progress, const char *name, int index, int count, double after_s);
/* From here on progress is that of a turn of the part, or of the run, called `name` (borrowed; NULL: turns
 * are over), behind `over` of `count` turns that take equally long. */
void progress_turn(struct progress *progress, const char *name, int over, int count);
/* Clears the line and frees. */
void progress_free(struct progress *progress);
