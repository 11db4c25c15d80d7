/* SPDX-License-Identifier: MIT */
#include "output/page.h"

#include <stdio.h>
#include <string.h>

#include "output/answers.h"
#include "output/plot/plot.h"
#include "output/scratch.h"
#include "result/subject.h"

/* The conditions mention the core clock if it moved by this share, and the duration if it is so many times
 * the planned one. */
static const double MOVED = 0.05, LATE = 1.5;

const char *page_conditions(const struct record *record)
{
    const double sibling = record_fact_number(record, "run.conditions.sibling_share");
    const double low = record_fact_number(record, "run.conditions.clock_ghz.p5");
    const double high = record_fact_number(record, "run.conditions.clock_ghz.p95");
    const double steal = record_fact_number(record, "run.conditions.steal_share");
    const double cpu_share = record_fact_number(record, "run.conditions.cpu_share");
    const double moves = record_fact_number(record, "run.conditions.placement_changes");
    const double seconds = record_fact_number(record, "run.measured_seconds");
    const double planned = record_fact_number(record, "run.planned_seconds");
    const double threads = record_fact_number(record, "run.threads"),
                 all = record_fact_number(record, "run.all_threads"),
                 page_bytes = record_fact_number(record, "run.page_bytes"),
                 ways = record_fact_number(record, "run.ways"),
                 all_ways = record_fact_number(record, "run.all_ways");
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
    if (cpu_share < CPU_SHARE_LEAST)
        text_printf(&text, ", had %.0f %% of a CPU", 100 * cpu_share);
    if (moves > 0)
        text_printf(&text, ", moved %.0f time%s", moves, moves == 1 ? "" : "s");
    if (ways < all_ways)
        text_printf(&text, ", %.0f of %.0f ways; all: --all", ways, all_ways);
    if (planned > 0 && seconds > LATE * planned)
        text_printf(&text, ", took %.2g s, %.2g planned", seconds, planned);
    return text.length > 0 ? scratch_text(&text) + 2 : "";
}

bool page_is_condition(const char *code)
{
    return strcmp(code, "sibling_active") == 0 || strcmp(code, "clock_drift") == 0 ||
           strcmp(code, "steal") == 0 || strcmp(code, "preempted") == 0;
}

static struct block *add_block(struct section *section, enum block_kind kind, const char *text)
{
    section->block = scratch_more(section->block, section->count, sizeof(*section->block));
    struct block *block = &section->block[section->count++];
    *block = (struct block){.kind = kind, .text = text};
    return block;
}

/* Heads the facts of "host.cpu.*" with their group, the second component of the path, unless it has a better
 * name. A report has several plans. */
static const char *group_heading(const struct record *record, const struct fact *fact)
{
    static const char *const names[][2] = {{"cpu", "CPU"}, {"core_ghz", "Core clock"}, {"got", "As shown"}};
    const char *command = fact_text(record, "run.command", NULL);
    const char *second = strchr(fact->path, '.'), *third = second ? strchr(second + 1, '.') : NULL;
    const char *group = third ? second + 1 : fact->path;
    const char *explained = fact_text(record, "explanation.text", NULL);
    if (explained)
        return explained;
    char *heading = spell("%.*s", (int)strcspn(group, "."), group);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strcmp(names[i][0], heading) == 0)
            return names[i][1];
    if (*heading >= 'a' && *heading <= 'z')
        *heading = (char)(*heading - 'a' + 'A');
    return command && strcmp(heading, "Plan") == 0 ? spell("%s of %s", heading, command) : heading;
}

/* Adds the facts that have a title, a block for each group; the guest's limits, which are known last, come
 * first. */
