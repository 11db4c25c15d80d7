/* SPDX-License-Identifier: MIT */
#include "check.h"

#include <errno.h>
#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "comparison.h"
#include "result/subject.h"

/* How far off the limit the interval of a value of low trust must lie to decide, on either side. */
static const double FAR = 0.25;

bool limit_parse(const char *line, struct limit *limit)
{
    char text[256], sign[3] = "";
    *limit = (struct limit){.value = NAN};
    snprintf(text, sizeof(text), "%s", line);
    text[strcspn(text, "#\r\n")] = '\0';
    for (size_t i = strlen(text); i > 0 && strchr(" \t", text[i - 1]); i--)
        text[i - 1] = '\0';
    const int read = sscanf(text, " %95s %2[<>=] %lf %23[^\n]", limit->key, sign, &limit->value, limit->unit);
    limit->sign = sign[0];
    const bool known = strcmp(sign, ">=") == 0 || strcmp(sign, "<=") == 0 || strcmp(sign, "=") == 0;
    return read < 1 || (known && read >= 3 && isfinite(limit->value));
}

/* The limit in the unit of the answer; NaN: the units do not fit. */
static double bound_of(const struct limit *limit, const struct answer *answer)
{
    static const struct {
        const char *unit, *base;
        double factor;
    } units[] = {
        {"GiB/s", "Byte/s", 1073741824.0}, {"MiB/s", "Byte/s", 1048576.0},         {"GB/s", "Byte/s", 1e9},
        {"cycles", "core cycles", 1},      {"bytes/cycle", "bytes/core cycle", 1}, {"us", "ns", 1e3}};
    const char *unit = answer->unit ? answer->unit : "";
    if (strcmp(limit->unit, unit) == 0)
        return limit->value;
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
        if (strcmp(units[i].unit, limit->unit) == 0 && strcmp(units[i].base, unit) == 0)
            return limit->value * units[i].factor;
    return NAN;
}

bool limit_is_of(const struct limit *limit, const struct answer *answer)
{
    return fnmatch(limit->key, answer->key, 0) == 0 && !isnan(bound_of(limit, answer)) &&
           !isnan(cell_number(&answer->value));
}

static bool breaks(const struct limit *limit, double value, double bound)
{
    return limit->sign == '>' ? value < bound : limit->sign == '<' ? value > bound : value != bound;
}

/* A value of low trust needs the same distance from the limit to hold it as to break it. */
enum outcome limit_judge(const struct limit *limit, const struct answer *answer)
{
    const double bound = bound_of(limit, answer), value = cell_number(&answer->value);
    const bool low = answer->trust == TRUST_LOW, broken = breaks(limit, value, bound);
    const double far = !low ? 1 : limit->sign == '>' ? 1 + FAR : 1 - FAR;
    /* The end of its interval that lies towards the limit. */
    const double end = cell_number((limit->sign == '>') == broken ? &answer->high : &answer->low);
    const double near = isnan(end) ? value : end;
    if (answer_is_bound(answer) && (limit->sign == '=' || (limit->sign == '>') == broken))
        return OUTCOME_UNKNOWN;
    if (low && (limit->sign == '=' || answer->leg == LEG_PLAUSIBILITY))
        return OUTCOME_UNKNOWN;
    if (limit->sign == '=')
        return broken ? OUTCOME_WORSE : OUTCOME_SAME;
    if (broken)
        return breaks(limit, near * far, bound) ? OUTCOME_WORSE : OUTCOME_UNKNOWN;
    return !low || !breaks(limit, near, bound * far) ? OUTCOME_SAME : OUTCOME_UNKNOWN;
}

/* The judged demands, and the first line to print: the first broken one before others. */
struct found {
    size_t held, broken, unknown;
    bool incomplete; /* a part is missing, so the result is not judged */
    bool unfit;      /* the machine, where there are neither limits nor an earlier result */
    struct text line;
};

/* The result itself, or one of its children; NULL: there are no more. */
static const struct record *part_of(const struct record *measured, size_t index)
{
    return index == 0                          ? measured
           : index <= measured->children.count ? measured->children.of[index - 1]
                                               : NULL;
}

/* named: the first answer that breaks the limit, else the first undecided one; NULL: none. */
static void write_limit(struct text *out, const struct limit *limit, const struct answer *named, bool broken)
{
    const struct row row = row_of(NULL, named, NULL);
    text_free(out);
    if (!named) {
        text_printf(out, "nothing was found for %s in %s", limit->key,
                    limit->unit[0] ? limit->unit : "that unit");
        return;
    }
    row_add_name(&row, out);
    text_add(out, ": ");
    row_add_value(&row, 0, out);
    text_printf(out, " %s, ", row.unit);
    if (broken)
        text_printf(out, "not %c%s", limit->sign, limit->sign == '=' ? "" : "=");
    else
        text_add(out, named->trust == TRUST_LOW ? "low trust, cannot be compared with" : "too near to");
    text_printf(out, " %g %s", limit->value, limit->unit);
}

/* A limit counts as one demand, however many answers it matches: it holds where at least half of them hold. It names no state: the idle one
 * counts where both exist. */
static void judge_limit(const struct record *measured, const struct limit *limit, struct found *found)
{
    size_t of[OUTCOME_APART + 1] = {0};
    const struct answer *named = NULL;
    const struct record *part;
    for (size_t k = 0; (part = part_of(measured, k)); k++)
        for (size_t i = 0; i < part->answers.count; i++) {
            const struct answer *answer = &part->answers.of[i];
            if (!limit_is_of(limit, answer) ||
                (answer_is_busy(answer) && !answer_is_busy(record_answer_find(part, answer->key, NULL))))
                continue;
            const enum outcome outcome = limit_judge(limit, answer);
            of[outcome]++;
            if (outcome != OUTCOME_SAME && (!named || (outcome == OUTCOME_WORSE && of[outcome] == 1)))
                named = answer;
        }
    const bool broken = of[OUTCOME_WORSE] > 0;
    const bool held = !broken && of[OUTCOME_SAME] > 0 && of[OUTCOME_SAME] >= of[OUTCOME_UNKNOWN];
    if ((named || !held) && (!found->line.length || (broken && !found->broken)))
        write_limit(&found->line, limit, named, broken);
    found->broken += broken;
    found->held += held;
    found->unknown += !broken && !held;
}

