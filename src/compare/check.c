/* SPDX-License-Identifier: MIT */
#include "check.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"
#include "limits.h"
#include "result/subject.h"

/* What is found, and the first thing to say of it. */
struct found {
    size_t held, broken, unknown;
    char line[400];
};

/* "20.1 GiB/s" */
static void write_value(const struct finding *finding, char *text, size_t size)
{
    const char *unit;
    const double value = value_shown(cell_number(&finding->value), finding->unit, &unit);
    snprintf(text, size, "%s %.4g %s", finding->key, value, unit);
}

/* Of its own findings and its children's. */
static void judge_limit(const struct record *record, const struct limit *limit, struct found *found,
                        bool *is_met)
{
    for (size_t i = 0; i < record_child_count(record); i++)
        judge_limit(record_child_at(record, i), limit, found, is_met);
    for (size_t i = 0; i < record_finding_count(record); i++) {
        const struct finding *finding = record_finding_at(record, i);
        if (!limit_is_of(limit, finding))
            continue;
        const enum limit_answer answer = limit_judge(limit, finding);
        char value[160];
        *is_met = true;
        found->held += answer == LIMIT_HELD;
        found->unknown += answer == LIMIT_UNKNOWN;
        write_value(finding, value, sizeof(value));
        if (answer == LIMIT_BROKEN && !found->broken++)
            snprintf(found->line, sizeof(found->line), "%s, not %c%s %g %s", value, limit->sign,
                     limit->sign == '=' ? "" : "=", limit->value, limit->unit);
        if (answer == LIMIT_UNKNOWN && !found->broken)
            snprintf(found->line, sizeof(found->line), "%s %s %g %s", value,
                     finding->trust == TRUST_LOW ? "(low trust) cannot be held against" : "is too near to",
                     limit->value, limit->unit);
    }
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
        bool is_met = false;
        if (!limit_parse(line, &limit)) {
            fault_set(fault, STATUS_USAGE,
                      "%s: line %d is no limit; write a line such as: ram.DRAM.read >= 20 GiB/s", path,
                      number);
            break;
        }
        if (!limit.key[0])
            continue;
        judge_limit(measured, &limit, found, &is_met);
        if (!is_met && !found->unknown++ && !found->broken)
            snprintf(found->line, sizeof(found->line), "nothing was found for %s in %s", limit.key,
                     limit.unit[0] ? limit.unit : "that unit");
    }
    if (!feof(file) && fault->status == STATUS_OK)
        fault_set(fault, STATUS_USAGE, "cannot read '%s': %s", path, strerror(errno));
    free(line);
    fclose(file);
    return fault->status;
}

static void count_trusted(const struct record *record, struct found *found)
{
    for (size_t i = 0; i < record_child_count(record); i++)
        count_trusted(record_child_at(record, i), found);
    for (size_t i = 0; i < record_finding_count(record); i++) {
        const struct finding *finding = record_finding_at(record, i);
        const bool measured = choice_is_measured(finding->key), low = finding->trust == TRUST_LOW;
        found->held += measured && !low;
        found->unknown += measured && low;
    }
}

/* The same as `compare` with the earlier result first; its verdict is the last thing in a record of its own. */
static enum status judge_against(struct run *run, const struct check *check, struct record *measured,
                                 struct found *found, struct fault *fault)
{
    struct record *scratch = record_new(), *list[] = {measured};
    struct runs before = {0}, after = {.path = "this machine", .list = {1, list}};
    struct comparison comparison = {.record = scratch, .choice = &check->choice};
    if (runs_load(&before, check->against, fault) == STATUS_OK && runs_collect(&after, fault) == STATUS_OK) {
        compare_begin(&comparison, &before, &after);
        compare_runs(&comparison, &before, &after, false);
        for (size_t i = 0; i < record_warning_count(scratch); i++)
            record_warning(run->record, record_warning_at(scratch, i)->code, "%s",
                           record_warning_at(scratch, i)->text);
        const size_t *of = comparison.tally.of;
        found->broken = of[ANSWER_WORSE];
        found->held = of[ANSWER_SAME] + of[ANSWER_BETTER] + of[ANSWER_CHANGED];
        found->unknown = of[ANSWER_UNKNOWN];
        snprintf(found->line, sizeof(found->line), "%s", found->broken ? comparison.line : comparison.why);
        if (!comparison.judged) {
            fault_set(fault, STATUS_USAGE, "another machine or other settings: %s",
                      record_warning_at(scratch, 0)->text);
        }
    }
    record_list_free(&before.list);
    record_free(scratch);
    return fault->status;
}

/* Without anything to hold a value against none is good or worse. */
static void spell_counts(const struct check *check, const struct found *found, char *text, size_t size)
{
    if (check->limits || check->against)
        snprintf(text, size, "%zu good, %zu worse, %zu unknown", found->held, found->broken, found->unknown);
    else
        snprintf(text, size, "%zu findings can be trusted, %zu cannot", found->held, found->unknown);
}

/* With limits none may be unknown. Of a part of the findings, none being bad is no good. */
static void add_verdict(struct run *run, const struct check *check, const struct found *found)
{
    const bool cut = run->interrupted(NULL);
    const bool fit = !cut && found->held > 0 && !(check->limits && found->unknown);
    const char *line = cut && !found->broken ? "the measurement was interrupted" : found->line;
    char text[600], counts[100];
    spell_counts(check, found, counts, sizeof(counts));
    snprintf(text, sizeof(text), "%s%s%s: %s",
             found->broken ? "FAIL"
             : fit         ? "OK"
                           : "NOT FIT TO JUDGE",
             (found->broken || !fit) && line[0] ? " " : "", found->broken || !fit ? line : "", counts);
    record_finding(run->record, (struct finding){.key = "check.verdict",
                                                 .value = TEXT_CELL(found->broken ? "worse"
                                                                    : fit         ? "good"
                                                                                  : "not fit"),
                                                 .trust = TRUST_HIGH,
                                                 .text = text});
    run->outcome = found->broken ? STATUS_FAILED : fit ? STATUS_OK : STATUS_UNTRUSTED;
    record_finding(
        run->record,
        (struct finding){.key = "check.exit_code", .value = INTEGER_CELL(run->outcome), .trust = TRUST_HIGH});
}

enum status check_judge(struct run *run, const struct check *check, struct record *measured,
                        struct fault *fault)
{
    struct found found = {0};
    if (check->limits)
        judge_limits(check->limits, measured, &found, fault);
    if (check->against && fault->status == STATUS_OK)
        judge_against(run, check, measured, &found, fault);
    if (!check->limits && !check->against)
        count_trusted(measured, &found);
    if (fault->status == STATUS_OK)
        add_verdict(run, check, &found);
    return fault->status;
}
