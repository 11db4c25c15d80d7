/* SPDX-License-Identifier: MIT */
/* A result file: refused in one line that says why, or read, written in every format, and read again as the same. */
#include "fuzz.h"

/* A result is written alike after a second reading. */
static void require_stable(const struct record *record)
{
    static struct fuzz_file copy;
    struct record *again;
    struct fault fault = {0};
    struct text first = format_text(&json_format, record);
    file_fill(&copy, first.data, first.length);
    require(record_load(copy.path, &again, &fault) == STATUS_OK);
    struct text second = format_text(&json_format, again);
    require(first.length == second.length && memcmp(first.data, second.data, first.length) == 0);
    text_free(&first);
    text_free(&second);
    record_free(again);
}

static void require_result(void *context, struct record *record)
{
    size_t *taken = context;
    if ((*taken)++ < 2) {
        for (size_t k = 0; formats[k]; k++)
            require_written(formats[k], record);
        require_stable(record);
    }
    record_free(record);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct fuzz_file file;
    size_t taken = 0;
    struct fault fault = {0};
    file_fill(&file, data, size);
    require(record_load_each(file.path, require_result, &taken, &fault) == fault.status);
    require_fault(&fault);
    require(fault.status != STATUS_OK || taken > 0);
    return 0;
}
