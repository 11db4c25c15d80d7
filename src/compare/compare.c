/* SPDX-License-Identifier: MIT */
/* `uarchprobe compare`: results in files held against the first of them. */
#include "compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "result/subject.h"
#include "uarchprobe/load.h"

struct params {
    double threshold; /* percent; 0: the spreads decide */
    bool force;
};

enum { FILES_MAX = 64, RUNS_MAX = 1024 };

/* The results of commands in a file, those within a report included. */
struct runs {
    const char *path;
    struct record_list list;
    size_t count;
    const struct record *run[RUNS_MAX];
};

enum host_column { HOST_FILE, HOST_WHAT, HOST_BEFORE, HOST_AFTER, HOST_COLUMNS };

static const struct column host_columns[HOST_COLUMNS] = {
    [HOST_FILE] = {"file", "file", NULL, CELL_TEXT, ROLE_PARAMETER, 0},
    [HOST_WHAT] = {"fact", "fact", NULL, CELL_TEXT, ROLE_PARAMETER, 0},
    [HOST_BEFORE] = {"before", "before", NULL, CELL_TEXT, ROLE_LABEL, 0},
    [HOST_AFTER] = {"after", "after", NULL, CELL_TEXT, ROLE_LABEL, 0},
};

static const struct table_spec host_table = {.name = "hosts",
                                             .title = "What differs between the machines and tools",
                                             .columns = host_columns,
                                             .column_count = HOST_COLUMNS};

/* Facts that are told when they differ; `decides`: results are then not of the same machine. */
static const struct {
    const char *path, *word;
    bool decides;
} host_facts[] = {
    {"host.arch", "architecture", true},
    {"host.cpu.vendor", "CPU vendor", true},
    {"host.cpu.brand", "CPU", true},
    {"host.cpu.family", "CPU family", true},
    {"host.cpu.model", "CPU model", true},
    {"host.cpu.stepping", "CPU stepping", true},
    {"host.cpu.microcode", "microcode", false},
    {"host.topology.cpus", "CPUs", false},
    {"host.topology.allowed", "CPUs allowed", false},
    {"host.kernel", "kernel", true},
    {"host.hypervisor", "hypervisor", true},
    {"host.governor", "governor", false},
    {"host.turbo", "turbo", false},
    {"host.thp", "transparent huge pages", false},
    {"tool.version", "uarchprobe", false},
    {"tool.git", "uarchprobe's commit", false},
};

static void value_text(const struct record *record, const char *path, char *text, size_t size)
{
    const struct fact *fact = record_fact_find(record, path);
    struct text value = {0};
    if (fact && cell_has_value(&fact->value))
        text_add_cell_human(&value, &fact->value, 6);
    snprintf(text, size, "%s", value.data ? value.data : "unknown");
    text_free(&value);
}

/* Fills the table of hosts; writes the words of what decides into `deciding`. */
static void compare_hosts(struct comparison *comparison, const struct record *before,
                          const struct record *after, char *deciding, size_t size)
{
    deciding[0] = '\0';
    for (size_t i = 0; i < sizeof(host_facts) / sizeof(host_facts[0]); i++) {
        char first[256], second[256];
        const size_t used = strlen(deciding);
        value_text(before, host_facts[i].path, first, sizeof(first));
        value_text(after, host_facts[i].path, second, sizeof(second));
        if (strcmp(first, second) == 0)
            continue;
        const struct cell cells[HOST_COLUMNS] = {
            [HOST_FILE] = TEXT_CELL(comparison->file),
            [HOST_WHAT] = TEXT_CELL(host_facts[i].word),
            [HOST_BEFORE] = TEXT_CELL(first),
            [HOST_AFTER] = TEXT_CELL(second),
        };
        record_row(comparison->record, comparison->hosts, cells);
        if (host_facts[i].decides)
            snprintf(deciding + used, size - used, "%s%s", used ? ", " : "", host_facts[i].word);
    }
}

static const char *command_of(const struct record *run)
{
    return fact_text(run, "run.command", "");
}

