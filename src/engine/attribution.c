/* SPDX-License-Identifier: MIT */
#include "engine/metrics.h"

/* Steps of one structure lie up to AGREE apart, as cores take instructions in groups. OWN: entries that
 * the work itself takes: the loads and jumps around the fillers, and what a core takes in one group with the
 * last of them. */
enum { AGREE = 4, OWN_LEAST = 2, OWN_MOST = 8 };

static bool agree(double a, double b)
{
    return a > 0 && b > 0 && fabs(a - b) <= AGREE;
}

/* Of a pair the filler that shows more counts, as the other may be near another end. Of two pairs that of
 * more instructions does: another structure may end the other. */
static void take_pair(const struct fillers *f, int a, int b, struct attribution *best)
{
    const int more = f->step[a] < f->step[b] ? b : a;
    if (agree(f->step[a], f->step[b]) && (best->partner < 0 || f->step[more] > f->step[best->filler] + AGREE))
        *best = (struct attribution){more, a + b - more, -1};
}

/* Where zeros share an entry by twos and no-operations by fours, the first filler and the third agree on a
 * half of the former and a quarter of the latter. The third is a mixture, a third of which is the first
 * filler, so that this does not end both; it must not end at three times the other registers that it
 * takes. */
static bool sharers_are_multiples(const struct fillers *f)
{
    enum { PART = 3 };
    const double each = fmax(f->step[0], f->step[FILLERS_MOST - 1]);
    for (int i = 1; i < LIMITS_MOST; i++)
        if (f->bound[i] > 0 && fabs(PART * f->bound[i] - each) <= PART * AGREE)
            return false;
    return fabs(f->step[FILLERS_MOST] - 2 * each) <= 2 * AGREE &&
           fabs(f->step[FILLERS_MOST + 1] - 4 * each) <= 4 * AGREE;
}

/* Whether sharers take an entry each: two that shared one would show twice what fillers show that keep
 * them apart (Zen 4: 232 and 116, Zen 5: 361 and 184 or 185). */
static bool sharers_share_nothing(const struct fillers *f)
{
    static const double SHARED_TIMES = 1.75;
    const double *shared = f->step + FILLERS_MOST;
    double apart = 0;
    for (int i = 0; i < FILLERS_MOST; i++)
        apart = fmax(apart, f->step[i]);
    return agree(shared[0], shared[1]) && fmax(shared[0], shared[1]) < SHARED_TIMES * apart;
}

static struct attribution best_pair(const struct fillers *f)
{
    const bool are_apart = f->instructions > 1;
    struct attribution best = {-1, -1, -1};
    if (are_apart && sharers_share_nothing(f))
        take_pair(f, FILLERS_MOST, FILLERS_MOST + 1, &best);
    if (are_apart && best.partner >= 0)
        return best;
    for (int a = 0; a < FILLERS_MOST; a++) {
        for (int b = a + 1; b < FILLERS_MOST; b++)
            if (!f->have_sharers || are_apart ||
                (a == 0 && b == FILLERS_MOST - 1 && sharers_are_multiples(f)))
                take_pair(f, a, b, &best);
        for (int b = FILLERS_MOST; !are_apart && b < FILLERS_MOST + SHARERS_MOST; b++)
            take_pair(f, a, b, &best);
    }
    return best;
}

/* Which of the structures below ends a pair (partner -1: a filler alone), -1: none. More instructions than
 * the second and the third can hold do not take it. */
static int end_of(const struct fillers *f, int filler, int partner)
{
    const bool is_apart = f->instructions > 1 && filler < FILLERS_MOST,
               has_third = filler == FILLERS_MOST - 1 || partner == FILLERS_MOST - 1;
    for (int i = 0; i < LIMITS_MOST; i++) {
        const bool takes =
            i == 0 || is_apart || (has_third == (i == 2) && (!f->have_sharers || f->instructions > 1));
        const double beyond = f->step[filler] - f->bound[i] / (i == 0 && is_apart ? f->instructions : 1);
        if (takes && f->bound[i] > 0 && beyond >= -OWN_MOST && (i == 0 || beyond <= OWN_MOST))
            return i;
    }
    return -1;
}

