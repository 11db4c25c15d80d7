/* SPDX-License-Identifier: MIT */
/* TSV and CSV: an empty line and a heading of its own precede each further table. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output/answers.h"
#include "output/format.h"
#include "output/lines.h"
#include "output/plot/plot.h"
#include "output/scratch.h"

static bool is_csv(const struct format *format)
{
    return format == &csv_format || format == &csv_matrix_format;
}

/* Adds a field and its separator. No tab or line break splits a row: CSV quotes (RFC 4180), TSV escapes as
 * PostgreSQL's COPY does. */
static void add_field(const struct format *format, const char *field, struct text *out)
{
    static const char special[] = "\t\n\r\\", escaped[] = "tnr\\";
    const bool csv = is_csv(format), quoted = csv && strpbrk(field, ",\"\r\n");
    text_add(out, quoted ? "\"" : "");
    if (*field && strchr("=+-@\t\r", *field)) {
        /* A spreadsheet would run a formula, which may start a program: an apostrophe makes it text. */
        char *end;
        strtod(field, &end);
        text_add(out, end == field || *end ? "'" : "");
    }
    for (; *field; field++) {
        const char *at = csv ? NULL : strchr(special, *field);
        if (at)
            text_printf(out, "\\%c", escaped[at - special]);
        else
            text_add_bytes(out, quoted && *field == '"' ? "\"\"" : field, quoted && *field == '"' ? 2 : 1);
    }
    text_add(out, quoted ? "\"" : "");
    text_add(out, csv ? "," : "\t");
}

static void add_cell(const struct format *format, const struct cell *cell, struct text *out)
{
    struct text value = {0}; /* not scratch memory: a result may have a million */
    text_add_cell(&value, cell);
    add_field(format, value.data ? value.data : "", out);
    text_free(&value);
}

/* Replaces the separator behind the last field by a line end. */
static void end_row(const struct format *format, struct text *out)
{
    out->length--;
    text_add(out, is_csv(format) ? "\r\n" : "\n");
}

static void add_line(const struct format *format, const struct record_table *table, size_t row,
                     enum line line, size_t sample, struct text *out)
{
    if (table->kind)
        add_field(format, table->kind, out);
    for (int i = 0; i < table->spec->column_count; i++) {
        const struct cell cell = line_cell(table, row, i, line, sample);
        if (i > 0 && i == table->spec->view.lines)
            add_field(format, line_words[line], out);
        add_cell(format, &cell, out);
    }
    end_row(format, out);
}

/* Writes the samples as they were taken, one of each row before the next of each; then their summary,
 * which is all of other rows. */
static void add_rows(const struct format *format, const struct record_table *table, struct text *out)
{
    const struct table_spec *spec = table->spec;
    bool more = true;
    if (table->kind)
        add_field(format, "kind", out);
    for (int i = 0; i < spec->column_count; i++) {
        if (i > 0 && i == spec->view.lines)
            add_field(format, "ind/AVG", out);
        add_field(format, spell_heading(spec->columns[i].title, spec->columns[i].unit), out);
    }
    end_row(format, out);
    for (size_t i = 0; more; i++) {
        more = false;
        for (size_t row = 0; row < table->row_count; row++) {
            if (i >= line_samples(table, row))
                continue;
            add_line(format, table, row, LINE_SAMPLE, i, out);
            more = true;
        }
    }
    for (size_t row = 0; row < table->row_count; row++)
        for (enum line line = LINE_AVERAGE; line <= LINE_MOST; line++)
            if (line_samples(table, row) > 0 || line == LINE_MEDIAN)
                add_line(format, table, row, line, 0, out);
}

/* Writes as many digits as are significant. The corner names the values, one of several tables by its
 * name, too. A matrix of CPUs is square, and a value stands with the place where its pair was found: "26.9
 * one L3". */
static void add_matrix(const struct format *format, const struct plot *plot, bool is_alone, struct text *out)
{
    const char *values = plot->series ? plot->series : plot->value.title;
    if (plot->table->kind)
        values = spell("%s, %s", values, plot->table->kind);
    add_field(format, is_alone ? values : spell("%s: %s", plot->table->spec->name, values), out);
    for (size_t i = 0; i < plot->x.count; i++)
        add_field(format, plot->x.label[i].name, out);
    end_row(format, out);
    for (size_t row = 0; row < plot->y.count; row++) {
        add_field(format, plot->y.label[row].name, out);
        for (size_t i = 0; i < plot->x.count; i++) {
            const struct plot_cell *cell = plot_at(plot, row, i);
            const char *number = isnan(cell->value) ? "" : plot_number(&plot->value, cell->value),
                       *place = *number && plot->of_cpus ? plot_place(plot, cell) : "";
            add_field(format, *place ? spell("%s %s", number, place) : number, out);
        }
        end_row(format, out);
    }
}

