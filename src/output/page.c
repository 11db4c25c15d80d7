/* SPDX-License-Identifier: MIT */
#include "output/page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "output/answers.h"
#include "result/subject.h"

/* The share by which the core clock moved, and the times as long as planned, from which they are said. */
static const double MOVED = 0.05, LATE = 1.5;

char *page_conditions(const struct record *record)
{
    const double sibling = record_fact_number(record, "run.conditions.sibling_share");
    const double low = record_fact_number(record, "run.conditions.clock_ghz.p5");
    const double high = record_fact_number(record, "run.conditions.clock_ghz.p95");
    const double steal = record_fact_number(record, "run.conditions.steal_share");
    const double moves = record_fact_number(record, "run.conditions.placement_changes");
    const double seconds = record_fact_number(record, "run.measured_seconds");
    const double planned = record_fact_number(record, "run.planned_seconds");
    const double threads = record_fact_number(record, "run.threads");
    struct text text = {0};
    if (record_is_emulated(record))
        text_add(&text, ", emulated: no CPU's times");
    if (threads > 0)
        text_printf(&text, ", %.0f thread%s, %s", threads, threads == 1 ? "" : "s",
                    fact_text(record, "run.isa", "any ISA"));
    if (low > 0 && high > (1 + MOVED) * low)
        text_printf(&text, ", %.2f to %.2f GHz", low, high);
    else if (low > 0 && high > 0)
        text_printf(&text, ", %.2f GHz", (low + high) / 2);
    if (fact_is(record, "run.conditions.guest", true))
        text_printf(&text, ", %s guest", fact_text(record, "run.conditions.hypervisor", "a hypervisor's"));
    else if (fact_is(record, "run.conditions.guest", false))
        text_add(&text, ", no hypervisor");
    if (sibling >= 0)
        text_printf(&text, ", %ssibling busy %.0f %%",
                    fact_is(record, "run.conditions.half_cores", true) ? "half cores: " : "", 100 * sibling);
    if (steal >= 0.005)
        text_printf(&text, ", %.0f %% stolen", 100 * steal);
    if (moves > 0)
        text_printf(&text, ", moved %.0f time%s", moves, moves == 1 ? "" : "s");
    if (planned > 0 && seconds > LATE * planned)
        text_printf(&text, ", took %.2g s, %.2g planned", seconds, planned);
    char *list = text_take(&text);
    text_add(&text, *list ? list + 2 : "");
    free(list);
    return text_take(&text);
}

bool page_is_condition(const char *code)
{
    return strcmp(code, "sibling_active") == 0 || strcmp(code, "clock_drift") == 0 ||
           strcmp(code, "steal") == 0;
}

static struct block *add_block(struct section *section, enum block_kind kind, const char *text)
{
    if (section->count == section->capacity) {
        section->capacity = section->capacity ? 2 * section->capacity : 16;
        section->block = memory_grow(section->block, section->capacity * sizeof(*section->block));
    }
    struct block *block = &section->block[section->count++];
    *block = (struct block){.kind = kind, .text = text ? text_copy_valid(text) : NULL};
    return block;
}

const struct block *section_block(const struct section *section, enum block_kind kind)
{
    for (size_t i = 0; i < section->count; i++)
        if (section->block[i].kind == kind)
            return &section->block[i];
    return NULL;
}

/* "cpu" of "host.cpu.brand"; "host" of "host.arch", which has no group of its own. Returns its length. */
static size_t group_of(const struct fact *fact, const char **at)
{
    const char *second = strchr(fact->path, '.');
    const char *third = second ? strchr(second + 1, '.') : NULL;
    *at = third ? second + 1 : fact->path;
    return third ? (size_t)(third - second) - 1 : strcspn(fact->path, ".");
}

static bool same_group(const struct fact *a, const struct fact *b)
{
    const char *left, *right;
    const size_t length = group_of(a, &left);
    return length == group_of(b, &right) && strncmp(left, right, length) == 0;
}

