/* SPDX-License-Identifier: MIT */
/* What is said of a capacity: never a value that was not measured, never a halved one without the word. */
#include <math.h>
#include <stdio.h>

#include "engine/published.h"
#include "sb_capacity.h"

static double percent(size_t part, size_t whole)
{
    return whole > 0 ? 100 * (double)part / (double)whole : 0;
}

/* What the sibling did while the size was as it is printed; NULL: unknown. */
static const char *state_of(const struct capacity *capacity)
{
    return capacity->state == BUFFER_HALVED  ? state_names[STATE_ACTIVE]
           : capacity->state == BUFFER_MIXED ? state_names[STATE_IDLE]
                                             : NULL;
}

/* An answer about the capacity, all but its words. */
static struct answer about(const char *key, struct cell value, const struct capacity *capacity)
{
    const struct verdict verdict = capacity_judge(capacity);

    return (struct answer){.key = key,
                           .value = value,
                           .trust = verdict.trust,
                           .leg = verdict.leg,
                           .within_absolute = value.type == CELL_INTEGER ? verdict.within_absolute : 0,
                           .state = state_of(capacity),
                           .samples = capacity->sweeps};
}

/* The other number that a later run may find. */
static void other_words(const struct agreement *agreement, char *text, size_t size)
{
    text[0] = 0;
    if (agreement->other > 0)
        snprintf(text, size, "; %zu in %.0f %% of the sweeps", agreement->other,
                 100 * agreement->other_share);
}

static void entries_answer(const struct sb_sweeps *sweeps)
{
    const struct sb_bench *bench = sweeps->bench;
    const struct capacity *capacity = &sweeps->capacity;
    struct answer entries = about("store_buffer.entries", INTEGER_CELL(capacity->entries), capacity);
    char other[64];

    entries.unit = "entries";
    other_words(&capacity->agreement, other, sizeof other);
    if (capacity->state == BUFFER_HALVED)
        sb_answer(bench, entries,
                  "store buffer: measured %zu = half of the published %zu; the full size was not seen in "
                  "%zu sweeps: an SMT sibling is active throughout%s",
                  capacity->entries, sweeps->published.entries, capacity->sweeps, other);
    else if (capacity->by_minimum)
        sb_answer(bench, entries,
                  "store buffer: %zu entries (seen in the minimum over %zu sweeps, halved to %zu in %zu%s)",
                  capacity->entries, capacity->sweeps, capacity->entries / 2, capacity->halved, other);
    else if (capacity->state == BUFFER_MIXED)
        sb_answer(bench, entries,
                  "store buffer: %zu entries (seen in %zu of %zu sweeps, halved to %zu in %zu%s)",
                  capacity->entries, capacity->full, capacity->sweeps, capacity->entries / 2,
                  capacity->halved, other);
    else
        sb_answer(bench, entries, "store buffer: %zu entries (%zu of %zu sweeps%s)", capacity->entries,
                  capacity->full, capacity->sweeps, other);
}

static const char *state_word(const struct capacity *capacity)
{
    return capacity->state == BUFFER_HALVED  ? "halved"
           : capacity->state == BUFFER_MIXED ? "mixed"
           : capacity->proved                ? "full"
                                             : "unproved";
}

static void state_answer(const struct sb_sweeps *sweeps)
{
    const struct sb_bench *bench = sweeps->bench;
    const struct capacity *capacity = &sweeps->capacity;
    const struct answer state = about("store_buffer.state", TEXT_CELL(state_word(capacity)), capacity);
    const double halved = percent(capacity->halved, capacity->full + capacity->halved);

    if (capacity->state == BUFFER_HALVED) /* as the sentence before says */
        record_answer(bench->run->record, state);
    else if (capacity->state == BUFFER_MIXED)
        sb_answer(bench, state, "halved in %.1f %% of the %zu clear sweeps: an SMT sibling was active then",
                  halved, capacity->full + capacity->halved);
    else if (capacity->proved)
        sb_answer(bench, state, "the whole buffer; halved in %.1f %% of the sweeps", halved);
    else if (2 * capacity->entries + 1 + KNEE_END > sweeps->last)
        sb_answer(bench, state,
                  "full or halved, unknown which: twice as much is beyond the range, which ended at %zu",
                  sweeps->last);
    else
        sb_answer(bench, state,
                  "full as far as seen: %zu was in less than %.2g %% of %zu sweeps; should a sibling have "
                  "been active all the time, the full size is twice the measured one",
                  2 * capacity->entries, 100 * 3.0 / (double)capacity->sweeps, capacity->sweeps);
}

void sb_capacity_answers(const struct sb_sweeps *sweeps, const char *unresolved)
{
    const struct capacity *capacity = &sweeps->capacity;
    struct record *record = sweeps->bench->run->record;
    const bool resolved = capacity->state != BUFFER_UNRESOLVED;

    if (resolved) {
        entries_answer(sweeps);
        state_answer(sweeps);
        /* What this run was like, which no later one has to repeat. */
        record_fact(record, (struct fact){"run.sb_capacity.agreeing_share", NULL, NULL,
                                          REAL_CELL(capacity->agreement.share)});
    } else
        sb_answer(sweeps->bench, (struct answer){.key = "store_buffer.entries", .unit = "entries"},
                  "store buffer: not resolved, because %s (%zu sweeps)", unresolved, capacity->sweeps);
    /* Each clear sweep is a reading of the witness. */
    if (resolved && (capacity->proved || capacity->state == BUFFER_HALVED))
        record_conditions_set(record,
                              (struct conditions){.sibling_share = capacity->halved_share,
                                                  .sibling_readings = capacity->full + capacity->halved});
    PUBLISHED_QUOTE(record, sweeps->bench->core, {"store_buffer.entries", "store_buffer"});
}
