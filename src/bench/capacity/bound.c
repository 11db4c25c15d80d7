/* SPDX-License-Identifier: MIT */
/* How many stores a later load can pass (as a rule, at most, never), from blocks of litmus trials. */
#include <math.h>
#include <string.h>

#include "sb_capacity.h"

/* A line travels in 66 cycles between two threads of one core (Zen 3) and in 88 and more between two cores
 * (Zen 3, Zen 4); 44 ns was the longest way within an L3, 113 ns the shortest between two. Beyond a
 * microsecond one CPU waited to run. */
static const double one_core_cycles = 77, far_ns = 75, no_way_ns = 1000;
static const double few_trials = 0.1; /* least share of the trials that a state or a distance must have */
static const double of_three = 3;     /* rule of three: at 95 %, 0 of n is a share below 3 / n */
/* Hits from which on another run of the same length has hits, too. */
enum { SURE = 5 };
enum {
    MERGED = 1 << FILL_WORD | 1 << FILL_LINE,
    UNMERGED = (1 << FILLINGS) - 1 - MERGED,
    IN_TIME = 1,
    LATE = 2
};

const char *const sb_distance_names[] = {"CPUs near each other", "CPUs far from each other"};

/* The counts to sum: a bit for each index. 0: all of them; of fillings, those that do not merge. */
struct part {
    unsigned fillings, late, distances, states;
};

static bool has(unsigned chosen, int index)
{
    return chosen == 0 || chosen >> index & 1;
}

static void add(struct sb_count *sum, struct sb_count part)
{
    sum->trials += part.trials;
    sum->both_old += part.both_old;
}

static struct sb_count count_at(const struct sb_point *point, struct part part)
{
    struct sb_count sum = {0};
    for (int distance = 0; distance < SB_DISTANCES; distance++)
        for (int state = 0; state < STATE_COUNT; state++)
            if (has(part.distances, distance) && has(part.states, state))
                add(&sum, point->count[distance][state]);
    return sum;
}

/* Sums over points of `first` to `last` stores. */
static struct sb_count count_of(const struct sb_passing *passing, struct part part, size_t first, size_t last)
{
    struct sb_count sum = {0};
    for (const struct sb_point *point = passing->point; point < passing->point + passing->points; point++)
        if (point->stores >= first && point->stores <= last && has(part.late, point->late) &&
            has(part.fillings ? part.fillings : UNMERGED, (int)point->filling))
            add(&sum, count_at(point, part));
    return sum;
}

/* Numbers that were passed often enough need no more trials: around the knee with the whole buffer, and at
 * the present distance, as CPUs that the host moved apart may begin too far apart in time for both loads to
 * pass, which only usually passed numbers show. While the first line comes in time, loads pass hardly more
 * than the buffer, so larger numbers get fewer of these trials. */
bool sb_point_wanted(const struct sb_passing *passing, const struct sb_point *point, uint64_t round)
{
    enum { OFTEN = 100, ENOUGH = 40000, SELDOM = 4 };
    const bool beyond = point->stores > passing->entries + 2;
    const struct part part = {.distances = 1u << passing->distance,
                              .states = point->late || beyond ? 0 : 1 << STATE_IDLE};
    const struct sb_count count = count_at(point, part);
    if (point->filling <= FILL_LINE)
        return count.both_old < OFTEN && count.trials < ENOUGH;
    if (passing->usual > 0 && point->stores > passing->usual && passing->most < passing->reserved)
        return false;
    if (!point->late && beyond && round % SELDOM > 0)
        return false;
    return point->stores > passing->most || count.both_old < OFTEN;
}

static unsigned lesser(const struct reading side[2])
{
    return side[0].entries < side[1].entries ? side[0].entries : side[1].entries;
}

void sb_passing_add(struct sb_passing *passing, const struct sb_block *block)
{
    struct sb_point *point = &passing->point[block->point];
    const double ns = block->distance_ns;
    for (int side = 0; side < 2; side++)
        if (block->after[side].whole > passing->entries) {
            /* The presumed whole was a half: all counts so far are filed under the wrong state. */
            passing->entries = block->after[side].whole;
            passing->most = 0;
            for (size_t i = 0; i < passing->points; i++)
                memset(passing->point[i].count, 0, sizeof passing->point[i].count);
        }
    passing->proved = block->after[0].sure || block->after[1].sure;
    if (!(ns <= no_way_ns))
        return;
    if (ns * passing->ghz < one_core_cycles) {
        passing->shared++;
        return;
    }
    /* One halved buffer decides, as both loads must pass; a block whose buffers changed has no known
     * state. */
    const unsigned before = lesser(block->before), after = lesser(block->after);
    const enum state state =
        before == after ? reading_state(before, (unsigned)passing->entries) : STATE_UNKNOWN;
    passing->distance = ns < far_ns ? SB_NEAR : SB_FAR;
    add(&point->count[passing->distance][state], block->count);
    add(&passing->fenced, block->fenced);
    passing->blocks++;
    passing->last = point->stores > passing->last ? point->stores : passing->last;
    if (point->filling > FILL_LINE && block->count.both_old > 0 && point->stores > passing->most)
        passing->most = point->stores;
}

