/* SPDX-License-Identifier: MIT */
/* Reads the results of many machines and groups equal ones, by hardware and by settings. */
#include "fleet.h"

#include <math.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "result/subject.h"
#include "settings.h"

static int compare_ids(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The entry of that id, which it begins with (the text is taken); a new one has no name yet and goes with the tree. */
static void *entry_of(struct fleet *fleet, void **tree, struct text *id, size_t bytes)
{
    const char *sought = id->data;
    void *const *found = tfind(&sought, tree, compare_ids);
    void *entry = found ? *found : NULL;
    if (!entry) {
        entry = memory_zeroed(1, bytes);
        *(const char **)entry = record_own(fleet->record, text_take(id));
        if (!tsearch(entry, tree, compare_ids))
            memory_exhausted(0);
    }
    text_free(id);
    return entry;
}

/* Of no group yet: a new group. */
static struct set *set_of(struct fleet *fleet, struct text *id, struct set *group)
{
    struct set *set = entry_of(fleet, &fleet->set_tree, id, sizeof(*set));
    if (!set->name) {
        group = group ? group : set;
        set->number = set->family = (uint32_t)fleet->sets.count;
        set->group = group->number;
        if (group->last)
            group->last->next = set;
        group->last = set;
        LIST_ADD(fleet->sets, set);
    }
    return set;
}

static struct set *answer_of(struct fleet *fleet, struct set *group, const char *command,
                             const struct answer *answer)
{
    struct text text = {0};
    text_printf(&text, "%u %s %s %s %s", group->number, command, answer->key,
                answer->unit ? answer->unit : "", answer->state ? answer->state : "");
    struct set *set = set_of(fleet, &text, group);
    if (!set->name) {
        const char *last = strrchr(answer->key, '.');
        text_printf(&text, "%s%s", answer->label ? answer->label : answer->key,
                    answer_is_busy(answer) ? " (busy)" : "");
        set->name = record_own(fleet->record, text_take(&text));
        set->unit = record_own_text(fleet->record, answer->unit ? answer->unit : "");
        text_printf(&text, "%u %.*s%s", group->number, (int)(last ? last - answer->key : 0), answer->key,
                    last ? ".*" : command);
        struct set *family = set_of(fleet, &text, group);
        family->name = strchr(family->id, ' ') + 1;
        set->family = family->number;
    }
    return set;
}

/* Adds answers of any trust, as their distribution says how far is far; impossible values are left out. */
static void add_points(struct fleet *fleet, struct machine *machine, struct set *group,
                       const struct record *record)
{
    const char *command = fact_text(record, "run.command", "unknown");
    for (size_t i = 0; i < record->answers.count; i++) {
        const struct answer *answer = &record->answers.of[i];
        const double value = cell_number(&answer->value);
        if (isnan(value) || !choice_takes(fleet->choice, answer->key))
            continue;
        if ((answer->trust == TRUST_LOW && answer->leg == LEG_PLAUSIBILITY) || answer_is_bound(answer) ||
            record_is_emulated(record))
            machine->refused++;
        else
            LIST_ADD(fleet->points, ((struct point){answer_of(fleet, group, command, answer)->number,
                                                    machine->number, (float)value}));
    }
}

/* The file being read. */
struct input {
    struct fleet *fleet;
    const char *path;
    size_t index; /* of the next result in it */
};

/* run.node has UARCHPROBE_NODE: results of one node are runs of one machine. Without it a machine is a file and the index of the result in
 * it. */
static void take_machine(void *context, struct record *record)
{
    struct input *input = context;
    struct fleet *fleet = input->fleet;
    const char *own = fact_text(record, "run.node", NULL);
    struct text text = {0};
    text_add(&text, "= ");
    settings_name(record, false, &text);
    struct set *group = set_of(fleet, &text, NULL);
    if (!group->name) {
        settings_name(record, true, &text);
        group->name = record_own(fleet->record, text_take(&text));
        /* Where another group has the same name, all that tells them apart. */
        for (size_t i = 0; i + 1 < fleet->sets.count; i++)
            if (fleet->sets.of[i]->group == i && strcmp(fleet->sets.of[i]->name, group->name) == 0)
                fleet->sets.of[i]->name = fleet->sets.of[i]->id + strlen("= "),
                group->name = group->id + strlen("= ");
        fleet->groups++;
    }
    text_printf(&text, "%u ", group->number);
    if (own)
        text_add_printable(&text, own);
    else
        text_printf(&text, input->index ? "%s:%zu" : "%s", input->path, input->index + 1);
    input->index++;
    struct machine *machine = entry_of(fleet, &fleet->machine_tree, &text, sizeof(*machine));
    if (!machine->name) {
        machine->name = strchr(machine->id, ' ') + 1;
        machine->number = (uint32_t)fleet->machines.count;
        machine->group = group->number;
        group->machines++;
        LIST_ADD(fleet->machines, machine);
    }
    machine->runs++;
    add_points(fleet, machine, group, record);
    for (size_t i = 0; i < record->children.count; i++)
        add_points(fleet, machine, group, record->children.of[i]);
    record_free(record);
}

enum status fleet_compare(struct run *run, const struct choice *choice, struct fault *fault)
{
    struct fleet fleet = {.record = run->record, .choice = choice};
    for (int i = 0; i < run->operand_count && fault->status == STATUS_OK; i++) {
        struct input input = {&fleet, run->operands[i], 0};
        record_load_each(run->operands[i], take_machine, &input, fault);
    }
    if (fault->status == STATUS_OK)
        run->outcome = fleet_judge(&fleet);
    tdestroy(fleet.set_tree, free);
    tdestroy(fleet.machine_tree, free);
    free(fleet.sets.of);
    free(fleet.machines.of);
    free(fleet.points.of);
    return fault->status;
}
