/* SPDX-License-Identifier: MIT */
#include "output/folder.h"

#include <dirent.h>
#include <sys/stat.h>

#include "fixture.h"

static char folder[64], path[96];

static int set_up(void **state)
{
    folder_make(folder);
    snprintf(path, sizeof(path), "%s/results/", folder);
    return 0;
}

static int tear_down(void **state)
{
    DIR *directory = opendir(path);
    char name[400];
    for (const struct dirent *entry; directory && (entry = readdir(directory));) {
        snprintf(name, sizeof(name), "%s%s", path, entry->d_name);
        unlink(name);
    }
    if (directory)
        closedir(directory);
    rmdir(path);
    return rmdir(folder);
}

static char *file_in_folder(const char *name)
{
    char file[200];
    snprintf(file, sizeof(file), "%s%s", path, name);
    return file_text(file, NULL);
}

static void written(const struct format *format, const struct record *record)
{
    struct fault fault = {0};
    assert_int_equal(folder_open(path, format, &fault), STATUS_OK);
    assert_int_equal(folder_write(path, format, record, &fault), STATUS_OK);
}

/* Each table is what the format makes of a record that has it alone. */
TEST(each_table_has_its_file)
{
    struct record *record = synthetic(), *alone = record_new();
    add_curve(alone);
    written(&tsv_format, record);
    char *expected = formatted(&tsv_format, alone), *got = file_in_folder("curve.tsv");
    assert_non_null(got);
    assert_string_equal(got, expected);
    free(got);
    got = file_in_folder("findings.tsv");
    assert_non_null(
        strstr(got, "key\tvalue\tunit\ttrust\tstate\nstore_buffer.entries\t56\tentries\thigh\t\n"));
    free(got);
    got = file_in_folder("README.md");
    assert_non_null(strstr(got, "## curve.tsv\nCurve\n"));
    assert_non_null(strstr(got, "| time | cycles | measured |"));
    free(got);
    free(expected);
    record_free(alone);
    record_free(record);
}

TEST(no_name_leads_out_of_the_folder)
{
    static const struct table_spec spec = {
        .name = "../out", .title = "Out", .columns = list_columns, .column_count = 3};
    struct record *record = record_new();
    char outside[200];
    add_texts(record, &spec);
    written(&tsv_format, record);
    char *got = file_in_folder(".._out.tsv");
    assert_non_null(got);
    snprintf(outside, sizeof(outside), "%s/out.tsv", folder);
    assert_null(file_text(outside, NULL));
    free(got);
    record_free(record);
}

static int files_in(const char *name)
{
    int count = 0;
    DIR *directory = opendir(name);
    for (const struct dirent *entry; directory && (entry = readdir(directory));)
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    closedir(directory);
    return count;
}

/* The last of its files has no place. */
TEST(it_is_written_whole_or_not_at_all)
{
    struct record *record = synthetic();
    struct fault fault = {0};
    char taken[200], old[200];
    assert_int_equal(folder_open(path, &tsv_format, &fault), STATUS_OK);
    snprintf(taken, sizeof(taken), "%sREADME.md", path);
    snprintf(old, sizeof(old), "%sfindings.tsv", path);
    assert_int_equal(mkdir(taken, 0700), 0);
    file_write(old, "old", 3);
    assert_int_not_equal(folder_write(path, &tsv_format, record, &fault), STATUS_OK);
    assert_non_null(strstr(fault.text, taken));
    assert_int_equal(files_in(path), 2);
    char *got = file_in_folder("findings.tsv");
    assert_string_equal(got, "old");
    free(got);
    assert_int_equal(rmdir(taken), 0);
    written(&tsv_format, record);
    assert_true(files_in(path) > 2);
    record_free(record);
}

TEST(one_document_is_no_folder)
{
    struct fault fault = {0};
    assert_int_equal(folder_open(path, &json_format, &fault), STATUS_USAGE);
    assert_non_null(strstr(fault.text, "json is one document"));
    assert_int_equal(folder_open("/nowhere/at/all/", &tsv_format, &fault), STATUS_USAGE);
    assert_int_equal(folder_open("/dev/null", &tsv_format, &fault), STATUS_USAGE);
    assert_true(folder_is_meant("new/"));
    assert_true(folder_is_meant(folder));
    assert_false(folder_is_meant("new.tsv"));
    assert_false(folder_is_meant(""));
}

AROUND_EACH(set_up, tear_down)
