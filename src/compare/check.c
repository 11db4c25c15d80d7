/* SPDX-License-Identifier: MIT */
#include "check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "comparison.h"
#include "output/answers.h"
#include "result/subject.h"

/* What was judged, and the first line to print: that of the gravest loss. */
struct found {
    const struct check *check;
    const struct record *measured, *again;
    size_t held, broken, unknown;
    bool incomplete;        /* a part is missing, so the result is not judged */
    bool is_machine, unfit; /* its fitness is known; it is not fit */
    struct text line;       /* what is worse, else why not more is known */
    struct text families;   /* ", L3, memory": what was not judged */
    struct record *record;  /* gets what is worse, and what is not */
};

/* The result itself, or one of its children; NULL: there are no more. */
static const struct record *result_part(const struct record *result, size_t index)
{
    return index == 0 ? result : index <= result->children.count ? result->children.of[index - 1] : NULL;
}

/* "ram.all.DRAM.read" is of the memory, "store_buffer.entries" of the store buffer. */
static void add_family(struct text *list, const char *key)
{
    enum { SHOWN = 60 };
    struct text name = {0};
    if (strncmp(key, "ram.", 4) == 0)
        key += strncmp(key + 4, "all.", 4) == 0 ? 8 : 4;
    text_printf(&name, ", %.*s", (int)strcspn(key, "."), key);
    for (char *at = name.data; *at; at++)
        *at = *at == '_' ? ' ' : *at;
    const char *shown = strcmp(name.data, ", DRAM") == 0 ? ", memory" : name.data;
    if (!(list->data && strstr(list->data, shown)) && list->length < SHOWN)
        text_add(list, shown);
    text_free(&name);
}

static void count(void *context, enum outcome outcome, const char *key, const char *kind)
{
    struct found *found = context;
    const bool worse = outcome == OUTCOME_WORSE, known = worse || outcome == OUTCOME_SAME;
    struct text name = {0};
    found->broken += worse;
    found->held += outcome == OUTCOME_SAME;
    found->unknown += !known;
    if (!known)
        add_family(&found->families, key);
    text_printf(&name, "check.worse.%s", key);
    if (known)
        record_answer(
            found->record,
            (struct answer){.key = name.data, .kind = kind, .value = BOOL_CELL(worse), .trust = TRUST_HIGH});
    if (worse) /* the first of a key counts */
        record_answer_first(found->record, 0);
    text_free(&name);
}

/* named: the first answer that breaks the limit, else the first undecided one; NULL: none. */
static void write_limit(struct text *out, const struct limit *limit, const struct answer *named, bool broken)
{
    text_free(out);
    if (!named) {
        text_printf(out, "nothing was found for %s%s%s in %s", limit->key, *limit->kind ? ", " : "",
                    limit->kind, limit->unit[0] ? limit->unit : "that unit");
        return;
    }
    limit_add_named(out, named);
    text_printf(out, " %s, ", answers_unit(named->unit));
    if (broken)
        text_printf(out, "not %c%s", limit->sign, limit->sign == '=' ? "" : "=");
    else
        text_add(out, named->trust == TRUST_LOW ? "low trust, cannot be compared with" : "too near to");
    text_printf(out, " %g %s", limit->value, limit->unit);
}

/* A limit counts as one demand, however many answers it matches: it holds where at least half of them
 * hold. It names no state: the idle one counts where both exist. */
static enum outcome limit_outcome(const struct limit *limit, const struct record *measured,
                                  const struct answer **named)
{
    size_t of[OUTCOME_APART + 1] = {0};
    const struct record *part;
    *named = NULL;
    for (size_t k = 0; (part = result_part(measured, k)); k++)
        for (size_t i = 0; i < part->answers.count; i++) {
            const struct answer *answer = &part->answers.of[i];
            if (!limit_is_of(limit, answer) ||
                (answer_is_busy(answer) &&
                 !answer_is_busy(record_answer_find_kind(part, answer->key, answer->kind, NULL))))
                continue;
            const enum outcome outcome = limit_judge(limit, answer);
            of[outcome]++;
            if (outcome != OUTCOME_SAME && (!*named || (outcome == OUTCOME_WORSE && of[outcome] == 1)))
                *named = answer;
        }
    return of[OUTCOME_WORSE]                                                 ? OUTCOME_WORSE
           : of[OUTCOME_SAME] > 0 && of[OUTCOME_SAME] >= of[OUTCOME_UNKNOWN] ? OUTCOME_SAME
                                                                             : OUTCOME_UNKNOWN;
}

