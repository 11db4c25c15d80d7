/* SPDX-License-Identifier: MIT */
#include "check.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "comparison.h"
#include "limits.h"
#include "result/subject.h"

/* What is found of what was asked, and the first thing to say of it. */
struct found {
    size_t held, broken, unknown;
    size_t missing; /* commands of the earlier result that this one lacks */
    bool unfit;     /* the machine, for lack of anything to hold its values against */
    char line[480];
};

static void judge_one(const struct limit *limit, const struct answer *answer, struct found *of_limit)
{
    const enum limit_outcome outcome = limit_judge(limit, answer);
    const bool first = outcome == LIMIT_BROKEN ? !of_limit->broken : !of_limit->broken && !of_limit->unknown;
    const struct pair pair = pair_of(NULL, answer, NULL);
    struct text line = {0};
    of_limit->held += outcome == LIMIT_HELD;
    of_limit->unknown += outcome == LIMIT_UNKNOWN;
    of_limit->broken += outcome == LIMIT_BROKEN;
    if (outcome == LIMIT_HELD || !first)
        return;
    pair_add_name(&pair, &line);
    text_add(&line, ": ");
    pair_add_value(&pair, 0, &line);
    text_printf(&line, " %s, ", pair.unit);
    if (outcome == LIMIT_BROKEN)
        text_printf(&line, "not %c%s", limit->sign, limit->sign == '=' ? "" : "=");
    else
        text_add(&line, answer->trust == TRUST_LOW ? "low trust, cannot be held against" : "too near to");
    text_printf(&line, " %g %s", limit->value, limit->unit);
    snprintf(of_limit->line, sizeof(of_limit->line), "%s", line.data);
    text_free(&line);
}

/* Of its own answers and its children's. A limit names no state: of two, that of the idle sibling is meant. */
static void judge_limit(const struct record *record, const struct limit *limit, struct found *of_limit)
{
    for (size_t i = 0; i < record->children.count; i++)
        judge_limit(record->children.of[i], limit, of_limit);
    for (size_t i = 0; i < record->answers.count; i++) {
        const struct answer *answer = &record->answers.of[i];
        if (!limit_is_of(limit, answer))
            continue;
        if (!answer_is_busy(answer) || answer_is_busy(record_answer_find(record, answer->key, NULL)))
            judge_one(limit, answer, of_limit);
    }
}

/* A limit is one of those that were asked for, whatever number of answers it is of: held where half of them are. */
static void add_limit(const struct record *measured, const struct limit *limit, struct found *found)
{
    struct found own = {0};
    judge_limit(measured, limit, &own);
    if (own.held + own.broken + own.unknown == 0)
        snprintf(own.line, sizeof(own.line), "nothing was found for %s in %s", limit->key,
                 limit->unit[0] ? limit->unit : "that unit");
    const bool held = own.held > 0 && own.held >= own.unknown;
    if (own.line[0] && (!found->line[0] || (own.broken && !found->broken)))
        memcpy(found->line, own.line, sizeof(found->line));
    found->broken += own.broken > 0;
    found->held += !own.broken && held;
    found->unknown += !own.broken && !held;
}

static enum status judge_limits(const char *path, const struct record *measured, struct found *found,
                                struct fault *fault)
{
    char *line = NULL;
    size_t room = 0;
    FILE *file = fopen(path, "re");
    if (!file)
        return fault_set(fault, STATUS_USAGE, "cannot read '%s': %s", path, strerror(errno));
    for (int number = 1; getline(&line, &room, file) > 0; number++) {
        struct limit limit;
        if (!limit_parse(line, &limit)) {
            fault_set(fault, STATUS_USAGE,
                      "%s: line %d is no limit; write a line such as: ram.L2.read >= 50 GiB/s", path, number);
            break;
        }
        if (limit.key[0])
            add_limit(measured, &limit, found);
    }
    if (!feof(file) && fault->status == STATUS_OK)
        fault_set(fault, STATUS_USAGE, "cannot read '%s': %s", path, strerror(errno));
    free(line);
    fclose(file);
    return fault->status;
}

/* But for what the machine is found to be, which is no measurement. */
static void count_trusted(const struct record *record, const struct choice *choice, struct found *found)
{
    for (size_t i = 0; i < record->children.count; i++)
        count_trusted(record->children.of[i], choice, found);
    for (size_t i = 0; i < record->answers.count; i++) {
        const struct answer *answer = &record->answers.of[i];
        if (!choice_takes(choice, answer->key) || strncmp(answer->key, "got.", strlen("got.")) == 0)
            continue;
        found->held += answer->trust != TRUST_LOW;
        found->unknown += answer->trust == TRUST_LOW;
    }
}

