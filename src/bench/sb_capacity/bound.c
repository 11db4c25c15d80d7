/* SPDX-License-Identifier: MIT */
/* How many stores a later load can pass, from blocks of litmus trials: as a rule, at most, never. */
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "sb_capacity.h"

/* Between two threads of one core a line travels in 66 cycles (Zen 3), between two cores in 88 and more (Zen 3, Zen 4); 44 and 113
 * ns were the longest way within an L3 and the shortest between two. What takes longer than a microsecond is no way: one of them
 * waited for its CPU. */
static const double one_core_cycles = 77, far_ns = 75, no_way_ns = 1000;
static const double few_blocks = 0.1; /* a state or a distance with less of them was hardly had */
static const double of_three = 3;     /* rule of three: at 95 %, 0 of n is a share below 3 / n */
/* Hits that another run of the same power repeats. */
enum { SURE = 5 };
enum { UNMERGED = (1 << FILL_WORD) - 1, MERGED = 1 << FILL_WORD | 1 << FILL_LINE, IN_TIME = 1, LATE = 2 };

const char *const sb_distance_names[] = {"CPUs near each other", "CPUs far from each other"};

/* By what the witnesses of both CPUs saw before and after it: one halved buffer is enough, as both loads must pass. */
static enum state state_of_block(const struct sb_passing *passing, const struct sb_block *block)
{
    bool unknown = false, mixed = false, active = false;
    for (int i = 0; i < 2; i++) {
        const unsigned whole = (unsigned)passing->whole[i];
        const enum state before = reading_state(block->before[i].entries, whole),
                         after = reading_state(block->after[i].entries, whole);
        active = active || (before == STATE_ACTIVE && after == STATE_ACTIVE);
        mixed = mixed || before != after;
        unknown = unknown || before == STATE_UNKNOWN;
    }
    return active ? STATE_ACTIVE : mixed ? STATE_MIXED : unknown ? STATE_UNKNOWN : STATE_IDLE;
}

static void add(struct sb_count *sum, const struct sb_count *part)
{
    sum->blocks += part->blocks;
    sum->trials += part->trials;
    sum->both_old += part->both_old;
    sum->one_old += part->one_old;
}

static void sum_up(struct sb_passing *passing, const struct sb_block *block)
{
    struct sb_sums *sum = &passing->sum;
    const struct sb_point *point = &block->point;
    const double ns = block->distance_ns;
    if (isnan(ns) || ns > no_way_ns)
        return;
    if (ns * passing->ghz < one_core_cycles) {
        sum->shared++;
        return;
    }
    const int kind = (int)point->filling * 2 + point->late, distance = ns < far_ns ? SB_NEAR : SB_FAR;
    struct sb_count *at = &sum->at[point->stores][(kind * SB_DISTANCES + distance) * STATE_COUNT +
                                                  (int)state_of_block(passing, block)];
    sum->tried[point->stores]++;
    add(at, &block->count);
    sum->fenced += block->fenced;
    sum->fenced_both_old += block->fenced_both_old;
    sum->least_ns = sum->blocks == 0 ? ns : fmin(ns, sum->least_ns);
    sum->most_ns = fmax(ns, sum->most_ns);
    sum->blocks++;
    sum->last = point->stores > sum->last ? point->stores : sum->last;
    if (point->filling < FILL_WORD && block->count.both_old > 0 && point->stores > sum->most)
        sum->most = point->stores;
}

void sb_passing_add(struct sb_passing *passing, const struct sb_block *block)
{
    bool anew = false;
    for (int side = 0; side < 2; side++) {
        anew = anew || passing->whole[side] != block->after[side].whole;
        passing->whole[side] = block->after[side].whole;
    }
    passing->entries = block->after[0].whole;
    passing->proved = block->after[0].sure;
    if (passing->made == passing->capacity) {
        passing->capacity = passing->capacity ? 2 * passing->capacity : 1024;
        passing->block = memory_grow(passing->block, passing->capacity * sizeof *passing->block);
    }
    passing->block[passing->made++] = *block;
    if (anew)
        memset(&passing->sum, 0, sizeof passing->sum);
    for (size_t i = anew ? 0 : passing->made - 1; i < passing->made; i++)
        sum_up(passing, &passing->block[i]);
}

static bool has(unsigned chosen, int index)
{
    return chosen == 0 || chosen >> index & 1;
}