static void judge_limit(void *context, const struct limit *limit)
{
    struct found *found = context;
    const struct answer *named, *ignored;
    enum outcome outcome = limit_outcome(limit, found->measured, &named);
    if (outcome == OUTCOME_WORSE && found->again &&
        limit_outcome(limit, found->again, &ignored) != OUTCOME_WORSE)
        outcome = OUTCOME_UNKNOWN;
    const bool broken = outcome == OUTCOME_WORSE;
    if ((named || outcome != OUTCOME_SAME) && (!found->line.length || (broken && !found->broken)))
        write_limit(&found->line, limit, named, broken);
    count(found, outcome, limit->key, *limit->kind ? limit->kind : NULL);
}

/* Without limits or a baseline: how many answers can be trusted; facts about the machine itself are no
 * measurement. */
static void judge_alone(struct found *found)
{
    const struct record *part;
    for (size_t k = 0; (part = result_part(found->measured, k)); k++)
        for (size_t i = 0; i < part->answers.count; i++) {
            const struct answer *answer = &part->answers.of[i];
            const bool asked =
                choice_takes(&found->check->choice, answer->key) && strncmp(answer->key, "got.", 4) != 0;
            found->held += asked && answer->trust != TRUST_LOW;
            found->unknown += asked && answer->trust == TRUST_LOW;
        }
}

/* Counts a row that the file has, and keeps the line of the first that is worse. */
static void take_row(struct found *found, const struct comparison *comparison, const struct row *row)
{
    const enum outcome outcome = row->of[1].fails ? OUTCOME_WORSE : row->of[1].j.outcome;
    const bool is_other = outcome_differs(outcome) && outcome != OUTCOME_WORSE;
    if (row->of[1].fails && !found->broken) {
        text_free(&found->line);
        row_add_line(comparison, row, 1, &found->line);
    }
    if (row->of[0].answer)
        count(found, is_other ? OUTCOME_SAME : outcome, row->key, row->kind);
}

/* Judges as `compare` does, with this machine behind the result in the file. */
static void judge_against(struct found *found, struct run *run, struct fault *fault)
{
    struct results both[] = {{0}, {.path = "this machine", .fault = fault}};
    struct comparison comparison = {
        .choice = &found->check->choice, .count = 2, .files = both, .owner = run->record};
    if (results_load(&both[0], found->check->against, fault) != STATUS_OK) {
        results_free(&both[0]);
        return;
    }
    results_take(&both[1], (struct record *)found->measured);
    compare_results(&comparison);
    const struct against *against = &comparison.against[1];
    if (both[0].documents.count > 1)
        fault_set(fault, STATUS_USAGE, "%s: holds %zu results; give a file that holds one", both[0].path,
                  both[0].documents.count);
    else if (!against->judged || against->side_by_side) {
        text_free(&found->line);
        comparison_add_reason(&comparison, 1, &found->line);
        fault_set(fault, STATUS_USAGE, "no verdict: %s", found->line.data);
    } else {
        comparison_warn(&comparison, run->record);
        for (size_t i = 0; i < comparison.rows.count; i++)
            take_row(found, &comparison, &comparison.rows.of[i]);
        found->incomplete |= against->missing;
    }
    comparison_free(&comparison);
    results_free(&both[0]);
    free(both[1].documents.of); /* the document is the caller's */
    free(both[1].of);
}

/* Adds parts of a list while the line has room for them. */
static void add_reason(struct text *line, const char *reason)
{
    enum { COLUMNS = 100, REST = 45 };
    if (line->length == 0 || line->length + strlen(reason) < COLUMNS - REST)
        text_printf(line, "%s%s", line->length ? ", " : "", reason);
}

/* All that speaks against the machine, the gravest first. */
static void find_fitness(struct found *found, struct text *reasons)
{
    const struct answer *fit = record_answer_find(found->measured, "got.fit", NULL);
    char path[32];
    const char *reason = "";
    found->is_machine = fit && choice_takes(&found->check->choice, fit->key);
    found->unfit = found->is_machine && cell_is(&fit->value, false);
    for (int i = 0; found->unfit && reason; i++) {
        snprintf(path, sizeof(path), "got.reasons.%d", i);
        reason = fact_text(found->measured, path, i == 0 ? fit->remark : NULL);
        if (reason)
            add_reason(reasons, reason);
    }
}

/* What others watch, for machines alone: the machine's answers and conditions, and each value that was
 * measured. */
static void add_values(struct record *record, const struct record *measured)
{
    static const char conditions[] = "run.conditions.";
    const struct record *part;
    for (size_t i = 0; i < measured->facts.count; i++) {
        const struct fact *fact = &measured->facts.of[i];
        struct text key = {0};
        if (strncmp(fact->path, conditions, strlen(conditions)) != 0 || isnan(cell_number(&fact->value)))
            continue;
        text_printf(&key, "check.condition.%s", fact->path + strlen(conditions));
        record_answer(record, (struct answer){.key = key.data, .value = fact->value, .trust = TRUST_HIGH});
        text_free(&key);
    }
    for (size_t k = 0; (part = result_part(measured, k)); k++)
        for (size_t i = 0; i < part->answers.count; i++) {
            struct answer answer = part->answers.of[i];
            answer.label = answer.text = answer.sheet_cell = NULL;
            if (cell_has_value(&answer.value) && answer.value.type != CELL_TEXT)
                record_answer(record, answer);
        }
}

