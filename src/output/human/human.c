/* SPDX-License-Identifier: MIT */
/* For people: facts as a page, tables as their view wants, findings as sentences. Warnings are told on
 * standard error, with every format. */
#include "human.h"
#include "output/html/card.h"
#include "result/subject.h"

static bool measures_something(const struct record *record)
{
    for (size_t i = 0; i < record_table_count(record); i++) {
        const struct table_spec *spec = record_table_at(record, i)->spec;
        for (int j = 0; j < spec->column_count; j++) {
            if (spec->columns[j].role == ROLE_MEASURE)
                return true;
        }
    }
    return record_finding_count(record) > 0;
}

static bool shows_table(const struct record *record)
{
    for (size_t i = 0; i < record_table_count(record); i++) {
        if (record_table_at(record, i)->spec->view.kind != VIEW_HIDDEN)
            return true;
    }
    return false;
}

/* Above measurements the host is one line; all about it is for machines, and for a record that says nothing
 * else. */
static void add_host(const struct style *style, const struct record *record, struct text *out)
{
    const struct fact *brand = record_fact_find(record, "host.cpu.brand");
    if (!shows_table(record) && record_finding_count(record) == 0) {
        human_facts(style, record, out);
    } else if (measures_something(record) && brand && cell_has_value(&brand->value)) {
        text_add_cell_human(out, &brand->value, 0);
        text_add(out, "\n");
    }
}

static bool add_plot(const struct style *style, const struct record_table *table, struct text *out)
{
    struct text plot = {0};
    if (!human_plot(style, table, &plot))
        return false;
    text_add(out, out->length ? "\n" : "");
    if (table->spec->title) {
        human_bold(style, table->spec->title, out);
        text_add(out, "\n");
    }
    text_add_bytes(out, plot.data, plot.length);
    text_free(&plot);
    if (table->spec->note) {
        text_add_printable(out, table->spec->note);
        text_add(out, "\n");
    }
    return true;
}

static void add_table(const struct style *style, const struct record_table *table, struct text *out)
{
    size_t count;
    if (human_map(style, table, out))
        return;
    bool marked = false;
    struct grid *grids = view_grids(table, &count);
    for (size_t i = 0; i < count; i++) {
        text_add(out, out->length ? "\n" : "");
        if (i == 0 && table->spec->title) {
            human_bold(style, table->spec->title, out);
            text_add(out, grids[i].caption ? "\n\n" : "\n");
        }
        human_grid(style, &grids[i], out);
        marked |= grids[i].marked;
    }
    text_add(out, marked ? "\n* best of its column\n" : "");
    if (count > 0 && table->spec->note) {
        text_add_printable(out, table->spec->note);
        text_add(out, "\n");
    }
    grids_free(grids, count);
}

static void add_findings(const struct style *style, const struct record *record, struct text *out)
{
    bool first = true;
    for (size_t i = 0; i < record_finding_count(record); i++) {
        const struct finding *finding = record_finding_at(record, i);
        if (!finding->text)
            continue;
        text_add(out, first && out->length ? "\n" : "");
        first = false;
        human_bold(style, finding->text, out);
        text_printf(out, "%s\n", card_trust(finding->trust));
    }
}

static void human_end(const struct style *style, const struct record *record, struct text *out)
{
    if (record_child_count(record) > 0) {
        human_card(style, record, out);
        return;
    }
    add_host(style, record, out);
    for (size_t i = 0; i < record_table_count(record); i++)
        if (!add_plot(style, record_table_at(record, i), out))
            add_table(style, record_table_at(record, i), out);
    add_findings(style, record, out);
    if (subject_is_incomplete(record))
        text_printf(out, "\n%s\n", subject_incomplete);
}

const struct format human_format = {
    .name = "human", .extension = ".txt", .tells_findings = true, .end = human_end};
