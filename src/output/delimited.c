/* SPDX-License-Identifier: MIT */
/* TSV and CSV: each further table behind an empty line and under its own heading. The _matrix formats write what
 * people are shown, matrices as matrices, instead of all rows. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output/format.h"
#include "output/grid.h"
#include "output/plot/plot.h"

struct dialect {
    const char *separator, *line_end;
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

static const struct dialect tsv_dialect = {"\t", "\n", add_tsv_field};
static const struct dialect csv_dialect = {",", "\r\n", add_csv_field};

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
static void add_text(const struct dialect *dialect, const char *text, struct text *out)
{
    struct text safe = {0};
    if (is_formula(text))
        text_printf(&safe, "'%s", text);
    dialect->add_field(out, safe.data ? safe.data : text);
    text_free(&safe);
}

static void add_headings(const struct dialect *dialect, const struct table_spec *spec, struct text *out)
{
    for (int i = 0; i < spec->column_count; i++) {
        struct text heading = {0};
        text_add_heading(&heading, spec->columns[i].title, spec->columns[i].unit);
        text_add(out, i ? dialect->separator : "");
        if (i > 0 && i == spec->view.lines)
            text_printf(out, "ind/AVG%s", dialect->separator);
        char *whole = text_take(&heading);
        add_text(dialect, whole, out);
        free(whole);
    }
    text_add(out, dialect->line_end);
}

static void add_cell(const struct dialect *dialect, const struct cell *cell, struct text *out)
{
    struct text value = {0};
    text_add_cell(&value, cell);
    if (value.data)
        add_text(dialect, value.data, out);
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
        text_add(out, i ? dialect->separator : "");
        if (i > 0 && i == table->spec->view.lines)
            text_printf(out, "%s%s", line_words[line], dialect->separator);
        add_cell(dialect, &cell, out);
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

static void add_table(const struct dialect *dialect, const struct record_table *table, struct text *out)
{
    add_headings(dialect, table->spec, out);
    if (table->spec->view.lines > 0)
        add_lines(dialect, table, out);
    for (size_t row = 0; table->spec->view.lines <= 0 && row < table->row_count; row++) {
        for (int i = 0; i < table->spec->column_count; i++) {
            text_add(out, i ? dialect->separator : "");
            add_cell(dialect, record_cell(table, row, i), out);
        }
        text_add(out, dialect->line_end);
    }
}

static void end_field(const struct dialect *dialect, const char *field, const char *end, struct text *out)
{
    add_text(dialect, field, out);
    text_add(out, end);
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
            end_field(dialect, "fact", dialect->separator, out);
            end_field(dialect, "value", dialect->separator, out);
            end_field(dialect, "unit", dialect->line_end, out);
        }
        end_field(dialect, fact->path, dialect->separator, out);
        add_cell(dialect, &fact->value, out);
        text_add(out, dialect->separator);
        end_field(dialect, fact->unit ? fact->unit : "", dialect->line_end, out);
    }
    for (size_t i = 0; i < record->children.count; i++)
        add_facts(dialect, record->children.of[i], out);
}

/* Of a report: those of all commands. Returns how many were written. */
static size_t add_tables(const struct format *format, const struct record *record, size_t written,
                         struct text *out)
{
    const struct dialect *dialect = format->variant;
    for (size_t i = 0; i < record->tables.count; i++) {
        struct text table = {0};
        format->write_table(format, &record->tables.of[i], &table);
        text_add(out, table.length > 0 && written > 0 ? dialect->line_end : "");
        written += table.length > 0;
        text_add_bytes(out, table.data ? table.data : "", table.length);
        text_free(&table);
    }
    for (size_t i = 0; i < record->children.count; i++)
        written = add_tables(format, record->children.of[i], written, out);
    return written;
}

static void write_tables(const struct format *format, const struct style *style, const struct record *record,
                         struct text *out)
{
    if (has_tables(record))
        add_tables(format, record, 0, out);
    else
        add_facts(format->variant, record, out);
}

static void add_text_field(const struct dialect *dialect, bool first, const char *field, struct text *out)
{
    text_add(out, first ? "" : dialect->separator);
    add_text(dialect, field, out);
}

