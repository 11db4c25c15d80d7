/* SPDX-License-Identifier: MIT */
/* Draws a card for each unit of a core, each cache level, and memory; slots connect its numbers with answers. */
#include "svg.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "elements.h"
#include "output/answers.h"
#include "result/subject.h"

enum {
    NUMBERS_MOST = 4,
    DISTANCES_MOST = 3,
    LEFT = 14,
    ROOM = PANEL_WIDTH - 2 * LEFT,
    HEIGHT = 122,
    MEMORY = -1,
    BETWEEN_CORES = -2
};

static const struct card {
    const char *title;
    int level; /* of a cache, or a constant above; 0: none */
    struct {
        const char *name, *slot;
        bool busy; /* the answer for a busy sibling */
    } number[NUMBERS_MOST];
} cards[] = {
    {"Store buffer",
     0,
     {{"one thread", "core/store-buffer", false}, {"sibling busy", "core/store-buffer", true}}},
    {"Store-to-load forwarding",
     0,
     {{"forwarded", "core/forwarded", false},
      {"in tight loops", "core/forwarded-loops", false},
      {"failed", "core/failed-forward", false}}},
    {"Memory renaming",
     0,
     {{"renamed load", "core/renamed", false}, {"at most", "core/renamed-pairs", false}}},
    {"From core to core, one way", BETWEEN_CORES, {{NULL, NULL, false}}},
    {"L1",
     1,
     {{"load", "core/l1-latency", false},
      {"read", "memory/L1/read", false},
      {"write", "memory/L1/write", false},
      {"copy", "memory/L1/copy", false}}},
#define LEVEL(name, number)                                                                                  \
    {                                                                                                        \
        name, number,                                                                                        \
        {                                                                                                    \
            {"latency", "memory/" name "/latency", false}, {"read", "memory/" name "/read", false},          \
                {"write", "memory/" name "/write", false},                                                   \
            {                                                                                                \
                "copy", "memory/" name "/copy", false                                                        \
            }                                                                                                \
        }                                                                                                    \
    }
    LEVEL("L2", 2),
    LEVEL("L3", 3),
    LEVEL("DRAM", MEMORY),
};

/* Adds the size, "32 KiB", to the name of a level. */
static void add_title(const struct record *record, const struct card *card, struct text *out)
{
    enum { WHOLE_FROM = 36, GIB = 30 }; /* powers of two */
    const double memory = card->level == MEMORY ? record_fact_number(record, "host.memory_bytes") : NAN;
    int64_t bytes = memory > 0 ? (int64_t)fmin(memory, 0x1p62) : 0;
    struct host_cache cache;
    struct text title = {0};
    for (int i = 0; subject_cache(record, i, &cache); i++)
        if (cache.level == card->level && strcmp(cache.type, "instruction") != 0)
            bytes = cache.bytes;
    text_add(&title, card->title);
    text_add(&title, bytes > 0 ? ", " : "");
    if (bytes > 0)
        text_add_size_rounded(&title, bytes >> WHOLE_FROM ? bytes >> GIB << GIB : bytes);
    svg_text(out, LEFT, 24, "t s", "start", "%s", title.data);
    text_free(&title);
}

/* Adds the cycles below a time, and the bytes a cycle below a rate. */
static void add_by_clock(const struct answer *answer, double x, double y, struct text *out)
{
    const double value = cell_number(&answer->value);
    struct text text = {0};
    if (!(answer->ghz > 0) || answer->trust == TRUST_LOW || !answer->unit)
        return;
    const bool time = strcmp(answer->unit, "ns") == 0;
    text_add_rounded(&text, time ? value * answer->ghz : value * 1e-9 / answer->ghz);
    svg_text(out, x, y, "m", "start", "%s %s", text.data, time ? "cycles" : "B/cycle");
    text_free(&text);
}

