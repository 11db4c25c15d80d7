/* SPDX-License-Identifier: MIT */
/* `uarchprobe compare`: results in files held against the first of them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "choice.h"
#include "output/scratch.h"
#include "result/subject.h"
#include "tables.h"
#include "uarchprobe/command.h"

struct params {
    struct choice choice;
    bool force;
    struct name_list labels;
};

enum { FILES_MAX = 64 };

/* The name of a file without its folders, as results are public. */
static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* "Genoa" of "Genoa (Zen 4)", "Emerald R." of "Emerald Rapids"; NULL: unknown. */
static const char *short_codename(const struct results *file)
{
    enum { WIDE = 10 };
    const char *codename = fact_text(file->documents.of[0], "host.cpu.codename", NULL);
    const char *end = codename ? strstr(codename, " (") : NULL;
    const size_t length = end        ? (size_t)(end - codename)
                          : codename ? strlen(codename)
                                     : 0,
                 word = codename ? strcspn(codename, " ") : 0;
    return !codename                        ? NULL
           : length > WIDE && word < length ? spell("%.*s %c.", (int)word, codename, codename[word + 1])
                                            : spell("%.*s", (int)length, codename);
}

/* Names the files: as the user did, by a machine's code name that no other has, else by their own names.
 * Sets the subject. */
static const char **names_of(struct run *run, size_t count, const struct results *files,
                             const struct name_list *labels)
{
    const char **names = record_own(run->record, memory_zeroed(count, sizeof(*names)));
    struct text all = {0};
    for (size_t i = 0; i < count; i++) {
        const char *path = files[i].path, *dot = strrchr(path, '.'), *name = short_codename(&files[i]);
        for (size_t k = 0; k < count && name; k++) {
            const char *other = k == i ? NULL : short_codename(&files[k]);
            name = other && strcmp(name, other) == 0 ? NULL : name;
        }
        if (!name)
            name = spell("%.*s", (int)(dot > path ? (size_t)(dot - path) : strlen(path)), path);
        names[i] = labels->count ? labels->name[i] : record_own_text(run->record, name);
        text_printf(&all, "%s%s", i == 0 ? "" : i + 1 < count ? ", " : " and ", names[i]);
    }
    RECORD_FACTS(run->record, {"run.subject", .value = TEXT_CELL(all.data)});
    text_free(&all);
    return names;
}

static void add_results(struct run *run, struct comparison *comparison)
{
    const struct params *params = run->params;
    /* The gravest of several files decides the exit code. */
    static const int gravity[] = {[STATUS_UNTRUSTED] = 1, [STATUS_USAGE] = 2, [STATUS_FAILED] = 3};
    compare_results(comparison);
    const char *const *names = names_of(run, comparison->count, comparison->files, &params->labels);
    comparison_warn(comparison, run->record);
    tables_fill(run->record, comparison, names);
    for (size_t file = 1; file < comparison->count; file++) {
        const struct row *undecided = comparison_first(comparison, file, 2);
        struct text line = {0};
        const enum status status = comparison_status(comparison, file);
        run->outcome = gravity[status] > gravity[run->outcome] ? status : run->outcome;
        if (!run->common->strict || !undecided)
            continue;
        row_add_line(comparison, undecided, file, &line);
        record_warning(run->record, "undecided", "cannot be told apart: %s", line.data);
        run->untrusted = true;
        text_free(&line);
    }
}

static enum status compare_files(struct run *run, size_t count, struct fault *fault)
{
    const struct params *params = run->params;
    struct results *files = memory_zeroed(count, sizeof(*files));
    struct comparison comparison = {.choice = &params->choice,
                                    .force = params->force,
                                    .machines = params->labels.count > 0,
                                    .count = count,
                                    .files = files,
                                    .owner = run->record};
    for (size_t i = 0; i < count && fault->status == STATUS_OK; i++) {
        if (results_load(&files[i], run->operands[i], fault) == STATUS_OK && files[i].documents.count > 1)
            fault_set(fault, STATUS_USAGE, "%s: holds %zu results; give a file that holds one",
                      run->operands[i], files[i].documents.count);
        files[i].path = base_name(run->operands[i]);
    }
    if (fault->status == STATUS_OK)
        add_results(run, &comparison);
    comparison_free(&comparison);
    for (size_t i = 0; i < count; i++)
        results_free(&files[i]);
    free(files);
    return fault->status;
}

static enum status run_compare(struct run *run, struct fault *fault)
{
    const struct params *params = run->params;
    const int count = run->operand_count;
    if (count < 2 || count > FILES_MAX)
        return fault_set(fault, STATUS_USAGE, "compare takes 2 to %d files, %d given: compare A.json B.json",
                         FILES_MAX, count);
    if (params->labels.count && params->labels.count != count)
        return fault_set(fault, STATUS_USAGE, "--label has %d names for %d files: --label A,B A.json B.json",
                         params->labels.count, count);
    return compare_files(run, (size_t)count, fault);
}

#define FIELD(name) .offset = offsetof(struct params, name)

static const struct option_row options[] = {
    CHOICE_OPTIONS,
    {.name = "label",
     .kind = OPTION_NAMES,
     FIELD(labels),
     .argument = "A,B...",
     .fallback = "auto",
     .help = "names of machines side by side; none is worse"},
    {.name = "force",
     .kind = OPTION_FLAG,
     FIELD(force),
     .help = "give a verdict though machine or settings differ"},
    {0},
};

extern const struct command compare_command;
const struct command compare_command = {
    .name = "compare",
    .summary = "results side by side: what is better, worse, the same?",
    .description =
        "Reads results that were written by --format json, jsonl or html and holds each further file against "
        "the "
        "first one, answer by answer, in equal states of the SMT sibling and at equal core clock. Worse is "
        "what "
        "differs by more than repeated runs of one machine do and by a rank test of the parts of both runs, "
        "or, of "
        "one thread in the core and in L3, where the ranges do not meet at twice their width; same "
        "means that the threshold would have been seen. All answers of a command are judged together as "
        "well, "
        "which shows less than one alone can.\n"
        "Different machines stand side by side, a column each: they differ, but none is worse.",
    .exit_status =
        "0 nothing is worse; 1 something is, or a count of high trust is another; 2 no verdict, because "
        "settings differ (--force gives one) or nothing is in common; 5 too little can be told apart "
        "(with --strict: not all).",
    .examples = {"uarchprobe compare before.json after.json",
                 "uarchprobe compare --threshold 20 --only 'ram.*.read' before.json after.json",
                 "uarchprobe compare genoa.json turin.json emerald.json -o all.html"},
    .options = options,
    .params_size = sizeof(struct params),
    .operands = "BEFORE AFTER...",
    .honours = HONOURS_QUIET | HONOURS_STRICT | HONOURS_VERBOSE,
    .judges = true,
    .offline = true,
    .run = run_compare,
};
