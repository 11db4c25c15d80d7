/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/facts.h"
#include "cli/help.h"
#include "cli/invocation.h"
#include "cli/session.h"

static int carry_out(const struct invocation *invocation, struct fault *fault)
{
    if (invocation->common.help != HELP_NONE)
        help_print(stdout, (enum help_kind)invocation->common.help, invocation->command);
    else if (invocation->common.version)
        version_print(stdout);
    else
        return session_run(invocation, fault);
    return STATUS_OK;
}

/* A full disk shows itself here at the latest. Closed from the start (EBADF) is an error only to those who
 * wrote. */
static int close_stdout(int code, struct fault *fault)
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

int main(int argc, char **argv)
{
    struct invocation *invocation = memory_zeroed(1, sizeof *invocation);
    struct fault fault = {0};
    int code = invocation_parse(invocation, argc, argv, &fault);
    if (code == STATUS_OK)
        code = carry_out(invocation, &fault);
    code = close_stdout(code, &fault);
    if (fault.status != STATUS_OK)
        fprintf(stderr, "uarchprobe: %s\n", fault.text);
    invocation_free(invocation);
    free(invocation);
    return code;
}
