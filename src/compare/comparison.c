/* SPDX-License-Identifier: MIT */
#include "comparison.h"

#include <math.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "output/answers.h"
#include "output/scratch.h"
#include "result/subject.h"

/* A share that values of a core do not differ by between runs. */
static const double FAR_NOW = 0.10;

void results_take(void *context, struct record *document)
{
    struct results *results = context;
    const size_t children = document->children.count;
    LIST_ADD(results->documents, document);
    for (size_t i = 0; i < children; i++)
        LIST_ADD(*results, document->children.of[i]);
    if (children == 0)
        LIST_ADD(*results, document);
    if (results->count > RESULTS_MAX)
        fault_set(results->fault, STATUS_USAGE, "%s: holds more than %d results; give fewer", results->path,
                  RESULTS_MAX);
}

enum status results_load(struct results *results, const char *path, struct fault *fault)
{
    *results = (struct results){.path = path, .fault = fault};
    return record_load_each(path, results_take, results, fault);
}

void results_free(struct results *results)
{
    for (size_t i = 0; i < results->documents.count; i++)
        record_free(results->documents.of[i]);
    free(results->documents.of);
    free(results->of);
}

double row_ratio(const struct row *row, size_t file)
{
    const struct answer *first = row->of[0].answer, *other = row->of[file].answer;
    return !first && !other ? 1 + row->of[file].j.loss
           : first && other ? cell_number(&other->value) / cell_number(&first->value)
                            : NAN;
}

void row_add_name(const struct row *row, struct text *out)
{
    const bool busy = row->state && strcmp(row->state, state_names[STATE_ACTIVE]) == 0;
    const char *name = row->label ? row->label : row->key, *comma = strchr(name, ','),
               *last = strrchr(name, ',');
    /* The size of a set may be another one in each file. */
    const bool sized = last && strstr(last, "iB");
    const size_t length = sized ? (size_t)(last - name) : strlen(name),
                 first = comma && busy ? (size_t)(comma - name) : length;
    text_add_printable(out,
                       spell("%.*s%s%.*s%s%s", (int)first, name, busy ? " (busy)" : "", (int)(length - first),
                             name + first, row->kind ? ", " : "", row->kind ? row->kind : ""));
}

void row_add_line(const struct comparison *comparison, const struct row *row, size_t file, struct text *out)
{
    const struct judgement *j = &row->of[file].j;
    const bool apart = comparison->against[file].side_by_side;
    const double change = 100 * (row_ratio(row, file) - 1);
    row_add_name(row, out);
    if (row->of[0].answer && row->of[file].answer) {
        const char *first = answers_value(row->of[0].answer, false),
                   *other = answers_value(row->of[file].answer, false);
        text_printf(out, ": %.60s%s%.60s%s%s", apart ? first : other, apart ? " and " : ", was ",
                    apart ? other : first, *row->unit ? " " : "", row->unit);
    }
    if (!isnan(change)) {
        text_printf(out, " (%+.1f %%", change);
        if (j->basis && fabs(100 * j->change - change) >= 0.5)
            text_printf(out, "; %s %+.1f %%", j->basis, 100 * j->change);
        if (!isnan(j->allowed))
            text_printf(out, ", noise %.0f %%", 100 * j->allowed);
        text_add(out, ")");
    }
    if (j->outcome == OUTCOME_UNKNOWN)
        text_printf(out, ": %s", j->why);
}

static struct row *add_row(struct comparison *comparison, struct row row)
{
    const size_t count = comparison->count;
    row.of = record_own(comparison->owner, memory_zeroed(count, sizeof(*row.of)));
    row.place = comparison->rows.count;
    for (size_t file = 0; file < count; file++)
        row.of[file].j = judgement_apart(NULL);
    LIST_ADD(comparison->rows, row);
    return &comparison->rows.of[comparison->rows.count - 1];
}

/* Finds a row, which may move, in a tree. */
struct name {
    const char *key, *kind, *state;
    size_t row;
};

static int compare_names(const void *a, const void *b)
{
    const struct name *first = a, *second = b;
    const char *const own[] = {first->key, first->kind, first->state}, *const its[] = {second->key,
                                                                                       second->kind,
                                                                                       second->state};
    int order = 0;
    for (int i = 0; i < 3 && order == 0; i++)
        order = strcmp(own[i] ? own[i] : "", its[i] ? its[i] : "");
    return order;
}

