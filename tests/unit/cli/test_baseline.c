/* SPDX-License-Identifier: MIT */
#include "cli/baseline.h"

#include "../output/fixture.h"

static struct record *run_of(const char *brand, bool complete)
{
    struct record *record = record_of(NULL), *child = record_child_add(record);
    FACT(record, "host.cpu.brand", TEXT_CELL(brand));
    FACT(record, "run.complete", BOOL_CELL(complete));
    FACT(record, "run.argv.0", TEXT_CELL("uarchprobe"));
    FACT(child, "run.command", TEXT_CELL("ram"));
    found(child, "ram.L1.read", REAL_CELL(2e11), "Byte/s", TRUST_HIGH);
    return record;
}

static size_t lines_of(const char *path)
{
    size_t lines = 0;
    FILE *file = fopen(path, "r");
    for (int c; file && (c = getc(file)) != EOF;)
        lines += c == '\n';
    if (file)
        fclose(file);
    return lines;
}

static enum status learn(const char *path, struct record *one, struct record *other, size_t *count)
{
    struct record *const runs[] = {one, other};
    struct fault fault = {0};
    return baseline_learn(path, runs, other ? 2 : 1, count, &fault);
}

TEST(runs_are_added_to_those_of_the_same_kind)
{
    char path[] = "/tmp/test_baseline.XXXXXX";
    size_t count = 0;
    close(mkstemp(path));
    unlink(path);
    assert_int_equal(learn(path, run_of("A", true), run_of("A", true), &count), STATUS_OK);
    assert_int_equal(count, 2);
    assert_int_equal(learn(path, run_of("A", true), NULL, &count), STATUS_OK);
    assert_int_equal(count, 3);
    assert_int_equal(lines_of(path), 3);
    /* Nothing of these, and what there was stays. */
    assert_int_equal(learn(path, run_of("A", true), run_of("B", true), &count), STATUS_USAGE);
    assert_int_equal(learn(path, run_of("A", false), NULL, &count), STATUS_USAGE);
    assert_int_equal(lines_of(path), 3);
    unlink(path);
}

TEST(a_slim_result_keeps_what_is_judged)
{
    struct record *slim = record_of(NULL), *run = run_of("A", true);
    struct answer answer = run->children.of[0]->answers.of[0];
    answer.key = "ram.L2.read";
    answer.low = REAL_CELL(1);
    answer.high = REAL_CELL(2);
    answer.within = 0.02;
    record_answer(run->children.of[0], answer);
    record_slim(slim, run, true);
    const struct answer *kept = record_answer_find(slim->children.of[0], "ram.L2.read", NULL);
    assert_true(kept->within > 0 && cell_number(&kept->high) == 2);
    assert_null(record_fact_find(slim, "run.argv.0"));
    slim = record_of(NULL);
    record_slim(slim, run, false);
    kept = record_answer_find(slim->children.of[0], "ram.L2.read", NULL);
    assert_true(!cell_has_value(&kept->high));
}