/* Writes a matrix for each value of the series; false: the table has none. */
static bool add_matrices(const struct format *format, const struct record_table *table, bool is_alone,
                         struct text *out)
{
    size_t count;
    struct plot *plots = plots_of(table, &count);
    const bool planar = count > 0 && plots[0].kind > PLOT_CURVE;
    for (size_t i = 0; planar && i < count; i++) {
        text_add(out, i == 0 ? "" : is_csv(format) ? "\r\n" : "\n");
        add_matrix(format, &plots[i], is_alone, out);
    }
    return planar;
}

/* Writes all tables; a report has those of all its commands. */
static void add_tables(const struct format *format, const struct record *record, struct text *out)
{
    const bool matrix = format == &tsv_matrix_format || format == &csv_matrix_format;
    size_t matrices = 0;
    for (size_t i = 0; i < record->tables.count; i++)
        matrices += record->tables.of[i].spec->view.kind == VIEW_MATRIX;
    for (size_t i = 0; i < record->tables.count; i++) {
        const struct record_table *table = &record->tables.of[i];
        if (matrix ? table->spec->view.kind == VIEW_HIDDEN : table->spec->view.derived)
            continue;
        text_add(out, out->length == 0 ? "" : is_csv(format) ? "\r\n" : "\n");
        if (!matrix || !add_matrices(format, table, matrices == 1 && !record->parent, out))
            add_rows(format, table, out);
    }
    for (size_t i = 0; i < record->children.count; i++)
        add_tables(format, record->children.of[i], out);
}

/* Writes facts, or the plan of a dry run, where there is no table to write; a report has those of all its
 * commands. */
static void add_facts(const struct format *format, const struct record *record, struct text *out)
{
    for (size_t i = 0; i < record->facts.count; i++) {
        const struct fact *fact = &record->facts.of[i];
        add_field(format, fact->path, out);
        add_cell(format, &fact->value, out);
        add_field(format, fact->unit ? fact->unit : "", out);
        end_row(format, out);
    }
    for (size_t i = 0; i < record->children.count; i++)
        add_facts(format, record->children.of[i], out);
}

static void write_tables(const struct format *format, const struct style *style, const struct record *record,
                         struct text *out)
{
    add_tables(format, record, out);
    if (out->length > 0)
        return;
    text_add(out, is_csv(format) ? "fact,value,unit\r\n" : "fact\tvalue\tunit\n");
    add_facts(format, record, out);
}

static void write_answers(const struct format *format, const struct style *style, const struct record *record,
                          struct text *out)
{
    const bool has_kinds = answers_have_kinds(record_whole(record));
    if (out->length == 0)
        text_printf(out, "key\tvalue\tunit\ttrust\tstate%s\n", has_kinds ? "\tkind" : "");
    for (size_t i = 0; i < record->answers.count; i++) {
        const struct answer *answer = &record->answers.of[i];
        add_field(format, answer->key, out);
        text_add(out, answer_is_bound(answer) ? ">=" : "");
        add_cell(format, &answer->value, out);
        add_field(format, answer->unit ? answer->unit : "", out);
        add_field(format, trust_names[answer->trust], out);
        add_field(format, answer->state ? answer->state : "", out);
        if (has_kinds)
            add_field(format, answer->kind ? answer->kind : "", out);
        end_row(format, out);
    }
    for (size_t i = 0; i < record->children.count; i++)
        write_answers(format, style, record->children.of[i], out);
}

const struct format tsv_format = {.name = "tsv", .extension = ".tsv", .write = write_tables};
const struct format csv_format = {.name = "csv", .extension = ".csv", .write = write_tables};
const struct format tsv_matrix_format = {.name = "tsv_matrix", .extension = ".tsvm", .write = write_tables};
const struct format csv_matrix_format = {.name = "csv_matrix", .extension = ".csvm", .write = write_tables};
const struct format answers_format = {.name = "answers", .extension = ".answers", .write = write_answers};
