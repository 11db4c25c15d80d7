/* SPDX-License-Identifier: MIT */
#include "output/destination.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"

struct destination {
    int descriptor;
    int error;       /* errno of the first failed write */
    bool waits;      /* a pipe or terminal, whose reader may be slow */
    bool stale;      /* a file written in place that still has its old content */
    char *name;      /* as the user gave it; for messages */
    char *target;    /* behind symbolic links; NULL: written in place */
    char *temporary; /* NULL: written in place */
    struct destination *volatile next;
};

/* All destinations with a temporary file, for signal handlers. */
static struct destination *volatile unfinished;
static volatile sig_atomic_t hurried;

void destination_hurry(void)
{
    hurried = 1;
}

void destination_abandon(void)
{
    for (const struct destination *destination = unfinished; destination; destination = destination->next)
        unlink(destination->temporary);
}

static struct destination *destination_new(const char *name, int descriptor)
{
    struct destination *destination = memory_zeroed(1, sizeof(*destination));
    destination->descriptor = descriptor;
    destination->name = text_copy_valid(name);
    return destination;
}

/* Temporary names contain a word of ours, because ".NAME.backup" may be the user's. */
static const char mark[] = ".uarchprobe-", unique[] = "XXXXXX";

/* Removes files of this user that killed processes left under this template, except locked ones and those so
 * young that their owner may still lock them. */
