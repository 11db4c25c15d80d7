/* SPDX-License-Identifier: MIT */
/* Groups of values by density, without a number of groups or a threshold in ns. */
#include "classes.h"

enum { NEIGHBOURS_LEAST = 3, NEIGHBOURS_SHARE = 100 };

/* Runs of values of which each begins a stretch of `span` neighbours within `near`; a stretch that begins inside the run
 * before it makes it longer. */
void classes_find(const double *sorted, size_t count, double near, struct value_classes *classes)
{
    const size_t share = count / NEIGHBOURS_SHARE, span = share > NEIGHBOURS_LEAST ? share : NEIGHBOURS_LEAST;
    size_t end = 0; /* of the run before */
    classes->count = 0;
    for (size_t i = 0; i + span < count; i++) {
        if (sorted[i + span] > sorted[i] * (1 + near))
            continue;
        if (classes->count > 0 && i < end) {
            struct value_class *last = &classes->of[classes->count - 1];
            last->members += i + span + 1 - end;
            last->high = sorted[i + span];
        } else if (classes->count < CLASSES_MOST) {
            classes->of[classes->count++] = (struct value_class){sorted[i], sorted[i + span], span + 1};
        } else {
            return;
        }
        end = i + span + 1;
    }
}

int classes_of(const struct value_classes *classes, double value)
{
    for (size_t i = 0; i < classes->count; i++)
        if (value >= classes->of[i].low && value <= classes->of[i].high)
            return (int)i;
    return -1;
}
