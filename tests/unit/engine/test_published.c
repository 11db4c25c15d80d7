/* SPDX-License-Identifier: MIT */
#include "test.h"

#include <ctype.h>

#include "engine/published.h"
#include "machine/cpu_internal.h"

enum { CORES, QUANTITY, VALUE, UNIT, SMT, BASIS, SOURCE, DATE, COLUMNS, ROWS_MOST = 4096 };

/* As codenames.def gives them. */
static const char *const cores[] = {
    CPU_CORE_AMX,
#define X86(vendor, family, first, last, stepping, last_stepping, lacks, name, core) core,
#define HYBRID(type, number, core) core,
#define ARM(implementer, part, before, core) core,
#include "../data/codenames.def"
};

static struct {
    char *column[COLUMNS + 1];
} rows[ROWS_MOST];
static size_t count;
static char *page; /* docs/published.md */

static char *read_file(const char *path)
{
    FILE *file = fopen(path, "r");
    char *text = calloc(1, 1 << 20);
    assert_non_null(file);
    assert_non_null(text);
    assert_in_range(fread(text, 1, 1 << 20, file), 1, (1 << 20) - 1);
    fclose(file);
    return text;
}

static int read_table(void **state)
{
    char *rest = read_file(TEST_DATA "/../../data/cores.tsv"), *line;
    *state = rest;
    page = read_file(TEST_DATA "/../../docs/published.md");
    while ((line = strsep(&rest, "\n")) != NULL) {
        if (line[0] == '#' || line[0] == '\0')
            continue;
        assert_true(count < ROWS_MOST);
        for (int i = 0; i <= COLUMNS; i++)
            rows[count].column[i] = strsep(&line, "\t");
        count++;
    }
    return 0;
}

static int drop_table(void **state)
{
    free(*state);
    free(page);
    return 0;
}

AROUND_ALL(read_table, drop_table)

static bool is_core(const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof cores / sizeof *cores; i++)
        if (cores[i] && strlen(cores[i]) == length && memcmp(cores[i], name, length) == 0)
            return true;
    return false;
}

/* "- `words`", with `after` behind them. */
static bool page_lists(const char *words, const char *after)
{
    char line[128];
    snprintf(line, sizeof line, "\n- `%s`%s", words, after);
    return strstr(page, line) != NULL;
}

TEST(every_row_is_whole)
{
    for (size_t i = 0; i < count; i++) {
        char **column = rows[i].column, *end, unit[64];
        for (int c = 0; c < COLUMNS; c++)
            assert_true(column[c] != NULL && column[c][0] != '\0');
        assert_null(column[COLUMNS]);
        snprintf(unit, sizeof unit, " (%s):", column[UNIT]);
        assert_true(page_lists(column[QUANTITY], unit));
        assert_true(page_lists(column[SMT], ":") && page_lists(column[BASIS], ":"));
        const double low = strtod(column[VALUE], &end);
        assert_true(low > 0 &&
                    (*end == '\0' || (*end == '-' && strtod(end + 1, &end) > low && *end == '\0')));
        assert_true(strlen(column[SOURCE]) > 4);
        for (int digit = 0; digit < 4; digit++)
            assert_true(isdigit((unsigned char)column[DATE][digit]));
    }
}

/* Each core of a row is known, and the probe-up finds the row, once. */
TEST(every_core_of_a_row_gets_it)
{
    for (size_t i = 0; i < count; i++) {
        char **column = rows[i].column, core[64];
        for (const char *at = column[CORES]; at; at = strchr(at, ';') ? strchr(at, ';') + 2 : NULL) {
            const size_t length = strcspn(at, ";");
            const struct published *row;
            unsigned found = 0;
            assert_true(is_core(at, length));
            snprintf(core, sizeof core, "%.*s", (int)length, at);
            for (size_t n = 0; (row = core_published(core, column[QUANTITY], n)) != NULL; n++)
                if (strcmp(row->source, column[SOURCE]) == 0) {
                    found++;
                    assert_true(row->low == strtod(column[VALUE], NULL) && row->low <= row->value &&
                                row->value <= row->high);
                    assert_string_equal(row->unit, column[UNIT]);
                    assert_string_equal(row->smt, column[SMT]);
                    assert_string_equal(row->date, column[DATE]);
                }
            assert_int_equal(found, 1);
        }
    }
}