/* Of a bound the first filler counts, which takes an entry each for certain. */
struct attribution attribution_of(const struct fillers *f)
{
    struct attribution found = best_pair(f);
    if (found.partner >= 0)
        found.ended_by = end_of(f, found.filler, found.partner);
    if (found.partner >= 0 && found.ended_by < 0)
        return found;
    if (f->step[0] <= 0)
        return (struct attribution){-1, -1, -1};
    const int ended_by = found.ended_by >= 0 ? found.ended_by : end_of(f, 0, -1);
    return (struct attribution){0, -1, ended_by};
}

double attribution_split(double whole, double half)
{
    const double own = whole - 2 * half;
    return half > 0 && own >= OWN_LEAST && own <= OWN_MOST ? whole + own : 0;
}

static double step_of_result(const struct result *result)
{
    return !result || !result->has_value ? 0 : result->step > 0 ? result->step : result->estimate.value;
}

static void set_entries(struct result *result, double entries)
{
    struct estimate *e = &result->estimate;
    e->value = e->low = e->high = e->first = e->second = entries;
}

static void attribute(struct lab *lab, const struct metric *metric, int state)
{
    struct result *result = lab_result(lab, metric->key, state);
    struct fillers fillers = {.have_sharers = metric->structure.sharers[0] != NULL,
                              .instructions = metric->structure.instructions};
    *result = (struct result){.is_asked = false};
    for (int i = 0; i < FILLERS_MOST + SHARERS_MOST; i++) {
        const struct result *filler = lab_result(lab, metric_filler(metric, i), state);
        fillers.step[i] = step_of_result(filler);
        result->is_asked |= filler && filler->is_asked;
    }
    for (int i = 0; i < LIMITS_MOST; i++)
        fillers.bound[i] = step_of_result(lab_result(lab, metric->structure.limits[i], state));
    const struct attribution found = attribution_of(&fillers);
    if (found.filler < 0)
        return;
    *result = *lab_result(lab, metric_filler(metric, found.filler), state);
    result->step = fillers.step[found.filler];
    set_entries(result, result->step + metric->structure.fixed_entries);
    result->other += result->other ? metric->structure.fixed_entries : 0;
    result->is_bound = found.partner < 0;
    if (found.ended_by >= 0)
        REMARK(result, "ended by %s",
               lab->experiment->metrics[metric_of_key(lab, metric->structure.limits[found.ended_by])].label);
    else if (result->is_bound)
        REMARK(result, "ends unknown");
    const double adjacent = fillers.step[FILLERS_MOST];
    if (metric->structure.instructions > 1 && !result->is_bound && adjacent > result->step + AGREE)
        REMARK(result, "%g next to each other", adjacent);
    const struct verdict partner =
        result->is_bound ? verdict_capped(LIMITED_BY_NONE, LIMITED_BY_PLAUSIBILITY)
                         : lab_result(lab, metric_filler(metric, found.partner), state)->verdict;
    result->verdict = verdict_lesser(result->verdict, partner);
}

/* The half proves how many entries are the work's own. Without it the least is counted. */
static void split(struct result *whole, struct result *half)
{
    const bool both = whole->has_value && half->has_value && !whole->is_bound && !half->is_bound &&
                      half->verdict.trust > TRUST_LOW;
    const double entries = both ? attribution_split(whole->step, half->step) : 0;
    struct verdict verdict = verdict_capped(LIMITED_BY_PLAUSIBILITY, LIMITED_BY_NONE);
    if (entries > 0) {
        /* An entry of error in the half is two of them. */
        verdict = verdict_lesser(whole->verdict, half->verdict);
        verdict.within_absolute *= 2;
        set_entries(whole, entries);
        set_entries(half, entries / 2);
    }
    whole->is_split = half->is_split = entries > 0;
    whole->verdict = verdict_lesser(whole->verdict, verdict);
    half->verdict = verdict_lesser(half->verdict, verdict);
}

void metric_attribute(struct lab *lab, const struct metric *metric)
{
    for (int state = 0; state < STATE_MIXED; state++) {
        struct result *result = lab_result(lab, metric->key, state);
        const double each = step_of_result(lab_result(lab, metric->per, state));
        if (!type_of(metric)->answer)
            attribute(lab, metric, state);
        if (metric->structure.is_halved_by_smt && state == STATE_ACTIVE)
            split(lab_result(lab, metric->key, STATE_IDLE), result);
        if (each > 0 && result->has_value)
            REMARK(result, "%.1f for each entry", step_of_result(result) / each);
    }
}
