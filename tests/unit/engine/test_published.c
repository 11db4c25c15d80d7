/* SPDX-License-Identifier: MIT */
#include "test.h"

#include <ctype.h>

#include "engine/published.h"
#include "machine/cpu_internal.h"

enum { CORES, QUANTITY, VALUE, UNIT, SMT, BASIS, SOURCE, DATE, COLUMNS, ROWS_MOST = 4096 };

/* The names in codenames.def. */
static const char *const cores[] = {
    CPU_CORE_AMX,
#define X86(vendor, family, first, last, stepping, last_stepping, lacks, name, core) core,
#define CORE(family, first, last, hybrid, type, number, core) core,
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

/* Whether the page has "- `words`" followed by `after`. */
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

/* Each core in a row is known, and the lookup finds the row once. */
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

/* The lookup matches core and quantity exactly: "Zen 2" does not match Zen, nor Golden Cove Cove. */
TEST(all_rows_of_a_quantity_and_no_others)
{
    static const struct {
        const char *core, *quantity;
        size_t n;
        double value; /* 0: none */
    } rows_of[] = {{"Zen 4", "l1_latency", 0, 4},
                   {"Zen 4", "flag_registers", 0, 126},
                   {"Zen 4", "flag_registers", 1, 238},
                   {"Zen 4", "flag_registers", 2, 0},
                   {"Oryon", "integer_registers_free", 0, 368}, /* 362-374 */
                   {"Bulldozer", "store_buffer_full_event", 0, 0x1000000d8},
                   {"Bulldozer", "store_buffer", 0, 0},
                   {"Zen", "forward_latency", 0, 0},
                   {"Cove", "store_buffer", 0, 0},
                   {"Zen 4", "no_such_quantity", 0, 0},
                   {NULL, "store_buffer", 0, 0}};
    for (size_t i = 0; i < COUNT_OF(rows_of); i++) {
        const struct published *row = core_published(rows_of[i].core, rows_of[i].quantity, rows_of[i].n);
        assert_true((row ? row->value : 0) == rows_of[i].value);
    }
    assert_int_equal(core_published("Zen 4", "forward_failed", 0)->basis, MEASURED);
    assert_true(published_range("Zen 5", "load_bytes").most == 128);
    assert_true(isnan(published_range("Zen 4", "no_such_quantity").most));
}

/* Sources agree if they differ by no more than high trust promises. */
TEST(sources_agree_or_are_disputed)
{
    static const struct {
        const char *core, *quantity;
        enum quote_agreement agreement;
    } ranges[] = {{"Zen 4", "flag_registers", AGREEMENT_DISPUTED},        /* 126, 238 */
                  {"Golden Cove", "flag_registers", AGREEMENT_PUBLISHED}, /* 248, 247 */
                  {"Golden Cove", "store_buffer", AGREEMENT_DISPUTED},    /* 112, 114 */
                  {"Zen 3", "mfence", AGREEMENT_PUBLISHED},               /* 60.1, 61.3 */
                  {"Skylake", "mfence", AGREEMENT_DISPUTED},              /* 33.2, 34.4 */
                  {"Zen 3", "lock_add", AGREEMENT_PUBLISHED},             /* 6.5 to 7.5, 6.4 to 7.5 */
                  {"Core 2", "l1_latency", AGREEMENT_PUBLISHED},
                  {"Bulldozer", "store_buffer", AGREEMENT_MISSING},
                  {NULL, "store_buffer", AGREEMENT_UNKNOWN}};
    for (size_t i = 0; i < COUNT_OF(ranges); i++)
        assert_int_equal(published_range(ranges[i].core, ranges[i].quantity).agreement, ranges[i].agreement);
}

/* What AMD's guide says of parts of a structure: a load queue of 88 completed and 48 uncompleted loads is no dispute, a file of
 * registers holds state, and a mispredicted branch takes 11 to 18 cycles. Values that lie just within and beyond. */
TEST(parts_and_ranges_of_zen_4_are_no_disputes)
{
    static const struct {
        const char *quantity, *unit;
        bool is_count;
        double value;
        enum quote_agreement agreement;
    } rows_of[] = {{"load_queue", "entries", true, 136, AGREEMENT_PUBLISHED},
                   {"load_queue", "entries", true, 88, AGREEMENT_DIFFERS},
                   {"loads_waiting", "entries", true, 49, AGREEMENT_PUBLISHED},
                   {"loads_waiting", "entries", true, 50, AGREEMENT_DIFFERS},
                   {"l1_misses", "lines", true, 23, AGREEMENT_PUBLISHED},
                   {"l1_misses", "lines", true, 22, AGREEMENT_DIFFERS},
                   {"integer_registers_free", "registers", true, 196, AGREEMENT_PUBLISHED},
                   {"integer_registers_free", "registers", true, 184, AGREEMENT_DIFFERS},
                   {"mispredict", "cycles", false, 15.6, AGREEMENT_PUBLISHED},
                   {"mispredict", "cycles", false, 10.7, AGREEMENT_DIFFERS},
                   {"mispredict", "cycles", false, 18.4, AGREEMENT_DIFFERS}};
    for (size_t i = 0; i < COUNT_OF(rows_of); i++) {
        struct record *record = record_new();
        const double value = rows_of[i].value;
        record_answer(record, (struct answer){.key = "a",
                                              .unit = rows_of[i].unit,
                                              .value = rows_of[i].is_count ? INTEGER_CELL((int64_t)value)
                                                                           : REAL_CELL(value),
                                              .trust = TRUST_HIGH,
                                              .within = rows_of[i].is_count ? 0 : 0.02,
                                              .within_absolute = rows_of[i].is_count});
        published_quote(record, "Zen 4", "a", rows_of[i].quantity);
        print_message("row %zu\n", i);
        assert_int_equal(record_answer_find(record, "a", NULL)->published.agreement, rows_of[i].agreement);
        record_free(record);
    }
}

/* A quote joins a measured answer and never becomes an answer of its own. */
TEST(what_was_measured_gets_its_quote)
{
    static const char *const key = "store_buffer.entries";
    struct record *record = record_new();
    const struct answer *entries;
    record_answer(record, (struct answer){.key = "stlf.l1_latency", .value = REAL_CELL(7)});
    record_answer(record, (struct answer){.key = "store_buffer.entries", .value = INTEGER_CELL(63)});
    entries = record_answer_find(record, key, NULL);
    published_quote(record, NULL, key, "store_buffer");
    assert_int_equal(entries->published.agreement, AGREEMENT_UNKNOWN);
    published_quote(record, "Bulldozer", key, "store_buffer");
    assert_int_equal(entries->published.agreement, AGREEMENT_MISSING);
    assert_false(cell_has_value(&entries->published.value));
    published_quote(record, "Zen 4", key, "store_buffer");
    published_quote(record, "Zen 4", "stlf.l1_latency", "l1_latency");
    published_quote(record, "Zen 4", "ram.L2.latency", "l2_latency");
    assert_int_equal(record->answers.count, 2);
    assert_int_equal(entries->published.value.integer, 64);
    assert_string_equal(entries->published.unit, "entries");
    assert_int_equal(entries->published.agreement, AGREEMENT_PUBLISHED);
    assert_true(entries->published.least.integer == 64 && entries->published.most.integer == 64);
    assert_non_null(strstr(entries->published.source, "documented: AMD"));
    assert_true(record_answer_find(record, "stlf.l1_latency", NULL)->published.value.real == 4);
    record_free(record);
}

/* An answer differs where no source lies within the promise of its trust, or within its interval. */
TEST(an_answer_differs_from_each_source)
{
    static const struct {
        const char *core, *quantity;
        struct cell value;
        enum trust trust;
        double low, high;
        enum quote_agreement agreement;
    } cases[] = {
        {"Zen 4", "store_buffer", {CELL_INTEGER, .integer = 65}, TRUST_HIGH, NAN, NAN, AGREEMENT_PUBLISHED},
        {"Zen 4", "store_buffer", {CELL_INTEGER, .integer = 66}, TRUST_HIGH, NAN, NAN, AGREEMENT_DIFFERS},
        {"Zen 4", "store_buffer", {CELL_INTEGER, .integer = 70}, TRUST_MEDIUM, NAN, NAN, AGREEMENT_PUBLISHED},
        {"Zen 4", "store_buffer", {CELL_INTEGER, .integer = 72}, TRUST_MEDIUM, NAN, NAN, AGREEMENT_DIFFERS},
        {"Zen 4", "store_buffer", {CELL_INTEGER, .integer = 80}, TRUST_LOW, 60, 90, AGREEMENT_PUBLISHED},
        {"Zen 4", "flag_registers", {CELL_INTEGER, .integer = 237}, TRUST_HIGH, NAN, NAN, AGREEMENT_DISPUTED},
        {"Zen 4", "flag_registers", {CELL_INTEGER, .integer = 180}, TRUST_HIGH, NAN, NAN, AGREEMENT_DIFFERS},
        {"Zen 3",
         "branches_in_flight_not_taken",
         {CELL_INTEGER, .integer = 251},
         TRUST_LOW,
         251,
         NAN,
         AGREEMENT_DIFFERS},
        {"Zen 3",
         "branches_in_flight_not_taken",
         {CELL_INTEGER, .integer = 11},
         TRUST_LOW,
         11,
         NAN,
         AGREEMENT_PUBLISHED},
        {"Zen 3", "sfence", {CELL_REAL, .real = 1.09}, TRUST_HIGH, 1.08, 1.1, AGREEMENT_PUBLISHED},
        {"Zen 3", "sfence", {CELL_REAL, .real = 1.2}, TRUST_HIGH, 1.19, 1.21, AGREEMENT_DIFFERS},
        {"Zen 3", "mfence", {CELL_REAL, .real = 62.4}, TRUST_HIGH, 62.3, 62.5, AGREEMENT_PUBLISHED},
        {"Zen 3", "mfence", {CELL_REAL, .real = NAN}, TRUST_LOW, NAN, NAN, AGREEMENT_PUBLISHED},
        {"Bulldozer", "store_buffer", {CELL_INTEGER, .integer = 9}, TRUST_HIGH, NAN, NAN, AGREEMENT_MISSING}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const bool counts = cases[i].value.type == CELL_INTEGER;
        struct record *record = record_new();
        record_answer(record, (struct answer){.key = "a",
                                              .value = cases[i].value,
                                              .unit = counts ? "entries" : "cycles",
                                              .trust = cases[i].trust,
                                              .within = counts ? 0 : 0.02,
                                              .within_absolute = counts,
                                              .low = REAL_CELL(cases[i].low),
                                              .high = REAL_CELL(cases[i].high)});
        published_quote(record, cases[i].core, "a", cases[i].quantity);
        const struct answer *answer = &record->answers.of[0];
        assert_int_equal(answer->published.agreement, cases[i].agreement);
        record_remark(record, "a", AGREEMENT_DIFFERS, "why");
        assert_int_equal(answer->remark != NULL,
                         answer->published.agreement == AGREEMENT_DIFFERS && !answer_is_bound(answer));
        record_free(record);
    }
}

/* The rows of a core must agree on SMT, because only the first is read. */
TEST(rows_of_a_core_agree_on_smt)
{
    for (size_t i = 0; i < sizeof cores / sizeof *cores; i++) {
        const struct published *first = core_published(cores[i], NULL, 0), *row;
        for (size_t n = 0; (row = core_published(cores[i], NULL, n)) != NULL; n++)
            assert_true((strcmp(row->smt, "no SMT") == 0) == (strcmp(first->smt, "no SMT") == 0));
    }
}

/* Intel's table has 112 and 114 entries (Golden Cove, by two sources) and no others near, AMD's 104 and
 * fewer. */
TEST(a_size_may_be_half_of_another_core_of_the_vendor)
{
    static const struct {
        const char *vendor;
        double count;
        bool has_double;
    } sizes[] = {{"GenuineIntel", 54, false}, {"GenuineIntel", 55, true},   {"GenuineIntel", 56, true},
                 {"GenuineIntel", 58, true},  {"GenuineIntel", 59, false},  {"GenuineIntel", 36, true},
                 {"GenuineIntel", 42, false}, {"GenuineIntel", 112, false}, {"AuthenticAMD", 56, false},
                 {"AuthenticAMD", 64, false}, {"AuthenticAMD", 52, true},   {"", 56, false}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        assert_int_equal(published_has_double(sizes[i].vendor, "store_buffer", sizes[i].count),
                         sizes[i].has_double);
}
