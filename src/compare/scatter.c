/* SPDX-License-Identifier: MIT */
#include "scatter.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "limits.h"
#include "output/answers.h"
#include "population.h"
#include "result/subject.h"
#include "uarchprobe/stats.h"

/* Checks that call a good machine worse, at most. */
static const double FALSE_WORSE = 1e-3;
/* High trust promises 99 of 100 runs: so many standard deviations. */
static const double PROMISED = 2.58;

/* Few runs, made in a row, say little of other days: the promise of high trust is the least deviation of five, a tenth of it of fifty.
 * A count may differ by the entry that it promises. */
enum outcome scatter_judge(const struct answer *answer, const double *value, size_t count,
                           const struct scatter_terms *terms, double *far)
{
    const double promised = answer->within > 0 ? answer->within / PROMISED : 0;
    const enum direction direction = direction_of_unit(answer->unit);
    struct population runs =
        population_of(value, count, promised * CHECK_RUNS_LEAST / (double)(count > 0 ? count : 1));
    const double entry =
        direction == DIRECTION_NONE && answer->value.type == CELL_INTEGER ? log1p(1.5 / exp(runs.middle)) : 0;
    if (terms->tail.count > runs.count) {
        runs.shape = terms->tail.shape;
        runs.known = terms->tail.known;
    }
    const double limit = fmax(fmax(population_far(&runs, terms->chance), entry), log1p(terms->least)),
                 off = population_off(&runs, cell_number(&answer->value));
    *far = expm1(limit);
    if (runs.count < CHECK_RUNS_LEAST || answer_is_bound(answer) || answer->leg == LEG_PLAUSIBILITY)
        return OUTCOME_UNKNOWN;
    return (direction == DIRECTION_NONE ? fabs(off) : direction * off) > limit ? OUTCOME_WORSE : OUTCOME_SAME;
}

/* The result itself, or one of its children; NULL: there are no more. */
const struct record *result_part(const struct record *measured, size_t index)
{
    return index == 0                          ? measured
           : index <= measured->children.count ? measured->children.of[index - 1]
                                               : NULL;
}

static bool same_state(const struct answer *a, const struct answer *b)
{
    return a->state == b->state || (a->state && b->state && strcmp(a->state, b->state) == 0);
}

static bool is_command(const struct record *result, const char *command)
{
    return strcmp(fact_text(result, "run.command", ""), command) == 0;
}

/* The runs' values of an answer of a command; room for as many as there are results. */
static size_t values_of(const struct results *runs, const char *command, const struct answer *like,
                        double *value)
{
    size_t count = 0;
    for (size_t i = 0; i < runs->count; i++) {
        const struct answer *found =
            is_command(runs->of[i], command) ? record_answer_find(runs->of[i], like->key, like->state) : NULL;
        if (found && same_state(found, like) && found->leg != LEG_PLAUSIBILITY && !answer_is_bound(found) &&
            direction_of_unit(found->unit) == direction_of_unit(like->unit) &&
            !isnan(cell_number(&found->value)))
            value[count++] = cell_number(&found->value);
    }
    return count;
}

/* A key of a command, with one of its answers. */
struct asked {
    const char *command;
    const struct answer *answer;
};

struct scatter {
    const struct results *runs;
    LIST(struct asked); /* the chosen keys that any run has */
    struct scatter_terms terms;
    double gravity; /* of the line, by what was allowed */
};

/* Judges the states of a key of which there are enough runs; the gravest decides. line: gets what is worse, where nothing graver was
 * found; or NULL. */
