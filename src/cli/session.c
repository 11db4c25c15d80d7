/* SPDX-License-Identifier: MIT */
#include "cli/session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "base/text.h"
#include "cli/facts.h"
#include "cli/kinds.h"
#include "cli/process.h"
#include "output/output.h"
#include "result/subject.h"
#include "uarchprobe/memory.h"
#include "uarchprobe/own_time.h"
#include "uarchprobe/pin.h"

void run_announce(const struct command *command, struct record *record)
{
    RECORD_FACTS(record, {"run.command", .value = TEXT_CELL(command->name)});
    if (command->measures)
        RECORD_FACTS(record, {"run.summary", .value = TEXT_CELL(command->summary)});
    if (command->method)
        RECORD_FACTS(record, {"run.method", .value = TEXT_CELL(command->method)});
    RECORD_FACTS(record, {"run.complete", .value = BOOL_CELL(false)});
}

/* Answers of the time in which the command, and no other one for it, measured. */
static void record_measuring(const struct run *run, const struct disturbance *during, double seconds,
                             double waited_s)
{
    const struct core_clock *core_clock = run->core_clock;
    if (!core_clock || run->record->children.count > 0)
        return;
    if (run->command->measures && !run->common->dry_run)
        conditions_record_own(run->record, during, seconds, waited_s);
    if (!core_clock_record(core_clock, run->record) || !run->command->measures)
        return;
    RECORD_FACTS(run->record, {"run.looking_share", .value = REAL_CELL(core_clock->probing_s / seconds)});
    conditions_warn(run->record, during, seconds, waited_s, core_clock->stopped_s);
    /* A run that ended before its first answer may have tables. */
    record_warn_emulated(run->record);
}

enum status run_command(struct run *run, struct fault *fault)
{
    struct core_clock core_clock = {0}, *of_caller = run->core_clock;
    struct disturbance start;
    struct fault taken = {0}, *taken_before = run->taken;
    char started[32] = "";
    const time_t now = time(NULL);
    strftime(started, sizeof(started), "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &(struct tm){0}));
    RECORD_FACTS(run->record, {"run.started", .value = TEXT_CELL(started)});
    run->taken = &taken;
    if (run->clock)
        core_clock_init(&core_clock, run->clock);
    run->core_clock = run->clock ? &core_clock : NULL;
    disturbance_read(&start);
    const struct stopwatch stopwatch = stopwatch_start();
    enum status status = kinds_run(run, fault);
    if (status == STATUS_OK && taken.status != STATUS_OK)
        status = fault_set(fault, taken.status, "%s", taken.text);
    /* What moved then was moved by whoever took the CPU, not by a host. */
    if (taken.status != STATUS_OK) {
        run->record->conditions.cpu_was_taken = true;
        run->record->conditions.moves = -1;
        run->record->conditions.shared_core = 0;
        run->record->conditions.hidden_l3 = 0;
    }
    if (taken.status != STATUS_OK && taken_before && taken_before->status == STATUS_OK)
        *taken_before = taken;
    const double seconds = (double)(clock_now_ns() - stopwatch.begin_ns) * 1e-9,
                 waited_s = stopwatch_waited_s(&stopwatch);
    const struct disturbance during = disturbance_since(&start);
    if (!run->replayed) {
        const bool complete = status == STATUS_OK && !run->interrupted(NULL) && !run->left_out;
        RECORD_FACTS(run->record, {"run.seconds", .value = REAL_CELL(seconds)},
                     {"run.complete", .value = BOOL_CELL(complete)});
        if (fault->status != STATUS_OK)
            RECORD_FACTS(run->record, {"run.fault", .value = TEXT_CELL(fault->text)},
                         {"run.status", .value = INTEGER_CELL(status)});
        record_measuring(run, &during, seconds, waited_s);
    }
    /* A report's readings of the core clock are those of its commands. */
    for (size_t i = 0; of_caller && i < core_clock.ghz.count; i++)
        samples_add(&of_caller->ghz, core_clock.ghz.value[i]);
    if (!of_caller && !run->replayed && run->core_clock && !run->command->judges && !run->common->dry_run)
        conditions_record(run->record, run->cpu, &run->core_clock->ghz, steal_share(&during, seconds));
    core_clock_free(&core_clock);
    run->core_clock = of_caller;
    run->taken = taken_before;
    return status;
}

void *run_params(const struct command *command, void (*change)(void *params))
{
    void *params = memory_zeroed(1, command->params_size);
    options_default(command->options, params);
    if (change)
        change(params);
    return params;
}

bool run_can_measure(const struct run *run, const struct command *command, struct record *record)
{
    struct fault unpinned = {0};
    const bool has_cpus = run->cpus.count >= command->cpus_least;
    if (command->cpus_least < 2 ||
        (has_cpus &&
         (run->common->dry_run || pin_prove(run->cpus.id[0], run->cpus.id[1], &unpinned) == STATUS_OK)))
        return true;
    const char *reason = has_cpus ? "threads are not pinned" : "needs two CPUs";
    if (run->common->dry_run)
        RECORD_FACTS(record, {"plan.reason", "not measured", NULL, TEXT_CELL(reason)});
    else
        record_answer(record, (struct answer){.key = record_text(record, "%s.not_here", command->name),
                                              .label = record_text(record, "%s: not measured", command->name),
                                              .trust = TRUST_LOW,
                                              .limited_by = LIMITED_BY_REPETITION,
                                              .unpromised = true,
                                              .remark = reason});
    RECORD_FACTS(record, {"run.complete", .value = BOOL_CELL(true)});
    return false;
}

enum status run_other(const struct run *run, const struct command *command, void *params, double budget_s,
                      struct record *record, struct fault *fault)
{
    struct run *other = memory_zeroed(1, sizeof *other); /* too large for the stack, as the options are */
    struct common *common = memory_zeroed(1, sizeof *common);
    *common = *run->common;
    common->time_budget = budget_s;
    common->is_share = !(run->common->time_budget > 0) || run->common->is_share;
    *other = *run;
    other->command = command;
    other->params = params;
    other->common = common;
    other->record = record;
    other->operand_count = 0;
    other->in_report = true;
    other->left_out = false;
    const enum status status = run_command(other, fault);
    free(other);
    free(common);
    free(params);
    return status;
}

/* The objects that live as long as one run. */
struct session {
    const struct invocation *invocation;
    struct run run;
    struct cpu cpu;
    struct topology *topology;
    struct clock clock;
    struct output *output;
};

/* A word of a command line as results have it, which are for others to read: "-o/srv/me/x.json" as
 * "-ox.json". */
static char *word_without_folders(const char *word)
{
    struct text bare = {0};
    const char *value = strncmp(word, "--", 2) == 0 ? strchr(word, '=')
                        : word[0] == '-' && word[1] ? word + 1
                                                    : NULL;
    const char *rest = value ? value + 1 : word, *begin = rest;
    for (const char *at = rest; *at; at++) {
        if (*at == '/' && at[1] && at[1] != '/')
            begin = at + 1;
    }
    text_add_bytes(&bare, word, (size_t)(rest - word));
    text_add(&bare, begin);
    return text_take(&bare);
}

/* The command line, and its settings (options of what is measured, not for how long): `compare` refuses
 * other settings. */
static void record_arguments(const struct session *session)
{
    static const char *const effort[] = {"duration", "from", "raw", NULL};
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
        host_clock_record(&session->cpu, &session->clock, run->record);
    }
    return STATUS_OK;
}

