/* SPDX-License-Identifier: MIT */
/* Curves over the number of pairs: what is renamed and for how many pairs, and what the load takes beyond. */
#include <math.h>
#include <stdio.h>

#include "points.h"

size_t stlf_renamed_pairs(const struct estimate *curve, size_t count, enum stlf_which which, double l1)
{
    const struct stlf_plateaus plateaus = stlf_plateaus_of(curve, count, which);
    return plateaus.count > 0 && is_renamed(plateaus.of[0].cycles, l1) ? plateaus.of[0].last + 1 : 0;
}

/* High promises one pair: both halves of the run find the end there. */
struct verdict stlf_judge_renamed_pairs(const struct estimate *curve, size_t count, double l1)
{
    const double whole = (double)stlf_renamed_pairs(curve, count, STLF_WHOLE, l1);
    const double first = (double)stlf_renamed_pairs(curve, count, STLF_FIRST, l1);
    const double second = (double)stlf_renamed_pairs(curve, count, STLF_SECOND, l1);
    const double least = fmin(whole, fmin(first, second)), apart = fmax(whole, fmax(first, second)) - least;
    const bool same = apart == 0 || (apart <= 1 && least > 0), near = apart <= 0.1 * least;
    return (struct verdict){.trust = same   ? TRUST_HIGH
                                     : near ? TRUST_MEDIUM
                                            : TRUST_LOW,
                            .leg = same ? LEG_NONE : LEG_REPETITION,
                            .within_absolute = 1};
}

/* A curve of a set, in the state that the set is of. */
struct curve {
    struct stlf *stlf;
    const struct stlf_set *set;
    const struct stlf_point *point; /* its first */
    const struct estimate *of;
    size_t count;
    struct stlf_plateaus plateaus;
    int renamed; /* how many of the plateaus, from the first on */
    const char *name;
};

static void spell_value(const struct stlf_plateau *plateau, struct text *text)
{
    char begin[STLF_LABEL], end[STLF_LABEL], cycles[STLF_LABEL];
    stlf_spell(plateau->begin, begin);
    stlf_spell(plateau->end, end);
    stlf_spell(plateau->cycles, cycles);
    if (stlf_is_ramp(plateau))
        text_printf(text, "%s %s to %s cycles a pair", begin,
                    plateau->end > plateau->begin ? "rising" : "falling", end);
    else
        text_printf(text, "%s cycles a pair", cycles);
}

/* A ramp that was cut in steps is one: from here to the last of its pieces. */
static struct stlf_plateau whole_ramp(const struct stlf_plateaus *plateaus, int *at)
{
    struct stlf_plateau ramp = plateaus->of[*at];
    for (; *at + 1 < plateaus->count && stlf_is_ramp(&plateaus->of[*at]); ++*at) {
        const struct stlf_plateau *next = &plateaus->of[*at + 1];
        if (!stlf_is_ramp(next) || (next->end > next->begin) != (ramp.end > ramp.begin))
            break;
        ramp.last = next->last;
        ramp.end = next->end;
    }
    return ramp;
}

void stlf_spell_plateaus(const struct stlf *stlf, const struct stlf_set *set, const struct stlf_point *point,
                         const struct stlf_plateaus *plateaus, int from, struct text *text)
{
    const struct stlf_levels levels = stlf_levels_in(stlf, set->state);
    for (int i = from; i < plateaus->count; i++) {
        text_add(text, i > from ? "; " : "");
        const struct stlf_plateau plateau = whole_ramp(plateaus, &i);
        const char *word = stlf_word(&levels, point, plateau.cycles);
        text_printf(text, "%s%s", word ? word : "", word ? ", " : "");
        spell_value(&plateau, text);
        if (plateau.first == 0 && plateau.last + 1 == STLF_UNROLL_MAX)
            text_printf(text, " at any number of pairs up to %d", STLF_UNROLL_MAX);
        else
            text_printf(text, " from %zu to %zu pairs", plateau.first + 1, plateau.last + 1);
    }
}

