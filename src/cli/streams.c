/* SPDX-License-Identifier: MIT */
#include "cli/streams.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* What is opened in place of a closed one refuses as that does: reading from the first, writing to the others. */
void streams_open(void)
{
    for (int descriptor = 0; descriptor < 3; descriptor++) {
        if (fcntl(descriptor, F_GETFD) < 0)
            (void)open("/dev/null", descriptor ? O_RDONLY : O_WRONLY);
    }
}

/* A full disk shows itself here at the latest. Closed from the start (EBADF) is an error only to those who
 * wrote. */
int streams_close(int code, struct fault *fault)
{
    bool failed = ferror(stdout) || fflush(stdout) != 0;
    int reason = errno;
    if (!failed && fclose(stdout) != 0 && errno != EBADF) {
        failed = true;
        reason = errno;
    }
    if (!failed || code != STATUS_OK)
        return code;
    return fault_set(fault, STATUS_FAILED, "cannot write to standard output: %s",
                     reason ? strerror(reason) : "write error");
}
