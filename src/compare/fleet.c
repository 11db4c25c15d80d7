/* SPDX-License-Identifier: MIT */
/* Reads the results of many machines and groups those that ought to be alike: by what they are and how they were measured. */
#include "fleet.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "fleet_data.h"
#include "result/subject.h"
#include "uarchprobe/record.h"

static size_t *slot_of(const struct fleet *fleet, const char *name)
{
    uint64_t hash = 0xcbf29ce484222325; /* FNV-1a */
    for (const char *at = name; *at; at++)
        hash = (hash ^ (unsigned char)*at) * 0x100000001b3;
    size_t at = (size_t)(hash ^ hash >> 32) & (fleet->slots - 1);
    while (fleet->slot[at] && strcmp(fleet->series.of[fleet->slot[at] - 1].name, name) != 0)
        at = (at + 1) & (fleet->slots - 1);
    return &fleet->slot[at];
}

static void grow_slots(struct fleet *fleet)
{
    fleet->slots = fleet->slots ? 2 * fleet->slots : 1024;
    free(fleet->slot);
    fleet->slot = memory_zeroed(fleet->slots, sizeof(*fleet->slot));
    for (size_t i = 0; i < fleet->series.count; i++)
        *slot_of(fleet, fleet->series.of[i].name) = i + 1;
}

/* Answers of a command whose keys differ in the last part only: ram.L2.read, ram.L2.write. */
static uint32_t family_of(struct fleet *fleet, uint32_t group, const char *command, const char *key)
{
    const char *last = strrchr(key, '.');
    struct text name = {0};
    if (last)
        text_printf(&name, "%.*s.*", (int)(last - key), key);
    else
        text_add(&name, command);
    for (size_t i = 0; i < fleet->family.count; i++) {
        if (fleet->family.of[i].group == group && strcmp(fleet->family.of[i].name, name.data) == 0) {
            text_free(&name);
            return (uint32_t)i;
        }
    }
    LIST_ADD(fleet->family, ((struct family){text_take(&name), group}));
    return (uint32_t)(fleet->family.count - 1);
}

static uint32_t series_of(struct fleet *fleet, uint32_t group, const char *command,
                          const struct answer *answer)
{
    struct text name = {0};
    if (2 * fleet->series.count >= fleet->slots)
        grow_slots(fleet);
    text_printf(&name, "%u %s %s %s %s", group, command, answer->key, answer->unit ? answer->unit : "",
                answer->state ? answer->state : "");
    size_t *slot = slot_of(fleet, name.data);
    if (!*slot) {
        char key[160];
        answer_name(answer, key, sizeof(key));
        const struct series series = {.name = text_take(&name),
                                      .key = text_copy_valid(key),
                                      .unit = text_copy_valid(answer->unit),
                                      .family = family_of(fleet, group, command, answer->key)};
        LIST_ADD(fleet->series, series);
        *slot = fleet->series.count;
    }
    text_free(&name);
    return (uint32_t)(*slot - 1);
}

/* What machines must have in common to be held against each other. */
static uint32_t group_of(struct fleet *fleet, const struct record *record)
{
    static const struct {
        const char *path, *before, *after;
    } parts[] = {{"host.arch", "", ""},
                 {"host.cpu.brand", ", ", ""},
                 {"host.cpu.family", ", family ", ""},
                 {"host.cpu.model", ", model ", ""},
                 {"host.cpu.stepping", ", stepping ", ""},
                 {"host.topology.cpus", ", ", " CPUs"},
                 {"host.hypervisor", ", ", ""}};
    struct text name = {0};
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        const struct fact *fact = record_fact_find(record, parts[i].path);
        if (!fact || !cell_has_value(&fact->value))
            continue;
        text_add(&name, parts[i].before);
        text_add_cell_human(&name, &fact->value, 0);
        text_add(&name, parts[i].after);
    }
    for (size_t i = 0; i < record->facts.count; i++) {
        const struct fact *fact = &record->facts.of[i];
        if (strncmp(fact->path, "run.settings.", 13) != 0)
            continue;
        text_printf(&name, ", --%s ", fact->path + 13);
        text_add_cell_human(&name, &fact->value, 0);
    }
    if (name.length == 0)
        text_add(&name, "machines that say nothing of themselves");
    for (size_t i = 0; i < fleet->group.count; i++) {
        if (strcmp(fleet->group.of[i].name, name.data) == 0) {
            text_free(&name);
            return (uint32_t)i;
        }
    }
    const struct group group = {.name = text_take(&name)};
    LIST_ADD(fleet->group, group);
    return (uint32_t)(fleet->group.count - 1);
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
        const struct value value = {node,
                                    series_of(fleet, group, command, answer),
                                    (float)number,
                                    NAN,
                                    NAN,
                                    NAN,
                                    answer->trust == TRUST_LOW};
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
    LIST_ADD(fleet->node, ((struct node){.name = text_take(&name), .group = group}));
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
    for (size_t i = 0; i < fleet->series.count; i++) {
        free(fleet->series.of[i].name);
        free(fleet->series.of[i].key);
        free(fleet->series.of[i].unit);
    }
    for (size_t i = 0; i < fleet->family.count; i++)
        free(fleet->family.of[i].name);
    for (size_t i = 0; i < fleet->group.count; i++) {
        free(fleet->group.of[i].name);
        free(fleet->group.of[i].alone.of);
        free(fleet->group.of[i].together.of);
    }
    for (size_t i = 0; i < fleet->node.count; i++)
        free(fleet->node.of[i].name);
    free(fleet->series.of);
    free(fleet->family.of);
    free(fleet->group.of);
    free(fleet->node.of);
    free(fleet->value.of);
    free(fleet->slot);
    sight_free(&fleet->together);
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
