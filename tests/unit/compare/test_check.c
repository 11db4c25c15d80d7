/* SPDX-License-Identifier: MIT */
/* A simulated machine that does not change has one verdict, one that does is found. */
#include "compare/check.h"

#include "../output/fixture.h"
#include "result/json/json.h"
#include "uarchprobe/random.h"

enum { RUNS = 30, KEYS = 30 };

static uint64_t seed = 1;

static double normal(void)
{
    double sum = -6;
    for (int i = 0; i < 12; i++)
        sum += (double)(random_next(&seed) >> 11) / 9007199254740992.0;
    return sum;
}

/* A tenth of the values scatters by 3 %, the others by 0.3 %; every third has low trust. slower: of the first key. */
static struct record *simulated(double slower, double busy)
{
    struct record *record = record_of(NULL), *child = record_child_add(record);
    char key[32];
    FACT(record, "host.cpu.brand", TEXT_CELL("simulated"));
    FACT(record, "run.complete", BOOL_CELL(true));
    FACT(child, "run.command", TEXT_CELL("ram"));
    FACT(child, "run.complete", BOOL_CELL(true));
    for (int i = 0; i < KEYS; i++) {
        const double value = (10 + i) * (1 + (i % 10 == 9 ? 0.03 : 0.003) * normal()) * (i ? 1 : 1 + slower);
        snprintf(key, sizeof key, "ram.K%d.latency", i);
        record_answer(child, (struct answer){.key = key,
                                             .unit = "ns",
                                             .value = REAL_CELL(value),
                                             .low = REAL_CELL(0.99 * value),
                                             .high = REAL_CELL(1.01 * value),
                                             .within = i % 10 == 9 ? 0.05 : 0.02,
                                             .trust = i % 3 ? TRUST_HIGH : TRUST_LOW,
                                             .limited_by = i % 3 ? LIMITED_BY_NONE : LIMITED_BY_REPETITION});
    }
    if (busy > 0) {
        FACT(record, "got.reasons.0", TEXT_CELL("half cores"));
        record_answer(record,
                      (struct answer){.key = "got.fit", .value = BOOL_CELL(false), .trust = TRUST_HIGH});
    } else
        record_answer(record,
                      (struct answer){.key = "got.fit", .value = BOOL_CELL(true), .trust = TRUST_HIGH});
    return record;
}

static bool never(void *context)
{
    return false;
}

/* The exit code, and the line. */
static enum status judged(const char *against, struct record *measured, struct record *again, char line[200])
{
    static const struct common common;
    const struct check check = {.against = against};
    struct run run = {.common = &common, .record = record_of(NULL), .interrupted = never};
    struct fault fault = {0};
    assert_int_equal(check_judge(&run, &check, measured, again, &fault), STATUS_OK);
    snprintf(line, 200, "%s", record_answer_find(run.record, "check.verdict", NULL)->text);
    return run.outcome;
}

/* Writes so many results of the machine into a file. */
static void results_of(char *path, int runs)
{
    struct text lines = {0};
    for (int i = 0; i < runs; i++)
        json_write(simulated(0, 0), false, SIZE_MAX, &lines);
    FILE *file = fdopen(mkstemp(path), "w");
    assert_int_equal(fwrite(lines.data, 1, lines.length, file), lines.length);
    fclose(file);
    text_free(&lines);
}

TEST(a_machine_that_does_not_change_has_one_verdict)
{
    char path[] = "/tmp/test_check.XXXXXX", line[200];
    results_of(path, 1);
    for (int i = 0; i < RUNS; i++) {
        assert_int_equal(judged(path, simulated(0, 0), NULL, line), STATUS_OK);
        assert_int_equal(judged(NULL, simulated(0, 0), NULL, line), STATUS_OK);
        assert_int_equal(judged(NULL, simulated(0, 1), NULL, line), STATUS_UNTRUSTED);
        assert_has(line, "UNFIT  half cores");
        assert_true(strlen(line) <= 100);
    }
    unlink(path);
}

TEST(a_loss_is_found)
{
    char path[] = "/tmp/test_check.XXXXXX", line[200];
    results_of(path, 1);
    for (int i = 0; i < RUNS; i++) {
        assert_int_equal(judged(path, simulated(0.3, 0), NULL, line), STATUS_FAILED);
        assert_has(line, "WORSE  ");
    }
    unlink(path);
}

/* Which of them should count? */
TEST(a_file_of_several_results_is_refused)
{
    char path[] = "/tmp/test_check.XXXXXX";
    results_of(path, 2);
    static const struct common common;
    const struct check check = {.against = path};
    struct run run = {.common = &common, .record = record_of(NULL), .interrupted = never};
    struct fault fault = {0};
    assert_int_equal(check_judge(&run, &check, simulated(0, 0), NULL, &fault), STATUS_USAGE);
    assert_has(fault.text, "holds 2 results");
    unlink(path);
}

/* One command, the same two kinds of cores with these sizes. */
static struct record *of_kinds(int64_t first, int64_t second)
{
    struct record *record = simulated(0, 0), *child = record_child_add(record);
    FACT(child, "run.command", TEXT_CELL("sb-capacity"));
    FACT(child, "run.complete", BOOL_CELL(true));
    for (int i = 0; i < 2; i++)
        record_answer(child, (struct answer){.key = "store_buffer.entries",
                                             .kind = i ? "Gracemont" : "Golden Cove",
                                             .unit = "entries",
                                             .value = INTEGER_CELL(i ? second : first),
                                             .within_absolute = 1,
                                             .trust = TRUST_HIGH});
    return record;
}

/* In whatever order: the value of one kind is never held against that of the other. */
TEST(kinds_of_cores_are_judged_apart)
{
    char path[] = "/tmp/test_check.XXXXXX", line[200];
    struct text text = {0};
    json_write(of_kinds(112, 80), false, SIZE_MAX, &text);
    FILE *file = fdopen(mkstemp(path), "w");
    assert_int_equal(fwrite(text.data, 1, text.length, file), text.length);
    fclose(file);
    text_free(&text);
    struct record *turned = of_kinds(112, 80);
    struct answer *of = turned->children.of[1]->answers.of;
    const struct answer first = of[0];
    of[0] = of[1];
    of[1] = first;
    assert_int_equal(judged(path, turned, NULL, line), STATUS_OK);
    assert_int_equal(judged(path, of_kinds(112, 112), NULL, line), STATUS_FAILED);
    assert_has(line, "Gracemont");
    assert_int_equal(judged(path, of_kinds(80, 80), NULL, line), STATUS_FAILED);
    assert_has(line, "Golden Cove");
    unlink(path);
}
