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
    return strcmp(((const struct set *)a)->id, ((const struct set *)b)->id);
}

/* The set of that id (the text is taken); a new set has no name yet. */
static struct set *set_of(struct fleet *fleet, struct text *id)
{
    const struct set sought = {.id = id->data};
    struct set *const *found = tfind(&sought, &fleet->tree, compare_ids);
    struct set *set = found ? *found : NULL;
    if (!set) {
        set = memory_zeroed(1, sizeof(*set)); /* freed with the tree */
        set->id = record_own(fleet->record, text_take(id));
        set->number = set->group = set->family = (uint32_t)fleet->sets.count;
        if (!tsearch(set, &fleet->tree, compare_ids))
            memory_exhausted();
        LIST_ADD(fleet->sets, set);
    }
    text_free(id);
    return set;
}

static struct set *family_of(struct fleet *fleet, uint32_t group, const char *command, const char *key)
{
    const char *last = strrchr(key, '.');
    struct text id = {0};
    text_printf(&id, "%u %.*s%s", group, (int)(last ? last - key : 0), key, last ? ".*" : command);
    struct set *family = set_of(fleet, &id);
    family->name = strchr(family->id, ' ') + 1;
    family->group = group;
    return family;
}

static struct set *answer_of(struct fleet *fleet, uint32_t group, const char *command,
                             const struct answer *answer)
{
    struct text text = {0};
    text_printf(&text, "%u %s %s %s %s", group, command, answer->key, answer->unit ? answer->unit : "",
                answer->state ? answer->state : "");
    struct set *set = set_of(fleet, &text);
    if (!set->name) {
        text_printf(&text, "%s%s", answer->label ? answer->label : answer->key,
                    answer_is_busy(answer) ? " (busy)" : "");
        set->name = record_own(fleet->record, text_take(&text));
        set->unit = record_own_text(fleet->record, answer->unit ? answer->unit : "");
        set->group = group;
        set->family = family_of(fleet, group, command, answer->key)->number;
    }
    return set;
}

/* Adds answers of any trust, as their distribution says how far is far; impossible values are left out. */
static void add_points(struct fleet *fleet, uint32_t node, uint32_t group, const struct record *record)
{
    const char *command = fact_text(record, "run.command", "unknown");
    for (size_t i = 0; i < record->answers.count; i++) {
        const struct answer *answer = &record->answers.of[i];
        const double value = cell_number(&answer->value);
        const bool low = answer->trust == TRUST_LOW;
        if (isnan(value) || !choice_takes(fleet->choice, answer->key))
            continue;
        fleet->nodes.of[node].values++;
        if ((low && answer->leg == LEG_PLAUSIBILITY) || answer_is_bound(answer) || record_is_emulated(record))
            continue;
        const uint32_t set = answer_of(fleet, group, command, answer)->number;
        LIST_ADD(fleet->points, ((struct point){group, set, node, 1, (float)value, NAN, NAN, NAN, low}));
    }
}

/* The file being read. */
struct input {
    struct fleet *fleet;
    const char *path;
    size_t index; /* of the next result in it */
};

/* run.node has UARCHPROBE_NODE; without it a machine is a file and the index of the result in it. */
static void take_node(void *context, struct record *record)
{
    struct input *input = context;
    struct fleet *fleet = input->fleet;
    const char *own = fact_text(record, "run.node", NULL);
    const uint32_t node = (uint32_t)fleet->nodes.count;
    struct text name = {0}, id = {0};
    text_add(&id, "= ");
    settings_name(record, &id);
    struct set *group = set_of(fleet, &id);
    fleet->groups += group->count++ == 0;
    group->name = group->id + strlen("= ");
    if (own)
        text_add_printable(&name, own);
    else
        text_printf(&name, input->index ? "%s:%zu" : "%s", input->path, input->index + 1);
    input->index++;
    LIST_ADD(fleet->nodes, ((struct node){record_own(fleet->record, text_take(&name)), group->number}));
    add_points(fleet, node, group->number, record);
    for (size_t i = 0; i < record->children.count; i++)
        add_points(fleet, node, group->number, record->children.of[i]);
    record_free(record);
}

enum status fleet_compare(struct run *run, const struct choice *choice, struct fault *fault)
{
    struct fleet fleet = {.record = run->record, .choice = choice};
    for (int i = 0; i < run->operand_count && fault->status == STATUS_OK; i++) {
        struct input input = {&fleet, run->operands[i], 0};
        record_load_each(run->operands[i], take_node, &input, fault);
    }
    if (fault->status == STATUS_OK)
        run->outcome = fleet_judge(&fleet);
    tdestroy(fleet.tree, free);
    free(fleet.sets.of);
    free(fleet.points.of);
    free(fleet.nodes.of);
    return fault->status;
}
