/* SPDX-License-Identifier: MIT */
#include "../../output/fixture.h"
#include "uarchprobe/record.h"

static const char *path;

static int set_up(void **state)
{
    path = path_in(a_folder(), "record.json");
    return 0;
}

static enum status load(const char *bytes, size_t length, struct record **record, struct fault *fault)
{
    file_write_bytes(path, bytes, length);
    *fault = (struct fault){0};
    const enum status status = record_load(path, record, fault);
    if (*record)
        own(*record, 1, release_record);
    return status;
}

static void assert_refused(const char *text, const char *why)
{
    struct fault fault;
    struct record *record = NULL;
    assert_int_equal(load(text, strlen(text), &record, &fault), STATUS_USAGE);
    assert_int_equal(fault.status, STATUS_USAGE);
    assert_null(record);
    assert_null(strchr(fault.text, '\n'));
    assert_has(fault.text, why);
}

static struct record *taken(const char *text)
{
    struct fault fault;
    struct record *record = NULL;
    if (load(text, strlen(text), &record, &fault) != STATUS_OK)
        fail_msg("%s", fault.text);
    return record;
}

/* Written and read. */
static struct record *again(const struct record *record)
{
    return taken(formatted(&json_format, record));
}

TEST(comes_back_as_it_was)
{
    const struct format *const both[] = {&json_format, &jsonl_format};
    struct record *record = synthetic();
    for (size_t i = 0; i < 2; i++) {
        char *first = formatted(both[i], record);
        assert_string_equal(first, formatted(both[i], taken(first)));
    }
}

TEST(facts_alone_are_shown)
{
    static const char text[] =
        "{\"schema\":\"uarchprobe/4\",\"tool\":{\"version\":\"1\"},\"host\":{\"arch\":"
        "\"m68k\"},\"run\":{\"command\":\"info\",\"complete\":true},\"got\":{\"caches\":"
        "\"none\"},\"tables\":[],\"answers\":[],\"warnings\":[]}";
    const struct record *record = taken(text);
    char *markdown = formatted(&markdown_format, record), *human = formatted(&human_format, record);
    assert_has(markdown, "| host.arch | m68k |\n");
    assert_has(markdown, "| none |\n");
    assert_has(human, "host.arch  m68k");
    assert_has(human, "  none\n");
}

/* Other formats draw a loaded record as they draw the first one, save for titled facts, which this one lacks.
 */
TEST(is_drawn_as_it_was)
{
    struct record *record = record_of(NULL);
    static struct table_spec derived, lead;
    derived = lead = list_spec;
    derived.view.derived = lead.view.lead = true;
    add_matrix(record);
    add_texts(record, &list_spec);
    add_texts(record, &derived);
    add_texts(record, &lead);
    add_curve(record);
    add_typed(record);
    add_answers(record);
    const struct record *loaded = again(record);
    for (size_t i = 0; formats[i]; i++)
        assert_string_equal(formatted(formats[i], record), formatted(formats[i], loaded));
}

/* The reference of a later run, and where the CPUs were. */
TEST(promises_quotes_and_places_come_back)
{
    static const struct answer answers[] = {
        {.key = "a",
         .within = 0.02,
         .published = {INTEGER_CELL(126), "registers", "a book", AGREEMENT_DISPUTED, INTEGER_CELL(126),
                       INTEGER_CELL(238)}},
        {.key = "b",
         .value = INTEGER_CELL(251),
         .low = REAL_CELL(251),
         .within_absolute = 1,
         .published = {.agreement = AGREEMENT_MISSING}},
        {.key = "c"}};
    struct record *record = record_of(NULL);
    for (size_t i = 0; i < 3; i++)
        record_answer(record, answers[i]);
    FACT(record, "host.topology.cpus", INTEGER_CELL(2));
    record_place_add(record, (struct place){3, {0, 0, 1, 3, 2}});
    record_place_add(record, (struct place){7, {1, -1, -1, -1, 4}});
    const struct record *loaded = again(record);
    for (size_t i = 0; i < 3; i++) {
        const struct answer *answer = &loaded->answers.of[i];
        assert_true(answer->within == answers[i].within);
        assert_int_equal(answer_is_bound(answer), i == 1);
        assert_true(answer->within_absolute == answers[i].within_absolute);
        assert_int_equal(answer->published.agreement, answers[i].published.agreement);
        assert_true(cell_equal(&answer->published.value, &answers[i].published.value));
        assert_true(cell_equal(&answer->published.least, &answers[i].published.least));
        assert_true(cell_equal(&answer->published.most, &answers[i].published.most));
    }
    assert_int_equal(loaded->places.count, 2);
    assert_memory_equal(loaded->places.of, record->places.of, 2 * sizeof(struct place));
}

