/* SPDX-License-Identifier: MIT */
/* TSV and CSV: each further table behind an empty line and under its own heading. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output/format.h"
#include "output/grid.h"

struct dialect {
    const char *separator, *line_end;
    bool matrix; /* what people are shown, matrices as matrices, instead of all rows */
    void (*add_field)(struct text *out, const char *field);
};

/* Escaped as PostgreSQL's COPY and most readers of TSV have it: a tab or a line break never splits a row. */
static void add_tsv_field(struct text *out, const char *field)
{
    static const char special[] = "\t\n\r\\", escaped[] = "tnr\\";
    for (; *field; field++) {
        const char *at = strchr(special, *field);
        if (at)
            text_printf(out, "\\%c", escaped[at - special]);
        else
            text_add_bytes(out, field, 1);
    }
}

/* RFC 4180: quoted where it must be, quotes doubled. */
static void add_csv_field(struct text *out, const char *field)
{
    if (!strpbrk(field, ",\"\r\n")) {
        text_add(out, field);
        return;
    }
    text_add(out, "\"");
    for (; *field; field++)
        text_add_bytes(out, *field == '"' ? "\"\"" : field, *field == '"' ? 2 : 1);
    text_add(out, "\"");
}

static const struct dialect tsv_dialect = {"\t", "\n", false, add_tsv_field},
                            matrix_dialect = {"\t", "\n", true, add_tsv_field},
                            csv_dialect = {",", "\r\n", false, add_csv_field};

/* What a spreadsheet would calculate, and a formula may run a program; a number is none. */
static bool is_formula(const char *text)
{
    char *end;
    if (!*text || !strchr("=+-@\t\r", *text))
        return false;
    strtod(text, &end);
    return end == text || *end;
}

/* An apostrophe makes it text there. */
static void add_field(const struct dialect *dialect, bool first, const char *text, struct text *out)
{
    struct text safe = {0};
    if (is_formula(text))
        text_printf(&safe, "'%s", text);
    text_add(out, first ? "" : dialect->separator);
    dialect->add_field(out, safe.data ? safe.data : text);
    text_free(&safe);
}

static void add_cell(const struct dialect *dialect, bool first, const struct cell *cell, struct text *out)
{
    struct text value = {0};
    text_add_cell(&value, cell);
    add_field(dialect, first, value.data ? value.data : "", out);
    text_free(&value);
}

/* As RAMOMETER calls them. */
enum line { LINE_SAMPLE, LINE_AVERAGE, LINE_LEAST, LINE_MEDIAN, LINE_MOST };
static const char *const line_words[] = {"ind", "AVG", "MIN", "MED", "MAX"};

/* NaN: the core clock of a sample was thrown away. */
static double average_of(const struct samples *samples, const struct samples *weight)
{
    double sum = 0, weights = 0;
    for (size_t i = 0; i < samples->count; i++) {
        if (isnan(samples->value[i]))
            continue;
        sum += samples->value[i] * (weight ? weight->value[i] : 1);
        weights += weight ? weight->value[i] : 1;
    }
    return sum / weights;
}

/* The sample with the least (sign 1) or greatest (sign -1) value. */
static size_t extreme_of(const struct samples *samples, double sign)
{
    size_t best = 0;
    for (size_t i = 1; samples && i < samples->count; i++) {
        if (sign * samples->value[i] < sign * samples->value[best])
            best = i;
    }
    return best;
}

/* What stands in a column of a line that is not the median's: the row itself has that one. */
static struct cell line_cell(const struct record_table *table, size_t row, int column, enum line line,
                             size_t sample)
{
    const struct samples *samples = record_samples_at(table, row, column);
    const int duration = table->spec->view.duration;
    if (!samples || line == LINE_MEDIAN)
        return *record_cell(table, row, column);
    if (line == LINE_AVERAGE)
        return REAL_CELL(average_of(
            samples, duration > 0 && duration != column ? record_samples_at(table, row, duration) : NULL));
    if (line != LINE_SAMPLE && table->spec->columns[column].is_clocked)
        return NO_CELL;
    return REAL_CELL(samples->value[sample]);
}

static void add_line(const struct dialect *dialect, const struct record_table *table, size_t row,
                     enum line line, size_t sample, struct text *out)
{
    for (int i = 0; i < table->spec->column_count; i++) {
        const struct cell cell = line_cell(table, row, i, line, sample);
        if (i > 0 && i == table->spec->view.lines)
            add_field(dialect, false, line_words[line], out);
        add_cell(dialect, i == 0, &cell, out);
    }
    text_add(out, dialect->line_end);
}

/* Samples as they were taken, one of each row and then the next of each; then what they amount to. */
static void add_lines(const struct dialect *dialect, const struct record_table *table, struct text *out)
{
    const int value = table->spec->view.value;
    bool more = true;
    for (size_t i = 0; more; i++) {
        more = false;
        for (size_t row = 0; row < table->row_count; row++) {
            const struct samples *samples = record_samples_at(table, row, value);
            if (!samples || i >= samples->count)
                continue;
            add_line(dialect, table, row, LINE_SAMPLE, i, out);
            more = true;
        }
    }
    for (size_t row = 0; row < table->row_count; row++) {
        const struct samples *samples = record_samples_at(table, row, value);
        for (enum line line = LINE_AVERAGE; line <= LINE_MOST; line++) {
            const size_t sample = extreme_of(samples, line == LINE_LEAST ? 1 : -1);
            if (samples || line == LINE_MEDIAN)
                add_line(dialect, table, row, line, sample, out);
        }
    }
}

