/* SPDX-License-Identifier: MIT */
/* A record with made-up values and every kind of text that is hard for a format. */
#pragma once

#include "test.h"

#include <dirent.h>
#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

#include "output/format.h"
#include "output/grid.h"
#include "output/output.h"
#include "output/plot/plot.h"
#include "output/scratch.h"
#include "uarchprobe/record.h"

static inline void release_record(void *record, size_t count)
{
    record_free(record);
}

/* Makes a record with one table, or with none where spec is NULL; spec is copied. */
static inline struct record *record_of(const struct table_spec *spec)
{
    struct table_spec *kept = own(calloc(1, sizeof(*kept)), 1, release_bytes);
    struct record *record = own(record_new(), 1, release_record);
    if (spec) {
        *kept = *spec;
        record_table_add(record, kept);
    }
    return record;
}

/* Loads a result file that the test knows to be valid. */
static inline struct record *record_at(const char *path)
{
    struct record *record;
    struct fault fault = {0};
    if (record_load(path, &record, &fault) != STATUS_OK)
        fail_msg("%s: %s", path, fault.text);
    return own(record, 1, release_record);
}

/* Adds a row to the first table. */
#define ROW(record, ...) record_row(record, 0, (const struct cell[]){__VA_ARGS__})
#define FACT(record, of, cell) record_fact(record, (struct fact){.path = (of), .value = (cell)})

static inline struct cell value_of(const struct record *record, const char *path)
{
    const struct fact *fact = record_fact_find(record, path);
    if (!fact)
        fail_msg("no fact %s", path);
    return fact->value;
}

static inline void found(struct record *record, const char *key, struct cell value, const char *unit,
                         enum trust trust)
{
    record_answer(
        record,
        (struct answer){.key = key, .value = value, .unit = unit, .trust = trust, .text = "a sentence"});
}

/* Adds an answer at the sheet_cell "core/rob", which is also its label; its key is "core.rob". */
static inline void placed(struct record *record, const char *sheet_cell, struct cell value, const char *unit,
                          enum trust trust)
{
    char key[64];
    snprintf(key, sizeof(key), "%s", sheet_cell);
    for (char *at = key; (at = strchr(at, '/'));)
        *at = '.';
    record_answer(record, (struct answer){.key = key,
                                          .label = sheet_cell,
                                          .sheet_cell = sheet_cell,
                                          .value = value,
                                          .unit = unit,
                                          .trust = trust});
}

/* Returns the grids of the first table, which must be `expected` many. */
static inline struct grid *grids_in(const struct record *record, size_t expected)
{
    size_t count;
    struct grid *grids = grids_of(&record->tables.of[0], &count);
    assert_int_equal(count, expected);
    return grids;
}

static inline struct plot *plots_in(const struct record *record, size_t expected)
{
    size_t count;
    struct plot *plots = plots_of(&record->tables.of[0], &count);
    assert_int_equal(count, expected);
    return plots;
}

/* Asserts the texts of a row of a grid. */
#define ASSERT_CELLS(grid, row, ...) assert_cells(grid, row, (const char *const[]){__VA_ARGS__})

static inline void assert_cells(const struct grid *grid, size_t row, const char *const *texts)
{
    for (int column = 0; column < grid->column_count; column++)
        assert_string_equal(grid_at(grid, row, column)->text, texts[column]);
}

/* Pairs of CPUs. */
static const char *const pair_flags[] = {"far", "noisy", NULL};

static const struct column pair_columns[] = {
    {"from", "from CPU", NULL, CELL_CPU, ROLE_PARAMETER, 0},
    {"to", "to CPU", NULL, CELL_CPU, ROLE_PARAMETER, 0},
    {"ns", "latency", "ns", CELL_REAL, ROLE_MEASURE, 1},
    {"flags", "flags", NULL, CELL_FLAGS, ROLE_LABEL, 0, pair_flags},
};

static const struct table_spec pair_spec = {
    .name = "cas",
    .title = "Latency between CPUs",
    .note = "A note with < and & in it.",
    .columns = pair_columns,
    .column_count = 4,
    .view = {.kind = VIEW_MATRIX, .x = 1, .y = 0, .value = 2, .series = -1, .flag = 3}};

