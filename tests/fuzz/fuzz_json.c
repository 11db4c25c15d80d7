/* SPDX-License-Identifier: MIT */
/* A result file: refused in one line that says why, or read, written in every format, and read again as the same. */
#include "fuzz.h"

/* What is written of a result is the same after a second reading. */
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct fuzz_file file;
    struct record_list list;
    struct fault fault = {0};
    file_fill(&file, data, size);
    require(record_load_all(file.path, &list, &fault) == fault.status);
    require_fault(&fault);
    require((fault.status == STATUS_OK) == (list.count > 0));
    for (size_t i = 0; i < list.count && i < 2; i++) {
        for (size_t k = 0; formats[k]; k++)
            require_written(formats[k], list.record[i]);
        require_stable(list.record[i]);
    }
    record_list_free(&list);
    return 0;
}
