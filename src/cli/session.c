/* SPDX-License-Identifier: MIT */
#include "cli/session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/facts.h"
#include "cli/process.h"
#include "cli/run.h"
#include "output/output.h"
#include "result/subject.h"

/* All that lives as long as one run. */
struct session {
    const struct invocation *invocation;
    struct run run;
    struct cpu cpu;
    struct topology *topology;
    struct clock clock;
    struct output *output;
};

/* What was typed, and of it what says what is measured, not how long: results of other settings are not compared. */
static void record_arguments(const struct session *session)
{
    static const char *const effort[] = {"duration", "from", "raw", "pictures", NULL};
    const struct run *run = &session->run;
    const struct given *given = &run->common->given;
    char path[64];
    for (int i = 0; i < session->invocation->argc; i++) {
        char *word = word_without_folders(i ? session->invocation->argv[i] : "uarchprobe");
        snprintf(path, sizeof(path), "run.argv.%d", i);
        RECORD_FACTS(run->record, {path, .value = TEXT_CELL(word)});
        free(word);
    }
    for (int i = 0; i < given->count && run->command->measures; i++) {
        const struct option_row *row = given->of[i].row;
        bool meant = row->honours & (HONOURS_CPUS | HONOURS_ISA | HONOURS_KERNEL);
        for (const struct option_row *own = run->command->options; own && own->name; own++)
            meant |= own == row;
        for (const char *const *name = effort; *name; name++)
            meant &= strcmp(*name, row->name) != 0;
        snprintf(path, sizeof(path), "run.settings.%s", row->name);
        if (meant)
            RECORD_FACTS(run->record,
                         {path, .value = TEXT_CELL(given->of[i].text ? given->of[i].text : "given")});
    }
}

/* Identification comes first because libcpuid may move the thread. */
static enum status identify_machine(struct session *session, struct fault *fault)
{
    struct run *run = &session->run;
    const struct common *common = run->common;
    cpu_identify_host(&session->cpu);
    run->cpu = &session->cpu;
    run->topology = session->topology = topology_load(fault);
    if (!session->topology ||
        topology_select(session->topology, &common->cpus, &run->cpus, fault) != STATUS_OK ||
        kernel_filter_init(&run->kernels, session->cpu.features, common->isa, common->kernel, fault) !=
            STATUS_OK)
        return fault->status;
    host_cpu_record(&session->cpu, run->record);
    host_topology_record(session->topology, run->record);
    if (run->command->measures || run->command->needs_clock) {
        clock_calibrate(&session->clock);
        run->clock = &session->clock;
        host_clock_record(&session->clock, run->record);
    }
    return STATUS_OK;
}

/* The destination is opened last, so that nothing but the run itself can fail after it. */
static enum status prepare(struct session *session, struct fault *fault)
{
    const struct run *run = &session->run;
    const struct common *common = run->common;
    const struct output_choice choice = {.format = common->format,
                                         .path = common->output,
                                         .color = common->color,
                                         .tables =
                                             common->verbose || !(run->command->honours & HONOURS_VERBOSE),
                                         .quiet = common->quiet,
                                         .keep = run->command->measures && !common->dry_run};
    version_record(run->record);
    run_announce(run->command, run->record);
    record_arguments(session);
    /* Which of many machines it was, where somebody asks for it: a name of one's own is nobody's business. */
    const char *node = getenv("UARCHPROBE_NODE");
    if (node && *node)
        RECORD_FACTS(run->record, {"run.node", .value = TEXT_CELL(node)});
    if (!run->command->offline && identify_machine(session, fault) != STATUS_OK)
        return fault->status;
    session->output = output_open(&choice, run->record, fault);
    return session->output ? STATUS_OK : fault->status;
}

/* Writes what there is. A command that failed before its first result writes nothing: its fault says it all. */
static enum status write_results(struct session *session, enum status status, struct fault *fault)
{
    struct fault written = {0};
    struct output *output = session->output;
    session->output = NULL;
    if (status != STATUS_OK && interrupt_signal() == 0 && !record_has_results(session->run.record)) {
        output_discard(output);
        return STATUS_OK;
    }
    if (output_close(output, &written) == STATUS_OK &&
        (!session->run.pictures ||
         output_pictures_write(session->run.pictures, session->run.record, &written) == STATUS_OK))
        return STATUS_OK;
    const struct fault ran = *fault;
    if (ran.status == STATUS_OK)
        return fault_set(fault, written.status, "%s", written.text);
    *fault = (struct fault){0}; /* where the results are is said all the same */
    fault_set(fault, ran.status, "%s; %s", ran.text, written.text);
    return written.status;
}

/* A signal that came when all was measured changes nothing of what was written. */
static int exit_code(const struct session *session, enum status ran, enum status written)
{
    const struct run *run = &session->run;
    const enum status failed = ran != STATUS_OK ? ran : written;
    const bool whole = failed == STATUS_OK && fact_is(run->record, "run.complete", true);
    if (interrupt_signal() != 0 && !whole)
        return STATUS_SIGNAL + interrupt_signal();
    if (failed == STATUS_FAILED && run->command->judges)
        return STATUS_USAGE;
    if (failed != STATUS_OK)
        return (int)failed;
    if (run->outcome != STATUS_OK)
        return (int)run->outcome;
    /* Where not all was measured, or nothing, no trust was earned. What is shown of a file, such as a plan, was not to be measured. */
    const bool measured = run->command->measures && !run->common->dry_run;
    const bool empty = measured && !record_has_results(run->record);
    if (run->common->strict && (run->untrusted || empty || (measured && !whole)))
        return STATUS_UNTRUSTED;
    return empty && !run->replayed ? STATUS_FAILED : STATUS_OK;
}

int session_run(const struct invocation *invocation, struct fault *fault)
{
    /* Lists of CPUs are large for a small stack. */
    struct session *session = memory_zeroed(1, sizeof *session);
    session->invocation = invocation;
    session->run = (struct run){.command = invocation->command,
                                .params = invocation->params,
                                .common = &invocation->common,
                                .record = record_new(),
                                .operand_count = invocation->operand_count,
                                .operands = invocation->operands,
                                .interrupted = interrupted,
                                .show_progress = progress_show};
    interrupt_watch();
    enum status status = prepare(session, fault), written = STATUS_OK;
    if (status == STATUS_OK) {
        const struct common *common = session->run.common;
        const bool shows = session->run.command->honours & HONOURS_NO_PROGRESS;
        session->run.progress = progress_new(shows && !common->no_progress && !common->quiet);
        status = run_command(&session->run, fault);
        progress_free(session->run.progress);
        written = write_results(session, status, fault);
    }
    const int code = exit_code(session, status, written);
    if (session->output)
        output_discard(session->output);
    if (session->topology)
        topology_free(session->topology);
    record_free(session->run.record);
    free(session);
    return code;
}
