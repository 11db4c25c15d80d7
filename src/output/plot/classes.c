/* SPDX-License-Identifier: MIT */
/* Which cell of a heat map has which shade: that of its class, else that of its value. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "output/plot/plot_internal.h"
#include "output/view.h"
#include "uarchprobe/stats.h"

static size_t cells_in(const struct plot *plot)
{
    return plot->x.count * plot->y.count;
}

/* Values of the cells of that shade, PLOT_BLANK: of all that have a value. Returns how many there are. */
static size_t add_values(const struct plot *plot, int shade, double *value, size_t count)
{
    for (size_t i = 0; i < cells_in(plot); i++) {
        const struct plot_cell *cell = &plot->cell[i];
        if (!isnan(cell->value) && (shade == PLOT_BLANK || cell->shade == shade))
            value[count++] = cell->value;
    }
    return count;
}

/* A few cells far out must not take the colours from all others. */
static void measure(struct plot *plot, bool log)
{
    double *value = memory_zeroed(plot->measured, sizeof(*value));
    const size_t count = add_values(plot, PLOT_BLANK, value, 0);
    plot->median = median_of(value, count);
    plot->value.scale = scale_make(quantile_of(value, count, 0.002), quantile_of(value, count, 0.995), log);
    free(value);
}

static void shade_by_value(struct plot *plot)
{
    for (size_t i = 0; i < cells_in(plot); i++) {
        struct plot_cell *cell = &plot->cell[i];
        cell->shade = PLOT_BLANK;
        if (!isnan(cell->value))
            cell->shade = (unsigned char)fmin(scale_share(&plot->value.scale, cell->value) * PLOT_STEPS,
                                              PLOT_STEPS - 1);
    }
    plot->shaded = plot->measured;
}

/* False: there are none, or too many to be told apart. */
static bool shade_by_class(struct plot *plot, const struct pivot *pivot)
{
    const int column = pivot->spec->view.class;
    struct keys keys = {0};
    for (size_t i = 0; i < cells_in(plot) && keys.count <= PLOT_CLASSES; i++) {
        const struct pivot_cell *from = isnan(plot->cell[i].value) ? NULL : plot_source(plot, pivot, i);
        if (!from || !cell_has_value(pivot_get(pivot, from, column)))
            continue;
        plot->cell[i].shade = (unsigned char)keys_index(&keys, *pivot_get(pivot, from, column));
        plot->shaded++;
        if (plot->cell[i].shade < PLOT_CLASSES)
            plot->class[plot->cell[i].shade].cells++;
    }
    bool usable = keys.count > 0 && keys.count <= PLOT_CLASSES;
    plot->class_count = usable ? keys.count : 0;
    for (size_t i = 0; i < plot->class_count; i++) {
        plot->class[i].cell = keys.value[i];
        plot->class[i].name = view_cell_text(pivot->spec, column, &keys.value[i]);
    }
    keys_free(&keys);
    return usable;
}

/* -1: the plot has no such class. */
static int class_in(const struct plot *plot, const struct plot_class *class)
{
    for (size_t i = 0; i < plot->class_count; i++) {
        if (cell_equal(&plot->class[i].cell, &class->cell))
            return (int)i;
    }
    return -1;
}

/* The median of all cells of a class, of one plot or of several. */
static double class_median(const struct plot *plots, size_t count, const struct plot_class *of)
{
    double *value = NULL;
    size_t cells = 0;
    for (size_t i = 0; i < count; i++) {
        int class = class_in(&plots[i], of);
        if (class < 0)
            continue;
        value = memory_grow(value, (cells + plots[i].class[class].cells) * sizeof(*value));
        cells = add_values(&plots[i], class, value, cells);
    }
    double median = median_of(value, cells);
    free(value);
    return median;
}

static int compare_classes(const void *a, const void *b)
{
    const struct plot_class *left = a, *right = b;
    if (left->rank != right->rank)
        return left->rank < right->rank ? -1 : 1;
    return strcmp(left->name, right->name);
}

static void sort_classes(struct plot *plot)
{
    struct plot_class before[PLOT_CLASSES];
    unsigned char place[PLOT_CLASSES];
    memcpy(before, plot->class, sizeof(before));
    qsort(plot->class, plot->class_count, sizeof(plot->class[0]), compare_classes);
    for (size_t i = 0; i < plot->class_count; i++)
        place[i] = (unsigned char)class_in(plot, &before[i]);
    for (size_t i = 0; i < cells_in(plot) && plot->class_count > 0; i++) {
        if (plot->cell[i].shade != PLOT_BLANK)
            plot->cell[i].shade = place[plot->cell[i].shade];
    }
}

/* By the order of all classes of the plots, each counted once. */
static void color_classes(struct plot *plots, size_t count)
{
    struct plot_class *all = NULL;
    struct keys classes = {0};
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < plots[i].class_count; j++) {
            struct plot_class *class = &plots[i].class[j];
            class->median = class_median(&plots[i], 1, class);
            class->rank = class_median(plots, count, class);
            const size_t at = keys_index(&classes, class->cell);
            all = memory_grow(all, classes.count * sizeof(*all));
            all[at] = *class;
        }
    }
    if (all)
        qsort(all, classes.count, sizeof(*all), compare_classes);
    for (size_t i = 0; i < classes.count; i++) {
        for (size_t j = 0; j < count; j++) {
            const int class = class_in(&plots[j], &all[i]);
            if (class >= 0)
                plots[j].class[class].color =
                    color_at(classes.count > 1 ? (double)i / (double)(classes.count - 1) : 0);
        }
    }
    keys_free(&classes);
    free(all);
}

void plot_classify(struct plot *plots, const struct pivot *pivots, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct table_spec *spec = pivots[i].spec;
        plots[i].classed = spec->view.class > 0 && spec_has_column(spec, spec->view.class);
        if (plots[i].kind != PLOT_HEAT_MAP)
            continue;
        measure(&plots[i], spec->view.log_value);
        if (!plots[i].classed || !shade_by_class(&plots[i], &pivots[i]))
            shade_by_value(&plots[i]);
    }
    color_classes(plots, count);
    for (size_t i = 0; i < count; i++)
        sort_classes(&plots[i]);
}

int plot_shades(const struct plot *plot)
{
    return plot->class_count > 0 ? (int)plot->class_count : PLOT_STEPS;
}

struct rgb plot_color(const struct plot *plot, int shade)
{
    return plot->class_count > 0 ? plot->class[shade].color : color_at((shade + 0.5) / PLOT_STEPS);
}
