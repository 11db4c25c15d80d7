/* SPDX-License-Identifier: MIT */
/* A matrix of CPUs in as few characters as it can be read in: sixteen CPUs fit into 80 columns. */
#include <math.h>
#include <string.h>

#include "human.h"
#include "output/scratch.h"

static const char cpu_heading[] = "CPU";

/* A triangle has no value in the row of the first CPU and in the column of the last. */
struct layout {
    const struct plot *plot;
    bool has_places, has_digits; /* labels say where a CPU lies; numbers have decimals */
    size_t first_row, columns;
    size_t label, column; /* widths */
};

static const char *label_of(const struct layout *layout, size_t row)
{
    const struct plot_label *label = &layout->plot->y.label[row];
    return layout->has_places ? plot_cpu_text(layout->plot->table->record, label->raw.integer) : label->name;
}

static const char *text_of(const struct layout *layout, const struct plot_cell *cell)
{
    const char *sign = plot_place_sign(layout->plot, cell);
    return !cell->row           ? ""
           : isnan(cell->value) ? "-"
           : layout->has_digits ? spell("%s%s", plot_number(&layout->plot->value, cell->value), sign)
                                : spell("%.0f%s", cell->value, sign);
}

/* Whether all of it fits into so many columns of the terminal. */
static bool lay_out(struct layout *layout, size_t width)
{
    const struct plot *plot = layout->plot;
    layout->first_row = !plot->both_ways;
    layout->columns = plot->x.count - !plot->both_ways;
    layout->label = sizeof cpu_heading - 1;
    layout->column = 0;
    for (size_t row = layout->first_row; row < plot->y.count; row++) {
        const size_t needed = text_width(label_of(layout, row));
        layout->label = needed > layout->label ? needed : layout->label;
        for (size_t column = 0; column < layout->columns; column++) {
            const size_t value = text_width(text_of(layout, plot_at(plot, row, column))),
                         heading = text_width(plot->x.label[column].name),
                         most = value > heading ? value : heading;
            layout->column = most > layout->column ? most : layout->column;
        }
    }
    return layout->label + layout->columns * (1 + layout->column) <= width;
}

static void add_right(const char *text, size_t width, struct text *out)
{
    text_repeat(out, ' ', width - text_width(text));
    text_add(out, text);
}

static void add_row(const struct style *style, const struct layout *layout, size_t row, struct text *out)
{
    const struct plot *plot = layout->plot;
    size_t last = layout->columns;
    while (last > 0 && !plot_at(plot, row, last - 1)->row)
        last--;
    const char *label = label_of(layout, row);
    text_add(out, label);
    text_repeat(out, ' ', layout->label - text_width(label));
    for (size_t column = 0; column < last; column++) {
        const struct plot_cell *cell = plot_at(plot, row, column);
        const bool is_shaded = style->color && plot->class_count > 1 && cell->class != PLOT_BLANK;
        text_add(out, is_shaded ? human_shade(1 + cell->class * GRID_SHADES / (int)plot->class_count) : "");
        add_right(text_of(layout, cell), 1 + layout->column, out);
        text_add(out, is_shaded ? human_shade(0) : "");
    }
    text_add(out, "\n");
}

bool human_cpus(const struct style *style, const struct plot *plot, size_t lines, struct text *out)
{
    enum { HEAD_AND_SIGNS = 2 };
    struct layout layout = {.plot = plot};
    bool fits = false;
    if (!plot->of_cpus || !plot->cell || plot->x.count < 2)
        return false;
    for (int way = 0; way < 3 && !fits; way++) {
        layout.has_places = way == 0;
        layout.has_digits = way < 2;
        fits = lay_out(&layout, human_width(style));
    }
    if (!fits || plot->y.count - layout.first_row + HEAD_AND_SIGNS > lines)
        return false;
    text_printf(out, "%-*s", (int)layout.label, cpu_heading);
    for (size_t column = 0; column < layout.columns; column++)
        add_right(plot->x.label[column].name, 1 + layout.column, out);
    text_add(out, "\n");
    for (size_t row = layout.first_row; row < plot->y.count; row++)
        add_row(style, &layout, row, out);
    const char *signs = plot_place_signs(plot);
    human_sentence(style, 0, plot->both_ways ? spell("from the CPU of the row; %s", signs) : signs, out);
    return true;
}

const char *human_cpus_summary(const struct plot *plot)
{
    size_t least = 0, greatest = 0, count = 0;
    double sum = 0;
    for (size_t i = 0; i < plot->x.count * plot->y.count; i++) {
        const struct plot_cell *cell = &plot->cell[i];
        if (isnan(cell->value) || cell->aside)
            continue;
        least = count == 0 || cell->value < plot->cell[least].value ? i : least;
        greatest = count == 0 || cell->value > plot->cell[greatest].value ? i : greatest;
        sum += cell->value;
        count++;
    }
    if (count < 2)
        return "";
    const size_t at[] = {least, greatest};
    const char *pair[2];
    for (int i = 0; i < 2; i++) {
        const char *row = plot->y.label[at[i] / plot->x.count].name,
                   *column = plot->x.label[at[i] % plot->x.count].name;
        pair[i] = plot->both_ways ? spell("CPU %s to %s", row, column) : spell("CPUs %s and %s", column, row);
    }
    return spell("least %s, %s; greatest %s, %s; mean %s", plot_value(&plot->value, plot->cell[least].value),
                 pair[0], plot_value(&plot->value, plot->cell[greatest].value), pair[1],
                 plot_value(&plot->value, sum / (double)count));
}
