/* SPDX-License-Identifier: MIT */
#include "cli/kinds.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/key.h"
#include "base/text.h"
#include "cli/facts.h"
#include "output/output.h"
#include "result/subject.h"
#include "uarchprobe/memory.h"
#include "uarchprobe/own_time.h"

/* What one run of the command on one kind of core needs and leaves. */
struct part {
    char name[KIND_NAME_LENGTH];
    int kind;              /* row of topology.kind */
    int cpus;              /* of the kind among those of the run */
    struct record *record; /* warnings and conditions alone, once it has ended */
    struct fault fault;    /* why there is no result */
    bool has_ended;
};

struct parts_of_run {
    struct run *run;
    struct part part[KIND_MAX];
    int count, turns; /* turns: parts with CPUs */
    struct stopwatch since;
};

/* Lists the kinds that the command measures. The list is empty where it does not tell kinds apart. */
static void choose_parts(struct parts_of_run *parts, const struct run *run, const struct command *command)
{
    const struct topology *topology = run->topology;
    /* The parameters of another command are not those of the run. */
    const bool is_asked = command == run->command && command->one_core_if && command->one_core_if(run);
    parts->count = parts->turns = 0;
    if (!(command->one_core || is_asked) || !topology || topology->kind_count < 2)
        return;
    for (int kind = 0; kind < topology->kind_count; kind++) {
        struct part part = {.kind = kind};
        for (int i = 0; i < run->cpus.count; i++)
            part.cpus += topology_kind(topology, run->cpus.id[i]) == &topology->kind[kind];
        if (!run->cpus.all_kinds && topology_kind(topology, run->cpus.id[0]) != &topology->kind[kind])
            continue;
        topology_kind_name(topology, kind, part.name);
        parts->turns += part.cpus > 0;
        parts->part[parts->count++] = part;
    }
}

int kinds_turns(const struct run *run, const struct command *command)
{
    struct parts_of_run parts;
    choose_parts(&parts, run, command);
    return parts.turns > 1 ? parts.turns : 1;
}

/* With --cpus all-kinds a run gets the CPUs of its kind alone, so that a second CPU is of that kind, too. */
static void choose_cpus(struct run *own, const struct run *run, const struct part *part)
{
    if (!run->cpus.all_kinds)
        return;
    own->cpus.count = 0;
    for (int i = 0; i < run->cpus.count; i++)
        if (topology_kind(run->topology, run->cpus.id[i]) == &run->topology->kind[part->kind])
            own->cpus.id[own->cpus.count++] = run->cpus.id[i];
}

/* The whole run takes its conditions from the first kind that knows them; other kinds have another clock. */
static void take_conditions(struct parts_of_run *parts, const struct part *part,
                            const struct core_clock *clock, bool is_first)
{
    struct core_clock *all = parts->run->core_clock;
    struct conditions *to = &parts->run->record->conditions, *from = &part->record->conditions;
    if (to->sibling_readings == 0 && from->sibling_readings > 0) {
        to->sibling_readings = from->sibling_readings;
        to->sibling_share = from->sibling_share;
    }
    to->store_buffer = to->store_buffer ? to->store_buffer : from->store_buffer;
    for (size_t i = 0; is_first && i < clock->ghz.count; i++)
        samples_add(&all->ghz, clock->ghz.value[i]);
    all->thrown_away += is_first ? clock->thrown_away : 0;
    all->probing_s += clock->probing_s;
    all->stopped_s += clock->stopped_s;
}

/* Adds what differs from the plan of the kind before, and its time. */
static void add_plan(struct parts_of_run *parts, const struct part *part)
{
    struct record *record = parts->run->record;
    struct text path = {0}, title = {0};
    for (size_t i = 0; i < part->record->facts.count; i++) {
        const struct fact *fact = &part->record->facts.of[i], *known = record_fact_find(record, fact->path);
        if (strncmp(fact->path, "plan.", 5) != 0 || !known)
            continue;
        if (strcmp(fact->path, "plan.seconds") == 0) {
            const double sum = cell_number(&known->value) + cell_number(&fact->value);
            record_fact(record, (struct fact){.path = fact->path, .value = REAL_CELL(sum)});
        } else if (!cell_equal(&known->value, &fact->value)) {
            text_printf(&path, "%s_", fact->path);
            text_add_key(&path, part->name);
            text_printf(&title, "%s, %s", fact->title ? fact->title : fact->path + 5, part->name);
            record_fact(record, (struct fact){path.data, title.data, fact->unit, fact->value});
            text_free(&path);
            text_free(&title);
        }
    }
}