/* Whether the part has at least a tenth of the trials of `all`, which leaves its state or distance open. */
static bool is_had(const struct sb_passing *passing, struct part part, struct part all)
{
    const double trials = (double)count_of(passing, part, 1, passing->last).trials;
    return trials > 0 && trials >= few_trials * (double)count_of(passing, all, 1, passing->last).trials;
}

/* Idle if a tenth of the trials had both siblings idle (the whole buffer); unknown without a witness. */
static enum state main_state(const struct sb_passing *passing)
{
    for (enum state state = STATE_IDLE; state <= STATE_ACTIVE; state++)
        if (is_had(passing, (struct part){.states = 1u << state}, (struct part){0}))
            return state;
    return STATE_UNKNOWN;
}

/* The share that passed, at least that of half a trial. */
static double share_of(struct sb_count count)
{
    return (count.both_old > 0 ? (double)count.both_old : 0.5) / (double)count.trials;
}

/* The remark says why there is no value. */
static void refuse(struct answer *answer, const char *why, enum limited_by limited_by)
{
    answer->remark = why;
    answer->limited_by = limited_by;
}

static void resolve(struct answer *answer, struct cell value, enum limited_by doubt, enum limited_by refusal)
{
    answer_cap(answer, doubt, refusal);
    answer->value = value;
    answer->within_absolute = value.type == CELL_INTEGER;
}

/* The first of the sharp falls: beyond it only a tail falls. A number with less than a twentieth of the
 * best share is no rule. */
static void answer_knee(const struct sb_passing *passing, struct answer *answer)
{
    enum { FEWEST = 20 };
    static const double rule = 0.05, sharp = 20;
    const enum state state = main_state(passing);
    const struct part part = {.late = IN_TIME, .states = state == STATE_UNKNOWN ? 0 : 1u << state};
    const size_t size = state == STATE_ACTIVE ? passing->entries / 2 : passing->entries;
    double best = 0, beyond = 0, share_of_knee = 0;
    size_t knee = 0, next = 0; /* next: the next larger number that was tried */
    for (size_t s = passing->last; s > 0; s--) {
        const struct sb_count count = count_of(passing, part, s, s);
        if (count.trials == 0)
            continue;
        const double share = share_of(count); /* at least half a trial, also where none passed */
        if (next == s + 1 && count.both_old >= FEWEST && share >= sharp * beyond) {
            knee = s;
            share_of_knee = share;
            answer->samples = count.trials;
        }
        best = count.both_old >= FEWEST ? fmax(best, share) : best;
        beyond = fmax(beyond, share);
        next = s;
    }
    if (knee == 0 || share_of_knee < rule * best)
        refuse(answer, "no sharp fall", LIMITED_BY_PRECISION);
    else if (size == 0 || (knee != size && knee != size + 1))
        refuse(answer, "neither the buffer nor its half", LIMITED_BY_PLAUSIBILITY);
    else {
        const bool certain = state != STATE_UNKNOWN && passing->proved;
        answer->state = state == STATE_UNKNOWN ? NULL : state_names[state];
        resolve(answer, INTEGER_CELL(knee), certain ? LIMITED_BY_NONE : LIMITED_BY_PLAUSIBILITY,
                LIMITED_BY_NONE);
    }
}

/* In blocks where a load can pass most (whole buffer, CPUs far apart), each number beyond the most that
 * was passed needs enough trials to show a tenth of the least share that was seen; one in ten thousand if no
 * load passed more than the buffer, which is rarer than to pass a full one. */
