/* SPDX-License-Identifier: MIT */
#include "cli/baseline.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "compare/settings.h"
#include "output/destination.h"
#include "result/json/json.h"
#include "result/record_internal.h"
#include "result/subject.h"

static bool is_complete(const struct record *command)
{
    return fact_is(command, "run.complete", true) && !fact_text(command, "run.fault", NULL);
}

static bool has_command(const struct record *file, const struct record *command)
{
    for (size_t i = 0; i < file->children.count; i++)
        if (strcmp(fact_text(file->children.of[i], "run.command", ""),
                   fact_text(command, "run.command", "")) == 0)
            return true;
    return false;
}

/* Moves the commands that are complete and that the file lacks; frees the others. The file may be the result
 * itself. */
static size_t move_commands(struct record *file, struct record *result, struct text *sentence)
{
    struct text incomplete = {0};
    const size_t count = result->children.count;
    size_t moved = 0;
    result->children.count = 0;
    for (size_t i = 0; i < count; i++) {
        struct record *command = result->children.of[i];
        const char *name = fact_text(command, "run.command", "");
        if (!is_complete(command))
            text_printf(&incomplete, "%s%s", incomplete.length ? ", " : "", name);
        if (!is_complete(command) || has_command(file, command)) {
            record_free(command);
            continue;
        }
        text_printf(sentence, "%s%s", moved++ ? ", " : "", name);
        LIST_ADD(file->children, command);
        command->parent = file;
    }
    if (incomplete.length)
        text_printf(sentence, "%snot complete: %s", moved ? "; " : "", incomplete.data);
    text_free(&incomplete);
    return moved;
}

/* Whether two results may stand in one file: compare would judge them. */
static bool are_alike(const struct record *file, const struct record *result, const char *path,
                      struct fault *fault)
{
    struct record *owner = record_new();
    struct settings settings = {.owner = owner, .results = 2};
    struct text differing = {0};
    settings_compare(&settings, (const struct record *const[]){file, result});
    if (settings_weight(&settings, 1) >= WEIGHT_DECIDES) {
        settings_write(&settings, 1, WEIGHT_DECIDES, WEIGHT_MACHINE, &differing);
        fault_set(fault, STATUS_USAGE, "'%s' is of another machine or other settings: %.150s", path,
                  differing.data);
    }
    text_free(&differing);
    free(settings.of);
    record_free(owner);
    return fault->status == STATUS_OK;
}

enum status baseline_keep(const char *path, struct record *result, struct text *sentence, struct fault *fault)
{
    struct record *loaded = NULL, *file = result;
    struct destination *destination;
    struct text lines = {0};
    size_t added = 1;
    if (access(path, F_OK) == 0 && record_load(path, &loaded, fault) != STATUS_OK)
        return fault->status;
    if (loaded)
        file = loaded;
    if (record_is_emulated(result))
        fault_set(fault, STATUS_USAGE, "this run was emulated, so it is no baseline");
    else if (!loaded || are_alike(loaded, result, path, fault)) {
        if (result->children.count > 0)
            added = move_commands(file, result, sentence);
        else if (loaded || !is_complete(result))
            added = 0;
        else
            text_add(sentence, fact_text(result, "run.command", ""));
        if (added == 0 && !loaded)
            fault_set(fault, STATUS_USAGE, "no command of this run is complete, so it is no baseline");
    }
    if (fault->status == STATUS_OK && added > 0 && (destination = destination_open(path, fault))) {
        record_fact(file, (struct fact){.path = "run.complete", .value = BOOL_CELL(true)});
        json_write(file, true, SIZE_MAX, &lines);
        destination_write(destination, lines.data, lines.length, fault);
    }
    text_free(&lines);
    record_free(loaded);
    return fault->status;
}
