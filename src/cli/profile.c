/* SPDX-License-Identifier: MIT */
#include "cli/profile.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/facts.h"
#include "cli/kinds.h"
#include "cli/options.h"
#include "cli/session.h"
#include "output/output.h"
#include "result/subject.h"
#include "uarchprobe/experiment.h"
#include "uarchprobe/pin.h"

extern const struct command ram_command, sb_capacity_command, core_latency_command;

/* All parts; those that take no more where there is time left, which memory gets; a command that only a
 * baseline asks for. */
static const double TOTAL_S = 15, RAM_LEAST_S = 5, PAIRS_S = 3, CLOCKS_S = 1.5, GROUPS_S = 4, WITNESS_S = 0.4,
                    OTHER_S = 2;
/* Of a core in a round: until it has left its sleep and raised its clock, and for readings. */
static const uint64_t WAKE_NS = 2000000, READ_NS = 1000000;
enum { ENDS_MOST = 24, NEAR_ENDS = 3, CORE_ROUNDS = 4 };

void profile_plan(double *seconds, size_t others, int groups)
{
    const double all =
        RAM_LEAST_S + PAIRS_S + WITNESS_S + CLOCKS_S + (groups > 1) * GROUPS_S + (double)others * OTHER_S;
    const double scale = fmin(1, TOTAL_S / all);
    seconds[PART_RAM] = scale * RAM_LEAST_S + fmax(0, TOTAL_S - all);
    seconds[PART_PAIRS] = scale * PAIRS_S;
    seconds[PART_CORES] = scale * (CLOCKS_S + (groups > 1) * GROUPS_S);
    seconds[PART_WITNESS] = scale * WITNESS_S;
    for (size_t i = 0; i < others; i++)
        seconds[PARTS + i] = scale * OTHER_S;
}

void profile_ends(const struct topology *topology, const struct cpu_list *allowed, struct cpu_list *ends)
{
    int groups[ENDS_MOST], seen[ENDS_MOST] = {0}, known = 0;
    ends->count = 0;
    for (int i = 0; i < allowed->count && ends->count < ENDS_MOST; i++) {
        const int l3 = topology_place(topology, allowed->id[i])->l3;
        int group = 0;
        while (group < known && groups[group] != l3)
            group++;
        if (group == known && known < ENDS_MOST - NEAR_ENDS)
            groups[known++] = l3;
        if (group < known && (seen[group]++ == 0 || (group == 0 && seen[0] <= NEAR_ENDS)))
            ends->id[ends->count++] = allowed->id[i];
    }
}

static void ask(const struct command *command, void *params, const struct asked *asked)
{
    for (; asked && asked->option; asked++)
        for (const struct option_row *row = command->options; row->name; row++)
            if (strcmp(row->name, asked->option) == 0)
                option_set(row, params, asked->text, &(struct fault){0});
}

/* Runs a command on these CPUs, with --quick and no other option of `check` but those of all commands. */
static enum status run_part(const struct run *run, const struct command *command, const struct asked *asked,
                            const struct cpu_list *cpus, double seconds, struct record *record,
                            struct fault *fault)
{
    struct run *own = memory_zeroed(1, sizeof *own); /* too large for the stack, as the options are */
    struct common *common = memory_zeroed(1, sizeof *common);
    *own = *run;
    *common = *run->common;
    common->quick = true;
    common->repeat = 0;
    common->strict = false;
    own->common = common;
    own->cpus = cpus ? *cpus : run->cpus;
    void *params = run_params(command, asked ? NULL : command->in_report);
    ask(command, params, asked);
    const enum status status = run_other(own, command, params, seconds, record, fault);
    free(common);
    free(own);
    return status;
}

struct cores {
    const struct run *run;
    struct core_clock clock;
    struct cpu_list first; /* CPU of each core */
};

/* Of each core in turn, by the thread that measures; back home the engine probes the machine. */
static bool sample_core(void *context, size_t first, size_t count, double *value, struct fault *fault)
{
    struct cores *cores = context;
    struct samples ghz = {0};
    const int home = pin_wanted();
    *value = NAN;
    if (pin_self(cores->first.id[first], fault) != STATUS_OK)
        return false;
    const uint64_t begin_ns = clock_now_ns();
    while (clock_now_ns() < begin_ns + WAKE_NS + READ_NS) {
        const double read = core_clock_read(&cores->clock);
        if (clock_now_ns() > begin_ns + WAKE_NS)
            samples_add(&ghz, read);
    }
    *value = median_of(ghz.value, ghz.count);
    samples_free(&ghz);
    return pin_self(home, fault) == STATUS_OK;
}

