/* SPDX-License-Identifier: MIT */

#include "cli/session.h"

#include <sys/wait.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/commands.h"
#include "output/output.h"

#include "../output/fixture.h"

static bool stopped;

static bool is_stopped(void *context)
{
    return stopped;
}

static enum status succeed(struct run *run, struct fault *fault)
{
    return STATUS_OK;
}

static enum status give_up(struct run *run, struct fault *fault)
{
    return fault_set(fault, STATUS_NO_RESOURCE, "two CPUs are needed");
}

static enum status lose_a_cpu(struct run *run, struct fault *fault)
{
    assert_false(run_has_ended(run));
    fault_set(run->taken, STATUS_NO_RESOURCE, "taken away");
    assert_true(run_has_ended(run));
    return STATUS_OK;
}

static enum status replay(struct run *run, struct fault *fault)
{
    run->replayed = true;
    return STATUS_OK;
}

/* Runs a command with that function. */
static struct record *run_of(enum status (*function)(struct run *run, struct fault *fault))
{
    const struct command command = {
        .name = "try", .summary = "why", .method = "how", .measures = true, .run = function};
    struct run run = {.command = &command, .record = record_of(NULL), .interrupted = is_stopped};
    struct fault fault = {0};
    run_announce(&command, run.record);
    assert_string_equal(value_of(run.record, "run.command").text, "try");
    assert_string_equal(value_of(run.record, "run.summary").text, "why");
    assert_string_equal(value_of(run.record, "run.method").text, "how");
    assert_false(value_of(run.record, "run.complete").boolean);
    const enum status status = run_command(&run, &fault);
    assert_int_equal(status, fault.status);
    assert_non_null(record_fact_find(run.record, "run.started"));
    return run.record;
}

TEST(what_was_not_interrupted_is_complete)
{
    for (int i = 0; i < 2; i++) {
        stopped = i == 1;
        struct record *record = run_of(succeed);
        assert_int_equal(value_of(record, "run.complete").boolean, !stopped);
        assert_true(value_of(record, "run.seconds").real >= 0);
        assert_null(record_fact_find(record, "run.fault"));
    }
    stopped = false;
}

TEST(a_failure_says_why)
{
    static const struct {
        enum status (*function)(struct run *run, struct fault *fault);
        const char *why;
    } cases[] = {{give_up, "two CPUs are needed"}, {lose_a_cpu, "taken away"}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct record *record = run_of(cases[i].function);
        assert_false(value_of(record, "run.complete").boolean);
        assert_string_equal(value_of(record, "run.fault").text, cases[i].why);
        assert_int_equal(value_of(record, "run.status").integer, STATUS_NO_RESOURCE);
    }
}

TEST(a_replayed_record_gets_nothing)
{
    assert_null(record_fact_find(run_of(replay), "run.seconds"));
}

static enum status read_clock(struct run *run, struct fault *fault)
{
    samples_add(&run->core_clock->ghz, 3);
    return STATUS_OK;
}

static const struct command part = {.name = "part", .measures = true, .run = read_clock};

static enum status run_two(struct run *run, struct fault *fault)
{
    for (int i = 0; i < 2; i++) {
        struct run one = *run;
        one.command = &part;
        one.record = record_child_add(run->record);
        assert_int_equal(run_command(&one, fault), STATUS_OK);
        assert_null(record_fact_find(one.record, "run.conditions.guest"));
        assert_true(value_of(one.record, "clock.core_ghz.median").real == 3);
    }
    return STATUS_OK;
}

TEST(conditions_are_those_of_all_parts)
{
    const struct command command = {.name = "all", .measures = true, .run = run_two};
    const struct cpu cpu = {.hypervisor = "KVM"};
    const struct common common = {0};
    struct clock clock;
    clock_calibrate(&clock);
    struct run run = {.command = &command,
                      .common = &common,
                      .cpu = &cpu,
                      .clock = &clock,
                      .record = record_of(NULL),
                      .interrupted = is_stopped};
    assert_int_equal(run_command(&run, &(struct fault){0}), STATUS_OK);
    assert_true(value_of(run.record, "run.conditions.guest").boolean);
    assert_true(value_of(run.record, "run.conditions.clock_ghz.p5").real == 3);
    assert_null(record_fact_find(run.record, "clock.core_ghz.median"));
}

static enum status run_out_of_memory(struct run *run, struct fault *fault)
{
    volatile size_t most = SIZE_MAX / 4;
    struct record *child = record_child_add(run->record);
    record_answer(
        child, (struct answer){.key = "try.value", .value = INTEGER_CELL(7), .label = "value", .samples = 9});
    memory_grow(NULL, most);
    return STATUS_OK;
}

/* In a child, as it ends the process. */
TEST(what_was_measured_before_memory_ran_out_is_written)
{
    static const struct command command = {
        .name = "try", .measures = true, .offline = true, .run = run_out_of_memory};
    const char *path = path_in(a_folder(), "result.json");
    char *const words[] = {(char[]){"uarchprobe"}, NULL};
    int status = 0;
    if (TEST_SANITIZED)
        SKIP_BECAUSE("a sanitizer ends the process itself");
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        const struct invocation invocation = {
            .command = &command,
            .common = {.format = output_format("json"), .output = path, .quiet = true, .no_progress = true},
            .argc = 1,
            .argv = words};
        session_run(&invocation, &(struct fault){0});
        _exit(99);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), STATUS_NO_RESOURCE);
    struct record *record = NULL;
    struct fault fault = {0};
    assert_int_equal(record_load(path, &record, &fault), STATUS_OK);
    assert_false(value_of(record, "run.complete").boolean);
    assert_int_equal(value_of(record, "run.status").integer, STATUS_NO_RESOURCE);
    assert_has(value_of(record, "run.fault").text, "out of memory");
    assert_int_equal(record->children.count, 1);
    assert_non_null(record_answer_find(record->children.of[0], "try.value", NULL));
    record_free(record);
}
