/* SPDX-License-Identifier: MIT */
#include "output/page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "output/answers.h"
#include "result/subject.h"

/* The conditions mention the core clock if it moved by this share, and the duration if it is so many times the planned one. */
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
    const double threads = record_fact_number(record, "run.threads"),
                 all = record_fact_number(record, "run.all_threads"),
                 page_bytes = record_fact_number(record, "run.page_bytes");
    struct text text = {0};
    if (record_is_emulated(record))
        text_add(&text, ", emulated: no CPU's times");
    if (threads > 0 && all > 0)
        text_printf(&text, ", %.0f and %.0f threads", threads, all);
    else if (threads > 0)
        text_printf(&text, ", %.0f thread%s", threads, threads == 1 ? "" : "s");
    if (threads > 0)
        text_printf(&text, ", %s", fact_text(record, "run.isa", "any ISA"));
    if (page_bytes > 0) {
        text_add(&text, ", ");
        text_add_size(&text, (int64_t)page_bytes);
        text_add(&text, " pages");
    }
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
    section->block = memory_grow(section->block, (section->count + 1) * sizeof(*section->block));
    struct block *block = &section->block[section->count++];
    *block = (struct block){.kind = kind, .text = text ? text_copy_valid(text) : NULL};
    return block;
}

/* Heads the facts of "host.cpu.*" with their group, the second component of the path, unless it has a better
 * name. A report has several plans. */
static char *group_heading(const struct record *record, const struct fact *fact)
{
    static const char *const names[][2] = {{"cpu", "CPU"}, {"core_ghz", "Core clock"}, {"got", "As shown"}};
    const char *command = fact_text(record, "run.command", NULL);
    const char *second = strchr(fact->path, '.'), *third = second ? strchr(second + 1, '.') : NULL;
    const char *group = third ? second + 1 : fact->path;
    const char *explained = fact_text(record, "explanation.text", NULL);
    struct text heading = {0};
    if (explained)
        return text_copy_valid(explained);
    text_add_bytes(&heading, group, strcspn(group, "."));
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (strcmp(names[i][0], heading.data) == 0) {
            text_free(&heading);
            text_add(&heading, names[i][1]);
        }
    }
    if (*heading.data >= 'a' && *heading.data <= 'z')
        *heading.data = (char)(*heading.data - 'a' + 'A');
    if (command && strcmp(heading.data, "Plan") == 0)
        text_printf(&heading, " of %s", command);
    return text_take(&heading);
}

/* Adds the facts that have a title, a block for each group; the guest's limits, which are known last, come first. */
static void add_facts(struct section *section, const char *prefix)
{
    const struct record *record = section->record;
    struct grid_cell *last = NULL;
    for (size_t i = 0; i < 2 * record->facts.count; i++) {
        const struct fact *fact = &record->facts.of[i % record->facts.count];
        const char *name = strrchr(fact->path, '.');
        struct text title = {0}, value = {0};
        if (!fact->title || strncmp(fact->path, prefix, strlen(prefix)) != 0 ||
            (strncmp(fact->path, "got.", 4) == 0) != (i < record->facts.count))
            continue;
        text_add_value(&value, &fact->value, fact->unit);
        /* Further elements of an array ("host.features.3") join the first one. */
        if (last && name && name[1] >= '1' && name[1] <= '9' && !name[1 + strspn(name + 1, "0123456789")]) {
            text_printf(&title, "%s %s", last->text, value.data);
            free(last->text);
            last->text = text_take(&title);
            text_free(&value);
            continue;
        }
        char *heading = group_heading(record, fact);
        struct block *block = section->block, *end = block + section->count;
        while (block < end && (block->kind != BLOCK_FACTS || strcmp(block->text, heading) != 0))
            block++;
        if (block == end) {
            block = add_block(section, BLOCK_FACTS, heading);
            block->grid = grid_new(2, 0);
            block->grid.label_columns = 1;
            block->grid.column[0].heading = text_copy_valid("");
            block->grid.column[1].heading = text_copy_valid("");
        }
        free(heading);
        const size_t cells = 2 * block->grid.row_count++;
        block->grid.cell = memory_grow(block->grid.cell, (cells + 2) * sizeof(*block->grid.cell));
        text_add_printable(&title, fact->title);
        block->grid.cell[cells] = (struct grid_cell){.text = text_take(&title)};
        last = &block->grid.cell[cells + 1];
        *last = (struct grid_cell){.text = text_take(&value)};
    }
}