static void answer_never(const struct sb_passing *passing, struct answer *answer)
{
    enum { POINTS = 4, TRIALS = 3000, TRIALS_UNSEEN = 30000 };
    static const double tenth = 0.1;
    const enum state state = main_state(passing);
    const size_t most = passing->most, entries = passing->entries;
    const size_t fewest = most > entries + 1 ? TRIALS : TRIALS_UNSEEN;
    const struct part all = {.states = state == STATE_IDLE ? 1 << STATE_IDLE : 0};
    struct part part = {.distances = 1 << SB_FAR, .states = all.states};
    const bool far = is_had(passing, part, all), certain = far && passing->proved && state == STATE_IDLE;
    double least = 1;
    bool thin = false;
    size_t points = 0, from = 0, passed = 0;
    part.distances = far ? 1 << SB_FAR : 1 << SB_NEAR;
    answer->state = sb_distance_names[far];
    for (size_t s = 1; s <= passing->last; s++) {
        const struct sb_count count = count_of(passing, part, s, s);
        if (s <= most) {
            least = count.both_old > 0 ? fmin(least, share_of(count)) : least;
            passed = count.both_old > 0 ? s : passed;
        } else if (count_of(passing, (struct part){0}, s, s).trials > 0) {
            from = points++ == 0 ? s : from;
            answer->samples += count.trials;
            thin |= count.trials < fewest || of_three / (double)count.trials >= tenth * least;
        }
    }
    answer->remark = state == STATE_ACTIVE              ? "a sibling had half the buffer"
                     : entries == 0 || passed < entries ? "no load passed a whole buffer"
                     : points < POINTS                  ? "too few larger numbers were tried"
                     : thin || from != most + 1         ? "too few trials for rare ones"
                                                        : NULL;
    if (answer->remark)
        return;
    answer->remark = far ? "only a fence is proof" : "near CPUs only, no proof";
    resolve(answer, INTEGER_CELL(from), certain ? LIMITED_BY_NONE : LIMITED_BY_PLAUSIBILITY, LIMITED_BY_NONE);
}

/* More stores than the buffer and the one that waits in front of it cannot all have an entry: where stores
 * merge, those behind the oldest do so while its line is on its way, and leave their entries (Zen 4: 64
 * entries, and up to 74 stores were passed, in 12 of 12 runs). */
static void answer_most(const struct sb_passing *passing, const struct answer *never,
                        const struct answer *merging, struct answer *answer)
{
    const size_t most = passing->most;
    const struct sb_count count = count_of(passing, (struct part){0}, most, most);
    const struct part far = {.distances = 1 << SB_FAR}, late = {.late = LATE};
    const bool sure = cell_has_value(&never->value) && count.both_old >= SURE;
    if (most == 0) {
        refuse(answer, "none", LIMITED_BY_REPETITION);
        return;
    }
    if (cell_is(&merging->value, true) && most > passing->entries + 1)
        answer->remark = "stores merge while the oldest waits";
    else if (count_of(passing, far, most, most).both_old == count.both_old)
        answer->remark = "while a far line is awaited";
    else if (count_of(passing, late, most, most).both_old == count.both_old)
        answer->remark = "while the first line is late";
    answer->state = never->state;
    answer->samples = count.trials;
    resolve(answer, INTEGER_CELL(most), LIMITED_BY_NONE, sure ? LIMITED_BY_NONE : LIMITED_BY_REPETITION);
}

/* That no load passed three buffers proves something only for far CPUs, where stores to one word pass ten
 * times as often, and if the same stores passed there when they filled the buffer. */
static void answer_merging(const struct sb_passing *passing, struct answer *answer)
{
    enum { TRIALS = 30000, CONTROL = 20 };
    const struct part part = {.fillings = MERGED}, far = {.fillings = MERGED, .distances = 1 << SB_FAR};
    const size_t entries = passing->entries, last = passing->last;
    const struct sb_count count = count_of(passing, part, SB_MERGED * entries, last);
    const bool denied = count_of(passing, far, entries, entries).both_old >= CONTROL &&
                        count_of(passing, far, SB_MERGED * entries, last).trials >= TRIALS;
    const bool passed = count.both_old > 0;
    answer->samples = count.trials;
    if (entries == 0 || (!passed && !denied)) {
        refuse(answer, "too few trials", LIMITED_BY_REPETITION);
        return;
    }
    answer->remark = passed ? "three buffers of them were passed" : "no three buffers were passed";
    resolve(answer, BOOL_CELL(passed),
            passed && count.both_old < SURE ? LIMITED_BY_REPETITION : LIMITED_BY_NONE, LIMITED_BY_NONE);
}

void sb_passing_answer(const struct sb_passing *passing, struct answer answer[SB_ANSWERS])
{
    static const char *const names[SB_ANSWERS][2] = {
        [SB_KNEE] = {"store_buffer.reorder_knee", "stores that loads pass as a rule"},
        [SB_MOST] = {"store_buffer.reorder_most_seen", "most that a load passed"},
        [SB_NEVER] = {"store_buffer.reorder_never_from", "stores that no load passed, from"},
        [SB_MERGING] = {"store_buffer.reorder_merging", "stores to one line merge"}};
    const char *why = passing->fenced.both_old > 0        ? "a load passed a fence"
                      : passing->shared > passing->blocks ? "the CPUs shared a core"
                      : passing->fenced.trials == 0       ? "the CPUs hardly met"
                                                          : NULL;
    for (int i = 0; i < SB_ANSWERS; i++) {
        answer[i] = (struct answer){
            .key = names[i][0], .label = names[i][1], .unit = i == SB_MERGING ? NULL : "stores"};
        refuse(&answer[i], why, why ? LIMITED_BY_PLAUSIBILITY : LIMITED_BY_REPETITION);
    }
    if (why)
        return;
    answer_knee(passing, &answer[SB_KNEE]);
    answer_never(passing, &answer[SB_NEVER]);
    answer_merging(passing, &answer[SB_MERGING]);
    answer_most(passing, &answer[SB_NEVER], &answer[SB_MERGING], &answer[SB_MOST]);
}

