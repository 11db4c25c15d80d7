/* SPDX-License-Identifier: MIT */
/* What is said of a litmus test: per filling, and of all of them one sentence that the author of a queue can build on. */
#include <stdio.h>

#include "sb_capacity.h"

enum { ADDRESS, STORES, STATE, TRIALS, BOTH_OLD, SHARE, ONE_OLD, BOUND, COLUMNS };

static const struct column litmus_columns[COLUMNS] = {
    {"address", "fillers' addresses", NULL, CELL_CLASS, ROLE_PARAMETER, 0},
    {"stores", "stores", NULL, CELL_INTEGER, ROLE_PARAMETER, 0},
    {"state", "state", NULL, CELL_CLASS, ROLE_PARAMETER, 0, state_names},
    {"trials", "trials", NULL, CELL_INTEGER, ROLE_MEASURE, 0},
    {"both_old", "both loads old", NULL, CELL_INTEGER, ROLE_MEASURE, 0},
    {"both_old_share", "share", NULL, CELL_REAL, ROLE_MEASURE, 5},
    {"one_old_share", "one load old", NULL, CELL_REAL, ROLE_MEASURE, 3},
    {"bound", "last before the fall", NULL, CELL_BOOL, ROLE_LABEL, 0},
};

const struct table_spec sb_litmus_table = {
    .name = "litmus",
    .title = "trials in which both loads overtook all stores before them",
    .note =
        "each CPU stores to its own location, makes stores - 1 further stores and loads the other's location",
    .columns = litmus_columns,
    .column_count = COLUMNS,
    .view = {.kind = VIEW_CURVE,
             .x = STORES,
             .y = SHARE,
             .value = SHARE,
             .series = ADDRESS,
             .state = STATE,
             .flag = BOUND},
};

struct sb_bound sb_filling_bound(const struct sb_filling *filling, enum state state)
{
    size_t stores[SB_MOST_STORES], hits[SB_MOST_STORES], trials[SB_MOST_STORES], count = 0;

    for (size_t s = 1; s <= SB_MOST_STORES; s++) {
        const struct sb_trials *at = &filling->at[state][s];
        if (at->trials == 0)
            continue;
        stores[count] = s;
        hits[count] = at->both_old;
        trials[count++] = at->trials;
    }
    return sb_bound_of(stores, hits, trials, count);
}

static void add_row(const struct sb_bench *bench, size_t table, const struct sb_filling *filling,
                    enum state state, size_t stores)
{
    const struct sb_trials *at = &filling->at[state][stores];
    const double trials = (double)at->trials;
    const struct cell cells[COLUMNS] = {
        [ADDRESS] = TEXT_CELL(filling->address),
        [STORES] = INTEGER_CELL(stores),
        [STATE] = state == STATE_MIXED ? NO_CELL : INTEGER_CELL(state),
        [TRIALS] = INTEGER_CELL(at->trials),
        [BOTH_OLD] = INTEGER_CELL(at->both_old),
        [SHARE] = REAL_CELL((double)at->both_old / trials),
        [ONE_OLD] = REAL_CELL((double)at->one_old / trials),
        [BOUND] =
            BOOL_CELL(state == filling->state && filling->bound.found && filling->bound.stores == stores),
    };

    if (at->blocks > 0)
        record_row(bench->run->record, table, cells);
}

/* A row for each state, that of the bound first; of no state where it changed in each of the trials' blocks. */
void sb_filling_rows(const struct sb_bench *bench, size_t table, const struct sb_filling *filling)
{
    for (size_t stores = 1; stores <= SB_MOST_STORES; stores++) {
        size_t known = 0;
        for (int state = 0; state < STATE_MIXED; state++)
            known += filling->at[state][stores].blocks;
        add_row(bench, table, filling, known > 0 ? filling->state : STATE_MIXED, stores);
        for (int state = 0; state < STATE_MIXED && filling->state != STATE_MIXED; state++) {
            if (state != (int)filling->state)
                add_row(bench, table, filling, (enum state)state, stores);
        }
    }
}

/* The buffer as iso saw it, or what is published where that saw only the half. */
static size_t whole_entries(const struct sb_bench *bench, const struct capacity *capacity)
{
    return capacity->state == BUFFER_HALVED ? bench->published->entries : capacity->entries;
}

static bool is_half(size_t stores, size_t entries)
{
    return entries > 1 && stores <= entries / 2 + 1;
}

/* The witness sees the sibling of one CPU while the other sleeps. Half a buffer next to an idle sibling was halved by that
 * other one. */
static const char *half_words(enum state state)
{
    return state == STATE_IDLE ? ": the halved buffer, as if the two CPUs shared a core"
                               : ": the halved buffer";
}