/* What stands above the facts of "host.cpu.*": their group, where it has no better name. A report has several plans. */
static char *group_heading(const struct record *record, const struct fact *fact)
{
    static const char *const names[][2] = {{"cpu", "CPU"}, {"core_ghz", "Core clock"}, {"got", "As shown"}};
    const char *at, *command = fact_text(record, "run.command", NULL),
                    *explained = fact_text(record, "explanation.text", NULL);
    const size_t length = group_of(fact, &at);
    struct text heading = {0};
    if (explained)
        return text_copy_valid(explained);
    text_add_bytes(&heading, at, length);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (strcmp(names[i][0], heading.data) != 0)
            continue;
        text_free(&heading);
        text_add(&heading, names[i][1]);
        break;
    }
    if (*heading.data >= 'a' && *heading.data <= 'z')
        *heading.data = (char)(*heading.data - 'a' + 'A');
    if (command && strcmp(heading.data, "Plan") == 0)
        text_printf(&heading, " of %s", command);
    return text_take(&heading);
}

/* An element of an array ("host.features.3") but its first, with which it is shown. */
static bool is_further(const struct fact *fact)
{
    const char *last = strrchr(fact->path, '.');
    return last && last[1] >= '1' && last[1] <= '9' && !last[1 + strspn(last + 1, "0123456789")];
}

static bool is_shown(const struct fact *fact, const char *prefix)
{
    return fact->title && !is_further(fact) && strncmp(fact->path, prefix, strlen(prefix)) == 0;
}

static void add_group(struct section *section, const struct fact *first, const char *prefix)
{
    const struct record *record = section->record;
    const struct fact *end = record->facts.of + record->facts.count;
    char *heading = group_heading(record, first);
    struct block *block = add_block(section, BLOCK_FACTS, heading);
    size_t rows = 0;
    free(heading);
    for (const struct fact *fact = first; fact < end; fact++)
        rows += is_shown(fact, prefix) && same_group(fact, first);
    block->grid = grid_new(2, rows);
    block->grid.label_columns = 1;
    block->grid.column[0].heading = text_copy_valid("");
    block->grid.column[1].heading = text_copy_valid("");
    struct grid_cell *cell = block->grid.cell;
    for (const struct fact *fact = first; fact < end; fact++) {
        struct text title = {0}, value = {0};
        if (!is_shown(fact, prefix) || !same_group(fact, first))
            continue;
        text_add_printable(&title, fact->title);
        text_add_value(&value, &fact->value, fact->unit);
        for (const struct fact *next = fact + 1; next < end && is_further(next); next++) {
            text_add(&value, " ");
            text_add_value(&value, &next->value, next->unit);
        }
        cell->text = text_take(&title);
        (cell++)->raw = TEXT_CELL(fact->path);
        (cell++)->text = text_take(&value);
    }
}

/* The facts that have a title, by the second component of their path; what came last to be known, what the guest got, first. */
static void add_facts(struct section *section, const char *prefix)
{
    const struct record *record = section->record;
    for (size_t i = 0; i < 2 * record->facts.count; i++) {
        const struct fact *fact = &record->facts.of[i % record->facts.count];
        const bool is_answer = strncmp(fact->path, "got.", 4) == 0;
        bool first = is_answer == (i < record->facts.count) && is_shown(fact, prefix);
        for (const struct fact *before = record->facts.of; before < fact && first; before++)
            first = !is_shown(before, prefix) || !same_group(before, fact);
        if (first)
            add_group(section, fact, prefix);
    }
}

/* Where the run failed, ended early or found nothing. name: of a command whose section has no heading. */
static void add_failure(struct section *section, const struct record *record, const char *name)
{
    const char *failure = fact_text(record, "run.fault", NULL);
    struct text text = {0};
    if (failure)
        text_printf(&text, "failed: %s", failure);
    else if (fact_is(record, "run.complete", false))
        text_add(&text, record_has_results(record)
                            ? subject_incomplete
                            : "Incomplete: the run ended early; nothing was measured until then.");
    else if (!record_has_results(record))
        text_add(&text,
                 "Nothing found: no sample could be used (see the warnings). Try again, or longer (-r).");
    if (text.length > 0 && name) {
        char *plain = text_take(&text);
        text_printf(&text, "%s: %s", name, plain);
        free(plain);
    }
    if (text.length > 0)
        add_block(section, BLOCK_FAILURE, text.data);
    text_free(&text);
}