static struct row *find_row(const struct comparison *comparison, void *const *names,
                            const struct answer *answer, const char *state)
{
    const struct name sought = {answer->key, answer->kind, state};
    struct name *const *found = tfind(&sought, names, compare_names);
    return found ? &comparison->rows.of[(*found)->row] : NULL;
}

/* Finds or adds the row of an answer that no row of its state has: that of another state of the first
 * file, which this file does not have. */
static struct row *other_row(struct comparison *comparison, void **names, const struct group *group,
                             size_t file, const struct answer *answer)
{
    for (int i = 0; i <= STATE_COUNT; i++) {
        struct row *row = find_row(comparison, names, answer, i < STATE_COUNT ? state_names[i] : NULL);
        if (row && row->of[0].answer && !row->of[file].answer)
            return row;
    }
    struct name *name = memory_zeroed(1, sizeof(*name)); /* freed with the tree */
    *name = (struct name){answer->key, answer->kind, answer->state, comparison->rows.count};
    if (!tsearch(name, names, compare_names))
        memory_exhausted(0);
    return add_row(comparison, (struct row){group, answer->key, answer->kind, answer->state, NULL, ""});
}

/* Adds a row for each key and state of a command; first pairs of one state find each other. Labels and
 * units are those of the first file that has a label: results of earlier versions have none. */
static void add_rows(struct comparison *comparison, const struct group *group)
{
    void *names = NULL;
    for (size_t turn = 0; turn < 2 * comparison->count; turn++) {
        const size_t file = turn / 2;
        for (size_t i = 0; group->of[file] && i < group->of[file]->answers.count; i++) {
            const struct answer *answer = &group->of[file]->answers.of[i];
            if (!choice_takes(comparison->choice, answer->key) || answer->value.type == CELL_NULL)
                continue;
            struct row *row = find_row(comparison, &names, answer, answer->state);
            if (!row && turn % 2 > 0)
                row = other_row(comparison, &names, group, file, answer);
            if (row && !row->label) {
                row->label = answer->label;
                row->unit = answers_unit(answer->unit);
            }
            if (row && !row->of[file].answer)
                row->of[file].answer = answer;
        }
    }
    tdestroy(names, free);
}

static void judge_entry(struct comparison *comparison, const struct row *row, size_t file)
{
    struct against *against = &comparison->against[file];
    const struct answer *before = row->of[0].answer, *after = row->of[file].answer;
    const struct record *const *of = row->group->of;
    struct judgement *j = &row->of[file].j;
    if (!before && !after) /* of several files only another one has it */
        return;
    if (before && after && against->judged) {
        const struct terms terms = {.threshold = choice_threshold(comparison->choice),
                                    .seconds = fmin(record_fact_number(of[0], "run.seconds"),
                                                    record_fact_number(of[file], "run.seconds")),
                                    .machines = against->side_by_side};
        *j = judge(before, after, &terms);
        if (against->is_itself) {
            j->outcome = OUTCOME_SAME;
            j->why = NULL;
        }
    } else
        j->why = !before             ? "only in one"
                 : !after            ? "only in the first"
                 : against->emulated ? "emulated"
                                     : "other settings";
    const bool decided = j->outcome < OUTCOME_UNKNOWN;
    against->of[j->outcome]++;
    against->broken += j->broken;
    against->decided += decided;
    against->asked += j->outcome <= OUTCOME_UNKNOWN || (before && !after && !answer_is_busy(before));
    against->hides |= j->core && j->differs_now && fabs(j->change) > FAR_NOW;
    against->missing |= before && !of[file];
}