static void remove_stale(const char *folder, const char *template)
{
    enum { YOUNG_S = 60 };
    const size_t length = strlen(template), common = length - strlen(unique);
    DIR *directory = opendir(folder);
    for (const struct dirent *entry; directory && (entry = readdir(directory));) {
        if (strlen(entry->d_name) != length || strncmp(entry->d_name, template, common) != 0)
            continue;
        struct stat file;
        const int descriptor =
            openat(dirfd(directory), entry->d_name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
        if (descriptor < 0)
            continue;
        if (fstat(descriptor, &file) == 0 && S_ISREG(file.st_mode) && file.st_uid == geteuid() &&
            time(NULL) - file.st_mtime >= YOUNG_S && flock(descriptor, LOCK_EX | LOCK_NB) == 0)
            unlinkat(dirfd(directory), entry->d_name, 0);
        close(descriptor);
    }
    if (directory)
        closedir(directory);
}

/* Copies mode and group of the existing file (NULL: none), and permissions of the group only with the group.
 * Some file systems refuse both (WSL's drives, FUSE), which does no harm. */
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

/* Opens ".NAME.uarchprobe-XXXXXX" in the folder of the target. Returns a descriptor, or -1 with errno set. */
static int open_temporary(struct destination *destination, const struct stat *existing)
{
    enum { NAME_SHOWN = 200 }; /* names have 255 bytes at most */
    const char *slash = strrchr(destination->target, '/');
    const char *name = slash ? slash + 1 : destination->target;
    struct text folder = {0}, path = {0};
    text_add_bytes(&folder, destination->target, (size_t)(name - destination->target));
    text_printf(&path, "%s.%.*s%s%s", folder.data, NAME_SHOWN, name, mark, unique);
    destination->temporary = text_take(&path);
    remove_stale(slash ? folder.data : ".", destination->temporary + folder.length);
    text_free(&folder);
    const int descriptor = mkostemp(destination->temporary, O_CLOEXEC);
    if (descriptor < 0) {
        free(destination->temporary);
        destination->temporary = NULL;
        if (existing && errno == ENOENT)
            errno = EACCES; /* /proc has the folder but allows no new file */
        return -1;
    }
    flock(descriptor, LOCK_EX | LOCK_NB);
    take_after(descriptor, existing);
    destination->next = unfinished;
    unfinished = destination;
    return descriptor;
}

/* Returns a descriptor, or -1 with errno set. Writes in place if the target is not a regular file, belongs to
 * somebody else, or is a link to a missing file. */
static int open_target(struct destination *destination, const char *path)
{
    struct stat existing, link;
    const bool exists = stat(path, &existing) == 0;
    if (!exists && (errno != ENOENT || path[strlen(path) - 1] == '/'))
        return -1;
    if (exists && S_ISDIR(existing.st_mode)) {
        errno = EISDIR;
        return -1;
    }
    if (exists ? !S_ISREG(existing.st_mode) || existing.st_uid != geteuid()
               : lstat(path, &link) == 0 && S_ISLNK(link.st_mode))
        return open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (exists && access(path, W_OK) != 0)
        return -1;
    destination->target = exists ? realpath(path, NULL) : strdup(path);
    return destination->target ? open_temporary(destination, exists ? &existing : NULL) : -1;
}

struct destination *destination_open(const char *path, struct fault *fault)
{
    hurried = 0;
    memory_at_exhaustion(destination_abandon);
    if (path && !*path) {
        fault_set(fault, STATUS_USAGE, "the name of the output file is empty");
        return NULL;
    }
    struct destination *destination = destination_new(path ? path : "standard output", STDOUT_FILENO);
    if (path)
        destination->descriptor = open_target(destination, path);
    struct stat file;
    const int error = errno;
    if (destination->descriptor >= 0) {
        destination->waits = fstat(destination->descriptor, &file) != 0 || !S_ISREG(file.st_mode);
        destination->stale = path && !destination->waits && !destination->temporary;
        return destination;
    }
    destination_discard(destination);
    if (error == EINTR)
        fault_set(fault, STATUS_FAILED, "cannot write '%s': interrupted while nobody read it", path);
    else if (error == ENOENT || error == ENOTDIR)
        fault_set(fault, STATUS_USAGE,
                  "cannot write '%s': its folder does not exist; create it or choose another", path);
    else if (error == EISDIR)
        fault_set(fault, STATUS_USAGE, "cannot write '%s': it is a folder; name a file in it", path);
    else
        fault_set(fault, STATUS_FAILED, "cannot write '%s': %s; choose another place", path, strerror(error));
    return NULL;
}

struct destination *destination_elsewhere(const char *extension, char **path)
{
    const char *folder = getenv("TMPDIR");
    struct text name = {0};
    text_printf(&name, "%s/uarchprobe-%s%s", folder && *folder ? folder : P_tmpdir, unique, extension);
    *path = text_take(&name);
    const int descriptor = mkostemps(*path, (int)strlen(extension), O_CLOEXEC);
    if (descriptor >= 0)
        return destination_new(*path, descriptor);
    free(*path);
    *path = NULL;
    return NULL;
}

/* A reader (a pager) may be slow, but only briefly once a signal has come. False: it took nothing. */
static bool may_write(const struct destination *destination)
{
    enum { LAST_MS = 2000 };
    struct pollfd ready = {.fd = destination->descriptor, .events = POLLOUT};
    int count;
    do
        count = poll(&ready, 1, hurried ? LAST_MS : -1);
    while (count < 0 && errno == EINTR);
    return count != 0;
}

void destination_write(struct destination *destination, const char *bytes, size_t length)
{
    /* A pipe that poll reports as ready takes PIPE_BUF bytes without blocking. */
    const size_t most = destination->waits ? PIPE_BUF : length;
    /* Truncates only now, so that a run that fails leaves the file as it was. */
    if (destination->stale && ftruncate(destination->descriptor, 0) != 0)
        destination->error = errno;
    destination->stale = false;
    while (length > 0 && !destination->error) {
        if (destination->waits && !may_write(destination)) {
            destination->error = ETIMEDOUT;
            return;
        }
        ssize_t written = write(destination->descriptor, bytes, length < most ? length : most);
        if (written > 0) {
            bytes += written;
            length -= (size_t)written;
        } else if (written == 0 || errno != EINTR) {
            destination->error = written == 0 ? EIO : errno;
        }
    }
}

/* Some file systems report a full disk only here. A signal during fsync loses nothing, nor does a file system
 * without fsync. */
static int reach_the_disk(int descriptor)
{
    while (fsync(descriptor) != 0)
        if (errno != EINTR)
            return errno == EINVAL || errno == EROFS || errno == EPERM || errno == ENOSYS || errno == ENOTSUP
                       ? 0
                       : errno;
    return 0;
}

enum status destination_close(struct destination *destination, struct fault *fault)
{
    enum status status = STATUS_OK;
    const bool is_output = destination->descriptor == STDOUT_FILENO;
    destination_write(destination, "", 0);
    if (destination->temporary && !destination->error)
        destination->error = reach_the_disk(destination->descriptor);
    /* Only closing standard output shows a late error, so a duplicate is closed: others may still print to it. */
    const int closing = is_output ? dup(STDOUT_FILENO) : destination->descriptor;
    if (close(closing) != 0 && errno != EINTR && !destination->error)
        destination->error = errno;
    if (destination->temporary && !destination->error &&
        rename(destination->temporary, destination->target) != 0)
        destination->error = errno;
    if (destination->temporary && destination->error)
        unlink(destination->temporary);
    /* The reader ("| head") has enough: the process ends by SIGPIPE, as it would by default. */
    if (destination->error == EPIPE && is_output) {
        signal(SIGPIPE, SIG_DFL);
        raise(SIGPIPE);
    }
    if (destination->error)
        status = fault_set(fault, STATUS_FAILED, "cannot write %s%s%s: %s", destination->target ? "'" : "",
                           destination->name, destination->target ? "'" : "", strerror(destination->error));
    struct destination *volatile *link = &unfinished;
    while (*link && *link != destination)
        link = &(*link)->next;
    if (*link)
        *link = destination->next;
    free(destination->name);
    free(destination->target);
    free(destination->temporary);
    free(destination);
    return status;
}

void destination_discard(struct destination *destination)
{
    struct fault ignored = {0};
    destination->stale = false;
    destination->error = ECANCELED;
    destination_close(destination, &ignored);
}