/* The result of the same command that stands as far down the file among those of that command. */
static const struct record *partner_of(const struct runs *from, size_t index, const struct runs *in)
{
    size_t rank = 0;
    for (size_t i = 0; i < index; i++)
        rank += strcmp(command_of(from->run[i]), command_of(from->run[index])) == 0;
    for (size_t i = 0; i < in->count; i++) {
        if (strcmp(command_of(in->run[i]), command_of(from->run[index])) == 0 && rank-- == 0)
            return in->run[i];
    }
    return NULL;
}

static void tell_missing(struct record *record, const struct runs *from, const struct runs *in)
{
    for (size_t i = 0; i < from->count; i++) {
        if (!partner_of(from, i, in))
            record_warning(record, "missing_part", "%s is in %s but not in %s: not compared",
                           command_of(from->run[i]), from->path, in->path);
    }
}

static void tell_incomplete(struct record *record, const struct runs *runs)
{
    for (size_t i = 0; i < runs->count; i++) {
        if (subject_is_incomplete(runs->run[i]))
            record_warning(record, "incomplete", "%s in %s is incomplete", command_of(runs->run[i]),
                           runs->path);
    }
}

static void add_verdict(const struct comparison *comparison, const char *deciding)
{
    const struct tally *finding = &comparison->finding_tally, *cell = &comparison->cell_tally;
    char text[512];
    const bool worse = finding->deciding + cell->deciding > 0;
    const bool better = finding->better > 0 || cell->better * 100 > cell->compared;
    const char *verdict = !comparison->same_machine                 ? "none"
                          : finding->compared + cell->compared == 0 ? "nothing to compare"
                          : worse && better                         ? "mixed"
                          : worse                                   ? "worse"
                          : better                                  ? "better"
                          : finding->changed + cell->changed > 0    ? "changed"
                                                                    : "same";
    if (!comparison->same_machine)
        snprintf(text, sizeof(text), "%s: no verdict, because of another %s (--force gives one)",
                 comparison->file, deciding);
    else
        snprintf(
            text, sizeof(text),
            "%s: %s; findings: %zu worse, %zu better, %zu changed, %zu the same, %zu of low trust, %zu only "
            "once; cells: %zu worse, %zu better, %zu changed of %zu",
            comparison->file, verdict, finding->worse, finding->better, finding->changed, finding->none,
            finding->untrusted, finding->missing, cell->worse, cell->better, cell->changed, cell->compared);
    record_finding(comparison->record, (struct finding){.key = "compare.verdict",
                                                        .value = TEXT_CELL(verdict),
                                                        .trust = TRUST_HIGH,
                                                        .text = text});
}

static void compare_runs(struct comparison *comparison, const struct runs *first, const struct runs *second,
                         bool force)
{
    char deciding[256];
    comparison->file = second->path;
    comparison->finding_tally = comparison->cell_tally = (struct tally){0};
    compare_hosts(comparison, first->run[0], second->run[0], deciding, sizeof(deciding));
    comparison->same_machine = force || deciding[0] == '\0';
    if (deciding[0])
        record_warning(comparison->record, "other_machine", "%s and %s are of another %s", first->path,
                       second->path, deciding);
    tell_missing(comparison->record, first, second);
    tell_missing(comparison->record, second, first);
    tell_incomplete(comparison->record, second);
    for (size_t i = 0; i < first->count; i++) {
        const struct record *partner = partner_of(first, i, second);
        if (!partner)
            continue;
        compare_findings(comparison, first->run[i], partner);
        compare_cells(comparison, first->run[i], partner);
    }
    add_verdict(comparison, deciding);
}

/* A report stands for the commands that it ran. */
static enum status collect(struct runs *runs, struct fault *fault)
{
    for (size_t i = 0; i < runs->list.count; i++) {
        const struct record *record = runs->list.record[i];
        const size_t children = record_child_count(record);
        for (size_t j = 0; j < (children ? children : 1); j++) {
            if (runs->count == RUNS_MAX)
                return fault_set(fault, STATUS_USAGE, "%s: holds more than %d results; give fewer",
                                 runs->path, RUNS_MAX);
            runs->run[runs->count++] = children ? record_child_at(record, j) : record;
        }
    }
    return STATUS_OK;
}

