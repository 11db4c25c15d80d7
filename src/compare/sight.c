/* SPDX-License-Identifier: MIT */
#include "sight.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

size_t sight_family(const char *key)
{
    size_t words[2] = {0, 0}, found = 0;
    for (size_t i = 0; key[i] && found < 2; i++) {
        if (key[i] == '.')
            words[found++] = i;
    }
    return found ? words[found - 1] : strlen(key);
}

static struct seen *family_of(struct sight *sight, const char *key)
{
    const size_t length = sight_family(key);
    for (size_t i = 0; i < sight->count; i++) {
        if (strlen(sight->of[i].name) == length && strncmp(sight->of[i].name, key, length) == 0)
            return &sight->of[i];
    }
    if (sight->count == sight->capacity) {
        sight->capacity = sight->capacity ? 2 * sight->capacity : 16;
        sight->of = memory_grow(sight->of, sight->capacity * sizeof(*sight->of));
    }
    struct text name = {0};
    text_add_bytes(&name, key, length);
    sight->of[sight->count] = (struct seen){.name = text_take(&name)};
    return &sight->of[sight->count++];
}

void sight_add(struct sight *sight, const char *key, double from)
{
    struct seen *family = family_of(sight, key);
    const bool blind = !(from < 1);
    family->answers++;
    family->blind += blind;
    family->from = blind ? family->from : fmax(family->from, from);
}

static double percent_of(const struct seen *family)
{
    return 2 * family->blind > family->answers ? INFINITY : ceil(100 * family->from - 1e-9);
}

static int compare_percents(const void *a, const void *b)
{
    const double first = percent_of(a), second = percent_of(b);
    return first == second ? strcmp(((const struct seen *)a)->name, ((const struct seen *)b)->name)
                           : (first > second) - (first < second);
}

void sight_write(struct sight *sight, struct text *out)
{
    double before = NAN;
    if (sight->count > 0)
        qsort(sight->of, sight->count, sizeof(*sight->of), compare_percents);
    for (size_t i = 0; i < sight->count; i++) {
        const double percent = percent_of(&sight->of[i]);
        if (percent == before)
            text_printf(out, ", %s", sight->of[i].name);
        else if (isinf(percent))
            text_printf(out, "%snothing in %s", i ? "; " : "", sight->of[i].name);
        else
            text_printf(out, "%s%.0f %% in %s", i ? "; " : "", percent, sight->of[i].name);
        before = percent;
    }
}

void sight_free(struct sight *sight)
{
    for (size_t i = 0; i < sight->count; i++)
        free(sight->of[i].name);
    free(sight->of);
    *sight = (struct sight){0};
}
