/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "human.h"

/* What stands above the facts of "host.cpu.*", where that is not the component itself. */
static const char *const headings[][2] = {{"cpu", "CPU"}, {"core_ghz", "Core clock"}, {"got", "As shown"}};

struct part {
    const char *at;
    int length;
};

/* "cpu" of "host.cpu.brand"; "host" of "host.arch", which has no group of its own. */
static struct part group_of(const struct fact *fact)
{
    const char *second = strchr(fact->path, '.');
    const char *third = second ? strchr(second + 1, '.') : NULL;
    return third ? (struct part){second + 1, (int)(third - second) - 1}
                 : (struct part){fact->path, (int)strcspn(fact->path, ".")};
}

static bool same_group(const struct fact *a, const struct fact *b)
{
    const struct part left = group_of(a), right = group_of(b);
    return left.length == right.length && strncmp(left.at, right.at, (size_t)left.length) == 0;
}

/* A report has several plans. */
static void add_heading(const struct style *style, const struct record *record, const struct fact *fact,
                        struct text *out)
{
    const struct fact *command = record_fact_find(record, "run.command");
    const struct part group = group_of(fact);
    struct text name = {0};
    text_add_bytes(&name, group.at, (size_t)group.length);
    if (*name.data >= 'a' && *name.data <= 'z')
        *name.data = (char)(*name.data - 'a' + 'A');
    const char *heading = name.data;
    for (size_t i = 0; i < sizeof(headings) / sizeof(headings[0]); i++) {
        if (strlen(headings[i][0]) == (size_t)group.length &&
            strncmp(headings[i][0], group.at, (size_t)group.length) == 0)
            heading = headings[i][1];
    }
    if (command && strcmp(heading, "Plan") == 0) {
        text_printf(&name, " of %s", cell_text(&command->value));
        heading = name.data;
    }
    human_bold(style, heading, out);
    text_add(out, "\n");
    text_free(&name);
}

/* An element of an array ("host.features.3") but its first, with which it is shown. */
static bool is_further(const struct fact *fact)
{
    const char *last = strrchr(fact->path, '.');
    return last && last[1] >= '1' && last[1] <= '9' && !last[1 + strspn(last + 1, "0123456789")];
}

/* A plan, an explanation or an answer alone is what was asked for; of a report, the machine is in its parts. */
static bool is_shown(const struct style *style, const struct record *record, const struct fact *fact)
{
    if (!fact->title || is_further(fact))
        return false;
    const bool answers = !style->tables && record_fact_find(record, "got.where");
    const char *only = record_fact_find(record, "plan.seconds")      ? "plan."
                       : record_fact_find(record, "explanation.key") ? "explanation."
                       : answers || record->children.count > 0       ? "got."
                                                                     : "";
    return strncmp(fact->path, only, strlen(only)) == 0;
}

static void add_fact(const struct style *style, const struct record *record, size_t index, size_t width,
                     struct text *out)
{
    const struct fact *fact = &record->facts.of[index];
    struct text value = {0};
    text_add_value(&value, &fact->value, fact->unit);
    while (++index < record->facts.count && is_further(&record->facts.of[index])) {
        text_add(&value, " ");
        text_add_value(&value, &record->facts.of[index].value, record->facts.of[index].unit);
    }
    text_add(out, "  ");
    text_add_printable(out, fact->title);
    text_repeat(out, ' ', width - text_width(fact->title) + 2);
    text_add_wrapped(out, value.data ? value.data : "", width + 4, width + 4, human_width(style));
    text_add(out, "\n");
    text_free(&value);
}

static bool is_first_of_group(const struct style *style, const struct record *record, size_t index)
{
    const struct fact *of = &record->facts.of[index];
    bool first = is_shown(style, record, of);
    for (size_t i = 0; i < index && first; i++) {
        const struct fact *fact = &record->facts.of[i];
        first = !is_shown(style, record, fact) || !same_group(fact, of);
    }
    return first;
}

void human_facts(const struct style *style, const struct record *record, struct text *out)
{
    const size_t count = record->facts.count;
    size_t width = 0;
    for (size_t i = 0; i < count; i++) {
        const struct fact *fact = &record->facts.of[i];
        const size_t needed = is_shown(style, record, fact) ? text_width(fact->title) : 0;
        width = needed > width ? needed : width;
    }
    for (size_t i = 0; i < 2 * count; i++) {
        const struct fact *first = &record->facts.of[i % count];
        /* What comes last to be known is what is read first. */
        const bool is_answer = strncmp(first->path, "got.", 4) == 0;
        if (is_answer != (i < count) || !is_first_of_group(style, record, i % count))
            continue;
        text_add(out, out->length ? "\n" : "");
        add_heading(style, record, first, out);
        for (size_t j = i % count; j < count; j++) {
            const struct fact *fact = &record->facts.of[j];
            if (is_shown(style, record, fact) && same_group(fact, first))
                add_fact(style, record, j, width, out);
        }
    }
}