static enum outcome judge_key(struct scatter *scatter, const struct record *part, const char *key,
                              struct text *line)
{
    double *value = memory_zeroed(scatter->runs->count, sizeof(*value));
    enum outcome all = OUTCOME_UNKNOWN;
    for (size_t i = 0; i < part->answers.count; i++) {
        const struct answer *answer = &part->answers.of[i];
        double far;
        if (strcmp(answer->key, key) != 0 || isnan(cell_number(&answer->value)))
            continue;
        const size_t count = values_of(scatter->runs, fact_text(part, "run.command", ""), answer, value);
        const enum outcome outcome = scatter_judge(answer, value, count, &scatter->terms, &far);
        all = outcome == OUTCOME_WORSE || all == OUTCOME_UNKNOWN ? outcome : all;
        const double was = median_of(value, count), change = cell_number(&answer->value) / was - 1;
        if (outcome != OUTCOME_WORSE || !line || fabs(change) / far < scatter->gravity)
            continue;
        const char *unit;
        scatter->gravity = fabs(change) / far;
        text_free(line);
        limit_add_named(line, answer);
        text_add(line, ", was ");
        text_add_rounded(line, value_shown(was, answer->unit, &unit));
        text_printf(line, " %s (%+.0f %%, noise %.0f %%)", answers_unit(answer->unit), 100 * change,
                    100 * far);
    }
    free(value);
    return all;
}

static const struct record *part_named(const struct record *measured, const char *command)
{
    const struct record *part = NULL;
    for (size_t k = 0; measured && (part = result_part(measured, k)) && !is_command(part, command); k++)
        ;
    return part;
}

static void find_keys(struct scatter *scatter, const struct choice *choice)
{
    const struct results *runs = scatter->runs;
    for (size_t i = 0; i < runs->count; i++) {
        const char *command = fact_text(runs->of[i], "run.command", "");
        for (size_t k = 0; k < runs->of[i]->answers.count; k++) {
            const struct answer *answer = &runs->of[i]->answers.of[k];
            bool known = isnan(cell_number(&answer->value)) || !choice_takes(choice, answer->key);
            for (size_t n = 0; n < scatter->count && !known; n++)
                known = strcmp(scatter->of[n].answer->key, answer->key) == 0 &&
                        strcmp(scatter->of[n].command, command) == 0;
            if (!known)
                LIST_ADD(*scatter, ((struct asked){command, answer}));
        }
    }
}

/* The distances of all values from the middles of their kinds, by the deviations of these: how long the tail is that they have in common. */
static struct population tail_of(const struct scatter *scatter)
{
    double *value = memory_zeroed(scatter->runs->count, sizeof(*value));
    struct samples all = {0};
    for (size_t i = 0; i < scatter->count; i++) {
        const size_t count = values_of(scatter->runs, scatter->of[i].command, scatter->of[i].answer, value);
        const struct population own = population_of(value, count, 0);
        for (size_t k = 0; k < count && own.deviation > 0; k++)
            samples_add(&all, exp(population_off(&own, value[k]) / own.deviation));
    }
    const struct population tail = population_of(all.value, all.count, 0);
    samples_free(&all);
    free(value);
    return tail;
}

bool scatter_judge_all(const struct results *runs, const struct choice *choice, const struct record *measured,
                       const struct record *again, bool twice,
                       void (*take)(void *context, enum outcome outcome, const char *key), void *context,
                       struct text *line)
{
    struct scatter scatter = {.runs = runs};
    bool complete = true;
    find_keys(&scatter, choice);
    /* Two measurements that are both worse by chance are as rare as the product of their chances. */
    const double once = FALSE_WORSE / fmax((double)scatter.count, 1);
    scatter.terms =
        (struct scatter_terms){twice ? sqrt(once) : once, choice_threshold(choice), tail_of(&scatter)};
    for (size_t i = 0; i < scatter.count; i++) {
        const char *key = scatter.of[i].answer->key;
        const struct record *part = part_named(measured, scatter.of[i].command),
                            *second = part_named(again, scatter.of[i].command);
        complete &= part != NULL;
        enum outcome outcome = part ? judge_key(&scatter, part, key, NULL) : OUTCOME_UNKNOWN;
        if (outcome == OUTCOME_WORSE && second)
            outcome = judge_key(&scatter, second, key, NULL);
        if (outcome == OUTCOME_WORSE)
            judge_key(&scatter, part, key, line);
        take(context, outcome, key);
    }
    free(scatter.of);
    return complete;
}