/* Opens the destination last: only the run itself can fail after it. */
static enum status prepare(struct session *session, struct fault *fault)
{
    const struct run *run = &session->run;
    const struct common *common = run->common;
    const bool has_verbose = run->command->honours & HONOURS_VERBOSE;
    const struct output_choice choice = {.format = common->format,
                                         .path = common->output,
                                         .color = common->color,
                                         .tables = common->verbose || !has_verbose,
                                         .brief = !has_verbose,
                                         .quiet = common->quiet,
                                         .keep = run->command->measures && !common->dry_run};
    version_record(run->record);
    run_announce(run->command, run->record);
    record_arguments(session);
    /* The name of the machine, only where somebody asks for it. */
    const char *node = getenv("UARCHPROBE_NODE");
    if (node && *node)
        RECORD_FACTS(run->record, {"run.node", .value = TEXT_CELL(node)});
    if (!run->command->offline && identify_machine(session, fault) != STATUS_OK)
        return fault->status;
    session->output = output_open(&choice, run->record, fault);
    return session->output ? STATUS_OK : fault->status;
}

/* Writes the results. A command that failed before its first one writes none: its fault says why. */
static enum status write_results(struct session *session, enum status status, struct fault *fault)
{
    struct fault written = {0};
    const bool has_stdout = !session->run.ran || session->run.common->output;
    if (!has_stdout ||
        (status != STATUS_OK && interrupt_signal() == 0 && !record_has_results(session->run.record))) {
        output_discard(session->output);
        session->output = NULL;
        return STATUS_OK;
    }
    /* Where memory runs out in it, it is called again. */
    const enum status closed = output_close(session->output, &written);
    session->output = NULL;
    if (closed == STATUS_OK)
        return STATUS_OK;
    const struct fault ran = *fault;
    if (ran.status == STATUS_OK)
        return fault_set(fault, written.status, "%s", written.text);
    *fault = (struct fault){0}; /* the place of the results is named in any case */
    fault_set(fault, ran.status, "%s; %s", ran.text, written.text);
    return written.status;
}

