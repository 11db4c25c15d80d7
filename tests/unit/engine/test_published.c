/* SPDX-License-Identifier: MIT */
#include "test.h"

#include <ctype.h>

#include "engine/published.h"
#include "uarchprobe/cpu.h"

static const struct published rows[] = {
#define PUBLISHED(...) {__VA_ARGS__},
#include "engine/published.def"
#undef PUBLISHED
};
enum { ROWS = sizeof rows / sizeof *rows };

/* As codename.def gives them. */
static const char *const cores[] = {
    CPU_CORE_AMX,
#define X86(vendor, family, first, last, stepping, last_stepping, lacks, name, core) core,
#define HYBRID(type, number, core) core,
#define ARM(implementer, part, before, core) core,
#include "machine/codename.def"
};

static bool is_core(const char *name)
{
    for (size_t i = 0; i < sizeof cores / sizeof *cores; i++) {
        if (cores[i] && strcmp(cores[i], name) == 0)
            return true;
    }
    return false;
}

TEST(every_row_has_its_facts)
{
    for (size_t i = 0; i < ROWS; i++) {
        assert_true(is_core(rows[i].core));
        assert_true(rows[i].value >= 1 && rows[i].value <= 128);
        assert_true(strlen(rows[i].source) > 4 && strlen(rows[i].date) >= 4);
        for (int digit = 0; digit < 4; digit++)
            assert_true(isdigit((unsigned char)rows[i].date[digit]));
        for (size_t j = 0; j < i; j++)
            assert_false(strcmp(rows[i].core, rows[j].core) == 0 && strcmp(rows[i].key, rows[j].key) == 0);
    }
}

/* Only next to what was measured, and never an answer of its own. */
TEST(what_was_measured_has_its_row)
{
    struct record *record = record_new();
    for (size_t i = 0; i < ROWS; i++) {
        if (strcmp(rows[i].core, "Zen 4") == 0 && strcmp(rows[i].key, "ram.L2.latency") != 0)
            record_answer(record, (struct answer){.key = rows[i].key, .value = REAL_CELL(7), .text = "7"});
    }
    const size_t measured = record_answer_count(record);
    assert_true(measured > 1);
    published_quotes(record, NULL);
    published_quotes(record, "no such core");
    for (size_t i = 0; i < measured; i++)
        assert_false(cell_has_value(&record_answer_at(record, i)->published.value));
    published_quotes(record, "Zen 4");
    assert_int_equal(record_answer_count(record), measured);
    const struct quote *quote = &record_answer_find(record, "stlf.l1_latency")->published;
    assert_true(quote->value.real == 4);
    assert_true(published_value("Zen 4", PUBLISHED_LOADS) == 64);
    assert_true(isnan(published_value("Zen 4", "no.such.key")));
    assert_true(isnan(published_value(NULL, PUBLISHED_LOADS)));
    assert_string_equal(quote->unit, "core cycles");
    assert_non_null(strstr(quote->source, "documented: AMD"));
    record_free(record);
}
