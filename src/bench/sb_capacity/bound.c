/* SPDX-License-Identifier: MIT */
/* How many stores a later load can pass, from blocks of litmus trials: as a rule, at most, never. */
#include "sb_capacity.h"

#include <math.h>

/* Between two threads of one core a line travels in 66 cycles (Zen 3), between two cores in 88 and more (Zen 3, Zen 4); 44 and 113
 * ns were the longest way within an L3 and the shortest between two. What takes longer than a microsecond is no way: one of them
 * waited for its CPU. */
static const double one_core_cycles = 77, far_ns = 75, no_way_ns = 1000;
static const double few_blocks = 0.1; /* a state or a distance with less of them was hardly had */
static const struct sb_part everything = {-1, -1, -1, -1};
/* Hits that another run of the same power repeats. */
enum { SURE = 5 };

enum state sb_state_of(const enum state before[2], const enum state after[2])
{
    const enum state one = before[0] == after[0] ? before[0] : STATE_MIXED,
                     other = before[1] == after[1] ? before[1] : STATE_MIXED;

    if (one == STATE_ACTIVE || other == STATE_ACTIVE)
        return STATE_ACTIVE;
    if (one == STATE_MIXED || other == STATE_MIXED)
        return STATE_MIXED;
    return one == other ? one : STATE_UNKNOWN;
}

void sb_passing_add(struct sb_passing *passing, const struct sb_block *block)
{
    const struct sb_point *point = &block->point;
    const double ns = block->distance_ns;

    if (isnan(ns) || ns > no_way_ns)
        return;
    if (ns * passing->ghz < one_core_cycles) {
        passing->shared++;
        return;
    }
    struct sb_count *at =
        &passing
             ->at[point->filling][point->late][ns < far_ns ? SB_NEAR : SB_FAR][block->state][point->stores];
    at->blocks++;
    at->trials += block->trials;
    at->both_old += block->both_old;
    at->one_old += block->one_old;
    passing->fenced += block->fenced;
    passing->fenced_both_old += block->fenced_both_old;
    passing->least_ns = passing->blocks == 0 ? ns : fmin(ns, passing->least_ns);
    passing->most_ns = fmax(ns, passing->most_ns);
    passing->blocks++;
    passing->last = point->stores > passing->last ? point->stores : passing->last;
    if (point->filling < FILL_WORD && block->both_old > 0 && point->stores > passing->most)
        passing->most = point->stores;
}

static void add(struct sb_count *sum, const struct sb_count *part)
{
    sum->blocks += part->blocks;
    sum->trials += part->trials;
    sum->both_old += part->both_old;
    sum->one_old += part->one_old;
}

/* From `chosen` to before the end, which is that alone, or all of `count`. */
static int begin_of(int chosen)
{
    return chosen < 0 ? 0 : chosen;
}

static int end_of(int chosen, int count)
{
    return chosen < 0 ? count : chosen + 1;
}

struct sb_count sb_passing_count(const struct sb_passing *passing, struct sb_part part, size_t stores)
{
    struct sb_count sum = {0};

    for (int f = begin_of(part.filling); f < end_of(part.filling, FILL_WORD); f++)
        for (int late = begin_of(part.late); late < end_of(part.late, 2); late++)
            for (int d = begin_of(part.distance); d < end_of(part.distance, SB_DISTANCES); d++)
                for (int s = begin_of(part.state); s < end_of(part.state, STATE_COUNT); s++)
                    add(&sum, &passing->at[f][late][d][s][stores]);
    return sum;
}

static size_t blocks_of(const struct sb_passing *passing, struct sb_part part)
{
    size_t sum = 0;

    for (size_t s = 1; s <= passing->last; s++)
        sum += sb_passing_count(passing, part, s).blocks;
    return sum;
}

/* Whether blocks of the part are a tenth of all that differ from it in state, or in distance. */
static bool is_had(const struct sb_passing *passing, struct sb_part part, struct sb_part all)
{
    const size_t blocks = blocks_of(passing, part);

    return blocks > 0 && (double)blocks >= few_blocks * (double)blocks_of(passing, all);
}

/* The whole buffer is there where both siblings idled, if only for a tenth of the time; a machine without a witness has one
 * state. */
static enum state state_of(const struct sb_passing *passing)
{
    struct sb_part part = everything;

    for (enum state state = STATE_IDLE; state <= STATE_ACTIVE; state++) {
        part.state = (int)state;
        if (is_had(passing, part, everything))
            return state;
    }
    return STATE_MIXED;
}

const char *sb_passing_refusal(const struct sb_passing *passing)
{
    if (passing->fenced_both_old > 0)
        return "loads passed stores in spite of a fence between them: the trial itself is not sound here";
    if (passing->shared > passing->blocks)
        return "the two CPUs shared a core";
    if (passing->fenced == 0)
        return "the two CPUs hardly met";
    return NULL;
}