/* Shows the trust as shade and mark, and the published value below the number. */
static void add_number(const struct answer *answer, const char *name, double x, struct text *out)
{
    static const char *const shades[] = {[TRUST_LOW] = "p z", [TRUST_MEDIUM] = "m z", [TRUST_HIGH] = "t z"};
    const char *unit = answers_unit(answer->unit), *quoted_unit = answer->published.unit;
    char *value = answers_value(answer), *published = answers_published(answer);
    svg_text(out, x, 46, "m", "start", "%s%s%s", name, *unit ? ", " : "", unit);
    svg_text(out, x, 72, shades[answer->trust], "start", "%s", value);
    add_by_clock(answer, x, 91, out);
    if (quoted_unit && strcmp(quoted_unit, "bytes/core cycle") == 0)
        svg_text(out, x, 109, "m", "start", "of %g B/cycle", cell_number(&answer->published.value));
    else if (*published)
        svg_text(out, x, 109, "m", "start", "published %s", published);
    free(published);
    free(value);
}

/* Adds the first distances of the first series; in a report, of its first command that has some. Returns how many. */
static size_t add_distances(const struct record *record, struct text *out)
{
    static const char prefix[] = "distance/";
    const struct answer *first = NULL;
    size_t drawn = 0;
    for (size_t i = 0; i < record->answers.count && drawn < DISTANCES_MOST; i++) {
        const struct answer *answer = &record->answers.of[i];
        const char *distance = answer->slot ? strrchr(answer->slot, '/') : NULL;
        if (!distance || strncmp(answer->slot, prefix, sizeof prefix - 1) != 0 ||
            !cell_has_value(&answer->value))
            continue;
        first = first ? first : answer;
        if (strncmp(answer->slot, first->slot, (size_t)(distance - answer->slot) + 1) != 0)
            continue;
        char *name = answers_part(distance + 1, strlen(distance + 1));
        add_number(answer, name, LEFT + (double)drawn++ * ROOM / DISTANCES_MOST, out);
        free(name);
    }
    for (size_t i = 0; i < record->children.count && drawn == 0; i++)
        drawn = add_distances(record->children.of[i], out);
    return drawn;
}

/* Adds the reason that ram states for a level without a size, "not measured by --quick". */
static void add_reason(const struct record *record, const char *level, struct text *out)
{
    char slot[32];
    snprintf(slot, sizeof(slot), "memory/%s/size", level);
    const struct answer *size = answers_find(record, slot, false);
    const char *why = size ? cell_text(&size->value) : NULL;
    const bool meant = why && strncmp(why, "not ", 4) == 0;
    svg_text(out, LEFT, 72, "m", "start", "not measured%s", meant ? why + 3 : "");
}

void svg_sheet(const struct record *record, struct picture *picture)
{
    for (size_t i = 0; i < sizeof(cards) / sizeof(cards[0]); i++) {
        const struct card *card = &cards[i];
        struct panel *panel = picture_panel(picture, card->title, PANEL_WIDTH);
        struct text *out = &panel->body;
        panel->height = HEIGHT;
        text_printf(out, "<rect x=\"1\" y=\"1\" width=\"%d\" height=\"%d\" rx=\"8\" class=\"o\"/>\n",
                    PANEL_WIDTH - 2, HEIGHT - 2);
        add_title(record, card, out);
        size_t drawn = card->level == BETWEEN_CORES ? add_distances(record, out) : 0;
        const struct answer *last = NULL;
        size_t numbers = 0;
        while (numbers < NUMBERS_MOST && card->number[numbers].slot)
            numbers++;
        for (size_t j = 0; j < numbers; j++) {
            const struct answer *answer = answers_find(record, card->number[j].slot, card->number[j].busy);
            if (!answer || answer == last)
                continue;
            add_number(answer, i == 0 && answer_is_busy(answer) ? "sibling busy" : card->number[j].name,
                       LEFT + (double)(j * ROOM) / (double)numbers, out);
            last = answer;
            drawn++;
        }
        if (drawn == 0)
            add_reason(record, card->title, out);
    }
}
