/* SPDX-License-Identifier: MIT */
/* Rows and answers of the litmus test. */
#include <stdarg.h>
#include <stdio.h>

#include "sb_capacity.h"

enum { ADDRESS, LATE, STORES, STATE, TRIALS, BOTH_OLD, SHARE, ONE_OLD, FAR_TRIALS, FAR_BOTH_OLD, COLUMNS };

void sb_answer(const struct sb_bench *bench, struct answer answer, const char *format, ...)
{
    char text[512];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    answer.text = text;
    record_answer(bench->run->record, answer);
}

static const struct column litmus_columns[COLUMNS] = {
    {"address", "fillers' addresses", NULL, CELL_CLASS, ROLE_PARAMETER, 0},
    {"first_line", "first store's line", NULL, CELL_CLASS, ROLE_PARAMETER, 0},
    {"stores", "stores", NULL, CELL_INTEGER, ROLE_PARAMETER, 0},
    {"state", "state", NULL, CELL_CLASS, ROLE_PARAMETER, 0, state_names},
    {"trials", "trials", NULL, CELL_INTEGER, ROLE_MEASURE, 0},
    {"both_old", "both loads passed", NULL, CELL_INTEGER, ROLE_MEASURE, 0},
    {"both_old_share", "share", NULL, CELL_REAL, ROLE_MEASURE, 6},
    {"one_old_share", "one load passed", NULL, CELL_REAL, ROLE_MEASURE, 3},
    {"far_trials", "trials between far CPUs", NULL, CELL_INTEGER, ROLE_MEASURE, 0},
    {"far_both_old", "both loads passed there", NULL, CELL_INTEGER, ROLE_MEASURE, 0},
};

const struct table_spec sb_litmus_table = {
    .name = "litmus",
    .title = "trials in which both loads passed all stores before them",
    .note =
        "each CPU stores to its own location, makes stores - 1 further stores and loads the other's location",
    .columns = litmus_columns,
    .column_count = COLUMNS,
    .view = {.kind = VIEW_CURVE, .x = STORES, .y = SHARE, .value = SHARE, .series = ADDRESS, .state = STATE},
};

const char *const sb_filling_names[] = {
    [FILL_TWO] = "two lines", [FILL_LINES] = "lines",    [FILL_APART] = "distinct lines",
    [FILL_PAGES] = "pages",   [FILL_WORD] = "same word", [FILL_LINE] = "same line"};

static void add_row(const struct sb_bench *bench, size_t table, const struct sb_passing *passing,
                    struct sb_part part, size_t stores)
{
    const struct sb_count all = sb_passing_count(passing, part, stores);
    const double trials = (double)all.trials;

    part.distance = SB_FAR;
    const struct sb_count far = sb_passing_count(passing, part, stores);
    const struct cell cells[COLUMNS] = {
        [ADDRESS] = TEXT_CELL(sb_filling_names[part.filling]),
        [LATE] = TEXT_CELL(part.late ? "late" : "in time"),
        [STORES] = INTEGER_CELL(stores),
        [STATE] = INTEGER_CELL(part.state),
        [TRIALS] = INTEGER_CELL(all.trials),
        [BOTH_OLD] = INTEGER_CELL(all.both_old),
        [SHARE] = all.trials > 0 ? REAL_CELL((double)all.both_old / trials) : NO_CELL,
        [ONE_OLD] = all.trials > 0 ? REAL_CELL((double)all.one_old / trials) : NO_CELL,
        [FAR_TRIALS] = INTEGER_CELL(far.trials),
        [FAR_BOTH_OLD] = INTEGER_CELL(far.both_old),
    };
    if (all.blocks > 0)
        record_row(bench->run->record, table, cells);
}

/* Of the states, that of the knee first: it is the one that is drawn. */
void sb_passing_rows(const struct sb_bench *bench, size_t table, const struct sb_passing *passing)
{
    const enum state main = sb_knee_of(passing).state;

    for (int filling = 0; filling < FILLINGS; filling++)
        for (int late = 0; late < 2; late++)
            for (size_t stores = 1; stores <= passing->last; stores++)
                for (int i = 0; i < STATE_COUNT; i++) {
                    const int state = (i + (int)main) % STATE_COUNT;
                    add_row(bench, table, passing, (struct sb_part){filling, late, -1, state}, stores);
                }
}

static double percent(struct sb_count count)
{
    return count.trials > 0 ? 100 * (double)count.both_old / (double)count.trials : 0;
}

static struct answer about(const char *key, size_t value, struct verdict verdict)
{
    return (struct answer){.key = key,
                           .value = value > 0 ? INTEGER_CELL(value) : NO_CELL,
                           .unit = "stores",
                           .trust = verdict.trust,
                           .leg = verdict.leg,
                           .within_absolute = value > 0 ? 1 : 0};
}

