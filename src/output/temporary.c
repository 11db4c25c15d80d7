/* SPDX-License-Identifier: MIT */
#include "output/temporary.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"

/* So young, it may be one whose owner has not locked it yet. */
static const time_t YOUNG_S = 60;

static const char unique[] = "XXXXXX";

/* Its own word in the name, as ".NAME.backup" is somebody's. Names have 255 bytes at most. */
static char *template_of(const char *target, size_t folder)
{
    enum { NAME_SHOWN = 200 };
    struct text name = {0};
    text_printf(&name, "%.*s.%.*s.uarchprobe-%s", (int)folder, target, NAME_SHOWN, target + folder, unique);
    return text_take(&name);
}

/* Of this user, and unlocked: whoever made it was killed. */
static bool is_dead(int folder, const char *name)
{
    struct stat file;
    if (fstatat(folder, name, &file, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(file.st_mode) ||
        file.st_uid != geteuid() || time(NULL) - file.st_mtime < YOUNG_S)
        return false;
    const int descriptor = openat(folder, name, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
    const bool dead = descriptor >= 0 && flock(descriptor, LOCK_EX | LOCK_NB) == 0;
    if (descriptor >= 0)
        close(descriptor);
    return dead;
}

/* name: a template without its folder. */
static void sweep(const char *folder, const char *name)
{
    const size_t length = strlen(name), common = length - strlen(unique);
    DIR *directory = opendir(folder);
    for (const struct dirent *entry; directory && (entry = readdir(directory));)
        if (strlen(entry->d_name) == length && strncmp(entry->d_name, name, common) == 0 &&
            is_dead(dirfd(directory), entry->d_name))
            unlinkat(dirfd(directory), entry->d_name, 0);
    if (directory)
        closedir(directory);
}

/* Some file systems refuse both (WSL's drives, FUSE), and the result is as good. What was for one group is not for another. */
static void take_after(int descriptor, const struct stat *existing)
{
    const mode_t mask = umask(0);
    umask(mask);
    mode_t mode = existing ? existing->st_mode & 07777 : 0666 & ~mask;
    struct stat own;
    if (existing && (fstat(descriptor, &own) != 0 || own.st_gid != existing->st_gid) &&
        fchown(descriptor, (uid_t)-1, existing->st_gid) != 0)
        mode &= ~(mode_t)(S_IRWXG | S_ISGID);
    fchmod(descriptor, mode);
}

int temporary_open(const char *target, const struct stat *existing, char **path)
{
    const char *slash = strrchr(target, '/');
    const size_t folder = slash ? (size_t)(slash - target) + 1 : 0;
    char *where = folder ? strndup(target, folder) : strdup(".");
    *path = template_of(target, folder);
    if (where)
        sweep(where, *path + folder);
    free(where);
    const int descriptor = mkostemp(*path, O_CLOEXEC);
    if (descriptor < 0)
        return -1;
    flock(descriptor, LOCK_EX | LOCK_NB);
    take_after(descriptor, existing);
    return descriptor;
}