static enum state state_of(const struct sb_filling *filling, bool half)
{
    return half ? STATE_ACTIVE : filling->state;
}

static void found_finding(const struct sb_bench *bench, const struct sb_filling *filling, const char *key,
                          size_t entries)
{
    const struct sb_bound *bound = &filling->bound;
    const bool half = is_half(bound->stores, entries);
    /* A sibling at work leaves half of the buffer: with more, the trials were filed under the wrong state. */
    const bool misfiled = !half && filling->state == STATE_ACTIVE && entries > 0;
    const struct verdict verdict =
        misfiled ? (struct verdict){TRUST_LOW, LEG_PLAUSIBILITY} : sb_bound_judge(bound, entries);
    const enum state state = state_of(filling, half);
    const struct finding finding = {.key = key,
                                    .value = INTEGER_CELL(bound->stores),
                                    .unit = "stores",
                                    .trust = verdict.trust,
                                    .leg = verdict.leg,
                                    .state = state == STATE_MIXED ? NULL : state_names[state],
                                    .samples = filling->at[filling->state][bound->stores].trials};

    sb_finding(
        bench, finding,
        "fillers to %s%s: a load overtakes %zu stores in %.3g %% of the trials, %zu and more in %.3g %%%s",
        filling->address, !half && state == STATE_IDLE ? " while the sibling idles" : "", bound->stores,
        100 * bound->rate, bound->next_stores, 100 * bound->floor, half ? half_words(filling->state) : "");
}

/* Enough that they merged, were it one time in a hundred. */
enum { SURE = 100 };

/* How often more was overtaken than the buffer holds, and the most; entries 0: unknown. */
static size_t beyond(const struct sb_filling *filling, size_t entries, size_t *most)
{
    size_t hits = 0;

    for (size_t s = entries + 2; entries > 0 && s <= SB_MOST_STORES; s++) {
        hits += filling->at[STATE_MIXED][s].both_old;
        *most = filling->at[STATE_MIXED][s].both_old > 0 ? s : *most;
    }
    return hits;
}

/* A line that is not here yet takes all stores in a row to it, so that they leave the buffer: then nothing bounds them. */
static void cold_finding(const struct sb_bench *bench, const struct sb_filling *filling, size_t entries)
{
    size_t most = 0;
    const size_t hits = beyond(filling, entries, &most);
    const struct sb_trials *at = &filling->at[STATE_MIXED][most];
    const struct finding finding = {.key = "store_buffer.coalescing",
                                    .value = BOOL_CELL(hits > 0),
                                    .trust = hits == 0 || hits >= SURE ? TRUST_HIGH : TRUST_LOW,
                                    .leg = hits == 0 || hits >= SURE ? LEG_NONE : LEG_REPETITION,
                                    .samples = at->trials};

    if (hits > 0)
        sb_finding(
            bench, finding,
            "stores in a row to one line that the other CPU wrote last do not count: a load overtook %zu "
            "of them in %.3g %% of the trials (they merge while the line is on its way)",
            most, 100 * (double)at->both_old / (double)at->trials);
    else if (entries > 0)
        sb_finding(bench, finding,
                   "stores in a row to one line that the other CPU wrote last count like others: no load "
                   "overtook more than %zu of them",
                   entries + 1);
}

void sb_filling_finding(const struct sb_bench *bench, const struct sb_filling *filling,
                        const struct capacity *capacity, bool cut)
{
    char key[64];

    if (filling->cold) {
        if (!cut)
            cold_finding(bench, filling, whole_entries(bench, capacity));
        return;
    }
    snprintf(key, sizeof key, "store_buffer.reorder_bound.%s", filling->address);
    if (filling->bound.found)
        found_finding(bench, filling, key, whole_entries(bench, capacity));
    else
        sb_finding(bench, (struct finding){.key = key, .unit = "stores"},
                   "fillers to %s: not resolved, because %s", filling->address,
                   cut ? "the run ended early"
                       : "the share of trials with both loads old has no fall in this range");
}

/* Of all fillings but the cold one. */
struct conclusion {
    size_t bound, agreeing; /* the largest bound, and how many fillings have it */
    struct verdict verdict; /* of the best of these */
    size_t largest;         /* that was ever seen to be overtaken, but for what merges */
    bool merges;
    struct sb_trials at[SB_MOST_STORES + 2];
};