/* A share, and at least what half a trial that passed would be. */
static double share_of(struct sb_count count)
{
    return (count.both_old > 0 ? (double)count.both_old : 0.5) / (double)count.trials;
}

/* The largest fall. What passes in less than a twentieth of the trials that the best number has is no rule. */
struct sb_knee sb_knee_of(const struct sb_passing *passing)
{
    enum { FEWEST = 20 };
    static const double rule = 0.05;
    struct sb_knee knee = {.state = state_of(passing)};
    const struct sb_part part = {-1, false, -1, knee.state == STATE_MIXED ? -1 : (int)knee.state};
    struct sb_count after = {0};
    double best = 0, beyond = 0;
    size_t next = 0;

    for (size_t s = 1; s <= passing->last; s++) {
        const struct sb_count count = sb_passing_count(passing, part, s);
        best = count.both_old >= FEWEST ? fmax(best, share_of(count)) : best;
    }
    for (size_t s = passing->last; s > 0; s--) {
        const struct sb_count count = sb_passing_count(passing, part, s);
        if (count.trials == 0)
            continue;
        const double share = share_of(count);
        if (next > 0 && count.both_old >= FEWEST && share >= rule * best && share > knee.fall * beyond) {
            knee.stores = s;
            knee.next = next;
            knee.count = count;
            knee.after = after;
            knee.fall = share / beyond;
        }
        beyond = fmax(beyond, share);
        next = s;
        after = count;
    }
    return knee;
}

/* All of it, or that and the store that is leaving. */
static bool fits(size_t stores, size_t entries)
{
    return entries > 0 && (stores == entries || stores == entries + 1);
}

struct verdict sb_knee_judge(const struct sb_knee *knee, const struct sb_passing *passing)
{
    static const double sharp = 20;
    const bool whole = fits(knee->stores, passing->entries), half = fits(knee->stores, passing->entries / 2);

    if (knee->stores == 0 || knee->next != knee->stores + 1 || knee->fall < sharp)
        return (struct verdict){TRUST_LOW, LEG_PRECISION};
    if (knee->state == STATE_ACTIVE ? !half : !whole)
        return (struct verdict){TRUST_LOW, LEG_PLAUSIBILITY};
    if (knee->state == STATE_MIXED || !passing->proved)
        return (struct verdict){TRUST_MEDIUM, LEG_PLAUSIBILITY};
    return (struct verdict){TRUST_HIGH, LEG_NONE};
}

struct sb_most sb_most_of(const struct sb_passing *passing)
{
    const size_t most = passing->most;

    if (most == 0)
        return (struct sb_most){0};
    return (struct sb_most){most, sb_passing_count(passing, everything, most),
                            sb_passing_count(passing, (struct sb_part){-1, -1, SB_FAR, -1}, most),
                            sb_passing_count(passing, (struct sb_part){-1, true, -1, -1}, most)};
}

struct verdict sb_most_judge(const struct sb_most *most, const struct sb_never *never)
{
    if (never->unresolved != NULL || most->count.both_old < SURE)
        return (struct verdict){TRUST_LOW, LEG_REPETITION};
    return (struct verdict){TRUST_HIGH, LEG_NONE};
}

/* The blocks in which most can be passed: with a whole buffer, and far from each other. */
static struct sb_part widest(const struct sb_passing *passing)
{
    const enum state state = state_of(passing);
    struct sb_part part = {-1, -1, -1, state == STATE_IDLE ? STATE_IDLE : -1};
    const struct sb_part all = part;

    part.distance = SB_FAR;
    if (!is_had(passing, part, all))
        part.distance = SB_NEAR;
    return part;
}

/* Up to `most`, of what was seen at all; 1: nothing was. */
static double least_share(const struct sb_passing *passing, struct sb_part part, size_t most)
{
    double least = 1;

    for (size_t s = 1; s <= most; s++) {
        const struct sb_count count = sb_passing_count(passing, part, s);
        least = count.both_old > 0 ? fmin(least, share_of(count)) : least;
    }
    return least;
}

/* Each number beyond the most that was passed must have been tried so often that a tenth of the least share that was seen would
 * have shown. What passes more than the buffer is rarer than what fills it: where it was not seen at all, one in ten thousand
 * must have shown. */
