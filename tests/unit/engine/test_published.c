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

static struct cpu cpu_of(const char *vendor, int family, int model, feature_set traits)
{
    struct cpu cpu = {.family = family, .model = model};

    snprintf(cpu.vendor, sizeof cpu.vendor, "%s", vendor);
    snprintf(cpu.hypervisor, sizeof cpu.hypervisor, "none");
    cpu_name_x86(&cpu, traits);
    return cpu;
}

static size_t entries(const char *vendor, int family, int model, feature_set traits)
{
    const struct cpu cpu = cpu_of(vendor, family, model, traits);
    return store_buffer_expected(&cpu, cpu.core).entries;
}

static uint64_t event(const char *vendor, int family, int model, feature_set traits)
{
    const struct cpu cpu = cpu_of(vendor, family, model, traits);
    const struct published *row = core_published(cpu.core, "store_buffer_full_event", 0);

    return row ? (uint64_t)row->value : 0;
}

TEST(by_core)
{
    assert_int_equal(entries("AuthenticAMD", 26, 0x02, 0), 104);
    assert_int_equal(entries("AuthenticAMD", 26, 0x44, 0), 104);
    assert_int_equal(entries("AuthenticAMD", 26, 0x50, 0), 0); /* not Zen 5 any more */
    assert_int_equal(entries("AuthenticAMD", 25, 0x01, 0), 64);
    assert_int_equal(entries("AuthenticAMD", 23, 0x31, 0), 48);
    assert_int_equal(entries("AuthenticAMD", 23, 0x50, 0), 44);
    assert_int_equal(entries("GenuineIntel", 6, 0x3c, 0), 42);
    assert_int_equal(entries("GenuineIntel", 6, 0x55, 0), 56);
    assert_int_equal(entries("GenuineIntel", 6, 0x8f, TRAIT_AMX), 112);
    assert_int_equal(entries("GenuineIntel", 6, 0xad, TRAIT_AMX), 112);
    assert_int_equal(entries("", -1, -1, 0), 0);
    assert_int_equal(entries("GenuineIntel", 6, 0x01, 0), 0);
    assert_int_equal(entries("AuthenticAMD", 6, 0x3c, 0), 0);
    assert_int_equal(store_buffer_expected(&(struct cpu){0}, "no such core").entries, 0);
    assert_int_equal(store_buffer_expected(&(struct cpu){0}, NULL).entries, 0);
}

TEST(a_masked_model_says_nothing)
{
    assert_int_equal(entries("GenuineIntel", 6, 0xa7, 0), 72);
    assert_int_equal(entries("GenuineIntel", 6, 0xa7, TRAIT_AMX), 112);
    assert_int_equal(entries("GenuineIntel", 6, 0x3c, FEATURE_BIT(AVX512F)), 0);
    assert_int_equal(event("GenuineIntel", 6, 0x3c, FEATURE_BIT(AVX512F)), 0);
}

TEST(stalls_by_generation)
{
    assert_int_equal(event("GenuineIntel", 6, 0x2a, 0), 0x08a2);
    assert_int_equal(event("GenuineIntel", 6, 0x55, 0), 0x08a2);
    assert_int_equal(event("GenuineIntel", 6, 0xad, 0), 0x08a2);
    assert_int_equal(event("GenuineIntel", 6, 0xaf, 0), 0x0104);
    assert_int_equal(event("GenuineIntel", 6, 0xbe, 0), 0x0104);
    assert_int_equal(event("GenuineIntel", 6, 0x96, 0), 0x4034);
    assert_int_equal(event("AuthenticAMD", 26, 0x02, 0), 0x04ae);
    assert_int_equal(event("AuthenticAMD", 23, 0x31, 0), 0x04ae);
    assert_int_equal(event("AuthenticAMD", 21, 0x02, 0), 0x1000000d8); /* 0xd8 is the load queue's */
    assert_int_equal(event("GenuineIntel", 6, 0x5c, 0), 0);
    assert_int_equal(event("GenuineIntel", 6, 0x37, 0), 0);
    assert_int_equal(event("AuthenticAMD", 23, 0x01, 0), 0);
}

/* 56 is half of 112, so a guest that shows Skylake may sit on a halved Golden Cove. */
TEST(a_model_number_is_certain_only_without_a_hypervisor)
{
    struct cpu cpu = cpu_of("GenuineIntel", 6, 0x55, 0);

    assert_true(store_buffer_expected(&cpu, cpu.core).certain);
    strcpy(cpu.hypervisor, "KVM");
    assert_false(store_buffer_expected(&cpu, cpu.core).certain);
    strcpy(cpu.hypervisor, "");
    assert_false(store_buffer_expected(&cpu, cpu.core).certain);
    assert_false(store_buffer_expected(&cpu, NULL).certain);
}

TEST(what_the_cpu_executes_is_certain)
{
    struct cpu cpu = cpu_of("GenuineIntel", 6, 0xcf, TRAIT_AMX);

    strcpy(cpu.hypervisor, "KVM");
    assert_true(store_buffer_expected(&cpu, cpu.core).certain);
    cpu.shows_amx = false;
    assert_false(store_buffer_expected(&cpu, cpu.core).certain);
}

TEST(threads_of_a_core)
{
    const struct cpu zen3 = cpu_of("AuthenticAMD", 25, 0x01, 0),
                     crestmont = cpu_of("GenuineIntel", 6, 0xaf, 0);

    assert_int_equal(store_buffer_expected(&zen3, zen3.core).threads, 2);
    assert_int_equal(store_buffer_expected(&crestmont, crestmont.core).threads, 1);
    assert_int_equal(store_buffer_expected(&(struct cpu){0}, NULL).threads, 0);
}

/* A core whose rows disagree on SMT would be taken for that of its first one. */
TEST(a_core_without_smt_has_one_thread_without_a_size_too)
{
    static const char *const sizeless[] = {"Neoverse N2", "Neoverse V2", "Cortex-A72", "Tremont"};

    for (size_t i = 0; i < sizeof sizeless / sizeof *sizeless; i++) {
        const struct published_size size = store_buffer_expected(&(struct cpu){0}, sizeless[i]);
        assert_int_equal(size.threads, 1);
        assert_true(size.entries == 0 && !size.certain);
    }
    for (size_t i = 0; i < sizeof cores / sizeof *cores; i++) {
        const bool alone = store_buffer_expected(&(struct cpu){0}, cores[i]).threads == 1;
        const struct published *row;
        for (size_t n = 0; (row = core_published(cores[i], NULL, n)) != NULL; n++)
            assert_true((strcmp(row->smt, "no SMT") == 0) == alone);
    }
}

TEST(the_half_of_a_published_size_may_be_the_whole_of_another)
{
    assert_true(knee_is_half(56, (struct published_size){.entries = 112}));
    assert_false(knee_is_half(57, (struct published_size){.entries = 112}));
    assert_false(knee_is_half(56, (struct published_size){.entries = 112, .threads = 1}));
    assert_false(knee_is_half(0, (struct published_size){.entries = 0}));
}