static void add_line(struct section *section, const struct answer *answer, bool verdict, bool sources)
{
    static const char *const trusts[] = {
        [TRUST_LOW] = " (low trust)", [TRUST_MEDIUM] = " (medium trust)", [TRUST_HIGH] = ""};
    const struct quote *quote = &answer->published;
    struct text text = {0};
    text_add(&text, answer->text);
    if (cell_has_value(&quote->value)) {
        text_printf(&text, "; published %g", cell_number(&quote->value));
        if (quote->unit && (!answer->unit || strcmp(quote->unit, answer->unit) != 0))
            text_printf(&text, " %s", quote->unit);
        if (sources && quote->source)
            text_printf(&text, " (%s)", quote->source);
    }
    text_add(&text, trusts[answer->trust]);
    add_block(section, verdict ? BLOCK_VERDICT : BLOCK_LINE, text.data);
    text_free(&text);
}

/* Tables that are answers, as two results have them, or the others. */
static void add_tables(struct section *section, const struct record *record, bool lead,
                       enum page_detail detail)
{
    for (size_t i = 0; i < record->tables.count; i++) {
        const struct record_table *table = &record->tables.of[i];
        if (table->spec->view.kind == VIEW_HIDDEN || table->row_count == 0 || table->spec->view.lead != lead)
            continue;
        if (!lead) {
            add_block(section, BLOCK_TABLE, NULL)->table = table;
            continue;
        }
        size_t count;
        struct grid *grids = grids_of(table, &count);
        for (size_t k = 0; k < count; k++) {
            grids[k].label_columns = 1;
            grids[k].remarks = true;
            add_block(section, BLOCK_ANSWERS, NULL)->grid = grids[k];
        }
        free(grids);
        if (table->spec->note && detail != PAGE_SCREEN)
            add_block(section, BLOCK_NOTE, table->spec->note);
    }
}

/* Matrices, but where all answers are to be rows; then the rows that they leave. */
static void add_answers(struct section *section, const struct answer **of, size_t count,
                        enum page_detail detail)
{
    bool marked = false;
    struct grid grid = {.row_count = detail != PAGE_WHOLE};
    while (grid.row_count > 0) {
        grid = answers_matrix(of, &count, &marked);
        if (grid.row_count == 0)
            break;
        struct block *block = add_block(section, BLOCK_ANSWERS, NULL);
        block->grid = grid;
        block->is_matrix = true;
    }
    grid = answers_rows(of, count, detail != PAGE_SCREEN, &marked);
    if (grid.row_count > 0)
        add_block(section, BLOCK_ANSWERS, NULL)->grid = grid;
    if (marked)
        add_block(section, BLOCK_NOTE, answers_note);
}

/* Of a report on a screen: what has a place on the core sheet, of all commands. */
static void add_pooled(struct section *section, const struct record *record)
{
    size_t count = 0, most = 0;
    for (size_t i = 0; i < record->children.count; i++)
        most += record->children.of[i]->answers.count;
    const struct answer **of = memory_zeroed(most, sizeof(*of));
    for (size_t i = 0; i < record->children.count; i++) {
        const struct record *child = record->children.of[i];
        for (size_t j = 0; j < child->answers.count; j++) {
            if (child->answers.of[j].slot)
                of[count++] = &child->answers.of[j];
        }
    }
    add_answers(section, of, count, PAGE_SCREEN);
    free(of);
    /* Of the core first, then memory's matrix. */
    for (size_t i = 0; i < section->count; i++) {
        const struct block rows = section->block[i];
        if (rows.kind != BLOCK_ANSWERS || rows.is_matrix)
            continue;
        memmove(section->block + 1, section->block, i * sizeof(rows));
        section->block[0] = rows;
    }
    for (size_t i = 0; i < record->children.count; i++)
        add_failure(section, record->children.of[i],
                    fact_text(record->children.of[i], "run.command", "result"));
}

