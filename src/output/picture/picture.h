/* SPDX-License-Identifier: MIT */
/* Tables as pictures: heat maps and bars of matrices, lines of curves. */
#ifndef OUTPUT_PICTURE_H
#define OUTPUT_PICTURE_H

#include <stddef.h>

#include "base/text.h"
#include "output/view.h"
#include "uarchprobe/record.h"

struct picture {
    struct text svg; /* elements on SVG_WIDTH x height, from (0, 0) */
    double height;
};

/* What the view of a table asks for: one picture, one per value of the series of a matrix, or none for what
 * is a list. Freed by pictures_free. */
struct picture *pictures_of(const struct record *record, const struct record_table *table, size_t *count);
void pictures_free(struct picture *pictures, size_t count);

/* The parts of pictures_of; false: there is nothing to be seen. */
bool picture_heat(const struct record *record, const struct record_table *table, const struct grid *grid,
                  struct picture *picture);
bool picture_bars(const struct record_table *table, const struct grid *grid, struct picture *picture);
bool picture_curve(const struct record *record, const struct record_table *table, struct picture *picture);

/* A value as the view scales it; NaN: it has none. */
double picture_value(const struct table_spec *spec, int column, const struct cell *cell);
/* The same spelt for people, with its unit; freed by the caller. */
char *picture_value_text(const struct table_spec *spec, int column, double value);

#endif