/* The same as `compare` with the earlier result first; half of what that one knew is asked. */
static enum status judge_against(struct run *run, const struct check *check, struct record *measured,
                                 struct found *found, struct fault *fault)
{
    struct results before, after = {.path = "this machine", .fault = fault};
    struct comparison comparison = {.choice = &check->choice};
    struct text line = {0};
    results_take(&after, measured);
    if (results_load(&before, check->against, fault) == STATUS_OK) {
        compare_results(&comparison, &before, &after, false);
        found->broken = comparison.of[OUTCOME_WORSE] + comparison.broken;
        found->held = comparison.decided - found->broken;
        found->unknown = comparison.asked - comparison.decided;
        found->missing = comparison.missing;
        if (!comparison.judged) {
            comparison_add_reason(&comparison, &line);
            fault_set(fault, STATUS_USAGE, "no verdict: %s", line.data);
        } else {
            comparison_warn(&comparison, &before, &after, run->record);
            if (comparison_status(&comparison) == STATUS_FAILED)
                pair_add_line(&comparison.pairs.of[0], &line);
            else
                comparison_add_undecided(&comparison, "", &line);
            snprintf(found->line, sizeof(found->line), "%s", line.data ? line.data : "");
        }
    }
    text_free(&line);
    comparison_free(&comparison);
    results_free(&before);
    return fault->status;
}

static void add_exit_code(struct run *run, enum status code)
{
    record_answer(
        run->record,
        (struct answer){.key = "check.exit_code", .value = INTEGER_CELL(code), .trust = TRUST_HIGH});
}

static void add_verdict(struct run *run, const struct check *check, const struct found *found, bool whole)
{
    const bool fit = whole && !found->unfit && found->held > 0 && found->held >= found->unknown;
    const char *line = found->broken || whole ? found->line : "incomplete";
    /* Limits are few: of those that hold, what of the others is not known is said too. */
    const bool named = line[0] && (found->broken || !fit || check->limits);
    struct text text = {0};
    text_add(&text, found->broken ? "WORSE  " : fit ? "OK  " : "UNFIT  ");
    if (named)
        text_printf(&text, "%s; ", line);
    /* Without anything to hold a value against none is good or worse. */
    if (check->limits || check->against)
        text_printf(&text, "%zu good, %zu worse, %zu unknown", found->held, found->broken, found->unknown);
    else
        text_printf(&text, "%zu answers can be trusted, %zu cannot", found->held, found->unknown);
    const char *verdict = found->broken ? "worse" : fit ? "good" : "not fit";
    record_answer(run->record, (struct answer){"check.verdict", .value = TEXT_CELL(verdict),
                                               .trust = TRUST_HIGH, .text = text.data});
    text_free(&text);
    run->outcome = found->broken ? STATUS_FAILED : fit ? STATUS_OK : STATUS_UNTRUSTED;
    add_exit_code(run, run->outcome);
}

void check_fail(struct run *run, const struct fault *fault)
{
    add_exit_code(run, fault->status == STATUS_FAILED ? STATUS_USAGE : fault->status);
}

enum status check_judge(struct run *run, const struct check *check, struct record *measured,
                        struct fault *fault)
{
    struct found found = {0};
    if (check->limits)
        judge_limits(check->limits, measured, &found, fault);
    if (check->against && fault->status == STATUS_OK)
        judge_against(run, check, measured, &found, fault);
    if (!check->limits && !check->against) {
        const struct answer *fit = record_answer_find(measured, "got.fit", NULL);
        count_trusted(measured, &check->choice, &found);
        found.unfit = fit && cell_is(&fit->value, false) && choice_takes(&check->choice, fit->key);
        snprintf(found.line, sizeof(found.line), "%s", found.unfit && fit->remark ? fit->remark : "");
        if (fit)
            record_answer(run->record,
                          (struct answer){.key = fit->key, .value = fit->value, .trust = fit->trust});
    }
    /* A part that is missing was not judged, whatever the others say. */
    bool whole = !run->interrupted(NULL) && !fact_is(measured, "run.complete", false) && found.missing == 0;
    for (size_t i = 0; i < measured->children.count; i++)
        whole &= !fact_is(measured->children.of[i], "run.complete", false);
    if (fault->status == STATUS_OK)
        add_verdict(run, check, &found, whole);
    return fault->status;
}
