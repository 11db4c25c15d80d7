/* SPDX-License-Identifier: MIT */
#include "modes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "uarchprobe/stats.h"

enum { DISTURBED_FACTOR = 4, ROUNDS_TO_OUTVOTE = 6, ROUNDS_TO_OUTVOTE_FAST = 12 };

const struct cell_rules cell_rules_default = {
    .min_rounds = 3, .agree = 0.01, .gap = 0.25, .noisy = 0.10, .preempted = 0.05};

/* Within a round values spread more than the rounds do. */
static const double SWITCH_GAP = 0.5;

/* The cut before sorted[i]: how much it exceeds its lower neighbour. */
static double gap_before(const double *sorted, size_t i)
{
    return sorted[i - 1] > 0 ? sorted[i] / sorted[i - 1] - 1 : (sorted[i] > sorted[i - 1] ? INFINITY : 0);
}

static bool is_cut(const size_t *cut, int cuts, size_t i)
{
    for (int k = 0; k < cuts; k++) {
        if (cut[k] == i)
            return true;
    }
    return false;
}

/* The places of the widest gaps beyond `gap`, at most MODES_MAX - 1 of them; returns how many. */
static int find_cuts(const double *sorted, size_t count, double gap, size_t *cut)
{
    int cuts = 0;

    while (cuts < MODES_MAX - 1) {
        size_t best = 0;
        double widest = gap;
        for (size_t i = 1; i < count; i++) {
            if (gap_before(sorted, i) > widest && !is_cut(cut, cuts, i)) {
                best = i;
                widest = gap_before(sorted, i);
            }
        }
        if (best == 0)
            break;
        cut[cuts++] = best;
    }
    return cuts;
}

static void modes_add(struct modes *modes, const double *member, size_t count)
{
    modes->mode[modes->count] = (struct mode){
        .value = median_of(member, count), .low = member[0], .high = member[count - 1], .count = count};
    if (count > modes->mode[modes->main].count)
        modes->main = modes->count;
    modes->count++;
}

struct modes modes_of(const double *value, size_t count, double gap)
{
    struct modes modes = {0};
    double *sorted = count ? malloc(count * sizeof *sorted) : NULL;
    size_t first = 0, cut[MODES_MAX];

    if (!sorted)
        return modes;
    memcpy(sorted, value, count * sizeof *sorted);
    values_sort(sorted, count);
    int cuts = find_cuts(sorted, count, gap, cut);
    for (size_t i = 1; i <= count; i++) {
        if (i < count && !is_cut(cut, cuts, i))
            continue;
        modes_add(&modes, sorted + first, i - first);
        first = i;
    }
    free(sorted);
    return modes;
}

/* Rounds that count: with a value, and not throttled as long as two others are left. Returns how many. */
static size_t usable_rounds(const struct cell_round *round, size_t count, double *value, bool *throttled)
{
    size_t clean = 0, used = 0;

    for (size_t i = 0; i < count; i++)
        clean += !isnan(round[i].value) && !round[i].throttled;
    *throttled = false;
    for (size_t i = 0; i < count; i++) {
        if (isnan(round[i].value) || (round[i].throttled && clean >= 2))
            continue;
        *throttled |= round[i].throttled;
        value[used++] = round[i].value;
    }
    return used;
}

/* A second mode is another regime when more than one round, and a tenth of all, or a third of them fell into it.
 * Fewer are a disturbance: harmless when enough others agree, else a reason for doubt. It takes more of them
 * against a fast round, because little makes a hand-over faster. */
static unsigned mode_flags(const struct modes *modes, size_t rounds)
{
    unsigned flags = 0;

    for (int i = 0; i < modes->count; i++) {
        const size_t count = modes->mode[i].count;
        if (i == modes->main)
            continue;
        if ((count >= 2 && 10 * count >= rounds) || 3 * count >= rounds)
            flags |= FLAG_REGIME;
        else if (rounds < (i < modes->main ? ROUNDS_TO_OUTVOTE_FAST : ROUNDS_TO_OUTVOTE))
            flags |= FLAG_NOISY;
    }
    return flags;
}

static bool any_two_agree(const double *value, size_t count, double agree)
{
    for (size_t i = 0; i < count; i++) {
        for (size_t j = i + 1; j < count; j++) {
            double low = fmin(value[i], value[j]);
            if (low > 0 && fabs(value[i] - value[j]) <= agree * low)
                return true;
        }
    }
    return false;
}

