/* SPDX-License-Identifier: MIT */
/* Two result files held against each other, in each of the ways that `compare` has. */
#include "fuzz.h"

extern const struct command compare_command;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct format *format = size % 3 ? &human_format : &json_format;
    static struct fuzz_file before, after;
    static const char *const ways[][3] = {
        {"--threshold", "20", "--strict"}, {"--quiet", "--force", "-v"}, {"--label", "old,new", "--force"}};
    const char *const *way = ways[size % 3];
    file_next(&before, &data, &size);
    file_next(&after, &data, &size);
    const char *words[] = {"compare", way[0], way[1], way[2], before.path, after.path, NULL};
    command_run(&compare_command, 6, words, format);
    return 0;
}
