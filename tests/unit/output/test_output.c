/* SPDX-License-Identifier: MIT */
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

#include "fixture.h"

static int index_of_format(const struct format *format)
{
    int index = 0;
    while (formats[index] != format)
        index++;
    return index;
}

/* Each format has its own extension, in the order of the names. */
TEST(extension_chooses)
{
    char name[64];
    size_t i = 0;
    for (; formats[i]; i++) {
        snprintf(name, sizeof(name), "a.b/c.d%s", formats[i]->extension);
        assert_ptr_equal(format_of_path(name), formats[i]);
        assert_string_equal(format_names[i], formats[i]->name);
    }
    assert_null(format_names[i]);
    assert_ptr_equal(format_of_path("a.json/b"), &human_format);
    assert_ptr_equal(format_of_path("json"), &human_format);
    assert_ptr_equal(format_of_path(".xyz"), &human_format);
}

/* Writes a record that grows while its output is open. */
static const char *written_by(const struct format *format, const char *path, struct record *record,
                              void (*grow)(struct record *record))
{
    struct fault fault = {0};
    struct output *output = output_open(
        &(struct output_choice){
            .format = index_of_format(format), .path = path, .tables = true, .quiet = true},
        record, &fault);
    assert_non_null(output);
    grow(record);
    assert_int_equal(output_close(output, &fault), STATUS_OK);
    return file_text(path);
}

/* Takes out the rules of style sheets: data/page.html and data/pictures.css have them. */
static const char *without_style(const char *text)
{
    static const char begin[] = "<style>", end[] = "</style>";
    struct text kept = {0};
    for (const char *at; (at = strstr(text, begin)); text = strstr(at, end))
        text_add_bytes(&kept, text, (size_t)(at - text) + strlen(begin));
    text_add(&kept, text);
    return own_text(text_take(&kept));
}

/* Compares every format, of all tables and of each table alone, with a file of expected text. It must be the
 * same whenever the output was opened. */
TEST(every_format_gives_the_expected_text)
{
    const char *folder = a_folder();
    for (int i = 0; formats[i]; i++) {
        char name[64];
        snprintf(name, sizeof(name), "synthetic%s", formats[i]->extension);
        struct record *record = record_of(NULL);
        const char *expected = file_text(path_in(TEST_DATA "/output", name));
        if (!expected)
            fail_msg("no %s: write what %s should give for fixture.h", name, formats[i]->name);
        assert_string_equal(without_style(written_by(formats[i], path_in(folder, name), record, fill)),
                            expected);
    }
}

TEST(every_format_takes_every_table)
{
    const struct table_spec *const specs[] = {&matrix_spec, &list_spec, &hidden_spec, &empty_spec,
                                              &curve_spec};
    for (int i = 0; formats[i]; i++) {
        for (size_t spec = 0; spec < COUNT_OF(specs); spec++) {
            struct record *record = record_of(specs[spec]);
            formatted(formats[i], record);
            ROW(record, NO_CELL, NO_CELL, NO_CELL, NO_CELL, NO_CELL);
            char *nulls = formatted(formats[i], record);
            assert_true(specs[spec]->view.kind == VIEW_HIDDEN || *nulls != '\0');
            assert_lacks(nulls, "nan");
        }
        formatted(formats[i], record_of(NULL));
    }
}

/* Returns the exit code of a child that writes the record to standard output; both of its streams are files. */
static int exit_of_child(int format, bool quiet, const char *out, const char *err)
{
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        struct fault fault = {0};
        struct record *record = record_new();
        if (dup2(open(out, O_WRONLY | O_CREAT | O_TRUNC, 0600), 1) != 1 ||
            dup2(open(err, O_WRONLY | O_CREAT | O_TRUNC, 0600), 2) != 2)
            _exit(99);
        struct output *output =
            output_open(&(struct output_choice){.format = format, .quiet = quiet}, record, &fault);
        fill(record);
        record_warning(record, "emulated", "an emulator");
        FACT(record, "run.conditions.sibling_share", REAL_CELL(0.12));
        _exit((int)output_close(output, &fault));
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

/* Without a screen the conditions are a line on standard error, too. */
TEST(people_are_warned_on_standard_error)
{
    const char *folder = a_folder(), *out = path_in(folder, "out"), *err = path_in(folder, "err");
    const int tsv = index_of_format(&tsv_format);
    assert_int_equal(exit_of_child(tsv, false, out, err), 0);
    assert_int_equal(occurrences(file_text(err), "uarchprobe: "), 2);
    assert_has(file_text(err), "an emulator\n");
    assert_has(file_text(err), "12 %\n");
    assert_lacks(file_text(out), "sibling");
    assert_int_equal(exit_of_child(-1, false, out, err), 0);
    assert_int_equal(occurrences(file_text(err), "uarchprobe: "), 1);
    assert_has(file_text(err), "an emulator\n");
    assert_int_equal(exit_of_child(tsv, true, out, err), 0);
    assert_string_equal(file_text(err), "");
    assert_int_equal(exit_of_child(-1, false, "/dev/full", err), STATUS_FAILED);
}

TEST(file_is_colourless_unless_always)
{
    const char *path = path_in(a_folder(), "out.txt");
    for (int color = 0; color_names[color]; color++) {
        struct fault fault = {0};
        struct record *record = synthetic();
        const struct output_choice choice = {.format = -1, .path = path, .color = color, .quiet = true};
        assert_int_equal(output_close(output_open(&choice, record, &fault), &fault), STATUS_OK);
        assert_int_equal(strchr(file_text(path), '\033') != NULL, strcmp(color_names[color], "always") == 0);
    }
}
