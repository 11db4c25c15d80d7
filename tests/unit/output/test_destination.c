/* SPDX-License-Identifier: MIT */
#include "output/destination.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
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

/* Returns the state of the file after the write. */
static struct stat write_to(const char *name, const char *text)
{
    struct fault fault = {0};
    struct stat made;
    assert_int_equal(destination_write(opened(name), text, strlen(text), &fault), STATUS_OK);
    assert_int_equal(stat(name, &made), 0);
    return made;
}

/* A file stays as it was, or absent, until it is written; then it is whole and keeps its mode. No other file is there meanwhile,
 * which a killed process would leave. */
TEST(a_file_is_whole_or_as_it_was)
{
    for (int old = 0; old < 2; old++) {
        struct destination *destination = opened(path);
        assert_int_equal(access(path, F_OK), old - 1);
        assert_int_equal(files_in(folder), old);
        destination_discard(destination);
        assert_int_equal(files_in(folder), old);
        if (!old)
            file_write(path, "old");
    }
    assert_string_equal(file_text(path), "old");
    assert_int_equal(chmod(path, 0640), 0);
    const struct stat kind = write_to(path, "new");
    assert_string_equal(file_text(path), "new");
    assert_int_equal(kind.st_mode & 07777, 0640);
    assert_int_equal(files_in(folder), 1);
}

/* Where the write ends early, at a limit for the size of files, the file is as it was and no other is left. */
TEST(a_write_that_fails_leaves_the_file_as_it_was)
{
    struct fault fault = {0};
    struct rlimit limit, small = {.rlim_cur = 2};
    file_write(path, "old");
    struct destination *destination = opened(path);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    small.rlim_max = limit.rlim_max;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    const enum status status = destination_write(destination, "newer", 5, &fault);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    assert_int_equal(status, STATUS_FAILED);
    assert_string_equal(file_text(path), "old");
    assert_int_equal(files_in(folder), 1);
}

/* Running out of memory, too. */
TEST(what_ends_the_process_leaves_the_file_as_it_was)
{
    int status = 0;
    file_write(path, "old");
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        opened(path);
        memory_exhausted(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), STATUS_NO_RESOURCE);
    assert_string_equal(file_text(path), "old");
    assert_int_equal(files_in(folder), 1);
}

/* Such a file is written in place, because root would become the owner of a renamed one. */
TEST(a_file_of_somebody_else_stays_until_something_is_written)
{
    file_write(path, "older");
    if (geteuid() != 0 || chown(path, 65534, 65534) != 0)
        SKIP_BECAUSE("only root gives files to others");
    destination_discard(opened(path));
    assert_string_equal(file_text(path), "older");
    write_to(path, "new");
    assert_string_equal(file_text(path), "new");
    assert_int_equal(write_to(path, "").st_uid, 65534);
    assert_string_equal(file_text(path), "");
}

TEST(link_is_followed)
{
    struct stat kind;
    const char *link = path_in(folder, "link");
    assert_int_equal(symlink(path, link), 0);
    for (int i = 0; i < 2; i++) { /* first through a link to a missing file */
        const char *text = i ? "newer" : "new";
        write_to(link, text);
        assert_int_equal(lstat(link, &kind), 0);
        assert_true(S_ISLNK(kind.st_mode));
        assert_string_equal(file_text(path), text);
    }
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

TEST(mode_and_group_are_kept)
{
    enum { OTHER = 33 };
    umask(027);
    assert_int_equal(write_to(path, "x").st_mode & 07777, 0640);
    umask(022);
    assert_int_equal(write_to(path, "x").st_mode & 07777, 0640);
    if (geteuid() != 0)
        SKIP_BECAUSE("only root gives files to any group");
    assert_int_equal(chown(path, 0, OTHER), 0);
    const struct stat made = write_to(path, "x");
    assert_int_equal(made.st_gid, OTHER);
    assert_int_equal(made.st_mode & 07777, 0640);
}

/* Runs as a user who is in no other group. */
TEST(what_was_for_another_group_is_not_for_ours)
{
    enum { NOBODY = 65534, OTHER = 33 };
    file_write(path, "old");
    if (geteuid() != 0 || chown(path, NOBODY, OTHER) != 0 || chmod(path, 0664) != 0 ||
        chmod(folder, 0777) != 0 || setegid(NOBODY) != 0 || seteuid(NOBODY) != 0)
        SKIP_BECAUSE("only root becomes somebody else");
    const struct stat made = write_to(path, "x");
    assert_int_equal(seteuid(0) + setegid(0), 0);
    assert_int_equal(made.st_mode & 07777, 0604);
}

/* Makes a new file that nobody else can read, or none. */
TEST(elsewhere_is_the_folder_for_temporary_files)
{
    struct fault fault = {0};
    struct stat made;
    char *name;
    setenv("TMPDIR", folder, 1);
    struct destination *elsewhere = destination_elsewhere(".json", &name);
    assert_int_equal(strncmp(own_text(name), folder, strlen(folder)), 0);
    assert_string_equal(name + strlen(name) - 5, ".json");
    assert_int_equal(stat(name, &made), 0);
    assert_int_equal(made.st_mode & 07777, 0600);
    assert_int_equal(destination_write(elsewhere, "x", 1, &fault), STATUS_OK);
    setenv("TMPDIR", "/nowhere/at/all", 1);
    assert_null(destination_elsewhere(".json", &name));
}

AROUND_EACH(set_up, NULL)