static void add_facts(struct section *section, const char *prefix)
{
    const struct record *record = section->record;
    struct grid_cell *last = NULL;
    for (size_t i = 0; i < 2 * record->facts.count; i++) {
        const struct fact *fact = &record->facts.of[i % record->facts.count];
        const char *name = strrchr(fact->path, '.');
        struct text value = {0};
        if (!fact->title || strncmp(fact->path, prefix, strlen(prefix)) != 0 ||
            (strncmp(fact->path, "got.", 4) == 0) != (i < record->facts.count))
            continue;
        text_add_value(&value, &fact->value, fact->unit);
        /* Further elements of an array ("host.features.3") join the first one. */
        if (last && name && name[1] >= '1' && name[1] <= '9' && !name[1 + strspn(name + 1, "0123456789")]) {
            last->text = spell("%s %s", last->text, scratch_text(&value));
            continue;
        }
        const char *heading = group_heading(record, fact);
        struct block *block = section->block, *end = block + section->count;
        while (block < end && (block->kind != BLOCK_FACTS || strcmp(block->text, heading) != 0))
            block++;
        if (block == end) {
            block = add_block(section, BLOCK_FACTS, heading);
            block->grid = grid_new(2, 0);
            block->grid.label_columns = 1;
            block->grid.column[0].heading = block->grid.column[1].heading = "";
        }
        block->grid.cell = scratch_more(block->grid.cell, block->grid.row_count, 2 * sizeof(*last));
        last = &block->grid.cell[2 * block->grid.row_count++];
        (last++)->text = spell_line(fact->title);
        last->text = scratch_text(&value);
    }
}

/* Says that a run failed, ended early or found nothing. name: the command of a section without heading, or
 * NULL. */
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
    if (fault || reason)
        add_block(section, BLOCK_FAILURE,
                  spell("%s%s%s%s", name ? name : "", name ? ": " : "", fault ? "failed: " : "",
                        fault ? fault : reason));
}

static void add_line(struct section *section, const struct answer *answer, bool verdict, bool sources)
{
    static const char *const trusts[] = {
        [TRUST_LOW] = " (low trust)", [TRUST_MEDIUM] = " (medium trust)", [TRUST_HIGH] = ""};
    const char *source = sources ? answer->published.source : NULL, *agreement = answers_agreement(answer);
    const char *quoted = "";
    if (cell_has_value(&answer->published.value))
        quoted = spell("; published %s%s%s%s%s%s", answers_published(answer), *agreement ? ", " : "",
                       agreement, source ? " (" : "", source ? source : "", source ? ")" : "");
    add_block(section, verdict ? BLOCK_VERDICT : BLOCK_LINE,
              spell("%s%s%s%s%s", answer->kind ? answer->kind : "", answer->kind ? ": " : "", answer->text,
                    quoted, trusts[answer->trust]));
}

/* Adds the tables that are answers (lead), as a comparison has them, or the others. */
static void add_tables(struct section *section, bool lead, bool screen)
{
    const struct record *record = section->record;
    for (size_t i = 0; i < record->tables.count; i++) {
        const struct record_table *table = &record->tables.of[i];
        if (table->spec->view.kind == VIEW_HIDDEN || !plot_has_rows(table) || table->spec->view.lead != lead)
            continue;
        if (!lead) {
            add_block(section, BLOCK_TABLE, NULL)->table = table;
            continue;
        }
        size_t count;
        struct grid *grids = grids_of(table, &count);
        for (size_t k = 0; k < count; k++) {
            if (table->kind)
                grids[k].caption =
                    grids[k].caption ? spell("%s, %s", grids[k].caption, table->kind) : table->kind;
            grids[k].label_columns = 1;
            grids[k].remarks = true;
            add_block(section, BLOCK_ANSWERS, NULL)->grid = grids[k];
        }
        if (table->spec->note && !screen)
            add_block(section, BLOCK_NOTE, table->spec->note);
    }
}

/* Whether an answer of a kind of core stands behind another one of its key, with which it shares a row. */
static bool follows_its_key(const struct record *record, size_t index)
{
    const struct answer *of = record->answers.of;
    for (size_t i = 0; of[index].kind && i < index; i++)
        if (of[i].kind && strcmp(of[i].key, of[index].key) == 0)
            return true;
    return false;
}

/* Adds an answer, and all of its key where they are of kinds of cores. */
static const struct answer **add_key(const struct record *record, size_t index, const struct answer **of,
                                     size_t *count)
{
    const struct answer *first = &record->answers.of[index];
    for (size_t i = index; i < record->answers.count; i++) {
        const struct answer *answer = &record->answers.of[i];
        if (answer != first && !(first->kind && answer->kind && strcmp(answer->key, first->key) == 0))
            continue;
        of = scratch_more(of, *count, sizeof(*of));
        of[(*count)++] = answer;
        if (!first->kind)
            break;
    }
    return of;
}

