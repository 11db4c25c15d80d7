/* SPDX-License-Identifier: MIT */
#include "output/folder.h"

#include "fixture.h"

static const char *folder, *path;

static int set_up(void **state)
{
    folder = a_folder();
    path = path_in(folder, "results/");
    return 0;
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
    struct record *record = synthetic(), *alone = record_of(NULL);
    add_curve(alone);
    written(&tsv_format, record);
    assert_string_equal(file_text(path_in(path, "curve.tsv")), formatted(&tsv_format, alone));
    assert_has(file_text(path_in(path, "findings.tsv")),
               "key\tvalue\tunit\ttrust\tstate\nstore_buffer.entries\t56\tentries\thigh\t\n");
    const char *readme = file_text(path_in(path, "README.md"));
    assert_has(readme, "## curve.tsv\nCurve\n");
    assert_has(readme, "| time | cycles | measured |");
}

TEST(no_name_leads_out_of_the_folder)
{
    static struct table_spec spec;
    spec = list_spec;
    spec.name = "../out";
    struct record *record = record_of(NULL);
    add_texts(record, &spec);
    written(&tsv_format, record);
    assert_non_null(file_text(path_in(path, ".._out.tsv")));
    assert_null(file_text(path_in(folder, "out.tsv")));
}

/* The last of its files has no place. */
TEST(it_is_written_whole_or_not_at_all)
{
    struct record *record = synthetic();
    struct fault fault = {0};
    const char *taken = path_in(path, "README.md"), *old = path_in(path, "findings.tsv");
    assert_int_equal(folder_open(path, &tsv_format, &fault), STATUS_OK);
    assert_int_equal(mkdir(taken, 0700), 0);
    file_write(old, "old");
    assert_int_not_equal(folder_write(path, &tsv_format, record, &fault), STATUS_OK);
    assert_has(fault.text, "README.md");
    assert_int_equal(files_in(path), 2);
    assert_string_equal(file_text(old), "old");
    assert_int_equal(rmdir(taken), 0);
    written(&tsv_format, record);
    assert_true(files_in(path) > 2);
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

AROUND_EACH(set_up, NULL)
