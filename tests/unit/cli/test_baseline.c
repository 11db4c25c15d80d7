/* SPDX-License-Identifier: MIT */
#include "cli/baseline.h"

#include "../output/fixture.h"
#include "result/subject.h"

/* A report of two commands; name a command "ram" or "stlf" to make it incomplete, NULL: both are complete. */
static struct record *report_of(const char *incomplete, double value)
{
    static const char *const names[] = {"ram", "stlf"};
    struct record *record = record_of(NULL);
    FACT(record, "host.cpu.brand", TEXT_CELL("A"));
    FACT(record, "run.command", TEXT_CELL("report"));
    FACT(record, "run.complete", BOOL_CELL(incomplete == NULL));
    for (int i = 0; i < 2; i++) {
        struct record *child = record_child_add(record);
        FACT(child, "run.command", TEXT_CELL(names[i]));
        FACT(child, "run.complete", BOOL_CELL(!incomplete || strcmp(incomplete, names[i]) != 0));
        found(child, i ? "stlf.forwarded" : "ram.L1.read", REAL_CELL(value), i ? "cycles" : "Byte/s",
              TRUST_HIGH);
    }
    return record;
}

static enum status keep(const char *path, struct record *run)
{
    struct fault fault = {0};
    struct text sentence = {0};
    baseline_keep(path, run, &sentence, &fault);
    text_free(&sentence);
    return fault.status;
}

/* The value that the file has of a command; 0: it has none. */
static double kept_of(const char *path, const char *command)
{
    struct record *file = NULL;
    struct fault fault = {0};
    double value = 0;
    assert_int_equal(record_load(path, &file, &fault), STATUS_OK);
    assert_true(fact_is(file, "run.complete", true));
    for (size_t i = 0; i < file->children.count; i++)
        if (strcmp(fact_text(file->children.of[i], "run.command", ""), command) == 0)
            value = cell_number(&file->children.of[i]->answers.of[0].value);
    record_free(file);
    return value;
}

TEST(a_baseline_grows_command_by_command)
{
    char path[] = "/tmp/test_baseline.XXXXXX";
    struct record *emulated = report_of(NULL, 3), *other = report_of(NULL, 3), *none = report_of("ram", 3);
    FACT(emulated, "run.conditions.emulated", BOOL_CELL(true));
    FACT(other, "host.cpu.brand", TEXT_CELL("B"));
    record_fact(none->children.of[1], (struct fact){.path = "run.complete", .value = BOOL_CELL(false)});
    close(mkstemp(path));
    unlink(path);
    assert_int_equal(keep(path, none), STATUS_USAGE);
    assert_int_equal(keep(path, emulated), STATUS_USAGE);
    assert_int_not_equal(access(path, F_OK), 0);
    assert_int_equal(keep(path, report_of("ram", 1)), STATUS_OK);
    assert_true(kept_of(path, "stlf") == 1 && kept_of(path, "ram") == 0);
    assert_int_equal(keep(path, report_of("stlf", 2)), STATUS_OK);
    assert_true(kept_of(path, "stlf") == 1 && kept_of(path, "ram") == 2);
    /* What is there stays. */
    assert_int_equal(keep(path, report_of(NULL, 4)), STATUS_OK);
    assert_int_equal(keep(path, other), STATUS_USAGE);
    assert_true(kept_of(path, "stlf") == 1 && kept_of(path, "ram") == 2);
    unlink(path);
}
