/* SPDX-License-Identifier: MIT */
/* A report on a terminal: the summary of each command, and where the rest is. */
#include "output/card.h"
#include "human.h"
#include "result/subject.h"

enum { SENTENCES = 12 };

static void add_sentences(const struct record *record, const struct card *card, struct text *out)
{
    size_t told = 0;
    for (size_t i = 0; i < record_finding_count(record) && told < SENTENCES; i++) {
        const struct finding *finding = record_finding_at(record, i);
        if (card->in_grid[i] || !finding->text)
            continue;
        text_add(out, "  ");
        text_add_printable(out, finding->text);
        text_printf(out, "%s\n", card_trust(finding->trust));
        told++;
    }
    if (told < card->sentences)
        text_printf(out, "  and %zu more\n", card->sentences - told);
}

static bool has_plan(const struct record *record)
{
    return record_fact_count(record) > 0 && record_finding_count(record) == 0 &&
           record_table_count(record) == 0 && !fact_text(record, "run.fault", NULL);
}

static void add_command(const struct style *style, const struct record *record, struct text *out)
{
    const char *summary = fact_text(record, "run.summary", NULL);
    const char *failure = fact_text(record, "run.fault", NULL);
    struct card card = card_of(record);
    text_add(out, "\n");
    human_bold(style, fact_text(record, "run.command", "result"), out);
    text_add(out, summary ? ": " : "");
    text_add_printable(out, summary ? summary : "");
    text_add(out, "\n");
    if (failure) {
        text_add(out, "  failed: ");
        text_add_printable(out, failure);
        text_add(out, "\n");
    } else if (subject_is_incomplete(record)) {
        text_add(out, "  incomplete: the run ended early\n");
    }
    if (has_plan(record))
        human_facts(style, record, out);
    if (card.grid) {
        human_grid(style, card.grid, out);
        text_printf(out, "%s\n", card_trust_note);
    }
    add_sentences(record, &card, out);
    card_free(&card);
}

void human_card(const struct style *style, const struct record *record, struct text *out)
{
    char *cpu = subject_cpu(record), *details = subject_details(record);
    human_bold(style, cpu, out);
    text_printf(out, "\n%s\n", details);
    subject_free(cpu, details);
    for (size_t i = 0; i < record_child_count(record); i++)
        add_command(style, record_child_at(record, i), out);
    if (record_fact_find(record, "plan.seconds")) {
        human_facts(style, record, out);
        return;
    }
    text_add(out,
             "\nPictures, tables and notes on one page: add -o cpu.html (the same for a file: uarchprobe "
             "report --from FILE.json -o cpu.html)\n");
}