TEST(cut_file_is_a_fault)
{
    struct record *record = synthetic();
    char *json = formatted(&json_format, record);
    size_t length = strlen(json) - 1; /* without the line break behind the document */
    for (size_t cut = 0; cut < length; cut += TEST_SLOW ? 50 : 10) {
        struct record *loaded = NULL;
        struct fault fault;
        assert_int_equal(load(json, cut, &loaded, &fault), STATUS_USAGE);
        assert_null(loaded);
        assert_non_null(strstr(fault.text, "line "));
    }
}

/* Whatever one byte becomes, it is a record or a fault, and a record can be written. */
TEST(changed_byte_does_no_harm)
{
    static const char changes[] = {'0', '"', '{', ']', ',', 'x', '\xff', '\0', '-'};
    struct record *record = record_of(NULL);
    add_typed(record);
    record_place_add(record, (struct place){7, {0, 0, 1, 3, -1}});
    record_fact(record, (struct fact){.path = "host.topology.cpus", .value = INTEGER_CELL(1)});
    add_answers(record);
    char *json = formatted(&jsonl_format, record);
    size_t length = strlen(json);
    for (size_t i = 0; i < length; i += TEST_SLOW ? 7 : 1) {
        struct record *loaded = NULL;
        struct fault fault;
        char was = json[i];
        json[i] = changes[i % sizeof(changes)];
        if (load(json, length, &loaded, &fault) == STATUS_OK) {
            for (size_t format = 0; formats[format]; format++)
                formatted(formats[format], loaded);
        } else {
            assert_null(loaded);
            assert_true(fault.text[0] != '\0');
        }
        json[i] = was;
    }
}

