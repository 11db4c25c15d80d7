/* SPDX-License-Identifier: MIT */
/* Draws answers as dots with their ranges, a row each, a panel for each unit. */
#include <math.h>
#include <string.h>

#include "elements.h"
#include "output/answers.h"
#include "output/scratch.h"
#include "svg.h"

enum {
    WIDTH = 720,
    LETTER = 7,
    ROW = 22,
    TOP = 30,
    GAP = 8,
    AXIS = 34,
    LABELS_MOST = 340,
    NUMBER = 14 * SVG_CHARACTER
};

/* Values further apart than so many times would crowd at the begin of a linear axis. */
static const double LOGARITHMIC_FROM = 100;

/* Answers of one unit, each in one state: next to an idle sibling, if that is known. */
struct dots {
    const char *unit;
    const struct answer **of;
    size_t count;
    double left;
    struct scale scale;
};

static double shown(const struct cell *cell, const char *unit)
{
    const char *scaled;
    return value_shown(cell_number(cell), unit, &scaled);
}

/* family: how the sheet_cell begins; NULL: any, or none. */
static bool is_drawn(const struct record *record, const struct answer *answer, const char *family)
{
    const bool belongs =
        !family || (answer->sheet_cell && strncmp(answer->sheet_cell, family, strlen(family)) == 0);
    return belongs && answer->label && isfinite(cell_number(&answer->value)) &&
           record_answer_find_kind(record, answer->key, answer->kind, NULL) == answer;
}

/* "store buffer, Gracemont" */
static const char *name_of(const struct answer *answer)
{
    return answer->kind ? spell("%s, %s", answer->label, answer->kind) : answer->label;
}

static void collect(struct dots *dots, const struct record *record, const char *family)
{
    double low = INFINITY, high = -INFINITY;
    dots->of = scratch_new(record->answers.count, sizeof(*dots->of));
    for (size_t i = 0; i < record->answers.count; i++) {
        const struct answer *answer = &record->answers.of[i];
        const struct cell *const ends[] = {&answer->value, &answer->low, &answer->high};
        if (!is_drawn(record, answer, family) || strcmp(answers_unit(answer->unit), dots->unit) != 0)
            continue;
        dots->of[dots->count++] = answer;
        dots->left = fmax(dots->left, LETTER * (double)text_width(name_of(answer)));
        for (size_t k = 0; k < 3; k++) {
            low = fmin(low, shown(ends[k], answer->unit));
            high = fmax(high, shown(ends[k], answer->unit));
        }
    }
    const bool is_log = low > 0 && high > LOGARITHMIC_FROM * low;
    dots->left = fmin(dots->left, LABELS_MOST) + GAP;
    dots->scale = scale_make(is_log ? low : fmin(low, 0), high, is_log);
}

static double place(const struct dots *dots, const struct cell *value, const char *unit)
{
    const double room = WIDTH - NUMBER - dots->left;
    return dots->left + room * scale_share(&dots->scale, shown(value, unit));
}

static void draw(const struct dots *dots, struct panel *panel)
{
    struct text *out = &panel->body;
    const double bottom = TOP + (double)dots->count * ROW;
    double tick[TICKS_MAX];
    svg_text(out, 0, 14, "t s", "start", "%s%s", dots->unit, dots->scale.log ? ", logarithmic" : "");
    for (size_t i = 0, count = scale_ticks(&dots->scale, 4, tick); i < count; i++) {
        const double x = place(dots, &REAL_CELL(tick[i]), NULL);
        svg_line(out, x, TOP, x, bottom, "g");
        svg_text(out, x, bottom + 18, "m", "middle", "%.10g", tick[i]);
    }
    for (size_t i = 0; i < dots->count; i++) {
        const struct answer *answer = dots->of[i];
        const double y = TOP + ((double)i + 0.5) * ROW, x = place(dots, &answer->value, answer->unit);
        svg_text(out, dots->left - GAP, y + 5, "t", "end", "%s", name_of(answer));
        if (cell_has_value(&answer->low) && cell_has_value(&answer->high))
            svg_line(out, place(dots, &answer->low, answer->unit), y,
                     place(dots, &answer->high, answer->unit), y, "l s0");
        svg_circle(out, x, y, 4, "l s0", answers_value(answer, false));
        svg_text(out, WIDTH, y + 5, answer->trust == TRUST_LOW ? "p" : "t", "end", "%s",
                 answers_value(answer, false));
    }
    svg_line(out, dots->left, bottom, WIDTH - NUMBER, bottom, "a");
    panel->height = bottom + AXIS;
}

void svg_dots(const struct record *record, const char *family, struct picture *picture)
{
    for (size_t i = 0; i < record->answers.count; i++) {
        struct dots dots = {.unit = answers_unit(record->answers.of[i].unit)};
        bool is_first = is_drawn(record, &record->answers.of[i], family);
        for (size_t k = 0; k < i && is_first; k++)
            is_first = !is_drawn(record, &record->answers.of[k], family) ||
                       strcmp(answers_unit(record->answers.of[k].unit), dots.unit) != 0;
        if (!is_first)
            continue;
        collect(&dots, record, family);
        draw(&dots, picture_panel(picture, dots.unit, WIDTH));
    }
}
