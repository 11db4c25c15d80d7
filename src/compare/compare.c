/* SPDX-License-Identifier: MIT */
/* `uarchprobe compare`: results in files held against the first of them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fleet.h"
#include "pictures.h"
#include "tables.h"

struct params {
    struct choice choice;
    bool force, fleet;
    struct name_list labels;
};

enum { FILES_MAX = 64 };

/* The graver of several decides the exit code. */
static enum status graver(enum status a, enum status b)
{
    static const int gravity[] = {[STATUS_UNTRUSTED] = 1, [STATUS_USAGE] = 2, [STATUS_FAILED] = 3};
    return gravity[b] > gravity[a] ? b : a;
}

/* The name of a file without its folders, as results are public. */
static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Sets the heads of columns and the names in pictures, which last as long as the record. */
static void name_both(struct tables *tables, struct run *run, const struct name_list *labels)
{
    struct text both = {0};
    for (int i = 0; i < 2; i++) {
        tables->labels[i] = labels->count ? labels->name[i] : NULL;
        tables->names[i] = labels->count ? labels->name[i] : base_name(run->operands[i]);
    }
    text_printf(&both, "%s and %s", tables->names[0], tables->names[1]);
    RECORD_FACTS(run->record, {"run.subject", .value = TEXT_CELL(both.data)});
    text_free(&both);
}

static void compare_with_first(struct run *run, const struct tables *tables, const struct results *first,
                               const struct results *other)
{
    const struct params *params = run->params;
    struct comparison comparison = {.choice = &params->choice, .side_by_side = params->labels.count > 0};
    struct text undecided = {0};
    compare_results(&comparison, first, other, params->force);
    comparison_warn(&comparison, first, other, run->record);
    tables_fill(tables, &comparison);
    comparison_add_undecided(&comparison, &undecided);
    if (run->common->strict && undecided.length > 0) {
        run->untrusted = true;
        record_warning(run->record, "undecided", "cannot be decided: %s", undecided.data);
    }
    run->outcome = graver(run->outcome, comparison_status(&comparison));
    text_free(&undecided);
    comparison_free(&comparison);
}

static enum status compare_files(struct run *run, struct results *files, size_t count, struct fault *fault)
{
    const struct params *params = run->params;
    struct tables tables = {.record = run->record};
    for (size_t i = 0; i < count; i++) {
        if (results_load(&files[i], run->operands[i], fault) != STATUS_OK)
            return fault->status;
        files[i].path = base_name(run->operands[i]);
    }
    if (count == 2)
        name_both(&tables, run, &params->labels);
    tables_add(&tables, ROWS);
    if (count == 2)
        pictures_add(run->record, tables.names, &files[0], &files[1]);
    tables_add(&tables, SETTINGS);
    tables_add(&tables, ANSWERS);
    for (size_t i = 1; i < count; i++) {
        tables.file = tables.names[0] ? tables.names[1] : files[i].path;
        compare_with_first(run, &tables, &files[0], &files[i]);
    }
    return STATUS_OK;
}

static enum status run_compare(struct run *run, struct fault *fault)
{
    const struct params *params = run->params;
    const int count = run->operand_count;
    if (params->fleet)
        return count > 0 ? fleet_compare(run, &params->choice, fault)
                         : fault_set(fault, STATUS_USAGE, "--fleet judges any number of files: give some");
    if (count < 2 || count > FILES_MAX)
        return fault_set(fault, STATUS_USAGE, "compare takes 2 to %d files, %d given: compare A.json B.json",
                         FILES_MAX, count);
    if (params->labels.count && (params->labels.count != 2 || count != 2))
        return fault_set(fault, STATUS_USAGE, "--label names two files, as in --label old,new A.json B.json");
    struct results *files = memory_zeroed((size_t)count, sizeof(*files));
    compare_files(run, files, (size_t)count, fault);
    for (int i = 0; i < count; i++)
        results_free(&files[i]);
    free(files);
    return fault->status;
}

#define FIELD(name) .offset = offsetof(struct params, name)

static const struct option_row options[] = {
    CHOICE_OPTIONS,
    {.name = "label",
     .kind = OPTION_NAMES,
     FIELD(labels),
     .argument = "A,B",
     .fallback = "auto",
     .help = "two machines under these names; differences, but nothing is worse. auto: before and after"},
    {.name = "fleet",
     .kind = OPTION_FLAG,
     FIELD(fleet),
     .help = "name the machines that lie off; results of machines that ought to be alike"},
    {.name = "force",
     .kind = OPTION_FLAG,
     FIELD(force),
     .help = "give a verdict though machine or settings differ"},
    {0},
};

extern const struct command compare_command;
const struct command compare_command = {
    .name = "compare",
    .summary = "two results: what is better, worse, the same?",
    .description =
        "Reads results that were written by --format json, jsonl or html and compares each further file with "
        "the first one, finding by finding, in equal states of the SMT sibling and at equal core clock. "
        "Worse "
        "is what differs by more than repeated runs of one machine do and by a rank test of the parts of "
        "both "
        "runs; same means that 15 % (or the threshold) would have been seen. All findings of a "
        "command are judged together as well, which shows less than one alone can.\n"
        "--fleet holds any number of machines that ought to be alike against each other and names the "
        "outliers.",
    .exit_status =
        "0 nothing is worse; 1 something is, or a count of high trust is another; 2 no verdict, because "
        "machine or settings differ (--force gives one) or nothing is in common; 5 less than half can be "
        "decided (with --strict: not all).",
    .examples = {"uarchprobe compare before.json after.json",
                 "uarchprobe compare --threshold 20 --only 'ram.*.read' before.json after.json",
                 "uarchprobe compare --label old,new old.json new.json -o both.html"},
    .options = options,
    .params_size = sizeof(struct params),
    .operands = "BEFORE AFTER...",
    .honours = HONOURS_QUIET | HONOURS_STRICT | HONOURS_VERBOSE,
    .judges = true,
    .offline = true,
    .run = run_compare,
};