struct sb_count sb_passing_count(const struct sb_passing *passing, struct sb_part part, size_t first,
                                 size_t last)
{
    struct sb_count sum = {0};
    for (size_t stores = first; stores <= last; stores++)
        for (int i = 0; passing->sum.tried[stores] > 0 && i < SB_KINDS; i++) {
            const struct sb_count *at = &passing->sum.at[stores][i];
            const int distance = i / STATE_COUNT % SB_DISTANCES, kind = i / (STATE_COUNT * SB_DISTANCES);
            if (at->blocks > 0 && has(part.fillings ? part.fillings : UNMERGED, kind / 2) &&
                has(part.late, kind % 2) && has(part.distances, distance) &&
                has(part.states, i % STATE_COUNT))
                add(&sum, at);
        }
    return sum;
}

/* Whether blocks of the part are a tenth of all that differ from it in state, or in distance. */
static bool is_had(const struct sb_passing *passing, struct sb_part part, struct sb_part all)
{
    const size_t last = passing->sum.last, blocks = sb_passing_count(passing, part, 1, last).blocks;
    return blocks > 0 &&
           (double)blocks >= few_blocks * (double)sb_passing_count(passing, all, 1, last).blocks;
}

/* The whole buffer is there where both siblings idled, if only for a tenth of the time; a machine without a witness has one
 * state, which is mixed. */
static enum state main_state(const struct sb_passing *passing)
{
    for (enum state state = STATE_IDLE; state <= STATE_ACTIVE; state++)
        if (is_had(passing, (struct sb_part){.states = 1u << state}, (struct sb_part){0}))
            return state;
    return STATE_MIXED;
}

/* A share, and at least what half a trial that passed would be. */
static double share_of(struct sb_count count)
{
    return (count.both_old > 0 ? (double)count.both_old : 0.5) / (double)count.trials;
}

/* Without a value yet. With a remark: there is nothing to conclude anything from. */
static struct answer answer_without(const struct sb_passing *passing, const char *key, const char *label)
{
    const struct sb_sums *sum = &passing->sum;
    const char *refusal = sum->fenced_both_old > 0    ? "a load passed a fence"
                          : sum->shared > sum->blocks ? "the CPUs shared a core"
                          : sum->fenced == 0          ? "the CPUs hardly met"
                                                      : NULL;
    return (struct answer){.key = key,
                           .label = label,
                           .unit = "stores",
                           .remark = refusal,
                           .trust = TRUST_LOW,
                           .leg = refusal ? LEG_PLAUSIBILITY : LEG_REPETITION};
}

/* leg: what keeps it from high trust, where something does. */
static void resolve(struct answer *answer, size_t stores, enum trust trust, enum leg leg)
{
    answer->value = INTEGER_CELL((int64_t)stores);
    answer->within_absolute = 1;
    answer->trust = trust;
    answer->leg = trust == TRUST_HIGH ? LEG_NONE : leg;
}

/* The largest fall. What passes in less than a twentieth of the trials that the best number has is no rule. */
struct answer sb_knee(const struct sb_passing *passing)
{
    enum { FEWEST = 20 };
    static const double rule = 0.05, sharp = 20;
    const enum state state = main_state(passing);
    const struct sb_part part = {.late = IN_TIME, .states = state == STATE_MIXED ? 0 : 1u << state};
    const size_t size = state == STATE_ACTIVE ? passing->entries / 2 : passing->entries;
    double best = 0, beyond = 0, fall = 0;
    size_t knee = 0, after = 0, next = 0; /* after: the next number to the knee that was tried */
    struct answer answer =
        answer_without(passing, "store_buffer.reorder_knee", "stores that loads pass as a rule");
    if (answer.remark)
        return answer;
    for (size_t s = 1; s <= passing->sum.last; s++) {
        const struct sb_count count = sb_passing_count(passing, part, s, s);
        best = count.both_old >= FEWEST ? fmax(best, share_of(count)) : best;
    }
    for (size_t s = passing->sum.last; s > 0; s--) {
        const struct sb_count count = sb_passing_count(passing, part, s, s);
        if (count.trials == 0)
            continue;
        const double share = share_of(count);
        if (next > 0 && count.both_old >= FEWEST && share >= rule * best && share > fall * beyond) {
            knee = s;
            after = next;
            fall = share / beyond; /* what saw none may have missed half of one */
            answer.samples = count.trials;
        }
        beyond = fmax(beyond, share);
        next = s;
    }
    const bool is_sharp = knee > 0 && after == knee + 1 && fall >= sharp;
    if (!is_sharp || size == 0 || (knee != size && knee != size + 1)) {
        answer.remark = is_sharp ? "neither the buffer nor its half" : "no sharp fall";
        answer.leg = is_sharp ? LEG_PLAUSIBILITY : LEG_PRECISION;
        return answer;
    }
    answer.state = state == STATE_MIXED ? NULL : state_names[state];
    resolve(&answer, knee, state == STATE_MIXED || !passing->proved ? TRUST_MEDIUM : TRUST_HIGH,
            LEG_PLAUSIBILITY);
    return answer;
}

