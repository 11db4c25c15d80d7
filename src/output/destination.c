/* SPDX-License-Identifier: MIT */
#include "output/destination.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"

struct destination {
    int descriptor;
    char *name;   /* as the user gave it; for messages */
    char *target; /* behind symbolic links, of a file that is replaced; NULL: written in place */
};

/* The file that is being written, for signal handlers; NULL: none. */
static char *volatile temporary;
static volatile sig_atomic_t hurried;

void destination_hurry(void)
{
    hurried = 1;
}

void destination_abandon(void)
{
    if (temporary)
        unlink(temporary);
}

static struct destination *destination_new(const char *name, int descriptor)
{
    struct destination *destination = memory_zeroed(1, sizeof(*destination));
    destination->descriptor = descriptor;
    destination->name = text_copy_valid(name);
    return destination;
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

static void end_temporary(void)
{
    char *ended = temporary;
    destination_abandon();
    temporary = NULL;
    free(ended);
}

/* Opens ".NAME.uarchprobe-XXXXXX" in the folder of the target. Returns a descriptor, or -1 with errno set. */
static int open_temporary(const char *target)
{
    enum { NAME_SHOWN = 200 }; /* names have 255 bytes at most */
    const char *slash = strrchr(target, '/'), *name = slash ? slash + 1 : target;
    struct text path = {0};
    text_add_bytes(&path, target, (size_t)(name - target));
    text_printf(&path, ".%.*s.uarchprobe-XXXXXX", NAME_SHOWN, name);
    char *made = text_take(&path);
    const int descriptor = mkostemp(made, O_CLOEXEC);
    if (descriptor < 0) {
        const int error = errno;
        free(made);
        /* /proc has the folder but allows no new file */
        errno = error == ENOENT && access(target, F_OK) == 0 ? EACCES : error;
        return -1;
    }
    temporary = made;
    return descriptor;
}

/* Returns a descriptor, or -1 with errno set. Writes in place if the target is not a regular file, belongs
 * to somebody else, or is a link to a missing file. Of others a temporary file shows that they can be
 * written. */
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
    const int descriptor = destination->target ? open_temporary(destination->target) : -1;
    if (descriptor >= 0)
        close(descriptor);
    end_temporary();
    return descriptor;
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
    const int error = errno;
    if (destination->descriptor >= 0)
        return destination;
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
    text_printf(&name, "%s/uarchprobe-XXXXXX%s", folder && *folder ? folder : P_tmpdir, extension);
    *path = text_take(&name);
    const int descriptor = mkostemps(*path, (int)strlen(extension), O_CLOEXEC);
    if (descriptor >= 0)
        return destination_new(*path, descriptor);
    free(*path);
    *path = NULL;
    return NULL;
}

/* A reader (a pager) may be slow, but only briefly once a signal has come: many short waits, as the signal
 * may come between two. False: it took nothing. */
static bool may_write(int descriptor)
{
    enum { WAIT_MS = 50, LAST_WAITS = 8 };
    struct pollfd ready = {.fd = descriptor, .events = POLLOUT};
    for (int waits = 0; waits < LAST_WAITS; waits += hurried != 0) {
        const int count = poll(&ready, 1, WAIT_MS);
        if (count > 0 || (count < 0 && errno != EINTR))
            return true;
    }
    return false;
}

/* Returns 0 or an errno. A pipe that poll reports as ready takes PIPE_BUF bytes without blocking. */
static int write_all(int descriptor, const char *bytes, size_t length)
{
    struct stat file;
    const bool waits = fstat(descriptor, &file) != 0 || !S_ISREG(file.st_mode);
    const size_t most = waits ? PIPE_BUF : length;
    /* Truncates only now, so that a run that fails leaves a file written in place as it was. */
    if (!waits && file.st_size > 0 && descriptor != STDOUT_FILENO && ftruncate(descriptor, 0) != 0)
        return errno;
    for (size_t done = 0; done < length;) {
        if (waits && !may_write(descriptor))
            return ETIMEDOUT;
        const size_t left = length - done;
        const ssize_t written = write(descriptor, bytes + done, left < most ? left : most);
        if (written == 0 || (written < 0 && errno != EINTR))
            return written == 0 ? EIO : errno;
        done += written > 0 ? (size_t)written : 0;
    }
    return 0;
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

void destination_discard(struct destination *destination)
{
    if (destination->descriptor > STDERR_FILENO && !destination->target)
        close(destination->descriptor);
    free(destination->name);
    free(destination->target);
    free(destination);
}

enum status destination_write(struct destination *destination, const char *bytes, size_t length,
                              struct fault *fault)
{
    enum status status = STATUS_OK;
    struct stat existing;
    const char *target = destination->target, *quote = target ? "'" : "";
    const bool is_output = destination->descriptor == STDOUT_FILENO && !target;
    const int descriptor = target ? open_temporary(target) : destination->descriptor;
    if (descriptor >= 0 && target)
        take_after(descriptor, stat(target, &existing) == 0 ? &existing : NULL);
    int error = descriptor < 0 ? errno : write_all(descriptor, bytes, length);
    if (target && !error)
        error = reach_the_disk(descriptor);
    /* Only closing standard output shows a late error, so a duplicate is closed: others may still print to
     * it. */
    if (descriptor >= 0 && close(is_output ? dup(STDOUT_FILENO) : descriptor) != 0 && errno != EINTR &&
        !error)
        error = errno;
    if (target && !error && rename(temporary, target) != 0)
        error = errno;
    end_temporary();
    /* The reader ("| head") has enough: the process ends by SIGPIPE, as it would by default. */
    if (error == EPIPE && is_output) {
        signal(SIGPIPE, SIG_DFL);
        raise(SIGPIPE);
    }
    if (error)
        status = fault_set(fault, STATUS_FAILED, "cannot write %s%s%s: %s", quote, destination->name, quote,
                           strerror(error));
    destination->descriptor = -1;
    destination_discard(destination);
    return status;
}
