/* SPDX-License-Identifier: MIT */
/* `uarchprobe submit`: the answers of a result, small enough and bare enough for a collection of machines (results/). */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/baseline.h"
#include "output/output.h"
#include "result/subject.h"
#include "uarchprobe/command.h"
#include "uarchprobe/record.h"

struct params {
    const char *machine;
};

/* Why a collection would refuse it; NULL: it would not. */
static const char *reason_against(const struct record *record)
{
    if (record_is_emulated(record))
        return "it was emulated, so its times are of no CPU";
    if (!fact_is(record, "run.complete", true))
        return "its run is incomplete";
    if (!record_has_results(record) || record->children.count == 0)
        return "it is no result of `uarchprobe report`";
    return record_fact_find(record, "host.cpu.brand") ? NULL : "it does not say which CPU it is of";
}

/* From a terminal a line is asked for. The answer is the caller's to free; NULL: there is none. */
static char *ask_machine(const char *given)
{
    char line[160];
    if (given)
        return text_copy_valid(given);
    if (!isatty(STDIN_FILENO))
        return NULL;
    fputs("Machine, what cannot be measured (\"two sockets, bare metal\", \"m8g.xlarge\"): ", stderr);
    if (!fgets(line, sizeof line, stdin))
        return NULL;
    line[strcspn(line, "\n")] = '\0';
    return *line ? text_copy_valid(line) : NULL;
}

static void add_escaped(struct text *text, const char *part)
{
    for (const char *at = part; *at; at++)
        text_printf(text, isalnum((unsigned char)*at) || strchr("-._~", *at) ? "%c" : "%%%02X",
                    (unsigned char)*at);
}

/* "results/amd-25-17/kvm.2026-11-22T141342Z.json" */
static void add_place(struct text *text, const struct record *record)
{
    const char *vendor = fact_text(record, "host.cpu.vendor", "unknown"),
               *hypervisor = fact_text(record, "host.hypervisor", "unknown");
    const struct text none = *text;
    vendor = strcmp(vendor, "AuthenticAMD") == 0   ? "amd"
             : strcmp(vendor, "GenuineIntel") == 0 ? "intel"
                                                   : vendor;
    text_printf(text, "results/%s-%.0f-%.0f/%s.%s.json", vendor,
                record_fact_number(record, "host.cpu.family"), record_fact_number(record, "host.cpu.model"),
                strcmp(hypervisor, "none") == 0 ? "metal" : hypervisor,
                fact_text(record, "run.started", "unknown"));
    for (char *at = text->data + none.length; *at; at++)
        *at = (char)(*at == ' ' || *at == ':' ? '-' : tolower((unsigned char)*at));
}

static void say_where(const struct record *record, const char *machine)
{
    const char *home = UARCHPROBE_HOMEPAGE;
    struct text text = {0};
    if (*home) {
        text_printf(&text, "attach it to %s/issues/new?template=result.yml&title=", home);
        add_escaped(&text, "result: ");
        add_escaped(&text, fact_text(record, "host.cpu.brand", "unknown"));
        text_add(&text, "&machine=");
        add_escaped(&text, machine);
        text_add(&text, "; or add it as ");
    } else
        text_printf(&text, "machine: %s; to the collection of a checkout it is added as ", machine);
    add_place(&text, record);
    fprintf(stderr, "uarchprobe: %s\n", text.data);
    text_free(&text);
}

static enum status run_submit(struct run *run, struct fault *fault)
{
    const struct params *params = run->params;
    struct record *given, *slim;
    if (run->operand_count != 1)
        return fault_set(fault, STATUS_USAGE,
                         "submit takes one FILE, a result of `uarchprobe report -o FILE`");
    if (record_load(run->operands[0], &given, fault) != STATUS_OK)
        return fault->status;
    const char *reason = reason_against(given);
    char *machine = reason ? NULL : ask_machine(params->machine);
    if (reason)
        fault_set(fault, STATUS_USAGE, "'%s' cannot be submitted: %s; measure anew with uarchprobe report",
                  run->operands[0], reason);
    else if (!machine)
        fault_set(fault, STATUS_USAGE,
                  "no machine is named: give --machine \"two sockets, bare metal\" or an "
                  "instance type");
    else {
        slim = record_new();
        record_slim(slim, given);
        RECORD_FACTS(slim, {"host.machine", .value = TEXT_CELL(machine)});
        if (!run->common->quiet)
            say_where(slim, machine);
        record_replace(run->record, slim);
        run->replayed = true;
    }
    free(machine);
    record_free(given);
    return fault->status;
}

static const struct option_row options[] = {
    {"machine", 0, OPTION_TEXT, .offset = offsetof(struct params, machine), .argument = "TEXT",
     .help = "what cannot be measured, such as the instance type; asked for on a terminal"},
    {0},
};

extern const struct command submit_command;
const struct command submit_command = {
    .name = "submit",
    .summary = "the answers of a result, for a collection of machines",
    .description =
        "Reads FILE, a result or a page of `uarchprobe report`, and writes its answers alone: no tables, no "
        "command line, no path and no name of a node. Standard error names the form, filled in, to which the "
        "file is attached.",
    .examples = {"uarchprobe submit cpu.html --machine 'm8g.xlarge' -o mine.json"},
    .options = options,
    .params_size = sizeof(struct params),
    .operands = "FILE",
    .honours = HONOURS_QUIET,
    .offline = true,
    .writes_lines = true,
    .run = run_submit,
};