/* The median and the slowest. */
static void add_clocks(struct run *run, const struct cores *cores, const struct engine_data *data)
{
    struct estimate estimate, slowest = {.value = INFINITY};
    struct samples all = {0};
    char cpu[24] = "";
    for (int i = 0; i < cores->first.count; i++) {
        if (!engine_estimate(data, (size_t)i, STATE_MIXED, 0.5, &estimate))
            continue;
        samples_add(&all, estimate.value);
        if (estimate.value >= slowest.value)
            continue;
        slowest = estimate;
        snprintf(cpu, sizeof cpu, "CPU %d", cores->first.id[i]);
    }
    if (all.count > 0) {
        const struct verdict verdict = trust_judge(&slowest, &promise_beyond);
        struct answer answer = answer_of(&slowest, verdict), middle = answer;
        answer.key = "cores.slowest";
        answer.label = "clock, slowest core";
        answer.remark = answer.remark ? answer.remark : cpu;
        middle.key = "cores.clock";
        middle.label = "clock, cores together";
        middle.value = REAL_CELL(median_of(all.value, all.count));
        middle.low = middle.high = NO_CELL;
        middle.parts.count = 0;
        answer.unit = middle.unit = "GHz";
        record_answer(run->record, middle);
        record_answer(run->record, answer);
    }
    samples_free(&all);
}

static void measure_clocks(struct run *run, struct cores *cores, struct fault *fault)
{
    struct engine_data data = {0};
    struct engine_host host = {.run = run, .what = "cores"};
    const struct engine_bench bench = {
        .context = cores, .points = (size_t)cores->first.count, .width = 1, .sample = sample_core};
    const struct engine_effort effort = {.least = CORE_ROUNDS,
                                         .most = CORE_ROUNDS,
                                         .budget_s = fmin(CLOCKS_S, run->common->time_budget),
                                         .is_wall = true,
                                         .begin = stopwatch_start()};
    core_clock_init(&cores->clock, run->clock);
    if (pin_self(run->cpus.id[0], fault) == STATUS_OK &&
        engine_host_run(&host, &bench, &effort, &data, fault) != ENGINE_FAILED)
        add_clocks(run, cores, &data);
    engine_data_free(&data);
    core_clock_free(&cores->clock);
}

/* CPUs of one L3 follow each other. */
static int groups_of(const struct topology *topology, const struct cpu_list *ends)
{
    int groups = 0, last = -1;
    for (int i = 0; i < ends->count; i++) {
        const int group = topology_place(topology, ends->id[i])->l3;
        groups += group >= 0 && group != last;
        last = group;
    }
    return groups;
}

/* The last cache of each of several groups, by its first CPU, as `ram` measures it. */
static void measure_groups(const struct run *run, const struct cpu_list *ends, int groups, double seconds)
{
    static const char *const kinds[] = {"read", "latency"};
    char size[24], key[48], label[48];
    const struct asked asked[] = {
        {"size", size}, {"task", "read,latency"}, {"method", "vector"}, {NULL, NULL}};
    for (int i = 0, last = -1; i < ends->count && !run_has_ended(run); i++) {
        const int group = topology_place(run->topology, ends->id[i])->l3;
        const uint64_t bytes = topology_cache_bytes(run->topology, ends->id[i], 3) / 4;
        if (bytes == 0)
            continue;
        snprintf(size, sizeof size, "%llu", (unsigned long long)bytes);
        struct cpu_list one = {.count = 1, .id = {ends->id[i]}};
        struct record *record = record_new();
        if (group != last && run_part(run, &ram_command, asked, &one, seconds / groups, record,
                                      &(struct fault){0}) == STATUS_OK)
            for (size_t k = 0; k < record->answers.count; k++)
                for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; kind++) {
                    struct answer answer = record->answers.of[k];
                    const char *name = strrchr(answer.key, '.');
                    if (!name || strcmp(name + 1, kinds[kind]) != 0)
                        continue;
                    snprintf(key, sizeof key, "cores.L3_%d.%s", group, kinds[kind]);
                    snprintf(label, sizeof label, "L3 of CPU %d, %s", ends->id[i], kinds[kind]);
                    answer.key = key;
                    answer.label = label;
                    answer.sheet_cell = answer.text = NULL;
                    record_answer(run->record, answer);
                }
        last = group;
        record_free(record);
    }
}

static enum status run_cores(struct run *run, struct fault *fault)
{
    struct cores *cores = memory_zeroed(1, sizeof *cores); /* lists of CPUs are large */
    struct cpu_list *ends = memory_zeroed(1, sizeof *ends);
    int groups;
    cores->run = run;
    for (int i = 0; i < run->cpus.count; i++) {
        const struct cpu_place *place = topology_place(run->topology, run->cpus.id[i]);
        if (place->core < 0 || place->sibling == 0)
            cores->first.id[cores->first.count++] = run->cpus.id[i];
    }
    measure_clocks(run, cores, fault);
    profile_ends(run->topology, &run->cpus, ends);
    groups = groups_of(run->topology, ends);
    if (groups > 1 && fault->status == STATUS_OK)
        measure_groups(run, ends, groups, run->common->time_budget - CLOCKS_S);
    free(ends);
    free(cores);
    return fault->status;
}

