/* SPDX-License-Identifier: MIT */
#include "uarchprobe/option.h"

#include <ctype.h>
#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "words.h"

/* A piece of the text that is being parsed; never holds a NUL. */
struct span {
    const char *text;
    size_t length;
};

static struct span whole(const char *text)
{
    return (struct span){text, strlen(text)};
}

static enum status refuse(struct fault *fault, struct span item, const char *reason)
{
    return fault_set(fault, STATUS_USAGE, "%s %s", quote_span(item.text, item.length).text, reason);
}

/* Items stand between commas, so an empty text is one empty item. */
static bool next_item(const char **cursor, struct span *item)
{
    if (!*cursor)
        return false;
    const char *comma = strchr(*cursor, ',');
    item->text = *cursor;
    item->length = comma ? (size_t)(comma - *cursor) : strlen(*cursor);
    *cursor = comma ? comma + 1 : NULL;
    return true;
}

static void advance(struct span *rest, size_t bytes)
{
    rest->text += bytes;
    rest->length -= bytes;
}

/* Takes the digits at the front; too large a number becomes UINT64_MAX, which every bound refuses. */
static bool take_number(struct span *rest, uint64_t *value)
{
    size_t i = 0;
    *value = 0;
    for (; i < rest->length && isdigit((unsigned char)rest->text[i]); i++) {
        if (__builtin_mul_overflow(*value, 10, value) ||
            __builtin_add_overflow(*value, (uint64_t)(rest->text[i] - '0'), value))
            *value = UINT64_MAX;
    }
    advance(rest, i);
    return i > 0;
}

/* letter: lower case. */
static bool take_letter(struct span *rest, char letter)
{
    if (rest->length == 0 || tolower((unsigned char)rest->text[0]) != letter)
        return false;
    advance(rest, 1);
    return true;
}

/* Bytes of one unit of the suffix; 0: no such suffix. */
static uint64_t size_unit(struct span suffix)
{
    static const char powers[] = "kmg";
    uint64_t unit = 1;
    for (int power = 0; powers[power]; power++) {
        if (!take_letter(&suffix, powers[power]))
            continue;
        uint64_t base = take_letter(&suffix, 'i') ? 1024 : 1000;
        for (int i = 0; i <= power; i++)
            unit *= base;
        break;
    }
    take_letter(&suffix, 'b');
    return suffix.length == 0 ? unit : 0;
}

/* Sizes end at INT64_MAX, so that a record can hold every one of them. */
static enum status parse_size(struct span item, uint64_t *bytes, struct fault *fault)
{
    struct span rest = item;
    uint64_t number;
    const uint64_t unit = take_number(&rest, &number) ? size_unit(rest) : 0;
    if (unit == 0)
        return refuse(fault, item,
                      "is no size: write a whole number of bytes, with k m g for powers of 1000 "
                      "or ki mi gi for powers of 1024");
    if (number == 0)
        return refuse(fault, item, "is no size: a size is 1 byte or more");
    if (number > INT64_MAX / unit)
        return refuse(fault, item, "is too large: sizes end below 8 EiB");
    *bytes = number * unit;
    return STATUS_OK;
}

/* A range is the only item. */
static enum status parse_size_range(const char *text, const char *dash, struct size_list *list,
                                    struct fault *fault)
{
    list->is_range = true;
    list->count = 2;
    if (parse_size((struct span){text, (size_t)(dash - text)}, &list->bytes[0], fault) != STATUS_OK ||
        parse_size(whole(dash + 1), &list->bytes[1], fault) != STATUS_OK)
        return fault->status;
    return list->bytes[0] < list->bytes[1]
               ? STATUS_OK
               : refuse(fault, whole(text), "is no range: the second size is not the larger one");
}

enum status parse_size_list(const char *text, struct size_list *list, struct fault *fault)
{
    const char *dash = strchr(text, '-');
    struct span item;
    list->count = 0;
    list->is_range = false;
    if (dash && dash > text && !strchr(text, ','))
        return parse_size_range(text, dash, list, fault);
    for (const char *cursor = text; next_item(&cursor, &item);) {
        if (item.length == 0)
            return refuse(fault, whole(text), "has an empty item: write sizes such as 64mi,1gi");
        if (list->count == SIZE_LIST_MAX)
            return fault_set(fault, STATUS_USAGE, "%s is one size too many: at most %d are taken",
                             quote_span(item.text, item.length).text, SIZE_LIST_MAX);
        if (parse_size(item, &list->bytes[list->count++], fault) != STATUS_OK)
            return fault->status;
    }
    return STATUS_OK;
}

struct stride {
    uint64_t first, last, step;
};

static bool take_stride(struct span item, struct stride *stride)
{
    if (!take_number(&item, &stride->first))
        return false;
    stride->last = stride->first;
    stride->step = 1;
    if (take_letter(&item, '-')) {
        if (!take_number(&item, &stride->last))
            return false;
        if (take_letter(&item, ':') && !take_number(&item, &stride->step))
            return false;
    }
    return item.length == 0;
}

