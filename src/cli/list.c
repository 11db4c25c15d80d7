/* SPDX-License-Identifier: MIT */
/* Kernels for --kernel, by the levels of --isa, and whether they run here. */
#include <stdio.h>
#include <string.h>

#include "base/words.h"
#include "cli/commands.h"

/* A column of a table. */
#define COLUMN(name, heading, kind, part)                                                                    \
    {                                                                                                        \
        .key = (name), .title = (heading), .type = CELL_##kind, .role = ROLE_##part                          \
    }

enum { FEATURES_TEXT = 128 };

/* Names with a blank between two; NULL: the set is empty. */
static const char *features_text(feature_set set, char text[static FEATURES_TEXT])
{
    size_t length = 0;
    for (int i = 0; i < FEATURE_COUNT && length < FEATURES_TEXT; i++) {
        if (set >> i & 1)
            length += (size_t)snprintf(text + length, FEATURES_TEXT - length, "%s%s", length ? " " : "",
                                       feature_name((enum feature)i));
    }
    return set ? text : NULL;
}

static const struct column kernel_columns[] = {
    COLUMN("kernel", "kernel", TEXT, PARAMETER),
    COLUMN("operation", "operation", TEXT, LABEL),
    COLUMN("method", "method", TEXT, LABEL),
    {.key = "element_bits", .title = "el size", .unit = "Bit", .type = CELL_INTEGER, .role = ROLE_LABEL},
    COLUMN("load_mode", "load mode", TEXT, LABEL),
    COLUMN("store_mode", "store mode", TEXT, LABEL),
    COLUMN("needs", "needs", TEXT, LABEL),
    COLUMN("usable", "usable here", BOOL, LABEL),
    COLUMN("lacks", "lacking here", TEXT, LABEL),
};

/* People see the table of tasks. */
static const struct table_spec kernel_table = {
    .name = "kernels",
    .title = "Kernels",
    .note =
        "For --kernel, which takes shell patterns, too. needs: features that CPU and system must have; "
        "lacking here: those that are missing.",
    .columns = kernel_columns,
    .column_count = sizeof kernel_columns / sizeof *kernel_columns,
    .view = {.kind = VIEW_HIDDEN}};

static const struct column task_columns[] = {COLUMN("operation", "task", TEXT, PARAMETER),
                                             COLUMN("level", "level", TEXT, PARAMETER),
                                             COLUMN("kernels", "kernels", INTEGER, MEASURE)};

static const struct table_spec task_table = {
    .name = "tasks",
    .title = "Kernels that run here, by task and level of --isa",
    .note = "A level includes those before it. All kernels, and their needs: list -f tsv",
    .columns = task_columns,
    .column_count = sizeof task_columns / sizeof *task_columns,
    .view = {.kind = VIEW_MATRIX, .derived = true, .x = 1, .y = 0, .value = 2, .series = -1, .shown = -1}};

/* "forward_*" of "forward_split": tasks of one kind, by what is before the first line; of a kind of its
 * own, all. */
static const char *kind_of(int operation, char name[static 64])
{
    const size_t length = strcspn(operation_names[operation], "_") + 1;
    int alike = 0;
    for (int other = 0; operation_names[other]; other++)
        alike += strncmp(operation_names[other], operation_names[operation], length) == 0;
    snprintf(name, 64, "%.*s%s", alike > 1 ? (int)length : 62, operation_names[operation],
             alike > 1 ? "*" : "");
    return name;
}

static void list_tasks(struct run *run)
{
    const size_t table = record_table_add(run->record, &task_table);
    char before[64] = "", kind[64], own[64];
    for (int operation = 0; operation_names[operation]; operation++) {
        if (strcmp(kind_of(operation, kind), before) == 0)
            continue;
        memcpy(before, kind, sizeof before);
        for (const struct isa_level *level = isa_levels; level->name; level++) {
            const feature_set below = level == isa_levels ? 0 : level[-1].features;
            int64_t count = 0;
            for (const struct kernel *kernel = kernels; kernel < kernels + kernel_count; kernel++)
                count += strcmp(kind_of((int)kernel->operation, own), kind) == 0 &&
                         kernel_passes(&run->kernels, kernel) && !(kernel->needs & ~level->features) &&
                         (level == isa_levels || kernel->needs & ~below);
            if (count > 0)
                record_row(
                    run->record, table,
                    (const struct cell[]){TEXT_CELL(kind), TEXT_CELL(level->name), INTEGER_CELL(count)});
        }
    }
}

static enum status list_run(struct run *run, struct fault *fault)
{
    if (run->operand_count > 1 || (run->operand_count == 1 && strcmp(run->operands[0], "kernels") != 0))
        return fault_set(fault, STATUS_USAGE, "no list of %s; there is one: kernels",
                         quote(run->operands[run->operand_count - 1]).text);
    const size_t table = record_table_add(run->record, &kernel_table);
    for (const struct kernel *kernel = kernels; kernel < kernels + kernel_count; kernel++) {
        char needs[FEATURES_TEXT], lacks[FEATURES_TEXT];
        const unsigned bits = kernel_bits(kernel);
        const struct cell row[] = {TEXT_CELL(kernel->name),
                                   TEXT_CELL(operation_names[kernel->operation]),
                                   TEXT_CELL(method_names[kernel->method]),
                                   bits ? INTEGER_CELL(bits) : NO_CELL,
                                   TEXT_CELL(access_names[kernel->load]),
                                   TEXT_CELL(access_names[kernel->store]),
                                   TEXT_CELL(features_text(kernel->needs, needs)),
                                   BOOL_CELL(kernel_passes(&run->kernels, kernel)),
                                   TEXT_CELL(features_text(kernel->needs & ~run->kernels.allowed, lacks))};
        record_row(run->record, table, row);
    }
    list_tasks(run);
    return STATUS_OK;
}

extern const struct command list_command;
const struct command list_command = {
    .name = "list",
    .summary = "which kernels run here, at which level of --isa?",
    .examples = {"uarchprobe list", "uarchprobe list --format tsv"},
    .operands = "[kernels]",
    .run = list_run,
};