struct sb_never sb_never_of(const struct sb_passing *passing)
{
    enum { POINTS = 4, TRIALS = 3000, TRIALS_UNSEEN = 30000 };
    static const double of_three = 3, tenth = 0.1; /* rule of three: at 95 %, 0 of n is a share below 3 / n */
    const struct sb_part part = widest(passing);
    const size_t most = passing->most, fewest = most > passing->entries + 1 ? TRIALS : TRIALS_UNSEEN;
    const double least = least_share(passing, part, most);
    struct sb_never never = {.far = part.distance == SB_FAR};
    bool thin = false;
    size_t points = 0;

    for (size_t s = most + 1; s <= passing->last; s++) {
        const size_t trials = sb_passing_count(passing, part, s).trials;
        if (sb_passing_count(passing, everything, s).trials == 0)
            continue;
        points++;
        never.from = points == 1 ? s : never.from;
        never.last = s;
        never.trials += trials;
        thin = thin || trials < fewest || of_three / (double)trials >= tenth * least;
    }
    never.share = never.trials > 0 ? of_three / (double)never.trials : 1;
    never.unresolved = sb_passing_refusal(passing);
    if (never.unresolved != NULL)
        return never;
    if (state_of(passing) == STATE_ACTIVE)
        never.unresolved = "an SMT sibling had half of the buffer nearly all the time";
    else if (passing->entries == 0 || most < passing->entries)
        never.unresolved = "no load passed as many as the buffer holds";
    else if (points < POINTS)
        never.unresolved = "too few larger numbers were tried";
    else if (thin || never.from != most + 1)
        never.unresolved = "too few trials for shares as small as those that were seen";
    return never;
}

struct verdict sb_never_judge(const struct sb_never *never, const struct sb_passing *passing)
{
    if (never->unresolved != NULL)
        return (struct verdict){TRUST_LOW, LEG_REPETITION};
    if (!never->far || !passing->proved || state_of(passing) != STATE_IDLE)
        return (struct verdict){TRUST_MEDIUM, LEG_PLAUSIBILITY};
    return (struct verdict){TRUST_HIGH, LEG_NONE};
}

/* That none passed says something only where the CPUs were far, which
 * is where stores to one word were passed ten times as often, and where the same stores passed when they filled the buffer. */
struct sb_merging sb_merging_of(const struct sb_passing *passing)
{
    enum { TRIALS = 30000, CONTROL = 20 };
    struct sb_merging merging = {.known = false};
    size_t control = 0, far = 0;

    for (size_t s = 1; passing->entries > 0 && s <= passing->last; s++)
        for (int f = FILL_WORD; f < FILLINGS; f++) {
            const struct sb_count count = sb_passing_count(passing, (struct sb_part){f, -1, -1, -1}, s);
            if (s <= passing->entries)
                control += s == passing->entries ? count.both_old : 0;
            if (s < SB_MERGED * passing->entries || count.trials == 0)
                continue;
            merging.stores = s;
            merging.count.trials += count.trials;
            merging.count.both_old += count.both_old;
            far += sb_passing_count(passing, (struct sb_part){f, -1, SB_FAR, -1}, s).trials;
        }
    merging.merges = merging.count.both_old > 0;
    merging.known =
        sb_passing_refusal(passing) == NULL && (merging.merges || (control >= CONTROL && far >= TRIALS));
    return merging;
}

struct verdict sb_merging_judge(const struct sb_merging *merging)
{
    if (!merging->known)
        return (struct verdict){TRUST_LOW, LEG_REPETITION};
    if (merging->merges && merging->count.both_old < SURE)
        return (struct verdict){TRUST_MEDIUM, LEG_REPETITION};
    return (struct verdict){TRUST_HIGH, LEG_NONE};
}

/* What was passed often enough needs no more trials, around the knee with the whole buffer. With a line that comes in time hardly more
 * than that is passed, so that such trials tell little of larger numbers. */
bool sb_passing_wants(const struct sb_passing *passing, const struct sb_point *point, uint64_t round)
{
    enum { OFTEN = 100, ENOUGH = 40000, SELDOM = 4 };
    const bool beyond = point->stores > passing->entries + 2;
    const struct sb_part part = {(int)point->filling, point->late, -1,
                                 point->late || beyond ? -1 : (int)STATE_IDLE};
    const struct sb_count count = sb_passing_count(passing, part, point->stores);

    if (point->filling >= FILL_WORD)
        return count.both_old < OFTEN && count.trials < ENOUGH;
    if (!point->late && beyond && round % SELDOM > 0)
        return false;
    return point->stores > passing->most || count.both_old < OFTEN;
}

bool sb_passing_enough(const struct sb_passing *passing)
{
    const struct sb_knee knee = sb_knee_of(passing);

    return sb_never_of(passing).unresolved == NULL && sb_merging_of(passing).known &&
           sb_knee_judge(&knee, passing).trust >= (passing->proved ? TRUST_HIGH : TRUST_MEDIUM);
}