/* Memory that nothing uses before the rest has run out: the results are then written with it. */
enum { RESERVE_MOST = 4 << 20, RESERVE_LEAST = 1 << 16, RESERVE_PART = 4 };
static struct reserve {
    struct session *session;
    void *memory;
    size_t bytes;
} reserve;

/* Writes what was measured before memory ran out, and says how much was missing. The allocation that failed
 * returns nowhere: its caller has no other way on. */
static void save_results(size_t bytes)
{
    struct session *session = reserve.session;
    struct fault fault = {0};
    struct text asked = {0}, limit = {0};
    uint64_t limit_bytes;
    if (reserve.memory)
        munmap(reserve.memory, reserve.bytes);
    const char *name = memory_limit(&limit_bytes);
    text_add_size_rounded(&asked, (int64_t)bytes);
    if (name)
        text_add_size_rounded(&limit, (int64_t)limit_bytes);
    fault_set(&fault, STATUS_NO_RESOURCE, "out of memory: %s more could not be had%s%s%s%s%s", asked.data,
              name ? ", and the limit is " : "", name ? limit.data : "", name ? " (" : "", name ? name : "",
              name ? "): raise it, or measure less (--quick, fewer commands)"
                   : ": free some memory, or measure less (--quick, fewer commands)");
    progress_free(session->run.progress);
    RECORD_FACTS(session->run.record, {"run.complete", .value = BOOL_CELL(false)},
                 {"run.fault", .value = TEXT_CELL(fault.text)},
                 {"run.status", .value = INTEGER_CELL(STATUS_NO_RESOURCE)});
    if (session->output)
        write_results(session, STATUS_NO_RESOURCE, &fault);
    fprintf(stderr, "uarchprobe: %s\n", fault.text);
}

/* A judgement, or a result that is only shown, is nothing without its end. */
static void keep_reserve(struct session *session)
{
    if (!session->run.command->measures || session->run.command->judges || session->run.common->dry_run)
        return;
    const uint64_t part = memory_room() / RESERVE_PART;
    reserve = (struct reserve){.session = session, .bytes = part < RESERVE_MOST ? part : RESERVE_MOST};
    while ((reserve.memory = mmap(NULL, reserve.bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
                                  -1, 0)) == MAP_FAILED &&
           reserve.bytes > RESERVE_LEAST)
        reserve.bytes /= 2;
    if (reserve.memory == MAP_FAILED)
        reserve.memory = NULL;
    memory_rescue(save_results);
}

/* A signal after the last measurement changes no written result. */
static int exit_code(const struct session *session, enum status ran, enum status written)
{
    const struct run *run = &session->run;
    const enum status failed = ran != STATUS_OK ? ran : written;
    if (run->ran && (run->outcome != STATUS_OK || failed == STATUS_OK))
        return (int)run->outcome;
    const bool whole = failed == STATUS_OK && fact_is(run->record, "run.complete", true);
    if (interrupt_signal() != 0 && !whole)
        return STATUS_SIGNAL + interrupt_signal();
    if (failed == STATUS_FAILED && run->command->judges)
        return STATUS_USAGE;
    if (failed != STATUS_OK)
        return (int)failed;
    if (run->outcome != STATUS_OK)
        return (int)run->outcome;
    /* A measurement that is incomplete, or that answers nothing, earns no trust. A plan, or a result read
     * from a file, is none. */
    const bool measured = run->command->measures && !run->common->dry_run;
    const bool empty = measured && !run->replayed && !record_has_values(run->record);
    const bool answers = record_has_answers(run->record) || !measured || run->replayed;
    if (run->common->strict && (run->untrusted || !answers || (measured && !whole)))
        return STATUS_UNTRUSTED;
    return empty ? STATUS_FAILED : STATUS_OK;
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
        keep_reserve(session);
        status = run_command(&session->run, fault);
        progress_free(session->run.progress);
        session->run.progress = NULL;
        written = write_results(session, status, fault);
    }
    const int code = exit_code(session, status, written);
    if (session->output)
        output_discard(session->output);
    if (session->topology)
        topology_free(session->topology);
    memory_rescue(NULL);
    if (reserve.memory)
        munmap(reserve.memory, reserve.bytes);
    reserve = (struct reserve){0};
    record_free(session->run.record);
    free(session);
    return code;
}