static void add_rows(const struct dialect *dialect, const struct record_table *table, struct text *out)
{
    const struct table_spec *spec = table->spec;
    for (int i = 0; i < spec->column_count; i++) {
        struct text heading = {0};
        text_add_heading(&heading, spec->columns[i].title, spec->columns[i].unit);
        if (i > 0 && i == spec->view.lines)
            add_field(dialect, false, "ind/AVG", out);
        add_field(dialect, i == 0, heading.data ? heading.data : "", out);
        text_free(&heading);
    }
    text_add(out, dialect->line_end);
    if (spec->view.lines > 0)
        add_lines(dialect, table, out);
    for (size_t row = 0; spec->view.lines <= 0 && row < table->row_count; row++)
        add_line(dialect, table, row, LINE_MEDIAN, 0, out);
}

/* What people are shown: a matrix of as many digits as are meant, its corner saying what the values are, as wide as it is high where both
 * are CPUs; else every digit. */
static void add_matrices(const struct dialect *dialect, const struct record_table *table, struct text *out)
{
    size_t count;
    struct plot *plots = plots_of(table, &count);
    for (size_t i = 0; i < count; i++) {
        const struct plot *plot = &plots[i];
        const bool planar = plot->kind > PLOT_CURVE;
        struct grid grid = grid_of_plot(plot);
        text_add(out, i ? dialect->line_end : "");
        for (int column = 0; column < grid.column_count; column++)
            add_field(dialect, column == 0,
                      column || !planar ? grid.column[column].heading
                      : plot->series    ? plot->series
                                        : plot->value.title,
                      out);
        text_add(out, dialect->line_end);
        for (size_t row = 0; row < grid.row_count; row++) {
            if (planar)
                add_field(dialect, true, plot->y.label[row].name, out);
            for (int column = planar; column < grid.column_count; column++) {
                const double value = planar ? plot_at(plot, row, (size_t)column - 1)->value : NAN;
                if (planar)
                    add_field(dialect, false, isnan(value) ? "" : plot_number(&plot->value, value, SPELT),
                              out);
                else
                    add_cell(dialect, column == 0, &grid_at(&grid, row, column)->raw, out);
            }
            text_add(out, dialect->line_end);
        }
        grid_free(&grid);
    }
    plots_free(plots, count);
}

static bool has_tables(const struct record *record)
{
    bool has = record->tables.count > 0;
    for (size_t i = 0; i < record->children.count; i++)
        has |= has_tables(record->children.of[i]);
    return has;
}

/* What a record without tables is made of: `info`, and the plan of a dry run, of a report those of all commands. */
static void add_facts(const struct dialect *dialect, const struct record *record, struct text *out)
{
    for (size_t i = 0; i < record->facts.count; i++) {
        const struct fact *fact = &record->facts.of[i];
        if (out->length == 0) {
            add_field(dialect, true, "fact", out);
            add_field(dialect, false, "value", out);
            add_field(dialect, false, "unit", out);
            text_add(out, dialect->line_end);
        }
        add_field(dialect, true, fact->path, out);
        add_cell(dialect, false, &fact->value, out);
        add_field(dialect, false, fact->unit ? fact->unit : "", out);
        text_add(out, dialect->line_end);
    }
    for (size_t i = 0; i < record->children.count; i++)
        add_facts(dialect, record->children.of[i], out);
}

/* Of a report: those of all commands. */
static void add_tables(const struct dialect *dialect, const struct record *record, struct text *out)
{
    for (size_t i = 0; i < record->tables.count; i++) {
        const struct record_table *table = &record->tables.of[i];
        struct text rows = {0};
        if (dialect->matrix)
            add_matrices(dialect, table, &rows);
        else if (!table->spec->view.derived)
            add_rows(dialect, table, &rows);
        text_add(out, rows.length > 0 && out->length > 0 ? dialect->line_end : "");
        text_add_bytes(out, rows.data ? rows.data : "", rows.length);
        text_free(&rows);
    }
    for (size_t i = 0; i < record->children.count; i++)
        add_tables(dialect, record->children.of[i], out);
}

static void write_tables(const struct format *format, const struct style *style, const struct record *record,
                         struct text *out)
{
    (has_tables(record) ? add_tables : add_facts)(format->variant, record, out);
}

static void write_answers(const struct format *format, const struct style *style, const struct record *record,
                          struct text *out)
{
    text_add(out, out->length == 0 ? "key\tvalue\tunit\ttrust\tstate\n" : "");
    for (size_t i = 0; i < record->answers.count; i++) {
        const struct answer *answer = &record->answers.of[i];
        add_field(&tsv_dialect, true, answer->key, out);
        add_cell(&tsv_dialect, false, &answer->value, out);
        add_field(&tsv_dialect, false, answer->unit ? answer->unit : "", out);
        add_field(&tsv_dialect, false, trust_names[answer->trust], out);
        add_field(&tsv_dialect, false, answer->state ? answer->state : "", out);
        text_add(out, "\n");
    }
    for (size_t i = 0; i < record->children.count; i++)
        write_answers(format, style, record->children.of[i], out);
}

const struct format tsv_format = {
    .name = "tsv", .extension = ".tsv", .variant = &tsv_dialect, .write = write_tables};
const struct format csv_format = {
    .name = "csv", .extension = ".csv", .variant = &csv_dialect, .write = write_tables};
const struct format tsv_matrix_format = {
    .name = "tsv_matrix", .extension = ".tsvm", .variant = &matrix_dialect, .write = write_tables};
const struct format findings_format = {.name = "findings", .extension = ".findings", .write = write_answers};