/* The least trust of a value on each of the plateaus from one on, and of the knees between. */
static struct verdict judge_from(const struct curve *curve, int from)
{
    struct verdict verdict = stlf_judge(curve->set, &curve->of[curve->count - 1]);
    for (int i = from; i < curve->plateaus.count; i++)
        verdict =
            verdict_lesser(verdict, stlf_judge(curve->set, stlf_middle(curve->of, &curve->plateaus.of[i])));
    return verdict_lesser(verdict, stlf_judge_knees(curve->of, curve->count));
}

static void say_renamed(const struct curve *curve, const char *key)
{
    const struct estimate *middle = stlf_middle(curve->of, &curve->plateaus.of[0]);
    struct text text = {0};
    text_printf(&text, "%s: renamed, ", curve->name);
    spell_value(&curve->plateaus.of[0], &text);
    stlf_say_of(curve->stlf, curve->set, stlf_estimated(key, middle, stlf_judge(curve->set, middle)),
                text.data);
    text_free(&text);
}

/* As many as stay so without a break. */
static void say_renamed_pairs(const struct curve *curve, const char *key)
{
    const double l1 = stlf_levels_in(curve->stlf, curve->set->state).l1;
    const size_t pairs = stlf_renamed_pairs(curve->of, curve->count, STLF_WHOLE, l1);
    const struct estimate *middle = &curve->of[pairs ? (pairs - 1) / 2 : 0];
    struct verdict verdict = stlf_judge_renamed_pairs(curve->of, curve->count, l1);
    struct text text = {0};
    if (pairs == 0 && is_renamed(curve->of->value, l1)) /* no end was found */
        return;
    if (stlf_judge(curve->set, middle).trust == TRUST_LOW)
        verdict = (struct verdict){TRUST_LOW, LEG_PRECISION, .within_absolute = 1};
    struct answer answer = stlf_found(key, INTEGER_CELL((int64_t)pairs), "pairs", curve->set->state, verdict);
    answer.samples = middle->summary.count;
    if (pairs == 0)
        text_printf(&text, "%s: no load is renamed", curve->name);
    else
        text_printf(&text, "%s: renamed %s %zu pairs (%u bytes of code a pair)", curve->name,
                    pairs == curve->count ? "at any number up to" : "up to", pairs,
                    stlf_bytes_a_pair(curve->point->kernel));
    stlf_say_of(curve->stlf, curve->set, answer, text.data);
    text_free(&text);
}

/* What is not renamed; its value is that of the most pairs. */
static void say_rest(const struct curve *curve, const char *key)
{
    const struct estimate *last = &curve->of[curve->count - 1];
    struct text text = {0};
    text_printf(&text, "%s: ", curve->name);
    stlf_spell_plateaus(curve->stlf, curve->set, curve->point, &curve->plateaus, curve->renamed, &text);
    stlf_say_of(curve->stlf, curve->set, stlf_estimated(key, last, judge_from(curve, curve->renamed)),
                text.data);
    text_free(&text);
}

static void say(struct curve *curve, const char *key, const char *renamed)
{
    const double l1 = stlf_levels_in(curve->stlf, curve->set->state).l1;
    char pairs[STLF_KEY];
    curve->plateaus = stlf_plateaus_of(curve->of, curve->count, STLF_WHOLE);
    while (curve->renamed < curve->plateaus.count &&
           is_renamed(curve->plateaus.of[curve->renamed].cycles, l1))
        curve->renamed++;
    if (stlf_may_be_renamed(curve->point)) {
        snprintf(pairs, sizeof pairs, "%s_pairs", renamed);
        if (curve->renamed > 0)
            say_renamed(curve, renamed);
        say_renamed_pairs(curve, pairs);
    }
    if (curve->renamed < curve->plateaus.count)
        say_rest(curve, key);
}

void stlf_say_curve(struct stlf *stlf, const struct stlf_set *set, const char *key, const char *renamed,
                    const char *name)
{
    size_t count;
    const size_t first = stlf_series_at(set, name, &count);
    const struct stlf_set active = stlf_active_set(set);
    for (int second = 0; second < 2; second++) {
        const struct stlf_set *of = second ? &active : set;
        struct curve curve = {.stlf = stlf,
                              .set = of,
                              .point = &set->point[first],
                              .of = &of->estimate[first],
                              .count = count,
                              .name = name};
        if (count > 0 && of->count > 0)
            say(&curve, key, renamed);
    }
}
