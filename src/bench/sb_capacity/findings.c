/* SPDX-License-Identifier: MIT */
/* What is said of a capacity: never a value that was not measured, never a halved one without the word. */
#include <math.h>
#include <stdio.h>

#include "sb_capacity.h"

static double percent(size_t part, size_t whole)
{
    return whole > 0 ? 100 * (double)part / (double)whole : 0;
}

bool sb_is_proved(const struct capacity *capacity, const struct sb_proof *proof)
{
    return capacity->half_seen ||
           (proof->certain && (capacity->entries == proof->documented || capacity->state == BUFFER_HALVED));
}

/* What the sibling did while the size was as it is printed; NULL: unknown. */
static const char *state_of(const struct capacity *capacity)
{
    return capacity->state == BUFFER_HALVED  ? state_names[STATE_ACTIVE]
           : capacity->state == BUFFER_MIXED ? state_names[STATE_IDLE]
                                             : NULL;
}

/* A finding about the capacity, all but its words. */
static struct finding about(const char *key, struct cell value, const struct capacity *capacity,
                            struct verdict verdict)
{
    return (struct finding){.key = key,
                            .value = value,
                            .trust = verdict.trust,
                            .leg = verdict.leg,
                            .state = state_of(capacity),
                            .samples = capacity->sweeps};
}

static void entries_finding(const struct sb_bench *bench, const struct capacity *capacity,
                            const struct sb_proof *proof, struct verdict verdict)
{
    struct finding entries =
        about("store_buffer.entries", INTEGER_CELL(capacity->entries), capacity, verdict);

    entries.unit = "entries";
    if (capacity->state == BUFFER_HALVED)
        sb_finding(bench, entries,
                   "store buffer: measured %zu = half of the %s %zu; the full size was not seen in %zu "
                   "sweeps: an SMT sibling is active throughout",
                   capacity->entries, bench->published->documented ? "documented" : "published",
                   proof->documented, capacity->sweeps);
    else if (capacity->by_minimum)
        sb_finding(bench, entries,
                   "store buffer: %zu entries (seen in the minimum over %zu sweeps, halved to %zu in %zu)",
                   capacity->entries, capacity->sweeps, capacity->entries / 2, capacity->halved);
    else if (capacity->state == BUFFER_MIXED)
        sb_finding(bench, entries,
                   "store buffer: %zu entries (full size in %zu of %zu sweeps, halved to %zu in %zu)",
                   capacity->entries, capacity->full, capacity->sweeps, capacity->entries / 2,
                   capacity->halved);
    else
        sb_finding(bench, entries, "store buffer: %zu entries (%zu of %zu sweeps)", capacity->entries,
                   capacity->full, capacity->sweeps);
}

static const char *state_word(const struct capacity *capacity, const struct sb_proof *proof)
{
    return capacity->state == BUFFER_HALVED  ? "halved"
           : capacity->state == BUFFER_MIXED ? "mixed"
           : sb_is_proved(capacity, proof)   ? "full"
                                             : "unproved";
}

static void state_finding(const struct sb_bench *bench, const struct capacity *capacity,
                          const struct sb_proof *proof, struct verdict verdict)
{
    const struct finding state =
        about("store_buffer.state", TEXT_CELL(state_word(capacity, proof)), capacity, verdict);
    const double halved = percent(capacity->halved, capacity->full + capacity->halved);

    if (capacity->state == BUFFER_HALVED)
        sb_finding(bench, state, "halved throughout, by an SMT sibling");
    else if (capacity->state == BUFFER_MIXED)
        sb_finding(bench, state, "full, but halved %.1f %% of the time: an SMT sibling was active then",
                   halved);
    else if (sb_is_proved(capacity, proof))
        sb_finding(bench, state, "full; halved in %.1f %% of the sweeps", halved);
    else if (2 * capacity->entries + 1 + KNEE_END > proof->last)
        sb_finding(bench, state,
                   "full or halved, unknown which: twice as much is beyond the range, which ended at %zu",
                   proof->last);
    else
        sb_finding(bench, state,
                   "full as far as seen: %zu was in less than %.2g %% of %zu sweeps; should a sibling have "
                   "been active all the time, the full size is twice the measured one",
                   2 * capacity->entries, 100 * 3.0 / (double)capacity->sweeps, capacity->sweeps);
}

static void published_finding(const struct sb_bench *bench, const struct capacity *capacity,
                              size_t documented)
{
    static const char key[] = "store_buffer.published";
    const struct store_buffer_size *published = bench->published;
    const char *verdict = "differs from what was measured";

    if (published == NULL) {
        const char *why = bench->run->cpu->model_masked ? "the model number is masked"
                                                        : "no size with a source for this family and model";
        sb_finding(bench,
                   (struct finding){.key = key, .value = NO_CELL, .unit = "entries", .trust = TRUST_HIGH},
                   "published size: unknown (%s)", why);
        return;
    }
    if (capacity->state == BUFFER_UNRESOLVED)
        verdict = "nothing was measured to compare with";
    else if (capacity->entries == documented)
        verdict =
            documented == published->entries ? "agrees" : "agrees, at the entries that each store takes";
    else if (documented / 2 == capacity->entries)
        verdict = "twice what was measured";
    sb_finding(
        bench,
        (struct finding){
            .key = key, .value = INTEGER_CELL(published->entries), .unit = "entries", .trust = TRUST_HIGH},
        "%s %u (%s): %s [%s]", published->documented ? "documented" : "measured by others",
        published->entries, published->name, verdict, published->source);
}

/* The same fact that the witness gives to other commands. */
static void sibling_fact(const struct sb_bench *bench, const struct capacity *capacity,
                         const struct sb_proof *proof)
{
    const bool known = capacity->state == BUFFER_HALVED ||
                       (capacity->state != BUFFER_UNRESOLVED && sb_is_proved(capacity, proof));

    record_fact(bench->run->record,
                (struct fact){.path = "run.sibling_active",
                              .value = known ? REAL_CELL(capacity->halved_share) : NO_CELL});
}

void sb_capacity_findings(const struct sb_bench *bench, const struct capacity *capacity,
                          const struct sb_proof *proof, const char *unresolved)
{
    const struct verdict verdict = capacity_judge(capacity, proof->opinion, sb_is_proved(capacity, proof));

    if (capacity->state == BUFFER_UNRESOLVED) {
        sb_finding(
            bench,
            (struct finding){
                .key = "store_buffer.entries", .value = NO_CELL, .unit = "entries", .trust = TRUST_LOW},
            "store buffer: not resolved, because %s (%zu sweeps)", unresolved, capacity->sweeps);
    } else {
        entries_finding(bench, capacity, proof, verdict);
        state_finding(bench, capacity, proof, verdict);
        /* What this run was like, which no later one has to repeat. */
        record_fact(bench->run->record, (struct fact){"run.sb_capacity.agreeing_share", NULL, NULL,
                                                      REAL_CELL(capacity->agreeing)});
    }
    sibling_fact(bench, capacity, proof);
    published_finding(bench, capacity, proof->documented);
}