TEST(all_rows_of_a_quantity_and_no_others)
{
    assert_true(core_published("Zen 4", "l1_latency", 0)->value == 4);
    assert_true(core_published("Zen 4", "l1_latency", 0)->basis == DOCUMENTED);
    assert_true(core_published("Zen 4", "forward_failed", 0)->value == 19);
    assert_true(core_published("Zen 4", "forward_failed", 0)->basis == MEASURED);
    assert_true(core_published("Raptor Cove", "store_buffer", 0)->value == 112);
    assert_true(core_published("Raptor Cove", "store_buffer", 0)->basis == INFERRED);
    assert_true(core_published("Core 2", "store_buffer", 0)->basis == REPORTED);
    assert_true(core_published("Bulldozer", "store_buffer_full_event", 0)->value == (double)0x1000000d8);
    assert_true(published_range("Zen 3", "l1_latency").least == 4);
    assert_true(published_range("Zen 5", "load_bytes").most == 128 &&
                published_range("Zen 5", "store_bytes").most == 64);
    assert_true(core_published("Zen 4", "flag_registers", 0)->value == 126);
    assert_true(core_published("Zen 4", "flag_registers", 1)->value == 238);
    assert_null(core_published("Zen 4", "flag_registers", 2));
    assert_true(core_published("Oryon", "integer_registers_free", 0)->value == 368); /* 362-374 */
    assert_null(core_published("Bulldozer", "store_buffer", 0));
    assert_null(core_published("Zen", "forward_latency", 0)); /* of Zen 2 */
    assert_null(core_published("Cove", "store_buffer", 0));
    assert_null(core_published("Zen 4", "no_such_quantity", 0));
    assert_null(core_published("no such core", "store_buffer", 0));
    assert_null(core_published(NULL, "store_buffer", 0));
    assert_true(isnan(published_range(NULL, "load_bytes").least) &&
                isnan(published_range("Zen 4", "no_such_quantity").most));
}

/* As far apart as high trust promises is agreement. */
TEST(sources_agree_or_are_disputed)
{
    assert_int_equal(published_range("Zen 4", "flag_registers").standing, STANDING_DISPUTED); /* 126, 238 */
    assert_int_equal(published_range("Golden Cove", "flag_registers").standing,
                     STANDING_PUBLISHED); /* 248, 247 */
    assert_int_equal(published_range("Golden Cove", "store_buffer").standing,
                     STANDING_DISPUTED);                                                /* 112, 114 */
    assert_int_equal(published_range("Zen 3", "mfence").standing, STANDING_PUBLISHED);  /* 60.1, 61.3 */
    assert_int_equal(published_range("Skylake", "mfence").standing, STANDING_DISPUTED); /* 33.2, 34.4 */
    assert_int_equal(published_range("Zen 3", "lock_add").standing,
                     STANDING_PUBLISHED); /* 6.5 to 7.5, 6.4 to 7.5 */
    assert_int_equal(published_range("Core 2", "l1_latency").standing, STANDING_PUBLISHED);
    assert_int_equal(published_range("Bulldozer", "store_buffer").standing, STANDING_MISSING);
    assert_int_equal(published_range(NULL, "store_buffer").standing, STANDING_UNKNOWN);
}