struct answer sb_most(const struct sb_passing *passing)
{
    const size_t most = passing->sum.most;
    const struct answer never = sb_never(passing);
    struct answer answer =
        answer_without(passing, "store_buffer.reorder_most_seen", "most that a load passed");
    if (answer.remark)
        return answer;
    answer.remark = most == 0 ? "none" : NULL;
    if (most == 0)
        return answer;
    const struct sb_count count = sb_passing_count(passing, (struct sb_part){0}, most, most);
    if (sb_passing_count(passing, (struct sb_part){.distances = 1 << SB_FAR}, most, most).both_old ==
        count.both_old)
        answer.remark = "while a far line is awaited";
    else if (sb_passing_count(passing, (struct sb_part){.late = LATE}, most, most).both_old == count.both_old)
        answer.remark = "while the first line is late";
    answer.state = never.state;
    answer.samples = count.trials;
    resolve(&answer, most, cell_has_value(&never.value) && count.both_old >= SURE ? TRUST_HIGH : TRUST_LOW,
            LEG_REPETITION);
    return answer;
}

/* In the blocks in which most can be passed, which are those with a whole buffer, and far from each other, each number beyond the most
 * that was passed must have been tried so often that a tenth of the least share that was seen would have shown. What passes more
 * than the buffer is rarer than what fills it: where it was not seen at all, one in ten thousand must have shown. */
struct answer sb_never(const struct sb_passing *passing)
{
    enum { POINTS = 4, TRIALS = 3000, TRIALS_UNSEEN = 30000 };
    static const double tenth = 0.1;
    const enum state state = main_state(passing);
    const size_t most = passing->sum.most, entries = passing->entries;
    const size_t fewest = most > entries + 1 ? TRIALS : TRIALS_UNSEEN;
    const struct sb_part all = {.states = state == STATE_IDLE ? 1 << STATE_IDLE : 0};
    struct sb_part part = {.distances = 1 << SB_FAR, .states = all.states};
    double least = 1;
    bool thin = false;
    size_t points = 0, from = 0;
    struct answer answer =
        answer_without(passing, "store_buffer.reorder_never_from", "stores that no load passed, from");
    if (answer.remark)
        return answer;
    const bool far = is_had(passing, part, all);
    part.distances = far ? 1 << SB_FAR : 1 << SB_NEAR;
    answer.state = sb_distance_names[far];
    for (size_t s = 1; s <= most; s++) {
        const struct sb_count count = sb_passing_count(passing, part, s, s);
        least = count.both_old > 0 ? fmin(least, share_of(count)) : least;
    }
    for (size_t s = most + 1; s <= passing->sum.last; s++) {
        const size_t trials = sb_passing_count(passing, part, s, s).trials;
        if (sb_passing_count(passing, (struct sb_part){0}, s, s).trials == 0)
            continue;
        from = points++ == 0 ? s : from;
        answer.samples += trials;
        thin = thin || trials < fewest || of_three / (double)trials >= tenth * least;
    }
    if (state == STATE_ACTIVE)
        answer.remark = "a sibling had half the buffer";
    else if (entries == 0 || most < entries)
        answer.remark = "no load passed a whole buffer";
    else if (points < POINTS)
        answer.remark = "too few larger numbers were tried";
    else if (thin || from != most + 1)
        answer.remark = "too few trials for rare ones";
    if (answer.remark)
        return answer;
    answer.remark = far ? "only a fence is proof" : "near CPUs only, no proof";
    resolve(&answer, from, far && passing->proved && state == STATE_IDLE ? TRUST_HIGH : TRUST_MEDIUM,
            LEG_PLAUSIBILITY);
    return answer;
}

/* That none passed says something only where the CPUs were far, which
 * is where stores to one word were passed ten times as often, and where the same stores passed when they filled the buffer. */
struct answer sb_merging(const struct sb_passing *passing)
{
    enum { TRIALS = 30000, CONTROL = 20 };
    const struct sb_part part = {.fillings = MERGED},
                         part_far = {.fillings = MERGED, .distances = 1 << SB_FAR};
    const size_t entries = passing->entries, last = passing->sum.last;
    struct answer answer =
        answer_without(passing, "store_buffer.reorder_merging", "stores to one line merge");
    answer.unit = NULL;
    if (answer.remark)
        return answer;
    const struct sb_count count = sb_passing_count(passing, part, SB_MERGED * entries, last);
    const bool denied = sb_passing_count(passing, part, entries, entries).both_old >= CONTROL &&
                        sb_passing_count(passing, part_far, SB_MERGED * entries, last).trials >= TRIALS;
    answer.samples = count.trials;
    if (entries == 0 || (count.both_old == 0 && !denied)) {
        answer.remark = "too few trials";
        return answer;
    }
    answer.remark = count.both_old > 0 ? "three buffers of them were passed" : "no three buffers were passed";
    answer.value = BOOL_CELL(count.both_old > 0);
    answer.trust = count.both_old > 0 && count.both_old < SURE ? TRUST_MEDIUM : TRUST_HIGH;
    answer.leg = answer.trust == TRUST_HIGH ? LEG_NONE : LEG_REPETITION;
    return answer;
}