static void knee_answer(const struct sb_bench *bench, const struct sb_passing *passing)
{
    const struct sb_knee knee = sb_knee_of(passing);
    const struct verdict verdict = sb_knee_judge(&knee, passing);
    struct answer answer = about("store_buffer.reorder_knee", knee.stores, verdict);

    if (verdict.trust == TRUST_LOW) {
        answer.value = NO_CELL;
        sb_answer(bench, answer, "stores that a load passes as a rule: not resolved, because %s",
                  verdict.leg == LEG_PRECISION
                      ? "their share has no sharp fall"
                      : "their share falls where neither the buffer nor its half ends");
        return;
    }
    answer.state = knee.state == STATE_MIXED ? NULL : state_names[knee.state];
    answer.samples = knee.count.trials;
    sb_answer(bench, answer, "a load passes %zu stores as a rule (%.3g %% of the trials; %zu in %.2g %%)%s",
              knee.stores, percent(knee.count), knee.next, percent(knee.after),
              knee.state == STATE_ACTIVE ? ": half of the buffer" : "");
}

static const char *when_words(const struct sb_most *most)
{
    if (most->far.both_old == most->count.both_old)
        return " when the oldest store waits for a line from a far CPU";
    return most->late.both_old == most->count.both_old ? " when the oldest store waits for its line" : "";
}

/* Where the answer holds: the states of two answers are compared as texts. */
static const char *place_words(bool far)
{
    return far ? "CPUs far from each other" : "CPUs near each other";
}

static void most_answer(const struct sb_bench *bench, const struct sb_passing *passing,
                        const struct sb_never *never)
{
    const struct sb_most most = sb_most_of(passing);
    struct answer answer = about("store_buffer.reorder_most_seen", most.stores, sb_most_judge(&most, never));

    if (most.stores == 0) {
        sb_answer(bench, answer, "no load was seen to pass a store");
        return;
    }
    answer.state = place_words(never->far);
    answer.samples = most.count.trials;
    sb_answer(bench, answer,
              "at least %zu can be passed%s: seen %zu times in %zu trials (CPUs %.0f to %.0f ns apart)",
              most.stores, when_words(&most), most.count.both_old, most.count.trials, passing->least_ns,
              passing->most_ns);
}

static void never_answer(const struct sb_bench *bench, const struct sb_passing *passing,
                         const struct sb_never *never)
{
    const bool resolved = never->unresolved == NULL;
    struct answer answer =
        about("store_buffer.reorder_never_from", resolved ? never->from : 0, sb_never_judge(never, passing));

    answer.state = place_words(never->far);
    if (!resolved) {
        sb_answer(bench, answer, "from how many on never: not resolved, because %s; use a fence",
                  never->unresolved);
        return;
    }
    answer.samples = never->trials;
    RECORD_FACTS(bench->run->record,
                 {"run.sb_capacity.reorder_never_share", .value = REAL_CELL(never->share)});
    sb_answer(bench, answer,
              "%zu to %zu: never in %zu trials (below %.2g %% at 95 %%)%s; only a fence is proof",
              never->from, never->last, never->trials, 100 * never->share,
              never->far ? "" : ", all between CPUs as near as in one L3: the far case was not had");
}

static void merging_answer(const struct sb_bench *bench, const struct sb_passing *passing)
{
    const struct sb_merging merging = sb_merging_of(passing);
    struct answer answer = about("store_buffer.reorder_merging", 0, sb_merging_judge(&merging));

    answer.unit = NULL;
    answer.samples = merging.count.trials;
    if (!merging.known) {
        sb_answer(bench, answer, "whether stores in a row to one line merge: not resolved");
        return;
    }
    answer.value = BOOL_CELL(merging.merges);
    if (merging.merges)
        sb_answer(bench, answer,
                  "stores in a row to one line merge, without bound: a load passed %zu of them %zu times in "
                  "%zu trials",
                  merging.stores, merging.count.both_old, merging.count.trials);
    else
        sb_answer(bench, answer,
                  "stores in a row to one line do not merge: no load passed %zu of them in %zu trials",
                  merging.stores, merging.count.trials);
}

static void refusal_answers(const struct sb_bench *bench, const char *refusal)
{
    static const char *const keys[] = {"store_buffer.reorder_knee", "store_buffer.reorder_most_seen",
                                       "store_buffer.reorder_never_from", "store_buffer.reorder_merging"};

    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        sb_answer(bench, about(keys[i], 0, (struct verdict){TRUST_LOW, LEG_PLAUSIBILITY}),
                  "how many stores a load can pass: no answer, because %s", refusal);
}

void sb_passing_answers(const struct sb_bench *bench, const struct sb_passing *passing)
{
    const char *refusal = sb_passing_refusal(passing);
    const struct sb_never never = sb_never_of(passing);

    RECORD_FACTS(bench->run->record,
                 {"run.sb_capacity.fenced_trials", .value = INTEGER_CELL(passing->fenced)},
                 {"run.sb_capacity.fenced_passed", .value = INTEGER_CELL(passing->fenced_both_old)},
                 {"run.sb_capacity.distance_ns.least", .value = REAL_CELL(passing->least_ns)},
                 {"run.sb_capacity.distance_ns.most", .value = REAL_CELL(passing->most_ns)});
    if (refusal != NULL) {
        refusal_answers(bench, refusal);
        return;
    }
    knee_answer(bench, passing);
    most_answer(bench, passing, &never);
    never_answer(bench, passing, &never);
    merging_answer(bench, passing);
}
