/* SPDX-License-Identifier: MIT */
/* Preloaded: the call that REFUSE names fails with the number in REFUSE_WITH, as on file systems that have no such thing. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

static int refused(const char *call)
{
    const char *name = getenv("REFUSE"), *number = getenv("REFUSE_WITH");
    if (!name || strcmp(name, call) != 0)
        return 0;
    errno = number ? atoi(number) : EPERM;
    return 1;
}

int fchmod(int file, mode_t mode)
{
    return refused("fchmod") ? -1 : (int)syscall(SYS_fchmod, file, mode);
}

int fchown(int file, uid_t owner, gid_t group)
{
    return refused("fchown") ? -1 : (int)syscall(SYS_fchown, file, owner, group);
}

int fsync(int file)
{
    return refused("fsync") ? -1 : (int)syscall(SYS_fsync, file);
}

int flock(int file, int operation)
{
    return refused("flock") ? -1 : (int)syscall(SYS_flock, file, operation);
}

int rename(const char *from, const char *to)
{
    return refused("rename") ? -1 : (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}
