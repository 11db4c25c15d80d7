/* SPDX-License-Identifier: MIT */
/* What there is to choose from: commands, levels for --isa, kernels for --kernel, and whether they run here.
 */
#include <stdio.h>
#include <string.h>

#include "cli/commands.h"

enum { FEATURES_TEXT = 128, LIST_COUNT = 3 };

/* Names of a set of features, or NO_CELL for the empty set; the cell points into `text`. */
static struct cell features_cell(feature_set set, char text[static FEATURES_TEXT])
{
    size_t length = 0;
    for (int i = 0; i < FEATURE_COUNT && length < FEATURES_TEXT; i++) {
        if (set >> i & 1)
            length += (size_t)snprintf(text + length, FEATURES_TEXT - length, "%s%s", length ? " " : "",
                                       feature_name((enum feature)i));
    }
    return set ? TEXT_CELL(text) : NO_CELL;
}

enum { COMMAND_NAME, COMMAND_SUMMARY, COMMAND_COLUMNS };

static const struct column command_columns[COMMAND_COLUMNS] = {
    [COMMAND_NAME] = {.key = "command", .title = "command", .type = CELL_TEXT, .role = ROLE_PARAMETER},
    [COMMAND_SUMMARY] = {.key = "summary", .title = "summary", .type = CELL_TEXT, .role = ROLE_LABEL},
};

static const struct table_spec command_table = {
    .name = "commands",
    .title = "Commands",
    .note = "\"uarchprobe COMMAND --help\" tells more of each.",
    .columns = command_columns,
    .column_count = COMMAND_COLUMNS,
};

static void list_commands(struct run *run)
{
    size_t table = record_table_add(run->record, &command_table);
    for (const struct command *const *command = commands; *command; command++) {
        const struct cell row[COMMAND_COLUMNS] = {
            [COMMAND_NAME] = TEXT_CELL((*command)->name),
            [COMMAND_SUMMARY] = TEXT_CELL((*command)->summary),
        };
        record_row(run->record, table, row);
    }
}

enum { LEVEL_NAME, LEVEL_KERNELS, LEVEL_USABLE, LEVEL_COLUMNS };

static const struct column level_columns[LEVEL_COLUMNS] = {
    [LEVEL_NAME] = {.key = "level", .title = "level", .type = CELL_TEXT, .role = ROLE_PARAMETER},
    [LEVEL_KERNELS] = {.key = "kernels", .title = "kernels", .type = CELL_INTEGER, .role = ROLE_LABEL},
    [LEVEL_USABLE] = {.key = "usable", .title = "usable here", .type = CELL_INTEGER, .role = ROLE_LABEL},
};

static const struct table_spec level_table = {
    .name = "levels",
    .title = "Levels of --isa",
    .note =
        "Each level includes those above it. kernels: how many it lets through; usable here: how many of "
        "these can run on this CPU and operating system.",
    .columns = level_columns,
    .column_count = LEVEL_COLUMNS,
};

static int64_t count_kernels(feature_set allowed)
{
    const struct kernel_filter filter = {.allowed = allowed};
    int64_t count = 0;
    for (size_t i = 0; i < kernel_count; i++)
        count += kernel_passes(&filter, &kernels[i]);
    return count;
}

static void list_levels(struct run *run)
{
    size_t table = record_table_add(run->record, &level_table);
    for (const struct isa_level *level = isa_levels; level->name; level++) {
        const struct cell row[LEVEL_COLUMNS] = {
            [LEVEL_NAME] = TEXT_CELL(level->name),
            [LEVEL_KERNELS] = INTEGER_CELL(count_kernels(level->features)),
            [LEVEL_USABLE] = INTEGER_CELL(count_kernels(level->features & run->kernels.allowed)),
        };
        record_row(run->record, table, row);
    }
}

enum {
    KERNEL_NAME,
    KERNEL_OPERATION,
    KERNEL_METHOD,
    KERNEL_BITS,
    KERNEL_LOAD,
    KERNEL_STORE,
    KERNEL_NEEDS,
    KERNEL_USABLE,
    KERNEL_LACKS,
    KERNEL_COLUMNS
};

#define TEXT_COLUMN(name, heading, part)                                                                     \
    {                                                                                                        \
        .key = (name), .title = (heading), .type = CELL_TEXT, .role = (part)                                 \
    }

