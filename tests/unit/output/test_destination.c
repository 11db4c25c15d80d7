/* SPDX-License-Identifier: MIT */
#include "output/destination.h"

#include <dirent.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "fixture.h"

static char folder[64], path[96];

static int set_up(void **state)
{
    folder_make(folder);
    snprintf(path, sizeof(path), "%s/out.tsv", folder);
    return 0;
}

static int tear_down(void **state)
{
    unlink(path);
    return rmdir(folder);
}

static int files_in_folder(void)
{
    int count = 0;
    DIR *directory = opendir(folder);
    for (const struct dirent *entry; (entry = readdir(directory));)
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    closedir(directory);
    return count;
}

static struct destination *opened(const char *name)
{
    struct fault fault = {0};
    struct destination *destination = destination_open(name, &fault);
    assert_non_null(destination);
    return destination;
}

static void assert_file_is(const char *expected)
{
    char *got = file_text(path, NULL);
    assert_string_equal(got, expected);
    free(got);
}

TEST(file_appears_whole)
{
    struct fault fault = {0};
    struct destination *destination = opened(path);
    destination_write(destination, "abc", 3);
    assert_int_equal(access(path, F_OK), -1);
    assert_int_equal(destination_close(destination, &fault), STATUS_OK);
    assert_file_is("abc");
    assert_int_equal(files_in_folder(), 1);
}

TEST(what_is_abandoned_leaves_nothing)
{
    struct destination *destination = opened(path);
    assert_int_equal(files_in_folder(), 1);
    destination_abandon();
    assert_int_equal(files_in_folder(), 0);
    destination_discard(destination);
}

TEST(old_file_stays_until_the_end)
{
    struct fault fault = {0};
    struct stat kind;
    file_write(path, "old", 3);
    assert_int_equal(chmod(path, 0640), 0);
    struct destination *destination = opened(path);
    destination_write(destination, "new", 3);
    assert_file_is("old");
    assert_int_equal(destination_close(destination, &fault), STATUS_OK);
    assert_file_is("new");
    assert_int_equal(stat(path, &kind), 0);
    assert_int_equal(kind.st_mode & 07777, 0640);
}

/* Written in place, as root would take it from its owner otherwise. */
TEST(a_file_of_somebody_else_stays_until_something_is_written)
{
    struct fault fault = {0};
    struct stat kind;
    file_write(path, "older", 5);
    if (geteuid() != 0 || chown(path, 65534, 65534) != 0)
        SKIP_BECAUSE("only root gives files to others");
    destination_discard(opened(path));
    assert_file_is("older");
    struct destination *destination = opened(path);
    destination_write(destination, "new", 3);
    assert_int_equal(destination_close(destination, &fault), STATUS_OK);
    assert_file_is("new");
    assert_int_equal(destination_close(opened(path), &fault), STATUS_OK);
    assert_file_is("");
    assert_int_equal(stat(path, &kind), 0);
    assert_int_equal(kind.st_uid, 65534);
}

TEST(discarding_leaves_nothing)
{
    file_write(path, "old", 3);
    struct destination *destination = opened(path);
    destination_write(destination, "new", 3);
    assert_int_equal(files_in_folder(), 2);
    destination_discard(destination);
    assert_file_is("old");
    assert_int_equal(files_in_folder(), 1);
}

TEST(link_is_followed)
{
    char link[96];
    struct fault fault = {0};
    struct stat kind;
    snprintf(link, sizeof(link), "%s/link", folder);
    file_write(path, "old", 3);
    assert_int_equal(symlink(path, link), 0);
    struct destination *destination = opened(link);
    destination_write(destination, "new", 3);
    assert_int_equal(destination_close(destination, &fault), STATUS_OK);
    assert_int_equal(lstat(link, &kind), 0);
    assert_true(S_ISLNK(kind.st_mode));
    assert_file_is("new");
    unlink(link);
}

static void assert_refused(const char *name, enum status status, const char *why)
{
    struct fault fault = {0};
    assert_null(destination_open(name, &fault));
    assert_int_equal(fault.status, status);
    if (!strstr(fault.text, why))
        print_message("%s\n", fault.text);
    assert_non_null(strstr(fault.text, why));
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
    assert_int_equal(files_in_folder(), 0);
}

TEST(what_cannot_be_written_is_refused_at_once)
{
    assert_refused("/nowhere/out.tsv", STATUS_USAGE, "folder does not exist");
    assert_refused("/dev/null/out.tsv", STATUS_USAGE, "folder does not exist");
    assert_refused("/nowhere/", STATUS_USAGE, "folder does not exist");
    assert_refused(folder, STATUS_USAGE, "it is a folder");
    assert_refused("", STATUS_USAGE, "empty");
}

AROUND_EACH(set_up, tear_down)
