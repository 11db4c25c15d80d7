/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"
#include "cli/facts.h"
#include "cli/help.h"
#include "cli/process.h"
#include "cli/session.h"

static int carry_out(const struct invocation *invocation, struct fault *fault)
{
    const enum help_kind help = (enum help_kind)invocation->common.help;
    if (help == HELP_WORDS)
        completion_print(stdout, invocation->operand_count, invocation->operands);
    else if (help != HELP_NONE)
        help_print(stdout, help, invocation->command);
    else if (invocation->common.version)
        version_print(stdout);
    else
        return session_run(invocation, fault);
    return STATUS_OK;
}

int main(int argc, char **argv)
{
    streams_open();
    struct invocation *invocation = memory_zeroed(1, sizeof *invocation);
    struct fault fault = {0};
    int code = invocation_parse(invocation, argc, argv, &fault);
    if (code == STATUS_OK)
        code = carry_out(invocation, &fault);
    else if (fault.status == STATUS_OK) /* no command is named */
        help_print(stderr, HELP_TEXT, NULL);
    code = streams_close(code, &fault);
    if (fault.status != STATUS_OK)
        fprintf(stderr, "uarchprobe: %s\n", fault.text);
    invocation_free(invocation);
    free(invocation);
    return code;
}
