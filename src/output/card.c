/* SPDX-License-Identifier: MIT */
#include "output/card.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

const char card_trust_note[] = "~ medium trust, ? low trust";

/* The findings "ram.L1.read" and so on make a table of levels and tasks. */
static const char *const levels[] = {"L1", "L2", "L3", "L4", "DRAM"};
static const char *const tasks[] = {"read", "agg-or", "write", "copy", "compare", "latency"};
enum { LEVELS = sizeof(levels) / sizeof(levels[0]), TASKS = sizeof(tasks) / sizeof(tasks[0]) };

static char *value_text(const struct finding *finding)
{
    static const char *const marks[] = {[TRUST_LOW] = "?", [TRUST_MEDIUM] = "~", [TRUST_HIGH] = ""};
    const char *unit;
    struct text text = {0};
    text_add_cell_human(&text, &REAL_CELL(value_shown(cell_number(&finding->value), finding->unit, &unit)),
                        1);
    text_add(&text, marks[finding->trust]);
    return text_take(&text);
}

/* The unit of what has none in its heading. */
static const char corner[] = "GiB/s";

static char *heading_of(const char *task, const struct finding *finding)
{
    const char *unit;
    struct text text = {0};
    value_shown(NAN, finding->unit, &unit);
    text_add_heading(&text, task, strcmp(unit, corner) == 0 ? NULL : unit);
    return text_take(&text);
}

struct speeds {
    const struct finding *of[LEVELS][TASKS], *of_level[LEVELS], *of_task[TASKS]; /* the latter two: any */
    size_t levels, tasks;
};

static struct speeds find_speeds(const struct record *record)
{
    struct speeds speeds = {0};
    for (int i = 0; i < LEVELS * TASKS; i++) {
        const int level = i / TASKS, task = i % TASKS;
        struct text key = {0};
        text_printf(&key, "ram.%s.%s", levels[level], tasks[task]);
        const struct finding *found = record_finding_find(record, key.data);
        text_free(&key);
        if (!found || !type_is_number(found->value.type))
            continue;
        speeds.levels += !speeds.of_level[level];
        speeds.tasks += !speeds.of_task[task];
        speeds.of[level][task] = speeds.of_level[level] = speeds.of_task[task] = found;
    }
    return speeds;
}

static void make_grid(struct card *card, const struct record *record, const struct speeds *speeds)
{
    card->grid = memory_zeroed(1, sizeof(*card->grid));
    *card->grid = grid_new(speeds->tasks + 1, speeds->levels);
    card->grid->label_columns = 1;
    struct grid_column *column = card->grid->column;
    struct grid_cell *cell = card->grid->cell;
    (column++)->heading = strdup(corner);
    for (int task = 0; task < TASKS; task++) {
        if (speeds->of_task[task])
            *column++ = (struct grid_column){heading_of(tasks[task], speeds->of_task[task]), true};
    }
    for (int i = 0; i < LEVELS * TASKS; i++) {
        const int level = i / TASKS, task = i % TASKS;
        const struct finding *finding = speeds->of[level][task];
        if (task == 0 && speeds->of_level[level])
            (cell++)->text = strdup(levels[level]);
        if (!speeds->of_level[level] || !speeds->of_task[task])
            continue;
        (cell++)->text = finding ? value_text(finding) : strdup("");
        if (finding)
            card->in_grid[finding - record_finding_at(record, 0)] = true;
        card->marked |= finding && finding->trust != TRUST_HIGH;
    }
}

struct card card_of(const struct record *record)
{
    const size_t count = record_finding_count(record);
    const struct speeds speeds = find_speeds(record);
    struct card card = {.in_grid = memory_zeroed(count, sizeof(*card.in_grid))};
    if (speeds.levels > 1 && speeds.tasks > 1)
        make_grid(&card, record, &speeds);
    for (size_t i = 0; i < count; i++)
        card.sentences += !card.in_grid[i] && record_finding_at(record, i)->text;
    return card;
}

void card_free(struct card *card)
{
    if (card->grid)
        grids_free(card->grid, 1);
    free(card->in_grid);
    *card = (struct card){0};
}

const char *card_trust(enum trust trust)
{
    static const char *const names[] = {
        [TRUST_LOW] = " (low trust)", [TRUST_MEDIUM] = " (medium trust)", [TRUST_HIGH] = ""};
    return names[trust];
}