static inline void add_pair(struct record *record, int from, int to, double ns, int flags)
{
    ROW(record, INTEGER_CELL(from), INTEGER_CELL(to), REAL_CELL(ns), INTEGER_CELL(flags));
}

/* Snapshots of pairs of CPUs, with their places; the third has no value. */
static const char *const pair_places[] = {"one core", "one L3", NULL};
static const struct column placed_columns[] = {
    {"from", "from CPU", NULL, CELL_CPU, ROLE_PARAMETER, 0},
    {"to", "to CPU", NULL, CELL_CPU, ROLE_PARAMETER, 0},
    {"ns", "latency", "ns", CELL_REAL, ROLE_MEASURE, 1},
    {"flags", "flags", NULL, CELL_FLAGS, ROLE_LABEL, 0, pair_flags},
    {"place", "place", NULL, CELL_CLASS, ROLE_LABEL, 0, pair_places},
};

static const struct table_spec placed_spec = {
    .name = "placed",
    .title = "Latency between CPUs that are found somewhere",
    .columns = placed_columns,
    .column_count = 5,
    .view = {.kind = VIEW_MATRIX, .x = 1, .y = 0, .value = 2, .series = -1, .flag = 3, .class = 4}};

static inline void add_placed(struct record *record, int from, int to, double ns, int flags, int place)
{
    ROW(record, INTEGER_CELL(from), INTEGER_CELL(to), REAL_CELL(ns), INTEGER_CELL(flags),
        place < 0 ? NO_CELL : INTEGER_CELL(place));
}

static inline struct record *placed_pairs(void)
{
    struct record *record = record_of(&placed_spec);
    add_placed(record, 0, 1, 10.3, 2, 0);
    add_placed(record, 0, 2, 26.9, 0, 1);
    add_placed(record, 1, 2, NAN, 0, -1);
    return record;
}

/* Curves over sizes. */
static const struct column size_columns[] = {
    {"experiment", "experiment", NULL, CELL_TEXT, ROLE_PARAMETER, 0},
    {"size", "size", "Byte", CELL_SIZE, ROLE_PARAMETER, 0},
    {"cycles", "time", "cycles", CELL_REAL, ROLE_MEASURE, 1},
    {"knee", "last that fits", NULL, CELL_BOOL, ROLE_LABEL, 0},
};

static const struct table_spec size_spec = {
    .name = "sizes",
    .title = "Sizes",
    .columns = size_columns,
    .column_count = 4,
    .view = {.kind = VIEW_CURVE, .x = 1, .y = 2, .value = 2, .series = 0, .flag = 3, .log_x = true}};

static inline void add_size(struct record *record, const char *experiment, int64_t size, double cycles,
                            bool knee)
{
    ROW(record, TEXT_CELL(experiment), INTEGER_CELL(size), REAL_CELL(cycles), BOOL_CELL(knee));
}

/* Speeds of kernels. */
static const struct column bar_columns[] = {
    {"kernel", "kernel", NULL, CELL_TEXT, ROLE_PARAMETER, 0},
    {"set", "set", NULL, CELL_TEXT, ROLE_PARAMETER, 0},
    {"speed", "speed", "Byte/s", CELL_REAL, ROLE_MEASURE, 1},
};

static const struct table_spec bar_spec = {
    .name = "bars",
    .title = "Speed <of> \"kernels\"",
    .note = "A note & more.",
    .columns = bar_columns,
    .column_count = 3,
    .view = {.kind = VIEW_MATRIX, .x = 1, .y = 0, .value = 2, .series = -1, .mark = true}};

/* Maps whose cells have classes. */
static const struct column map_columns[] = {
    {"map", "map", NULL, CELL_TEXT, ROLE_PARAMETER, 0},
    {"y", "y", NULL, CELL_INTEGER, ROLE_PARAMETER, 0},
    {"x", "x", NULL, CELL_INTEGER, ROLE_PARAMETER, 0},
    {"value", "value", "cycles", CELL_REAL, ROLE_MEASURE, 1},
    {"class", "class", NULL, CELL_CLASS, ROLE_LABEL, 0},
};