bool sb_passing_enough(const struct sb_passing *passing)
{
    struct answer answer[SB_ANSWERS];
    sb_passing_answer(passing, answer);
    return cell_has_value(&answer[SB_NEVER].value) && cell_has_value(&answer[SB_MERGING].value) &&
           cell_has_value(&answer[SB_KNEE].value) &&
           (answer[SB_KNEE].limited_by == LIMITED_BY_NONE || !passing->proved);
}

enum { ADDRESS, FIRST_LINE, STORES, STATE, OF_TRIALS, BOTH_OLD, SHARE, COLUMNS };
static const struct column columns[COLUMNS] = {
    [ADDRESS] = {"address", "fillers' addresses", NULL, CELL_CLASS, ROLE_PARAMETER, 0},
    [FIRST_LINE] = {"first_line", "first store's line", NULL, CELL_CLASS, ROLE_PARAMETER, 0},
    [STORES] = {"stores", "stores", NULL, CELL_INTEGER, ROLE_PARAMETER, 0},
    [STATE] = {"state", "state", NULL, CELL_CLASS, ROLE_PARAMETER, 0, state_names},
    [OF_TRIALS] = {"trials", "trials", NULL, CELL_INTEGER, ROLE_MEASURE, 0},
    [BOTH_OLD] = {"both_old", "both loads passed", NULL, CELL_INTEGER, ROLE_MEASURE, 0},
    [SHARE] = {"both_old_share", "share", NULL, CELL_REAL, ROLE_MEASURE, 6},
};
static const struct table_spec table = {
    .name = "litmus",
    .title = "trials in which both loads passed all stores before them",
    .note =
        "each CPU stores to its own location, makes stores - 1 further stores and loads the other's location",
    .columns = columns,
    .column_count = COLUMNS,
    .view = {.kind = VIEW_CURVE,
             .x = STORES,
             .y = SHARE,
             .value = SHARE,
             .series = ADDRESS,
             .panel = FIRST_LINE,
             .state = STATE},
};

/* Rows of the knee's state come first: that state is drawn. */
void sb_passing_record(const struct sb_passing *passing, struct record *record)
{
    static const char *const names[] = {
        [FILL_TWO] = "two lines", [FILL_LINES] = "lines",    [FILL_APART] = "distinct lines",
        [FILL_PAGES] = "pages",   [FILL_WORD] = "same word", [FILL_LINE] = "same line"};
    struct answer answer[SB_ANSWERS];
    const size_t at = record_table_add(record, &table);
    const int first = (int)main_state(passing);
    sb_passing_answer(passing, answer);
    RECORD_FACTS(record, {"run.sb_capacity.fenced_trials", .value = INTEGER_CELL(passing->fenced.trials)},
                 {"run.sb_capacity.fenced_passed", .value = INTEGER_CELL(passing->fenced.both_old)});
    if (cell_has_value(&answer[SB_NEVER].value))
        record_fact(record, (struct fact){"run.sb_capacity.reorder_never_share",
                                          .value = REAL_CELL(of_three / (double)answer[SB_NEVER].samples)});
    for (int i = 0; i < SB_ANSWERS; i++)
        record_answer(record, answer[i]);
    for (int kind = 0; kind < 2 * FILLINGS; kind++)
        for (size_t i = 0; i < passing->points; i++)
            for (int s = 0; s < STATE_COUNT; s++) {
                const struct sb_point *point = &passing->point[i];
                const int state = (first + s) % STATE_COUNT;
                const struct sb_count count = count_at(point, (struct part){.states = 1u << state});
                if ((int)point->filling * 2 + point->late == kind && count.trials > 0)
                    record_row(record, at,
                               (const struct cell[COLUMNS]){
                                   [ADDRESS] = TEXT_CELL(names[point->filling]),
                                   [FIRST_LINE] = TEXT_CELL(point->late ? "late" : "in time"),
                                   [STORES] = INTEGER_CELL(point->stores),
                                   [STATE] = INTEGER_CELL(state),
                                   [OF_TRIALS] = INTEGER_CELL(count.trials),
                                   [BOTH_OLD] = INTEGER_CELL(count.both_old),
                                   [SHARE] = REAL_CELL((double)count.both_old / (double)count.trials)});
            }
}