/* Only a common difference counts: to be the same in the median says little of each. */
static void judge_all(struct comparison *comparison, const struct group *group, size_t from)
{
    struct row *all = NULL;
    const size_t end = comparison->rows.count;
    for (size_t file = 1; file < comparison->count; file++) {
        struct samples losses = {0};
        for (size_t i = from; i < end; i++) {
            const struct judgement *j = &comparison->rows.of[i].of[file].j;
            /* Of a rate by the time for as much: twice the rate is half the time. */
            if (j->core && !isnan(j->loss))
                samples_add(&losses, j->loss == j->change ? j->loss : 1 / (1 + j->change) - 1);
        }
        const struct judgement j =
            judge_together(losses.value, losses.count, choice_threshold(comparison->choice));
        samples_free(&losses);
        if (j.outcome == OUTCOME_APART)
            continue;
        if (!all) {
            struct text label = {0}, key = {0};
            text_printf(&label, "all of %s", group->command);
            text_printf(&key, "%s, together", group->command);
            all = add_row(comparison, (struct row){.group = group, .unit = "time"});
            all->label = record_own(comparison->owner, text_take(&label));
            all->key = record_own(comparison->owner, text_take(&key));
        }
        all->of[file].j = j;
        comparison->against[file].of[j.outcome] += outcome_differs(j.outcome);
    }
}

/* Sets what orders the rows. */
static void rank(struct comparison *comparison, struct row *row)
{
    bool lacks = false;
    row->gravity = 3;
    row->size = -1;
    for (size_t file = 1; file < comparison->count; file++) {
        struct held *entry = &row->of[file];
        const enum outcome outcome = entry->j.outcome;
        const double size = fabs(log(row_ratio(row, file)));
        entry->fails =
            !comparison->against[file].side_by_side && (outcome == OUTCOME_WORSE || entry->j.broken);
        const int gravity = entry->fails                 ? 0
                            : outcome_differs(outcome)   ? 1
                            : outcome == OUTCOME_UNKNOWN ? 2
                                                         : 3;
        lacks |= !entry->answer != !row->of[0].answer;
        if (gravity < row->gravity || (gravity == row->gravity && size > row->size))
            row->size = isnan(size) ? -1 : size;
        row->gravity = gravity < row->gravity ? gravity : row->gravity;
    }
    row->gravity += lacks && row->gravity == 3;
}

static int compare_rows(const void *a, const void *b)
{
    const struct row *first = a, *second = b;
    if (first->gravity != second->gravity)
        return first->gravity - second->gravity;
    if (first->size != second->size)
        return first->size < second->size ? 1 : -1;
    return (first->place > second->place) - (first->place < second->place);
}

/* Pairs the first result of a command in each file, the second, and so on. */
static void find_groups(struct comparison *comparison)
{
    for (size_t file = 0; file < comparison->count; file++)
        for (size_t i = 0; i < comparison->files[file].count; i++) {
            const struct record *result = comparison->files[file].of[i];
            const char *command = fact_text(result, "run.command", "unknown");
            size_t k = 0;
            while (k < comparison->groups.count && (comparison->groups.of[k].of[file] ||
                                                    strcmp(comparison->groups.of[k].command, command) != 0))
                k++;
            if (k == comparison->groups.count) {
                void *of = memory_zeroed(comparison->count, sizeof(*comparison->groups.of[k].of));
                LIST_ADD(comparison->groups, ((struct group){command, record_own(comparison->owner, of)}));
            }
            comparison->groups.of[k].of[file] = result;
        }
}

/* Decides for each file whether and how it is held against the first: by the settings of the documents and
 * of each command. */
static void find_relations(struct comparison *comparison)
{
    struct settings *settings = &comparison->settings;
    const struct record **of = memory_zeroed(comparison->count, sizeof(*of));
    *settings = (struct settings){.owner = comparison->owner, .results = comparison->count};
    for (size_t file = 0; file < comparison->count; file++)
        of[file] = comparison->files[file].documents.of[0];
    settings_compare(settings, of);
    free(of);
    for (size_t i = 0; i < comparison->groups.count; i++)
        settings_compare(settings, comparison->groups.of[i].of);
    for (size_t file = 1; file < comparison->count; file++) {
        struct against *against = &comparison->against[file];
        const enum weight weight = settings_weight(settings, file);
        for (size_t i = 0; i < comparison->groups.count; i++)
            for (size_t side = 0; side <= file; side += file)
                against->emulated |= comparison->groups.of[i].of[side] &&
                                     record_is_emulated(comparison->groups.of[i].of[side]);
        against->is_itself = true;
        for (size_t i = 0; i < comparison->groups.count; i++) {
            const struct record *const *pair = comparison->groups.of[i].of;
            against->is_itself &= pair[0] && pair[file] && settings_are_of_one_run(pair[0], pair[file]);
        }
        against->side_by_side = comparison->machines || (weight == WEIGHT_MACHINE && !comparison->force);
        against->judged =
            !against->emulated && (comparison->force || against->side_by_side || weight < WEIGHT_DECIDES);
    }
}