static const struct table_spec map_spec = {
    .name = "map",
    .title = "A map",
    .columns = map_columns,
    .column_count = 5,
    .view = {.kind = VIEW_MATRIX, .x = 2, .y = 1, .value = 3, .series = 0, .class = 4}};

static inline void add_cell(struct record *record, const char *map, int y, int x, double value,
                            const char *class)
{
    ROW(record, TEXT_CELL(map), INTEGER_CELL(y), INTEGER_CELL(x), REAL_CELL(value),
        class ? TEXT_CELL(class) : NO_CELL);
}

static const struct column matrix_columns[] = {
    {"buffer_size", "buffer size", "Byte", CELL_SIZE, ROLE_PARAMETER, 0},
    {"kernel", "kernel", NULL, CELL_TEXT, ROLE_PARAMETER, 0},
    {"threads", "threads", NULL, CELL_INTEGER, ROLE_PARAMETER, 0},
    {"speed", "speed", "Byte/s", CELL_REAL, ROLE_MEASURE, 1},
    {"verified", "verified", NULL, CELL_BOOL, ROLE_LABEL, 0},
};

static const struct table_spec matrix_spec = {
    .name = "bandwidth",
    .title = "Bandwidth",
    .note = "Bytes copied, not moved.",
    .columns = matrix_columns,
    .column_count = 5,
    .view = {.kind = VIEW_MATRIX,
             .x = 0,
             .y = 1,
             .value = 3,
             .series = -1,
             .mark = true,
             .scale = 1.0 / (1 << 30),
             .scale_unit = "GiByte/s"},
};

static const struct column list_columns[] = {
    {"name", "name", NULL, CELL_TEXT, ROLE_LABEL, 0},
    {"size", "size", "Byte", CELL_SIZE, ROLE_PARAMETER, 0},
    {"latency", "latency", "ns", CELL_REAL, ROLE_MEASURE, 2},
};

static const struct table_spec list_spec = {
    .name = "texts", .title = "Texts from outside", .columns = list_columns, .column_count = 3};

static const struct table_spec hidden_spec = {
    .name = "raw", .title = "Raw", .columns = list_columns, .column_count = 3, .view = {.kind = VIEW_HIDDEN}};

static const struct table_spec empty_spec = {
    .name = "empty", .title = "Empty", .columns = list_columns, .column_count = 3};

static const struct column curve_columns[] = {
    {"stores", "stores", NULL, CELL_INTEGER, ROLE_PARAMETER, 0},
    {"nops", "NOPs", NULL, CELL_INTEGER, ROLE_PARAMETER, 0},
    {"time", "time", "cycles", CELL_REAL, ROLE_MEASURE, 1},
};

static const struct table_spec curve_spec = {
    .name = "curve",
    .title = "Curve",
    .columns = curve_columns,
    .column_count = 3,
    .view = {.kind = VIEW_CURVE, .x = 0, .value = 2, .series = 1, .y = -1}};

static inline void add_matrix(struct record *record)
{
    static const char *const kernel_names[] = {"scalar64", "avx2"};
    size_t table = record_table_add(record, &matrix_spec);
    for (int size = 0; size < 3; size++) {
        for (int kernel = 0; kernel < 2; kernel++) {
            double speed = (1 + kernel) * 1.5 * (1 << 30) / (1 + size * (1 + kernel));
            const struct cell row[] = {INTEGER_CELL(16384LL << (10 * size)), TEXT_CELL(kernel_names[kernel]),
                                       INTEGER_CELL(1), REAL_CELL(speed * 2), BOOL_CELL(true)};
            record_row(record, table, row);
        }
    }
}

static const char *const weather[] = {"rain", "wind", NULL};

