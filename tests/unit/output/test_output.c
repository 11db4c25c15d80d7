/* SPDX-License-Identifier: MIT */
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

#include "fixture.h"

static char folder[64];

static int set_up(void **state)
{
    folder_make(folder);
    return 0;
}

static int tear_down(void **state)
{
    return rmdir(folder);
}

static int index_of_format(const struct format *format)
{
    int index = 0;
    while (formats[index] != format)
        index++;
    return index;
}

TEST(names_and_formats_agree)
{
    size_t i = 0;
    for (; formats[i]; i++) {
        assert_string_equal(format_names[i], formats[i]->name);
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(formats[i]->extension, formats[j]->extension);
    }
    assert_null(format_names[i]);
    assert_ptr_equal(formats[0], &human_format);
}

TEST(extension_chooses)
{
    char name[64];
    for (size_t i = 0; formats[i]; i++) {
        snprintf(name, sizeof(name), "a.b/c.d%s", formats[i]->extension);
        assert_ptr_equal(format_of_path(name), formats[i]);
    }
    assert_ptr_equal(format_of_path("a.json/b"), &human_format);
    assert_ptr_equal(format_of_path("json"), &human_format);
    assert_ptr_equal(format_of_path(".xyz"), &human_format);
}

/* Every format, the record growing while it is open, against a file of expected text: all tables at once, and
 * each table alone, with and without rows, must come out the same whenever the output was opened. */
TEST(every_format_gives_the_expected_text)
{
    for (int i = 0; formats[i]; i++) {
        char path[128], expected_path[512];
        struct fault fault = {0};
        struct record *record = record_new();
        snprintf(path, sizeof(path), "%s/out%s", folder, formats[i]->extension);
        snprintf(expected_path, sizeof(expected_path), "%s/output/synthetic%s", TEST_DATA,
                 formats[i]->extension);
        struct output *output =
            output_open(&(struct output_choice){.format = -1, .path = path, .tables = true, .quiet = true},
                        record, &fault);
        assert_non_null(output);
        fill(record);
        assert_int_equal(output_close(output, &fault), STATUS_OK);
        char *got = file_text(path, NULL), *expected = file_text(expected_path, NULL);
        assert_non_null(got);
        unlink(path);
        if (!expected)
            fail_msg("no %s: write what %s should give for fixture.h", expected_path, formats[i]->name);
        assert_string_equal(got, expected);
        free(got);
        free(expected);
        record_free(record);
    }
}

TEST(every_format_takes_every_table)
{
    const struct table_spec *const specs[] = {&matrix_spec, &list_spec, &hidden_spec, &empty_spec,
                                              &curve_spec};
    for (int i = 0; formats[i]; i++) {
        for (size_t spec = 0; spec < sizeof(specs) / sizeof(specs[0]); spec++) {
            struct record *record = record_new();
            record_table_add(record, specs[spec]);
            char *empty = formatted(formats[i], record);
            struct cell row[5] = {NO_CELL, NO_CELL, NO_CELL, NO_CELL, NO_CELL};
            record_row(record, 0, row);
            char *nulls = formatted(formats[i], record);
            assert_true(specs[spec]->view.kind == VIEW_HIDDEN || *nulls != '\0');
            assert_null(strstr(nulls, "nan"));
            free(empty);
            free(nulls);
            record_free(record);
        }
        struct record *nothing = record_new();
        free(formatted(formats[i], nothing));
        record_free(nothing);
    }
}

/* What is long leaves in pieces, and is the same. */
TEST(long_documents_are_whole)
{
    char path[128];
    for (int i = 0; formats[i]; i++) {
        struct fault fault = {0};
        struct record *record = record_new();
        snprintf(path, sizeof(path), "%s/long%s", folder, formats[i]->extension);
        struct output *output =
            output_open(&(struct output_choice){.format = -1, .path = path, .tables = true, .quiet = true},
                        record, &fault);
        fill(record);
        for (int j = 0; j < 10000; j++) {
            const struct cell row[] = {INTEGER_CELL(j), INTEGER_CELL(j % 7), REAL_CELL(j / 3.0)};
            record_row(record, 4, row);
        }
        assert_int_equal(output_close(output, &fault), STATUS_OK);
        char *got = file_text(path, NULL), *expected = formatted(formats[i], record);
        assert_string_equal(got, expected);
        free(got);
        free(expected);
        unlink(path);
        record_free(record);
    }
}

