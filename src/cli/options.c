/* SPDX-License-Identifier: MIT */
#include "cli/options.h"

#include <ctype.h>
#include <float.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/words.h"

/* getopt_long returns LONG_BASE + i for row i, out of the way of letters and of '?' and ':'. */
enum { LONG_BASE = 256 };

static uint64_t bound_of(double max)
{
    return max > 0 ? (uint64_t)max : (uint64_t)INT64_MAX;
}

/* Index of the choice, -1 with *fault set where there is no such one. */
static int choice_index(const struct option_row *row, const char *text, size_t length, struct fault *fault)
{
    char list[FAULT_TEXT / 2];
    for (int i = 0; row->choices[i]; i++) {
        if (strncmp(row->choices[i], text, length) == 0 && row->choices[i][length] == '\0')
            return i;
    }
    join_words(row->choices, list, sizeof(list));
    fault_set(fault, STATUS_USAGE, "%s is none of: %s", quote_span(text, length).text, list);
    return -1;
}

static enum status set_choices(const struct option_row *row, const char *text, uint64_t *field,
                               struct fault *fault)
{
    uint64_t set = 0;
    const bool all = strcmp(text, "all") == 0;
    for (int i = 0; all && row->choices[i]; i++)
        set |= UINT64_C(1) << i;
    for (const char *item = all ? NULL : text; item;) {
        const size_t length = strcspn(item, ",");
        int index = choice_index(row, item, length, fault);
        if (index < 0)
            return STATUS_USAGE;
        set |= UINT64_C(1) << index;
        item = item[length] ? item + length + 1 : NULL;
    }
    *field = set;
    return STATUS_OK;
}

static enum status set_range(const struct option_row *row, const char *text, struct range *field,
                             struct fault *fault)
{
    struct range range;
    enum status status = parse_range(text, &range, fault);
    if (status != STATUS_OK)
        return status;
    if (range.first < (uint64_t)row->min || range.last > bound_of(row->max))
        return fault_set(fault, STATUS_USAGE, "%s does not lie within %llu-%llu", quote(text).text,
                         (unsigned long long)row->min, (unsigned long long)bound_of(row->max));
    *field = range;
    return STATUS_OK;
}

/* text NULL: the option was given without an argument. */
static enum status set_field(const struct option_row *row, void *field, const char *text, struct fault *fault)
{
    uint64_t id = 0;
    int index;
    switch (row->kind) {
    case OPTION_FLAG:
        *(bool *)field = true;
        return STATUS_OK;
    case OPTION_COUNT:
        return parse_count(text, (uint64_t)row->min, bound_of(row->max), field, fault);
    case OPTION_REAL:
        return parse_real(text, row->min, row->max > 0 ? row->max : DBL_MAX, field, fault);
    case OPTION_HELP:
    case OPTION_CHOICE:
        text = text ? text : row->choices[0];
        index = choice_index(row, text, strlen(text), fault);
        *(int *)field = index < 0 ? *(int *)field : index;
        return fault->status;
    case OPTION_CHOICES:
        return set_choices(row, text, field, fault);
    case OPTION_SIZES:
        return parse_size_list(text, field, fault);
    case OPTION_CPUS:
        return parse_cpu_list(text, field, fault);
    case OPTION_CPU:
        if (text && parse_count(text, 0, CPU_LIST_MAX - 1, &id, fault) != STATUS_OK)
            return fault->status;
        *(struct cpu_choice *)field = (struct cpu_choice){.given = true, .named = text, .id = (int)id};
        return STATUS_OK;
    case OPTION_RANGE:
        return set_range(row, text, field, fault);
    case OPTION_NAMES:
        return parse_name_list(text, field, fault);
    case OPTION_TEXT:
        if (*text == '\0')
            return fault_set(fault, STATUS_USAGE, "the argument is empty");
        *(const char **)field = text;
    }
    return STATUS_OK;
}

static const struct {
    size_t bytes;    /* of the field */
    bool takes_auto; /* "auto" is all bits zero */
} kinds[] = {
    [OPTION_FLAG] = {sizeof(bool), false},
    [OPTION_HELP] = {sizeof(int), false},
    [OPTION_COUNT] = {sizeof(uint64_t), true},
    [OPTION_REAL] = {sizeof(double), true},
    [OPTION_CHOICE] = {sizeof(int), false},
    [OPTION_CHOICES] = {sizeof(uint64_t), false},
    [OPTION_SIZES] = {sizeof(struct size_list), true},
    [OPTION_CPUS] = {sizeof(struct cpu_list), false},
    [OPTION_CPU] = {sizeof(struct cpu_choice), false},
    [OPTION_RANGE] = {sizeof(struct range), true},
    [OPTION_NAMES] = {sizeof(struct name_list), true},
    [OPTION_TEXT] = {sizeof(const char *), false},
};

enum status option_set(const struct option_row *row, void *params, const char *text, struct fault *fault)
{
    void *field = (char *)params + row->offset;
    struct fault inner = {0};
    const bool automatic = kinds[row->kind].takes_auto && row->fallback && strcmp(row->fallback, "auto") == 0;
    const char *zero = automatic ? "auto" : row->zero; /* the word for a field of all bits zero, if any */
    if (zero && strcmp(text, zero) == 0) {
        memset(field, 0, kinds[row->kind].bytes);
        return STATUS_OK;
    }
    if (set_field(row, field, text, &inner) == STATUS_OK)
        return STATUS_OK;
    return fault_set(fault, inner.status, "--%s: %s%s%s", row->name, inner.text, zero ? ", or " : "",
                     zero ? zero : "");
}