static const struct column typed_columns[] = {
    {"from", "from CPU", NULL, CELL_CPU, ROLE_PARAMETER, 0},
    {"kernel", "kernel", NULL, CELL_TEXT, ROLE_PARAMETER, 0},
    {"kind", "kind", NULL, CELL_CLASS, ROLE_PARAMETER, 0, weather},
    {"set", "set", NULL, CELL_CLASS, ROLE_PARAMETER, 0},
    {"flags", "flags", NULL, CELL_FLAGS, ROLE_LABEL, 0, weather},
    {"latency", "latency", "ns", CELL_SUMMARY, ROLE_MEASURE, 1},
};

static const struct table_spec typed_spec = {.name = "typed",
                                             .title = "Typed",
                                             .columns = typed_columns,
                                             .column_count = 6,
                                             .view = {.kind = VIEW_LIST, .x = -1, .y = -1, .value = 5}};

/* Adds a row with each kind of cell, and one without values. */
static inline size_t add_typed(struct record *record)
{
    const size_t table = record_table_add(record, &typed_spec);
    const struct summary summary = {.count = 5, .min = 1, .p10 = 1.5, .median = 2.25, .p90 = 3, .max = 4};
    const struct cell rows[][6] = {
        {INTEGER_CELL(7), TEXT_CELL("chase"), INTEGER_CELL(1), TEXT_CELL("L1, 4 KiB"), INTEGER_CELL(3),
         SUMMARY_CELL(&summary)},
        {INTEGER_CELL(3), TEXT_CELL("chase"), TEXT_CELL("rain"), TEXT_CELL("L2"), INTEGER_CELL(0), NO_CELL},
        {NO_CELL, NO_CELL, NO_CELL, TEXT_CELL("L1, 4 KiB"), NO_CELL, NO_CELL},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        record_row(record, table, rows[i]);
    return table;
}

static inline void add_texts(struct record *record, const struct table_spec *spec)
{
    static const char *const texts[] = {"plain", "a<b>&\"c\"|*d*, `e`", "tab\there\nand \\ there\rbell\a",
                                        "M\xc3\xb6hre \xe2\x82\xac",
                                        "bad \xff\xc3( \xed\xa0\x80 end\xe2\x82"};
    const double reals[] = {0.1, 1e300, NAN, INFINITY, -0.0};
    size_t table = record_table_add(record, spec);
    for (int i = 0; i < 5; i++) {
        const struct cell row[] = {TEXT_CELL(texts[i]), i ? INTEGER_CELL(1000LL * i * i) : NO_CELL,
                                   REAL_CELL(reals[i])};
        record_row(record, table, row);
    }
}

static inline void add_curve(struct record *record)
{
    size_t table = record_table_add(record, &curve_spec);
    for (int stores = 54; stores < 58; stores++) {
        for (int nops = 0; nops <= 500; nops += 500) {
            const struct cell row[] = {INTEGER_CELL(stores), INTEGER_CELL(nops),
                                       REAL_CELL(nops / 4.0 + (stores > 56 ? 40.25 : stores / 8.0))};
            record_row(record, table, row);
        }
    }
}

static inline void add_facts(struct record *record)
{
    const struct fact facts[] = {
        {"tool.version", "uarchprobe", NULL, TEXT_CELL("0.0")},
        {"host.arch", "Architecture", NULL, TEXT_CELL("x86_64")},
        {"host.cpu.brand", "CPU", NULL, TEXT_CELL("Made\tup <CPU> & \"co\"\xff\033[31m")},
        {"host.cpu.family", "Family", NULL, INTEGER_CELL(6)},
        {"host.cpu.codename", "Code name", NULL, NO_CELL},
        {"host.features.0", "Features", NULL, TEXT_CELL("sse2")},
        {"host.features.1", "Features", NULL, TEXT_CELL("avx2")},
        {"host.caches.0.level", NULL, NULL, INTEGER_CELL(1)},
        {"host.caches.0.bytes", "L1 data cache", "Byte", INTEGER_CELL(49152)},
        {"host.caches.1.level", NULL, NULL, INTEGER_CELL(2)},
        {"host.caches.1.bytes", "L2 cache", "Byte", INTEGER_CELL(2 << 20)},
        {"host.memory_bytes", "Memory", "Byte", INTEGER_CELL(6805467136)},
        {"clock.hz", "Clock rate", "Hz", REAL_CELL(2.6e9)},
        {"clock.core_ghz.median", NULL, NULL, REAL_CELL(3)},
        {"run.command", NULL, NULL, TEXT_CELL("synthetic")},
        {"run.complete", NULL, NULL, BOOL_CELL(true)},
    };
    for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++)
        record_fact(record, facts[i]);
}