static enum status load(struct runs *runs, const char *path, struct fault *fault)
{
    runs->path = path;
    if (record_load_all(path, &runs->list, fault) != STATUS_OK)
        return fault->status;
    return collect(runs, fault);
}

static bool gives_verdict(const struct comparison *comparison)
{
    return comparison->same_machine &&
           comparison->finding_tally.compared + comparison->cell_tally.compared > 0;
}

static enum status compare_files(struct run *run, struct runs *files, size_t count, struct fault *fault)
{
    const struct params *params = run->params;
    struct comparison comparison = {.record = run->record,
                                    .threshold = params->threshold > 0 ? params->threshold / 100 : NAN};
    for (size_t i = 0; i < count; i++) {
        if (load(&files[i], run->operands[i], fault) != STATUS_OK)
            return fault->status;
    }
    comparison.hosts = record_table_add(run->record, &host_table);
    compare_begin(&comparison);
    tell_incomplete(run->record, &files[0]);
    for (size_t i = 1; i < count; i++) {
        compare_runs(&comparison, &files[0], &files[i], params->force);
        if (comparison.finding_tally.deciding + comparison.cell_tally.deciding > 0)
            run->outcome = STATUS_FAILED;
        else if (!gives_verdict(&comparison) && run->outcome == STATUS_OK)
            run->outcome = STATUS_UNSUPPORTED;
    }
    return STATUS_OK;
}

static enum status run_compare(struct run *run, struct fault *fault)
{
    const int count = run->operand_count;
    if (count < 2 || count > FILES_MAX)
        return fault_set(fault, STATUS_USAGE,
                         "compare takes 2 to %d files, %d given: uarchprobe compare BEFORE.json AFTER.json",
                         FILES_MAX, count);
    struct runs *files = calloc((size_t)count, sizeof(*files));
    if (!files)
        return fault_set(fault, STATUS_NO_RESOURCE, "out of memory for %d files", count);
    compare_files(run, files, (size_t)count, fault);
    for (int i = 0; i < count; i++)
        record_list_free(&files[i].list);
    free(files);
    return fault->status;
}

static const struct option_row options[] = {
    {.name = "threshold",
     .kind = OPTION_REAL,
     .offset = offsetof(struct params, threshold),
     .argument = "PERCENT",
     .fallback = "auto",
     .min = 0,
     .max = 1e6,
     .help = "differences up to this count for nothing; auto: up to the spreads of both results together, or "
             "10 percent"},
    {.name = "force",
     .kind = OPTION_FLAG,
     .offset = offsetof(struct params, force),
     .help = "give a verdict though CPU, kernel or hypervisor differ"},
    {0},
};

extern const struct command compare_command;
const struct command compare_command = {
    .name = "compare",
    .summary = "hold results against each other: what became better, worse or stayed the same",
    .description =
        "Reads results that were written by --format json, jsonl or html and compares\n"
        "each further file with the first one, finding by finding and cell by cell.\n"
        "More bytes per second are better, more time is worse; of other units only a\n"
        "change is said. A difference counts from the spreads of both results together,\n"
        "and from 10 percent, because runs a minute apart differ by that where a\n"
        "machine is shared; on a quiet one give a smaller --threshold. A cell in a\n"
        "hundred of a table may be off by chance.\n"
        "Exit code 1 when something is worse, 4 when there is no verdict: nothing in\n"
        "common, or CPU, kernel or hypervisor differ and --force is not given.",
    .examples = {"uarchprobe compare before.json after.json",
                 "uarchprobe compare --threshold 5 before.json after.json",
                 "uarchprobe compare -f markdown before.html after.html"},
    .options = options,
    .params_size = sizeof(struct params),
    .operands = "BEFORE AFTER...",
    .honours = HONOURS_QUIET,
    .offline = true,
    .run = run_compare,
};
