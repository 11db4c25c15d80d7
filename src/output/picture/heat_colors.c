/* SPDX-License-Identifier: MIT */
/* Which cell of a heat map has which colour, and the legend that says so. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "heat.h"
#include "output/keys.h"
#include "svg_draw.h"

enum { SWATCH = 14, CLASS_ROW = 34, BINS = 16, FEWEST_BINS = 6, BIN_HEIGHT = 16, BIN_LENGTH = 110 };

static int compare_reals(const void *a, const void *b)
{
    const double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

/* At the share q of sorted values. */
static double at_share(const double *sorted, size_t count, double q)
{
    return sorted[(size_t)(q * (double)(count - 1))];
}

static void read_values(struct heat *heat)
{
    const size_t count = heat->rows * heat->columns;
    heat->value = memory_zeroed(count, sizeof(*heat->value));
    for (size_t i = 0; i < count; i++) {
        const struct grid_cell *cell = heat_cell(heat, i);
        heat->value[i] = cell ? picture_value(heat->spec, heat->spec->view.value, &cell->raw) : NAN;
        heat->measured += !isnan(heat->value[i]);
    }
}

static double *sorted_values(const struct heat *heat)
{
    double *sorted = memory_zeroed(heat->measured, sizeof(*sorted));
    size_t count = 0;
    for (size_t i = 0; i < heat->rows * heat->columns; i++) {
        if (!isnan(heat->value[i]))
            sorted[count++] = heat->value[i];
    }
    qsort(sorted, count, sizeof(*sorted), compare_reals);
    return sorted;
}

/* A few cells far out must not take the colours from all others. */
static void color_by_value(struct heat *heat, const double *sorted)
{
    const double low = at_share(sorted, heat->measured, 0.002),
                 high = sorted[(size_t)ceil(0.995 * (double)(heat->measured - 1))];
    heat->scale = scale_make(low, high, 0, 1, heat->spec->view.log_value);
    heat->colors = HEAT_STEPS;
    for (int i = 0; i < HEAT_STEPS; i++)
        heat->color[i] = color_at((i + 0.5) / HEAT_STEPS);
    for (size_t i = 0; i < heat->rows * heat->columns; i++) {
        double share = isnan(heat->value[i]) ? -1 : scale_share(&heat->scale, heat->value[i]);
        heat->color_of[i] = share < 0 ? -1 : (int)fmin(share * HEAT_STEPS, HEAT_STEPS - 1);
    }
}

static struct cell class_cell(const struct heat *heat, size_t index)
{
    const struct grid_cell *cell = heat_cell(heat, index);
    return cell && cell->row > 0 ? *record_cell(heat->table, cell->row - 1, heat->spec->view.class) : NO_CELL;
}

/* The middle value of the cells of a class. */
static double class_median(const struct heat *heat, size_t class, size_t cells)
{
    double *value = memory_zeroed(cells, sizeof(*value));
    size_t count = 0;
    for (size_t i = 0; i < heat->rows * heat->columns; i++) {
        if (heat->color_of[i] == (int)class && count < cells)
            value[count++] = heat->value[i];
    }
    qsort(value, count, sizeof(*value), compare_reals);
    double median = count ? at_share(value, count, 0.5) : NAN;
    free(value);
    return median;
}

static int compare_classes(const void *a, const void *b)
{
    const struct heat_class *left = a, *right = b;
    return compare_reals(&left->median, &right->median);
}

/* Numbers classes by their median, so that a darker colour is a higher value. */
static void sort_classes(struct heat *heat, const char **names)
{
    int rank[HEAT_CLASSES];
    qsort(heat->class, heat->class_count, sizeof(heat->class[0]), compare_classes);
    for (size_t i = 0; i < heat->class_count; i++) {
        for (size_t j = 0; j < heat->class_count; j++) {
            if (heat->class[j].name == names[i])
                rank[i] = (int)j;
        }
    }
    for (size_t i = 0; i < heat->rows * heat->columns; i++)
        heat->color_of[i] = heat->color_of[i] < 0 ? -1 : rank[heat->color_of[i]];
}

/* False: there are none, or too many to be told apart. */
static bool color_by_class(struct heat *heat)
{
    const int column = heat->spec->view.class;
    struct keys keys = {0};
    const char *names[HEAT_CLASSES];
    size_t cells[HEAT_CLASSES] = {0};
    if (column <= 0 || column >= heat->spec->column_count)
        return false;
    for (size_t i = 0; i < heat->rows * heat->columns && keys.count <= HEAT_CLASSES; i++) {
        size_t class = isnan(heat->value[i]) ? 0 : keys_index(&keys, class_cell(heat, i));
        heat->color_of[i] = isnan(heat->value[i]) ? -1 : (int)class;
        if (heat->color_of[i] >= 0 && class < HEAT_CLASSES)
            cells[class]++;
    }
    bool usable = keys.count > 0 && keys.count <= HEAT_CLASSES;
    heat->class_count = usable ? keys.count : 0;
    for (size_t i = 0; i < heat->class_count; i++) {
        char *name = view_cell_text(heat->spec, column, &keys.value[i]);
        names[i] = name;
        heat->class[i] = (struct heat_class){name, class_median(heat, i, cells[i]), cells[i]};
    }
    keys_free(&keys);
    if (usable)
        sort_classes(heat, names);
    heat->colors = (int)heat->class_count;
    for (size_t i = 0; i < heat->class_count; i++)
        heat->color[i] = color_at(heat->class_count > 1 ? (double)i / (double)(heat->class_count - 1) : 0);
    return usable;
}