bool options_default(const struct option_row *rows, void *params)
{
    struct fault fault = {0};
    for (const struct option_row *row = rows; row && row->name; row++) {
        void *field = (char *)params + row->offset;
        memset(field, 0, kinds[row->kind].bytes);
        if (row->kind == OPTION_CHOICE || row->kind == OPTION_HELP)
            *(int *)field = -1;
        if (row->fallback)
            option_set(row, params, row->fallback, &fault);
    }
    return fault.status == STATUS_OK;
}

static const char rare_title[] = "Needed less often";

void options_add(struct option_set *set, const struct option_row *rows, void *params, const char *title,
                 unsigned honours)
{
    if (params)
        options_default(rows, params);
    for (const struct option_row *row = rows; row && row->name && set->count < OPTIONS_MAX; row++) {
        if (row->honours != 0 && !(honours & row->honours))
            continue;
        const int i = set->count++;
        set->of[i].row = row;
        set->of[i].params = params;
        set->of[i].title = row->rare ? rare_title : title;
    }
}

static int argument_mode(const struct option_row *row)
{
    if (row->kind == OPTION_HELP || row->kind == OPTION_CPU)
        return optional_argument;
    return row->kind == OPTION_FLAG ? no_argument : required_argument;
}

/* Index of what getopt_long returned or left in optopt; -1: no row of ours. "-?" asks for help, as "-h"
 * does. */
static int index_of(const struct option_set *set, int code)
{
    if (code >= LONG_BASE)
        return code - LONG_BASE;
    for (int i = 0; i < set->count; i++) {
        const struct option_row *row = set->of[i].row;
        if (code > 0 && (row->letter == code || (code == '?' && row->kind == OPTION_HELP)))
            return i;
    }
    return -1;
}

/* An option that is none of the set's, with the nearest name. word: as it was typed, NULL: it is a letter. */
static enum status unknown(const struct option_set *set, const char *word, char letter, const char *help,
                           struct fault *fault)
{
    const char *of = set->command ? set->command : "uarchprobe without a command";
    const size_t length = word ? strcspn(word, "=") : 0;
    struct suggestion near = {.word = word ? word + 2 : "", .length = word ? length - 2 : 0};
    const struct quoted shown = word ? quote_span(word, length) : quote((const char[]){'-', letter, '\0'});
    for (int i = 0; i < set->count && word; i++)
        suggestion_offer(&near, set->of[i].row->name);
    if (near.best)
        return fault_set(fault, STATUS_USAGE, "%s has no option %s: did you mean --%s? (%s lists them all)",
                         of, shown.text, near.best, help);
    return fault_set(fault, STATUS_USAGE, "%s has no option %s (%s lists them all)", of, shown.text, help);
}

/* word: the one that getopt_long could not take, code what it returned of it. */
static enum status complain(const struct option_set *set, int code, const char *word, struct fault *fault)
{
    const int index = index_of(set, optopt);
    char help[64];
    snprintf(help, sizeof help, "uarchprobe %s%s--help", set->command ? set->command : "",
             set->command ? " " : "");
    if (index < 0)
        return unknown(set, optopt == 0 ? word : NULL,
                       optopt > 0 && optopt < 128 && isgraph(optopt) ? (char)optopt : '?', help, fault);
    const struct option_row *row = set->of[index].row;
    if (code == ':')
        return fault_set(fault, STATUS_USAGE, "option --%s needs %s (%s explains it)", row->name,
                         row->argument ? row->argument : "an argument", help);
    return fault_set(fault, STATUS_USAGE, "option --%s takes no argument (%s explains it)", row->name, help);
}

static enum status take(struct option_set *set, int index, struct fault *fault)
{
    const struct option_row *row = set->of[index].row;
    struct common *common = set->common;
    if (common) {
        common->verbose |= row->tables;
        if (common->given.count < GIVEN_MOST) {
            common->given.of[common->given.count].row = row;
            common->given.of[common->given.count++].text = row->kind == OPTION_FLAG ? NULL : optarg;
        }
    }
    return option_set(row, set->of[index].params, optarg, fault);
}

enum status options_parse(struct option_set *set, int argc, char **argv, int *operands, struct fault *fault)
{
    struct option longs[OPTIONS_MAX + 1] = {0};
    char shorts[2 * OPTIONS_MAX + 3], *letter = shorts;
    int code;
    *operands = argc;
    if (!set->command)
        *letter++ = '+';
    *letter++ = ':';
    for (int i = 0; i < set->count; i++) {
        const struct option_row *row = set->of[i].row;
        longs[i] = (struct option){row->name, argument_mode(row), NULL, LONG_BASE + i};
        if (row->letter)
            *letter++ = row->letter;
        /* The short --help takes no argument, so that -h can stand first in a cluster. */
        if (row->letter && argument_mode(row) == required_argument)
            *letter++ = ':';
    }
    *letter = '\0';
    optind = 0; /* starts getopt afresh */
    opterr = 0;
    while (fault->status == STATUS_OK && (code = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
        /* getopt_long returns '?' for what it does not know, and the letter in optopt. */
        const bool is_help = code == '?' && optopt == '?';
        const int index = (code == '?' && !is_help) || code == ':' ? -1 : index_of(set, code);
        if (index < 0)
            return complain(set, code, argv[optind - 1], fault);
        if (take(set, index, fault) == STATUS_OK && set->of[index].row->kind == OPTION_HELP)
            break;
    }
    *operands = optind;
    return fault->status;
}
