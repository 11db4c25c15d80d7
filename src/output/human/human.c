/* SPDX-License-Identifier: MIT */
/* For people: facts as a page, tables as their view wants, findings as sentences. Warnings are told on
 * standard error, with every format. */
#include "human.h"

#include "output/card.h"
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

static void add_heading(const struct style *style, const struct table_spec *spec, struct text *out)
{
    text_add(out, out->length ? "\n" : "");
    human_bold(style, spec->title ? spec->title : spec->name, out);
    text_add(out, "\n");
}

bool human_plot(const struct style *style, const struct plot *plot, struct text *out)
{
    static bool (*const draw[])(const struct style *, const struct plot *, struct text *) = {
        [PLOT_CURVE] = human_curve, [PLOT_HEAT_MAP] = human_heat_map};
    return plot->kind != PLOT_BARS && draw[plot->kind](style, plot, out);
}

/* False: the table says more than a picture of characters would. */
static bool add_plots(const struct style *style, const struct record_table *table, struct text *out)
{
    size_t count, drawn = 0;
    struct plot *plots = plots_of(table, &count);
    for (size_t i = 0; i < count; i++) {
        struct text picture = {0};
        if (human_plot(style, &plots[i], &picture)) {
            if (drawn++ == 0)
                add_heading(style, table->spec, out);
            text_add(out, plots[i].kind == PLOT_HEAT_MAP ? "\n" : "");
            text_add(out, picture.data);
        }
        text_free(&picture);
    }
    plots_free(plots, count);
    return drawn > 0;
}

static bool add_grids(const struct style *style, const struct record_table *table, struct text *out)
{
    size_t count;
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
    grids_free(grids, count);
    return count > 0;
}

static void add_table(const struct style *style, const struct record_table *table, struct text *out)
{
    const bool shown = add_plots(style, table, out) || add_grids(style, table, out);
    if (shown && table->spec->note) {
        text_add_printable(out, table->spec->note);
        text_add(out, "\n");
    }
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

static void human_write(const struct format *format, const struct style *style, const struct record *record,
                        struct text *out)
{
    if (record_child_count(record) > 0) {
        human_card(style, record, out);
        return;
    }
    add_host(style, record, out);
    for (size_t i = 0; i < record_table_count(record); i++)
        add_table(style, record_table_at(record, i), out);
    add_findings(style, record, out);
    if (subject_is_incomplete(record))
        text_printf(out, "\n%s\n", subject_incomplete);
}

const struct format human_format = {.name = "human", .extension = ".txt", .write = human_write};
