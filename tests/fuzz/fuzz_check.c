/* SPDX-License-Identifier: MIT */
/* A result file held against limits, and against another result. */
#include "fuzz.h"

extern const struct command check_command;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct format *format = size % 3 ? &human_format : &json_format;
    static struct fuzz_file result, limits, other;
    const bool against = size % 2;
    file_next(&limits, &data, &size);
    file_next(&result, &data, &size);
    file_next(&other, &data, &size);
    const char *words[] = {"check", result.path, "--limits", limits.path, "--against", other.path, NULL};
    command_run(&check_command, against ? 6 : 4, words, format);
    return 0;
}