static enum status judge_limits(const char *path, const struct record *measured, struct found *found,
                                struct fault *fault)
{
    char *line = NULL;
    size_t room = 0;
    FILE *file = fopen(path, "re");
    if (!file)
        return fault_set(fault, STATUS_USAGE, "cannot read '%s': %s", path, strerror(errno));
    for (int number = 1; fault->status == STATUS_OK && getline(&line, &room, file) > 0; number++) {
        struct limit limit;
        if (!limit_parse(line, &limit))
            fault_set(fault, STATUS_USAGE,
                      "%s: line %d is no limit; write a line such as: ram.L2.read >= 50 GiB/s", path, number);
        else if (limit.key[0])
            judge_limit(measured, &limit, found);
    }
    if (!feof(file) && fault->status == STATUS_OK)
        fault_set(fault, STATUS_USAGE, "cannot read '%s': %s", path, strerror(errno));
    free(line);
    fclose(file);
    return fault->status;
}

/* Judges without limits or an earlier result: whether the machine is fit to measure on, and how many answers can be trusted; facts about
 * the machine itself are no measurement. */
static void judge_alone(struct run *run, const struct choice *choice, const struct record *measured,
                        struct found *found)
{
    const struct answer *fit = record_answer_find(measured, "got.fit", NULL);
    const struct record *part;
    for (size_t k = 0; (part = part_of(measured, k)); k++)
        for (size_t i = 0; i < part->answers.count; i++) {
            const struct answer *answer = &part->answers.of[i];
            const bool asked = choice_takes(choice, answer->key) && strncmp(answer->key, "got.", 4) != 0;
            found->held += asked && answer->trust != TRUST_LOW;
            found->unknown += asked && answer->trust == TRUST_LOW;
        }
    if (!fit)
        return;
    if (cell_is(&fit->value, false) && choice_takes(choice, fit->key)) {
        found->unfit = true;
        text_add(&found->line, fit->remark ? fit->remark : "");
    }
    record_answer(run->record, (struct answer){.key = fit->key, .value = fit->value, .trust = fit->trust});
}

/* As `compare` with the earlier result first; half of its answers must be judged, and every command. */
static enum status judge_against(struct run *run, const struct check *check, struct record *measured,
                                 struct found *found, struct fault *fault)
{
    struct results before, after = {.path = "this machine", .fault = fault};
    struct comparison comparison = {.choice = &check->choice};
    results_take(&after, measured);
    if (results_load(&before, check->against, fault) == STATUS_OK) {
        compare_results(&comparison, &before, &after, false);
        const size_t broken = comparison.of[OUTCOME_WORSE] + comparison.broken;
        if (found->broken == 0 || !comparison.judged)
            text_free(&found->line);
        if (!comparison.judged) {
            comparison_add_reason(&comparison, &found->line);
            fault_set(fault, STATUS_USAGE, "no verdict: %s", found->line.data);
        } else {
            comparison_warn(&comparison, &before, &after, run->record);
            if (found->broken == 0 && broken > 0)
                row_add_line(&comparison.rows.of[0], &found->line);
            else if (found->broken == 0)
                comparison_add_undecided(&comparison, &found->line);
        }
        found->broken += broken;
        found->held += comparison.decided - broken;
        found->unknown += comparison.asked - comparison.decided;
        found->incomplete |= comparison.missing > 0;
    }
    comparison_free(&comparison);
    results_free(&before);
    free(after.documents.of);
    free(after.of);
    return fault->status;
}

static void add_exit_code(struct run *run, enum status code)
{
    record_answer(
        run->record,
        (struct answer){.key = "check.exit_code", .value = INTEGER_CELL(code), .trust = TRUST_HIGH});
}

static void add_verdict(struct run *run, const struct check *check, const struct found *found)
{
    const bool fit = !found->incomplete && !found->unfit && found->held > 0 && found->held >= found->unknown;
    const bool alone = !check->limits && !check->against;
    const char *line = found->incomplete && !found->broken && !found->unfit ? NULL : found->line.data;
    struct text text = {0};
    text_add(&text, found->broken ? "WORSE  " : !fit ? "UNFIT  " : alone ? "FIT  " : "OK  ");
    /* Limits are few: even a good verdict names one that is unknown. */
    if (line && (found->broken || !fit || check->limits))
        text_printf(&text, "%s; ", line);
    if (found->incomplete && !found->broken)
        text_add(&text, "incomplete; ");
    if (!alone)
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
    struct found found = {.incomplete = run->interrupted(NULL)};
    const struct record *part;
    for (size_t i = 0; (part = part_of(measured, i)); i++)
        found.incomplete |= fact_is(part, "run.complete", false);
    if (check->limits)
        judge_limits(check->limits, measured, &found, fault);
    if (check->limits && !check->against && found.unknown == 0) /* no limit asks for what is missing */
        found.incomplete = run->interrupted(NULL);
    if (check->against && fault->status == STATUS_OK)
        judge_against(run, check, measured, &found, fault);
    if (!check->limits && !check->against)
        judge_alone(run, &check->choice, measured, &found);
    if (fault->status == STATUS_OK)
        add_verdict(run, check, &found);
    text_free(&found.line);
    return fault->status;
}