/* As wide as it is high where both are CPUs; as many digits as are meant. The corner says what the values are. */
static void add_plot(const struct dialect *dialect, const struct plot *plot, struct text *out)
{
    end_field(dialect, plot->series ? plot->series : plot->value.title, "", out);
    for (size_t i = 0; i < plot->x.count; i++)
        add_text_field(dialect, false, plot->x.label[i].name, out);
    text_add(out, dialect->line_end);
    for (size_t row = 0; row < plot->y.count; row++) {
        end_field(dialect, plot->y.label[row].name, "", out);
        for (size_t i = 0; i < plot->x.count; i++) {
            const double value = plot_at(plot, row, i)->value;
            text_add(out, dialect->separator);
            if (!isnan(value))
                text_printf(out, "%.*f", plot->value.digits, value);
        }
        text_add(out, dialect->line_end);
    }
}

/* What is no matrix: as people are shown it, every digit. */
static void add_grid(const struct dialect *dialect, const struct grid *grid, struct text *out)
{
    for (int i = 0; i < grid->column_count; i++)
        add_text_field(dialect, i == 0, grid->column[i].heading, out);
    text_add(out, dialect->line_end);
    for (size_t row = 0; row < grid->row_count; row++) {
        for (int i = 0; i < grid->column_count; i++) {
            text_add(out, i ? dialect->separator : "");
            add_cell(dialect, &grid_at(grid, row, i)->raw, out);
        }
        text_add(out, dialect->line_end);
    }
}

static void write_matrix(const struct format *format, const struct record_table *table, struct text *out)
{
    const struct dialect *dialect = format->variant;
    size_t plot_count, grid_count = 0;
    struct plot *plots = plots_of(table, &plot_count);
    const bool drawn = plot_count > 0 && plots[0].kind > PLOT_CURVE;
    struct grid *grids = drawn ? NULL : grids_of(table, &grid_count);
    for (size_t i = 0; i < (drawn ? plot_count : grid_count); i++) {
        text_add(out, i ? dialect->line_end : "");
        if (drawn)
            add_plot(dialect, &plots[i], out);
        else
            add_grid(dialect, &grids[i], out);
    }
    grids_free(grids, grid_count);
    plots_free(plots, plot_count);
}

static void write_table(const struct format *format, const struct record_table *table, struct text *out)
{
    if (!table->spec->view.derived)
        add_table(format->variant, table, out);
}

static void write_answers(const struct format *format, const struct style *style, const struct record *record,
                          struct text *out)
{
    if (out->length == 0)
        text_add(out, "key\tvalue\tunit\ttrust\tstate\n");
    for (size_t i = 0; i < record->answers.count; i++) {
        const struct answer *answer = &record->answers.of[i];
        end_field(&tsv_dialect, answer->key, "\t", out);
        add_cell(&tsv_dialect, &answer->value, out);
        add_text_field(&tsv_dialect, false, answer->unit ? answer->unit : "", out);
        add_text_field(&tsv_dialect, false, trust_names[answer->trust], out);
        add_text_field(&tsv_dialect, false, answer->state ? answer->state : "", out);
        text_add(out, "\n");
    }
    for (size_t i = 0; i < record->children.count; i++)
        write_answers(format, style, record->children.of[i], out);
}

const struct format tsv_format = {.name = "tsv",
                                  .extension = ".tsv",
                                  .variant = &tsv_dialect,
                                  .write = write_tables,
                                  .write_table = write_table};
const struct format csv_format = {.name = "csv",
                                  .extension = ".csv",
                                  .variant = &csv_dialect,
                                  .write = write_tables,
                                  .write_table = write_table};
const struct format tsv_matrix_format = {.name = "tsv_matrix",
                                         .extension = ".tsvm",
                                         .variant = &tsv_dialect,
                                         .write = write_tables,
                                         .write_table = write_matrix};
const struct format csv_matrix_format = {.name = "csv_matrix",
                                         .extension = ".csvm",
                                         .variant = &csv_dialect,
                                         .write = write_tables,
                                         .write_table = write_matrix};
const struct format findings_format = {.name = "findings", .extension = ".findings", .write = write_answers};