void check_say(struct run *run, const char *word, const char *line, enum status outcome)
{
    record_answer(run->record, (struct answer){"check.verdict", .value = TEXT_CELL(word), .trust = TRUST_HIGH,
                                               .text = line});
    run->outcome = outcome;
    record_answer(
        run->record,
        (struct answer){.key = "check.exit_code", .value = INTEGER_CELL(outcome), .trust = TRUST_HIGH});
}

/* "no move seen in 12 s, 3.66 to 3.70 GHz" */
static void add_good(struct text *line, const struct record *measured, const char *end)
{
    static const char *const keys[] = {"got.not_moved", "got.steady"};
    const char *between = "";
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        const struct answer *answer = record_answer_find(measured, keys[i], NULL);
        if (!answer || !answer->remark)
            continue;
        text_printf(line, "%s%s", between, answer->remark);
        between = ", ";
    }
    text_add(line, *between ? end : "");
}

static void add_verdict(struct run *run, struct found *found)
{
    const bool alone = !found->check->limits && !found->check->against;
    struct text reasons = {0}, line = {0};
    find_fitness(found, &reasons);
    const size_t known = found->held + found->broken, all = known + found->unknown;
    const bool few = all > 0 ? 2 * found->held < all : !(alone && found->is_machine);
    const bool counts = alone || run->common->strict;
    const bool good = !found->incomplete && !few && !(found->unfit && counts);
    if (found->broken) {
        text_printf(&line, "WORSE  %s; ", found->line.data);
        if (found->broken > 1)
            text_printf(&line, "%zu more worse, ", found->broken - 1);
    } else {
        text_add(&line, good ? alone ? "FIT  " : "OK  " : "UNFIT  ");
        if (!good && found->unfit)
            text_printf(&line, "%s%s", reasons.data, all > 0 || found->incomplete ? "; " : "");
        else if (found->line.length && (!good || found->check->limits))
            text_printf(&line, "%s; ", found->line.data);
        if (found->incomplete)
            text_add(&line, "incomplete; ");
    }
    if (alone && good)
        add_good(&line, found->measured, all > 0 ? "; " : "");
    if (alone && all > 0)
        text_printf(&line, "%zu of %zu answers can be trusted", found->held, all);
    if (!alone)
        text_printf(&line, "%zu %s, %zu not judged", found->held, found->check->limits ? "hold" : "same",
                    found->unknown);
    if (!alone && found->families.length && !found->broken)
        text_printf(&line, " (%s)", found->families.data + 2);
    add_values(run->record, found->measured);
    check_say(run,
              found->broken ? "worse"
              : good        ? "good"
                            : "not fit",
              line.data,
              found->broken ? STATUS_FAILED
              : good        ? STATUS_OK
                            : STATUS_UNTRUSTED);
    text_free(&reasons);
    text_free(&line);
}

void check_fail(struct run *run, const struct fault *fault)
{
    record_answer(
        run->record,
        (struct answer){.key = "check.exit_code",
                        .value = INTEGER_CELL(fault->status == STATUS_FAILED ? STATUS_USAGE : fault->status),
                        .trust = TRUST_HIGH});
}

static void judge_all(struct found *found, struct run *run, struct fault *fault)
{
    const struct check *check = found->check;
    const struct record *part;
    for (size_t i = 0; (part = result_part(found->measured, i)); i++)
        found->incomplete |= fact_is(part, "run.complete", false);
    if (check->limits)
        limits_read(check->limits, judge_limit, found, fault);
    if (check->limits && !check->against && found->unknown == 0) /* no limit asks for what is missing */
        found->incomplete = run->interrupted(NULL);
    if (check->against && fault->status == STATUS_OK)
        judge_against(found, run, fault);
    if (!check->limits && !check->against)
        judge_alone(found);
}

bool check_doubts(const struct run *run, const struct check *check, const struct record *measured,
                  struct fault *fault)
{
    struct run scratch = *run;
    struct found found = {.check = check, .measured = measured};
    scratch.record = found.record = record_new();
    judge_all(&found, &scratch, fault);
    record_free(scratch.record);
    text_free(&found.line);
    text_free(&found.families);
    return found.broken > 0;
}

enum status check_judge(struct run *run, const struct check *check, struct record *measured,
                        const struct record *again, struct fault *fault)
{
    struct found found = {.check = check,
                          .measured = measured,
                          .again = again,
                          .record = run->record,
                          .incomplete = run->interrupted(NULL)};
    judge_all(&found, run, fault);
    if (fault->status == STATUS_OK)
        add_verdict(run, &found);
    text_free(&found.line);
    text_free(&found.families);
    return fault->status;
}