enum status parse_cpu_list(const char *text, struct cpu_list *list, struct fault *fault)
{
    bool taken[CPU_LIST_MAX] = {false};
    struct span item;
    list->count = 0;
    list->all_kinds = strcmp(text, "all-kinds") == 0;
    list->all = list->all_kinds || strcmp(text, "all") == 0;
    for (const char *cursor = list->all ? NULL : text; next_item(&cursor, &item);) {
        struct stride stride;
        if (item.length == 0)
            return refuse(fault, whole(text), "has an empty item: write CPUs such as 0-3,8 or all");
        if (!take_stride(item, &stride))
            return refuse(
                fault, item,
                "is no CPU list: write numbers and ranges such as 0-3,8 or 0-31:2, all, or all-kinds");
        if (stride.last >= CPU_LIST_MAX)
            return fault_set(fault, STATUS_USAGE, "%s is beyond the last CPU that can be named, %d",
                             quote_span(item.text, item.length).text, CPU_LIST_MAX - 1);
        if (stride.first > stride.last)
            return refuse(fault, item, "runs backwards: write the lower CPU first");
        if (stride.step == 0)
            return refuse(fault, item, "has a stride of 0: write 1 or more after the colon");
        for (uint64_t cpu = stride.first; cpu <= stride.last; cpu += stride.step) {
            if (taken[cpu])
                return fault_set(fault, STATUS_USAGE, "CPU %d is named twice: name each CPU once", (int)cpu);
            taken[cpu] = true;
            list->id[list->count++] = (int)cpu;
            if (stride.step > stride.last - cpu)
                break;
        }
    }
    return STATUS_OK;
}

enum status parse_range(const char *text, struct range *range, struct fault *fault)
{
    struct span rest = whole(text);
    bool good = take_number(&rest, &range->first);
    range->last = range->first;
    if (good && take_letter(&rest, '-'))
        good = take_number(&rest, &range->last);
    if (!good || rest.length > 0)
        return refuse(fault, whole(text), "is no range: write a whole number or two, such as 5 or 1-140");
    if (range->first > range->last)
        return refuse(fault, whole(text), "runs backwards: write the lower number first");
    if (range->last > INT64_MAX)
        return refuse(fault, whole(text), "is too large: numbers end below 2^63");
    return STATUS_OK;
}

enum status parse_count(const char *text, uint64_t min, uint64_t max, uint64_t *value, struct fault *fault)
{
    struct span rest = whole(text);
    uint64_t number;
    bool good = take_number(&rest, &number) && rest.length == 0;
    if (good && number >= min && number <= max && number <= INT64_MAX) {
        *value = number;
        return STATUS_OK;
    }
    if (max >= INT64_MAX)
        return fault_set(fault, STATUS_USAGE, "%s is not a whole number from %llu up", quote(text).text,
                         (unsigned long long)min);
    return fault_set(fault, STATUS_USAGE, "%s is not a whole number from %llu to %llu", quote(text).text,
                     (unsigned long long)min, (unsigned long long)max);
}

enum status parse_real(const char *text, double min, double max, double *value, struct fault *fault)
{
    /* Digits with at most one point: no sign, exponent, hexadecimal, infinity or NaN, all of which strtod
     * takes. */
    const size_t before = strspn(text, "0123456789"), point = text[before] == '.',
                 after = point ? strspn(text + before + 1, "0123456789") : 0;
    const bool good = before + after > 0 && text[before + point + after] == '\0';
    const double number = good ? strtod(text, NULL) : 0;
    if (good && number >= min && number <= max && number <= DBL_MAX) {
        *value = number;
        return STATUS_OK;
    }
    if (max >= DBL_MAX)
        return fault_set(fault, STATUS_USAGE, "%s is not a decimal number from %.15g up", quote(text).text,
                         min);
    return fault_set(fault, STATUS_USAGE, "%s is not a decimal number from %.15g to %.15g", quote(text).text,
                     min, max);
}

enum status parse_name_list(const char *text, struct name_list *list, struct fault *fault)
{
    struct span item;
    list->count = 0;
    for (const char *cursor = text; next_item(&cursor, &item);) {
        size_t letters = 0;
        while (letters < item.length && isgraph((unsigned char)item.text[letters]))
            letters++;
        if (letters == 0 || letters < item.length || letters >= NAME_MAX_LENGTH)
            return refuse(fault, item.length ? item : whole(text),
                          "is no list of names: write up to 32 names of up to 47 letters, such as a,b");
        if (list->count == NAME_LIST_MAX)
            return refuse(fault, item, "is one name too many: at most 32 are taken");
        memcpy(list->name[list->count], item.text, item.length);
        list->name[list->count++][item.length] = '\0';
    }
    return STATUS_OK;
}