/* Runs the command on one kind, with a core clock of its own: answers in cycles count those of that kind. */
static void run_part(struct parts_of_run *parts, struct part *part, int turn)
{
    struct run *run = parts->run,
               *own = memory_zeroed(1, sizeof *own); /* too large for the stack, as lists are */
    struct common *common = memory_zeroed(1, sizeof *common);
    struct core_clock core_clock = {0};
    const double budget_s = run->common->time_budget;
    const struct time_limit limit = {budget_s, !run->common->is_share, parts->since};
    *common = *run->common;
    if (budget_s > 0)
        common->time_budget = run->common->dry_run ? budget_s / parts->turns
                                                   : fmax(time_left_s(&limit) / (parts->turns - turn), 1e-9);
    *own = *run;
    own->common = common;
    own->record = part->record = record_part_new(run->record);
    own->core_clock = &core_clock;
    own->left_out = own->untrusted = false;
    choose_cpus(own, run, part);
    progress_turn(run->progress, parts->turns > 1 ? part->name : NULL, turn, parts->turns);
    core_clock_init(&core_clock, run->clock);
    run->command->run(own, &part->fault);
    run->left_out |= own->left_out;
    run->untrusted |= own->untrusted;
    if (turn > 0)
        core_clock_record(&core_clock, part->record);
    take_conditions(parts, part, &core_clock, turn == 0);
    if (turn > 0 && run->common->dry_run)
        add_plan(parts, part);
    part->has_ended = true;
    record_part_take(run->record, part->record, part->name);
    core_clock_free(&core_clock);
    free(common);
    free(own);
}

/* A warning that all kinds gave holds for the run. */
static bool is_of_all(const struct parts_of_run *parts, const struct warning *warning)
{
    for (int i = 0; i < parts->count; i++) {
        const struct record *record = parts->part[i].record;
        bool has = !record;
        for (size_t k = 0; !has && k < record->warnings.count; k++)
            has = strcmp(record->warnings.of[k].code, warning->code) == 0 &&
                  strcmp(record->warnings.of[k].text, warning->text) == 0;
        if (!has)
            return false;
    }
    return true;
}

static void take_warnings(struct parts_of_run *parts)
{
    for (int i = 0; i < parts->count; i++) {
        const struct part *part = &parts->part[i];
        for (size_t k = 0; part->record && k < part->record->warnings.count; k++) {
            const struct warning *warning = &part->record->warnings.of[k];
            const bool is_named = !is_of_all(parts, warning);
            record_warning(parts->run->record, warning->code, "%s%s%s", is_named ? part->name : "",
                           is_named ? ": " : "", warning->text);
        }
    }
}

/* Adds a row for each answer of the other kinds, so that a column without a value says why. */
static void add_missing(struct run *run, const struct part *part, const char *reason)
{
    const size_t count = run->record->answers.count;
    for (size_t i = 0; i < count; i++) {
        const struct answer of = run->record->answers.of[i];
        if (!of.kind || !of.label || record_answer_find_kind(run->record, of.key, part->name, NULL))
            continue;
        record_answer(run->record, (struct answer){.key = of.key,
                                                   .label = of.label,
                                                   .unit = of.unit,
                                                   .sheet_cell = of.sheet_cell,
                                                   .remark = reason,
                                                   .kind = part->name,
                                                   .limited_by = LIMITED_BY_PRECISION,
                                                   .unpromised = true});
    }
}

/* Says why kinds have no result. The run itself fails only where no kind has one. */
static void explain_missing(struct parts_of_run *parts, struct fault *fault)
{
    struct run *run = parts->run;
    int measured = 0;
    for (int i = 0; i < parts->count; i++)
        measured += parts->part[i].has_ended && parts->part[i].fault.status == STATUS_OK;
    for (int i = 0; i < parts->count; i++) {
        struct part *part = &parts->part[i];
        if (part->cpus == 0)
            fault_set(&part->fault, STATUS_NO_RESOURCE, "no CPU of this kind is allowed here");
        if (part->fault.status == STATUS_OK)
            continue;
        if (measured == 0) {
            if (part->cpus > 0)
                fault_set(fault, part->fault.status, "%s", part->fault.text);
            continue;
        }
        const char *reason =
            record_text(run->record, "%.*s", (int)strcspn(part->fault.text, ":;"), part->fault.text);
        add_missing(run, part, reason);
        record_warning(run->record, "kind_missing", "%s: %s", part->name, part->fault.text);
        struct text path = {0};
        text_add(&path, "plan.reason_");
        text_add_key(&path, part->name);
        if (run->common->dry_run)
            RECORD_FACTS(run->record, {path.data, part->name, NULL, TEXT_CELL(reason)});
        text_free(&path);
    }
}

enum status kinds_run(struct run *run, struct fault *fault)
{
    struct parts_of_run parts = {.run = run, .since = stopwatch_start()};
    int turn = 0;
    choose_parts(&parts, run, run->command);
    if (parts.turns == 0)
        return run->command->run(run, fault);
    for (int i = 0; i < parts.count && !run_has_ended(run); i++)
        if (parts.part[i].cpus > 0)
            run_part(&parts, &parts.part[i], turn++);
    progress_turn(run->progress, NULL, 0, 1);
    explain_missing(&parts, fault);
    take_warnings(&parts);
    for (int i = 0; i < parts.count; i++)
        record_free(parts.part[i].record);
    return fault->status;
}