/* Says that a run failed, ended early or found nothing. name: the command of a section without heading, or NULL. */
static void add_failure(struct section *section, const struct record *record, const char *name)
{
    const char *fault = fact_text(record, "run.fault", NULL);
    const char *reason =
        fact_is(record, "run.complete", false)
            ? record_has_values(record) ? subject_incomplete
                                        : "Incomplete: the run ended early; nothing was measured until then."
        : record_has_results(record)
            ? NULL
            : "Nothing found: no sample could be used (see the warnings). Try again, or longer "
              "(-r).";
    struct text text = {0};
    if (!fault && !reason)
        return;
    text_printf(&text, "%s%s%s%s", name ? name : "", name ? ": " : "", fault ? "failed: " : "",
                fault ? fault : reason);
    add_block(section, BLOCK_FAILURE, text.data);
    text_free(&text);
}

static void add_line(struct section *section, const struct answer *answer, bool verdict, bool sources)
{
    static const char *const trusts[] = {
        [TRUST_LOW] = " (low trust)", [TRUST_MEDIUM] = " (medium trust)", [TRUST_HIGH] = ""};
    const char *source = sources ? answer->published.source : NULL, *standing = answers_standing(answer);
    char *published = answers_published(answer);
    struct text text = {0};
    text_add(&text, answer->text);
    if (cell_has_value(&answer->published.value))
        text_printf(&text, "; published %s%s%s%s%s%s", published, *standing ? ", " : "", standing,
                    source ? " (" : "", source ? source : "", source ? ")" : "");
    free(published);
    text_add(&text, trusts[answer->trust]);
    add_block(section, verdict ? BLOCK_VERDICT : BLOCK_LINE, text.data);
    text_free(&text);
}

/* Adds the tables that are answers (lead), as a comparison has them, or the others. */
static void add_tables(struct section *section, bool lead, bool screen)
{
    const struct record *record = section->record;
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
        if (table->spec->note && !screen)
            add_block(section, BLOCK_NOTE, table->spec->note);
    }
}

/* Collects the answers of a record; deep: of a report's commands, too; slots: only those with a place on the core sheet. */
static const struct answer **gather(const struct record *record, bool deep, bool slots,
                                    const struct answer **of, size_t *count)
{
    of = memory_grow(of, (*count + record->answers.count) * sizeof(*of));
    for (size_t i = 0; i < record->answers.count; i++) {
        const char *slot = record->answers.of[i].slot ? record->answers.of[i].slot : "";
        of[*count] = &record->answers.of[i];
        *count += !slots || strncmp(slot, "memory/", 7) == 0 || answers_has_row(&record->answers.of[i]);
    }
    for (size_t i = 0; deep && i < record->children.count; i++)
        of = gather(record->children.of[i], true, slots, of, count);
    return of;
}

bool page_has_sheet(const struct record *record)
{
    size_t count = 0;
    free(gather(record, true, true, NULL, &count));
    return record->children.count > 0 && count > 0;
}

/* Keeps the first row of each family of keys, "cost.", then the second of each and so on, as many as a screen has room for behind
 * the table of memory. Returns how many are left out. */