/* Collects the answers of a record, those of one key and several kinds of cores one after another; deep: of
 * a report's commands, too; sheet_cells: only those with a place on the core sheet. */
static const struct answer **gather(const struct record *record, bool deep, bool sheet_cells,
                                    const struct answer **of, size_t *count)
{
    for (size_t i = 0; i < record->answers.count; i++) {
        const struct answer *answer = &record->answers.of[i];
        const char *sheet_cell = answer->sheet_cell ? answer->sheet_cell : "";
        if (sheet_cells && strncmp(sheet_cell, "memory/", 7) != 0 && !answers_has_row(answer))
            continue;
        if (!follows_its_key(record, i))
            of = add_key(record, i, of, count);
    }
    for (size_t i = 0; deep && i < record->children.count; i++)
        of = gather(record->children.of[i], true, sheet_cells, of, count);
    return of;
}

bool page_has_sheet(const struct record *record)
{
    size_t count = 0;
    gather(record, true, true, NULL, &count);
    return record->children.count > 0 && count > 0;
}

/* Keeps the first row of each family of keys, "cost.", then the second of each and so on, as many as a
 * screen has room for behind the table of memory. Returns how many are left out. */
static size_t keep_leading(const struct answer **of, size_t *count)
{
    enum { ROWS_MOST = 12 };
    const size_t all = *count;
    size_t *rank = scratch_new(all + 1, sizeof(*rank)), rows = 0;
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
    return rows > ROWS_MOST ? rows - ROWS_MOST : 0;
}

/* Adds answers as rows: those of kinds of cores, which have columns of their own, apart from the others. */
static void add_rows(struct section *section, const struct answer *const *of, size_t count, bool screen,
                     bool *marked)
{
    const struct answer **own = scratch_new(count + 1, sizeof(*own));
    for (int of_kinds = 0; of_kinds < 2; of_kinds++) {
        size_t chosen = 0;
        for (size_t i = 0; i < count; i++)
            if ((of[i]->kind != NULL) == of_kinds)
                own[chosen++] = of[i];
        const struct grid grid = answers_rows(own, chosen, !screen, marked);
        if (grid.row_count > 0)
            add_block(section, BLOCK_ANSWERS, NULL)->grid = grid;
    }
}

/* Adds answers: on a screen as matrices and the remaining rows, else all as rows; then those that are
 * sentences. A full screen keeps only those with a place on the core sheet, if any. pooled: of all commands
 * of a report. */
static void add_answers(struct section *section, bool pooled, bool compared, bool screen)
{
    enum { ROWS_MOST = 12 };
    size_t count = 0, rows = 0, sheet_cells = 0, kept = 0;
    bool marked = false;
    const bool sheet = pooled && page_has_sheet(section->record);
    const struct answer **of = gather(section->record, pooled, sheet, NULL, &count);
    for (size_t i = 0; i < count; i++) {
        rows += of[i]->label && (i == 0 || strcmp(of[i]->key, of[i - 1]->key) != 0);
        sheet_cells += of[i]->sheet_cell != NULL;
    }
    if (screen && sheet_cells > 0 && rows > ROWS_MOST) {
        section->left = rows;
        for (size_t i = 0; i < count; i++) {
            if (!of[i]->sheet_cell)
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
    add_rows(section, of, count, screen, &marked);
    if (marked)
        add_block(section, BLOCK_NOTE, answers_note);
    count = 0;
    of = gather(section->record, pooled, sheet, NULL, &count);
    for (size_t i = 0; i < count; i++)
        if (of[i]->text && !of[i]->label && !(compared && i == 0))
            add_line(section, of[i], false, !screen);
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
                        .cpu = scratch_keep(subject_cpu(record)),
                        .details = scratch_keep(subject_details(record)),
                        .conditions = page_conditions(record),
                        .is_machine = fact_text(record, "host.cpu.brand", NULL),
                        .count = 1 + (parts ? record->children.count : 0)};
    page.section = scratch_new(page.count, sizeof(*page.section));
    for (size_t i = 0; i < page.count; i++) {
        const struct record *own = i > 0 ? record->children.of[i - 1] : record;
        page.section[i] = (struct section){.record = own,
                                           .name = fact_text(own, "run.command", "result"),
                                           .summary = fact_text(own, "run.summary", "")};
        fill(&page.section[i], i > 0, screen);
    }
    return page;
}
