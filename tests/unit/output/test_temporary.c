/* SPDX-License-Identifier: MIT */
#include "output/temporary.h"

#include <fcntl.h>
#include <sys/file.h>
#include <time.h>

#include "fixture.h"

static const char *folder, *path;

static int set_up(void **state)
{
    folder = a_folder();
    path = path_in(folder, "out.tsv");
    return 0;
}

static struct stat opened(const struct stat *existing)
{
    struct stat made;
    char *name;
    const int descriptor = temporary_open(path, existing, &name);
    assert_true(descriptor >= 0);
    assert_int_equal(strncmp(name, folder, strlen(folder)), 0);
    assert_int_equal(fstat(descriptor, &made), 0);
    close(descriptor);
    unlink(name);
    free(name);
    return made;
}

TEST(mode_and_group_are_kept)
{
    enum { OTHER = 33 };
    struct stat existing = {.st_mode = S_IFREG | 0640, .st_gid = getegid()};
    assert_int_equal(opened(&existing).st_mode & 07777, 0640);
    umask(027);
    assert_int_equal(opened(NULL).st_mode & 07777, 0640);
    umask(022);
    if (geteuid() != 0)
        SKIP_BECAUSE("only root gives files to any group");
    existing.st_gid = OTHER;
    assert_int_equal(opened(&existing).st_gid, OTHER);
    assert_int_equal(opened(&existing).st_mode & 07777, 0640);
}

/* As somebody who is in no other group. */
TEST(what_was_for_another_group_is_not_for_ours)
{
    enum { NOBODY = 65534, OTHER = 33 };
    const struct stat existing = {.st_mode = S_IFREG | 0664, .st_gid = OTHER};
    if (geteuid() != 0 || chmod(folder, 0777) != 0 || setegid(NOBODY) != 0 || seteuid(NOBODY) != 0)
        SKIP_BECAUSE("only root becomes somebody else");
    const struct stat made = opened(&existing);
    assert_int_equal(seteuid(0) + setegid(0), 0);
    assert_int_equal(made.st_mode & 07777, 0604);
}

/* Whether a file of that name and age, locked or not, survives the next one for out.tsv. */
static bool survives(const char *name, long age_s, bool locked)
{
    const char *other = path_in(folder, name);
    file_write(other, "x");
    const struct timespec old = {.tv_sec = time(NULL) - age_s}, times[2] = {old, old};
    assert_int_equal(utimensat(AT_FDCWD, other, times, 0), 0);
    const int descriptor = open(other, O_RDWR);
    if (locked)
        assert_int_equal(flock(descriptor, LOCK_EX | LOCK_NB), 0);
    opened(NULL);
    close(descriptor);
    return unlink(other) == 0;
}

TEST(what_a_killed_process_left_is_swept)
{
    assert_false(survives(".out.tsv.uarchprobe-aB3dEf", 61, false));
    assert_true(survives(".out.tsv.uarchprobe-aB3dEf", 58, false)); /* not locked yet */
    assert_true(survives(".out.tsv.uarchprobe-aB3dEf", 3600, true));
    assert_true(survives(".out.csv.uarchprobe-aB3dEf", 3600, false));
    assert_true(survives(".out.tsv.uarchprobe-aB3dEfg", 3600, false));
    assert_true(survives(".out.tsv.backup", 3600, false));
    assert_true(survives("out.tsv.uarchprobe-aB3dEf", 3600, false));
}

TEST(a_link_is_not_followed)
{
    const char *link = path_in(folder, ".out.tsv.uarchprobe-aB3dEf"), *precious = path_in(folder, "precious");
    file_write(precious, "x");
    assert_int_equal(symlink(precious, link), 0);
    opened(NULL);
    assert_int_equal(unlink(link), 0);
    assert_int_equal(unlink(precious), 0);
}

AROUND_EACH(set_up, NULL)