TEST(full_disk_fails_with_every_format)
{
    for (int i = 0; formats[i]; i++) {
        struct fault fault = {0};
        struct record *record = record_new();
        const struct output_choice choice = {.format = i, .path = "/dev/full", .quiet = true};
        struct output *output = output_open(&choice, record, &fault);
        assert_non_null(output);
        fill(record);
        assert_int_equal(output_close(output, &fault), STATUS_FAILED);
        assert_int_equal(fault.status, STATUS_FAILED);
        record_free(record);
    }
}

/* Runs body(choice) in a child whose standard output and standard error are files; returns its wait status.
 */
static int in_child(void (*body)(void), const char *out, const char *err)
{
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        if (dup2(open(out, O_WRONLY | O_CREAT | O_TRUNC, 0600), 1) != 1 ||
            dup2(open(err, O_WRONLY | O_CREAT | O_TRUNC, 0600), 2) != 2)
            _exit(99);
        body();
        _exit(0);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

static void run_to_stdout(int format, bool quiet)
{
    struct fault fault = {0};
    struct record *record = record_new();
    struct output *output =
        output_open(&(struct output_choice){.format = format, .quiet = quiet}, record, &fault);
    fill(record);
    record_warning(record, "emulated", "an emulator");
    record_fact(record, (struct fact){.path = "run.conditions.sibling_share", .value = REAL_CELL(0.12)});
    enum status status = output_close(output, &fault);
    record_free(record);
    if (status != STATUS_OK)
        _exit(status);
}

static void tsv_warns(void)
{
    run_to_stdout(index_of_format(&tsv_format), false);
}

static void tsv_quiet(void)
{
    run_to_stdout(index_of_format(&tsv_format), true);
}

static void human_warns(void)
{
    run_to_stdout(-1, false);
}

static void with_child_files(void (*check)(const char *out, const char *err))
{
    char out[96], err[96];
    snprintf(out, sizeof(out), "%s/stdout", folder);
    snprintf(err, sizeof(err), "%s/stderr", folder);
    check(out, err);
    unlink(out);
    unlink(err);
}

/* What a screen has in its line of conditions is one line where there is no screen. */
static void check_people_are_warned(const char *out, const char *err)
{
    assert_int_equal(in_child(tsv_warns, out, err), 0);
    char *reported = file_text(err, NULL), *rows = file_text(out, NULL);
    assert_string_equal(reported,
                        "uarchprobe: warning: an emulator\n"
                        "uarchprobe: Conditions: SMT sibling busy 12 %\n");
    assert_null(strstr(rows, "sibling"));
    free(reported);
    free(rows);
    assert_int_equal(in_child(human_warns, out, err), 0);
    reported = file_text(err, NULL);
    assert_string_equal(reported, "uarchprobe: warning: an emulator\n");
    free(reported);
    assert_int_equal(in_child(tsv_quiet, out, err), 0);
    reported = file_text(err, NULL);
    assert_string_equal(reported, "");
    free(reported);
}

TEST(people_are_warned_on_standard_error)
{
    with_child_files(check_people_are_warned);
}

static void check_full_stdout(const char *out, const char *err)
{
    int status = in_child(human_warns, "/dev/full", err);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), STATUS_FAILED);
}

TEST(full_standard_output_fails)
{
    with_child_files(check_full_stdout);
}

TEST(file_is_colourless_unless_always)
{
    char path[128];
    snprintf(path, sizeof(path), "%s/out.txt", folder);
    for (int color = 0; color_names[color]; color++) {
        struct fault fault = {0};
        struct record *record = record_new();
        const struct output_choice choice = {.format = -1, .path = path, .color = color, .quiet = true};
        struct output *output = output_open(&choice, record, &fault);
        fill(record);
        assert_int_equal(output_close(output, &fault), STATUS_OK);
        char *got = file_text(path, NULL);
        assert_int_equal(strchr(got, '\033') != NULL, strcmp(color_names[color], "always") == 0);
        free(got);
        unlink(path);
        record_free(record);
    }
}

AROUND_ALL(set_up, tear_down)