static void conclude(struct conclusion *all, const struct sb_filling *filling, size_t count, size_t entries)
{
    *all = (struct conclusion){.verdict = {TRUST_LOW, LEG_PRECISION}};
    for (size_t i = 0; i < count; i++) {
        size_t most = 0;

        all->merges |= filling[i].cold && beyond(&filling[i], entries, &most) >= SURE;
        if (!filling[i].cold && filling[i].bound.found && filling[i].bound.stores > all->bound)
            all->bound = filling[i].bound.stores;
    }
    for (size_t i = 0; i < count; i++) {
        /* Now and then a line is taken away between two trials, and what is stored to it alone merges. */
        const bool merged = filling[i].one_line && filling[i].bound.found && all->merges;
        const size_t last = merged ? filling[i].bound.stores : SB_MOST_STORES;

        if (filling[i].cold)
            continue;
        for (size_t s = 1; s <= last; s++) {
            all->at[s].both_old += filling[i].at[STATE_MIXED][s].both_old;
            all->at[s].trials += filling[i].at[STATE_MIXED][s].trials;
        }
        const struct verdict verdict = sb_bound_judge(&filling[i].bound, entries);
        if (!filling[i].bound.found || filling[i].bound.stores != all->bound)
            continue;
        all->agreeing++;
        if (verdict.trust > all->verdict.trust)
            all->verdict = verdict;
    }
    for (size_t s = 1; s <= SB_MOST_STORES; s++)
        all->largest = all->at[s].both_old > 0 ? s : all->largest;
    if (all->agreeing < 2)
        all->verdict = verdict_lesser(all->verdict, (struct verdict){TRUST_MEDIUM, LEG_REPETITION});
}

static const char *size_words(bool proved, bool of_half, size_t entries, size_t design)
{
    if (entries == 0)
        return "the size of the buffer is unknown";
    if (design > entries + 1)
        return "more than the buffer holds";
    if (!proved)
        return "the buffer as it was seen; twice as many if an SMT sibling was active all the time";
    if (of_half)
        return design == entries ? "the whole buffer, as of its half"
                                 : "the whole buffer and one more, as of its half";
    return design == entries ? "the whole buffer" : "the whole buffer and one more";
}

/* What was overtaken of the half, too, is the buffer or one more. */
static bool is_of_half(const struct conclusion *all, size_t entries)
{
    return entries > 1 && (all->bound == entries / 2 || all->bound == entries / 2 + 1);
}

/* The promise of high is one entry. Two fillings that agree with a size that is proved, whole or halved, leave no more open, if
 * nothing beyond it was seen. */
static struct verdict judge_design(const struct conclusion *all, const struct capacity *capacity,
                                   size_t entries, size_t design)
{
    struct verdict verdict = all->verdict;

    if (design > entries + 1)
        return verdict_lesser(verdict, (struct verdict){TRUST_LOW, LEG_PLAUSIBILITY});
    if (!capacity->proved)
        return verdict_lesser(verdict, (struct verdict){TRUST_MEDIUM, LEG_PLAUSIBILITY});
    if (is_of_half(all, entries) && all->agreeing > 1 && verdict.trust > TRUST_LOW)
        return (struct verdict){TRUST_HIGH, LEG_NONE};
    if (design != all->bound || verdict.trust == TRUST_LOW)
        return (struct verdict){TRUST_MEDIUM, LEG_PLAUSIBILITY};
    return verdict;
}

/* Never below what was seen to be overtaken, nor below what the buffer holds: less may only not have been seen. */
void sb_bound_finding(const struct sb_bench *bench, const struct sb_filling *filling, size_t count,
                      const struct capacity *capacity, bool cut)
{
    const size_t entries = whole_entries(bench, capacity);
    struct finding finding = {.key = "store_buffer.reorder_bound", .unit = "stores"};
    struct conclusion all;

    conclude(&all, filling, count, entries);
    if (all.bound == 0 || cut) {
        sb_finding(bench, finding, "reorder bound: not resolved; up to %zu stores were seen to be overtaken",
                   all.largest);
        return;
    }
    const bool of_half = is_of_half(&all, entries);
    const size_t seen = all.largest > all.bound ? all.largest : all.bound;
    const size_t whole = of_half && all.bound > entries / 2 ? entries + 1 : entries;
    const size_t design = seen > whole ? seen : whole;
    const struct verdict verdict = judge_design(&all, capacity, entries, design);
    finding.value = INTEGER_CELL(design);
    finding.trust = verdict.trust;
    finding.leg = verdict.leg;
    finding.samples = all.at[all.largest].trials;
    sb_finding(
        bench, finding,
        "reorder bound: design for %zu stores%s (%s; %zu seen %zu times in %zu trials, %zu never in %zu; "
        "no proof)",
        design, all.merges ? " that do not merge" : "",
        size_words(capacity->proved, of_half, entries, design), all.largest, all.at[all.largest].both_old,
        all.at[all.largest].trials, design + 1, all.at[design + 1].trials);
}
