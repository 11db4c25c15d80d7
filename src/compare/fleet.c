/* SPDX-License-Identifier: MIT */
/* Reads the results of many machines and groups those that ought to be alike: by what they are and how they were measured. */
#include "fleet.h"

#include <math.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "result/subject.h"
#include "settings.h"

static int compare_names(const void *a, const void *b)
{
    return strcmp(((const struct name *)a)->text, ((const struct name *)b)->text);
}

/* The number of a text, which it empties; true: it is a new one. */
static bool number_of(struct record *owner, struct names_of *names, struct text *text, uint32_t *number)
{
    const struct name sought = {text->data, 0};
    struct name *const *found = tfind(&sought, &names->tree, compare_names);
    *number = found ? (*found)->number : (uint32_t)names->count;
    if (!found) {
        struct name *own = record_own(owner, memory_zeroed(1, sizeof(*own)));
        *own = (struct name){record_own(owner, text_take(text)), *number};
        if (!tsearch(own, &names->tree, compare_names))
            memory_exhausted();
        LIST_ADD(*names, own);
    }
    text_free(text);
    return !found;
}

static void names_free(struct names_of *names)
{
    for (size_t i = 0; i < names->count; i++)
        tdelete(names->of[i], &names->tree, compare_names);
    free(names->of);
}

static uint32_t family_of(struct fleet *fleet, uint32_t group, const char *command, const char *key)
{
    const char *last = strrchr(key, '.');
    struct text name = {0};
    uint32_t family;
    if (last)
        text_printf(&name, "%u %.*s.*", group, (int)(last - key), key);
    else
        text_printf(&name, "%u %s", group, command);
    if (number_of(fleet->record, &fleet->family_names, &name, &family)) {
        const char *text = fleet->family_names.of[family]->text;
        const struct family own = {.name = strchr(text, ' ') + 1, .group = group, .together = NAN};
        LIST_ADD(fleet->family, own);
    }
    return family;
}

static uint32_t series_of(struct fleet *fleet, uint32_t group, const char *command,
                          const struct answer *answer)
{
    struct text name = {0};
    uint32_t series;
    text_printf(&name, "%u %s %s %s %s", group, command, answer->key, answer->unit ? answer->unit : "",
                answer->state ? answer->state : "");
    if (number_of(fleet->record, &fleet->series_names, &name, &series)) {
        text_printf(&name, "%s%s", answer->label ? answer->label : answer->key,
                    answer_is_busy(answer) ? " (busy)" : "");
        const struct series own = {.label = record_own(fleet->record, text_take(&name)),
                                   .unit = record_own_text(fleet->record, answer->unit),
                                   .family = family_of(fleet, group, command, answer->key)};
        LIST_ADD(fleet->series, own);
    }
    return series;
}

static uint32_t group_of(struct fleet *fleet, const struct record *record)
{
    struct text name = {0};
    uint32_t group;
    settings_name(record, &name);
    if (number_of(fleet->record, &fleet->group_names, &name, &group))
        LIST_ADD(fleet->group, ((struct group){.name = fleet->group_names.of[group]->text}));
    return group;
}

/* Whatever the trust: how the values of all lie says how far off is far. What cannot be true is left out. */
static void add_values(struct fleet *fleet, uint32_t node, uint32_t group, const struct record *record)
{
    const char *command = fact_text(record, "run.command", "unknown");
    for (size_t i = 0; i < record->answers.count; i++) {
        const struct answer *answer = &record->answers.of[i];
        const double number = cell_number(&answer->value);
        if (isnan(number) || !choice_takes(fleet->choice, answer->key))
            continue;
        fleet->node.of[node].values++;
        if ((answer->trust == TRUST_LOW && answer->leg == LEG_PLAUSIBILITY) || record_is_emulated(record))
            continue;
        const struct value value = {.node = node,
                                    .series = series_of(fleet, group, command, answer),
                                    .value = (float)number,
                                    .loss = NAN,
                                    .rank = NAN,
                                    .off = NAN,
                                    .low = answer->trust == TRUST_LOW};
        LIST_ADD(fleet->value, value);
    }
}

/* What UARCHPROBE_NODE said is in run.node; else the file and which result in it. */
static void add_node(struct fleet *fleet, const struct record *record, const char *path, size_t index)
{
    const char *own = fact_text(record, "run.node", NULL);
    const uint32_t group = group_of(fleet, record);
    struct text name = {0};
    if (own)
        text_add_printable(&name, own);
    else
        text_printf(&name, index ? "%s:%zu" : "%s", path, index + 1);
    LIST_ADD(fleet->node,
             ((struct node){.name = record_own(fleet->record, text_take(&name)), .group = group}));
    fleet->group.of[group].nodes++;
    const uint32_t node = (uint32_t)(fleet->node.count - 1);
    add_values(fleet, node, group, record);
    for (size_t i = 0; i < record->children.count; i++)
        add_values(fleet, node, group, record->children.of[i]);
}

/* A file on its way in. */
struct input {
    struct fleet *fleet;
    const char *path;
    size_t index; /* of the next result in it */
};

static void take_node(void *context, struct record *record)
{
    struct input *input = context;
    add_node(input->fleet, record, input->path, input->index++);
    record_free(record);
}

static void fleet_free(struct fleet *fleet)
{
    for (size_t i = 0; i < fleet->group.count; i++) {
        free(fleet->group.of[i].alone.of);
        free(fleet->group.of[i].together.of);
    }
    names_free(&fleet->series_names);
    names_free(&fleet->family_names);
    names_free(&fleet->group_names);
    free(fleet->series.of);
    free(fleet->family.of);
    free(fleet->group.of);
    free(fleet->node.of);
    free(fleet->value.of);
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
    fleet_free(&fleet);
    return fault->status;
}