static size_t keep_leading(const struct answer **of, size_t *count)
{
    enum { ROWS_MOST = 12 };
    const size_t all = *count;
    size_t *rank = memory_zeroed(all + 1, sizeof(*rank)), rows = 0;
    for (size_t i = 1; i < all; i++) {
        const char *key = of[i]->key, *before = of[i - 1]->key;
        const bool follows = strncmp(key, before, strcspn(key, ".") + 1) == 0;
        rank[i] = follows ? rank[i - 1] + (strcmp(key, before) != 0) : 0;
    }
    for (size_t turn = 0; turn < all; turn++)
        for (size_t i = 0; i < all; i++) {
            const bool same = i > 0 && strcmp(of[i]->key, of[i - 1]->key) == 0;
            if (rank[i] == turn && (same ? rank[i - 1] == all : rows++ >= ROWS_MOST))
                rank[i] = all;
        }
    *count = 0;
    for (size_t i = 0; i < all; i++)
        if (rank[i] < all)
            of[(*count)++] = of[i];
    free(rank);
    return rows > ROWS_MOST ? rows - ROWS_MOST : 0;
}

/* Adds answers: on a screen as matrices and the remaining rows, else all as rows; then those that are sentences. A full screen
 * keeps only those with a place on the core sheet, if any. pooled: of all commands of a report. */
static void add_answers(struct section *section, bool pooled, bool compared, bool screen)
{
    enum { ROWS_MOST = 12 };
    size_t count = 0, rows = 0, slots = 0, kept = 0;
    bool marked = false;
    const bool sheet = pooled && page_has_sheet(section->record);
    const struct answer **of = gather(section->record, pooled, sheet, NULL, &count);
    for (size_t i = 0; i < count; i++) {
        rows += of[i]->label && (i == 0 || strcmp(of[i]->key, of[i - 1]->key) != 0);
        slots += of[i]->slot != NULL;
    }
    if (screen && slots > 0 && rows > ROWS_MOST) {
        section->left = rows;
        for (size_t i = 0; i < count; i++) {
            if (!of[i]->slot)
                continue;
            section->left -= kept == 0 || strcmp(of[i]->key, of[kept - 1]->key) != 0;
            of[kept++] = of[i];
        }
        count = kept;
    }
    for (struct grid grid; screen && (grid = answers_matrix(of, &count, &marked)).row_count > 0;) {
        struct block *block = add_block(section, BLOCK_ANSWERS, NULL);
        block->grid = grid;
        block->is_matrix = true;
    }
    if (pooled && screen)
        section->left += keep_leading(of, &count);
    const struct grid grid = answers_rows(of, count, !screen, &marked);
    if (grid.row_count > 0) {
        add_block(section, BLOCK_ANSWERS, NULL)->grid = grid;
    }
    if (marked)
        add_block(section, BLOCK_NOTE, answers_note);
    count = 0;
    of = gather(section->record, pooled, sheet, of, &count);
    for (size_t i = 0; i < count; i++)
        if (of[i]->text && !of[i]->label && !(compared && i == 0))
            add_line(section, of[i], false, !screen);
    free(of);
}

static void fill(struct section *section, bool is_part, bool screen)
{
    const struct record *record = section->record;
    const bool report = record->children.count > 0, results = record_has_results(record);
    const bool got = !is_part && record_fact_find(record, "got.where");
    const bool compared = fact_text(record, "run.subject", NULL);
    const bool verdict = compared && record->answers.count > 0 && record->answers.of[0].text;
    if (report && results && screen) {
        add_answers(section, true, compared, screen);
        for (size_t i = 0; i < record->children.count; i++)
            add_failure(section, record->children.of[i],
                        fact_text(record->children.of[i], "run.command", "result"));
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
    if (verdict && !screen) /* on a screen, people read the end first */
        add_line(section, &record->answers.of[0], true, false);
    add_tables(section, true, screen);
    if (verdict && screen)
        add_line(section, &record->answers.of[0], true, false);
    add_answers(section, false, compared, screen);
    if (got)
        add_facts(section, report || screen ? "got." : "");
    for (size_t i = 0; i < record->warnings.count; i++)
        add_block(section, BLOCK_WARNING, record->warnings.of[i].text);
    add_tables(section, false, screen);
    const char *method = report ? NULL : fact_text(record, "run.method", NULL);
    if (method && results)
        add_block(section, BLOCK_METHOD, method);
}

struct page page_of(const struct record *record, bool screen)
{
    const bool parts = record->children.count > 0 && !(screen && record_has_results(record));
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
        fill(&page.section[i], i > 0, screen);
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
