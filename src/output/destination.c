/* SPDX-License-Identifier: MIT */
#include "output/destination.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"

enum { NAME_TRIES = 100 };

struct destination {
    int descriptor;
    int error;       /* errno of the first failed write */
    char *name;      /* as the user gave it; for messages */
    char *target;    /* behind symbolic links; NULL: written in place */
    char *temporary; /* NULL: written in place */
};

static struct destination *destination_new(const char *name, int descriptor)
{
    struct destination *destination = memory_zeroed(1, sizeof(*destination));
    destination->descriptor = descriptor;
    destination->name = text_copy_valid(name);
    return destination;
}

static void destination_free(struct destination *destination)
{
    free(destination->name);
    free(destination->target);
    free(destination->temporary);
    free(destination);
}

static void open_fault(const char *path, int error, struct fault *fault)
{
    if (error == ENOENT || error == ENOTDIR)
        fault_set(fault, STATUS_USAGE,
                  "cannot write '%s': its folder does not exist; create it or choose another", path);
    else if (error == EISDIR)
        fault_set(fault, STATUS_USAGE, "cannot write '%s': it is a folder; name a file in it", path);
    else
        fault_set(fault, STATUS_FAILED, "cannot write '%s': %s; choose another place", path, strerror(error));
}

static struct destination *open_in_place(const char *path, struct fault *fault)
{
    int descriptor = open(path, O_WRONLY | O_CLOEXEC);
    if (descriptor < 0) {
        open_fault(path, errno, fault);
        return NULL;
    }
    return destination_new(path, descriptor);
}

/* ".NAME.PID-N.part" beside the target; not mkstemp, whose files only their owner can read. */
static int open_temporary(struct destination *destination)
{
    const char *slash = strrchr(destination->target, '/');
    int folder_length = slash ? (int)(slash - destination->target) + 1 : 0;
    const char *base = destination->target + folder_length;
    int descriptor = -1;
    errno = EEXIST;
    for (int i = 0; i < NAME_TRIES && descriptor < 0 && errno == EEXIST; i++) {
        struct text name = {0};
        text_printf(&name, "%.*s.%s.%ld-%d.part", folder_length, destination->target, base, (long)getpid(),
                    i);
        free(destination->temporary);
        destination->temporary = text_take(&name);
        descriptor = open(destination->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    }
    return descriptor;
}

static struct destination *open_beside(const char *path, const struct stat *existing, struct fault *fault)
{
    if (existing && access(path, W_OK) != 0) {
        open_fault(path, errno, fault);
        return NULL;
    }
    struct destination *destination = destination_new(path, -1);
    destination->target = existing ? realpath(path, NULL) : strdup(path);
    destination->descriptor = destination->target ? open_temporary(destination) : -1;
    if (destination->descriptor < 0) {
        open_fault(path, errno, fault);
        destination_free(destination);
        return NULL;
    }
    if (existing && fchmod(destination->descriptor, existing->st_mode & 07777) != 0)
        destination->error = errno;
    return destination;
}

struct destination *destination_open(const char *path, struct fault *fault)
{
    struct stat existing;
    if (!path)
        return destination_new("standard output", STDOUT_FILENO);
    size_t length = strlen(path);
    if (length == 0) {
        fault_set(fault, STATUS_USAGE, "the name of the output file is empty");
        return NULL;
    }
    if (stat(path, &existing) != 0) {
        if (errno == ENOENT && path[length - 1] != '/')
            return open_beside(path, NULL, fault);
        open_fault(path, errno, fault);
        return NULL;
    }
    if (S_ISDIR(existing.st_mode)) {
        open_fault(path, EISDIR, fault);
        return NULL;
    }
    return S_ISREG(existing.st_mode) ? open_beside(path, &existing, fault) : open_in_place(path, fault);
}

void destination_write(struct destination *destination, const char *bytes, size_t length)
{
    while (length > 0 && !destination->error) {
        ssize_t written = write(destination->descriptor, bytes, length);
        if (written > 0) {
            bytes += written;
            length -= (size_t)written;
        } else if (written == 0 || errno != EINTR) {
            destination->error = written == 0 ? EIO : errno;
        }
    }
}

static void finish(struct destination *destination)
{
    /* Some file systems find out that the disk is full only here. */
    if (destination->temporary && !destination->error && fsync(destination->descriptor) != 0 &&
        errno != EINVAL && errno != EROFS)
        destination->error = errno;
    /* Closing standard output is what tells of a late error on it, but others may still print to it. */
    int closing = destination->descriptor == STDOUT_FILENO ? dup(STDOUT_FILENO) : destination->descriptor;
    if (close(closing) != 0 && !destination->error)
        destination->error = errno;
    if (!destination->temporary)
        return;
    if (!destination->error && rename(destination->temporary, destination->target) != 0)
        destination->error = errno;
    if (destination->error)
        unlink(destination->temporary);
}

enum status destination_close(struct destination *destination, struct fault *fault)
{
    enum status status = STATUS_OK;
    finish(destination);
    if (destination->error)
        status =
            fault_set(fault, STATUS_FAILED, "cannot write %s%s%s: %s; the results are lost or incomplete",
                      destination->target ? "'" : "", destination->name, destination->target ? "'" : "",
                      strerror(destination->error));
    destination_free(destination);
    return status;
}

void destination_discard(struct destination *destination)
{
    if (destination->descriptor != STDOUT_FILENO)
        close(destination->descriptor);
    if (destination->temporary)
        unlink(destination->temporary);
    destination_free(destination);
}