bool sb_passing_enough(const struct sb_passing *passing)
{
    const struct answer never = sb_never(passing), merging = sb_merging(passing);
    return cell_has_value(&never.value) && cell_has_value(&merging.value) &&
           sb_knee(passing).trust >= (passing->proved ? TRUST_HIGH : TRUST_MEDIUM);
}

enum { ADDRESS, STORES = 2, STATE, SHARE = 6, COLUMNS = 10 };

static const struct column columns[COLUMNS] = {
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
static const struct table_spec table = {
    .name = "litmus",
    .title = "trials in which both loads passed all stores before them",
    .note =
        "each CPU stores to its own location, makes stores - 1 further stores and loads the other's location",
    .columns = columns,
    .column_count = COLUMNS,
    .view = {.kind = VIEW_CURVE, .x = STORES, .y = SHARE, .value = SHARE, .series = ADDRESS, .state = STATE},
};

static void add_row(const struct sb_passing *passing, struct sb_point point, enum state state,
                    struct record *record, size_t at)
{
    static const char *const names[] = {
        [FILL_TWO] = "two lines", [FILL_LINES] = "lines",    [FILL_APART] = "distinct lines",
        [FILL_PAGES] = "pages",   [FILL_WORD] = "same word", [FILL_LINE] = "same line"};
    struct sb_part part = {
        .fillings = 1u << point.filling, .late = point.late ? LATE : IN_TIME, .states = 1u << state};
    const struct sb_count all = sb_passing_count(passing, part, point.stores, point.stores);
    const double trials = (double)all.trials;
    part.distances = 1 << SB_FAR;
    const struct sb_count far = sb_passing_count(passing, part, point.stores, point.stores);
    const struct cell cells[COLUMNS] = {
        TEXT_CELL(names[point.filling]),
        TEXT_CELL(point.late ? "late" : "in time"),
        INTEGER_CELL((int64_t)point.stores),
        INTEGER_CELL(state),
        INTEGER_CELL((int64_t)all.trials),
        INTEGER_CELL((int64_t)all.both_old),
        all.trials > 0 ? REAL_CELL((double)all.both_old / trials) : NO_CELL,
        all.trials > 0 ? REAL_CELL((double)all.one_old / trials) : NO_CELL,
        INTEGER_CELL((int64_t)far.trials),
        INTEGER_CELL((int64_t)far.both_old),
    };
    if (all.blocks > 0)
        record_row(record, at, cells);
}

/* Of the rows, those of the knee's state come first: it is the one that is drawn. */
void sb_passing_record(const struct sb_passing *passing, struct record *record)
{
    const struct sb_sums *sum = &passing->sum;
    const size_t at = record_table_add(record, &table);
    const struct answer never = sb_never(passing);
    const int first = (int)main_state(passing);
    RECORD_FACTS(record, {"run.sb_capacity.fenced_trials", .value = INTEGER_CELL((int64_t)sum->fenced)},
                 {"run.sb_capacity.fenced_passed", .value = INTEGER_CELL((int64_t)sum->fenced_both_old)},
                 {"run.sb_capacity.distance_ns.least", .value = REAL_CELL(sum->least_ns)},
                 {"run.sb_capacity.distance_ns.most", .value = REAL_CELL(sum->most_ns)});
    if (cell_has_value(&never.value))
        record_fact(record, (struct fact){"run.sb_capacity.reorder_never_share",
                                          .value = REAL_CELL(of_three / (double)never.samples)});
    record_answer(record, sb_knee(passing));
    record_answer(record, sb_most(passing));
    record_answer(record, never);
    record_answer(record, sb_merging(passing));
    for (int filling = 0; filling < FILLINGS; filling++)
        for (int late = 0; late < 2; late++)
            for (size_t stores = 1; stores <= sum->last; stores++)
                for (int i = 0; i < STATE_COUNT; i++)
                    add_row(passing, (struct sb_point){(enum sb_filling)filling, late, stores},
                            (enum state)((first + i) % STATE_COUNT), record, at);
}