/* Keeps the members of one mode, in place. */
static size_t keep_mode(double *value, size_t count, const struct mode *mode)
{
    size_t kept = 0;

    for (size_t i = 0; i < count; i++) {
        if (value[i] >= mode->low && value[i] <= mode->high)
            value[kept++] = value[i];
    }
    return kept;
}

static double mean_of(const double *value, size_t count)
{
    double sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += value[i];
    return sum / (double)count;
}

static void count_samples(struct cell_verdict *verdict, const struct cell_round *round, size_t count,
                          const struct cell_rules *rules)
{
    size_t contended = 0;

    for (size_t i = 0; i < count; i++) {
        contended += round[i].contended;
        verdict->samples += round[i].samples;
        verdict->dropped += round[i].dropped;
        if (round[i].mixed)
            verdict->flags |= FLAG_REGIME;
    }
    if (2 * contended > count || (double)verdict->dropped > rules->preempted * (double)verdict->samples)
        verdict->flags |= FLAG_PREEMPTED;
}

/* value: the rounds that count; reordered. */
static void judge_values(struct cell_verdict *verdict, double *value, size_t count,
                         const struct cell_rules *rules)
{
    verdict->modes = modes_of(value, count, rules->gap);
    verdict->flags |= mode_flags(&verdict->modes, count);
    size_t kept = keep_mode(value, count, &verdict->modes.mode[verdict->modes.main]);
    double median = median_of(value, kept);
    verdict->value = rules->use_median ? median : mean_of(value, kept);
    verdict->spread = spread_of(value, kept);
    if (kept >= 3 && quantile_of(value, kept, 0.75) - quantile_of(value, kept, 0.25) > rules->noisy * median)
        verdict->flags |= FLAG_NOISY;
    verdict->settled =
        count >= rules->min_rounds && verdict->flags == 0 && any_two_agree(value, kept, rules->agree);
}

struct cell_verdict cell_judge(const struct cell_round *round, size_t count, const struct cell_rules *rules)
{
    struct cell_verdict verdict = {.value = NAN, .spread = NAN};
    double *value = count ? malloc(count * sizeof *value) : NULL;
    bool throttled;

    if (!value)
        return verdict;
    verdict.rounds = usable_rounds(round, count, value, &throttled);
    if (verdict.rounds) {
        if (throttled)
            verdict.flags |= FLAG_THROTTLED;
        count_samples(&verdict, round, count, rules);
        judge_values(&verdict, value, verdict.rounds, rules);
    }
    free(value);
    return verdict;
}

void cell_round_count(struct cell_round *round, size_t samples, size_t dropped)
{
    size_t divisor = samples / UINT16_MAX + 1;

    round->samples = (uint16_t)(samples / divisor);
    round->dropped = (uint16_t)((dropped + divisor - 1) / divisor);
}

bool modes_switched(const double *value, size_t count)
{
    struct modes modes = modes_of(value, count, SWITCH_GAP);
    size_t changes = 0, before = 0;

    if (modes.count != 2)
        return false;
    for (size_t i = 1; i < count; i++) {
        if ((value[i] > modes.mode[0].high) == (value[i - 1] > modes.mode[0].high))
            continue;
        changes++;
        before = i;
    }
    return changes == 1 && 4 * before >= count && 4 * (count - before) >= count;
}

/* By the bits of enum cell_flag. */
const char *const cell_flag_names[] = {"regime", "noisy", "preempted", "throttled", "placement", NULL};

const char *cell_flags_text(unsigned flags, char *buffer, size_t size)
{
    size_t used = 0;

    buffer[0] = '\0';
    for (unsigned i = 0; cell_flag_names[i]; i++) {
        if ((flags >> i & 1) && used < size)
            used += (size_t)snprintf(buffer + used, size - used, "%s%s", used ? "," : "", cell_flag_names[i]);
    }
    return buffer;
}

const char *cell_modes_text(const struct modes *modes, char *buffer, size_t size)
{
    size_t used = 0;

    buffer[0] = '\0';
    for (int i = 0; i < modes->count && used < size; i++)
        used += (size_t)snprintf(buffer + used, size - used, "%s%.1f ns (%zu)", i ? ", " : "",
                                 modes->mode[i].value, modes->mode[i].count);
    return buffer;
}

size_t drop_disturbed(double *value, size_t count)
{
    double limit = DISTURBED_FACTOR * median_of(value, count);
    size_t kept = 0;

    for (size_t i = 0; i < count; i++) {
        if (!(value[i] > limit))
            value[kept++] = value[i];
    }
    return kept;
}
