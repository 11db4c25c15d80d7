/* SPDX-License-Identifier: MIT */
/* Every value parser on arbitrary text: a value within its bounds, or one line that says why not.
 * Built with -DFUZZ=ON, run by scripts/test. */
#include "fuzz.h"
#include "uarchprobe/values.h"

static void check_fault(enum status status, const struct fault *fault)
{
    require(status == fault->status);
    require(status == STATUS_OK || status == STATUS_USAGE);
    require_fault(fault);
}

static void try_size(const char *text)
{
    struct fault fault = {0};
    uint64_t bytes = 0;
    enum status status = parse_size(text, &bytes, &fault);
    check_fault(status, &fault);
    require((status == STATUS_OK) == (bytes > 0 && bytes <= INT64_MAX));
}

static void try_size_list(const char *text)
{
    struct fault fault = {0};
    struct size_list list;
    enum status status = parse_size_list(text, &list, &fault);
    check_fault(status, &fault);
    if (status != STATUS_OK)
        return;
    require(list.count > 0 && list.count <= SIZE_LIST_MAX);
    for (int i = 0; i < list.count; i++)
        require(list.bytes[i] > 0);
}

static void try_cpu_list(const char *text)
{
    static struct cpu_list list;
    unsigned char seen[CPU_LIST_MAX] = {0};
    struct fault fault = {0};
    enum status status = parse_cpu_list(text, &list, &fault);
    check_fault(status, &fault);
    if (status != STATUS_OK)
        return;
    require(list.all ? list.count == 0 : list.count > 0 && list.count <= CPU_LIST_MAX);
    for (int i = 0; i < list.count; i++) {
        require(list.id[i] >= 0 && list.id[i] < CPU_LIST_MAX);
        require(!seen[list.id[i]]++);
    }
}

static void try_range(const char *text)
{
    struct fault fault = {0};
    struct range range;
    enum status status = parse_range(text, &range, &fault);
    check_fault(status, &fault);
    require(status != STATUS_OK || (range.first <= range.last && range.last <= INT64_MAX));
}

static void try_count(const char *text)
{
    struct fault fault = {0};
    uint64_t value = 0;
    enum status status = parse_count(text, 3, 1000, &value, &fault);
    check_fault(status, &fault);
    require(status == STATUS_OK ? value >= 3 && value <= 1000 : value == 0);
}

static void try_real(const char *text)
{
    struct fault fault = {0};
    double value = 0;
    enum status status = parse_real(text, 0.5, 1e6, &value, &fault);
    check_fault(status, &fault);
    require(status == STATUS_OK ? value >= 0.5 && value <= 1e6 : value == 0);
}

static void try_name_list(const char *text)
{
    struct fault fault = {0};
    struct name_list list;
    enum status status = parse_name_list(text, &list, &fault);
    check_fault(status, &fault);
    if (status != STATUS_OK)
        return;
    require(list.count > 0 && list.count <= NAME_LIST_MAX);
    for (int i = 0; i < list.count; i++)
        require(list.name[i][0] != '\0' && memchr(list.name[i], '\0', NAME_MAX_LENGTH));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static void (*const tries[])(const char *) = {try_size,  try_size_list, try_cpu_list, try_range,
                                                  try_count, try_real,      try_name_list};
    char *text = malloc(size + 1);
    require(text != NULL);
    memcpy(text, data, size);
    text[size] = '\0';
    for (size_t i = 0; i < sizeof(tries) / sizeof(tries[0]); i++)
        tries[i](text);
    free(text);
    return 0;
}