TEST(other_documents_are_refused)
{
#define HEAD "{\"schema\":\"uarchprobe/4\","
#define LONG "0123456789abcdef0123456789abcdef0123456789abcdef"
#define TAIL "\"answers\":[],\"warnings\":[]}"
#define COLUMN(key) "{\"key\":\"" key "\",\"title\":\"a\",\"type\":\"integer\"}"
#define TYPED(type, names) "{\"key\":\"a\",\"type\":\"" type "\"" names "}"
#define TABLE(columns, rows)                                                                                 \
    HEAD "\"tables\":[{\"name\":\"t\",\"columns\":[" columns "],\"rows\":" rows "}]," TAIL
    assert_refused("", "line 1");
    assert_refused("[]", "no result");
    assert_refused("[{}]", "schema");
    assert_refused("{\"schema\":\"uarchprobe/1\"}", "uarchprobe/1");
    assert_refused("{\"schema\":\"uarchprobe/2\",\"tables\":[]," TAIL, "uarchprobe/2");
    assert_refused("{\"schema\":\"uarchprobe/3\",\"tables\":[]," TAIL, "uarchprobe/3");
    assert_refused("{\"schema\":\"uarchprobe/5\",\"tables\":[]," TAIL, "uarchprobe/5");
    assert_refused("{\"schema\":1}", "schema");
    assert_refused("{\"schema\":\"uarchprobe/4\",\"schema\":\"uarchprobe/4\"}", "duplicate");
    assert_refused(HEAD TAIL, "tables");
    assert_refused(HEAD "\"tables\":{}," TAIL, "tables");
    assert_refused(HEAD "\"tables\":[1]," TAIL, "tables.0");
    assert_refused(TABLE("{}", "{}"), "tables.0");
    assert_refused(TABLE(COLUMN("a"), "[]"), "tables.0.rows.a");
    assert_refused(TABLE(COLUMN("a"), "{}"), "tables.0.rows.a");
    assert_refused(TABLE(COLUMN("a"), "{\"a\":1}"), "tables.0.rows.a");
    assert_refused(TABLE(COLUMN("a"), "{\"a\":[1,\"x\"]}"), "tables.0.rows.a.1");
    assert_refused(TABLE(COLUMN("a") "," COLUMN("b"), "{\"a\":[1],\"b\":[1,2]}"), "tables.0.rows.b");
    assert_refused(TABLE(COLUMN("a") "," COLUMN("a"), "{\"a\":[1]}"), "two columns");
    assert_refused(TABLE(TYPED("class", ""), "{\"a\":[0]}"), "names");
    assert_refused(TABLE(TYPED("class", ",\"names\":[\"x\",\"x\"]"), "{\"a\":[0]}"), "names");
    assert_refused(TABLE(TYPED("class", ",\"names\":[\"x\"]"), "{\"a\":[0,1]}"), "tables.0.rows.a.1");
    assert_refused(TABLE(TYPED("flags", ",\"names\":[\"x\"]"), "{\"a\":[1,2]}"), "tables.0.rows.a.1");
    assert_refused(TABLE(TYPED("cpu", ""), "{\"a\":[\"7\"]}"), "tables.0.rows.a.0");
    assert_refused(TABLE(TYPED("summary", ""), "{\"a\":[1]}"), "tables.0.rows.a");
    assert_refused(TABLE(TYPED("summary", ""), "{\"a\":{\"n\":[2],\"min\":[1]}}"), "tables.0.rows.a.0");
    assert_refused(HEAD "\"tables\":[],\"answers\":[{}],\"warnings\":[]}", "answers.0");
    assert_refused(HEAD "\"tables\":[],\"answers\":[],\"warnings\":[{\"code\":\"c\"}]}", "warnings.0");
    assert_refused(HEAD "\"a.b\":1,\"tables\":[]," TAIL, "name");
    assert_refused("[[[[[[[[[[[[[[[[[[[[[", "no result");
    assert_refused("{\"a\":[[[[[[[[[[[[[[[[[[[[[", "line 1");
    assert_refused("x", "line 1");
    assert_refused("\n }", "line 2");
    assert_refused("[" HEAD "\"tables\":[]," TAIL, "cut off");
    assert_refused(HEAD "\"host\":{\"" LONG LONG LONG "\":1},\"tables\":[]," TAIL, "host");
    assert_refused(HEAD "\"host\":{\"7\":1},\"tables\":[]," TAIL, "host");
    assert_refused(HEAD "\"host\":{\"a\x7f\":1},\"tables\":[]," TAIL, "host");
    assert_refused(HEAD "\"run\":[1],\"tables\":[]," TAIL, "run is no object");
}

#define ANSWER(members) HEAD "\"tables\":[],\"answers\":[{" members ",\"trust\":\"low\"}],\"warnings\":[]}"

/* Names in tables, metrics and file names are spelled as this program spells them. */
TEST(words_have_a_grammar)
{
    taken(ANSWER("\"key\":\"ram.L1.a-b_c\",\"unit\":\"bytes/cycle\",\"state\":\"beyond one L3 2\""));
    taken(ANSWER("\"key\":\"k\",\"unit\":\"%\",\"state\":null"));
    assert_refused(ANSWER("\"key\":\"k\",\"sheet_cell\":\"../x\""), "answers.0");
    taken(TABLE(COLUMN("a_1.b-c"), "{\"a_1.b-c\":[1]}"));
    assert_refused(ANSWER("\"key\":\"=HYPERLINK(1)\""), "answers.0");
    assert_refused(ANSWER("\"key\":\"-k\""), "answers.0");
    assert_refused(ANSWER("\"key\":\"a b\""), "answers.0");
    assert_refused(ANSWER("\"key\":\"k\u202e\""), "answers.0");
    assert_refused(ANSWER("\"key\":\"" LONG LONG LONG "\""), "answers.0");
    assert_refused(ANSWER("\"key\":\"k\",\"unit\":\"=1\""), "answers.0");
    assert_refused(ANSWER("\"key\":\"k\",\"unit\":\" ns\""), "answers.0");
    assert_refused(ANSWER("\"key\":\"k\",\"state\":\"a\\tb\""), "answers.0");
    assert_refused(ANSWER("\"key\":\"k\",\"published\":{\"value\":1,\"unit\":\"@x\"}"), "answers.0");
    assert_refused(HEAD "\"tables\":[],\"answers\":[],\"warnings\":[{\"code\":\"=c\",\"text\":\"t\"}]}",
                   "warnings.0");
    assert_refused(TABLE(COLUMN("=a"), "{\"=a\":[1]}"), "tables.0");
    assert_refused(TABLE("{\"key\":\"a\",\"type\":\"integer\",\"unit\":\"+1\"}", "{\"a\":[1]}"), "tables.0");
    assert_refused(HEAD
                   "\"tables\":[{\"name\":\"../t\",\"columns\":[" COLUMN("a") "],\"rows\":{\"a\":[]}}]," TAIL,
                   "tables.0");
    assert_refused(HEAD "\"=run\":{\"a\":1},\"tables\":[]," TAIL, "name");
}