static inline void add_answers(struct record *record)
{
    record_answer(record, (struct answer){.key = "store_buffer.entries",
                                          .value = INTEGER_CELL(56),
                                          .unit = "entries",
                                          .trust = TRUST_HIGH,
                                          .parts = {.count = 2, .value = {55.5F, 56.25F}},
                                          .text = "store buffer: 56 entries"});
    record_answer(record, (struct answer){.key = "latency",
                                          .value = REAL_CELL(NAN),
                                          .unit = "ns",
                                          .trust = TRUST_LOW,
                                          .text = "latency: none <yet>"});
    record_answer(record, (struct answer){.key = "queue",
                                          .label = "Load queue",
                                          .value = INTEGER_CELL(117),
                                          .unit = "entries",
                                          .state = state_names[STATE_IDLE],
                                          .trust = TRUST_MEDIUM,
                                          .remark = "not its size",
                                          .sheet_cell = "core/load-queue"});
    record_answer(record, (struct answer){.key = "queue",
                                          .label = "Load queue",
                                          .value = INTEGER_CELL(58),
                                          .unit = "entries",
                                          .state = state_names[STATE_ACTIVE],
                                          .trust = TRUST_LOW});
    record_quote(record, "queue",
                 (struct quote){INTEGER_CELL(136), "entries", "measured: somebody, 2026", AGREEMENT_PUBLISHED,
                                INTEGER_CELL(136), INTEGER_CELL(136)});
    record_quote(record, "store_buffer.entries",
                 (struct quote){INTEGER_CELL(64), "entries", "documented: its maker, 2026",
                                AGREEMENT_DISPUTED, INTEGER_CELL(64), INTEGER_CELL(72)});
    record_warning(record, "sibling_active", "the sibling ran in %d %% of the time", 12);
    record_warning(record, "steal", "ticks were stolen");
}

static inline void fill(struct record *record)
{
    add_facts(record);
    add_matrix(record);
    add_texts(record, &list_spec);
    add_texts(record, &hidden_spec);
    record_table_add(record, &empty_spec);
    add_curve(record);
    add_typed(record);
    add_answers(record);
}

static inline struct record *synthetic(void)
{
    struct record *record = record_of(NULL);
    fill(record);
    return record;
}

/* Writes a complete record in a format, as output.c does. */
static inline char *formatted_in(const struct format *format, const struct record *record, struct style style)
{
    struct text out = {0};
    format->write(format, &style, record, &out);
    return own_text(text_take(&out));
}

static inline char *formatted(const struct format *format, const struct record *record)
{
    return formatted_in(format, record, (struct style){.tables = true});
}

static inline void file_write_bytes(const char *path, const char *bytes, size_t length)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
}

static inline void file_write(const char *path, const char *text)
{
    file_write_bytes(path, text, strlen(text));
}

static inline int files_in(const char *folder)
{
    int count = 0;
    DIR *directory = opendir(folder);
    for (const struct dirent *entry; directory && (entry = readdir(directory));)
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    if (directory)
        closedir(directory);
    return count;
}

static inline int remove_one(const char *path, const struct stat *kind, int type, struct FTW *place)
{
    return remove(path);
}

static inline void folder_remove(void *folder, size_t count)
{
    nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

/* Makes a folder for the test, which is removed with its content. */
static inline const char *a_folder(void)
{
    char *folder = own_text(strdup("/tmp/uarchprobe-test-XXXXXX"));
    assert_non_null(mkdtemp(folder));
    return own(folder, 1, folder_remove);
}

/* Returns the path of a file in the folder. */
static inline const char *path_in(const char *folder, const char *name)
{
    struct text path = {0};
    text_printf(&path, "%s/%s", folder, name);
    return own_text(text_take(&path));
}