/* Only next to what was measured, and never an answer of its own. */
TEST(what_was_measured_gets_its_quote)
{
    static const struct published_answer quoted[] = {{"stlf.l1_latency", "l1_latency"},
                                                     {"store_buffer.entries", "store_buffer"},
                                                     {"ram.L2.latency", "l2_latency"},
                                                     {0}};
    struct record *record = record_new();
    const struct answer *entries;
    record_answer(record, (struct answer){.key = "stlf.l1_latency", .value = REAL_CELL(7), .text = "7"});
    record_answer(record,
                  (struct answer){.key = "store_buffer.entries", .value = INTEGER_CELL(63), .text = "63"});
    entries = record_answer_find(record, "store_buffer.entries", NULL);
    published_quote(record, NULL, quoted);
    assert_int_equal(entries->published.standing, STANDING_UNKNOWN);
    published_quote(record, "Bulldozer", quoted);
    assert_int_equal(entries->published.standing, STANDING_MISSING);
    assert_false(cell_has_value(&entries->published.value));
    published_quote(record, "Zen 4", quoted);
    assert_int_equal(record->answers.count, 2);
    assert_int_equal(entries->published.value.integer, 64);
    assert_string_equal(entries->published.unit, "entries");
    assert_int_equal(entries->published.standing, STANDING_PUBLISHED);
    assert_true(entries->published.least.integer == 64 && entries->published.most.integer == 64);
    assert_non_null(strstr(entries->published.source, "documented: AMD"));
    assert_true(record_answer_find(record, "stlf.l1_latency", NULL)->published.value.real == 4);
    record_free(record);
}

/* By what the CPU shows: 0x50 is not Zen 5 any more, a model number that contradicts what is shown says nothing, and of Bulldozer 0xd8 is the
 * event of the load queue. */
TEST(sizes_and_stalls_by_cpu)
{
    static const struct {
        const char *vendor;
        int family, model;
        feature_set traits;
        uint64_t entries, event;
    } cpus[] = {{"AuthenticAMD", 26, 0x02, 0, 104, 0x04ae},
                {"AuthenticAMD", 26, 0x44, 0, 104, 0x04ae},
                {"AuthenticAMD", 26, 0x50, 0, 0, 0},
                {"AuthenticAMD", 25, 0x01, 0, 64, 0x04ae},
                {"AuthenticAMD", 23, 0x31, 0, 48, 0x04ae},
                {"AuthenticAMD", 23, 0x01, 0, 44, 0},
                {"AuthenticAMD", 21, 0x02, 0, 24, 0x1000000d8},
                {"GenuineIntel", 6, 0x2a, 0, 36, 0x08a2},
                {"GenuineIntel", 6, 0x3c, 0, 42, 0x08a2},
                {"GenuineIntel", 6, 0x3c, FEATURE_BIT(AVX512F), 0, 0},
                {"GenuineIntel", 6, 0x55, 0, 56, 0x08a2},
                {"GenuineIntel", 6, 0xa7, 0, 72, 0x08a2},
                {"GenuineIntel", 6, 0xa7, TRAIT_AMX, 112, 0x08a2},
                {"GenuineIntel", 6, 0x8f, TRAIT_AMX, 112, 0x08a2},
                {"GenuineIntel", 6, 0xbe, 0, 50, 0x0104},
                {"GenuineIntel", 6, 0x96, 0, 0, 0x4034},
                {"GenuineIntel", 6, 0x5c, 0, 0, 0},
                {"GenuineIntel", 6, 0x01, 0, 0, 0},
                {"AuthenticAMD", 6, 0x3c, 0, 0, 0},
                {"", -1, -1, 0, 0, 0}};
    for (size_t i = 0; i < COUNT_OF(cpus); i++) {
        struct cpu cpu = {.family = cpus[i].family, .model = cpus[i].model};
        snprintf(cpu.vendor, sizeof cpu.vendor, "%s", cpus[i].vendor);
        cpu_name_x86(&cpu, cpus[i].traits);
        const struct published *size = core_published(cpu.core, "store_buffer", 0),
                               *event = core_published(cpu.core, "store_buffer_full_event", 0);
        print_message("row %zu\n", i);
        assert_int_equal(size ? (uint64_t)size->value : 0, cpus[i].entries);
        assert_int_equal(event ? (uint64_t)event->value : 0, cpus[i].event);
    }
}

/* A core whose rows disagree on SMT would be taken for that of its first one. */
TEST(rows_of_a_core_agree_on_smt)
{
    for (size_t i = 0; i < sizeof cores / sizeof *cores; i++) {
        const struct published *first = core_published(cores[i], NULL, 0), *row;
        for (size_t n = 0; (row = core_published(cores[i], NULL, n)) != NULL; n++)
            assert_true((strcmp(row->smt, "no SMT") == 0) == (strcmp(first->smt, "no SMT") == 0));
    }
}