/* Items of lists become facts, too, so that a few bytes each would take a hundred of memory. */
TEST(facts_are_counted_over_the_document)
{
    for (int more = 0; more < 2; more++) {
        struct text text = {0};
        text_add(&text, HEAD "\"tables\":[],\"answers\":[],\"warnings\":[],\"commands\":[");
        for (int child = 0; child < 4; child++) {
            text_printf(&text,
                        "%s{\"tables\":[],"
                        "\"answers\":[],\"warnings\":[],\"run\":{\"a\":[0",
                        child ? "," : "");
            for (int i = 1; i < 1 << 16; i++)
                text_add(&text, ",0");
            text_printf(&text, "]%s}}", child == 0 && more ? ",\"b\":1" : "");
        }
        text_add(&text, "]}");
        if (more)
            assert_refused(text.data, "too many facts");
        else
            taken(text.data);
        text_free(&text);
    }
}

static void count(void *context, struct record *record)
{
    ++*(int *)context;
    record_free(record);
}

/* Behind each other on one line, with blanks in between; those before a bad one are taken. */
TEST(several_are_read_one_by_one)
{
    static const char one[] = HEAD "\"tables\":[]," TAIL;
    static const char *const ends[] = {"", "{}"};
    for (int i = 0; i < 2; i++) {
        char text[4 * sizeof(one)];
        struct fault fault = {0};
        int taken = 0;
        snprintf(text, sizeof(text), "%s%s\n\n %s%s", one, one, one, ends[i]);
        file_write(path, text);
        assert_int_equal(record_load_each(path, count, &taken, &fault), i ? STATUS_USAGE : STATUS_OK);
        assert_int_equal(taken, 3);
    }
}

TEST(file_that_cannot_be_read_is_named)
{
    struct record *record = NULL;
    struct fault missing = {0}, directory = {0};
    assert_int_equal(record_load("/nowhere/at/all.json", &record, &missing), STATUS_USAGE);
    assert_non_null(strstr(missing.text, "/nowhere/at/all.json"));
    assert_int_equal(record_load("/", &record, &directory), STATUS_USAGE);
    assert_non_null(strstr(directory.text, "directory"));
    assert_null(record);
}

AROUND_EACH(set_up, NULL)

/* Of one key, two kinds of cores are two answers, and their tables two tables. */
TEST(kinds_of_cores_come_back)
{
    struct record *record = record_of(NULL);
    static const char *const kinds[] = {"Zen 5", "Zen 5c"};
    for (int i = 0; i < 2; i++) {
        struct record *part = record_part_new(record);
        record_table_add(part, &matrix_spec);
        record_answer(part, (struct answer){.key = "k", .value = INTEGER_CELL(i), .trust = TRUST_HIGH});
        record_part_take(record, part, kinds[i]);
        record_free(part);
    }
    record = again(record);
    for (int i = 0; i < 2; i++) {
        assert_string_equal(record->tables.of[i].kind, kinds[i]);
        assert_int_equal(record_answer_find_kind(record, "k", kinds[i], NULL)->value.integer, i);
    }
    assert_null(record_answer_find_kind(record, "k", NULL, NULL));
    assert_int_equal(record_answer_find(record, "k", NULL)->value.integer, 0);
    assert_refused(
        "{\"schema\":\"uarchprobe/4\",\"tables\":[],\"answers\":[{\"key\":\"k\",\"kind\":\"=x\","
        "\"trust\":\"high\"}],\"warnings\":[]}",
        "kind");
}
