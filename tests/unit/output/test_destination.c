/* SPDX-License-Identifier: MIT */
#include "output/destination.h"

#include <sys/wait.h>

#include "fixture.h"

static const char *folder, *path;

static int set_up(void **state)
{
    folder = a_folder();
    path = path_in(folder, "out.tsv");
    return 0;
}

static struct destination *opened(const char *name)
{
    struct fault fault = {0};
    struct destination *destination = destination_open(name, &fault);
    assert_non_null(destination);
    return destination;
}

static void write_to(const char *name, const char *text)
{
    struct fault fault = {0};
    struct destination *destination = opened(name);
    destination_write(destination, text, strlen(text));
    assert_int_equal(destination_close(destination, &fault), STATUS_OK);
}

TEST(file_appears_whole)
{
    struct fault fault = {0};
    struct destination *destination = opened(path);
    destination_write(destination, "abc", 3);
    assert_int_equal(access(path, F_OK), -1);
    assert_int_equal(destination_close(destination, &fault), STATUS_OK);
    assert_string_equal(file_text(path), "abc");
    assert_int_equal(files_in(folder), 1);
}

TEST(what_is_abandoned_or_discarded_leaves_nothing)
{
    struct destination *destination = opened(path);
    assert_int_equal(files_in(folder), 1);
    destination_abandon();
    assert_int_equal(files_in(folder), 0);
    destination_discard(destination);
    file_write(path, "old");
    destination = opened(path);
    destination_write(destination, "new", 3);
    assert_int_equal(files_in(folder), 2);
    destination_discard(destination);
    assert_string_equal(file_text(path), "old");
    assert_int_equal(files_in(folder), 1);
}

TEST(old_file_stays_until_the_end)
{
    struct fault fault = {0};
    struct stat kind;
    file_write(path, "old");
    assert_int_equal(chmod(path, 0640), 0);
    struct destination *destination = opened(path);
    destination_write(destination, "new", 3);
    assert_string_equal(file_text(path), "old");
    assert_int_equal(destination_close(destination, &fault), STATUS_OK);
    assert_string_equal(file_text(path), "new");
    assert_int_equal(stat(path, &kind), 0);
    assert_int_equal(kind.st_mode & 07777, 0640);
}

/* Written in place, as root would take it from its owner otherwise. */
TEST(a_file_of_somebody_else_stays_until_something_is_written)
{
    struct stat kind;
    file_write(path, "older");
    if (geteuid() != 0 || chown(path, 65534, 65534) != 0)
        SKIP_BECAUSE("only root gives files to others");
    destination_discard(opened(path));
    assert_string_equal(file_text(path), "older");
    write_to(path, "new");
    assert_string_equal(file_text(path), "new");
    write_to(path, "");
    assert_string_equal(file_text(path), "");
    assert_int_equal(stat(path, &kind), 0);
    assert_int_equal(kind.st_uid, 65534);
}

TEST(link_is_followed)
{
    struct stat kind;
    const char *link = path_in(folder, "link");
    assert_int_equal(symlink(path, link), 0);
    for (int i = 0; i < 2; i++) { /* at first to what is not there yet */
        const char *text = i ? "newer" : "new";
        write_to(link, text);
        assert_int_equal(lstat(link, &kind), 0);
        assert_true(S_ISLNK(kind.st_mode));
        assert_string_equal(file_text(path), text);
    }
}

TEST(no_memory_leaves_nothing_unfinished)
{
    int status = 0;
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        opened(path);
        memory_exhausted();
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), STATUS_NO_RESOURCE);
    assert_int_equal(files_in(folder), 0);
}

TEST(what_cannot_be_written_is_refused_at_once)
{
    const char *const cases[][2] = {{"/nowhere/out.tsv", "folder does not exist"},
                                    {"/dev/null/out.tsv", "folder does not exist"},
                                    {"/nowhere/", "folder does not exist"},
                                    {folder, "it is a folder"},
                                    {"", "empty"}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct fault fault = {0};
        assert_null(destination_open(cases[i][0], &fault));
        assert_int_equal(fault.status, STATUS_USAGE);
        assert_has(fault.text, cases[i][1]);
    }
}

AROUND_EACH(set_up, NULL)