void compare_results(struct comparison *comparison)
{
    void *against = memory_zeroed(comparison->count, sizeof(*comparison->against));
    comparison->against = record_own(comparison->owner, against);
    find_groups(comparison);
    find_relations(comparison);
    for (size_t i = 0; i < comparison->groups.count; i++) {
        const size_t from = comparison->rows.count;
        add_rows(comparison, &comparison->groups.of[i]);
        for (size_t k = from; k < comparison->rows.count; k++)
            for (size_t file = 1; file < comparison->count; file++)
                judge_entry(comparison, &comparison->rows.of[k], file);
        judge_all(comparison, &comparison->groups.of[i], from);
    }
    for (size_t i = 0; i < comparison->rows.count; i++)
        rank(comparison, &comparison->rows.of[i]);
    if (comparison->rows.count > 0)
        qsort(comparison->rows.of, comparison->rows.count, sizeof(*comparison->rows.of), compare_rows);
}

void comparison_free(struct comparison *comparison)
{
    free(comparison->settings.of);
    free(comparison->groups.of);
    free(comparison->rows.of);
}

enum status comparison_status(const struct comparison *comparison, size_t file)
{
    const struct against *against = &comparison->against[file];
    return !against->judged || against->decided + against->of[OUTCOME_UNKNOWN] == 0 ? STATUS_USAGE
           : against->side_by_side                                                  ? STATUS_OK
           : against->of[OUTCOME_WORSE] || against->broken                          ? STATUS_FAILED
           : 2 * against->decided < against->asked || against->hides                ? STATUS_UNTRUSTED
                                                                                    : STATUS_OK;
}

void comparison_add_reason(const struct comparison *comparison, size_t file, struct text *out)
{
    const bool emulated = comparison->against[file].emulated;
    text_add(out, emulated ? "emulated: no CPU's times" : "they differ in ");
    if (!emulated)
        settings_write(&comparison->settings, file, WEIGHT_DECIDES, WEIGHT_MACHINE, out);
}

const struct row *comparison_first(const struct comparison *comparison, size_t file, int gravity)
{
    for (size_t i = 0; i < comparison->rows.count; i++) {
        const struct held *entry = &comparison->rows.of[i].of[file];
        if (gravity == 0 ? entry->fails : entry->j.outcome == OUTCOME_UNKNOWN)
            return &comparison->rows.of[i];
    }
    return NULL;
}

void comparison_warn(const struct comparison *comparison, struct record *record)
{
    const struct results *files = comparison->files;
    for (size_t file = 0; file < comparison->count; file++) {
        struct text deciding = {0}, others = {0}, lacks = {0};
        const struct against *against = &comparison->against[file];
        settings_write(&comparison->settings, file, WEIGHT_DECIDES,
                       against->side_by_side ? WEIGHT_DECIDES : WEIGHT_MACHINE, &deciding);
        settings_write(&comparison->settings, file, WEIGHT_NAMED, WEIGHT_NAMED, &others);
        if (deciding.length && !comparison->machines)
            record_warning(record, "other_settings", "%s and %s differ in %s", files[0].path,
                           files[file].path, deciding.data);
        if (others.length && against->judged && !against->side_by_side)
            record_warning(record, "other_conditions", "judged, though they differ in %s", others.data);
        for (size_t i = 0; i < comparison->groups.count; i++) {
            const struct group *group = &comparison->groups.of[i];
            if (!group->of[file])
                text_printf(&lacks, "%s%s", lacks.length ? ", " : "", group->command);
            else if (fact_is(group->of[file], "run.complete", false))
                record_warning(record, "incomplete", "%s in %s is incomplete", group->command,
                               files[file].path);
        }
        if (lacks.length)
            record_warning(record, "missing_part", "%s has no %s: not compared", files[file].path,
                           lacks.data);
        text_free(&deciding);
        text_free(&others);
        text_free(&lacks);
    }
}