/* Not on the command line: it is a part of the profile. */
static const struct command cores_command = {.name = "cores",
                                             .summary = "the clock of each core and each last cache",
                                             .measures = true,
                                             .run = run_cores};

struct part {
    const struct command *command;
    struct asked asked[4];
    bool between_ends;
};
static const struct part parts[PARTS] = {
    [PART_RAM] = {&ram_command, {{"task", "read,latency"}, {"method", "vector"}}},
    [PART_PAIRS] = {&core_latency_command, {{"benchmark", "cas"}, {"duration", "3"}}, .between_ends = true},
    [PART_CORES] = {&cores_command, {{NULL, NULL}}},
    [PART_WITNESS] = {&sb_capacity_command, {{NULL, NULL}}}};

enum status profile_measure(struct run *run, bool (*wants)(const void *context, const char *command),
                            const void *context, struct fault *fault)
{
    struct part todo[COMMANDS_MOST];
    double seconds[COMMANDS_MOST];
    struct cpu_list *ends = memory_zeroed(1, sizeof *ends);
    struct fault first = {0};
    int count = PARTS, succeeded = 0;
    memcpy(todo, parts, sizeof parts);
    for (int i = 0; commands[i] && count < COMMANDS_MOST; i++) {
        bool known = !commands[i]->measures || commands[i]->by_itself || !wants(context, commands[i]->name);
        for (size_t k = 0; k < PARTS; k++)
            known |= parts[k].command == commands[i];
        if (!known)
            todo[count++] = (struct part){.command = commands[i]};
    }
    profile_ends(run->topology, &run->cpus, ends);
    profile_plan(seconds, (size_t)(count - PARTS), groups_of(run->topology, ends));
    for (int i = 0; i < count; i++)
        run_announce(todo[i].command, record_child_add(run->record));
    /* The machine first: what it is decides how the rest is understood. */
    for (int i = count - 1; i >= 0 && !run->interrupted(NULL); i--) {
        const struct part *part = &todo[i];
        struct fault own = {0};
        progress_part(run->progress, part->command->name, count - 1 - i, count, NAN);
        if (!run_can_measure(run, part->command, run->record->children.of[i]))
            continue;
        if (run_part(run, part->command, i < PARTS ? part->asked : NULL, part->between_ends ? ends : NULL,
                     seconds[i] * kinds_turns(run, part->command), run->record->children.of[i],
                     &own) == STATUS_OK)
            succeeded++;
        else if (own.status != STATUS_OK) {
            record_warning(run->record, "command_failed", "%s: %s", part->command->name, own.text);
            fault_set(&first, own.status, "%s: %s", part->command->name, own.text);
        }
    }
    fitness_record(run->record, run->record, run->cpu, run->topology, &run->core_clock->ghz);
    free(ends);
    return succeeded > 0 ? STATUS_OK : fault_set(fault, first.status, "%s", first.text);
}

/* Adds the conditions of a command that just ended. A CPU that it could not be pinned to any more was taken
 * away before. */
static void watch_with(struct run *run, const struct command *command, const struct asked *asked,
                       const struct cpu_list *cpus, double seconds)
{
    struct record *record = record_new();
    struct fault own = {0};
    record_child_add(record)->conditions = run->record->conditions;
    if (run_can_measure(run, command, record))
        run_part(run, command, asked, cpus, seconds, record_child_add(record), &own);
    if (own.status == STATUS_NO_RESOURCE && run->taken->status == STATUS_OK)
        *run->taken = own;
    run->record->conditions = conditions_of(record);
    run->record->conditions.cpu_was_taken = run->taken->status != STATUS_OK;
    record_free(record);
}

/* Pairs of CPUs for most of the time, as moves come minutes apart; what one CPU alone shows has no pairs. */
void profile_watch(struct run *run, double seconds)
{
    struct cpu_list *ends = memory_zeroed(1, sizeof *ends);
    const uint64_t begin_ns = clock_now_ns();
    char text[32];
    const double pairs_s = fmax(seconds - WITNESS_S, seconds / 2);
    snprintf(text, sizeof text, "%.17g", pairs_s);
    const struct asked asked[] = {{"benchmark", "transfer"}, {"duration", text}, {NULL, NULL}};
    profile_ends(run->topology, &run->cpus, ends);
    watch_with(run, &sb_capacity_command, NULL, NULL, seconds - pairs_s);
    if (!run_has_ended(run))
        watch_with(run, &core_latency_command, asked, ends, pairs_s);
    for (double left; (left = seconds - (double)(clock_now_ns() - begin_ns) * 1e-9) > WITNESS_S / 4 &&
                      !run_has_ended(run);)
        watch_with(run, &sb_capacity_command, NULL, NULL, fmin(left, WITNESS_S));
    free(ends);
}