static const struct column kernel_columns[KERNEL_COLUMNS] = {
    [KERNEL_NAME] = {.key = "kernel", .title = "kernel", .type = CELL_KERNEL, .role = ROLE_PARAMETER},
    [KERNEL_OPERATION] = TEXT_COLUMN("operation", "operation", ROLE_LABEL),
    [KERNEL_METHOD] = TEXT_COLUMN("method", "method", ROLE_LABEL),
    [KERNEL_BITS] =
        {.key = "element_bits", .title = "el size", .unit = "Bit", .type = CELL_INTEGER, .role = ROLE_LABEL},
    [KERNEL_LOAD] = TEXT_COLUMN("load_mode", "load mode", ROLE_LABEL),
    [KERNEL_STORE] = TEXT_COLUMN("store_mode", "store mode", ROLE_LABEL),
    [KERNEL_NEEDS] = TEXT_COLUMN("needs", "needs", ROLE_LABEL),
    [KERNEL_USABLE] = {.key = "usable", .title = "usable here", .type = CELL_BOOL, .role = ROLE_LABEL},
    [KERNEL_LACKS] = TEXT_COLUMN("lacks", "lacking here", ROLE_LABEL),
};

static const struct table_spec kernel_table = {
    .name = "kernels",
    .title = "Kernels",
    .note =
        "For --kernel, which takes shell patterns too. needs: features of the CPU that its system must "
        "support "
        "too; lacking here: those that are not to be had.",
    .columns = kernel_columns,
    .column_count = KERNEL_COLUMNS,
};

static void list_kernels(struct run *run)
{
    size_t table = record_table_add(run->record, &kernel_table);
    for (const struct kernel *kernel = kernels; kernel < kernels + kernel_count; kernel++) {
        char needs[FEATURES_TEXT], lacks[FEATURES_TEXT];
        unsigned bits = kernel_bits(kernel);
        const struct cell row[KERNEL_COLUMNS] = {
            [KERNEL_NAME] = TEXT_CELL(kernel->name),
            [KERNEL_OPERATION] = TEXT_CELL(operation_names[kernel->operation]),
            [KERNEL_METHOD] = TEXT_CELL(method_names[kernel->method]),
            [KERNEL_BITS] = bits ? INTEGER_CELL(bits) : NO_CELL,
            [KERNEL_LOAD] = TEXT_CELL(access_names[kernel->load]),
            [KERNEL_STORE] = TEXT_CELL(access_names[kernel->store]),
            [KERNEL_NEEDS] = features_cell(kernel->needs, needs),
            [KERNEL_USABLE] = BOOL_CELL(kernel_passes(&run->kernels, kernel)),
            [KERNEL_LACKS] = features_cell(kernel->needs & ~run->kernels.allowed, lacks),
        };
        record_row(run->record, table, row);
    }
}

static const struct {
    const char *name;
    void (*write)(struct run *run);
} lists[LIST_COUNT] = {{"commands", list_commands}, {"levels", list_levels}, {"kernels", list_kernels}};

static enum status choose(const struct run *run, bool chosen[static LIST_COUNT], struct fault *fault)
{
    for (int i = 0; i < run->operand_count; i++) {
        int list = 0;
        while (list < LIST_COUNT && strcmp(lists[list].name, run->operands[i]) != 0)
            list++;
        if (list == LIST_COUNT)
            return fault_set(fault, STATUS_USAGE, "no list of '%.64s'; there are: commands, levels, kernels",
                             run->operands[i]);
        chosen[list] = true;
    }
    return STATUS_OK;
}

static enum status list_run(struct run *run, struct fault *fault)
{
    bool chosen[LIST_COUNT] = {false};
    enum status status = choose(run, chosen, fault);
    if (status != STATUS_OK)
        return status;
    for (int i = 0; i < LIST_COUNT; i++) {
        if (run->operand_count == 0 || chosen[i])
            lists[i].write(run);
    }
    return STATUS_OK;
}

extern const struct command list_command;
const struct command list_command = {
    .name = "list",
    .summary = "show the commands, the levels of --isa and the kernels, and what can run here",
    .description = "Without an argument all of them are shown.",
    .examples = {"uarchprobe list", "uarchprobe list kernels", "uarchprobe list levels --format tsv"},
    .operands = "[commands|levels|kernels]...",
    .run = list_run,
};