/* On a screen many rows give way to those that have a place on the core sheet, if some have. Returns how many answers are kept. */
static size_t choose(struct section *section, const struct answer **of, size_t count)
{
    enum { ROWS_MOST = 12 };
    size_t slots = 0, rows = 0, kept = 0;
    for (size_t i = 0; i < count; i++) {
        rows += of[i]->label && (i == 0 || strcmp(of[i]->key, of[i - 1]->key) != 0);
        slots += of[i]->slot != NULL;
    }
    if (slots == 0 || rows <= ROWS_MOST)
        return count;
    section->left = rows;
    for (size_t i = 0; i < count; i++)
        if (of[i]->slot)
            of[kept++] = of[i];
    for (size_t i = 0; i < kept; i++)
        section->left -= i == 0 || strcmp(of[i]->key, of[i - 1]->key) != 0;
    return kept;
}

static void add_own(struct section *section, enum page_detail detail)
{
    const struct record *record = section->record;
    const size_t count = record->answers.count;
    const struct answer **of = memory_zeroed(count, sizeof(*of));
    const bool compared = fact_text(record, "run.subject", NULL);
    for (size_t i = 0; i < count; i++)
        of[i] = &record->answers.of[i];
    const bool verdict = compared && count > 0 && of[0]->text;
    if (verdict && detail != PAGE_SCREEN) /* of a screen the end is read first */
        add_line(section, of[0], true, false);
    add_tables(section, record, true, detail);
    if (verdict && detail == PAGE_SCREEN)
        add_line(section, of[0], true, false);
    add_answers(section, of, detail == PAGE_SCREEN ? choose(section, of, count) : count, detail);
    free(of);
    for (size_t i = 0; i < count; i++) {
        const struct answer *answer = &record->answers.of[i];
        if (answer->text && !answer->label && !(compared && i == 0))
            add_line(section, answer, false, detail != PAGE_SCREEN);
    }
}

static void fill(struct section *section, bool is_part, bool pooled, enum page_detail detail)
{
    const struct record *record = section->record;
    const bool report = record->children.count > 0, results = record_has_results(record);
    const bool got = !is_part && record_fact_find(record, "got.where");
    if (pooled) {
        add_pooled(section, record);
        return;
    }
    if (record_fact_find(record, "plan.seconds") && !results)
        add_facts(section, "plan.");
    else if (record_fact_find(record, "explanation.key"))
        add_facts(section, "explanation.");
    else if (record->answers.count + record->tables.count == 0 && !is_part && !report && !got)
        add_facts(section, "");
    if (section->count == 0)
        add_failure(section, record, NULL);
    add_own(section, detail);
    if (got)
        add_facts(section, report || detail == PAGE_SCREEN ? "got." : "");
    for (size_t i = 0; i < record->warnings.count; i++)
        add_block(section, BLOCK_WARNING, record->warnings.of[i].text);
    add_tables(section, record, false, detail);
    const char *method = report ? NULL : fact_text(record, "run.method", NULL);
    if (method && results)
        add_block(section, BLOCK_METHOD, method);
}

struct page page_of(const struct record *record, enum page_detail detail)
{
    const bool parts = record->children.count > 0 && (detail != PAGE_SCREEN || !record_has_results(record));
    struct page page = {.record = record,
                        .cpu = subject_cpu(record),
                        .details = subject_details(record),
                        .conditions = page_conditions(record),
                        .is_machine = fact_text(record, "host.cpu.brand", NULL),
                        .count = 1 + (parts ? record->children.count : 0)};
    page.section = memory_zeroed(page.count, sizeof(*page.section));
    for (size_t i = 0; i < page.count; i++) {
        const struct record *own = i > 0 ? record->children.of[i - 1] : record;
        page.section[i] = (struct section){.record = own,
                                           .name = fact_text(own, "run.command", "result"),
                                           .summary = fact_text(own, "run.summary", "")};
        fill(&page.section[i], i > 0, record->children.count > 0 && !parts, detail);
    }
    return page;
}

void page_free(struct page *page)
{
    for (size_t i = 0; i < page->count; i++) {
        for (size_t j = 0; j < page->section[i].count; j++) {
            free(page->section[i].block[j].text);
            grid_free(&page->section[i].block[j].grid);
        }
        free(page->section[i].block);
    }
    free(page->section);
    free(page->cpu);
    free(page->details);
    free(page->conditions);
}