void heat_read(struct heat *heat)
{
    heat_make_axes(heat);
    read_values(heat);
    if (heat->measured == 0)
        return;
    double *sorted = sorted_values(heat);
    heat->least = sorted[0];
    heat->median = at_share(sorted, heat->measured, 0.5);
    heat->most = sorted[heat->measured - 1];
    heat->color_of = memory_zeroed(heat->rows * heat->columns, sizeof(*heat->color_of));
    if (!color_by_class(heat))
        color_by_value(heat, sorted);
    free(sorted);
}

void heat_clear(struct heat *heat)
{
    for (size_t i = 0; i < heat->class_count; i++)
        free((void *)(uintptr_t)heat->class[i].name);
    free(heat->x.label);
    free(heat->y.label);
    free(heat->value);
    free(heat->color_of);
}

static void draw_swatch(const struct heat *heat, int color, double x, double y, double width, double height)
{
    text_add(heat->out, "<path d=\"M");
    svg_number(heat->out, x);
    text_add(heat->out, " ");
    svg_number(heat->out, y);
    text_add(heat->out, "h");
    svg_number(heat->out, width);
    text_add(heat->out, "v");
    svg_number(heat->out, height);
    text_add(heat->out, "h-");
    svg_number(heat->out, width);
    text_add(heat->out, "z\" class=\"g\" style=\"fill:");
    svg_color(heat->out, heat->color[color]);
    text_add(heat->out, "\"/>\n");
}

static double class_legend(const struct heat *heat, double x, double y)
{
    for (size_t i = 0; i < heat->class_count; i++) {
        const struct heat_class *class = &heat->class[i];
        struct text count = {0};
        char *value = picture_value_text(heat->spec, heat->spec->view.value, class->median);
        const double percent = 100 * (double)class->cells / (double)heat->measured;
        text_printf(&count, "%s, %zu cells, %.*f %%", value, class->cells, percent < 0.1 ? 2 : 1, percent);
        free(value);
        draw_swatch(heat, (int)i, x, y, SWATCH, SWATCH);
        svg_text(heat->out, x + SWATCH + 8, y + 11, "t", "start", class->name);
        svg_text(heat->out, x + SWATCH + 8, y + 25, "m", "start", count.data);
        text_free(&count);
        y += CLASS_ROW + 6;
    }
    return y;
}

static double value_of_share(const struct scale *scale, double share)
{
    return scale->log ? scale->low * pow(scale->high / scale->low, share)
                      : scale->low + (scale->high - scale->low) * share;
}

/* The colours from low to high, each bin with how many cells it holds. */
static double range_legend(const struct heat *heat, double x, double y)
{
    const int room = (int)((double)heat->rows * heat->cell / BIN_HEIGHT);
    const int several = room < FEWEST_BINS ? FEWEST_BINS : room > BINS ? BINS : room;
    const int bins = heat->least < heat->most ? several : 1;
    size_t cells[BINS] = {0}, most = 1;
    for (size_t i = 0; i < heat->rows * heat->columns; i++) {
        if (heat->color_of[i] >= 0)
            most = fmax(most, ++cells[heat->color_of[i] * bins / heat->colors]);
    }
    svg_text(heat->out, x, y + 10, "m", "start", "from, and how many cells");
    y += 18;
    for (int i = 0; i < bins; i++) {
        double from = value_of_share(&heat->scale, (double)i / bins), top = y + i * BIN_HEIGHT;
        char *value = picture_value_text(heat->spec, heat->spec->view.value, from);
        draw_swatch(heat, bins > 1 ? (i * heat->colors + heat->colors / 2) / bins : 0, x, top, SWATCH,
                    BIN_HEIGHT);
        svg_text(heat->out, x + SWATCH + 8, top + 12, "m", "start", value);
        free(value);
        if (cells[i] > 0) {
            struct text count = {0};
            double length = (double)cells[i] / (double)most * (BIN_LENGTH - 40);
            text_printf(&count, "%zu", cells[i]);
            svg_rect(heat->out, x + 120, top + 2, fmax(length, 1), BIN_HEIGHT - 4, "r", NULL);
            svg_text(heat->out, x + 120 + length + 5, top + 12, "m", "start", count.data);
            text_free(&count);
        }
    }
    return y + bins * BIN_HEIGHT;
}

static double draw_extremes(const struct heat *heat, double x, double y)
{
    static const char *const name[] = {"lowest", "median", "highest"};
    const double value[] = {heat->least, heat->median, heat->most};
    for (int i = 0; i < 3; i++) {
        char *spelt = picture_value_text(heat->spec, heat->spec->view.value, value[i]);
        y += SVG_LINE;
        svg_text(heat->out, x, y, "m", "start", name[i]);
        svg_text(heat->out, x + 60, y, "t", "start", spelt);
        free(spelt);
    }
    return y;
}

double heat_legend(const struct heat *heat, double x, double y)
{
    const size_t missing = heat->rows * heat->columns - heat->measured;
    char *title = view_heading(heat->spec, heat->spec->view.value);
    svg_text(heat->out, x, y + 4, "t s", "start", title);
    free(title);
    y = heat->class_count > 0 ? class_legend(heat, x, y + 14) : range_legend(heat, x, y + 10);
    y = draw_extremes(heat, x, y + 8);
    if (missing > 0) {
        struct text text = {0};
        text_printf(&text, "not measured: %zu cells", missing);
        svg_rect(heat->out, x, y + 10, SWATCH, SWATCH, "n", NULL);
        svg_text(heat->out, x + SWATCH + 8, y + 21, "m", "start", text.data);
        text_free(&text);
        y += 30;
    }
    return y;
}
